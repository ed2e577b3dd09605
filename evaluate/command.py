"""`tashika evaluate SUITE` and `tashika report`: each suite's module has the command with its own options."""

from __future__ import annotations

from importlib import import_module

import typer

from tashika.core.options import WORK, WorkOption
from tashika.core.suites import SUITES, suite_named
from tashika.core.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Score language models on a release.")
report = typer.Typer(help="Write one page with the tables and figures of all scored models.")

for _suite in SUITES.values():
    app.command(_suite.name, short_help=_suite.title)(import_module(f"tashika.evaluate.{_suite.name}.command").command)


@app.callback()
def evaluate() -> None:
    """Score language models on a release."""


@report.command()
def write(
    suite: str = typer.Argument("myriadlama", help="The suite."),
    work: WorkOption = WORK,
) -> None:
    """Write one HTML page with the tables and figures of all models that were scored, and print where it is."""
    name = suite_named(suite).name
    page = import_module(f"tashika.evaluate.{name}.report").write_report(Workspace(work, name))
    typer.echo(str(page))
