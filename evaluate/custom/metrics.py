"""From predictions and release to the numbers of a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.errors import InputError
from tashika.evaluate.custom.estimates import mean, share
from tashika.evaluate.custom.metrics_model import (
    Baselines,
    Confusion,
    Correlated,
    Estimate,
    Judged,
    Measured,
    Ranks,
)
from tashika.evaluate.custom.people import against_people
from tashika.evaluate.custom.predictions import problems_of
from tashika.evaluate.custom.questions import Item
from tashika.evaluate.statistics.inference import Floats, percentile_interval

AT: Final = (1, 5, 10)
"""Ranks that are counted as reached."""

_VALUES_SHOWN: Final = 50
"""Values of a column that numbers are given by."""
_OTHERS: Final = "all other values"


class Row(NamedTuple):
    """An item and the prediction on it."""

    item: Item
    found: Mapping[str, Any]


def rows_of(table: pa.Table, items: Sequence[Item]) -> list[Row]:
    """Predictions beside their items, in the table's order.

    Raises:
        InputError: A prediction is on no item of the release.
    """
    known = {item.item_id: item for item in items}
    rows = []
    for found in table.to_pylist():
        if found["item_id"] not in known:
            raise InputError(
                f"the predictions have the item {found['item_id']}, and the release has not",
                hint="Delete the folder of the predictions and evaluate the model again.",
            )
        rows.append(Row(known[found["item_id"]], found))
    return rows


def compute(table: pa.Table, items: Sequence[Item], form: EvaluateForm, *, in_words: bool, itself: bool) -> Measured:
    """The numbers of a system.

    Args:
        table: Its predictions.
        items: Of the release.
        form: The section [evaluate].
        in_words: Whether it answered in words.
        itself: Whether it judged its own answers.
    """
    rows = rows_of(table, items)
    if form.task == "judge":
        return _judged(rows, table, form, itself)
    right = _right(rows)
    shared: dict[str, Any] = {
        "questions": len(rows),
        "counted": len(right),
        "problems": problems_of(table),
        "people": against_people(rows, form),
    }
    by = {column: _by(rows, column, _accuracy) for column in form.by}
    if form.task == "classification":
        confusion = confusion_of(rows)
        macro = macro_f1(confusion, form)
        return Measured(
            measure="macro F1",
            score=macro,
            accuracy=share(right),
            confusion=confusion,
            baselines=baselines_of(rows, labels=True),
            by=by,
            **shared,
        )
    baselines = baselines_of(rows, labels=False) if form.task == "multiple_choice" else None
    ranks = ranks_of(rows, form) if form.task == "cloze" and not in_words else None
    return Measured(measure="accuracy", score=share(right), baselines=baselines, ranks=ranks, by=by, **shared)


def _accuracy(rows: Sequence[Row]) -> Estimate:
    return share(_right(rows))


def _right(rows: Sequence[Row]) -> list[bool]:
    return [bool(row.found["correct"]) for row in rows if row.found["correct"] is not None]


def _by(rows: Sequence[Row], column: str, work: Callable[[Sequence[Row]], Estimate]) -> dict[str, Estimate]:
    """A number by the values of a column, the most questions first; a list counts with each of its values."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        value = row.item.row[column]
        for each in value if isinstance(value, list) else [value]:
            groups.setdefault("(empty)" if each is None else str(each), []).append(row)
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    found = {name: work(groups[name]) for name in order[:_VALUES_SHOWN]}
    rest = [row for name in order[_VALUES_SHOWN:] for row in groups[name]]
    return {**found, _OTHERS: work(rest)} if rest else found


def baselines_of(rows: Sequence[Row], *, labels: bool) -> Baselines:
    """What somebody scores who does not read the questions."""
    targets = [row.item.target for row in rows]
    places = Counter(target.place for target in targets)
    chance = sum(1 / len(target.options) for target in targets) / len(targets)
    majority = max(places.values()) / len(targets)
    if labels:  # the one label that is given has precision `majority` and recall 1, the others have an F1 of 0
        f1 = 2 * majority / (1 + majority) / len(places)
        return Baselines(chance=chance, majority=majority, majority_f1=f1)
    longest = sum(_longest(target.options) == target.place for target in targets) / len(targets)
    return Baselines(chance=chance, majority=majority, longest=longest)


