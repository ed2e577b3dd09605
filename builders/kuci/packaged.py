"""The sentences that come with the toolkit: what pairs come from, and what basic events are counted in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from tashika.core.settings import packaged_data

Share = Literal["all", "part"]
"""How much of the packaged text is read: all of it, or the part that the demo reads."""

_TEXT: Final[Mapping[Share, tuple[str, ...]]] = MappingProxyType(
    {
        "all": ("sentences-a.txt", "sentences-b.txt", "sentences-c.txt", "sentences-d.txt", "sentences-e.txt"),
        "part": ("sentences-a.txt", "sentences-b.txt"),
    }
)
_FRAMES: Final[Mapping[Share, tuple[str, ...]]] = MappingProxyType(
    {"all": ("frames.txt", "frames-b.txt"), "part": ("frames.txt",)}
)


def packaged_text(share: Share) -> tuple[Path, ...]:
    """The files that pairs come from."""
    return tuple(packaged_data(f"kuci/{name}") for name in _TEXT[share])


def packaged_frames(share: Share) -> tuple[Path, ...]:
    """The files that basic events are counted in."""
    return tuple(packaged_data(f"kuci/{name}") for name in _FRAMES[share])
