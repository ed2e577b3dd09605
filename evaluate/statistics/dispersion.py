"""Do two small samples differ in spread, or in place? Rank tests that are exact also where values are tied.

With five scores from 1 to 10 on either side, ties rule and normal approximations are rough. So the tests of two samples
here share one way: the ranks that tied values hold are averaged, and p comes from all splits of these mid-ranks into
two samples of the same sizes, counted exactly, as long as there are at most `EXACT_SPLITS` splits (252 at 5 + 5,
184,756 at 10 + 10). Beyond, a normal approximation takes their place, its variance that of the mid-ranks, so corrected
for ties. A two-sided p is twice the smaller tail, at most 1; where all values are equal it is 1, never NaN.

Values are tied if they are equal, exactly: who computes them in floating point must do so alike. NaN, infinity and
samples of fewer than two values are mistakes of the program and raise ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

EXACT_SPLITS: Final = 200_000
"""Splits of the pooled values into two samples up to which `auto` counts all of them."""

Method = Literal["auto", "exact", "normal"]
SiegelTukeyMethod = Literal["auto", "exact", "normal", "DescTools", "PMCMRplus"]
Odd = Literal["keep", "drop_median"]
Scores = list[Fraction]
"""A rank, or what takes its place, for each value."""


class RankTest(NamedTuple):
    """What a test of two samples finds.

    Attributes:
        statistic: The sum of the first sample's ranks.
        p: Two-sided.
        method: "exact" or "normal", whichever was taken, or the name of the implementation that was asked for.
        splits: Of the values into two samples: 2 / splits is the smallest p that an exact test can give.
        dropped: The median that was left out since the values were odd in number; None where none was.
    """

    statistic: float
    p: float
    method: str
    splits: int
    dropped: float | None = None


def siegel_tukey(x: ArrayLike, y: ArrayLike, method: SiegelTukeyMethod = "auto", *, odd: Odd | None = None) -> RankTest:
    """Siegel and Tukey's test of equal spread: extreme values get low ranks, those in the middle high ones.

    The pooled values are ranked from both ends inwards: 1 to the lowest, 2 and 3 to the two highest, 4 and 5 to the
    next two from below, and so on; then it is a rank sum test. Adding a constant or swapping the samples changes
    nothing. Turning the signs round may move p a little, since the ranking begins at the low end. Samples of equal
    spread and unequal medians may be distinguished too: it is no test of spread alone.

    Source: S. Siegel, J. W. Tukey, A nonparametric sum of ranks procedure for relative spread in unpaired samples,
    1960.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        method: `auto` is `exact` up to `EXACT_SPLITS` splits and `normal` beyond. `normal` corrects the variance for
            ties and the distance by one half. The others are what two packages of R give:

            - `DescTools` drops the median of an odd number of values, ranks the mid-ranks once more, and is exact
              without ties below 50 values a sample, else normal with both corrections.
            - `PMCMRplus` is exact without ties. With ties its variance is that of the mid-ranks, but the sum of ranks
              is not: tied values keep the ranks of their order, x first, so that swapping x and y may change p.
        odd: What is done with an odd number of values: `keep` ranks them all (Siegel and Tukey's own test drops
            none where samples are small), `drop_median` leaves out one value at the median, of the larger sample
            where it has one. None is `keep`, and `drop_median` for `DescTools`.

    Returns:
        The sum of x's ranks (`PMCMRplus`: as it ranks them), p and how it was found.

    Raises:
        ValueError: A value is not finite, a sample has fewer than two, or a setting is unknown.
    """
    if method not in get_args(SiegelTukeyMethod) or odd not in (None, *get_args(Odd)):
        raise ValueError(f"found the settings {method!r} and {odd!r}, expected one of those that are documented")
    first, second = _samples(x, y)
    dropped = None
    if (odd or ("drop_median" if method == "DescTools" else "keep")) == "drop_median":
        first, second, dropped = _without_median(first, second)
    if method == "DescTools":
        result = _desctools(first, second)
    elif method == "PMCMRplus":
        result = _pmcmrplus(first, second)
    else:
        result = _of_two(_mid_scores([*first, *second], from_both_ends(len(first) + len(second))), len(first), method)
    return result._replace(dropped=dropped)


def rank_sum(x: ArrayLike, y: ArrayLike, method: Method = "auto") -> RankTest:
    """Wilcoxon's rank sum test of equal location, unpaired (Mann and Whitney's U).

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        method: See `siegel_tukey`.

    Raises:
        ValueError: As `siegel_tukey`.
    """
    first, second = _samples(x, y)
    pooled = [*first, *second]
    return _of_two(_mid_scores(pooled, list(range(1, len(pooled) + 1))), len(first), method)


def ansari_bradley(x: ArrayLike, y: ArrayLike, method: Method = "auto") -> RankTest:
    """Ansari and Bradley's test of equal spread: ranks rise from both ends alike, so that no end comes first.

    Exact or normal, it is as `scipy.stats.ansari` has it where no values are tied. With ties the statistic is the same,
    but p is counted exactly, or, beyond the stated size, by the mean and the variance of all splits; scipy takes the
    normal approximation also for few values, and with the mean of untied ones.

    Args:
        x: Numbers, shape (n,).
        y: Numbers, shape (m,).
        method: See `siegel_tukey`; without a correction of the distance where it is `normal`.

    Raises:
        ValueError: As `siegel_tukey`.
    """
    first, second = _samples(x, y)
    total = len(first) + len(second)
    ranks = _mid_scores([*first, *second], list(range(1, total + 1)))
    return _of_two([min(rank, total + 1 - rank) for rank in ranks], len(first), method, correction=0.0)


def signed_rank(x: ArrayLike, y: ArrayLike) -> float:
    """Wilcoxon's signed rank test of paired values: is the difference as often, and as much, above zero as below?

    Five pairs can never reach a two-sided p of .05: the smallest is 2 / 32 = .0625.

    Args:
        x: Numbers, shape (n,).
        y: Their partners, shape (n,).

    Returns:
        The two-sided p. Differences of zero are left out (Wilcoxon's own way). Exact as `scipy.stats.wilcoxon` has it:
        up to 50 differences without ties, and up to 13 with ties by all changes of signs; else the normal
        approximation, corrected for ties. 1 if no pair differs.

    Raises:
        ValueError: The shapes differ, there are no pairs, or a value is not finite.
    """
    from scipy import stats

    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise ValueError(f"found the shapes {first.shape} and {second.shape}, expected two rows of one length")
    differences = first - second
    if not np.isfinite(differences).all():
        raise ValueError("found a number that is not finite")
    differences = differences[differences != 0]
    if not differences.size:
        return 1.0
    few_and_tied = differences.size <= 13 and len(np.unique(np.abs(differences))) < differences.size
    how = stats.PermutationMethod(n_resamples=np.inf) if few_and_tied else "auto"
    return float(stats.wilcoxon(differences, method=how).pvalue)


def smallest_p(n: int, m: int) -> float:
    """The smallest two-sided p that an exact test of two samples can give: one split in all, and its mirror."""
    return min(1.0, 2 / comb(n + m, n))


def from_both_ends(count: int) -> list[int]:
    """Siegel and Tukey's ranks of sorted values: 1, 4, 5, 8, … from below, 2, 3, 6, 7, … from above."""
    ranks = [0] * count
    low, high = 0, count - 1
    for rank in range(1, count + 1):
        if rank % 4 in (0, 1):
            ranks[low], low = rank, low + 1
        else:
            ranks[high], high = rank, high - 1
    return ranks


def _samples(x: ArrayLike, y: ArrayLike) -> tuple[list[float], list[float]]:
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.ndim != 1 or second.ndim != 1 or min(len(first), len(second)) < 2:
        raise ValueError(f"found the shapes {first.shape} and {second.shape}, expected two rows of two or more values")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("found a number that is not finite")
    return first.tolist(), second.tolist()


def _without_median(first: list[float], second: list[float]) -> tuple[list[float], list[float], float | None]:
    """Leaves out the median if the values are odd in number: out of the larger sample if that has it."""
    total = len(first) + len(second)
    if total % 2 == 0:
        return first, second, None
    median = sorted([*first, *second])[total // 2]
    larger, smaller = (first, second) if len(first) > len(second) else (second, first)
    shorter = list(larger if median in larger else smaller)
    shorter.remove(median)
    if (larger if median in larger else smaller) is first:
        return shorter, second, median
    return first, shorter, median


def _mid_scores(values: Sequence[float], ranks: Sequence[int]) -> Scores:
    """The mean of the ranks of equal values, in the order of the values.

    Args:
        values: In any order.
        ranks: Of the sorted values.
    """
    held: dict[float, list[int]] = {}
    for value, rank in zip(sorted(values), ranks, strict=True):
        held.setdefault(value, []).append(rank)
    means = {value: Fraction(sum(of_value), len(of_value)) for value, of_value in held.items()}
    return [means[value] for value in values]


def _of_two(scores: Scores, n: int, method: Method, correction: float = 0.5) -> RankTest:
    """The test of the sum of the first n scores."""
    if method not in get_args(Method):
        raise ValueError(f"found the method {method!r}, expected one of {', '.join(get_args(Method))}")
    splits, statistic = comb(len(scores), n), sum(scores[:n], Fraction())
    exact = method == "exact" or (method == "auto" and splits <= EXACT_SPLITS)
    if exact:
        p = _exact_p(scores, n, statistic)
    else:
        distance, deviation = _distance(scores, n, statistic)
        p = _normal_p(max(0.0, abs(distance) - correction), deviation)
    return RankTest(float(statistic), p, "exact" if exact else "normal", splits)


def _exact_p(scores: Scores, n: int, statistic: Fraction) -> float:
    """Twice the smaller tail over all splits, counted by (how many are taken, their sum) instead of one by one."""
    scale = lcm(*(score.denominator for score in scores))
    counts: list[Counter[int]] = [Counter({0: 1}), *(Counter[int]() for _ in range(n))]
    for score, size in Counter(scores).items():
        step = int(score * scale)
        for taken in range(n, 0, -1):
            for drawn in range(1, min(size, taken) + 1):
                ways = comb(size, drawn)
                for total, count in counts[taken - drawn].items():
                    counts[taken][total + drawn * step] += ways * count
    by_total, observed = counts[n], int(statistic * scale)
    lower = sum(count for total, count in by_total.items() if total <= observed)
    upper = sum(count for total, count in by_total.items() if total >= observed)
    return float(min(Fraction(1), Fraction(2 * min(lower, upper), comb(len(scores), n))))


def _distance(scores: Scores, n: int, statistic: Fraction) -> tuple[float, float]:
    """How far a sum lies from its mean over all splits, and their standard deviation: exact, ties and all."""
    total = len(scores)
    mean = sum(scores, Fraction()) / total
    squares = sum(((score - mean) ** 2 for score in scores), Fraction())
    return float(statistic - n * mean), float(Fraction(n * (total - n), total * (total - 1)) * squares) ** 0.5


def _normal_p(distance: float, deviation: float) -> float:
    from scipy.stats import norm

    return 1.0 if deviation == 0 else min(1.0, 2 * float(norm.sf(abs(distance) / deviation)))


# --- what two packages of R compute ---


def _desctools(first: list[float], second: list[float]) -> RankTest:
    total, n = len(first) + len(second), len(first)
    scores = _mid_scores([*first, *second], from_both_ends(total))
    again = _mid_scores([float(score) for score in scores], list(range(1, total + 1)))
    statistic = float(sum(scores[:n], Fraction()))
    untied = len(set(again)) == total
    if untied and max(n, total - n) < 50:
        p = _exact_untied(again, n)
    else:
        distance, deviation = _distance(again, n, sum(again[:n], Fraction()))
        p = _normal_p(distance - 0.5 * np.sign(distance), deviation)
    return RankTest(statistic, p, "DescTools", comb(total, n))


def _pmcmrplus(first: list[float], second: list[float]) -> RankTest:
    pooled, n = [*first, *second], len(first)
    total, ends = len(pooled), from_both_ends(len(pooled))
    order = sorted(range(total), key=pooled.__getitem__)  # stable: of equal values x's come first
    ranks = {place: Fraction(rank) for place, rank in zip(order, ends, strict=True)}
    statistic = sum((ranks[place] for place in range(n)), Fraction())
    if len(set(pooled)) == total:
        p = _exact_untied([ranks[place] for place in range(total)], n)
    else:
        distance, deviation = _distance(_mid_scores(pooled, ends), n, statistic)
        p = _normal_p(distance + (-0.5 if distance > 0 else 0.5), deviation)
    return RankTest(float(statistic), p, "PMCMRplus", comb(total, n))


def _exact_untied(ranks: Scores, n: int) -> float:
    from scipy.stats import mannwhitneyu

    plain = [float(rank) for rank in ranks]
    return float(mannwhitneyu(plain[:n], plain[n:], method="exact").pvalue)
