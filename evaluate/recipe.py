"""How an engine is made, wherever it will run: on this device, on that one, in another process or machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tashika.core.errors import InputError
from tashika.core.models import Kind, load_model, resolve_device
from tashika.evaluate.prompts import WorkList
from tashika.evaluate.scoring import Engine


@dataclass(frozen=True)
class Recipe:
    """Everything that an engine is made from; small enough to be sent about.

    Attributes:
        name: The model, a folder or a name on the Hub.
        kind: The model's.
        device: `cpu`, `cuda` or `cuda:N`.
        dtype: `fp32`, `bf16` or `fp16`.
        work: The prompts.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
        threads: Of a CPU; None leaves torch's own number.
    """

    name: str
    kind: Kind
    device: str
    dtype: str
    work: WorkList
    batch_tokens: int | None = None
    threads: int | None = None

    def engine(self, device: str | None = None) -> Engine:
        """Loads the model and prepares it for the prompts."""
        import torch

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        loaded = load_model(self.name, device=device or self.device, dtype=self.dtype)
        return Engine.of(loaded, self.work, batch_tokens=self.batch_tokens)


def resolve_devices(device: str) -> list[str]:
    """The devices that a run uses: `auto`, one, several with commas between, or `cuda:all`.

    Raises:
        InputError: One is unknown or not there, or they are not of one kind.
    """
    if device == "cuda:all":
        return [f"cuda:{number}" for number in range(_cuda_devices())]
    found = [resolve_device(one.strip()) for one in device.split(",")]
    if len({one.split(":")[0] for one in found}) > 1:
        raise InputError(f"found the devices {device}; they must be of one kind", hint="Such as cuda:0,cuda:1.")
    return found


def is_here(device: str) -> bool:
    """Whether this machine has such a device; with Ray a run may be on others."""
    import torch

    return not device.startswith("cuda") or torch.cuda.is_available()


def _cuda_devices() -> int:
    import torch

    resolve_device("cuda")
    count: Any = torch.cuda.device_count()
    return int(count)
