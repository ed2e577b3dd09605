"""TempRIPPLE's prediction table as arrays, checked: what the metrics are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.core.errors import InputError

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Texts = NDArray[np.str_]

AGES: Final = ("new", "old")
TASKS: Final = ("new", "related_new", "old", "related_old")
"""In the order of the paper's Table 2."""

COLUMNS: Final = (
    *("item_id", "task", "hop", "place", "subject", "relation", "last_relation"),
    *("with_context", "chosen", "answer", "correct", "problem"),
)
"""What a prediction table has; one row is one question in one condition."""

_NULLABLE: Final = frozenset({"chosen", "correct", "problem"})


def task_of(age: str, hop: int) -> str:
    """The task that asks this: the changing fact itself, or what hangs on it."""
    return f"related_{age}" if hop else age


@dataclass(frozen=True)
class Answers:
    """A prediction table as arrays, all but the first of shape (n,).

    Attributes:
        items: Ids of the questions, each once, sorted.
        item: The question, from 0.
        age: 0 new, 1 old.
        hop: From 0.
        place: The tenure's place in its history, from 1.
        context: Whether the new fact stood in the context.
        subject: The subject, from 0.
        relation: Ids of the changing properties.
        last_relation: Ids of the properties that are asked for.
        answered: Whether there is an answer.
        right: Whether it is right; false where there is none.
        chosen: The place of the chosen option, -1 where there is none.
        answer: The place of the right one.
        problems: Why there is no answer; empty where there is one.
    """

    items: Texts
    item: Codes
    age: Codes
    hop: Codes
    place: Codes
    context: Flags
    subject: Codes
    relation: Texts
    last_relation: Texts
    answered: Flags
    right: Flags
    chosen: Codes
    answer: Codes
    problems: Texts

    @classmethod
    def of(cls, table: pa.Table, options: int) -> Answers:
        """Reads a table and checks it.

        Raises:
            InputError: It is empty, lacks a column, or contradicts itself.
        """
        _require_columns(table)
        # sums of floats depend on their order: the bytes of the scores shall not depend on that of the rows
        table = table.sort_by([("item_id", "ascending"), ("with_context", "ascending")])
        tasks = _texts(table, "task")
        unknown = sorted({str(task) for task in tasks} - set(TASKS))
        _require(not unknown, f"the task {(unknown or [''])[0]!r} is unknown, expected one of {', '.join(TASKS)}")
        names = _texts(table, "item_id")
        answers = cls(
            items=np.unique(names),
            item=_coded(names),
            age=np.char.endswith(tasks, AGES[1]).astype(np.int64),
            hop=_numbers(table, "hop"),
            place=_numbers(table, "place"),
            context=_flags(table, "with_context"),
            subject=_coded(_texts(table, "subject")),
            relation=_texts(table, "relation"),
            last_relation=_texts(table, "last_relation"),
            answered=~_valid(table, "problem"),
            right=_flags(table, "correct"),
            chosen=_numbers(table, "chosen"),
            answer=_numbers(table, "answer"),
            problems=_texts(table, "problem"),
        )
        related = np.char.startswith(tasks, "related")
        _require(
            bool(((answers.hop > 0) == related).all()), "hop 0 must be a task new or old, and every other hop related"
        )
        _require(int(answers.hop.min()) >= 0, "a hop is below 0")
        _check_answers(table, answers, options)
        _check_pairs(answers)
        return answers

    @cached_property
    def cell(self) -> Codes:
        """Which accuracy a row goes into: age, then hop, then condition, as one number."""
        return (self.age * self.depth + self.hop) * 2 + self.context

    @cached_property
    def depth(self) -> int:
        """How many hops there are, with hop 0."""
        return int(self.hop.max()) + 1

    @cached_property
    def cells(self) -> list[int]:
        """The cells that have questions."""
        return [int(cell) for cell in np.unique(self.cell)]

    @cached_property
    def groups(self) -> list[tuple[str, int, list[int]]]:
        """Age, hop and the two cells (without, with) wherever questions were asked."""
        places = sorted({cell // 2 for cell in self.cells})
        return [(AGES[place // self.depth], place % self.depth, [2 * place, 2 * place + 1]) for place in places]

    @cached_property
    def counts(self) -> dict[int, tuple[int, int, int]]:
        """By cell: asked, answered, right."""
        size = 2 * len(AGES) * self.depth
        sums = [np.bincount(self.cell, weights, size) for weights in (None, self.answered, self.right)]
        return {cell: (int(sums[0][cell]), int(sums[1][cell]), int(sums[2][cell])) for cell in range(size)}


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise InputError(f"the predictions are not sound: {message}", hint="Evaluate the model again.")


def _require_columns(table: pa.Table) -> None:
    missing = [name for name in COLUMNS if name not in table.column_names]
    _require(not missing, f"the column {(missing or [''])[0]!r} is missing")
    _require(table.num_rows > 0, "there are none")
    for name in COLUMNS:
        _require(name in _NULLABLE or table.column(name).null_count == 0, f"the column {name!r} has nulls")


def _check_answers(table: pa.Table, answers: Answers, options: int) -> None:
    for name in ("correct", "chosen"):
        valid = _valid(table, name)
        _require(
            bool((valid == answers.answered).all()), f"{name!r} must be null where there is a problem, and only there"
        )
    chosen, answer = answers.chosen[answers.answered], answers.answer
    _require(
        not len(chosen) or (chosen.min() >= 0 and chosen.max() < options), f"a choice is not among {options} options"
    )
    _require(bool(answer.min() >= 0 and answer.max() < options), f"a right answer is not among {options} options")
    same = (answers.chosen == answers.answer)[answers.answered] == answers.right[answers.answered]
    _require(bool(same.all()), "'correct' does not say whether the chosen option is the answer")


def _check_pairs(answers: Answers) -> None:
    order = np.lexsort((answers.context, answers.item))
    item, context = answers.item[order], answers.context[order]
    pairs = np.flatnonzero(item[1:] == item[:-1])
    _require(bool((context[pairs] != context[pairs + 1]).all()), "a question stands twice in one condition")
    kind = (answers.age * answers.depth + answers.hop)[order]
    _require(bool((kind[pairs] == kind[pairs + 1]).all()), "a question has two tasks or hops")


def _texts(table: pa.Table, name: str) -> Texts:
    values = table.column(name).cast(pa.string()).to_pylist()
    return np.asarray(["" if value is None else str(value) for value in values], dtype=np.str_)


def _numbers(table: pa.Table, name: str) -> Codes:
    values = table.column(name).to_pylist()
    return np.asarray([-1 if value is None else value for value in values], dtype=np.int64)


def _flags(table: pa.Table, name: str) -> Flags:
    return np.asarray([value is True for value in table.column(name).to_pylist()], dtype=np.bool_)


def _valid(table: pa.Table, name: str) -> Flags:
    return np.asarray(table.column(name).is_valid().to_numpy(), dtype=np.bool_)


def _coded(values: Texts) -> Codes:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
