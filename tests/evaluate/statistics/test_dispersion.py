"""Rank tests of two small samples: R's numbers, all splits one by one, scipy where it overlaps, and properties."""

import itertools
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from tashika.evaluate.statistics.dispersion import (
    EXACT_SPLITS,
    Method,
    RankTest,
    SiegelTukeyMethod,
    ansari_bradley,
    from_both_ends,
    rank_sum,
    siegel_tukey,
    signed_rank,
    smallest_p,
)


class TwoSampleTest(Protocol):
    """Any of the tests of two samples."""

    def __call__(self, x: ArrayLike, y: ArrayLike, method: Method = "auto", /) -> RankTest: ...


SCORES = st.lists(st.integers(1, 10), min_size=2, max_size=5)
TESTS: tuple[TwoSampleTest, ...] = (siegel_tukey, rank_sum, ansari_bradley)

# Two packages of R and all splits of the mid-ranks, run side by side: x, y, DescTools, PMCMRplus, exact.
TABLE = [
    ([12, 13, 29, 30], [15, 17, 18, 24, 25, 26], 0.0095238, 0.0095238, 0.0095238),
    ([4, 4, 5, 5, 6, 6], [0, 0, 1, 9, 10, 10], 0.0036009, 0.0036009, 0.0021645),
    ([8, 8, 8, 8, 8], [7, 9, 7, 9, 8], 0.019964, 0.0070507, 0.047619),
    ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1], 0.0065017, 0.0042232, 0.0079365),
]


@pytest.mark.parametrize(("x", "y", "desctools", "pmcmrplus", "exact"), TABLE)
def test_siegel_tukey_against_r(
    x: list[float], y: list[float], desctools: float, pmcmrplus: float, exact: float
) -> None:
    expected: dict[SiegelTukeyMethod, float] = {
        "DescTools": desctools,
        "PMCMRplus": pmcmrplus,
        "exact": exact,
        "auto": exact,
    }
    for method, p in expected.items():
        found = siegel_tukey(x, y, method)
        assert found.p == pytest.approx(p, rel=3e-5)
        assert found.method == ("exact" if method == "auto" else method)


@pytest.mark.parametrize(("x", "y", "p"), [(*TABLE[1][:2], 0.0036009), (*TABLE[2][:2], 0.019964)])
def test_the_normal_approximation_is_r_s_where_ranking_the_mid_ranks_once_more_changes_none(
    x: list[float], y: list[float], p: float
) -> None:
    assert siegel_tukey(x, y, "normal").p == pytest.approx(p, rel=3e-5)


def test_r_s_normal_columns_differ_where_ties_cross_the_samples_or_mid_ranks_coincide() -> None:
    # x's eights hold the ranks 5, 7, 8, 9, 10 and y's the 6: a sum of 39, of mid-ranks 37.5
    assert siegel_tukey(*TABLE[2][:2], "PMCMRplus").statistic == 39
    assert siegel_tukey(*TABLE[2][:2], "DescTools").statistic == 37.5
    assert siegel_tukey(*TABLE[2][1::-1], "PMCMRplus").p != pytest.approx(0.0070507, rel=0.1)


@pytest.mark.parametrize("method", ["auto", "exact", "normal", "DescTools", "PMCMRplus"])
def test_all_tied(method: SiegelTukeyMethod) -> None:
    assert siegel_tukey([3, 3, 3], [3, 3, 3], method).p == 1


@pytest.mark.parametrize("test", TESTS)
def test_all_tied_or_of_the_same_values(test: TwoSampleTest) -> None:
    assert test([8] * 5, [8] * 5).p == 1
    assert test([2, 4, 6], [2, 4, 6], "normal").p == 1


def test_ranks_from_both_ends() -> None:
    assert from_both_ends(10) == [1, 4, 5, 8, 9, 10, 7, 6, 3, 2]
    assert from_both_ends(7) == [1, 4, 5, 7, 6, 3, 2]
    assert from_both_ends(1) == [1]


def by_all_splits(scores: Sequence[float], n: int) -> float:
    """Twice the smaller tail over every choice of n of the scores."""
    sums = [sum(chosen) for chosen in itertools.combinations(scores, n)]
    observed = sum(scores[:n])
    lower, upper = sum(s <= observed + 1e-9 for s in sums), sum(s >= observed - 1e-9 for s in sums)
    return min(1, 2 * min(lower, upper) / len(sums))


def mean_ranks(values: Sequence[float], ranks: Sequence[int]) -> list[float]:
    ordered = sorted(values)
    return [float(np.mean([r for v, r in zip(ordered, ranks, strict=True) if v == value])) for value in values]


@given(SCORES, SCORES)
def test_exact_p_is_that_of_all_splits(x: list[int], y: list[int]) -> None:
    pooled, total = x + y, len(x) + len(y)
    plain = mean_ranks(pooled, range(1, total + 1))
    for test, scores in (
        (siegel_tukey, mean_ranks(pooled, from_both_ends(total))),
        (rank_sum, plain),
        (ansari_bradley, [min(rank, total + 1 - rank) for rank in plain]),
    ):
        found = test(x, y)
        assert found.p == pytest.approx(by_all_splits(scores, len(x)))
        assert found.statistic == pytest.approx(sum(scores[: len(x)]))
        assert found.splits == math.comb(total, len(x))
        assert found.p >= smallest_p(len(x), len(y)) - 1e-12


@given(SCORES, SCORES, st.integers(-20, 20), st.sampled_from([0.5, 2, 4]))
def test_shift_scale_and_swapping_the_samples_change_nothing(
    x: list[int], y: list[int], shift: int, scale: float
) -> None:
    methods: tuple[Method, ...] = ("exact", "normal")
    for test in TESTS:
        for method in methods:
            p = test(x, y, method).p
            assert test(y, x, method).p == pytest.approx(p)
            assert test(np.array(x) * scale + shift, np.array(y) * scale + shift, method).p == pytest.approx(p)


