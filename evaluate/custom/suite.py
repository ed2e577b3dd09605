"""What a suite file gives this room."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tashika.evaluate.custom.command import command_of
from tashika.evaluate.custom.methods import methods_of
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell

if TYPE_CHECKING:
    from tashika.core.custom.suite import CustomSuite
    from tashika.core.workspace import Workspace


def evaluation_of(suite: CustomSuite) -> Evaluation:
    """The command that asks models what the section `[evaluate]` says, the page of their scores, and the comparison."""

    def write_report(workspace: Workspace) -> Path:
        """Writes the page of all scored systems; see `report`."""
        from tashika.evaluate.custom.report import write_report as write

        return write(suite, workspace)

    def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
        """What systems made of the questions; see `comparison`."""
        from tashika.evaluate.custom.comparison import read

        return read(suite, workspace, folders)

    def open_shown(workspace: Workspace, folder: Path) -> Spell:
        """What a system's predictions are read beside; see `showing`."""
        from tashika.evaluate.custom.showing import open_predictions

        return open_predictions(suite, workspace, folder)

    return Evaluation(
        command_of(suite),
        write_report,
        Comparison(("predictions.parquet",), read_sides),
        Showing(
            "predictions.parquet",
            open_shown,
            "a judge's score, the rank of the right word from 1, or the answer's log-likelihood in nats",
        ),
        methods_of(suite),
    )
