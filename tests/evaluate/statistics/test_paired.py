"""Two systems on the same items, by hand and by code that shares nothing with ours (scipy, naive loops)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tashika.evaluate.statistics.inference import Floats
from tashika.evaluate.statistics.paired import Contest, bootstrap_p, contest, corrected, defined_cells


def column(*values: float) -> Floats:
    return np.asarray(values, dtype=np.float64)[:, None]


def play(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[int] | None = None, resamples: int = 200
) -> Contest:
    codes = None if clusters is None else np.asarray(clusters)
    return contest((0, 1), column(*first), column(*second), codes, resamples=resamples)


def test_right_and_wrong_are_compared_by_mcnemars_exact_test() -> None:
    result = play([1] * 9, [1, 1] + [0] * 7)
    assert (result.common, result.gained, result.lost, result.test) == (9, 7, 0, "McNemar")
    assert result.delta == pytest.approx(7 / 9)
    assert result.p == pytest.approx(2 * 0.5**7)


def test_agresti_s_ratings_of_the_prime_minister() -> None:
    # 794 approve twice, 150 first only, 86 then only, 570 never: exact p 3.7159e-5 (Agresti 2002, section 10.1.1)
    first, second = ([1.0] * 944 + [0.0] * 656, [1.0] * 794 + [0.0] * 150 + [1.0] * 86 + [0.0] * 570)
    result = play(first, second, resamples=50)
    assert result.p == pytest.approx(3.7159e-5, rel=1e-4)
    assert result.p == pytest.approx(stats.binomtest(86, 236).pvalue, rel=1e-9)


def test_a_family_is_corrected() -> None:
    rows = [[float(n < right) for n in range(12)] for right in (12, 6, 5)]
    contests = [play(rows[a], rows[b]) for a, b in itertools.combinations(range(3), 2)]
    raw = [2 * 0.5**6, 2 * 0.5**7, 1.0]
    assert [one.p for one in contests] == pytest.approx(raw)
    family = corrected(contests)
    assert [one.p_holm for one in family] == pytest.approx([2 * raw[0], 3 * raw[1], 1.0])
    assert [one.told_apart for one in family] == [False, True, False]


def test_scores_are_compared_by_a_paired_bootstrap() -> None:
    # 3 of 4 draws are as far from the mean difference 1 as that is from 0; with the difference itself 4 of 5
    assert bootstrap_p(np.asarray([0.0, 2.0, 1.5, 3.0]), 1.0) == pytest.approx(4 / 5)
    always, higher = [3.0] * 20, [4.0 + number % 2 for number in range(20)]
    result = play(higher, always, resamples=999)
    assert (result.delta, result.test) == (1.5, "bootstrap")
    assert result.p == pytest.approx(1 / 1000)  # no draw of 20 ones and twos has a mean of 0 or of 3
    assert play(always, always).p == 1.0


def test_nothing_in_common_has_no_p() -> None:
    result = play([], [])
    assert (result.p, result.delta, result.interval, result.told_apart) == (None, None, None, False)


def test_clusters_are_swapped_as_wholes() -> None:
    # Differences by cluster: 3, 1, -1. The 8 sums ±3 ±1 ±1 are 5, 3, 3, 1 and their negatives; the real one is 3, and
    # 6 of the 8 are at least as far from 0.
    first = [1, 1, 1, 1, 0, 0]
    second = [0, 0, 0, 0, 1, 0]
    result = play(first, second, [0, 0, 0, 1, 2, 2])
    assert (result.test, result.clusters) == ("permutation", 3)
    assert result.p == pytest.approx(6 / 8)
    assert result.smallest_p == pytest.approx(2 / 8)
    assert result.p_items == pytest.approx(stats.binomtest(1, 5).pvalue)  # 4 against 1, as if items were independent


def test_clusters_that_do_not_differ_change_no_p() -> None:
    first, second = [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0]
    few = play(first, second, [0, 0, 0, 1, 2, 2])
    more = play([*first, 1, 0, 1], [*second, 1, 0, 1], [0, 0, 0, 1, 2, 2, 3, 4, 5])
    assert (more.p, more.smallest_p) == (few.p, few.smallest_p)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40))
def test_the_permutation_test_is_scipys(rows: list[tuple[int, int, int]]) -> None:
    names = sorted({cluster for cluster, _, _ in rows})
    codes = [names.index(cluster) for cluster, _, _ in rows]
    first, second = [float(a) for _, a, _ in rows], [float(b) for _, _, b in rows]
    result = play(first, second, codes, resamples=10)
    totals = [
        (
            sum(a for code, a in zip(codes, first, strict=True) if code == place),
            sum(b for code, b in zip(codes, second, strict=True) if code == place),
        )
        for place in range(len(names))
    ]
    if len(totals) < 2:  # scipy wants two
        return
    theirs = stats.permutation_test(
        tuple(zip(*totals, strict=True)),
        lambda x, y: np.sum(x) - np.sum(y),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="two-sided",
    )
    # scipy doubles the smaller tail, which is the same for a distribution that is symmetric about 0
    assert result.p == pytest.approx(min(1.0, theirs.pvalue))


def test_many_clusters_are_swapped_at_random_and_near_scipys_p() -> None:
    random = np.random.default_rng(3)
    first = (random.random(400) < 0.55).astype(float)
    second = (random.random(400) < 0.48).astype(float)
    codes = np.repeat(np.arange(80), 5)
    result = contest((0, 1), first[:, None], second[:, None], codes, resamples=50)
    sums = [np.bincount(codes, each) for each in (first, second)]
    theirs = stats.permutation_test(
        sums, lambda x, y: np.sum(x) - np.sum(y), permutation_type="samples", n_resamples=9999, rng=1
    )
    assert result.smallest_p is None
    assert result.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_the_interval_is_that_of_a_naive_bootstrap_over_clusters() -> None:
    random = np.random.default_rng(5)
    sizes = random.integers(1, 6, 30)
    codes = np.repeat(np.arange(30), sizes)
    ease = random.random(30)[codes]
    first, second = ((random.random(len(codes)) < ease * share).astype(float) for share in (1.0, 0.7))
    result = contest((0, 1), first[:, None], second[:, None], codes, resamples=4000)
    draws = []
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(codes == cluster) for cluster in random.integers(0, 30, 30)])
        draws.append(first[rows].mean() - second[rows].mean())
    assert result.interval is not None
    assert tuple(result.interval) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.012)


def test_an_item_says_less_than_it_seems_where_clusters_hang_together() -> None:
    # Six relations, a hundred prompts each, in which the first is better by all of them in five, and worse in one
    first = [1.0] * 500 + [0.0] * 100
    second = [0.0] * 500 + [1.0] * 100
    result = play(first, second, [n // 100 for n in range(600)])
    assert result.p_items is not None
    assert result.p_items < 1e-50
    assert result.p == pytest.approx(14 / 64)  # 5 - 1 = 4 or more of six: (1 + 6) swaps at each end


def test_the_number_may_be_a_mean_of_cells() -> None:
    # two columns; the number is the mean of the columns' means, whatever their sizes
    first = np.array([[1.0, np.nan], [1.0, np.nan], [0.0, np.nan], [np.nan, 1.0]])
    second = np.array([[0.0, np.nan], [0.0, np.nan], [0.0, np.nan], [np.nan, 1.0]])
    result = contest((0, 1), first, second, np.array([0, 1, 2, 3]), resamples=300)
    assert result.values == pytest.approx(((2 / 3 + 1) / 2, 0.5))
    assert result.delta == pytest.approx(1 / 3)
    assert (result.gained, result.lost, result.p_items) == (None, None, None)
    assert result.p == pytest.approx(2 / 4)  # two clusters differ, alike


def test_a_cell_that_one_system_lacks_is_left_out_for_all() -> None:
    def ratio(means: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([means[..., 0], np.where(means[..., 1] > 0, means[..., 0] / means[..., 1], np.nan)], -1)

    first, second = np.array([[0.5, 0.0], [0.5, 0.0]]), np.array([[0.5, 1.0], [0.7, 1.0]])
    assert defined_cells([first, second], ratio).tolist() == [True, False]
    result = contest((0, 1), first, second, np.array([0, 1]), ratio, resamples=20)
    assert result.values == pytest.approx((0.5, 0.6))


def test_an_undefined_difference_has_no_test() -> None:
    nothing = np.full((3, 1), 0.0)
    result = contest((0, 1), nothing, nothing, np.array([0, 1, 2]), lambda means: np.full(means.shape, np.nan))
    assert (result.delta, result.p, result.values) == (None, None, (None, None))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 30)), min_size=1, max_size=60),
    st.booleans(),
)
def test_the_other_way_round_is_the_opposite(rows: list[tuple[bool, bool, int]], clustered: bool) -> None:
    names = sorted({cluster for _, _, cluster in rows})
    codes = [names.index(cluster) for _, _, cluster in rows] if clustered else None
    first, second = [float(a) for a, _, _ in rows], [float(b) for _, b, _ in rows]
    one, other = play(first, second, codes), play(second, first, codes)
    assert (one.gained, one.lost) == (other.lost, other.gained)
    assert one.delta == pytest.approx(-(other.delta or 0.0))
    assert one.p == pytest.approx(other.p)


def test_the_same_twice_gives_the_same_twice() -> None:
    random = np.random.default_rng(9)
    first, second = random.random((200, 1)), random.random((200, 1))
    codes = np.arange(200) // 4
    assert contest((0, 1), first, second, codes) == contest((0, 1), first, second, codes)


def test_shapes_that_differ_are_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"found the shapes \(2, 1\) and \(1, 1\)"):
        contest((0, 1), column(1, 0), column(1))
