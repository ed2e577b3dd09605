"""`tashika status`: what has been done in a working directory, what is stale, and the command for what is next."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError
from tashika.core.options import WORK, OptionalSuiteArgument, WorkOption
from tashika.core.overview.manifests import read_manifest
from tashika.core.overview.steps import Progress, Step
from tashika.core.overview.suites import Placed, suites_in
from tashika.core.stages import short
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

app = typer.Typer()

_STYLES: Final = {"done": "green", "stale": "yellow", "open": "", "left out": "dim"}
_MARKS: Final = {"done": "done", "stale": "stale", "open": "·", "left out": "–"}

JsonOption = Annotated[bool, typer.Option("--json", help="Print the same as JSON, for programs.")]


@app.command()
def status(suite: OptionalSuiteArgument = None, work: WorkOption = WORK, as_json: JsonOption = False) -> None:
    """Show for every suite which steps are done, which are stale, and the command for the next one.

    A step is stale where a file that it read or wrote has changed since, or another version of Tashika made it. With a
    suite: each step with what it came to, and the finished stages with their counts.
    """
    placed = [Placed(Workspace(work, suite), suite_named(suite))] if suite else suites_in(work)
    if as_json:
        typer.echo(json.dumps(overview(work, placed), ensure_ascii=False, indent=2))
    elif suite:
        _print_suite(Progress(placed[0].workspace, suite_named(suite)))
    elif placed:
        _print_all(work, placed)
    else:
        demo = f"tashika demo{'' if work == WORK else f' --work {shlex.quote(str(work))}'}"
        typer.echo(f"Nothing has been done in {work} yet. `{demo}` shows all steps.")


def overview(work: Path, placed: list[Placed]) -> dict[str, Any]:
    """The state of a working directory as plain values.

    Args:
        work: The working directory.
        placed: Its suites.
    """
    return {"work": str(work), "suites": [_plain(one) for one in placed]}


def _plain(placed: Placed) -> dict[str, Any]:
    if placed.suite is None:
        return {"suite": placed.workspace.suite, "problem": placed.problem}
    progress = Progress(placed.workspace, placed.suite)
    release = progress.release
    following = progress.next
    return {
        "suite": placed.suite.name,
        "title": placed.suite.title,
        "argument": placed.workspace.argument,
        "steps": [asdict(step) for step in progress.steps],
        "next": following.command if following else None,
        "kinds": [asdict(kind) for kind in progress.kinds],
        "release": {name: release.get(name) for name in ("version", "digest", "counts", "simulated")}
        if release
        else None,
        "scored": list(progress.scored),
        "page": str(progress.page) if progress.page.is_file() else None,
    }


def _print_all(work: Path, placed: list[Placed]) -> None:
    console = Console(highlight=False)
    known = [Progress(one.workspace, one.suite) for one in placed if one.suite is not None]
    if known:
        table = Table("suite", *(step.name for step in known[0].steps), title=str(work), box=SIMPLE, padding=0)
        for progress in known:
            table.add_row(progress.suite.name, *(_cell(step, progress.next) for step in progress.steps))
        console.print(table)
    for line in (line for progress in known for line in _next_lines(progress)):
        typer.echo(line)
    for one in placed:
        if one.suite is None:
            typer.echo(f"{one.workspace.suite}: {one.problem}")


def _cell(step: Step, following: Step | None) -> str:
    word = "next" if step is following and step.state == "open" else _MARKS[step.state]
    style = "bold" if word == "next" else _STYLES[step.state]
    return f"[{style}]{word}[/]" if style else word


def _next_lines(progress: Progress) -> Iterator[str]:
    """What is stale and why, and the next command."""
    following = progress.next
    for step in progress.steps:
        if step.state == "stale" and step is not following:
            yield f"{progress.suite.name}: {step.name} is stale: {step.note}"
    if following is None:
        yield f"{progress.suite.name}: all is done; the scores: {progress.page}"
        return
    stale = " is stale" if following.state == "stale" else ""
    note = f": {following.note}" if following.note else ""
    yield f"{progress.suite.name}: next, {following.name}{stale}{note}"
    yield f"    {following.command}"


def _print_suite(progress: Progress) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{progress.suite.name}: {progress.suite.title}", markup=False)
    width = max(len(step.name) for step in progress.steps)
    for step in progress.steps:
        console.print(f"  {step.name:<{width}}  {step.state:<8}  {step.note}".rstrip(), markup=False)
    rows = list(_stage_rows(progress.workspace))
    if rows:
        table = Table(box=SIMPLE, padding=0)
        table.add_column("stage", overflow="fold")  # names that begin alike differ at their end
        for heading in ("day", "seconds", "counts"):
            table.add_column(heading)
        for row in rows:
            table.add_row(*row)
        Console(highlight=False).print(table)
    following = progress.next
    console.print(f"next: {following.command}" if following else "all is done", markup=False)


def _stage_rows(workspace: Workspace) -> Iterator[tuple[str, str, str, str]]:
    """The finished stages: the name, the day, the seconds that they took, and their counts."""
    for path in sorted(workspace.base.rglob("*.manifest.json")):
        folder = path.parent.relative_to(workspace.base).as_posix()
        name = path.name.removesuffix(".manifest.json")
        shown = name if folder == "." else f"{folder}: {name}"
        try:
            manifest = read_manifest(path)
        except InputError as error:
            yield shown, "", "", error.message
            continue
        yield shown, str(manifest.get("day", "")), str(manifest.get("seconds", "")), short(manifest["counts"])
