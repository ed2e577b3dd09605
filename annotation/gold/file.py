"""The file of gold questions: items whose answer a curator knows, with the reason, one a line.

It is a CSV file with the columns item_id, answer and explanation; others, such as those with which `sheet` helps the
curator, are not read.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.questionnaires import eligible_items
from tashika.annotation.labelling import (
    LONGEST_TEXT,
    SEVERAL,
    AnswerPage,
    ChoicePage,
    FormPage,
    Known,
    LabelsPage,
    Page,
    Row,
    WordsPage,
)
from tashika.annotation.settings import AnnotateSettings
from tashika.core.counts import counted
from tashika.core.custom.reading import inside
from tashika.core.errors import InputError
from tashika.core.inputs import build_settings_file
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

COLUMNS: Final = ("item_id", "answer", "explanation")
BETWEEN: Final = "|"
"""What stands between the labels, or the words, of an answer that has several."""

_SHOWN: Final = 20
"""Wrong lines that an error names."""

Line = tuple[str, dict[str, str]]
"""Where it stands, as file:line; and its cells by column."""


def gold_file(workspace: Workspace, settings: AnnotateSettings, config: Path | None) -> Path | None:
    """Where the file of gold questions lies; None where the settings name none.

    Args:
        workspace: Of the suite.
        settings: Which name it.
        config: The settings file, if the command line gives one.

    Raises:
        ConfigError: A suite file names one outside its folder.
    """
    name = settings.gold.file
    if name is None:
        return None
    suite = suite_named(workspace.suite)
    if suite.own_settings("annotate") is not None:
        return inside(suite.config_file.parent, name)
    return (config or build_settings_file(workspace) or suite.config_file).parent / name


def with_gold(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, config: Path | None
) -> list[Page]:
    """The pages with what the file of gold questions says of their items.

    Args:
        workspace: Where the items lie.
        pages: One a kind.
        settings: Which name the file.
        config: See `gold_file`.

    Raises:
        InputError: The file is missing, or lines of it are wrong; the message names each.
        MissingStageError: The items have not been built.
    """
    path = gold_file(workspace, settings, config)
    if path is None:
        return list(pages)
    by_kind = read_gold(path, workspace, pages, settings.gold.training)
    return [replace(page, gold=by_kind.get(page.kind, {})) for page in pages]


def read_gold(
    path: Path, workspace: Workspace, pages: Sequence[Page], training: int = 0
) -> dict[str, dict[str, Known]]:
    """Reads a file of gold questions: what is known, by kind and item, in the order of the file.

    Args:
        path: The file.
        workspace: Where the items lie.
        pages: One a kind.
        training: How many of the explained ones of each kind are for training.

    Raises:
        InputError: As `with_gold`.
    """
    lines = list(_lines(path))
    wanted = {cells["item_id"] for _, cells in lines}
    items = {row["item_id"]: (page, row) for page in pages for row in _rows(workspace, page, wanted)}
    by_kind: dict[str, dict[str, Known]] = {}
    seen: dict[str, str] = {}
    wrong: list[str] = []
    for where, cells in lines:
        item_id, explanation = cells["item_id"], cells["explanation"]
        problem = _wrong_item(item_id, items, seen)
        if problem is None:
            page, row = items[item_id]
            seen[item_id] = where.rpartition(":")[2]
            answer, problem = read_known(cells["answer"], page, row)
            if answer is not None:
                of_kind = by_kind.setdefault(page.kind, {})
                trained = sum(known.trains for known in of_kind.values())
                of_kind[item_id] = Known(answer, explanation, trains=bool(explanation) and trained < training)
        if problem is not None:
            wrong.append(f"{where}: {problem}")
    if wrong:
        raise InputError(
            _listed(wrong), hint="Fix or delete these lines; `tashika annotate gold --help` explains them."
        )
    return by_kind


def _listed(wrong: Sequence[str]) -> str:
    more = len(wrong) - _SHOWN
    return "\n".join([*wrong[:_SHOWN], *([f"and {counted(more, 'line')} more"] if more > 0 else [])])


def _lines(path: Path) -> Iterator[Line]:
    """Yields the lines that are not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            columns = list(reader.fieldnames or ())
            if not {"item_id", "answer"} <= set(columns) or len(set(columns)) < len(columns):
                named = ", ".join(columns) or "(none)"
                message = f"found the columns {named}; expected {', '.join(COLUMNS)}, each once and parted by commas"
                raise InputError(message, where=f"{path}:1")
            for line in reader:
                cells = {name: (line.get(name) or "").strip() for name in COLUMNS}
                if None in line:
                    raise InputError(f"expected {len(columns)} fields", where=f"{path}:{reader.line_num}")
                if any(cells.values()):
                    yield f"{path}:{reader.line_num}", cells
    except FileNotFoundError as error:
        hint = "`tashika annotate gold SUITE --out FILE` writes one to fill in."
        raise InputError("there is no such file of gold questions", where=str(path), hint=hint) from error
    except (UnicodeDecodeError, csv.Error, IsADirectoryError) as error:
        raise InputError(f"not a CSV file in UTF-8: {error}", where=str(path)) from error


