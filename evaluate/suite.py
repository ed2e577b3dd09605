"""What a suite gives this room: the command that scores models, and the page of their scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Evaluation:
    """A suite's side of this room.

    Attributes:
        command: `tashika evaluate SUITE`, a function whose annotated arguments are its options (Typer's way). It writes
            predictions and `metrics.json` into `evaluate/SYSTEM/`.
        write_report: Writes `evaluate/report.html` of a workspace with the scores of all systems, and returns its path.
    """

    command: Callable[..., None]
    write_report: Callable[[Workspace], Path]
