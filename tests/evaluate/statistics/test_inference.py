"""Statistics: published reference numbers, hand-computed examples, and the bootstrap against all of its draws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tashika.evaluate.statistics.inference import (
    cluster_bootstrap,
    cluster_replicates,
    fisher_exact,
    holm,
    mcnemar_exact,
    mcnemar_mid_p,
    percentile_interval,
    point_biserial,
    wilson_interval,
)

PVALUES = st.lists(st.none() | st.floats(0, 1), max_size=12)


def test_mcnemar_on_agresti_s_approval_ratings() -> None:
    assert mcnemar_exact(86, 150) == pytest.approx(3.7159e-5, rel=1e-4)


def test_mcnemar_exact_and_mid_p() -> None:
    assert mcnemar_exact(6, 16) == pytest.approx(0.052479, abs=5e-7)
    assert mcnemar_mid_p(6, 16) == pytest.approx(0.034690, abs=5e-7)


def test_mcnemar_where_nothing_changed_or_both_ways_alike() -> None:
    assert mcnemar_exact(0, 0) == 1
    assert mcnemar_mid_p(0, 0) == 1
    assert mcnemar_exact(7, 7) == 1
    assert mcnemar_mid_p(7, 7) == pytest.approx(1)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_twice_the_binomial_s_tail_whichever_way(b: int, c: int) -> None:
    tail = sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    assert mcnemar_exact(b, c) == pytest.approx(min(1, 2 * tail))
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert mcnemar_mid_p(b, c) <= mcnemar_exact(b, c) + 1e-12


def test_mcnemar_of_many_pairs_stays_a_probability() -> None:
    assert 0 <= mcnemar_exact(10_000, 30_000) < 1e-300
    assert 0 < mcnemar_exact(20_000, 20_100) < 1


def test_mcnemar_of_negative_counts() -> None:
    with pytest.raises(ValueError, match="expected no negative count"):
        mcnemar_exact(-1, 3)


@pytest.mark.parametrize(
    ("table", "p"), [([[3, 1], [1, 3]], 0.485714), ([[8, 2], [1, 5]], 0.034965), ([[0, 5], [0, 7]], 1)]
)
def test_fisher(table: list[list[int]], p: float) -> None:
    assert fisher_exact(table) == pytest.approx(p, abs=5e-7)
    assert fisher_exact(table[::-1]) == pytest.approx(p, abs=5e-7)


def test_fisher_of_an_empty_group() -> None:
    assert fisher_exact([[0, 0], [3, 4]]) == 1


@pytest.mark.parametrize("table", [[[1, 2]], [[1, 2], [3, -4]], [[1, 2], [3, 4], [5, 6]], [[0.5, 1], [2, 3]]])
def test_fisher_of_what_is_no_table(table: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="expected 2 × 2 whole counts"):
        fisher_exact(table)


def test_point_biserial_of_scipy_s_example() -> None:
    found = point_biserial(range(7), [0, 0, 0, 1, 1, 1, 1])
    assert found is not None
    assert found.r == pytest.approx(0.866025, abs=5e-7)
    assert found.p == pytest.approx(0.011725, abs=5e-7)


def test_point_biserial_changes_its_sign_with_the_answers() -> None:
    x, right = [1.0, 2.5, 2.5, 4, 8], np.array([True, False, True, True, False])
    wrong, found = point_biserial(x, ~right), point_biserial(x, right)
    assert wrong is not None
    assert found is not None
    assert wrong.r == pytest.approx(-found.r)


@pytest.mark.parametrize(
    ("x", "right"), [([1, 2, 3], [1, 1, 1]), ([1, 2, 3], [0, 0, 0]), ([2, 2, 2], [0, 1, 0]), ([1, 2], [0, 1]), ([], [])]
)
def test_point_biserial_where_it_is_not_defined(x: list[int], right: list[int]) -> None:
    assert point_biserial(x, right) is None


def test_point_biserial_of_bad_input() -> None:
    with pytest.raises(ValueError, match="rows of one length"):
        point_biserial([1, 2, 3], [0, 1])
    with pytest.raises(ValueError, match="not finite"):
        point_biserial([1, math.nan, 3], [0, 1, 0])


def test_holm_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04; the last rises to the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_passes_missing_tests_through_and_does_not_count_them() -> None:
    assert holm([None, 0.02, None, 0.5]) == [None, pytest.approx(0.04), None, 0.5]
    assert holm([]) == []
    assert holm([None]) == [None]


def test_holm_never_exceeds_one() -> None:
    assert holm([0.6, 0.9]) == [1, 1]


@given(PVALUES)
def test_holm_lies_between_the_raw_p_and_bonferroni_s_and_keeps_the_order(raw: list[float | None]) -> None:
    adjusted = holm(raw)
    assert [p is None for p in raw] == [a is None for a in adjusted]
    known = [(p, a) for p, a in zip(raw, adjusted, strict=True) if p is not None and a is not None]
    assert all(p <= a <= min(1, p * len(known)) + 1e-12 for p, a in known)
    assert [a for _, a in sorted(known)] == sorted(a for _, a in known)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_holm_of_what_is_no_probability(p: float) -> None:
    with pytest.raises(ValueError, match="outside 0 to 1"):
        holm([0.1, p])


def test_the_bootstrap_draws_as_all_possible_draws_say() -> None:
    right, answers = np.array([[1.0], [3.0], [0.0]]), np.array([[4.0], [3.0], [2.0]])
    exact = [
        right[list(drawn)].sum() / answers[list(drawn)].sum() for drawn in itertools.product(range(3), repeat=3)
    ]  # all 27
    drawn = cluster_replicates(right, answers, resamples=40_000, seed=1)[:, 0]
    values, counts = np.unique(np.round(exact, 9), return_counts=True)
    found, times = np.unique(np.round(drawn, 9), return_counts=True)
    assert found == pytest.approx(values)
    assert times / 40_000 == pytest.approx(counts / 27, abs=0.01)


def test_the_interval_holds_the_stated_middle_of_the_draws() -> None:
    assert percentile_interval(np.arange(101, dtype=np.float64), 0.9) == pytest.approx((5, 95))
    assert percentile_interval(np.array([np.nan, 2, np.nan, 2]), 0.95) == (2, 2)


def test_the_interval_of_nothing_and_of_a_bad_level() -> None:
    assert percentile_interval(np.array([np.nan])) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile_interval(np.ones(3), 95)


def test_one_bootstrap_of_labelled_clusters() -> None:
    subjects = ["b", "a", "b", "a", "c"]
    interval = cluster_bootstrap(subjects, [1, 0, 1, 0, 1], np.ones(5), resamples=4000)
    assert interval == (0, 1)  # all three draws of "a" alone, or of the others alone, are likely enough
    assert cluster_bootstrap(subjects, [1, 0, 1, 0, 1], np.ones(5), resamples=4000) == interval


def test_one_cluster_has_no_interval() -> None:
    assert cluster_bootstrap(["a", "a"], [0, 1], [1, 1]) is None
    assert cluster_bootstrap(["a", "b"], [0, 0], [1, 0]) is None
    assert cluster_bootstrap([], [], []) is None


def test_clusters_that_agree_give_an_interval_of_no_width() -> None:
    assert cluster_bootstrap(["a", "b", "c"], [1, 1, 1], [1, 1, 1]) == (1, 1)


def test_answers_that_always_agree_within_a_subject_widen_the_interval() -> None:
    subjects = np.repeat(np.arange(40), 10)
    alike = cluster_bootstrap(subjects, subjects % 2, np.ones(400))
    mixed = np.random.default_rng(0).permutation(subjects % 2)
    apart = cluster_bootstrap(subjects, mixed, np.ones(400))
    assert alike is not None
    assert apart is not None
    assert alike.high - alike.low > 2 * (apart.high - apart.low)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random, hits = np.random.default_rng(3), 0
    for _ in range(200):
        chance = random.beta(4, 4, size=60)  # of each subject; the mean is one half
        right = random.binomial(5, chance)
        interval = cluster_bootstrap(np.arange(60), right, np.full(60, 5), resamples=400)
        assert interval is not None
        hits += interval.low <= 0.5 <= interval.high
    assert 180 <= hits <= 199


def test_many_clusters_are_drawn_in_pieces_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    from tashika.evaluate.statistics import inference as statistics

    sums, answers = np.arange(12.0)[:, None] / 12, np.ones((12, 1))
    whole = cluster_replicates(sums, answers, resamples=50, seed=5)
    monkeypatch.setattr(statistics, "_DRAWN_AT_ONCE", 24)
    assert cluster_replicates(sums, answers, resamples=50, seed=5) == pytest.approx(whole)


def test_ratios_of_one_draw_are_paired() -> None:
    sums = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    drawn = cluster_replicates(sums, np.ones((3, 2)), resamples=30)
    assert (drawn[:, 0] == drawn[:, 1]).all()


def test_the_bootstrap_of_bad_input() -> None:
    with pytest.raises(ValueError, match="rows of one length"):
        cluster_bootstrap(["a"], [1, 2], [1, 2])
    with pytest.raises(ValueError, match=r"expected \(clusters, ratios\)"):
        cluster_replicates(np.ones((2, 1)), np.ones((3, 1)))
    with pytest.raises(ValueError, match="0 resamples"):
        cluster_replicates(np.ones((2, 1)), np.ones((2, 1)), resamples=0)


def test_wilson_by_hand() -> None:
    # z = 1.96 and 8 of 10: (.8 + z²/20 ± z √(.016 + z²/400)) / (1 + z²/10)
    assert wilson_interval(8, 10) == pytest.approx((0.490162, 0.943318), abs=5e-7)
    none_right = wilson_interval(0, 10)
    assert none_right is not None
    assert none_right.low == pytest.approx(0)
    assert wilson_interval(0, 0) is None


def test_wilson_by_the_book() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29
    for correct, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = wilson_interval(correct, n)
        assert found == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_has_a_width(counts: tuple[int, int]) -> None:
    correct, n = counts
    interval, mirrored = wilson_interval(correct, n), wilson_interval(n - correct, n)
    assert interval is not None
    assert mirrored is not None
    low, high = interval
    assert 0 <= low <= correct / n <= high <= 1
    assert high > low
    peer = stats.binomtest(correct, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((peer.low, peer.high), abs=1e-12)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high))


@pytest.mark.parametrize("counts", [(-1, 3), (4, 3), (1, 3, 95)])
def test_wilson_of_what_is_no_share(counts: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="at the level"):
        wilson_interval(*counts)
