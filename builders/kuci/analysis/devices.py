"""Which CUDA devices analyse text: one process each, which sees no other."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final, Literal

from tashika.core.errors import InputError, OutsideError

CPU: Final = "cpu"
VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
"""The devices that a process may use, in the order in which it numbers them."""

_ALL: Final = "cuda:all"
_NAME: Final = re.compile(r"cuda(?::([0-9]+))?")
_INSTALL: Final = "pip install cupy-cuda12x (for CUDA 12; cupy-cuda13x for CUDA 13)"


def is_cuda(device: str) -> bool:
    """Whether a device is a CUDA one."""
    return device != CPU


def check_device(device: str, engine: Literal["local", "ray"], backend: str) -> None:
    """Checks that text can be analysed there.

    Args:
        device: See `cuda_devices`.
        engine: A Ray cluster has its own devices: the name cannot choose among them.
        backend: Who analyses the text.

    Raises:
        InputError: The device is unknown or not there, or the analyser needs none.
        OutsideError: What spaCy needs for it is not installed.
    """
    if not is_cuda(device):
        return
    if backend != "ginza":
        raise InputError(f"found the device {device!r} for {backend}", hint="Only GiNZA computes on one: --device cpu.")
    if engine == "local":
        cuda_devices(device)
    elif device not in {"cuda", _ALL}:
        raise InputError(
            f"found the device {device!r} with the engine ray", hint="There it is cpu, or cuda: all of the cluster."
        )


def cuda_devices(device: str) -> tuple[str, ...]:
    """The devices of this machine that a name stands for, as `CUDA_VISIBLE_DEVICES` names each; none for `cpu`.

    Args:
        device: `cpu`, `cuda` (the first), `cuda:N`, several with commas between, or `cuda:all`.

    Raises:
        InputError: One is unknown, named twice, or not there.
        OutsideError: What spaCy needs for it is not installed.
    """
    if not is_cuda(device):
        return ()
    named = None if device == _ALL else _numbers(device)
    count = cuda_count()
    numbers = list(range(count)) if named is None else named
    for number in numbers:
        if number >= count:
            raise InputError(
                f"there is no device cuda:{number}", hint=f"This machine has cuda:0 to cuda:{count - 1}; or cpu."
            )
    return tuple(_visible_name(number, os.environ) for number in numbers)


def _numbers(device: str) -> list[int]:
    numbers = []
    for name in device.split(","):
        match = _NAME.fullmatch(name.strip())
        if match is None:
            raise InputError(
                f"found the device {device!r}",
                hint="Use cpu, cuda, cuda:N, several with commas between, or cuda:all.",
            )
        numbers.append(int(match[1] or 0))
    if len(set(numbers)) < len(numbers):
        raise InputError(f"found a device twice in {device!r}")
    return numbers


def _visible_name(number: int, environment: Mapping[str, str]) -> str:
    """A device of this process as another one is to be given it."""
    names = [name.strip() for name in environment.get(VISIBLE, "").split(",") if name.strip()]
    return names[number] if number < len(names) else str(number)


def cuda_count() -> int:
    """How many CUDA devices this process sees.

    Raises:
        InputError: There is none.
        OutsideError: CuPy is not installed, by which spaCy computes on them.
    """
    try:
        import cupy  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        import torch

        if torch.cuda.is_available():
            raise OutsideError(
                "spaCy computes on a CUDA device by CuPy, which is not installed", hint=f"{_INSTALL}; or --device cpu."
            ) from error
        raise InputError(
            "there is no CUDA device on this machine that torch can see",
            hint=f"Use --device cpu. Where there is one, spaCy needs CuPy: {_INSTALL}.",
        ) from error
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise InputError(f"there is no CUDA device on this machine ({error})", hint="Use --device cpu.") from error
    if not count:
        raise InputError("there is no CUDA device on this machine", hint="Use --device cpu.")
    return count