def _longest(options: Sequence[str]) -> int:
    """The place of the longest option, the first of equals."""
    return max(range(len(options)), key=lambda place: (len(options[place]), -place))


# --- labels ---


def confusion_of(rows: Sequence[Row]) -> Confusion:
    """How often each label was given for each, over all questions that were answered, readably or not."""
    labels = rows[0].item.target.names
    counts = np.zeros((len(labels), len(labels) + 1), dtype=np.int64)
    for row in rows:
        if row.found["correct"] is not None:
            place = row.found["place"]
            counts[row.item.target.place, len(labels) if place is None else place] += 1
    scores = _f1(counts[None].astype(np.float64))[0]
    f1 = [None if np.isnan(one) else float(one) for one in scores]
    return Confusion(labels=list(labels), counts=counts.tolist(), f1=f1)


def _f1(counts: Floats) -> Floats:
    """(draws, labels) F1 of each label from (draws, labels, labels + 1) counts; NaN where nothing has the label."""
    labels = counts.shape[1]
    hits = counts[:, range(labels), range(labels)]
    below = counts.sum(axis=2) + counts[:, :, :labels].sum(axis=1)
    scores = np.full(hits.shape, np.nan)
    np.divide(2 * hits, below, out=scores, where=below > 0)
    return scores


def macro_f1(confusion: Confusion, form: EvaluateForm) -> Estimate:
    """The mean of the labels' F1, with a percentile bootstrap over questions.

    A label that neither is right nor was given has no F1 and does not count.
    """
    counts = np.asarray(confusion.counts, dtype=np.float64)
    total = int(counts.sum())
    if not total:
        return Estimate(n=0, value=None)
    value = float(np.nanmean(_f1(counts[None])))
    if total < 2:
        return Estimate(n=total, value=value)
    # To draw questions anew is to draw the cells that they fall into.
    random = np.random.default_rng(form.seed)
    drawn = random.multinomial(total, counts.ravel() / total, size=form.resamples).reshape(-1, *counts.shape)
    interval = percentile_interval(np.nanmean(_f1(drawn.astype(np.float64)), axis=1))
    assert interval is not None
    return Estimate(n=total, value=value, low=interval.low, high=interval.high)


# --- blanks ---


def ranks_of(rows: Sequence[Row], form: EvaluateForm) -> Ranks:
    """How high the right words stand."""
    ranks = [int(row.found["rank"]) for row in rows if row.found["rank"] is not None]
    reached = {str(k): share([rank <= k for rank in ranks]) for k in AT}
    return Ranks(mrr=mean([1 / rank for rank in ranks], form), acc_at=reached)


# --- a judge ---


def _judged(rows: Sequence[Row], table: pa.Table, form: EvaluateForm, itself: bool) -> Measured:
    scored = [row for row in rows if row.found["score"] is not None]
    scores = [float(row.found["score"]) for row in scored]
    compared = [row for row in scored if row.item.target.number is not None]
    pairs = [(float(row.found["score"]), float(row.item.target.number or 0.0)) for row in compared]
    told = bool(pairs)

    def score(some: Sequence[Row]) -> Estimate:
        return mean(_scores(some), form)

    judged = Judged(
        by_length=correlated([(float(row.found["score"]), float(len(row.found["reply"] or ""))) for row in scored]),
        with_target=correlated(pairs) if told else None,
        error=sum(abs(one - other) for one, other in pairs) / len(pairs) if told else None,
        itself=itself,
        spread={f"{score:g}": count for score, count in sorted(Counter(scores).items())},
    )
    return Measured(
        measure="mean score",
        score=mean(scores, form),
        questions=len(rows),
        counted=len(scores),
        problems=problems_of(table),
        by={column: _by(rows, column, score) for column in form.by},
        judged=judged,
    )


def _scores(rows: Sequence[Row]) -> list[float]:
    return [float(row.found["score"]) for row in rows if row.found["score"] is not None]


def correlated(pairs: Sequence[tuple[float, float]]) -> Correlated:
    """Spearman's rank correlation; None with fewer than three pairs or where one side does not vary."""
    from scipy.stats import spearmanr

    if len(pairs) < 3 or any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return Correlated(n=len(pairs), r=None, p=None)
    found: Any = spearmanr([one for one, _ in pairs], [other for _, other in pairs])
    return Correlated(n=len(pairs), r=float(found.statistic), p=float(found.pvalue))
