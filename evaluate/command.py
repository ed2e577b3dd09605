"""`tashika evaluate SUITE` and `tashika report`: each suite has a command with its own options."""

from __future__ import annotations

import typer

from tashika.core.lazy import SuiteGroup
from tashika.core.options import WORK, SuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named


class EvaluateGroup(SuiteGroup):
    """One command for each suite."""

    room = "evaluate"


app = typer.Typer(cls=EvaluateGroup, no_args_is_help=True, help="Score language models on a release.")
report = typer.Typer(help="Write one page with the tables and figures of all scored models.")


@app.callback()
def evaluate() -> None:
    """Score language models on a release."""


@report.command()
def write(
    suite: SuiteArgument = "myriadlama",
    work: WorkOption = WORK,
) -> None:
    """Write one HTML page with the tables and figures of all models that were scored, and print where it is."""
    from tashika.core.workspace import Workspace

    page = suite_named(suite).load("evaluate").write_report(Workspace(work, suite))
    typer.echo(str(page))
