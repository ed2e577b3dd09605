"""`tashika evaluate SUITE` and `tashika report`: each suite has a command with its own options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tashika.core.lazy import SuiteGroup
from tashika.core.options import WORK, OptionalSuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named


class EvaluateGroup(SuiteGroup):
    """One command for each suite."""

    room = "evaluate"


app = typer.Typer(cls=EvaluateGroup, no_args_is_help=True, help="Score language models on a release.")
report = typer.Typer(help="Write one page with the tables and figures of all scored models, or one over all suites.")


@app.callback()
def evaluate() -> None:
    """Score language models on a release."""


def _write_results(suite: str, work: Path, folder: Path | None, repo: str | None) -> None:
    """Writes the scores for other places, where that is asked for."""
    from tashika.core.errors import InputError

    if folder is None:
        if repo is not None:
            raise InputError("found --repo without --results", hint="It says where the release of the results lies.")
        return
    from tashika.core.progress import say
    from tashika.core.workspace import Workspace
    from tashika.evaluate.reporting.results_out import source_of, write_results

    workspace = Workspace(work, suite)
    written = write_results(workspace, folder, source_of(workspace, repo))
    for remark in written.remarks:
        say(remark)
    for file in written.files:
        typer.echo(str(file))


def _write_index(work: Path, others: Mapping[str, object]) -> None:
    """Writes the page over all suites."""
    from tashika.core.errors import InputError

    given = [option for option, value in others.items() if value is not None]
    if given:
        hint = "Name a suite, such as `tashika report myriadlama`."
        raise InputError(f"found {given[0]} without a suite, whose scores it writes", hint=hint)
    from tashika.evaluate.reporting.overall.page import write_index

    typer.echo(str(write_index(work)))


@report.command()
def write(
    suite: OptionalSuiteArgument = None,
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
    results: Annotated[
        Path | None,
        typer.Option(
            "--results",
            help="Also write the scores of all models into this folder as other places take them: files for "
            ".eval_results of models on the Hub, and records of Every Eval Ever.",
            file_okay=False,
        ),
    ] = None,
    repo: Annotated[
        str | None,
        typer.Option(
            "--repo", help="With --results: the dataset's repository, ORG/NAME; by default `repo` of [export]."
        ),
    ] = None,
) -> None:
    """Write one HTML page with the tables and figures of all models that were scored, and print where it is.

    Without a suite: an index page over all suites of the working directory, `report.html`, with what is done, stale and
    next, the numbers of items and the main score of each model. `tashika status` says the same in the terminal.
    """
    if suite is None:
        _write_index(work, {"--export": export, "--results": results, "--repo": repo})
        return
    _write_results(suite, work, results, repo)
    from tashika.core.workspace import Workspace

    workspace = Workspace(work, suite)
    write_report = suite_named(suite).load("evaluate").write_report
    if export is None:
        typer.echo(str(write_report(workspace)))
        return
    from tashika.evaluate.reporting.export import export_report

    for path in export_report(lambda: write_report(workspace), export):
        typer.echo(str(path))
