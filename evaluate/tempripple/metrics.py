"""TempRIPPLE's numbers from its prediction table (Niwa, Kaneko and Inui, sections 3 and 4): pure functions.

An accuracy is over the questions that were answered; those without an answer (`problem` says why) are counted apart,
and `accuracy_all` counts them as wrong. Intervals come from a bootstrap over subjects, since the questions on one
subject hang together. The tests follow the paper and take questions as independent, so their p is rather too small;
Holm's correction is within a family: all tests of one kind of one model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.evaluate.statistics.inference import (
    Floats,
    cluster_replicates,
    fisher_exact,
    holm,
    mcnemar_exact,
    mcnemar_mid_p,
    percentile_interval,
    point_biserial,
)
from tashika.evaluate.tempripple.answers import AGES, TASKS, Answers, Codes, Flags, Texts, task_of
from tashika.evaluate.tempripple.bias import letter_bias
from tashika.evaluate.tempripple.facets import Facets
from tashika.evaluate.tempripple.metrics_model import RippleNumbers
from tashika.evaluate.tempripple.splits import NOT_KNOWN, Era, Resampling, Split, compute_splits

CONDITIONS: Final = ("without", "with")
"""The new fact in the context: without, with."""


@dataclass(frozen=True)
class MeasureSettings:
    """What the numbers depend on beside the predictions.

    Attributes:
        options: Of a question; chance is one of them.
        resamples: Draws of the bootstrap.
        seed: Of the bootstrap.
        level: What an interval holds.
        alpha: Below which p a difference is marked.
    """

    options: int = 4
    resamples: int = 2000
    seed: int = 0
    level: float = 0.95
    alpha: float = 0.05


def compute_numbers(
    table: pa.Table,
    durations: Mapping[str, float],
    settings: MeasureSettings = MeasureSettings(),
    facets: Mapping[str, Facets] = MappingProxyType({}),
    era: Era = NOT_KNOWN,
) -> RippleNumbers:
    """All numbers of one model.

    Args:
        table: Predictions with `COLUMNS`, one row a (question, condition), in any order.
        durations: Mean years of a tenure, by changing property; a property that is not named is left out of the
            correlations, and counted there.
        settings: See `MeasureSettings`.
        facets: What the release says of its questions, by id.
        era: The model's own time.

    Returns:
        The numbers, None where there is nothing to compute.

    Raises:
        InputError: The table is empty, lacks a column, or contradicts itself.
    """
    answers = Answers.of(table, settings.options)
    contexts, hops, correlations = _contexts(answers), _hops(answers), _durations(answers, durations)
    for family in (contexts, hops, correlations):
        for test, adjusted in zip(family, holm([test["p"] for test in family]), strict=True):
            test["p_holm"] = adjusted
    cells = [_cell(answers, place) for place in answers.cells]
    _add_intervals(answers, cells, contexts, settings)
    families = {"contexts": contexts, "hops": hops, "durations": correlations}
    draws = Resampling(settings.resamples, settings.seed, settings.level)
    sizes = {name: sum(test["p"] is not None for test in family) for name, family in families.items()}
    return RippleNumbers.model_validate(
        {
            "questions": len(np.unique(answers.item)),
            "subjects": int(answers.subject.max()) + 1,
            "n": len(answers.item),
            "answered": int(answers.answered.sum()),
            "chance": 1 / settings.options,
            "cells": cells,
            **families,
            "by_relation": _by_relation(answers, durations),
            "by_last_relation": _by_name(answers, answers.last_relation, answers.hop > 0),
            "problems": _problems(answers),
            "places": _places(answers, settings.options),
            "statistics": {**asdict(settings), "tests": sizes},
            "splits": compute_splits(Split(answers, facets, era, draws)),
            "bias": letter_bias(table, settings.options),
        }
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _score(asked: int, answered: int, right: int) -> dict[str, Any]:
    return {"n": asked, "answered": answered, "correct": right, "accuracy": _share(right, answered)}


def _cell(answers: Answers, cell: int) -> dict[str, Any]:
    age, hop = AGES[cell // 2 // answers.depth], cell // 2 % answers.depth
    asked, answered, right = answers.counts[cell]
    return {
        "task": task_of(age, hop),
        "hop": hop,
        "with_context": bool(cell % 2),
        **_score(asked, answered, right),
        "unanswered": asked - answered,
        "accuracy_all": _share(right, asked),
        "subjects": len(np.unique(answers.subject[answers.cell == cell])),
    }


def _contexts(answers: Answers) -> list[dict[str, Any]]:
    """With against without context: what each question's answer became, over those answered both ways (McNemar)."""
    state = np.full((int(answers.item.max()) + 1, 2), -1, dtype=np.int64)
    state[answers.item, answers.context.astype(int)] = np.where(answers.answered, answers.right, -1)
    place = np.zeros(len(state), dtype=np.int64)
    place[answers.item] = answers.cell // 2
    rows = []
    for age, hop, (without, with_) in answers.groups:
        before, after = state[place == without // 2].T
        both = (before >= 0) & (after >= 0)
        retained, lost, gained, missed = (
            int((both & (before == first) & (after == second)).sum())
            for first, second in ((1, 1), (1, 0), (0, 1), (0, 0))
        )
        tested = bool(both.any())
        rows.append(
            {
                "task": task_of(age, hop),
                "hop": hop,
                "delta": _difference(_accuracy(answers, with_), _accuracy(answers, without)),
                "both": int(both.sum()),
                "retained": retained,  # right without and with
                "lost": lost,  # right without, wrong with
                "gained": gained,  # wrong without, right with
                "missed": missed,  # wrong without and with
                "p": mcnemar_exact(lost, gained) if tested else None,
                "p_mid": mcnemar_mid_p(lost, gained) if tested else None,
            }
        )
    return rows


def _accuracy(answers: Answers, cell: int) -> float | None:
    _, answered, right = answers.counts[cell]
    return _share(right, answered)


def _difference(second: float | None, first: float | None) -> float | None:
    return None if first is None or second is None else second - first


def _hops(answers: Answers) -> list[dict[str, Any]]:
    """Each hop against the hop before, of the same age and condition (Fisher)."""
    rows = []
    for age, hop, cells in answers.groups:
        for cell in cells:
            before = answers.counts[cell - 2] if hop else (0, 0, 0)
            here = answers.counts[cell]
            if not before[0] or not here[0]:
                continue
            counts = [[right, answered - right] for _, answered, right in (before, here)]
            tested = bool(before[1] and here[1])
            rows.append(
                {
                    "task": task_of(age, hop),
                    "hop": hop,
                    "with_context": bool(cell % 2),
                    "delta": _difference(_accuracy(answers, cell), _accuracy(answers, cell - 2)),
                    "counts": counts,  # a row a hop, the one before first; right, wrong
                    "p": fisher_exact(counts) if tested else None,
                }
            )
    return rows


def _durations(answers: Answers, durations: Mapping[str, float]) -> list[dict[str, Any]]:
    """Is a model more often right about what lasts? Over hop 0: mean years of the property against right or wrong."""
    years = np.array([durations.get(str(name), np.nan) for name in answers.relation])
    rows = []
    for age in range(len(AGES)):
        for context in (False, True):
            asked = (answers.age == age) & (answers.hop == 0) & (answers.context == context) & answers.answered
            if not asked.any():
                continue
            used = asked & np.isfinite(years)
            correlation = point_biserial(years[used], answers.right[used])
            rows.append(
                {
                    "task": AGES[age],
                    "with_context": context,
                    "n": int(used.sum()),
                    "left_out": int((asked & ~used).sum()),
                    "properties": len(np.unique(answers.relation[used])),
                    "r": correlation.r if correlation else None,
                    "p": correlation.p if correlation else None,
                }
            )
    return rows


def _add_intervals(
    answers: Answers, cells: list[dict[str, Any]], contexts: list[dict[str, Any]], settings: MeasureSettings
) -> None:
    """Adds `interval` to each accuracy and each difference. All come from the same draws of subjects."""
    size, subjects = 2 * len(AGES) * answers.depth, int(answers.subject.max()) + 1
    place = answers.subject * size + answers.cell
    sums: list[Floats] = [
        np.bincount(place, flags, subjects * size).reshape(subjects, size).astype(np.float64)
        for flags in (answers.right, answers.answered)
    ]
    drawn = cluster_replicates(sums[0], sums[1], resamples=settings.resamples, seed=settings.seed)
    known = np.count_nonzero(sums[1], axis=0) > 1  # the answers of one subject say nothing about others

    def plain(values: Floats, holds: bool) -> dict[str, float] | None:
        interval = percentile_interval(values, settings.level) if holds else None
        return interval._asdict() if interval else None

    for cell, row in zip(answers.cells, cells, strict=True):
        row["interval"] = plain(drawn[:, cell], bool(known[cell]))
    for (_, _, (without, with_)), row in zip(answers.groups, contexts, strict=True):
        row["interval"] = plain(drawn[:, with_] - drawn[:, without], bool(known[without] and known[with_]))


def _by_name(answers: Answers, names: Texts, among: Flags) -> dict[str, dict[str, Any]]:
    """Accuracy by a name, task (all hops of it) and condition: name -> task -> condition -> score."""
    scores_by_name: dict[str, dict[str, Any]] = {}
    for name in np.unique(names[among]):
        named = among & (names == name)
        tasks = {task: dict(_conditions(answers, named & chosen)) for task, chosen in _tasks(answers)}
        scores_by_name[str(name)] = {task: scores for task, scores in tasks.items() if scores}
    return scores_by_name


def _tasks(answers: Answers) -> Iterator[tuple[str, Flags]]:
    for task in TASKS:
        age, related = AGES.index(task.removeprefix("related_")), task.startswith("related_")
        yield task, (answers.age == age) & ((answers.hop > 0) == related)


def _conditions(answers: Answers, chosen: Flags) -> Iterator[tuple[str, dict[str, Any]]]:
    for context, name in enumerate(CONDITIONS):
        rows = chosen & (answers.context == bool(context))
        if rows.any():
            yield name, _score(int(rows.sum()), int(answers.answered[rows].sum()), int(answers.right[rows].sum()))


def _by_relation(answers: Answers, durations: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    everything = np.ones(len(answers.item), dtype=np.bool_)
    return {
        name: {
            "mean_years": float(durations[name]) if name in durations else None,
            "subjects": len(np.unique(answers.subject[answers.relation == name])),
            "tasks": tasks,
        }
        for name, tasks in _by_name(answers, answers.relation, everything).items()
    }


def _problems(answers: Answers) -> list[dict[str, Any]]:
    """Why there is no answer, the most frequent first: counts without and with context."""
    rows = np.flatnonzero(~answers.answered)
    counts: Counter[tuple[str, str]] = Counter(
        (str(answers.problems[row]), CONDITIONS[int(answers.context[row])]) for row in rows
    )
    rows_by_problem = [
        {"problem": problem, **{name: counts[problem, name] for name in CONDITIONS}}
        for problem in sorted({problem for problem, _ in counts})
    ]
    return sorted(rows_by_problem, key=lambda row: -sum(row[name] for name in CONDITIONS))


def _places(answers: Answers, options: int) -> dict[str, Sequence[int]]:
    """How often each place among the options is right, and is chosen: a model may like one of them."""

    def count(places: Codes) -> list[int]:
        return [int(number) for number in np.bincount(places, minlength=options)]

    chosen = {
        name: count(answers.chosen[answers.answered & (answers.context == bool(context))])
        for context, name in enumerate(CONDITIONS)
    }
    return {"right": count(answers.answer[np.unique(answers.item, return_index=True)[1]]), **chosen}
