"""Whether a verdict is fixed: examples by hand, and every way in which the rest may answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.judging.overlap import LabelsTally, LabelTally, VerdictTally, is_decided, is_uncontested
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED

few = st.integers(0, 4)


@pytest.mark.parametrize(
    ("votes_for", "votes_against", "left", "decision"),
    [
        (2, 0, 1, ACCEPTED),  # 2 of 3
        (0, 2, 1, REJECTED),
        (1, 1, 1, None),  # the third decides
        (1, 0, 2, None),  # one vote is fewer than two
        (3, 0, 2, ACCEPTED),  # 3 of 5
        (2, 0, 3, None),
        (3, 1, 2, None),  # 3 and 3 would be a tie
        (4, 1, 2, ACCEPTED),
        (1, 1, 0, UNDECIDED),
        (0, 0, 1, UNDECIDED),  # a single vote does not suffice any more
        (0, 0, 3, None),
    ],
)
def test_strict_majority_with_two_votes_at_least(
    votes_for: int, votes_against: int, left: int, decision: str | None
) -> None:
    assert VerdictTally(votes_for, votes_against).fixed(left, 2) == decision


@pytest.mark.parametrize(
    ("votes_for", "votes_against", "left", "decision"),
    [(1, 1, 3, UNDECIDED), (2, 0, 1, None), (3, 0, 0, ACCEPTED), (0, 2, 0, REJECTED)],
)
def test_unanimity_ends_with_the_first_contradiction(
    votes_for: int, votes_against: int, left: int, decision: str | None
) -> None:
    assert VerdictTally(votes_for, votes_against, by_all=True).fixed(left, 2) == decision


def test_a_correction_that_may_still_win_keeps_an_item_open() -> None:
    assert VerdictTally(2, 0, typed=1).fixed(1, 2) is None  # the third may type it too: 2 of 3
    assert VerdictTally(2, 0, typed=2).fixed(1, 2) == ACCEPTED  # 2 of 3 at least
    assert VerdictTally(3, 0, typed=2).fixed(1, 2) is None  # 2 of 4 is no majority, 3 of 4 is
    assert VerdictTally(4, 0, typed=1).fixed(1, 2) == ACCEPTED  # at most 2 of 5
    assert VerdictTally(0, 2, typed=0).fixed(1, 2) == REJECTED


def test_labels_by_hand() -> None:
    assert LabelTally((2, 0, 0)).fixed(1, 2) == ACCEPTED
    assert LabelTally((2, 1, 0)).fixed(2, 2) is None
    assert LabelTally((1, 1, 1)).fixed(1, 2) == UNDECIDED  # 2 of 4
    assert LabelsTally((2, 0), 2).fixed(1, 2) == ACCEPTED
    assert LabelsTally((2, 1), 2).fixed(1, 2) is None  # the second label may get 2 of 3
    assert LabelsTally((1, 1, 1), 3).fixed(0, 2) == UNDECIDED


@given(few, few, few, few, few, st.integers(1, 4), st.booleans())
def test_a_verdict_is_fixed_if_and_only_if_every_completion_gives_it(
    plain: int, typed: int, other: int, against: int, left: int, minimum: int, by_all: bool
) -> None:
    """`plain` people are for the item as it is, `typed` with one correction, and `other` with another."""
    tally = VerdictTally(plain + typed + other, against, max(typed, other), by_all)
    outcomes = {
        _verdict(plain, (typed, other, 0), against, more, minimum, by_all)
        for more in product(("for", "typed", "other", "new", "against", "neither"), repeat=left)
    }
    decision = tally.fixed(left, minimum)
    assert (decision is not None) == (len(outcomes) == 1)
    assert decision in {None, *(decided for decided, _ in outcomes)}


def _verdict(
    plain: int, texts: tuple[int, int, int], against: int, more: Sequence[str], minimum: int, by_all: bool
) -> tuple[str, int | None]:
    """The decision and the number of the correction that is taken over."""
    counts = [count + more.count(name) for count, name in zip(texts, ("typed", "other", "new"), strict=True)]
    votes_for = plain + more.count("for") + sum(counts)
    votes_against = against + more.count("against")
    if votes_for + votes_against < minimum or votes_for == votes_against:
        return UNDECIDED, None
    if by_all and votes_for and votes_against:
        return UNDECIDED, None
    if votes_against > votes_for:
        return REJECTED, None
    return ACCEPTED, next((n for n, count in enumerate(counts) if count >= 2 and count > votes_for / 2), None)


@given(st.lists(few, min_size=2, max_size=4), st.integers(0, 3), st.integers(1, 4), st.booleans())
def test_a_label_is_fixed_if_and_only_if_every_completion_gives_it(
    counts: list[int], left: int, minimum: int, by_all: bool
) -> None:
    outcomes = {_label(totals, minimum, by_all) for totals in _completions(counts, left)}
    decision = LabelTally(counts, by_all).fixed(left, minimum)
    assert (decision is not None) == (len(outcomes) == 1)
    assert decision is None or (decision == ACCEPTED) == (outcomes != {None})


def _completions(counts: Sequence[int], left: int) -> Iterator[list[int]]:
    """The counts after `left` more people, each of whom gives a label or none."""
    for more in product((None, *range(len(counts))), repeat=left):
        yield [count + more.count(place) for place, count in enumerate(counts)]


def _label(counts: Sequence[int], minimum: int, by_all: bool) -> int | None:
    most = sum(counts) - 1 if by_all else sum(counts) / 2
    winners = [place for place, count in enumerate(counts) if count > most]
    return winners[0] if winners and sum(counts) >= minimum else None


@given(
    st.lists(st.sets(st.integers(0, 2), min_size=1), max_size=4), st.integers(0, 2), st.integers(1, 4), st.booleans()
)
def test_labels_are_never_fixed_before_they_are(votes: list[set[int]], left: int, minimum: int, by_all: bool) -> None:
    counts = [sum(label in vote for vote in votes) for label in range(3)]
    decision = LabelsTally(counts, len(votes), by_all).fixed(left, minimum)
    answers: list[frozenset[int] | None] = [None, *map(frozenset, ({0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}))]
    outcomes = {
        _labels([*votes, *(vote for vote in more if vote is not None)], minimum, by_all)
        for more in product(answers, repeat=left)
    }
    if decision is None:
        return
    assert len(outcomes) == 1
    assert (decision == ACCEPTED) == (outcomes != {None})


def _labels(votes: Sequence[set[int] | frozenset[int]], minimum: int, by_all: bool) -> frozenset[int] | None:
    if by_all:
        same = len(votes) >= minimum and len(set(map(frozenset, votes))) == 1
        return frozenset(votes[0]) if same else None
    shares = [sum(label in vote for vote in votes) - len(votes) / 2 for label in range(3)]
    taken = frozenset(label for label, share in enumerate(shares) if share > 0)
    return taken if taken and 0 not in shares and len(votes) >= minimum else None


def test_what_one_more_person_would_break_is_not_decided() -> None:
    tie = VerdictTally(1, 1)
    assert is_decided(tie, 2, 2, 2)
    assert not is_decided(tie, 2, 2, 2, ties_are_broken=True)
    assert is_decided(VerdictTally(2, 0), 2, 2, 2, ties_are_broken=True)
    # An answer that counts for nothing takes a place: of three people the third can make it two at most.
    assert is_decided(VerdictTally(0, 0), 2, 3, 2)


def test_agreement_of_enough_people_is_uncontested() -> None:
    assert is_uncontested(VerdictTally(2, 0), 2)
    assert not is_uncontested(VerdictTally(1, 0), 2)
    assert not is_uncontested(VerdictTally(1, 1), 2)
    assert not is_uncontested(VerdictTally(2, 0, typed=1), 2)
    assert is_uncontested(LabelTally((0, 3)), 2)
    assert not is_uncontested(LabelsTally((2, 1), 2), 2)
