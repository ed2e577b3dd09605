"""TempRIPPLE's prediction table: its columns, and what is computed from it alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.files import read_grown_table
from tashika.evaluate.tempripple.metrics_model import Coverage
from tashika.evaluate.tempripple.questions import Asked, RippleQuestion
from tashika.evaluate.ways.names import Norm
from tashika.evaluate.ways.options import OptionScore, pick

_FIELDS: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("task", pa.string(), nullable=False),
    pa.field("hop", pa.int32(), nullable=False),
    pa.field("place", pa.int32(), nullable=False),
    pa.field("subject", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),
    pa.field("last_relation", pa.string(), nullable=False),
    pa.field("with_context", pa.bool_(), nullable=False),
    pa.field("chosen", pa.int32()),  # the option's place, from 0; null where there is a problem
    pa.field("answer", pa.int32(), nullable=False),
    pa.field("correct", pa.bool_()),
    pa.field("problem", pa.string()),  # why nothing was chosen; null where something was
    pa.field("scores", pa.list_(pa.float64())),  # log-likelihoods in nats, not normalised; null for answers in words
    pa.field("tokens", pa.list_(pa.int32())),  # of each option
    pa.field("characters", pa.list_(pa.int32())),
    pa.field("reply", pa.string()),  # null where options were scored; a line an order
    pa.field("choices", pa.list_(pa.int32())),  # of each order, by the place in the first; null where none are listed
]
PREDICTIONS: Final[pa.Schema] = pa.schema(_FIELDS)
"""One row a question and condition."""


def prediction_table(rows: Sequence[Asked], answers: Iterable[Mapping[str, Any]]) -> pa.Table:
    """The predictions of some questions.

    Args:
        rows: What was asked.
        answers: For each the columns that answering fills, `chosen` and `problem` among them.
    """
    names = [field.name for field in PREDICTIONS if field.name in RippleQuestion._fields]
    filled = []
    for row, columns in zip(rows, answers, strict=True):
        chosen = columns["chosen"]
        known = {name: getattr(row.question, name) for name in names}
        correct = None if chosen is None else chosen == row.question.answer
        filled.append({**known, "with_context": row.with_context, "correct": correct, **columns})
    return pa.Table.from_pylist(filled, schema=PREDICTIONS)


def read_predictions(path: Path) -> pa.Table:
    """A prediction table; those of earlier versions lack `choices`.

    Raises:
        InputError: The file is missing, broken, or has other columns.
    """
    return read_grown_table(path, PREDICTIONS)


def coverage(table: pa.Table) -> Coverage:
    """How many prompts were asked and answered, and why the others were not."""
    problems = Counter(str(problem) for problem in table["problem"].drop_null().to_pylist())
    return Coverage(asked=table.num_rows, answered=table.num_rows - problems.total(), problems=dict(problems))


def normalised(table: pa.Table, norm: Norm) -> pa.Table:
    """Predictions by likelihood with `chosen` and `correct` as of another normalisation."""
    rows = table.to_pylist()
    for row in rows:
        if row["problem"] is None:
            columns = zip(row["scores"], row["tokens"], row["characters"], strict=True)
            row["chosen"] = pick([OptionScore(*values, greedy=False, problem=None) for values in columns], norm)
            row["correct"] = row["chosen"] == row["answer"]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)
