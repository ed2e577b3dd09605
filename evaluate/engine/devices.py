"""The devices that a run uses."""

from __future__ import annotations

from typing import Any

from tashika.core.errors import InputError
from tashika.core.models import resolve_device


def resolve_devices(device: str) -> list[str]:
    """The devices that a run uses: `auto`, one, several with commas between, or `cuda:all`.

    Raises:
        InputError: A device is unknown or not there, or they are of different kinds.
    """
    if device == "cuda:all":
        return [f"cuda:{number}" for number in range(_cuda_devices())]
    devices = [resolve_device(one.strip()) for one in device.split(",")]
    if len({one.split(":")[0] for one in devices}) > 1:
        raise InputError(f"found the devices {device}; they must be of one kind", hint="Such as cuda:0,cuda:1.")
    return devices


def is_here(device: str) -> bool:
    """Whether this machine has such a device; with Ray a run may be on others."""
    import torch

    return not device.startswith("cuda") or torch.cuda.is_available()


def _cuda_devices() -> int:
    import torch

    resolve_device("cuda")
    count: Any = torch.cuda.device_count()
    return int(count)
