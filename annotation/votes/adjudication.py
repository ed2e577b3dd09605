"""The last word: decisions of a named person that win over the vote."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.lock import alone
from tashika.annotation.labelling import LONGEST_TEXT, FormPage, LabelsPage, Page, RatingPage, TextPage, VotePage
from tashika.core.errors import InputError
from tashika.core.files import read_table, write_rows
from tashika.core.records import DECISIONS, VERDICT
from tashika.core.workspace import Workspace

COLUMNS = ("item_id", "decision", "text", "name")
RULE = "adjudicated"
BETWEEN = "|"
"""What stands between the labels of an item that has several, in a file of decisions."""

_FIELDS: tuple[pa.Field[Any], ...] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("decision", pa.string(), nullable=False),
    pa.field("text", pa.string()),
    pa.field("adjudicator", pa.string(), nullable=False),
    pa.field("recorded_at", pa.timestamp("us", tz="UTC"), nullable=False),
)
ADJUDICATION = pa.schema(_FIELDS)
"""One decision. Append-only: the last one on an item counts."""


def adjudication_file(workspace: Workspace) -> Path:
    """Where the adjudications lie."""
    return workspace.annotation / "adjudications.parquet"


def read_adjudications(workspace: Workspace) -> list[dict[str, Any]]:
    """All adjudications, oldest first; none is no error."""
    path = adjudication_file(workspace)
    return read_table(path, ADJUDICATION).to_pylist() if path.exists() else []


def read_decisions(path: Path, kinds: Mapping[str, Page]) -> Iterator[dict[str, Any]]:
    """Reads a CSV file of decisions.

    Args:
        path: The file, with the columns of `COLUMNS`; `text` may be empty.
        kinds: The page of every item there is, by item id.

    Raises:
        InputError: The file is missing, empty, or a line of it is wrong; the message names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, strict=True)
            columns = tuple(lines.fieldnames or ())
            if columns != COLUMNS:
                message = f"found the columns {', '.join(columns) or '(none)'}; expected {', '.join(COLUMNS)}"
                raise InputError(message, where=f"{path}:1")
            count = 0
            for line in lines:
                count += 1
                yield _decision(line, f"{path}:{lines.line_num}", kinds)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not a CSV file in UTF-8: {error}", where=str(path)) from error
    if not count:
        raise InputError("the file has no decisions", where=str(path))


def _decision(line: Mapping[str, Any], where: str, kinds: Mapping[str, Page]) -> dict[str, Any]:
    if None in line or None in line.values():
        raise InputError(f"expected {len(COLUMNS)} fields", where=where)
    item_id, decision, text, name = (line[column].strip() for column in COLUMNS)
    if item_id not in kinds:
        raise InputError(f"there is no item {item_id!r} among those that people judge", where=where)
    if decision not in DECISIONS:
        raise InputError(f"found the decision {decision!r}; expected {', '.join(DECISIONS)}", where=where)
    if not name:
        raise InputError("the name of the adjudicator is missing", where=where)
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
    if isinstance(page, LabelsPage):
        return page.joined(named)
    return str(page.value(named[0])) if isinstance(page, RatingPage) else named[0]


def adjudicate(workspace: Workspace, path: Path, kinds: Mapping[str, Page]) -> int:
    """Records the decisions of a file; those that stand already are not recorded again.

    Returns:
        The number of new decisions.
    """
    with alone(workspace.annotation):
        return _record(workspace, path, kinds)


def _record(workspace: Workspace, path: Path, kinds: Mapping[str, Page]) -> int:
    recorded = read_adjudications(workspace)
    standing = {row["item_id"]: _content(row) for row in recorded}
    now = datetime.now(UTC)
    count = len(recorded)
    for decision in read_decisions(path, kinds):
        if standing.get(decision["item_id"]) != _content(decision):
            standing[decision["item_id"]] = _content(decision)
            recorded.append({**decision, "recorded_at": now})
    if len(recorded) > count:
        write_rows(adjudication_file(workspace), recorded, ADJUDICATION)
    return len(recorded) - count


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["decision"], row["text"], row["adjudicator"]


def overrule(verdicts: pa.Table, adjudications: list[dict[str, Any]]) -> pa.Table:
    """Puts the last adjudication of each item in the place of its verdict; votes and ties stay visible.

    Args:
        verdicts: Rows of `records.VERDICT`.
        adjudications: Of items of any kind, oldest first; an item without a verdict gets one without votes.

    Returns:
        Rows of `records.VERDICT`, sorted by kind and item.
    """
    last = {row["item_id"]: row for row in adjudications}
    if not last:
        return verdicts.sort_by([("kind", "ascending"), ("item_id", "ascending")])
    rows = {row["item_id"]: row for row in verdicts.to_pylist()}
    for item_id, row in last.items():
        before = rows.get(item_id, {"votes_for": 0, "votes_against": 0, "votes_cast": 0, "tie": False})
        rows[item_id] = {**before, **{name: row[name] for name in ("item_id", "kind", "decision", "text")}}
        rows[item_id] |= {"rule": RULE, "adjudicator": row["adjudicator"], "posterior": None}
    ordered = sorted(rows.values(), key=lambda row: (row["kind"], row["item_id"]))
    return pa.Table.from_pylist(ordered, schema=VERDICT)
