"""Votes that people gave on the items of a suite file, written as a pull writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.labelstudio.client import Task
from tashika.core.workspace import Workspace

Vote = str | None | Mapping[str, Any]
"""A label (or a text where people write), None for a skip, or fields of `records.JUDGMENT`."""

PEOPLE = ("annotator-ada", "annotator-grace", "annotator-alan", "annotator-kurt")


def judge(workspace: Workspace, kind: str, votes: Sequence[Sequence[Vote]], *, field: str = "label") -> list[str]:
    """Writes what people said of the items of a kind, in the order of the table; gives the items."""
    ids = [str(item) for item in workspace.read_items(kind)["item_id"].to_pylist()]
    write_pushed(workspace, kind, "ls", 1, [Task(number, item, frozenset()) for number, item in enumerate(ids)])
    rows = [
        _row(item, kind, person, vote, field)
        for item, said in zip(ids, votes, strict=True)
        for person, vote in zip(PEOPLE, said, strict=False)
    ]
    append_judgments(workspace, rows)
    return ids


def _row(item: str, kind: str, person: str, vote: Vote, field: str) -> dict[str, Any]:
    number = PEOPLE.index(person)
    blank = {
        "item_id": item, "kind": kind, "annotator": person, "label": None, "text": None, "seconds": None,
        "skipped": vote is None, "prefilled": False, "problem": None, "simulated": False, "server": "ls-other",
        "created_at": datetime(2024, 6, 17, tzinfo=UTC) + timedelta(minutes=number),
        "project_id": 1, "task_id": 1, "annotation_id": number, "note": None,
    }  # fmt: skip
    return {**blank, **(vote if isinstance(vote, Mapping) else {field: vote})}
