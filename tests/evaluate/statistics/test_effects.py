"""Effects of two small samples, by hand, against scipy and against naive loops."""

from __future__ import annotations

from itertools import combinations
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tashika.evaluate.statistics.dispersion import ansari_bradley, rank_sum, siegel_tukey
from tashika.evaluate.statistics.effects import (
    bootstrap_mean,
    brown_forsythe,
    centred_siegel_tukey,
    cliffs_delta,
    lepage,
    mean_difference,
    width_difference,
)

EIGHTS, NINES = [8.0] * 5, [9.0] * 5
SCORES = st.lists(st.integers(1, 10), min_size=5, max_size=5)


def test_two_constant_sets_differ_in_place_alone() -> None:
    """What Siegel and Tukey's plain test calls a difference of spread."""
    assert siegel_tukey(EIGHTS, NINES).p == pytest.approx(2 / 252)
    assert siegel_tukey(EIGHTS, NINES, "normal").p == pytest.approx(1.0)
    assert siegel_tukey(EIGHTS, NINES, "PMCMRplus").p == pytest.approx(1.0)
    assert siegel_tukey(EIGHTS, NINES, "DescTools").p == pytest.approx(0.004, abs=5e-4)
    assert ansari_bradley(EIGHTS, NINES).p == 1
    assert centred_siegel_tukey(EIGHTS, NINES).p == 1
    assert brown_forsythe(EIGHTS, NINES) == 1
    assert rank_sum(EIGHTS, NINES).p == lepage(EIGHTS, NINES).p == pytest.approx(2 / 252)
    assert width_difference(EIGHTS, NINES) == (0, None)
    assert mean_difference(EIGHTS, NINES) == (1, None)


def test_a_shift_hides_a_spread_from_the_plain_test_and_not_from_the_centred() -> None:
    x, y = [1, 1, 1, 1, 2], [6, 8, 8, 9, 10]
    assert siegel_tukey(x, y).p > 0.9
    assert centred_siegel_tukey(x, y).p < siegel_tukey(x, y).p
    assert rank_sum(x, y).p == pytest.approx(2 / 252)
    assert lepage(x, y).p < 0.05


def test_centring_does_not_part_values_that_are_equal() -> None:
    assert centred_siegel_tukey([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]).p == 1


@given(SCORES, SCORES)
def test_brown_forsythe_is_scipys_where_that_has_a_number(x: list[int], y: list[int]) -> None:
    with np.errstate(all="ignore"):
        expected = stats.levene(x, y, center="median").pvalue
    assert brown_forsythe(x, y) == (pytest.approx(expected) if not np.isnan(expected) else 1.0)


def test_brown_forsythe_of_distances_that_differ_between_the_sides_alone() -> None:
    assert brown_forsythe([5, 5, 5, 5], [4, 4, 6, 6]) == 0


def naive_lepage(x: list[int], y: list[int]) -> float:
    """By definition, over all splits, with scipy's ranks."""
    pooled, n = [*x, *y], len(x)
    ranks = stats.rankdata(pooled)
    order = sorted(range(len(pooled)), key=lambda i: pooled[i])
    raw = {i: min(place, len(pooled) + 1 - place) for place, i in enumerate(order, 1)}
    ansari = [np.mean([raw[j] for j in range(len(pooled)) if pooled[j] == pooled[i]]) for i in range(len(pooled))]
    splits = list(combinations(range(len(pooled)), n))
    total = np.zeros(len(splits))
    for scores in (ranks, ansari):
        sums = np.array([sum(scores[i] for i in split) for split in splits])
        if sums.std() > 1e-12:
            total += ((sums - sums.mean()) / sums.std()) ** 2
    return float(np.mean(total >= total[0] - 1e-9))


@given(SCORES, SCORES)
def test_lepage_is_that_of_a_naive_loop(x: list[int], y: list[int]) -> None:
    assert lepage(x, y).p == pytest.approx(naive_lepage(x, y))
    assert lepage(y, x).p == pytest.approx(lepage(x, y).p)
    assert lepage([-value for value in x], [-value for value in y]).p == pytest.approx(lepage(x, y).p)


