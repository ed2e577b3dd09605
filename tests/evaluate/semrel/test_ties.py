"""The ranks of words that equally many people gave."""

from __future__ import annotations

from itertools import permutations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.semrel.confusability import Probe, probe_alphas, score
from tashika.evaluate.semrel.ties import TIES, count_ties, rank_words

WORDS, VOTES = ["relative", "kin", "family", "relation", "child"], [3, 2, 2, 1, 1]


def test_each_way_by_hand() -> None:
    assert rank_words(WORDS, VOTES, "first_mention") == (WORDS, [1, 2, 3, 4, 5])
    assert rank_words(WORDS, VOTES, "alphabetical") == (
        ["relative", "family", "kin", "child", "relation"],
        [1, 2, 3, 4, 5],
    )
    assert rank_words(WORDS, VOTES, "mean") == (WORDS, [1, 2.5, 2.5, 4.5, 4.5])


def test_a_model_has_no_ties() -> None:
    for ties in TIES:
        assert rank_words(["nephew", "aunt"], None, ties) == (["nephew", "aunt"], [1, 2])
        assert rank_words([], [], ties) == ([], [])


def test_words_without_votes_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="zip"):
        rank_words(["nephew", "aunt"], [1], "alphabetical")


votes_of = st.lists(st.integers(1, 3), min_size=1, max_size=5).map(lambda votes: sorted(votes, reverse=True))


@given(votes_of)
def test_the_mean_rank_gives_the_mean_score_of_all_orders(votes: list[int]) -> None:
    words = [f"w{number}" for number in range(len(votes))]
    orders = [order for order in permutations(range(len(votes))) if [votes[place] for place in order] == votes]
    ranked = rank_words(words, votes, "mean")
    for place, rank in enumerate(ranked.ranks):
        expected = fmean(score(order.index(place) + 1, len(votes)) for order in orders)
        assert score(rank, len(votes)) == pytest.approx(expected)


@given(votes_of)
def test_no_way_changes_the_words_or_the_sum_of_the_ranks(votes: list[int]) -> None:
    words = [f"w{number}" for number in range(len(votes))][::-1]
    for ties in TIES:
        ranked = rank_words(words, votes, ties)
        assert sorted(ranked.words) == sorted(words)
        assert sum(ranked.ranks) == pytest.approx(len(votes) * (len(votes) + 1) / 2)


def test_alphas_take_the_ranks_that_they_are_given() -> None:
    relata = {("niece", "hypernymy"): {"family"}}
    ranked = rank_words(WORDS, VOTES, "mean")
    [row] = probe_alphas([Probe("niece", "hypernymy")], [ranked.words], relata, [ranked.ranks])
    assert row[0] == pytest.approx((5 - 2.5 + 1) / 6)


def test_ties_are_counted() -> None:
    assert count_ties([VOTES, [1], [4, 1, 1, 1]]) == (10, 6, 7)
    assert count_ties([]) == (0, 0, 0)
