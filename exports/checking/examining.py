"""What `tashika check` does; a module of its own, so that its help needs neither Arrow nor numpy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.custom.command import check_file, schema_text
from tashika.core.custom.reading import suite_path
from tashika.core.errors import InputError, MissingStageError
from tashika.core.inputs import load_settings
from tashika.core.progress import say
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace
from tashika.exports.checking.examined import Examined
from tashika.exports.checking.run import (
    CONTENT,
    Named,
    Result,
    content_checks,
    failed,
    form_checks,
    keep_results,
    name_of,
    run_checks,
    severity_of,
)
from tashika.exports.checks import GENERIC, message_of
from tashika.exports.judgments import JUDGMENT_CHECKS, with_judgments
from tashika.exports.plan import ExportSettings, SuiteExport, suite_export
from tashika.exports.release import Export

_MOST_ROWS: Final = 200_000
"""A draft goes without a product of more rows: what is in it is in the tables that it is a product of."""

_SHOWN: Final = 3
_MARKS: Final = {"passed": "green", "warning": "yellow", "error": "red", "off": "dim", "not run": "dim"}


@dataclass(frozen=True)
class Request:
    """What the command line asks for.

    Attributes:
        suite: A suite's name or file; empty where none is given.
        only: The checks to run; empty for all.
        listed: Whether the checks are listed and not run.
        as_json: Whether the results are printed as JSON.
        schema: Whether the JSON Schema of suite files is printed, and nothing else done.
        work: The working directory.
        config: The settings; None for those of the build.
    """

    suite: str
    only: Sequence[str]
    listed: bool
    as_json: bool
    schema: bool
    work: Path
    config: Path | None


def examine(request: Request) -> None:
    """Prints what is wrong with a suite file, and with the release that the suite would come to.

    Raises:
        InputError: Something is wrong with them, or there is no such suite or check.
        MissingStageError: There are no items or verdicts yet.
    """
    if request.schema:
        typer.echo(schema_text(), nl=False)
        return
    if not request.suite:
        raise InputError("no suite is given", hint="Run `tashika check SUITE`, `tashika check FILE` or with --schema.")
    path = suite_path(request.suite)
    if path is not None:
        check_file(path, quiet=request.as_json or request.listed)
    workspace = Workspace(request.work, open_suite(request.suite).name)
    module = suite_export(workspace.suite)
    settings = load_settings(workspace, "export", module.settings, request.config)
    if request.listed:
        _show_list(module, settings)
        return
    try:
        plan = with_judgments(module.plan(workspace, settings), module, workspace, settings)
    except MissingStageError as error:
        if path is None or request.only:
            raise
        say(f"the release is not checked yet: {error.message}")
        return
    _examine_release(Export(workspace, settings, module, plan), request)


def _examine_release(export: Export, request: Request) -> None:
    with _examined(export) as examined:
        checks = [*form_checks(examined.release, [*JUDGMENT_CHECKS, *export.suite.checks]), *content_checks(examined)]
        results = run_checks(_chosen(checks, request.only))
        if not request.only and not examined.unwritten:
            keep_results(export.workspace, examined.draft.record, results)
    _print_json(export, results) if request.as_json else _show(results)
    _require_passed(results)


@contextmanager
def _examined(export: Export) -> Iterator[Examined]:
    """The release in its place, where it is what an export would write; else a draft, which is removed afterwards."""
    draft = export.written()
    if draft is not None:
        say(f"checks of the release {draft.record['version']}: {draft.folder}")
        yield export.examined(draft)
        return
    unwritten = _too_large(export)
    folder = export.workspace.base / "check.part"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        draft = export.sketched(folder, unwritten)
        say("checks of what an export would write now")
        if unwritten:
            say(f"without {', '.join(unwritten)}: too large for a look; the export runs the checks of them")
        yield export.examined(draft, unwritten)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _too_large(export: Export) -> list[str]:
    configs = export.suite.configs
    rows = {name: sum(file.rows for file in export.plan.files if file.config == name) for name in configs}
    large = any(config.product and rows[name] > _MOST_ROWS for name, config in configs.items())
    # A part of a product cannot be checked without the whole of it.
    return [name for name, config in configs.items() if large and config.product and rows[name]]


def _chosen(checks: Sequence[Named], names: Sequence[str]) -> list[Named]:
    known = {check.name: check for check in checks}
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"Did you mean {close[0]}? " if close else ""
            raise InputError(f"there is no check {name!r}", hint=f"{meant}`tashika check SUITE --list` shows all.")
    return [known[name] for name in names] if names else list(checks)


def _show_list(module: SuiteExport, settings: ExportSettings) -> None:
    table = Table("check", "severity", "what must hold")
    for form in (*GENERIC, *JUDGMENT_CHECKS, *module.checks):
        table.add_row(name_of(form), "error", message_of(form))
    for content in CONTENT:
        table.add_row(name_of(content), severity_of(content, settings.checks), message_of(content))
    Console().print(table)


def _show(results: Sequence[Result]) -> None:
    """The results as a table; what passed is a line."""
    from rich.markup import escape

    table = Table("check", "result", "found")
    for result in results:
        mark = f"[{_MARKS[result.outcome]}]{result.outcome}[/]"
        table.add_row(result.check, mark, escape(_found(result)), end_section=bool(result.problems))
    Console().print(table)
    counts = {outcome: sum(result.outcome == outcome for result in results) for outcome in _MARKS}
    say(", ".join(f"{outcome}: {count}" for outcome, count in counts.items() if count))


def _found(result: Result) -> str:
    if not result.problems:
        return ""
    lines = [result.message]
    lines += [
        f"{problem.file}{f', item {problem.item}' if problem.item else ''}: {problem.found}"
        for problem in result.problems[:_SHOWN]
    ]
    left = result.count - min(_SHOWN, len(result.problems))
    return "\n".join([*lines, *([f"and {left:,} more"] if left else [])])


def _print_json(export: Export, results: Sequence[Result]) -> None:
    content: dict[str, Any] = {
        "suite": export.suite.suite,
        "version": export.settings.version,
        "checks": [asdict(result) for result in results],
    }
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2))


def _require_passed(results: Sequence[Result]) -> None:
    wrong = failed(results)
    if wrong:
        names = ", ".join(result.check for result in wrong)
        hint = "A release with such errors is not written; `[export.checks]` says how severe each check is."
        raise InputError(f"{len(wrong)} of {len(results)} checks failed: {names}", hint=hint)
