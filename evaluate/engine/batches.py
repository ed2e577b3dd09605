"""Batches: texts of one length together, as many as the memory holds.

Buckets of one exact length need no padding and so no attention mask. How many tokens go into a batch follows from the
device's free memory; when it runs out all the same, the batch is halved and the run continues.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tashika.core.errors import OutsideError
from tashika.core.progress import say
from tashika.core.spreading import devices_of
from tashika.evaluate.engine.arrays import Codes

if TYPE_CHECKING:
    import torch

_CPU_VALUES: Final = 2**20
"""Tokens × width on a CPU: larger batches are no faster there, since their values leave the cache."""

MOST_CUDA_TOKENS: Final = 2**17
_FEWEST_CUDA_TOKENS: Final = 2**10
_LOGITS_AT_ONCE: Final = {"cpu": 2**22, "cuda": 2**29}
_SIGNS: Final = (
    "can't allocate memory",
    "out of memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "std::bad_alloc",
    "could not create a memory object",
)
"""Messages of the libraries beneath torch when the memory runs out."""

_SHARE_OF_FREE: Final = 0.4
_WIDTHS_A_TOKEN: Final = 24
"""Values held for a token at a time, in widths of the model: hidden states, queries, keys, values, feed-forward."""


class Budget:
    """How much goes through a model at once; halved when the memory runs out.

    Args:
        tokens: Tokens in a batch, at most.
        logits: Logits in a batch (places × vocabulary), at most.
    """

    def __init__(self, tokens: int, logits: int = _LOGITS_AT_ONCE["cpu"]) -> None:
        self.tokens = tokens
        self.logits = logits

    @classmethod
    def of(cls, model: Any, device: torch.device, tokens: int | None = None) -> Budget:
        """The budget of a model on its device.

        Args:
            model: The model.
            device: Where it runs.
            tokens: The user's own number; None takes it from the free memory (a power of two, so that machines of
                one kind batch alike and give the same bits).
        """
        logits = _LOGITS_AT_ONCE["cuda" if device.type == "cuda" else "cpu"]
        if tokens is not None:
            return cls(tokens, logits)
        width = int(getattr(model.config, "hidden_size", 0) or 1024)
        if device.type != "cuda":
            return cls(_power(_CPU_VALUES / width), logits)
        import torch

        free = min(torch.cuda.mem_get_info(each)[0] for each in devices_of(model)) * _SHARE_OF_FREE
        value = next(model.base_model.parameters()).element_size()
        fits = _power(free / (width * _WIDTHS_A_TOKEN * value))
        return cls(min(max(fits, _FEWEST_CUDA_TOKENS), MOST_CUDA_TOKENS), min(logits, _power(free / 16)))

    def texts(self, length: int, vocabulary: int) -> int:
        """How many texts of a length go into a batch, each with one place to answer at."""
        return max(1, min(self.tokens // max(length, 1), self.logits // vocabulary))

    def run(self, rows: Codes, size: Callable[[], int], work: Callable[[Codes], None]) -> None:
        """Works through rows in batches; a batch that did not fit is tried again in halves.

        Args:
            rows: What to work through.
            size: How many rows a batch may have now.
            work: Handles a batch; called again with fewer rows if the memory ran out.

        Raises:
            OutsideError: The memory does not hold a single row.
        """
        begin = 0
        while begin < len(rows):
            some = rows[begin : begin + size()]
            if self._fits(work, some):
                begin += len(some)
            else:
                self._shrink(size, len(some))

    @staticmethod
    def _fits(work: Callable[[Codes], None], some: Codes) -> bool:
        """Whether it went through. The error is dropped here: it holds on to the tensors of the failed batch."""
        try:
            work(some)
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
            return False
        return True

    def _shrink(self, size: Callable[[], int], rows: int) -> None:
        """Halves until a batch gets smaller than the one of so many rows that failed."""
        import torch

        if rows == 1:
            raise OutsideError(
                "the memory does not hold the model and a single text",
                hint="Use --dtype bf16, a device with more memory, or a smaller model.",
            )
        while size() >= rows:
            self.tokens, self.logits = max(1, self.tokens // 2), max(1, self.logits // 2)
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        say(f"out of memory: continuing with batches of {self.tokens:,} tokens")


def _power(number: float) -> int:
    """The largest power of two that is not above a number, 1 at least."""
    return 1 << math.floor(math.log2(max(number, 1.0)))


def out_of_memory(error: BaseException) -> bool:
    """Whether an error means that the memory ran out, on a CUDA device or on the host."""
    import torch

    text = str(error)
    return isinstance(error, torch.cuda.OutOfMemoryError | MemoryError) or any(sign in text for sign in _SIGNS)


def buckets(length: Codes) -> Iterator[Codes]:
    """Places of texts of one length, longest first, so that what does not fit shows at once."""
    order = np.argsort(-length, kind="stable")
    if len(order):
        yield from np.split(order, np.flatnonzero(np.diff(length[order])) + 1)
