"""Small items in the form that the builders write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from tashika.core.files import write_rows
from tashika.core.records import JUDGMENT, VERDICT, item_id, item_row, item_schema
from tashika.core.workspace import Workspace

SUITE = "myriadlama"

MANUAL = {
    "P19": (
        "place of birth",
        "Marie Curie",
        "Warsaw",
        ["The birthplace of [X] is [Y].", "Where was [X] born? In [Y]."],
    ),
    "P36": ("capital", "France", "Paris", ["The capital of [X] is [Y].", "[X] is governed from its capital, [Y]."]),
    "P106": (
        "occupation",
        "Ada Lovelace",
        "mathematician",
        ["The occupation of [X] is [Y].", "By trade, [X] is a [Y]."],
    ),
}
PARAPHRASES = {
    "The birthplace of [X] is [Y].": ["[X] has the birthplace [Y].", "Answer: [X] is [Y]."],
    "The capital of [X] is [Y].": ["The capital city of [X] is named [Y].", "[X] plays football in [Y]."],
    "The occupation of [X] is [Y].": ["The main occupation of [X] was [Y].", "[X] met [Y]"],
}
"""Manual template -> a plausible paraphrase and one that is not."""


def template(text: str, relation: str, parent: str | None = None) -> dict[str, Any]:
    label, subject, object_, _ = MANUAL[relation]
    return item_row(
        SUITE,
        "template",
        (relation, text),
        {
            "relation": relation,
            "relation_label": label,
            "relation_description": f"[X] stands in the relation {label} to [Y].",
            "text": text,
            "origin": "paraphrase" if parent else "manual",
            "example": text.replace("[X]", subject).replace("[Y]", object_),
        },
        builder="templates",
        version="1",
        parents=[item_id(SUITE, "template", relation, parent)] if parent else [],
        generation={"model": "m", "prompt_hash": "0" * 64, "sampling": "{}"} if parent else None,
    )


def templates() -> list[dict[str, Any]]:
    """Six manual templates and six paraphrases."""
    rows = []
    for relation, (_, _, _, texts) in MANUAL.items():
        for text in texts:
            rows.append(template(text, relation))
            rows += [template(paraphrase, relation, text) for paraphrase in PARAPHRASES.get(text, [])]
    return rows


def alias(entity: str, label: str, text: str) -> dict[str, Any]:
    payload = {"entity": entity, "entity_label": label, "text": text, "language": "en", "is_label": text == label}
    return item_row(SUITE, "alias", (entity, text), payload, builder="aliases", version="1")


def aliases(count: int = 20) -> list[dict[str, Any]]:
    """Aliases, one of them a bare number, which no simulated person takes for a name."""
    rows = [alias("Q7186", "Marie Curie", text) for text in ("Marie Curie", "Maria Skłodowska-Curie", "1867")]
    return [*rows, *(alias(f"Q{number}", f"Thing {number}", f"Thing {number}") for number in range(100, 97 + count))]


def write_items(workspace: Workspace, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    write_rows(workspace.item_file(kind), sorted(rows, key=lambda row: row["item_id"]), item_schema(SUITE, kind))


def judgment(item: str, annotator: str, label: str | None = "valid", **values: Any) -> dict[str, Any]:
    """A row of `records.JUDGMENT`; the annotation's number orders rows that are not dated."""
    row = {
        "item_id": item,
        "kind": "template",
        "annotator": annotator,
        "label": label,
        "text": None,
        "seconds": None,
        "skipped": False,
        "prefilled": False,
        "created_at": datetime(2024, 6, 17, tzinfo=UTC) + timedelta(seconds=values.get("annotation_id", 0)),
        "problem": None,
        "simulated": False,
        "server": "ls-test",
        "project_id": 1,
        "task_id": 1,
        "annotation_id": 0,
    }
    return {**row, **values}


def judgment_table(*rows: Mapping[str, Any]) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows], schema=JUDGMENT)


def verdict_table(*rows: Mapping[str, Any]) -> pa.Table:
    blank = {
        "kind": "template",
        "text": None,
        "votes_for": 0,
        "votes_against": 0,
        "votes_cast": 0,
        "rule": "strict majority, minimum 2",
        "tie": False,
        "adjudicator": None,
    }
    return pa.Table.from_pylist([{**blank, **row} for row in rows], schema=VERDICT)
