"""Accuracy and its fluctuation over draws of one template a relation (section 3.2, equations 1 to 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.evaluate.myriadlama.metrics import MEASURES, DrawSpread, Fluctuation, Histogram, Measure
from tashika.evaluate.myriadlama.predictions import Codes, Predictions

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

HISTOGRAM_BINS: Final = 40
_LAST_BITS = 1e-9
"""Less than any real difference of accuracies, and more than sums in another order differ by."""


def score(rank: Codes, measure: Measure) -> npt.NDArray[Any]:
    """The score of each prompt: a hit among the K first (equation 1), or the reciprocal rank (equation 2)."""
    if measure == "mrr":
        return 1.0 / rank
    return rank <= int(measure.removeprefix("acc@"))


@dataclass(frozen=True)
class Cells:
    """Sums over the aliases of each (pair, template); L is the largest number of templates of a relation.

    Attributes:
        slot: (T,) the number of each template among those of its relation, below L.
        relation_of_pair: (P,) the relation of each pair.
        relations: R, the number of relations.
        count: (P, L) answered aliases.
        sums: (P, L) the sum of each measure.
    """

    slot: Codes
    relation_of_pair: Codes
    relations: int
    count: Integers
    sums: Mapping[Measure, Floats]

    @classmethod
    def of(cls, predictions: Predictions) -> Cells:
        """Adds the predictions up."""
        relation = predictions.relation_of_template
        order = np.argsort(relation, kind="stable")
        first = np.searchsorted(relation[order], np.arange(len(predictions.relations)))
        slot = np.empty(len(relation), np.int32)
        slot[order] = np.arange(len(relation)) - first[relation[order]]
        shape = (len(predictions.relation_of_pair), int(slot.max()) + 1)
        place = predictions.pair.astype(np.int64) * shape[1] + slot[predictions.template]

        def added(weights: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
            flat: npt.NDArray[Any] = np.bincount(place, weights, minlength=shape[0] * shape[1])
            return flat.reshape(shape)

        sums = {measure: added(score(predictions.rank, measure)) for measure in MEASURES}
        return cls(slot, predictions.relation_of_pair, len(predictions.relations), added(None), sums)

    def by_relation(self, values: npt.NDArray[Any]) -> Floats:
        """Adds a (P, L) matrix up to (R, L)."""
        width = values.shape[1]
        place = self.relation_of_pair[:, None] * np.int64(width) + np.arange(width)
        flat: npt.NDArray[Any] = np.bincount(place.ravel(), values.ravel(), self.relations * width)
        return flat.reshape(self.relations, width)


@dataclass(frozen=True)
class FluctuationScores:
    """How the measures move over draws.

    Attributes:
        overall: Over all relations together.
        by_relation: R mappings, for each relation alone.
    """

    overall: dict[Measure, Fluctuation]
    by_relation: list[dict[Measure, DrawSpread]]


def fluctuation_of(cells: Cells, draws: int, seed: int) -> FluctuationScores:
    """Range and population stdev over the draws; aliases are averaged.

    Args:
        cells: The sums to draw from.
        draws: N.
        seed: Of the draws, which are the same for all three measures.
    """
    answered = cells.by_relation(cells.count > 0)
    slots = draw_slots(answered > 0, draws, seed)
    drawn = (np.arange(cells.relations), slots)
    scores = FluctuationScores({}, [{} for _ in range(cells.relations)])
    for measure in MEASURES:
        total = cells.by_relation(cells.sums[measure] / np.maximum(cells.count, 1))
        values = total[drawn].sum(axis=1) / answered[drawn].sum(axis=1)
        scores.overall[measure] = fluctuation_of_values(values, total, answered)
        for of_relation, column in zip(scores.by_relation, (total[drawn] / answered[drawn]).T, strict=True):
            of_relation[measure] = spread_of_values(column)
    return scores


def fluctuation_of_values(values: Floats, total: Floats, answered: Floats) -> Fluctuation:
    """What draws look like.

    Args:
        values: (N,) the score of each draw.
        total: (R, L) sums of scores of each template, which bound what a draw can have; see `extreme_of`.
        answered: (R, L) what they are divided by.
    """
    counts, edges = histogram(values)
    return Fluctuation(
        **dict(spread_of_values(values)),
        lowest_possible=extreme_of(total, answered, -1),
        highest_possible=extreme_of(total, answered, +1),
        histogram=Histogram(counts=tuple(counts.tolist()), edges=tuple(edges.tolist())),
    )


def draw_slots(available: npt.NDArray[np.bool_], draws: int, seed: int) -> Integers:
    """(N, R) slots of templates, each drawn alike among the available ones of its relation."""
    places = np.argsort(~available, axis=1, kind="stable")  # the available slots first
    choice = np.random.default_rng(seed).integers(available.sum(axis=1), size=(draws, len(available)))
    slots: Integers = places[np.arange(len(available)), choice]
    return slots


def spread_of_values(values: Floats) -> DrawSpread:
    """Range, population stdev, extremes and mean of the draws' values."""
    low, high = float(values.min()), float(values.max())
    return DrawSpread(
        range=high - low,
        stdev=0.0 if low == high else float(values.std()),
        min=low,
        max=high,
        mean=float(values.mean()),
    )


def extreme_of(total: Floats, answered: Floats, sign: int) -> float:
    """The lowest (-1) or highest (+1) value that any draw can have.

    Where every template answers every pair this takes the worst or best template of each relation. Otherwise it is a
    ratio of two sums, whose extreme Dinkelbach's method finds exactly in a few steps.
    """
    rows = np.arange(len(total))
    some = (rows, (answered > 0).argmax(axis=1))  # the method must start at a value that a draw has
    value = float(total[some].sum() / answered[some].sum())
    while True:
        gain = np.where(answered > 0, sign * (total - value * answered), -np.inf)
        best = (rows, gain.argmax(axis=1))
        better = float(total[best].sum() / answered[best].sum())
        if sign * (better - value) <= 1e-12:
            return better
        value = better


def histogram(values: Any) -> tuple[Any, Any]:
    """Counts and edges of `HISTOGRAM_BINS` bins over values.

    Values that differ in their last bits alone leave no room for bins; they are treated as NumPy treats equal ones.
    """
    low, high = float(np.min(values)), float(np.max(values))
    span = (low, high) if high - low > _LAST_BITS else (low - 0.5, high + 0.5)
    return np.histogram(values, bins=HISTOGRAM_BINS, range=span)
