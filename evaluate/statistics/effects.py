"""Two small samples: how far apart in place and in spread, with intervals, and whether in either (Lepage's test).

Beside the rank tests of `dispersion`, whose conventions hold here as well: tied values share their ranks, exact p where
the splits can be counted, what is all tied has p = 1 and never NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tashika.evaluate.statistics.dispersion import RankTest, siegel_tukey
from tashika.evaluate.statistics.inference import Floats, Interval, cluster_replicates, percentile_interval

LEPAGE_SPLITS: Final = 20_000
"""Splits up to which Lepage's p is counted: 8 and 8 values have 12,870."""
_DIGITS: Final = 12
"""Of a centred value: 0.3 - 0.1 and 0.2 shall be tied."""
_SAME: Final = 1e-9
"""Statistics that differ by less are the same split's, summed in another order."""


class Effect(NamedTuple):
    """A difference between two samples, the second less the first, with its 95 % interval, where there is one."""

    value: float
    interval: Interval | None


def centred_siegel_tukey(x: ArrayLike, y: ArrayLike) -> RankTest:
    """Siegel and Tukey's test of what is left when each sample's median is taken off it.

    The plain test mixes place and spread: of two samples far apart, one holds both ends of all low ranks. Centred on
    the medians it compares spread, though its p is no longer exact: the medians are estimated.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).

    Raises:
        ValueError: As `siegel_tukey`.
    """
    first, second = (np.asarray(values, dtype=float) for values in (x, y))
    if not first.size or not second.size:
        raise ValueError("found an empty sample")
    return siegel_tukey(*(np.round(values - np.median(values), _DIGITS) for values in (first, second)))


def brown_forsythe(x: ArrayLike, y: ArrayLike) -> float:
    """Brown and Forsythe's test of equal spread (Levene's, about the medians): p of its F.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).

    Returns:
        The two-sided p; 1 where all distances from the medians are equal, 0 where they differ between the samples
        alone.
    """
    from scipy.stats import levene

    distances = [_distances(values) for values in (x, y)]
    if all(np.ptp(own) == 0 for own in distances):
        return 1.0 if distances[0][0] == distances[1][0] else 0.0
    return float(levene(np.asarray(x, dtype=float), np.asarray(y, dtype=float), center="median").pvalue)


def lepage(x: ArrayLike, y: ArrayLike) -> RankTest:
    """Lepage's test of equal place and equal spread at once.

    Wilcoxon's and Ansari and Bradley's statistics, each divided by its deviation over all splits, squared and summed.

    Source: Y. Lepage, A combination of Wilcoxon's and Ansari-Bradley's statistics, 1971.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).

    Returns:
        The sum; p is the share of splits whose sum is at least as large (up to `LEPAGE_SPLITS`), else that of chi
        square with two degrees of freedom, or one where either statistic cannot vary.
    """
    from scipy.stats import chi2, rankdata

    first, second = (np.asarray(values, dtype=float) for values in (x, y))
    n, total = len(first), len(first) + len(second)
    if min(n, len(second)) < 2 or not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("expected two samples of two or more finite values")
    pooled = np.concatenate([first, second])
    places = np.arange(1, total + 1)
    scores = np.stack([rankdata(pooled), _shared(pooled, np.minimum(places, total + 1 - places))])
    deviations = scores - scores.mean(axis=1, keepdims=True)
    variances = n * (total - n) / (total * (total - 1)) * (deviations**2).sum(axis=1)
    used = variances > _SAME
    splits = comb(total, n)
    if not used.any():
        return RankTest(0.0, 1.0, "exact", splits)
    scaled = deviations[used] / np.sqrt(variances[used])[:, None]
    statistic = float((scaled[:, :n].sum(axis=1) ** 2).sum())
    if splits > LEPAGE_SPLITS:
        return RankTest(statistic, float(chi2.sf(statistic, int(used.sum()))), "normal", splits)
    sums = (scaled[:, _splits(total, n)].sum(axis=2) ** 2).sum(axis=0)
    return RankTest(statistic, float((sums >= statistic - _SAME).mean()), "exact", splits)