def test_lepage_of_many_values_is_chi_square() -> None:
    """Its two parts are scipy's statistics without ties."""
    random = np.random.default_rng(3)
    x, y = random.normal(0, 1, 30), random.normal(0.6, 2, 25)
    z = stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic")
    place = stats.norm.isf(z.pvalue / 2) ** 2
    n, m = 30, 25
    ab, total = stats.ansari(x, y).statistic, n + m
    mean = n * (total + 1) ** 2 / (4 * total)
    variance = n * m * (total + 1) * (3 + total**2) / (48 * total**2)
    result = lepage(x, y)
    assert result.method == "normal"
    assert result.statistic == pytest.approx(place + (ab - mean) ** 2 / variance)
    assert result.p == pytest.approx(stats.chi2.sf(result.statistic, 2))


@pytest.mark.parametrize(("x", "y"), [([1, 2, 2, 3, 5], [2, 4, 4, 6, 9]), (EIGHTS, NINES), (NINES, EIGHTS)])
def test_cliffs_delta_by_a_loop_and_by_mann_whitneys_u(x: list[float], y: list[float]) -> None:
    delta, interval = cliffs_delta(x, y)
    pairs = [(b > a) - (b < a) for a in x for b in y]
    assert delta == pytest.approx(sum(pairs) / 25)
    assert (1 + delta) / 2 == pytest.approx(stats.mannwhitneyu(y, x).statistic / 25)
    assert interval is not None
    assert interval.low <= delta <= interval.high
    assert interval.high - interval.low > 0.1  # also where the samples do not overlap


def test_newcombes_interval_solves_its_equation() -> None:
    """At each end the distance is 1.96 of Hanley and McNeil's errors, with their exponential areas."""
    delta, interval = cliffs_delta([1, 2, 3, 4, 6], [2, 4, 5, 7, 9])
    assert interval is not None
    area = (1 + delta) / 2
    for end in ((1 + interval.low) / 2, (1 + interval.high) / 2):
        q1, q2 = end / (2 - end), 2 * end**2 / (1 + end)
        middle = (5 + 5) / 2 - 1
        hanley = (end * (1 - end) + middle * (q1 - end**2) + middle * (q2 - end**2)) / 25
        assert abs(end - area) == pytest.approx(1.959964 * hanley**0.5, rel=1e-5)


def test_newcombes_interval_covers_what_it_should() -> None:
    """Of 2,000 draws of normal values a deviation apart, the true area is inside in at least 93 %."""
    random = np.random.default_rng(5)
    truth = 2 * stats.norm.cdf(1 / 2**0.5) - 1
    inside = 0
    for _ in range(2000):
        interval = cliffs_delta(random.normal(0, 1, 5), random.normal(1, 1, 5)).interval
        inside += interval is not None and interval.low <= truth <= interval.high
    assert inside / 2000 > 0.93


@given(SCORES, SCORES)
def test_mean_differences_are_welchs(x: list[int], y: list[int]) -> None:
    effect = mean_difference(x, y)
    if len(set(x)) == len(set(y)) == 1:
        assert effect.interval is None
        return
    interval = stats.ttest_ind(y, x, equal_var=False).confidence_interval()
    assert effect.interval is not None
    assert (effect.interval.low, effect.interval.high) == pytest.approx((interval.low, interval.high))


def test_widths_by_hand() -> None:
    """Distances from the medians 5 and 4: 0 0 0 0 0, and 2 2 0 2 2."""
    value, interval = width_difference([5] * 5, [2, 2, 4, 6, 6])
    assert value == pytest.approx(1.6)
    assert interval is not None
    assert interval.low == pytest.approx(1.6 - stats.t.ppf(0.975, 4) * (0.8 / 5) ** 0.5)


def test_a_mean_over_proverbs() -> None:
    assert bootstrap_mean([], resamples=10, seed=0) is None
    assert bootstrap_mean([3], resamples=10, seed=0) == (3, None)
    effect = bootstrap_mean(list(range(100)), resamples=2000, seed=1)
    assert effect is not None
    assert effect.interval is not None
    assert effect.value == 49.5
    half = 1.96 * np.std(range(100), ddof=1) / 10
    assert (effect.interval.low, effect.interval.high) == pytest.approx((49.5 - half, 49.5 + half), abs=0.6)


def test_mistakes_of_the_program() -> None:
    for broken in ([1.0], [1.0, nan]):
        with pytest.raises(ValueError, match="finite"):
            lepage(broken, [1, 2])
    with pytest.raises(ValueError, match="empty"):
        cliffs_delta([], [1])
    with pytest.raises(ValueError, match="empty"):
        centred_siegel_tukey([], [1])
