"""What the parts of the KUCI evaluation hand each other: a question, and the table of what a model said to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.kuci import Conditions, Split

Doubles = npt.NDArray[np.float64]
Logits = npt.NDArray[np.float32]
"""(questions, options): what a model gives each option before the softmax; NaN throughout where it has no answer."""


class Question(NamedTuple):
    """A context with its four options.

    Attributes:
        item_id: The question's id.
        context: The antecedent.
        options: Four consequents.
        answer: The right one's place, from 0.
    """

    item_id: str
    context: str
    options: tuple[str, ...]
    answer: int


def check_questions(train: Sequence[Question], validation: Sequence[Question]) -> None:
    """Whether something can be trained on these questions.

    Raises:
        InputError: There are none, or their options differ in number.
    """
    for name, questions in (("training", train), ("validation", validation)):
        if not questions:
            raise InputError(f"there are no {name} questions", hint="Build more questions; the split is 8:1:1.")
    counts = {len(question.options) for question in (*train, *validation)}
    if len(counts) > 1:
        raise InputError(f"the questions have different numbers of options: {sorted(counts)}")


def log_softmax(logits: npt.ArrayLike) -> Doubles:
    """The logarithm of the softmax over the last axis."""
    values = np.asarray(logits, dtype=np.float64)
    values = values - values.max(axis=-1, keepdims=True)
    return np.asarray(values - np.log(np.exp(values).sum(axis=-1, keepdims=True)))


_PREDICTION: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("split", pa.string(), nullable=False),  # one of core.kuci.SPLITS
    pa.field("set", pa.string(), nullable=False),  # one of core.kuci.CONDITIONS
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
