"""`tashika show`: what a scored system answered, beside what it was asked. Light until it is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tashika.core.errors import InputError, MissingStageError
from tashika.core.options import WORK, SuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tashika.core.workspace import Workspace
    from tashika.evaluate.suite import Answered, Showing

SHOWN = 10
"""Predictions that are printed where no number is given."""

app = typer.Typer(help="Read what a scored model answered, beside the prompt and what is right.")

ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="The scored system, by its name or its folder; not needed where there is one."),
]
WrongOption = Annotated[bool, typer.Option("--wrong", help="Only wrong answers.")]
ItemOption = Annotated[str | None, typer.Option("--item", help="Only this item: its id, or the beginning of it.")]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit", help=f"At most this many predictions; without it {SHOWN} in the terminal, all in a file.", min=1
    ),
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", help="Write them to this file as CSV.", dir_okay=False, show_default=False)
]
JsonlOption = Annotated[
    Path | None,
    typer.Option("--jsonl", help="Write them to this file, a JSON object a line.", dir_okay=False, show_default=False),
]


@app.command()
def show(
    suite: SuiteArgument,
    model: ModelOption = None,
    wrong: WrongOption = False,
    item: ItemOption = None,
    limit: LimitOption = None,
    csv: CsvOption = None,
    jsonl: JsonlOption = None,
    work: WorkOption = WORK,
) -> None:
    """Read what a scored model answered: the prompt, the options, what is right, the answer and its score.

    The predictions of the suite's folder `evaluate/SYSTEM/` are joined with the release that they are of.
    """
    from itertools import islice

    from tashika.core.workspace import Workspace
    from tashika.evaluate.showing import answered
    from tashika.evaluate.showing_out import print_answers, write_csv, write_lines

    workspace = Workspace(work, suite)
    folder = _system(workspace, model)
    showing = _showing(workspace, folder)
    if wrong and not showing.judged:
        raise InputError(f"found --wrong, and no answer of the suite {suite} is right or wrong by itself")

    def rows(most: int | None) -> Iterator[Answered]:
        """The wanted predictions, from the first one."""
        return islice(answered(workspace, folder, showing, item, wrong=wrong), most)

    for path, write in ((csv, write_csv), (jsonl, write_lines)):
        if path is not None:
            typer.echo(f"{path}: {write(path, rows(limit)):,} predictions of {folder.name}")
    if csv is None and jsonl is None:
        most = limit or SHOWN
        print_answers(list(rows(most + 1)), most, folder.name, showing.score, wrong=wrong)


def _system(workspace: Workspace, name: str | None) -> Path:
    """The folder of the system that is meant.

    Raises:
        MissingStageError: No system has been scored.
        InputError: There is none of that name, or several and none was named.
    """
    from tashika.evaluate.comparing.systems import find_folder, scored_folders

    folders = scored_folders(workspace)
    if not folders:
        raise MissingStageError(
            "no model has been scored yet",
            where=str(workspace.evaluate),
            hint=f"Run `tashika evaluate {workspace.arguments} --model NAME` first.",
        )
    if name is not None:
        return find_folder(workspace, name, "Name it by its folder, with --model.")
    if len(folders) > 1:
        raise InputError(
            f"{len(folders)} systems have been scored: {', '.join(folder.name for folder in folders)}",
            where=str(workspace.evaluate),
            hint=f"Name one: `tashika show {workspace.arguments} --model {folders[0].name}`.",
        )
    return folders[0]


def _showing(workspace: Workspace, folder: Path) -> Showing:
    from tashika.evaluate.showing import generic

    given: Showing | None = suite_named(workspace.suite).load("evaluate").showing
    if given is not None:
        return given
    names = sorted(path.name for path in folder.glob("*.parquet"))
    if not names:
        raise InputError("no table of predictions lies here", where=str(folder), hint="Evaluate the model again.")
    return generic("predictions.parquet" if "predictions.parquet" in names else names[0])
