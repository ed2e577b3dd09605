"""What `tashika check` says of a suite file: what is wrong with it, or what it declares; and its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tashika.core.counts import counted
from tashika.core.progress import say

if TYPE_CHECKING:
    from tashika.core.custom.annotate_form import PageForm
    from tashika.core.custom.build_form import KindForm
    from tashika.core.custom.form import SuiteFile
    from tashika.core.custom.release_form import ExportForm

SCHEMA_FILE = "suite.schema.json"
"""What the JSON Schema is called beside a suite file and under `docs/`."""


def schema_text() -> str:
    """The JSON Schema of suite files as it is written to a file."""
    from tashika.core.custom.schema import suite_schema

    return json.dumps(suite_schema(), ensure_ascii=False, indent=2) + "\n"


def check_file(path: Path, quiet: bool = False) -> None:
    """Says everything that is wrong with a suite file, each with its line and key; or what it declares.

    Args:
        path: The suite file.
        quiet: Whether what it declares goes unsaid.

    Raises:
        typer.Exit: Something is wrong with it; with code 2.
    """
    from tashika.core.custom.reading import check_suite_file

    file, problems = check_suite_file(path)
    for problem in problems:
        typer.echo(str(problem))
    if problems or file is None:
        say(f"{path}: {counted(len(problems), 'problem')}")
        raise typer.Exit(2)
    for line in () if quiet else describe(file):
        typer.echo(line)


def describe(file: SuiteFile) -> Iterator[str]:
    """What a suite file declares, a line a section and kind."""
    yield f"[suite] {file.suite.name}: {file.suite.title}"
    for name, kind in file.build.kinds.items():
        columns = ", ".join(f"{column} ({form.type})" for column, form in kind.columns.items())
        yield f"[build] {name}, {_source(kind)}: {columns}; one item for each {' and '.join(kind.key)}"
    for name in file.build.kinds:
        page = file.page(name)
        asked = _asked(page, page.annotators or file.annotate.annotators) if page else "nobody judges it"
        yield f"[annotate] {name}: {asked}"
    parts = _parts(file.export)
    yield f"[export] version {file.export.version}, {file.export.license}: {parts}"
    if file.evaluate is None:
        yield "[evaluate] no model is asked"
    else:
        yield f"[evaluate] {file.evaluate.task} on the {file.evaluate.split} part of {file.evaluated_kind}"


def _parts(export: ExportForm) -> str:
    if not isinstance(export.splits, dict):
        by = f", by the column {export.split_column}" if export.split_column else ""
        return f"{', '.join(export.splits)}{by}"
    return ", ".join(f"{name} {share:.0%}" for name, share in export.splits.items())


def _source(kind: KindForm) -> str:
    if kind.file is not None:
        return f"from {kind.file}"
    if kind.generate is not None:
        return f"written by {kind.generate.model} for each row of {kind.generate.seeds}"
    if kind.sparql is not None:
        return f"by a query to {kind.sparql.endpoint}"
    return f"from the function {kind.function}"


def _asked(page: PageForm, people: int) -> str:
    answers = f" ({', '.join(page.label_names)})" if page.label_names else ""
    drawn = f", on {page.sample} drawn items" if page.mode == "audit" else ""
    return f"{page.form}{answers} by {people} people an item{drawn}"
