"""TempRIPPLE's numbers under control conditions (`conditions`), against the same questions without context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.evaluate.statistics.inference import cluster_bootstrap, holm, mcnemar_exact
from tashika.evaluate.tempripple.answers import AGES, Answers, Codes, Flags, task_of
from tashika.evaluate.tempripple.facets import Facets
from tashika.evaluate.tempripple.splits import DRAWS, Resampling, Split
from tashika.evaluate.tempripple.splits_model import ControlScore


def compute_controls(
    table: pa.Table,
    controls: Mapping[str, pa.Table],
    options: int,
    facets: Mapping[str, Facets],
    named: Mapping[str, int],
    resampling: Resampling = DRAWS,
) -> list[ControlScore]:
    """Scores of every control condition.

    Args:
        table: Predictions without and with the new fact.
        controls: Predictions of each condition, all marked as with context.
        options: Of a question.
        facets: What the release says of its questions, by id.
        named: Of questions that offer it, the place of the object that the conflicting sentence names.
        resampling: Of intervals.
    """
    main = Answers.of(table, options)
    rows = []
    for condition, found in controls.items():
        split = Split(Answers.of(found, options), facets, resampling=resampling)
        places = [named.get(str(item), -1) for item in split.answers.items]
        there = np.asarray(places, dtype=np.int64)[split.answers.item]
        follows = there if condition == "conflicting" else np.full(len(there), -1)
        rows += [{"condition": condition, **row} for row in _of_condition(main, split, follows)]
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    return [ControlScore.model_validate(row) for row in rows]


def _outcomes(main: Answers, items: list[str], *, with_context: bool) -> Codes:
    """Of each item whether the main run answered it right in a condition: 1, 0, or -1 where it gave no answer."""
    known = (main.context == with_context) & main.answered
    found = dict(zip(main.items[main.item[known]].tolist(), main.right[known].astype(int).tolist(), strict=True))
    return np.asarray([found.get(item, -1) for item in items], dtype=np.int64)


def _of_condition(main: Answers, split: Split, named: Codes) -> Iterator[dict[str, Any]]:
    answers = split.answers
    items = answers.items[answers.item].tolist()
    without, with_fact = (_outcomes(main, items, with_context=condition) for condition in (False, True))
    for age, hop, _ in answers.groups:
        rows = (answers.age == AGES.index(age)) & (answers.hop == hop)
        known = rows & answers.answered
        yield {
            "task": task_of(age, hop),
            "hop": hop,
            "n": int(rows.sum()),
            "answered": int(known.sum()),
            "correct": int(answers.right[known].sum()),
            "accuracy": _mean(answers.right[known]),
            "interval": split.interval(known, answers.right),
            **_against(split, known, without),
            "against_with": _mean((answers.right - with_fact)[known & (with_fact >= 0)]),
            "lured": _mean((answers.chosen == split.lure)[known & (split.lure >= 0)]),
            "followed": _mean((answers.chosen == named)[known & (named >= 0)]),
        }


def _against(split: Split, known: Flags, before: Codes) -> dict[str, Any]:
    """Against no context: the paired difference and its test."""
    both = known & (before >= 0)
    change = split.answers.right.astype(int)[both] - before[both]
    lost, gained = int((change < 0).sum()), int((change > 0).sum())
    draws = split.resampling
    interval = cluster_bootstrap(
        split.answers.subject[both],
        change,
        np.ones(len(change)),
        resamples=draws.resamples,
        seed=draws.seed,
        level=draws.level,
    )
    return {
        "delta": _mean(change),
        "delta_interval": interval._asdict() if interval else None,
        "lost": lost,
        "gained": gained,
        "p": mcnemar_exact(lost, gained) if len(change) else None,
    }


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None
