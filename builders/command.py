"""`tashika build SUITE`: each suite's module has the command with its own options."""

from __future__ import annotations

from importlib import import_module

import typer

from tashika.core.suites import SUITES

app = typer.Typer(no_args_is_help=True, help="Make the candidates of a suite.")

for _suite in SUITES.values():
    app.command(_suite.name, short_help=_suite.title)(import_module(f"tashika.builders.{_suite.name}.command").command)


@app.callback()
def build() -> None:
    """Make the candidates of a suite: what people will then judge."""