@given(SCORES, SCORES)
def test_turning_the_signs_round_changes_nothing_but_for_siegel_tukey(x: list[int], y: list[int]) -> None:
    for test in (rank_sum, ansari_bradley):
        assert test(-np.array(x), -np.array(y)).p == pytest.approx(test(x, y).p)


def test_siegel_tukey_begins_at_the_low_end() -> None:
    # 1, 2, 3, 4 hold the ranks 1, 4, 3, 2
    assert siegel_tukey([1, 3], [2, 4]).statistic == 4
    assert siegel_tukey([-1, -3], [-2, -4]).statistic == 6
    x, y = [1, 2, 9], [3, 4, 5, 6]
    assert siegel_tukey(x, y).p != siegel_tukey(np.negative(x), np.negative(y)).p


@given(st.permutations(range(12)), st.integers(2, 10))
def test_without_ties_it_is_scipy_s(values: list[int], n: int) -> None:
    x, y = values[:n], values[n:]
    assert rank_sum(x, y).p == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)
    assert ansari_bradley(x, y).p == pytest.approx(stats.ansari(x, y).pvalue)


def test_beyond_the_stated_size_it_is_normal_and_scipy_s() -> None:
    random = np.random.default_rng(4)
    x, y = random.integers(1, 11, 16), random.integers(3, 9, 14)
    assert rank_sum(x, y).method == ansari_bradley(x, y).method == siegel_tukey(x, y).method == "normal"
    assert rank_sum(x, y).p == pytest.approx(stats.mannwhitneyu(x, y, method="asymptotic").pvalue)
    assert ansari_bradley(x, y).statistic == stats.ansari(x, y).statistic
    for test in TESTS:
        assert test(x, y).p == pytest.approx(test(x, y, "exact").p, rel=0.15)
    untied = random.permutation(140)
    found = stats.ansari(untied[:60], untied[60:])
    assert ansari_bradley(untied[:60], untied[60:]).p == pytest.approx(found.pvalue)


def test_the_stated_size() -> None:
    ten, eleven = np.arange(10), np.arange(11) + 0.5
    assert math.comb(20, 10) <= EXACT_SPLITS < math.comb(21, 10)
    assert siegel_tukey(ten, ten + 0.5).method == "exact"
    assert siegel_tukey(ten, eleven).method == "normal"
    assert siegel_tukey(ten, eleven, "exact").method == "exact"


def test_what_r_does_without_ties_is_the_exact_test() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=6), random.normal(size=8)
    p = siegel_tukey(x, y, "exact").p
    assert siegel_tukey(x, y, "DescTools").p == pytest.approx(p)
    assert siegel_tukey(x, y, "PMCMRplus").p == pytest.approx(p)


def test_odd_numbers_of_values_are_kept_or_lose_the_median_of_the_larger_sample() -> None:
    x, y = [4, 4, 5, 5, 6, 6], [0, 0, 1, 9, 10]
    kept = siegel_tukey(x, y)
    assert kept.dropped is None
    assert kept.splits == math.comb(11, 6)
    dropped = siegel_tukey(x, y, odd="drop_median")
    assert dropped.dropped == 5
    assert dropped._replace(dropped=None) == siegel_tukey([4, 4, 5, 6, 6], y)
    assert siegel_tukey(x, y, "DescTools").dropped == 5
    assert siegel_tukey(x, y, "DescTools", odd="keep").dropped is None
    assert siegel_tukey([1, 2, 9, 10], [5, 5, 6], odd="drop_median").splits == math.comb(6, 2)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, math.nan, 3], [1, 2], "not finite"),
        ([1, 2], [math.inf, 2], "not finite"),
        ([], [1, 2], "two or more values"),
        ([1, 2], [3], "two or more values"),
        ([[1, 2]], [1, 2], "two or more values"),
    ],
)
def test_what_is_no_sample(x: ArrayLike, y: ArrayLike, message: str) -> None:
    for test in TESTS:
        with pytest.raises(ValueError, match=message):
            test(x, y)


def test_unknown_ways() -> None:
    with pytest.raises(ValueError, match="expected one of"):
        siegel_tukey([1, 2], [3, 4], "Exact")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected one of"):
        siegel_tukey([1, 2], [3, 4], odd="drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected one of"):
        rank_sum([1, 2], [3, 4], "DescTools")  # type: ignore[arg-type]


def test_five_pairs_never_reach_a_twentieth_by_signed_ranks() -> None:
    assert signed_rank([6, 7, 8, 9, 10], [1, 1, 1, 1, 1]) == 0.0625
    assert signed_rank([2, 2, 2, 2, 2], [1, 1, 1, 1, 1]) == 0.0625


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_signed_ranks_are_all_changes_of_signs(differences: list[int]) -> None:
    kept = [d for d in differences if d]
    ranks = stats.rankdata(np.abs(kept))
    sums = [np.dot(ranks, signs) for signs in itertools.product((0, 1), repeat=len(kept))] if kept else [0]
    observed = np.dot(ranks, np.array(kept) > 0) if kept else 0
    tails = np.mean(np.array(sums) <= observed + 1e-9), np.mean(np.array(sums) >= observed - 1e-9)
    assert signed_rank(differences, np.zeros(len(differences))) == pytest.approx(min(1, 2 * min(tails)))


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [1, 2]), ([math.nan, 1], [1, 2])])
def test_what_are_no_pairs(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match=r"expected two rows|not finite"):
        signed_rank(x, y)
