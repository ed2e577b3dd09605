"""What the parts of the KUCI evaluation hand each other: a question, and the table of what a model said to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.suites.kuci.words import Conditions, Split
from tashika.evaluate.ways.questions import Question

_PREDICTION: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("split", pa.string(), nullable=False),  # one of core.suites.kuci.words.SPLITS
    pa.field("set", pa.string(), nullable=False),  # one of core.suites.kuci.words.CONDITIONS
    pa.field("answer", pa.int32(), nullable=False),  # the right option's place, from 0
    pa.field("choice", pa.int32()),  # the model's; null: it has none, see problem
    pa.field("correct", pa.bool_()),  # null as choice
    pa.field("scores", pa.list_(pa.float32())),  # of the options, the highest wins; null as choice
    pa.field("problem", pa.string()),  # why there is no choice
)
PREDICTION: Final = pa.schema(_PREDICTION)
"""`predictions.parquet`: a row a question, in the questions' order."""


def prediction_table(
    questions: Sequence[Question],
    scores: npt.NDArray[np.floating[Any]],
    split: Split,
    conditions: Conditions,
    problem: str = "a score is not a number",
) -> pa.Table:
    """The choices of a model as a table; the highest score wins, of equal ones the first.

    Args:
        questions: What was asked.
        scores: (questions, options); a question with a score that is no finite number has no choice.
        split: The part of the release.
        conditions: Its set.
        problem: What is said of a question without a choice.
    """
    rows = []
    for question, row in zip(questions, np.asarray(scores, dtype=np.float32), strict=True):
        sound = bool(np.isfinite(row).all())
        choice = int(row.argmax()) if sound else None
        rows.append(
            {
                "item_id": question.item_id,
                "split": split,
                "set": conditions,
                "answer": question.answer,
                "choice": choice,
                "correct": choice == question.answer if sound else None,
                "scores": row.tolist() if sound else None,
                "problem": None if sound else problem,
            }
        )
    return pa.Table.from_pylist(rows, schema=PREDICTION)
