"""TempRIPPLE's numbers by kind of question: pure functions of predictions and of what the release says of questions.

Whether a new fact spreads shows where the new and the old object lead to different answers, and where the model has
taken the fact in; whether it displaces what was so before shows in the choice of the new object where that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final

import numpy as np

from tashika.evaluate.statistics.inference import cluster_bootstrap, holm, mcnemar_exact
from tashika.evaluate.tempripple.answers import AGES, TASKS, Answers, Codes, Flags, Texts
from tashika.evaluate.tempripple.facets import Facets, since_cutoff, stretch
from tashika.evaluate.tempripple.splits_model import Splits

COUNTERPARTS: Final = ("differs", "same", "none")


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn: see `MeasureSettings`."""

    resamples: int = 2000
    seed: int = 0
    level: float = 0.95


@dataclass(frozen=True)
class Era:
    """The model's own time.

    Attributes:
        cutoff: The last day of its training data; None where it is not known.
        months: How long a stretch of the window is.
    """

    cutoff: date | None = None
    months: int = 3


DRAWS: Final = Resampling()
NOT_KNOWN: Final = Era()


@dataclass(frozen=True)
class Split:
    """Answers with their questions' facets.

    Attributes:
        answers: Of both conditions.
        facets: By the question's id; a question that is not there has none.
        era: The model's own time.
        resampling: Of intervals.
    """

    answers: Answers
    facets: Mapping[str, Facets]
    era: Era = NOT_KNOWN
    resampling: Resampling = DRAWS

    @cached_property
    def _of_items(self) -> list[Facets]:
        return [self.facets.get(str(item), Facets()) for item in self.answers.items]

    def labels(self, split: str) -> Texts:
        """The value of a split in each row, (n,); empty where there is none."""
        values = [_value(facets, split, self.era) for facets in self._of_items]
        return np.asarray(values, dtype=np.str_)[self.answers.item]

    @cached_property
    def lure(self) -> Codes:
        """The place of the lure in each row, (n,); -1 where none is offered."""
        places = [-1 if facets.lure is None else facets.lure for facets in self._of_items]
        return np.asarray(places, dtype=np.int64)[self.answers.item]

    @property
    def option_sets(self) -> list[str]:
        """Where wrong options come from."""
        return sorted({facets.option_set for facets in self._of_items} - {""})

    def groups(self, *, pooled_only: bool = False) -> Iterator[tuple[str, int | None, bool, Flags]]:
        """Yields task, hop, condition and its rows; all hops of a related task together go before each by itself."""
        answers = self.answers
        for task in TASKS:
            of_task = (answers.age == AGES.index(task.removeprefix("related_"))) & (
                (answers.hop > 0) == task.startswith("related_")
            )
            hops: list[int | None] = [0]
            if task.startswith("related_"):
                hops = [None] if pooled_only else [None, *range(1, answers.depth)]
            for hop in hops:
                at_hop = of_task if hop is None else of_task & (answers.hop == hop)
                for with_context in (False, True):
                    yield task, hop, with_context, at_hop & (answers.context == with_context)

    def interval(self, rows: Flags, right: Flags) -> dict[str, float] | None:
        """The interval of the share of `right` among `rows`, over subjects."""
        draws = self.resampling
        found = cluster_bootstrap(
            self.answers.subject[rows],
            right[rows].astype(float),
            np.ones(int(rows.sum())),
            resamples=draws.resamples,
            seed=draws.seed,
            level=draws.level,
        )
        return found._asdict() if found else None


def _value(facets: Facets, split: str, era: Era) -> str:
    """A question's value of a split; empty where there is none."""
    if split == "cutoff":
        return since_cutoff(facets.began, era.cutoff)
    if split == "began":
        return stretch(facets.began, era.months)
    return facets.certainty if split == "certainty" else facets.counterpart


