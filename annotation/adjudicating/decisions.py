"""The last word: decisions of one person that win over the vote, kept in `annotation/adjudications.parquet`.

They come from a file (`decision_file`) or from the adjudication projects in Label Studio (`pull`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.judging.same import read_same
from tashika.core.counts import counted
from tashika.core.files import read_table, refuse_other_columns, write_rows
from tashika.core.records import VERDICT
from tashika.core.workspace import Workspace

RULE: Final = "adjudicated"
WITHDRAWN: Final = "withdrawn"
"""In the place of a decision: who gave one in Label Studio has skipped the item or deleted the answer since."""

_FIELDS: tuple[pa.Field[Any], ...] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("decision", pa.string(), nullable=False),  # one of records.DECISIONS, or WITHDRAWN
    pa.field("text", pa.string()),
    pa.field("adjudicator", pa.string(), nullable=False),  # a name from a file, or a pseudonym
    pa.field("recorded_at", pa.timestamp("us", tz="UTC"), nullable=False),
)
_OF_LABEL_STUDIO: tuple[pa.Field[Any], ...] = (
    pa.field("note", pa.string()),
    pa.field("audit", pa.bool_()),  # whether the votes had accepted the item and it was drawn to check them
    pa.field("simulated", pa.bool_()),
    pa.field("server", pa.string()),
    pa.field("project_id", pa.int64()),
    pa.field("task_id", pa.int64()),
    pa.field("annotation_id", pa.int64()),
)
ADJUDICATION = pa.schema([*_FIELDS, *_OF_LABEL_STUDIO])
"""One decision. Append-only: the last one on an item counts. The fields of Label Studio are null in those of a file."""

_SHOWN: Final = 3

_NO_VOTES: Final[dict[str, Any]] = {"votes_for": 0, "votes_against": 0, "votes_cast": 0, "tie": False}


def adjudication_file(workspace: Workspace) -> Path:
    """Where the adjudications lie."""
    return workspace.annotation / "adjudications.parquet"


def read_recorded(workspace: Workspace) -> list[dict[str, Any]]:
    """All adjudications that were ever recorded, oldest first, with those taken back; none is no error.

    Raises:
        InputError: The file is none of ours.
    """
    path = adjudication_file(workspace)
    if not path.exists():
        return []
    table = read_table(path)
    if table.schema.names == [field.name for field in _FIELDS]:  # an earlier version's, of files alone
        for field in _OF_LABEL_STUDIO:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    refuse_other_columns(path, table, ADJUDICATION)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def read_adjudications(workspace: Workspace) -> list[dict[str, Any]]:
    """The adjudications, oldest first, without those that were taken back; none is no error."""
    rows: list[dict[str, Any]] = []
    same = read_same(workspace.annotation)
    for recorded in read_recorded(workspace):
        row = {**recorded, "adjudicator": same.name(recorded["adjudicator"])}
        if row["decision"] == WITHDRAWN:
            rows = [earlier for earlier in rows if origin_of(earlier) != origin_of(row)]
        else:
            rows.append(row)
    return rows


def twice_lines(workspace: Workspace) -> list[str]:
    """That items were decided more than once, and not alike: the last decision counts, and nobody saw the others."""
    by_item: dict[str, list[dict[str, Any]]] = {}
    for row in read_adjudications(workspace):
        decided = by_item.setdefault(row["item_id"], [])
        # Whoever decides again has changed his or her mind, and is one voice.
        decided[:] = [*(other for other in decided if other["adjudicator"] != row["adjudicator"]), row]
    several = {
        item: rows for item, rows in by_item.items() if len({(row["decision"], row["text"]) for row in rows}) > 1
    }
    if not several:
        return []
    shown = "; ".join(f"{item}: {_said(rows)}" for item, rows in list(several.items())[:_SHOWN])
    more = f"; and {len(several) - _SHOWN:,} more" if len(several) > _SHOWN else ""
    items = counted(len(several), "item was", "items were")
    return [f"{items} decided by several adjudicators and not alike; the last one counts: {shown}{more}"]


def _said(rows: Iterable[Mapping[str, Any]]) -> str:
    return ", then ".join(
        f"{row['adjudicator']} {row['decision']}" + (f" ({row['text'][:40]!r})" if row["text"] else "") for row in rows
    )


def origin_of(row: Mapping[str, Any]) -> tuple[str, int] | None:
    """The answer in Label Studio that an adjudication comes from; None for one from a file."""
    return None if row.get("server") is None else (row["server"], row["annotation_id"])


def append_adjudications(workspace: Workspace, rows: Iterable[Mapping[str, Any]]) -> int:
    """Adds adjudications, dated now; the caller holds the lock of the folder.

    Returns:
        How many.
    """
    added = [dict(row) for row in rows]
    if added:
        now = datetime.now(UTC)
        blank = dict.fromkeys(ADJUDICATION.names)
        dated = [{**blank, **row, "recorded_at": now} for row in added]
        write_rows(adjudication_file(workspace), [*read_recorded(workspace), *dated], ADJUDICATION)
    return len(added)


def overrule(verdicts: pa.Table, adjudications: Iterable[Mapping[str, Any]]) -> pa.Table:
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
        votes = {name: rows[item_id][name] if item_id in rows else blank for name, blank in _NO_VOTES.items()}
        said = {name: row[name] for name in ("item_id", "kind", "decision", "text", "adjudicator")}
        rows[item_id] = {**votes, **said, "rule": RULE}  # whatever else a verdict has is the votes' and is left empty
    ordered = sorted(rows.values(), key=lambda row: (row["kind"], row["item_id"]))
    return pa.Table.from_pylist(ordered, schema=VERDICT)
