"""The devices that a run uses."""

from __future__ import annotations

import re
from typing import Any

from tashika.core.errors import InputError
from tashika.core.models import resolve_device
from tashika.core.spreading import SPREAD, accelerate, is_spread, parts_of


def resolve_devices(device: str) -> list[str]:
    """The devices that a run uses: `auto`, one, several with commas between, or `cuda:all`.

    Each holds a model of its own. A device may be several with + between, which hold a model together, or `spread`
    (see `core.spreading`).

    Raises:
        InputError: A device is unknown or not there, or they are of different kinds.
        OutsideError: A model is to be spread, and accelerate is not installed.
    """
    if device == "cuda:all":
        return [f"cuda:{number}" for number in range(_cuda_devices())]
    devices = [_resolved(one.strip()) for one in device.split(",")]
    if len({device_kind(one) for one in devices}) > 1:
        raise InputError(f"found the devices {device}; they must be of one kind", hint="Such as cuda:0,cuda:1.")
    return devices


def device_kind(device: str) -> str:
    """`cpu` or `cuda`: what a device computes with."""
    return re.split("[:+=]", device)[0]


def _resolved(device: str) -> str:
    if not is_spread(device):
        return resolve_device(device)
    accelerate()
    if device == SPREAD:
        import torch

        cuda = [f"cuda:{number}" for number in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
        return "+".join([*cuda, "cpu"]) if cuda else "cpu"
    for part in parts_of(device):
        if part.name.startswith("cuda"):
            resolve_device(part.name)
    return device


def is_here(device: str) -> bool:
    """Whether this machine has such a device; with Ray a run may be on others."""
    import torch

    return not device.startswith("cuda") or torch.cuda.is_available()


def _cuda_devices() -> int:
    import torch

    resolve_device("cuda")
    count: Any = torch.cuda.device_count()
    return int(count)
