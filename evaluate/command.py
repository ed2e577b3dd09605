"""`tashika evaluate SUITE` and `tashika report`: each suite has a command with its own options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help="Also write each table as CSV, LaTeX and Markdown and each figure as SVG and PDF into this folder, "
            "with a copy of the page that links them.",
            file_okay=False,
        ),
    ] = None,
    work: WorkOption = WORK,
) -> None:
    """Write one HTML page with the tables and figures of all models that were scored, and print where it is."""
    from tashika.core.workspace import Workspace

    workspace = Workspace(work, suite)
    write_report = suite_named(suite).load("evaluate").write_report
    if export is None:
        typer.echo(str(write_report(workspace)))
        return
    from tashika.evaluate.reporting.export import export_report

    for path in export_report(lambda: write_report(workspace), export):
        typer.echo(str(path))
