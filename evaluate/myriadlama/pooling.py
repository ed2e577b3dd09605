"""What the prompts of a subject-relation pair give together: any of them, their vote, and when a model may abstain.

The paper's introduction asks to use the distribution over prompts; equations 1 and 2 average it away. Here a pair is
answered once, by all its prompts:

- **Any.** Some prompt's first answer is right. It grows with the number of prompts, so models are compared on the same.
- **Vote.** The word that most prompts give. Where several have as many prompts, the one whose prompts are surer in sum;
  where these are equal too, the word that sorts first. A word is right if it was a right answer of one of its prompts.
- **Vote by confidence.** The word with the greatest sum of its prompts' confidence.
- **Abstention.** Prompts or pairs are answered from the surest to the least sure (Yoshikawa and Okazaki,
  Selective-LAMA, 2023). A prompt's confidence is its first answer's probability; a pair's is that of the word voted
  for, summed and divided by all its prompts; a pair's agreement is the share of its prompts that give the word voted
  for. Equals at the border of a coverage count in part, so the order of rows changes nothing.

Pairs weigh the same. Intervals draw pairs with replacement, whole, since prompts of one pair are not independent; those
of abstention keep to the border that the whole sample has at a coverage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.evaluate.myriadlama.predictions import Predictions
from tashika.evaluate.myriadlama.wording_numbers import (
    AbstentionCurve,
    AbstentionPoint,
    By,
    Estimate,
    Pooled,
    Unit,
)
from tashika.evaluate.statistics.inference import Floats, cluster_replicates, percentile_interval, wilson_interval

Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

COVERAGES: Final = tuple(step / 20 for step in range(1, 21))
"""At which accuracy is given."""

RESAMPLES: Final = 1000


@dataclass(frozen=True)
class Votes:
    """How each of P pairs is answered by its prompts together.

    Attributes:
        prompts: (P,) prompts.
        right: (P,) prompts whose first answer is right.
        agreement: (P,) the share of prompts that give the word voted for.
        confidence: (P,) its prompts' confidence, summed, by all prompts.
        vote_right: (P,) whether that word is right.
        loudest_right: (P,) whether the word with the most confidence is.
    """

    prompts: Integers
    right: Integers
    agreement: Floats
    confidence: Floats
    vote_right: Bools
    loudest_right: Bools

    @classmethod
    def of(cls, predictions: Predictions) -> Votes:
        """Counts them."""
        pairs = len(predictions.relation_of_pair)
        hit = predictions.rank == 1
        width = np.int64(predictions.answer.max()) + 1
        keys = predictions.pair.astype(np.int64) * width + predictions.answer
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        count = np.diff(first, append=len(keys))
        sure = np.add.reduceat(predictions.top_probability[order], first, dtype=np.float64)
        right = np.logical_or.reduceat(hit[order], first)
        key = keys[first]
        of_pair = key // width
        # The words of a pair in rising order; of equals the one that sorts first comes last.
        voted = _last_of_each(np.lexsort((-key, sure, count, of_pair)), of_pair)
        loudest = _last_of_each(np.lexsort((-key, sure, of_pair)), of_pair)
        prompts = np.bincount(predictions.pair, minlength=pairs)
        return cls(
            prompts=prompts,
            right=np.bincount(predictions.pair, hit, minlength=pairs).astype(np.int64),
            agreement=count[voted] / prompts,
            confidence=sure[voted] / prompts,
            vote_right=right[voted],
            loudest_right=right[loudest],
        )


def _last_of_each(order: Integers, group: Integers) -> Integers:
    """The last row of each group, where `order` sorts by group first."""
    ordered = group[order]
    last: Integers = order[np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))]
    return last


def pooled_of(predictions: Predictions, seed: int = 0, resamples: int = RESAMPLES) -> Pooled:
    """Any, vote and abstention, with intervals.

    Args:
        predictions: One model's answered prompts.
        seed: Of the draws of pairs.
        resamples: How many draws.
    """
    votes = Votes.of(predictions)
    one = votes.right / votes.prompts
    of_pair = {
        "one_prompt": one,
        "any_prompt": votes.right > 0,
        "all_prompts": votes.right == votes.prompts,
        "vote": votes.vote_right,
        "vote_by_confidence": votes.loudest_right,
        "vote_gain": votes.vote_right - one,
    }
    columns = np.stack(list(of_pair.values()), axis=1).astype(np.float64)
    gain = list(of_pair).index("vote_gain")
    estimates = ratios(columns, np.ones_like(columns), seed, resamples, differences=(gain,))
    shares = dict(zip(of_pair, estimates, strict=True))
    everything = np.arange(len(votes.prompts))
    hit = (predictions.rank == 1).astype(np.float64)
    curves = (
        Curve("prompt", "confidence", predictions.top_probability, hit, predictions.pair),
        Curve("pair", "confidence", votes.confidence, votes.vote_right.astype(np.float64), everything),
        Curve("pair", "agreement", votes.agreement, votes.vote_right.astype(np.float64), everything),
    )
    return Pooled(
        n_pairs=len(votes.prompts),
        prompts_of_pair=float(votes.prompts.mean()),
        **shares,
        abstention=tuple(curve.drawn(len(votes.prompts), seed, resamples) for curve in curves),
    )


def ratios(
    above: Floats, below: Floats, seed: int, resamples: int, *, differences: Collection[int] = ()
) -> Iterator[Estimate]:
    """Ratios of sums over pairs with intervals, all of the same draws.

    Where every pair is right, or none is, draws know no other value; the interval is then Wilson's, a pair being a
    trial, since what all of a sample agree on is not certain.

    Args:
        above: (P, ratios) each pair's sums.
        below: (P, ratios) of what they are divided by.
        seed: Of the draws.
        resamples: How many.
        differences: The columns that are no shares.
    """
    replicates = cluster_replicates(above, below, resamples=resamples, seed=seed)
    values = above.sum(axis=0) / below.sum(axis=0)
    for column, value in enumerate(values.tolist()):
        pairs = int(np.count_nonzero(below[:, column]))
        interval = percentile_interval(replicates[:, column]) if pairs > 1 else None
        if interval and column not in differences and value in {0.0, 1.0}:
            interval = wilson_interval(value * pairs, pairs)
        yield Estimate(value=value, low=interval.low if interval else None, high=interval.high if interval else None)


@dataclass(frozen=True)
class Curve:
    """What is answered from the surest on.

    Attributes:
        unit: Of its n rows.
        by: What they are sorted by.
        sure: (n,) how sure.
        right: (n,) 1 where right, 0 where wrong.
        pair: (n,) the pair.
    """

    unit: Unit
    by: By
    sure: npt.NDArray[Any]
    right: Floats
    pair: npt.NDArray[np.integer[Any]]

    def drawn(self, pairs: int, seed: int, resamples: int) -> AbstentionCurve:
        """The curve's points and its area, with intervals over draws of pairs."""
        above, below = np.empty((2, pairs, len(COVERAGES) + 1))
        for place, weight in enumerate((*self._kept(COVERAGES), self._places())):
            above[:, place] = np.bincount(self.pair, weight * self.right, minlength=pairs)
            below[:, place] = np.bincount(self.pair, weight, minlength=pairs)
        *values, area = ratios(above, below, seed, resamples)
        points = tuple(
            AbstentionPoint(coverage=coverage, **dict(value)) for coverage, value in zip(COVERAGES, values, strict=True)
        )
        return AbstentionCurve(unit=self.unit, by=self.by, area=area, points=points)

    def _kept(self, coverages: Sequence[float]) -> Iterator[Floats]:
        """(n,) how much of each row is answered at each coverage: 1, 0, or of equals at the border a part."""
        rising = np.sort(self.sure)
        n = len(rising)
        for coverage in coverages:
            wanted = coverage * n
            border = rising[n - max(1, int(np.ceil(wanted - 1e-9)))]
            more = n - np.searchsorted(rising, border, side="right")
            equal = n - more - np.searchsorted(rising, border, side="left")
            kept = (self.sure > border).astype(np.float64)
            kept[self.sure == border] = (wanted - more) / equal
            yield kept

    def _places(self) -> Floats:
        """(n,) what each row weighs in the mean accuracy over all coverages.

        The row at place i of n, from 1, counts 1/k in the accuracy of the first k, for every k from i on. Equals share
        the mean of their places' weights.
        """
        order = np.argsort(-self.sure, kind="stable")
        ordered = self.sure[order]
        weight = np.cumsum(1 / np.arange(len(order), 0, -1))[::-1]
        group = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
        of_row = np.empty(len(order))
        of_row[order] = (np.bincount(group, weight) / np.bincount(group))[group]
        return of_row
