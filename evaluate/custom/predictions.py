"""The predictions of every task: one row a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from tashika.evaluate.custom.prompts import Asked

_FIELDS: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("expected", pa.string()),  # the right answer, for a reader
    pa.field("answer", pa.string()),  # the model's; null where it gave none
    pa.field("correct", pa.bool_()),  # null where nothing was asked or nothing is right
    pa.field("place", pa.int32()),  # of the chosen option
    pa.field("scores", pa.list_(pa.float64())),  # log-likelihoods of the options, in nats
    pa.field("rank", pa.int32()),  # of the best right word among all tokens, from 1
    pa.field("score", pa.float64()),  # a judge's
    pa.field("reply", pa.string()),
    pa.field("judgement", pa.string()),  # the judge's reply
    pa.field("problem", pa.string()),  # why there is no answer, or why it could not be read
]
PREDICTIONS: Final[pa.Schema] = pa.schema(_FIELDS)
"""A question that could not be asked (too long, no single token) has a problem and is neither right nor wrong; a reply
that was given and cannot be read has a problem and is wrong."""


def prediction_table(asked: Sequence[Asked], columns: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Predictions from the questions and what came of each."""
    rows = [
        {"item_id": one.item_id, "expected": one.expected, **found} for one, found in zip(asked, columns, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


def chosen(asked: Asked, place: int | None, problem: str | None = None, **more: Any) -> dict[str, Any]:
    """What came of a question with options.

    Args:
        asked: The question.
        place: Of the option that was chosen; None where there is a problem.
        problem: Why none was.
        **more: Other columns.
    """
    answer = asked.names[place] if place is not None else None
    correct = place == asked.place if place is not None else None
    return {"place": place, "answer": answer, "correct": correct, "problem": problem, **more}


def problems_of(table: pa.Table) -> dict[str, int]:
    """Why questions have no answer, and how many."""
    return dict(sorted(Counter(why for why in table["problem"].to_pylist() if why is not None).items()))