def cliffs_delta(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Effect:
    """Cliff's delta: how often a value of y is above one of x, less how often below.

    Vargha and Delaney's A is (1 + delta) / 2. The interval is Newcombe's fifth for A, which keeps a width where the
    samples do not overlap.

    Source: N. Cliff, Dominance statistics, 1993; R. G. Newcombe, Confidence intervals for an effect size measure based
    on the Mann-Whitney statistic, part 2, 2006, method 5.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        level: How much the interval holds.
    """
    first, second = (np.asarray(values, dtype=float) for values in (x, y))
    n, m = len(first), len(second)
    if not n or not m:
        raise ValueError("found an empty sample")
    delta = float(np.sign(second[:, None] - first[None, :]).mean())
    low, high = _newcombe((1 + delta) / 2, n, m, level)
    return Effect(delta, Interval(2 * low - 1, 2 * high - 1))


def mean_difference(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Effect:
    """The mean of y less that of x, with Welch's interval; no interval where neither sample has a spread.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        level: How much the interval holds.
    """
    from scipy.stats import t

    first, second = (np.asarray(values, dtype=float) for values in (x, y))
    difference = float(second.mean() - first.mean())
    if min(len(first), len(second)) < 2:
        return Effect(difference, None)
    parts = [float(values.var(ddof=1)) / len(values) for values in (first, second)]
    if sum(parts) == 0:
        return Effect(difference, None)
    sizes = (len(first), len(second))
    freedom = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    half = float(t.ppf((1 + level) / 2, freedom)) * sum(parts) ** 0.5
    return Effect(difference, Interval(difference - half, difference + half))


def width_difference(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Effect:
    """How much wider y is spread than x: the difference of mean distances from the median.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        level: How much the interval holds.
    """
    return mean_difference(_distances(x), _distances(y), level)


def mean_width(values: ArrayLike) -> float:
    """The mean distance from the median."""
    return float(_distances(values).mean())


def _distances(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=float)
    distances: Floats = np.round(np.abs(numbers - np.median(numbers)), _DIGITS)
    return distances


def _shared(values: Floats, scores: NDArray[np.integer[Any]]) -> Floats:
    """The mean of the scores of equal values, in the order of the values."""
    order = np.argsort(values, kind="stable")
    _, group = np.unique(values, return_inverse=True)
    sums = np.bincount(group[order], scores.astype(float))
    means: Floats = (sums / np.bincount(group))[group]
    return means


@cache
def _splits(total: int, n: int) -> NDArray[np.intp]:
    """(splits, n) places of the first sample in each split."""
    return np.array(list(combinations(range(total), n)), dtype=np.intp)


def _newcombe(area: float, n: int, m: int, level: float) -> tuple[float, float]:
    """The ends of the interval of P(x < y) + P(x = y) / 2, z standard errors off, each taken at the end itself."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    z, middle = float(norm.ppf((1 + level) / 2)), (n + m) / 2 - 1

    def beyond(end: float) -> float:
        more = 1 + middle * (1 - end) / (2 - end) + middle * end / (1 + end)
        return (end - area) ** 2 - z**2 * end * (1 - end) * more / (n * m)

    # At 0 and 1 the equation holds as well, which is not the end that is looked for.
    inside = min(max(area, _SAME), 1 - _SAME)
    low = 0.0 if area <= 0 else float(brentq(beyond, 0.0, inside))
    high = 1.0 if area >= 1 else float(brentq(beyond, inside, 1.0))
    return low, high


def bootstrap_mean(values: Sequence[float], *, resamples: int, seed: int, level: float = 0.95) -> Effect | None:
    """A mean over units such as proverbs, with its percentile interval; None of no value, no interval of one.

    Args:
        values: One a unit.
        resamples: How many draws of as many units.
        seed: Of the draws.
        level: How much the interval holds.
    """
    if not values:
        return None
    numbers = np.asarray(values, dtype=float)[:, None]
    if len(values) < 2:
        return Effect(float(numbers.mean()), None)
    drawn = cluster_replicates(numbers, np.ones_like(numbers), resamples=resamples, seed=seed)
    return Effect(float(numbers.mean()), percentile_interval(drawn[:, 0], level))
