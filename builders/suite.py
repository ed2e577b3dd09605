"""What a suite gives this room: the command that makes its candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Build:
    """A suite's side of this room.

    Attributes:
        command: `tashika build SUITE`, a function whose annotated arguments are its options (Typer's way). It writes
            `items/KIND.parquet` through `core.stages.Stage`, so that a second run is a no-op and an interrupted one
            resumes.
        snapshot: The packaged RDF that `tashika serve wikidata --suite SUITE` serves, PACKAGE:FILE; None without one.
    """

    command: Callable[..., None]
    snapshot: str | None = None
