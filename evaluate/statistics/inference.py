"""Tests, corrections and intervals, as pure functions that any suite may use.

What cannot be computed is None, never NaN: a correlation with a constant, an interval of one cluster. A call that makes
no sense (negative counts, lengths that differ) is a mistake of the program and raises ValueError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tashika.evaluate.statistics.dispersion import ansari_bradley, rank_sum, siegel_tukey, signed_rank, smallest_p

__all__ = [
    "Correlation",
    "Floats",
    "Interval",
    "ansari_bradley",
    "cluster_bootstrap",
    "cluster_replicates",
    "fisher_exact",
    "holm",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "percentile_interval",
    "point_biserial",
    "rank_sum",
    "siegel_tukey",
    "signed_rank",
    "smallest_p",
    "wilson_interval",
]

Floats = NDArray[np.float64]
_DRAWN_AT_ONCE: Final = 1 << 20
"""Weights that are held at a time, so that memory does not grow with the number of resamples."""


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


class Correlation(NamedTuple):
    """A correlation coefficient with its two-sided p."""

    r: float
    p: float


def mcnemar_exact(b: int, c: int) -> float:
    """McNemar's test of paired answers, exact: two-sided binomial on the pairs that differ.

    Source: A. Agresti, Categorical Data Analysis, 2nd edition, section 10.1.

    Args:
        b: Pairs that changed one way, such as right to wrong.
        c: Pairs that changed the other way.

    Returns:
        p; 1 if no pair differs.

    Raises:
        ValueError: A count is negative.
    """
    return _mcnemar(b, c, mid=0.0)


def mcnemar_mid_p(b: int, c: int) -> float:
    """McNemar's test with the mid-p, which is less conservative: the observed split counts half.

    Source: M. W. Fagerland, S. Lydersen, P. Laake, The McNemar test for binary matched-pairs data, 2013.

    Args:
        b: Pairs that changed one way.
        c: Pairs that changed the other way.

    Returns:
        p; 1 if no pair differs.

    Raises:
        ValueError: A count is negative.
    """
    return _mcnemar(b, c, mid=0.5)


def _mcnemar(b: int, c: int, mid: float) -> float:
    from scipy.stats import binom

    if min(b, c) < 0:
        raise ValueError(f"found {b} and {c} discordant pairs, expected no negative count")
    if b + c == 0:
        return 1.0
    fewer, pairs = min(b, c), b + c
    tail = float(binom.cdf(fewer, pairs, 0.5)) - mid * float(binom.pmf(fewer, pairs, 0.5))
    return min(1.0, 2 * tail)


def fisher_exact(table: Sequence[Sequence[int]]) -> float:
    """Fisher's exact test of two shares, two-sided: all tables that are at most as probable as this one.

    Args:
        table: Counts, 2 × 2: a row a group, the columns right and wrong.

    Returns:
        p; 1 if a row or a column is empty.

    Raises:
        ValueError: The table has another shape, or a count is negative.
    """
    from scipy import stats

    counts = np.asarray(table)
    if counts.shape != (2, 2) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise ValueError(f"found {table!r}, expected 2 × 2 whole counts, none negative")
    if 0 in (*counts.sum(axis=0), *counts.sum(axis=1)):
        return 1.0  # there is only one such table
    return float(stats.fisher_exact(counts).pvalue)


def point_biserial(x: ArrayLike, correct: ArrayLike) -> Correlation | None:
    """The point-biserial correlation of a number with right or wrong: Pearson's, with right as 1.

    Args:
        x: Numbers, shape (n,).
        correct: Whether each was right, shape (n,).

    Returns:
        r and its two-sided p by Student's t with n - 2 degrees of freedom; None where it is not defined: fewer than
        three values, all right, all wrong, or all numbers equal.

    Raises:
        ValueError: The shapes differ, or a number is not finite.
    """
    from scipy.stats import pearsonr

    numbers, right = np.asarray(x, dtype=float), np.asarray(correct, dtype=bool)
    if numbers.ndim != 1 or numbers.shape != right.shape:
        raise ValueError(f"found the shapes {numbers.shape} and {right.shape}, expected two rows of one length")
    if not np.isfinite(numbers).all():
        raise ValueError("found a number that is not finite")
    if len(numbers) < 3 or right.all() or not right.any() or np.ptp(numbers) == 0:
        return None
    result = pearsonr(right.astype(float), numbers)
    return Correlation(float(result.statistic), float(result.pvalue))


def wilson_interval(successes: float, trials: float, level: float = 0.95) -> Interval | None:
    """Wilson's interval of a share, without a correction for continuity; at 0 and 1 it still has a width.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Args:
        successes: How many of the trials; the mean of several runs need not be whole.
        trials: How many in all.
        level: How much the interval holds.

    Returns:
        The interval; None of no trials.

    Raises:
        ValueError: The counts are no part of a whole, or the level is not between 0 and 1.
    """
    from scipy.stats import norm

    if not 0 <= successes <= trials or not 0 < level < 1:
        raise ValueError(f"found {successes} of {trials} at the level {level}")
    if trials == 0:
        return None
    share, z = successes / trials, float(norm.ppf((1 + level) / 2))
    centre, half = share + z**2 / (2 * trials), z * (share * (1 - share) / trials + z**2 / (4 * trials**2)) ** 0.5
    whole = 1 + z**2 / trials
    # In theory the share lies inside; at 0 and 1 rounding may put it out by a hair.
    return Interval(min(share, max(0.0, (centre - half) / whole)), max(share, min(1.0, (centre + half) / whole)))


def holm(pvalues: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction for a family of tests, which holds the chance of any false alarm.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, 1979.

    Args:
        pvalues: Raw p of each test of the family; None where a test could not be made, which then does not count.

    Returns:
        Adjusted p in the same order: the k-th smallest of m times (m - k + 1), not below the one before, at most 1.

    Raises:
        ValueError: A p is outside 0 to 1.
    """
    known = sorted((p, place) for place, p in enumerate(pvalues) if p is not None)
    if not all(0 <= p <= 1 for p, _ in known):
        raise ValueError(f"found a p outside 0 to 1 among {', '.join(str(p) for p, _ in known)}")
    adjusted: list[float | None] = [None] * len(pvalues)
    least = 0.0
    for rank, (p, place) in enumerate(known):
        least = max(least, min(1.0, (len(known) - rank) * p))
        adjusted[place] = least
    return adjusted


