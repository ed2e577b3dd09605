"""`tashika diff`: what differs between two versions of a release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from tashika.core.completing import complete_release
from tashika.core.options import WORK, WorkOption

diff = typer.Typer()


@diff.command()
def diff_versions(
    before: Annotated[
        str,
        typer.Argument(
            help="A release: its folder, ORG/NAME@TAG on the Hub, or a suite. A suite alone is compared with its "
            "version before.",
            autocompletion=complete_release,
        ),
    ],
    after: Annotated[
        str | None, typer.Argument(help="The newer release, in the same ways.", autocompletion=complete_release)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all ids as JSON.")] = False,
    examples: Annotated[int, typer.Option("--examples", min=0, help="How many items to show of each group.")] = 3,
    work: WorkOption = WORK,
) -> None:
    """Say what differs between two versions of a release: items added, dropped and changed, by kind and reason.

    Nothing is written. An export that raises the version writes the same into the release, as CHANGES.md.
    """
    from tashika.exports.versions.comparison import compare
    from tashika.exports.versions.sources import former_of, version_of

    with ExitStack() as stack:
        newer = stack.enter_context(version_of(after or before, work))
        if after is None:
            former = former_of(before, work)
            changes = compare(former.release, newer, former.fates, examples)
        else:
            changes = compare(stack.enter_context(version_of(before, work)), newer, examples=examples)
    if as_json:
        typer.echo(json.dumps(_as_json(changes), ensure_ascii=False, indent=2))
    else:
        _show(changes)


def _as_json(changes: Any) -> Mapping[str, Any]:
    from dataclasses import asdict

    return {**asdict(changes), "same_rows": changes.is_empty}


def _show(changes: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    from tashika.exports.versions.showing import detail_lines, headline, table_rows

    console = Console()
    table = Table("", *changes.versions, "added", "dropped", "changed", title=changes.suite)
    for row in table_rows(changes):
        table.add_row(*row)
    console.print(table)
    for line in [headline(changes), *detail_lines(changes)]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
