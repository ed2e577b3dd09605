"""A model over several devices: where one does not hold it, accelerate puts its layers on one after the other.

A device such as `cuda:0+cuda:1` names what a model lies on together; `cuda:0=60GiB+cuda:1` says how much of it the
first may hold. What `cpu` and `disk` hold is brought to the first device when it is needed, which is slow but works;
without a CUDA device the processor computes. `spread` is all CUDA devices of this machine and the host's memory.

The model is loaded into the host's memory first, in the precision of its checkpoint, so that has to hold it once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say

if TYPE_CHECKING:
    import torch

SPREAD: Final = "spread"
"""All that this machine has."""

_SHARE_OF_FREE: Final = 0.6
"""Of a CUDA device's free memory that a model may take, unless its limit is named; batches need the rest."""

_UNITS: Final = {"B": 1, "MB": 10**6, "GB": 10**9, "MIB": 2**20, "GIB": 2**30}
_LIMIT: Final = re.compile(r"(\d+(?:\.\d+)?)(B|MB|GB|MiB|GiB)", re.IGNORECASE)
_SYNTAX: Final = "Such as cuda:0+cuda:1, cuda:0=60GiB+cpu, or spread."


class Part(NamedTuple):
    """A device that holds a part of a model.

    Attributes:
        name: `cuda:N`, `cpu` or `disk`.
        limit: Bytes of the model that it may hold; None for what is free.
    """

    name: str
    limit: int | None


def is_spread(device: str) -> bool:
    """Whether a device is several that hold a model together."""
    return device == SPREAD or "+" in device or "=" in device


def parts_of(device: str) -> list[Part]:
    """The devices that hold a model together, as they are named; whether they are there is not checked.

    Raises:
        InputError: A part is no device, a limit is none, one is named twice, or the CUDA devices do not come first.
    """
    parts = [_part(text.strip(), device) for text in device.split("+")]
    names = [part.name for part in parts]
    kinds = [name.split(":")[0] for name in names]
    if len(set(names)) < len(names):
        raise InputError(f"found a device twice in {device!r}", hint=_SYNTAX)
    if kinds != sorted(kinds, key=("cuda", "cpu", "disk").index) or kinds[0] == "disk":
        raise InputError(f"found {device!r}; cuda comes first, then cpu, then disk, and not disk alone", hint=_SYNTAX)
    return parts


def _part(text: str, device: str) -> Part:
    name, equals, given = text.partition("=")
    match = _LIMIT.fullmatch(given)
    if not re.fullmatch(r"cuda:\d+|cpu|disk", name) or bool(equals) != bool(match):
        raise InputError(f"found {text!r} in the device {device!r}", hint=_SYNTAX)
    if name == "disk" and match:
        raise InputError(f"found a limit of the disk in {device!r}; it takes what is left", hint=_SYNTAX)
    return Part(name, int(float(match[1]) * _UNITS[match[2].upper()]) if match else None)


def accelerate() -> Any:
    """The library that spreads models.

    Raises:
        OutsideError: It is not installed.
    """
    try:
        import accelerate as library
    except ImportError as error:
        raise OutsideError(
            "a model over several devices needs the package accelerate, which is not installed",
            hint="Install the extra `local` (pip install 'tashika[local]'), or name one device.",
        ) from error
    return library


def spread(model: Any, device: str) -> Any:
    """Puts a model, which lies in the host's memory, onto several devices; it then takes its inputs on the first.

    Args:
        model: A model of transformers, in the precision that it is to have.
        device: See `parts_of`.

    Raises:
        OutsideError: accelerate is not installed, or the devices do not hold the model.
    """
    library = accelerate()
    from accelerate.utils import get_balanced_memory

    parts = parts_of(device)
    size = sum(values.numel() * values.element_size() for values in model.parameters())
    whole = getattr(model, "_no_split_modules", None) or []
    limits = get_balanced_memory(model, _limits(parts, size), no_split_module_classes=list(whole))
    # What "cpu" holds is no less than what it holds already; a device that is not named holds nothing.
    limits.setdefault("cpu", 0)
    places = library.infer_auto_device_map(model, max_memory=limits, no_split_module_classes=list(whole))
    if places == {"": "disk"}:  # of a model as a whole accelerate writes nothing to the disk
        places = dict.fromkeys((name for name, _ in model.named_children()), "disk")
    allowed = {_place(part.name) for part in parts}
    if not set(places.values()) <= allowed:
        named = ", ".join(f"{part.name} {limits.get(_place(part.name), 0) / 2**30:.2f} GiB" for part in parts)
        raise OutsideError(
            f"the devices do not hold the model: it has {size / 2**30:.2f} GiB, and they may hold {named}",
            hint="Name more devices, or add +cpu (slow), or +disk (slower).",
        )
    _say_places(places)
    if set(places.values()) == {_place(parts[0].name)}:
        return model.to(parts[0].name)
    folder = TemporaryDirectory(prefix="tashika-weights-") if "disk" in places.values() else None
    skipped = getattr(model, "_skip_keys_device_placement", None)
    with _without_warnings():
        model = library.dispatch_model(
            model, places, _place(parts[0].name), offload_dir=folder and folder.name, skip_keys=skipped
        )
    model.offload_folder = folder  # it goes with the model
    return model


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keeps off the screen that weights lie elsewhere, which is what was asked for."""
    logger = logging.getLogger("accelerate.big_modeling")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def input_device(model: Any) -> torch.device:
    """Where a model takes its inputs, and gives its logits."""
    import torch

    places = getattr(model, "hf_device_map", None)
    if places:
        first = min(places.values(), key=lambda place: (not isinstance(place, int), place))
        return torch.device("cuda", first) if isinstance(first, int) else torch.device("cpu")
    device: torch.device = next(model.parameters()).device
    return device


def devices_of(model: Any) -> list[torch.device]:
    """The devices that a model computes on."""
    import torch

    places = getattr(model, "hf_device_map", None) or {}
    cuda = sorted({place for place in places.values() if isinstance(place, int)})
    return [torch.device("cuda", place) for place in cuda] or [input_device(model)]


def is_dispatched(model: Any) -> bool:
    """Whether `spread` put it onto its devices."""
    return bool(getattr(model, "hf_device_map", None))


def _limits(parts: list[Part], size: int) -> dict[int | str, int]:
    """Bytes of each device, as accelerate names it; the disk, which holds the rest, is not named."""
    import torch

    limits: dict[int | str, int] = {}
    for part in parts:
        place = _place(part.name)
        if part.limit is not None:
            limits[place] = part.limit
        elif isinstance(place, int):
            limits[place] = int(torch.cuda.mem_get_info(place)[0] * _SHARE_OF_FREE)
        elif place == "cpu":
            limits[place] = 2 * size
    return limits


def _place(name: str) -> int | str:
    return int(name.removeprefix("cuda:")) if name.startswith("cuda:") else name


def _say_places(places: dict[str, int | str]) -> None:
    counts: dict[int | str, int] = {}
    for place in places.values():
        counts[place] = counts.get(place, 0) + 1
    shown = (f"{count} on {f'cuda:{place}' if isinstance(place, int) else place}" for place, count in counts.items())
    say(f"spread over devices: of {len(places)} modules {', '.join(shown)}")
