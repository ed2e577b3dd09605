"""Decisions of a named person from a CSV file, such as the one that `annotate undecided --csv` writes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.annotation.adjudicating.decisions import adjudication_file, append_adjudications, read_adjudications
from tashika.annotation.judging.lock import alone
from tashika.annotation.labelling import LONGEST_TEXT, FormPage, LabelsPage, Page, TextPage, VotePage
from tashika.annotation.votes.single import label_text
from tashika.core.audit import file_digests, record
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.records import DECISIONS
from tashika.core.workspace import Workspace

COLUMNS: Final = ("item_id", "decision", "text", "name")
"""What the file must have; other columns are not read."""

BETWEEN: Final = "|"
"""What stands between the labels of an item that has several."""

_SHOWN: Final = 20
"""How many wrong lines an error names."""


@dataclass(frozen=True)
class Recorded:
    """What was taken over from a file.

    Attributes:
        new: Decisions that did not stand already.
        blank: Lines without a decision.
    """

    new: int
    blank: int


def read_decisions(path: Path, kinds: Mapping[str, Page], name: str = "") -> Iterator[dict[str, Any] | None]:
    """Reads a CSV file of decisions.

    Args:
        path: The file, with the columns of `COLUMNS` among others; `text` may be empty.
        kinds: The page of every item there is, by item id.
        name: Who decided, for lines that leave it empty.

    Yields:
        A decision, or None for a line that leaves the decision and the text empty.

    Raises:
        InputError: The file is missing, empty, or lines of it are wrong or decide the same item again; the message
            names each, after all were read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, strict=True)
            columns = tuple(lines.fieldnames or ())
            _check_columns(columns, f"{path}:1")
            decided, wrong = dict[str, int](), list[InputError]()
            for line in lines:
                where = f"{path}:{lines.line_num}"
                try:
                    decision = _decision(line, where, kinds, name, len(columns))
                    if decision is not None:
                        _refuse_second(decision["item_id"], decided, where)
                except InputError as error:
                    wrong.append(error)
                    continue
                if decision is not None:
                    decided[decision["item_id"]] = lines.line_num
                yield decision
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not a CSV file in UTF-8: {error}", where=str(path)) from error
    if wrong:
        raise _all_of(wrong)
    if not decided:
        hint = f"Write {', '.join(DECISIONS)} into the column `decision` of at least one line."
        raise InputError("the file has no decisions", where=str(path), hint=hint)


def _refuse_second(item_id: str, decided: Mapping[str, int], where: str) -> None:
    """Refuses a second decision on an item, since either may be meant."""
    if item_id in decided:
        hint = "Leave one of the two lines."
        raise InputError(f"the item {item_id} is decided in line {decided[item_id]} already", where=where, hint=hint)


def _all_of(wrong: Sequence[InputError]) -> InputError:
    """One error that names every wrong line, up to a screenful."""
    if len(wrong) == 1:
        return wrong[0]
    lines = [f"{error.where}: {error.message}" for error in wrong[:_SHOWN]]
    if len(wrong) > _SHOWN:
        lines.append(f"and {counted(len(wrong) - _SHOWN, 'line')} more")
    hints = dict.fromkeys(error.hint for error in wrong if error.hint)
    return InputError("\n".join(lines), hint="\n  ".join(hints) or "Fix these lines; nothing was recorded.")


def _check_columns(columns: Sequence[str], where: str) -> None:
    missing = [column for column in COLUMNS if column not in columns]
    doubled = [column for column in COLUMNS if columns.count(column) > 1]
    if missing or doubled:
        expected = f"{', '.join(COLUMNS)}, each once; others beside them are not read"
        named = ", ".join(columns) or "(none)"
        raise InputError(f"found the columns {named}; expected {expected}", where=where)


def _decision(
    line: Mapping[str, Any], where: str, kinds: Mapping[str, Page], default: str, fields: int
) -> dict[str, Any] | None:
    if None in line or None in line.values():
        raise InputError(f"expected {fields} fields", where=where)
    item_id, decision, text, name = (line[column].strip() for column in COLUMNS)
    if not (decision or text):
        return None
    name = name or default
    if item_id not in kinds:
        raise InputError(f"there is no item {item_id!r} among those that people judge", where=where)
    if decision not in DECISIONS:
        raise InputError(f"found the decision {decision!r}; expected {', '.join(DECISIONS)}", where=where)
    if not name:
        hint = "Write it into the column `name`, or give it to all lines with --name."
        raise InputError("the name of the adjudicator is missing", where=where, hint=hint)
    page = kinds[item_id]
    if isinstance(page, FormPage):
        text = _label(text, decision, page, where)
    wrong = text and _wrong_text(text, page)
    if wrong:
        raise InputError(f"{wrong}: {text[:80]!r}", where=where)
    return {"item_id": item_id, "kind": page.kind, "decision": decision, "text": text or None, "adjudicator": name}


def _wrong_text(text: str, page: Page) -> str | None:
    if len(text) > LONGEST_TEXT:
        return "text too long"
    takes_text = isinstance(page, VotePage) and page.text_control
    return page.check_text(text) if takes_text or isinstance(page, FormPage | TextPage) else "no text here"


def _label(text: str, decision: str, page: FormPage, where: str) -> str:
    """What an item is by a decision, as its verdict has it: the label, the labels joined, or the number of a point."""
    several = isinstance(page, LabelsPage)
    named = [part.strip() for part in (re.split(rf"[{BETWEEN}\n]", text) if several else [text]) if part.strip()]
    expected = f"{'one or more' if several else 'one'} of {', '.join(map(repr, page.labels))}"
    if decision != "accepted":
        if named:
            raise InputError(
                f"found the text {text[:80]!r} with {decision!r}; only what is accepted has one", where=where
            )
        return ""
    if not named:
        raise InputError(f"the text of what is accepted says what it is; expected {expected}", where=where)
    unknown = [name for name in named if name not in page.labels]
    if unknown:
        hint = f"Labels are parted by {BETWEEN!r}." if several else None
        raise InputError(f"found the text {unknown[0][:80]!r}; expected {expected}", where=where, hint=hint)
    return label_text(page, named)


def adjudicate(
    workspace: Workspace, path: Path, kinds: Mapping[str, Page], name: str = "", *, dry: bool = False
) -> Recorded:
    """Records the decisions of a file; those that stand already are not recorded again.

    Args:
        workspace: Where the adjudications lie.
        path: See `read_decisions`, as for `kinds` and `name`.
        kinds: The page of every item there is.
        name: Who decided, for lines that leave it empty.
        dry: Only count what would be recorded.
    """
    with alone(workspace.annotation):
        standing = {row["item_id"]: _content(row) for row in read_adjudications(workspace)}
        new, blank = [], 0
        for decision in read_decisions(path, kinds, name):
            if decision is None:
                blank += 1
            elif standing.get(decision["item_id"]) != _content(decision):
                standing[decision["item_id"]] = _content(decision)
                new.append(decision)
        if new and not dry:
            append_adjudications(workspace, new)
            digests = file_digests(workspace.base, [adjudication_file(workspace)])
            record(workspace.base, "annotate-adjudicate", {"decisions": len(new)}, digests=digests)
        return Recorded(len(new), blank)


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["decision"], row["text"], row["adjudicator"]