def cluster_bootstrap(
    clusters: ArrayLike,
    numerator: ArrayLike,
    denominator: ArrayLike,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval | None:
    """The percentile interval of a ratio of sums, such as an accuracy, over values that come in clusters.

    Values of one cluster are not independent, so whole clusters are drawn, with replacement, as many as there are.

    Source: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 3.8.

    Args:
        clusters: The cluster of each value, any labels, shape (n,).
        numerator: Such as right answers, shape (n,).
        denominator: Such as answers, none negative, shape (n,).
        resamples: How many draws.
        seed: Of the draws.
        level: How much the interval holds.

    Returns:
        The interval; None where fewer than two clusters have a denominator. It has no width where all clusters
        agree, which is no proof of certainty.

    Raises:
        ValueError: The shapes differ, or a setting is out of range.
    """
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    above, below = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if not codes.shape == above.shape == below.shape or above.ndim != 1:
        raise ValueError(
            f"found the shapes {codes.shape}, {above.shape} and {below.shape}, expected rows of one length"
        )
    sums: list[Floats] = [
        np.bincount(codes, weights, len(names)).astype(np.float64)[:, None] for weights in (above, below)
    ]
    ratios = cluster_replicates(sums[0], sums[1], resamples=resamples, seed=seed)
    return percentile_interval(ratios[:, 0], level) if np.count_nonzero(sums[1]) > 1 else None


def cluster_replicates(numerators: Floats, denominators: Floats, *, resamples: int = 2000, seed: int = 0) -> Floats:
    """Ratios of sums over drawn clusters. All ratios come from the same draws, so that differences are paired.

    Args:
        numerators: Each cluster's sums, (clusters, ratios).
        denominators: The same of what is divided by, none negative.
        resamples: How many draws.
        seed: Of the draws.

    Returns:
        (resamples, ratios); NaN where a draw has nothing to divide by.

    Raises:
        ValueError: The shapes differ, or a setting is out of range.
    """
    if numerators.shape != denominators.shape or numerators.ndim != 2:
        raise ValueError(f"found the shapes {numerators.shape} and {denominators.shape}, expected (clusters, ratios)")
    if resamples < 1 or (denominators.size and denominators.min() < 0):
        raise ValueError(f"found {resamples} resamples or a negative denominator")
    clusters, ratios = numerators.shape
    replicates = np.full((resamples, ratios), np.nan)
    if clusters == 0:
        return replicates
    random, chances = np.random.default_rng(seed), np.full(clusters, 1 / clusters)
    # How often each cluster is drawn is multinomial: one product of matrices instead of a loop over drawn rows.
    step = max(1, _DRAWN_AT_ONCE // clusters)
    for start in range(0, resamples, step):
        block = slice(start, min(start + step, resamples))
        times = random.multinomial(clusters, chances, size=block.stop - start).astype(float)
        below = times @ denominators
        np.divide(times @ numerators, below, out=replicates[block], where=below > 0)
    return replicates


def percentile_interval(replicates: Floats, level: float = 0.95) -> Interval | None:
    """The middle part of what a bootstrap drew.

    Args:
        replicates: (resamples,), NaN where a draw gave nothing; such draws are left out.
        level: How much the interval holds.

    Returns:
        The interval; None if no draw gave anything.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"found the level {level}, expected one between 0 and 1")
    known = replicates[~np.isnan(replicates)]
    if known.size == 0:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