def _rows(workspace: Workspace, page: Page, wanted: set[str]) -> list[Row]:
    """The items of a page that the file may name."""
    table = eligible_items(page, workspace.read_items(page.kind))
    rows: list[Any] = table.filter(
        compute.is_in(table["item_id"], value_set=pa.array(sorted(wanted), pa.string()))
    ).to_pylist()
    return rows


def _wrong_item(item_id: str, items: Mapping[str, Any], seen: Mapping[str, str]) -> str | None:
    if not item_id:
        return "the item_id is empty"
    if item_id in seen:
        return f"the item {item_id} stands in line {seen[item_id]} already"
    return None if item_id in items else f"there is no item {item_id!r} among those that people judge"


def read_known(answer: str, page: Page, row: Row) -> tuple[str | None, str | None]:
    """The answer in the form of `records.JUDGMENT`, and what is wrong with it; one of the two is None.

    Args:
        answer: As the file has it: a choice, a label or its words on the page, labels or words with `BETWEEN` between
            them, a point, the column of a preference, or a text.
        page: The page.
        row: The item. Where it has a known answer of its own, such as in the column of `gold`, that may be left out.
    """
    own = page.right_choice(row) if isinstance(page, AnswerPage) else page.known(row)
    if own is not None and not answer:
        return own, None
    if not answer:
        return None, "the answer is empty"
    said, problem = _read(page)(answer)
    if problem is None and own is not None and own != said:
        return None, f"found the answer {answer!r}, but the item itself says {own!r}"
    return said, problem


def _read(page: Page) -> Callable[[str], tuple[str | None, str | None]]:
    def read_choice(answer: str) -> tuple[str | None, str | None]:
        choices = _named(page)
        if answer in choices:
            return choices[answer], None
        return None, f"found the answer {answer!r}; expected {_expected(page)}"

    def read_labels(answer: str) -> tuple[str | None, str | None]:
        assert isinstance(page, LabelsPage)
        read = [read_choice(part) for part in _parts(answer)]
        problem = next((problem for _, problem in read if problem), None)
        if not read:
            return read_choice(answer)
        return (None, problem) if problem else (page.joined(str(label) for label, _ in read), None)

    def read_text(answer: str) -> tuple[str | None, str | None]:
        problem = "text too long" if len(answer) > LONGEST_TEXT else page.check_text(answer)
        return (None, f"{problem}: {answer[:80]!r}") if problem else (answer, None)

    def read_words(answer: str) -> tuple[str | None, str | None]:
        parts = _parts(answer)
        problems = [problem for part in parts for _, problem in [read_text(part)] if problem]
        if not parts:
            return read_choice(answer)
        return (None, problems[0]) if problems else (SEVERAL.join(parts), None)

    if isinstance(page, LabelsPage):
        return read_labels
    if isinstance(page, WordsPage):
        return read_words
    return read_choice if isinstance(page, ChoicePage) else read_text


def _parts(answer: str) -> list[str]:
    return [part.strip() for part in answer.split(BETWEEN) if part.strip()]


def _named(page: Page) -> dict[str, str]:
    """What an answer may be called, and what a judgment has for it."""
    if isinstance(page, FormPage):
        return {
            **{page.words.get(label, label): label for label in page.labels},
            **{name: name for name in page.labels},
        }
    return {choice: choice for choice in page.choices} if isinstance(page, ChoicePage) else {}


def _expected(page: Page) -> str:
    """What an answer may be, in words; the labels as the page has them."""
    if isinstance(page, ChoicePage):
        names = page.labels if isinstance(page, FormPage) else list(page.choices)
        return f" {BETWEEN} ".join(names) if isinstance(page, LabelsPage) else " or ".join(map(repr, names))
    return f"words with {BETWEEN} between them" if isinstance(page, WordsPage) else "a text"


def answers_expected(page: Page) -> str:
    """What an answer may be, as the sheet to fill in says it."""
    if isinstance(page, LabelsPage):
        return f"{_expected(page)} (one or more, with {BETWEEN} between them)"
    return (
        " or ".join(page.labels if isinstance(page, FormPage) else page.choices)
        if isinstance(page, ChoicePage)
        else _expected(page)
    )
