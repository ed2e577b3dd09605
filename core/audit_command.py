"""`tashika audit`: who has done what in a working directory, and whether the log is whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tashika.core.audit import audit_file, chained, own_name, read_audit
from tashika.core.counts import counted
from tashika.core.errors import InputError, TashikaError
from tashika.core.options import WORK, OptionalSuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.stages import short
from tashika.core.workspace import Workspace

app = typer.Typer()


@app.command()
def audit(
    suite: OptionalSuiteArgument = None,
    work: WorkOption = WORK,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the lines of the log as they are, for programs.")
    ] = False,
) -> None:
    """Show who has done what in a suite's folder, and whether the log of it is whole; exit code 2 if it is not.

    Each suite's folder has a log, audit.jsonl, to which every stage, push, pull, decision and publication adds a line
    with the digest of the line before. Whoever works is called what TASHIKA_WHO says, or by a pseudonym. A chain that
    holds shows that no line was lost or changed by mistake; keep its last digest elsewhere to show that nobody wrote
    all of it anew.
    """
    names = [suite] if suite else sorted(path.parent.name for path in work.glob("*/audit.jsonl"))
    broken: list[TashikaError] = []
    for name in names:
        base = Workspace(work, name).base
        try:
            entries = read_audit(base)
        except InputError as error:
            broken.append(error)
            continue
        if as_json:
            for entry in entries:
                typer.echo(json.dumps(entry, ensure_ascii=False, sort_keys=True))
            continue
        if entries:
            Console().print(_table(name, entries))
            lines = counted(len(entries), "line")
            typer.echo(f"{audit_file(base)}: {lines}, the chain holds; its last digest is {chained(entries[-1])}")
    if not names or (suite and not audit_file(Workspace(work, suite).base).exists()):
        say(f"nothing was logged in {work} yet")
    for other in broken[1:]:
        say(f"error: {other}")
    if broken:
        raise broken[0]


def _table(suite: str, entries: list[dict[str, Any]]) -> Table:
    table = Table(title=suite, box=SIMPLE, padding=0)
    table.add_column("line", justify="right")
    table.add_column("when (UTC)", no_wrap=True)
    for heading in ("who", "what", "counts"):
        table.add_column(heading, overflow="fold")
    me = own_name()
    for number, entry in enumerate(entries, start=1):
        who = "you" if entry["who"] == me else str(entry["who"])
        when = str(entry["at"])[:16].replace("T", " ")
        table.add_row(str(number), when, who, str(entry["what"]), _details(entry))
    return table


def _details(entry: Mapping[str, Any]) -> str:
    """What a line says besides: counts, facts that a person can read, and pseudonyms."""
    facts = [f"{name} {value}" for name, value in (entry.get("facts") or {}).items() if name != "fingerprint"]
    people = entry.get("people") or (["people who were forgotten"] if "people_digest" in entry else [])
    return "; ".join(filter(None, [short(entry["counts"]) if entry["counts"] else "", *facts, ", ".join(people)]))
