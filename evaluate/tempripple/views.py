"""What the page shows of the numbers by kind of question: rows of its tables, ready to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tashika.evaluate.tempripple.answers import TASKS
from tashika.evaluate.tempripple.metrics_model import RippleMetrics
from tashika.evaluate.tempripple.splits_model import Bias, ControlScore, Given, Lured, LureTest, Splits, SplitScore

TASK_NAMES: Final = {
    "new": "New facts",
    "related_new": "Related to new facts",
    "old": "Old facts",
    "related_old": "Related to old facts",
}
VALUES: Final[Mapping[str, Sequence[str]]] = {
    "counterpart": ("differs", "same", "none"),
    "certainty": ("certain", "likely", "unknown"),
}
"""Splits whose values stand beside each other; those of the others stand below each other."""


@dataclass(frozen=True)
class SplitRow:
    """A task: for each value the scores without and with context, None where nothing was asked."""

    name: str
    scores: list[SplitScore | None]


@dataclass(frozen=True)
class LureRow:
    """A task and hop: how often the other side's answer was chosen without and with context, and the test."""

    name: str
    without: Lured | None
    with_: Lured | None
    test: LureTest | None


@dataclass(frozen=True)
class GivenRow:
    """A task and counterpart: right answers by what hop 0 was, without and with context."""

    name: str
    without: Given | None
    with_: Given | None


@dataclass(frozen=True)
class Sides:
    """One model's numbers by kind of question.

    Attributes:
        option_sets: Where wrong options come from; empty where the release does not say.
        counterparts: Accuracy by counterpart.
        certainties: Accuracy by certainty.
        given: Accuracy on related facts by hop 0.
        lures: How often the other side's answer was chosen.
        eras: Accuracy on hop 0 by when the new fact began: the heading, the value, and the row.
        cutoff: The last day of the model's training data.
        bias: What the letters did.
        controls: By condition.
    """

    option_sets: list[str]
    counterparts: list[SplitRow]
    certainties: list[SplitRow]
    given: list[GivenRow]
    lures: list[LureRow]
    eras: list[SplitRow]
    cutoff: str | None
    bias: Bias | None
    controls: Mapping[str, list[tuple[str, ControlScore]]]

    @classmethod
    def of(cls, metrics: RippleMetrics) -> Sides:
        """Of one model; empty where its numbers are of an earlier version."""
        splits = metrics.splits or Splits(
            option_sets=[], cutoff=None, months=1, scores=[], given=[], lures=[], lure_tests=[]
        )
        return cls(
            splits.option_sets,
            _beside(splits.scores, "counterpart"),
            _beside(splits.scores, "certainty"),
            _given(splits.given),
            _lures(splits),
            _eras(splits.scores),
            splits.cutoff,
            metrics.bias,
            _controls(metrics.controls),
        )

    @property
    def old_lure(self) -> LureRow | None:
        """The new object as the answer to questions on old facts."""
        return next((row for row in self.lures if row.name == TASK_NAMES["old"]), None)


def task_name(task: str, hop: int | None = 0) -> str:
    """A task in words, and its hop where that says more."""
    return TASK_NAMES[task] + (f", hop {hop}" if hop else "")


def _beside(scores: Sequence[SplitScore], split: str) -> list[SplitRow]:
    known = {(one.value, one.task, one.hop, one.with_context): one for one in scores if one.split == split}
    places = dict.fromkeys((task, hop) for _, task, hop, _ in known)
    return [
        SplitRow(
            task_name(task, hop),
            [known.get((value, task, hop, with_context)) for value in VALUES[split] for with_context in (False, True)],
        )
        for task, hop in sorted(places, key=lambda place: (TASKS.index(place[0]), place[1] or 0))
        if split == "counterpart" or hop != 0
    ]


def _eras(scores: Sequence[SplitScore]) -> list[SplitRow]:
    """New and old facts by when the new one began, values below each other."""
    known = {(one.split, one.value, one.task, one.with_context): one for one in scores if one.split not in VALUES}
    headings = {"cutoff": "began {} the model's last day", "began": "began in {}"}
    shown = dict.fromkeys((split, value) for split, value, _, _ in known)
    return [
        SplitRow(
            headings[split].format(value),
            [known.get((split, value, task, with_context)) for task in TASKS for with_context in (False, True)],
        )
        for split, value in shown
    ]


def _given(rows: Iterable[Given]) -> list[GivenRow]:
    known = {(row.value, row.task, row.with_context): row for row in rows if row.hop is None}
    shown = {
        "all": "all",
        "differs": "the other side's answer differs",
        "same": "it is the same",
        "none": "it has none",
    }
    return [
        GivenRow(f"{TASK_NAMES[task]}: {shown[value]}", known.get((value, task, False)), known.get((value, task, True)))
        for task in TASKS
        for value in shown
        if {(value, task, False), (value, task, True)} & known.keys()
    ]


def _lures(splits: Splits) -> list[LureRow]:
    known = {(row.task, row.hop, row.with_context): row for row in splits.lures}
    tests = {(row.task, row.hop): row for row in splits.lure_tests}
    return [
        LureRow(
            task_name(task, hop) + (", all hops" if hop is None else ""),
            known.get((task, hop, False)),
            known.get((task, hop, True)),
            tests.get((task, hop)),
        )
        for task, hop in dict.fromkeys((task, hop) for task, hop, _ in known)
    ]


def _controls(rows: Iterable[ControlScore]) -> dict[str, list[tuple[str, ControlScore]]]:
    by_condition: dict[str, list[tuple[str, ControlScore]]] = {}
    for row in sorted(rows, key=lambda row: (TASKS.index(row.task), row.hop)):
        by_condition.setdefault(row.condition, []).append((task_name(row.task, row.hop), row))
    return by_condition


def shared_values(models: Sequence[Sides]) -> dict[str, Any]:
    """What the page says once for all models."""
    return {
        "split_values": VALUES,
        "option_sets": sorted({name for model in models for name in model.option_sets}),
        "any_lures": any(row for model in models for row in model.lures),
        "any_splits": any(model.counterparts for model in models),
        "any_bias": any(model.bias for model in models),
        "any_controls": any(model.controls for model in models),
    }
