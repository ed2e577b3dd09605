"""The table of what a system chose, question by question and training run by training run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.suites.kuci.words import Conditions, Split
from tashika.evaluate.ways.questions import Question

_FIELDS: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("split", pa.string(), nullable=False),  # one of core.suites.kuci.words.SPLITS
    pa.field("set", pa.string(), nullable=False),  # one of core.suites.kuci.words.CONDITIONS
    pa.field("answer", pa.int32(), nullable=False),  # the right option's place, from 0
    pa.field("choice", pa.int32()),  # the system's; null: it has none, see problem
    pa.field("correct", pa.bool_()),  # null as choice
    pa.field("scores", pa.list_(pa.float32())),  # of the options, the highest wins; null as choice
    pa.field("problem", pa.string()),  # why there is no choice
    pa.field("seed", pa.int32(), nullable=False),  # of the training run; 0 where nothing was trained
)
PREDICTIONS: Final = pa.schema(_FIELDS)
"""`predictions.parquet`: a row a question and training run, in the questions' order."""


def scored_table(
    questions: Sequence[Question],
    scores: npt.NDArray[np.floating[Any]],
    *,
    split: Split,
    conditions: Conditions,
    seed: int,
    problems: str | Sequence[str | None],
) -> pa.Table:
    """The choices of a system that scores the options; the highest score wins, of equal ones the first.

    Args:
        questions: What was asked.
        scores: (questions, options); a question with a score that is no finite number has no choice.
        split: The part of the release.
        conditions: Its set.
        seed: Of the training run.
        problems: Why a question has no choice: the same for all, or one for each.
    """
    rows = list(np.asarray(scores, dtype=np.float32))
    sound = [bool(np.isfinite(row).all()) for row in rows]
    reasons = [problems] * len(questions) if isinstance(problems, str) else problems
    return choice_table(
        questions,
        [int(row.argmax()) if fine else None for row, fine in zip(rows, sound, strict=True)],
        [None if fine else reason for reason, fine in zip(reasons, sound, strict=True)],
        split=split,
        conditions=conditions,
        seed=seed,
        scores=[row.tolist() if fine else None for row, fine in zip(rows, sound, strict=True)],
    )


def choice_table(
    questions: Sequence[Question],
    choices: Sequence[int | None],
    problems: Sequence[str | None],
    *,
    split: Split,
    conditions: Conditions,
    seed: int,
    scores: Sequence[list[float] | None] | None = None,
) -> pa.Table:
    """The choices of a system as a table.

    Args:
        questions: What was asked.
        choices: The option's place; None where there is none.
        problems: Why there is none.
        split: The part of the release.
        conditions: Its set.
        seed: Of the training run.
        scores: Of the options; None where the system gives none.
    """
    rows = [
        {
            "item_id": question.item_id,
            "split": split,
            "set": conditions,
            "answer": question.answer,
            "choice": choice,
            "correct": None if choice is None else choice == question.answer,
            "scores": own,
            "problem": problem,
            "seed": seed,
        }
        for question, choice, problem, own in zip(
            questions, choices, problems, scores or [None] * len(questions), strict=True
        )
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)
