"""Is a verdict fixed, whatever the people say who have still to answer? Pure functions, and how many to ask of an item.

An item is decided early where every way in which the rest may answer ends in the same verdict. The rest may vote for,
against or neither, give any label, or give an answer that counts for nothing; a person who changes an earlier answer
opens the item again. Ratings, texts, words and questions with a right answer have no such moment: of a rating every
point moves the mean, texts are collected, and accuracy is measured on all answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED, VOTERS_OF_A_TEXT


class Tally(Protocol):
    """The votes on one item so far."""

    @property
    def cast(self) -> int:
        """How many votes count."""

    @property
    def unanimous(self) -> bool:
        """Whether all votes that count are alike; so they are where there is none."""

    def fixed(self, left: int, minimum_votes: int) -> str | None:
        """The decision that no further vote can change, with its text or labels; None if one can.

        Args:
            left: People who have still to answer; fewer may, and their answers may count for nothing.
            minimum_votes: With fewer votes an item is undecided.
        """


@dataclass(frozen=True)
class VerdictTally:
    """Votes for and against an item.

    Attributes:
        votes_for: How many.
        votes_against: Likewise.
        typed: Of those for it, how many typed the correction that most of them typed; 0 where nobody did.
        by_all: Whether a single vote against the others leaves the item undecided (the rule `unanimous`).
    """

    votes_for: int
    votes_against: int
    typed: int = 0
    by_all: bool = False

    @property
    def cast(self) -> int:
        """Votes for and against."""
        return self.votes_for + self.votes_against

    @property
    def unanimous(self) -> bool:
        """Whether nobody contradicts, in the vote or in the text: some may have corrected and others not."""
        return not (self.votes_for and self.votes_against) and self.typed in {0, self.votes_for}

    def fixed(self, left: int, minimum_votes: int) -> str | None:
        """See `Tally.fixed`."""
        if self._wins(self.votes_for, self.votes_against + left, self.cast, minimum_votes):
            return ACCEPTED if self._text_is_fixed(left) else None
        if self._wins(self.votes_against, self.votes_for + left, self.cast, minimum_votes):
            return REJECTED
        most = self.cast + left
        can_win = self._wins(self.votes_for + left, self.votes_against, most, minimum_votes) or self._wins(
            self.votes_against + left, self.votes_for, most, minimum_votes
        )
        return None if can_win else UNDECIDED

    def _wins(self, votes: int, others: int, cast: int, minimum_votes: int) -> bool:
        enough = cast >= max(minimum_votes, 1)
        return enough and (votes > 0 and others == 0 if self.by_all else votes > others)

    def _text_is_fixed(self, left: int) -> bool:
        """Whether the correction that most supporters typed is taken over, or is not, whoever supports the item yet."""
        wins = self.typed >= VOTERS_OF_A_TEXT and 2 * self.typed > self.votes_for + left
        most = self.typed + left
        can_win = most >= VOTERS_OF_A_TEXT and 2 * most > self.votes_for + left
        return wins or not can_win


@dataclass(frozen=True)
class LabelTally:
    """How many gave an item each of several labels, of which it has one; also which of two texts they prefer.

    Attributes:
        counts: Of each label.
        by_all: Whether a single other label leaves the item undecided (the rule `unanimous`).
    """

    counts: Sequence[int]
    by_all: bool = False

    @property
    def cast(self) -> int:
        """All votes."""
        return sum(self.counts)

    @property
    def unanimous(self) -> bool:
        """Whether one label has all votes."""
        return max(self.counts, default=0) == self.cast

    def fixed(self, left: int, minimum_votes: int) -> str | None:
        """See `Tally.fixed`."""
        if self.by_all:
            return _fixed_by_all(self, left, minimum_votes)
        leading, cast = max(self.counts, default=0), self.cast
        if cast >= max(minimum_votes, 1) and 2 * leading > cast + left:
            return ACCEPTED
        can_win = cast + left >= max(minimum_votes, 1) and 2 * (leading + left) > cast + left
        return None if can_win else UNDECIDED


@dataclass(frozen=True)
class LabelsTally:
    """How many gave an item each of several labels, of which it may have any; each is decided by itself.

    Attributes:
        counts: Of each label.
        cast: How many people voted.
        by_all: Whether the item is undecided unless all took the same labels (the rule `unanimous`).
    """

    counts: Sequence[int]
    cast: int
    by_all: bool = False

    @property
    def unanimous(self) -> bool:
        """Whether each label was taken by all or by nobody."""
        return set(self.counts) <= {0, self.cast}

    def fixed(self, left: int, minimum_votes: int) -> str | None:
        """See `Tally.fixed`; undecided for good is what has too few votes, or what no label can win."""
        if self.by_all:
            return _fixed_by_all(self, left, minimum_votes)
        most = self.cast + left
        stay = [2 * count > most for count in self.counts]
        can_come = [2 * (count + left) >= most > 0 for count in self.counts]
        if most < max(minimum_votes, 1) or not any(can_come):
            return UNDECIDED
        settled = all(stays or not comes for stays, comes in zip(stay, can_come, strict=True))
        return ACCEPTED if settled and any(stay) and self.cast >= max(minimum_votes, 1) else None


def _fixed_by_all(tally: Tally, left: int, minimum_votes: int) -> str | None:
    """By the rule `unanimous`: the first contradiction ends it, and nothing else does before all have voted."""
    if not tally.unanimous or tally.cast + left < max(minimum_votes, 1):
        return UNDECIDED
    return ACCEPTED if left == 0 else None


def is_decided(tally: Tally, answers: int, people: int, minimum_votes: int, *, ties_are_broken: bool = False) -> bool:
    """Whether no further answer can change the verdict, once as many people as wanted have judged the item.

    Args:
        tally: The votes so far.
        answers: How many answers there are, those that count for nothing among them.
        people: How many are wanted at most.
        minimum_votes: With fewer votes an item is undecided.
        ties_are_broken: Whether one more person is asked about what stays undecided: then that is not the end.
    """
    decision = tally.fixed(max(people - answers, 0), minimum_votes)
    return decision is not None and not (ties_are_broken and decision == UNDECIDED)


def is_uncontested(tally: Tally, minimum_votes: int) -> bool:
    """Whether the first people, and enough of them, agree: where the overlap is adaptive nobody else is asked."""
    return tally.cast >= minimum_votes and tally.unanimous
