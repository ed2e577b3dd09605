"""`tashika check`: what is wrong with a suite file, and with the release that the suite would come to."""

from __future__ import annotations

from typing import Annotated

import typer

from tashika.core.completing import complete_suite
from tashika.core.options import WORK, ConfigOption, WorkOption

app = typer.Typer(add_completion=False)


@app.command()
def check(
    suite: Annotated[
        str,
        typer.Argument(
            help="A suite: a name such as kuci, or a suite file such as riddles.toml, or a folder with a suite.toml.",
            show_default=False,
            autocompletion=complete_suite,
        ),
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Run this check alone; may be repeated.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the checks with their severity and what must hold, and exit.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of suite files for an editor, and exit.")
    ] = False,
    work: WorkOption = WORK,
    config: ConfigOption = None,
) -> None:
    """Say what is wrong with a suite file, and with the release before it is written.

    For a suite file: all that is wrong with it, with line and key, or what it declares. Then, as soon
    as there are items and verdicts: the release in its place, or what an export would write now, by all checks. Exits
    with code 2 where something is wrong; warnings alone are no error.
    """
    from tashika.exports.checking.examining import Request, examine

    examine(Request(suite, only or (), listed=listed, as_json=as_json, schema=schema, work=work, config=config))