def compute_splits(split: Split) -> Splits:
    """All numbers by kind of question."""
    lures = list(_lures(split))
    tests = list(_lure_tests(split))
    for test, adjusted in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["p_holm"] = adjusted
    return Splits.model_validate(
        {
            "option_sets": split.option_sets,
            "cutoff": split.era.cutoff.isoformat() if split.era.cutoff else None,
            "months": split.era.months,
            "scores": [row for name in ("counterpart", "certainty", "cutoff", "began") for row in _scores(split, name)],
            "given": list(_given(split)),
            "lures": lures,
            "lure_tests": tests,
        }
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _scores(split: Split, name: str) -> Iterator[dict[str, Any]]:
    answers, labels = split.answers, split.labels(name)
    for value in sorted(set(labels.tolist()) - {""}):
        for task, hop, with_context, rows in split.groups(pooled_only=name in {"cutoff", "began"}):
            asked = rows & (labels == value)
            if not asked.any():
                continue
            known = asked & answers.answered
            right, answered = int(answers.right[known].sum()), int(known.sum())
            yield {
                "split": name,
                "value": value,
                "task": task,
                "hop": hop,
                "with_context": with_context,
                "n": int(asked.sum()),
                "answered": answered,
                "correct": right,
                "accuracy": _share(right, answered),
                "interval": split.interval(known, answers.right),
            }


def tenure_outcomes(answers: Answers) -> Codes:
    """Of each row whether its tenure was named right at hop 0 in the same condition: 1, 0, or -1 if nobody knows."""
    keys = list(
        zip(
            answers.relation.tolist(),
            answers.subject.tolist(),
            answers.place.tolist(),
            answers.context.tolist(),
            strict=True,
        )
    )
    named = {
        keys[row]: int(answers.right[row]) for row in np.flatnonzero((answers.hop == 0) & answers.answered).tolist()
    }
    return np.asarray([named.get(key, -1) for key in keys], dtype=np.int64)


def _given(split: Split) -> Iterator[dict[str, Any]]:
    answers, labels, before = split.answers, split.labels("counterpart"), tenure_outcomes(split.answers)
    values: Sequence[str] = ("all", *(value for value in COUNTERPARTS if (labels == value).any()))
    for value in values:
        for task, hop, with_context, rows in split.groups():
            if not task.startswith("related_"):
                continue
            known = rows & answers.answered & ((labels == value) | (value == "all"))
            after_right, after_wrong = known & (before == 1), known & (before == 0)
            if not (after_right.any() or after_wrong.any()):
                continue
            counts = [(int(some.sum()), int(answers.right[some].sum())) for some in (after_right, after_wrong)]
            yield {
                "value": value,
                "task": task,
                "hop": hop,
                "with_context": with_context,
                "after_right": counts[0][0],
                "right_after_right": counts[0][1],
                "share": _share(counts[0][1], counts[0][0]),
                "interval": split.interval(after_right, answers.right),
                "after_wrong": counts[1][0],
                "right_after_wrong": counts[1][1],
                "share_after_wrong": _share(counts[1][1], counts[1][0]),
            }


def _lures(split: Split) -> Iterator[dict[str, Any]]:
    answers, chosen = split.answers, split.answers.chosen == split.lure
    for task, hop, with_context, rows in split.groups():
        offered = rows & (split.lure >= 0)
        if not offered.any():
            continue
        known = offered & answers.answered
        answered, right, lured = (int(flags.sum()) for flags in (known, answers.right & known, chosen & known))
        yield {
            "task": task,
            "hop": hop,
            "with_context": with_context,
            "offered": int(offered.sum()),
            "answered": answered,
            "correct": right,
            "lured": lured,
            "rate": _share(lured, answered),
            "interval": split.interval(known, chosen),
            "of_wrong": _share(lured, answered - right),
        }


def _lure_tests(split: Split) -> Iterator[dict[str, Any]]:
    """The lure with against without context: paired by question."""
    answers, count = split.answers, len(split.answers.items)
    chosen = np.full((count, 2), -1, dtype=np.int64)
    known = answers.answered & (split.lure >= 0)
    chosen[answers.item[known], answers.context[known].astype(int)] = (answers.chosen == split.lure)[known]
    subject = np.zeros(count, dtype=np.int64)
    subject[answers.item] = answers.subject
    for task, hop, with_context, rows in split.groups():
        items = np.unique(answers.item[rows & (split.lure >= 0)])
        if with_context or not len(items):
            continue
        both = items[(chosen[items] >= 0).all(axis=1)]
        change = chosen[both, 1] - chosen[both, 0]
        into, out_of = int((change > 0).sum()), int((change < 0).sum())
        draws = split.resampling
        interval = cluster_bootstrap(
            subject[both], change, np.ones(len(both)), resamples=draws.resamples, seed=draws.seed, level=draws.level
        )
        yield {
            "task": task,
            "hop": hop,
            "both": len(both),
            "delta": _share(into - out_of, len(both)),
            "interval": interval._asdict() if interval else None,
            "into": into,
            "out_of": out_of,
            "p": mcnemar_exact(out_of, into) if len(both) else None,
        }
