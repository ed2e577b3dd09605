"""What a call of `tashika evaluate semrel` asks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    """What systems are asked.

    Attributes:
        responses: A published response file; None for the release or the build.
        limit: Targets that are drawn; None for all.
        vocabulary: Models and files whose shared words limit a response file's relata, where nothing is built.
    """

    responses: Path | None = None
    limit: int | None = None
    vocabulary: tuple[str, ...] = ()
