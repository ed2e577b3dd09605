from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.questions.even import Draft, Ranks, clash, exchange


def a_draft(seed: int, questions: int = 24, *, events: bool = False) -> Draft:
    """Questions with texts of random lengths and directions; each has as many candidates in each bin as there are."""
    random = np.random.default_rng(seed)
    directions = np.rint(random.normal(size=(questions, 6)) * 1000).astype(np.int64)
    each = np.arange(questions) % 3  # as many of every bin, lest one has none by chance
    bins = random.permuted(np.tile(each, (questions, 1)), axis=1).astype(np.int8)
    bins[np.arange(questions), np.arange(questions)] = -1
    numbers = np.arange(questions) // 3 if events else np.full(questions, -1)
    picks = np.array([[random.choice(np.flatnonzero(row == place)) for place in range(3)] for row in bins])
    return Draft(
        answers=np.arange(questions),
        bins=bins,
        picks=picks,
        among=directions @ directions.T,
        characters=random.integers(4, 12, questions),
        events=numbers,
    )


def shares(values: list[int], own: int) -> list[float]:
    """The answer's share of each rank: those that equal it have a part of each rank that they take together."""
    above, same = sum(one > own for one in values), values.count(own)
    return [12 / (same + 1) if above <= rank <= above + same else 0 for rank in range(4)]


def test_ranks_by_hand() -> None:
    """Two longer, one as long: half of ranks 2 and 3. The answer's cosines are 5 + 4 + 3, the others' below 12."""
    among = np.array([[0, 5, 4, 3], [5, 0, 1, 1], [4, 1, 0, 1], [3, 1, 1, 0]])
    draft = Draft(
        answers=np.array([0]),
        bins=np.array([[-1, 0, 1, 2]], dtype=np.int8),
        picks=np.array([[1, 2, 3]]),
        among=among,
        characters=np.array([5, 7, 5, 9]),
        events=np.full(4, -1),
    )
    ranks = Ranks(by_length=True).of(draft, draft.answers, draft.picks)
    assert ranks.tolist() == [[[12, 0, 0, 0], [0, 0, 6, 6]]]
    assert Ranks(by_length=False).of(draft, draft.answers, draft.picks).tolist() == [[[12, 0, 0, 0]]]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_an_exchange_keeps_all_but_who_has_what(seed: int, events: bool, by_length: bool) -> None:
    draft = a_draft(seed, events=events)
    before, clashes = draft.picks.copy(), clash(draft.events[draft.picks]).sum()
    ranks = Ranks(by_length=by_length)
    start = ranks.of(draft, draft.answers, draft.picks).sum(axis=0)
    exchange(draft, ranks)
    assert Counter(draft.picks.ravel().tolist()) == Counter(before.ravel().tolist())
    for number, row in enumerate(draft.picks):
        assert [draft.bins[number, text] for text in row] == [0, 1, 2]
    assert clash(draft.events[draft.picks]).sum() <= clashes
    assert (ranks.counts == ranks.of(draft, draft.answers, draft.picks).sum(axis=0)).all()
    assert np.square(ranks.counts - 72).sum() <= np.square(start - 72).sum()  # 24 questions, 12 / 4 of each to a rank


def test_ranks_come_out_even() -> None:
    """Also over groups that follow each other: later ones make good what earlier ones could not."""
    ranks = Ranks(by_length=True)
    for seed in range(3):
        exchange(a_draft(seed, 40), ranks)
    assert ranks.counts.sum(axis=1).tolist() == [12 * 120] * 2
    assert np.abs(ranks.counts - 12 * 30).max() <= 12
    assert ranks.even


def test_shares_are_those_of_a_plain_count() -> None:
    draft = a_draft(3)
    found = Ranks(by_length=True).of(draft, draft.answers, draft.picks)
    for number, picks in enumerate(draft.picks):
        options = [number, *picks]
        sums = [int(sum(draft.among[one, two] for two in options if two != one)) for one in options]
        lengths = [int(draft.characters[one]) for one in options]
        for cue, values in ((0, sums), (1, lengths)):
            assert found[number, cue].tolist() == pytest.approx(shares(values[1:], values[0]))


def test_no_option_comes_twice() -> None:
    for seed in range(5):
        draft = a_draft(seed)
        exchange(draft, Ranks(by_length=True))
        assert all(len({number, *row}) == 4 for number, row in enumerate(draft.picks.tolist()))
