"""`tashika build SUITE`: each suite has a command with its own options."""

from __future__ import annotations

import typer

from tashika.core.lazy import SuiteGroup


class BuildGroup(SuiteGroup):
    """One command for each suite."""

    room = "builders"


app = typer.Typer(cls=BuildGroup, no_args_is_help=True, help="Make the candidates of a suite.")


@app.callback()
def build() -> None:
    """Make the candidates of a suite: what people will then judge."""
