"""Faster kernels for the same sums.

In float32 torch multiplies matrices on a CPU with MKL, which on other makers' processors leaves their wide registers
unused. oneDNN, which torch carries as well, does not: twice the rate on an EPYC with AVX-512, and a tenth more with
AVX2 alone (docs/engine.md). Both work in float32; only the order of their sums differs.
"""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import torch


_KEPT_SHAPES: Final = "64"
"""How many shapes of products oneDNN and torch keep what they prepared for; 1,024 if nothing is said, which is
hundreds of MiB where batches come in hundreds of shapes."""


def use_onednn(model: Any) -> int:
    """Lets the linear layers of a float32 model on a CPU use oneDNN, for inference; leaves every other model alone.

    Args:
        model: A torch module; it is changed in place.

    Returns:
        The number of layers that now do.
    """
    import torch

    for name in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):  # read at the first product
        os.environ.setdefault(name, _KEPT_SHAPES)
    if not _available():
        return 0
    onednn = _onednn_linear()
    count = 0
    for module in model.modules():
        plain = type(module) is torch.nn.Linear and not (module._forward_hooks or module._forward_pre_hooks)
        if plain and module.weight.dtype == torch.float32 and module.weight.device.type == "cpu":
            module.__class__ = onednn
            count += 1
    return count


@cache
def _available() -> bool:
    import torch

    built_in: Any = torch.backends.mkldnn
    if not built_in.is_available():
        return False
    try:
        one = torch.ones(1, 1)
        return float(torch.ops.mkldnn._linear_pointwise(one, one, None, "none", [], "")) == 1.0
    except (AttributeError, RuntimeError, NotImplementedError):  # the operator is not part of torch's public face
        return False


@cache
def _onednn_linear() -> type[torch.nn.Linear]:
    import torch

    class OneDnnLinear(torch.nn.Linear):
        """A linear layer on oneDNN; anything but float32 without gradients goes the usual way."""

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            if values.dtype != torch.float32 or self.weight.dtype != torch.float32 or torch.is_grad_enabled():
                return super().forward(values)
            result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(values, self.weight, self.bias, "none", [], "")
            return result

    return OneDnnLinear


def free_memory() -> None:
    """Frees models that nobody holds any more (their hooks make cycles), on the device as well."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    give_memory_back()


def give_memory_back() -> None:
    """Hands freed memory back to the system. glibc keeps it between small pieces still in use, and the heap grows."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
