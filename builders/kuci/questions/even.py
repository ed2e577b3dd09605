"""Exchanges of wrong options after which the answer's ranks are even, by length and by likeness: not in the paper.

Wrong options that are drawn at random give the answer away without its context:

- Length. The mean of many words is more like any other mean, so candidates within the range of Similarity are longer
  than the answer, and the shortest option is right too often.
- Centrality, how much an option is like the other three. All wrong options were chosen for being like the answer and
  not for being like each other, so the most central one is right too often.

So two questions exchange a wrong option each, wherever both may have it (the same bin, the same conditions, no two
options of one event) and the answers' ranks in the part come nearer to equal shares. An exchange leaves how often a
text is used as it is. The aim is the sum of squares, over both cues and the four ranks, of how far the rank's count is
from a quarter of the questions; of all exchanges of one wrong option the best is made, of equal ones the first.

Length is in characters, which is what a reader sees; the condition of that name is in words. Centrality is the sum of
an option's cosines with the other three. It puts options in the order of their cosines with the mean direction of the
other three (where these have more in common than not), and it is a sum of whole numbers, so ranks are exact. An option
that equals others in a cue has a share of each of their ranks, since a rule that goes by the cue takes any of them.

The set without Length leaves length as it comes, and evens centrality alone. The other two even both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from tashika.core.suites.kuci.words import OPTIONS

Ints = npt.NDArray[np.int64]

WRONG: Final = OPTIONS - 1
WHOLE: Final = 12
"""Ranks are counted in twelfths of a question: two, three or four equal options share theirs."""

_PASSES: Final = 6
"""Times that each wrong option is looked at, at most."""


def _shares() -> Ints:
    """[wrong options that have more, wrong options that have as much] -> the answer's share of each rank."""
    table = np.zeros((OPTIONS, OPTIONS, OPTIONS), dtype=np.int64)
    for more, same in product(range(OPTIONS), repeat=2):
        if more + same < OPTIONS:
            table[more, same, more : more + same + 1] = WHOLE // (same + 1)
    return table


_SHARES: Final = _shares()


@dataclass
class Draft:
    """The wrong options of some questions, all from the same texts.

    Attributes:
        answers: The text of each question's answer, (questions,).
        bins: Which of its wrong options each text may be, from 0; -1 for none. (questions, texts)
        picks: The wrong options, by bin: (questions, 3).
        among: Cosines of the texts, whole numbers, (texts, texts).
        characters: Of each text.
        events: Of each text, by number; -1 for none.
    """

    answers: Ints
    bins: npt.NDArray[np.int8]
    picks: Ints
    among: Ints
    characters: Ints
    events: Ints


class Ranks:
    """The answers' ranks in a part, in twelfths, of those groups of questions that were evened so far.

    Args:
        by_length: Whether length is a cue; centrality always is.
    """

    def __init__(self, *, by_length: bool) -> None:
        self.by_length = by_length
        self.counts: Ints = np.zeros((2 if by_length else 1, OPTIONS), dtype=np.int64)

    def of(self, draft: Draft, answers: Ints, picks: Ints) -> Ints:
        """The ranks of some answers among their wrong options: (…, cues, OPTIONS)."""
        ranks = [_central(draft.among, answers, picks)]
        if self.by_length:
            ranks.append(_shared(draft.characters[picks], draft.characters[answers]))
        return np.stack(ranks, axis=-2)

    @property
    def even(self) -> bool:
        """Whether each rank has a quarter of the questions, or less than a question more or fewer."""
        total = self.counts.sum(axis=1, keepdims=True)
        return bool((np.abs(OPTIONS * self.counts - total) < OPTIONS * WHOLE).all())

    def distance(self, change: Ints) -> Ints:
        """How far the counts are from equal shares after each change: (…, cues, OPTIONS) -> (…,)."""
        counts = self.counts + change
        off = OPTIONS * counts - counts.sum(axis=-1, keepdims=True)
        distances: Ints = np.square(off).sum(axis=(-1, -2))
        return distances


def exchange(draft: Draft, ranks: Ranks) -> None:
    """Exchanges wrong options while that brings the ranks nearer to equal shares; changes both arguments."""
    own = ranks.of(draft, draft.answers, draft.picks)
    ranks.counts += own.sum(axis=0)
    for _ in range(_PASSES):
        moved = False
        for question, slot in product(range(len(draft.picks)), range(WRONG)):
            if ranks.even:
                return
            moved |= _exchange_one(draft, ranks, own, question, slot)
        if not moved:
            return


def _exchange_one(draft: Draft, ranks: Ranks, own: Ints, question: int, slot: int) -> bool:
    """Makes the best exchange of one wrong option, if there is one; returns whether there was."""
    others, slots = _partners(draft, question, slot)
    if not others.size:
        return False
    mine, theirs = np.repeat(draft.picks[[question]], others.size, axis=0), draft.picks[others]
    rows = np.arange(others.size)
    mine[:, slot], theirs[rows, slots] = theirs[rows, slots], draft.picks[question, slot]
    sound = ~(clash(draft.events[mine]) | clash(draft.events[theirs]))
    others, slots, mine, theirs = others[sound], slots[sound], mine[sound], theirs[sound]
    if not others.size:
        return False
    new = ranks.of(draft, np.full(others.size, draft.answers[question]), mine)
    their_new = ranks.of(draft, draft.answers[others], theirs)
    changes = new + their_new - own[question] - own[others]
    distances = ranks.distance(changes)
    best = int(distances.argmin())
    if distances[best] >= ranks.distance(np.zeros_like(ranks.counts)):
        return False
    draft.picks[question], draft.picks[others[best]] = mine[best], theirs[best]
    own[question], own[others[best]] = new[best], their_new[best]
    ranks.counts += changes[best]
    return True


def _partners(draft: Draft, question: int, slot: int) -> tuple[Ints, Ints]:
    """The questions, and their wrong options, that one may be exchanged with: each may stand in the other's place."""
    text = draft.picks[question, slot]
    gives = (draft.bins[question][draft.picks] == slot) & (draft.bins[:, text, None] == np.arange(WRONG))
    gives &= ~np.isin(draft.picks, draft.picks[question]) & ~(draft.picks == text).any(axis=1, keepdims=True)
    gives[question] = False
    others, slots = np.nonzero(gives)
    return others, slots


def clash(events: Ints) -> npt.NDArray[np.bool_]:
    """Whether two of three have an event in common; -1 is no event."""
    same: npt.NDArray[np.bool_] = ((events == np.roll(events, 1, axis=-1)) & (events >= 0)).any(axis=-1)
    return same


def _shared(values: Ints, own: Ints) -> Ints:
    """The answer's shares of the ranks, from the one that has most: (…, 3), (…,) -> (…, OPTIONS)."""
    shares: Ints = _SHARES[(values > own[..., None]).sum(axis=-1), (values == own[..., None]).sum(axis=-1)]
    return shares


def _central(among: Ints, answers: Ints, picks: Ints) -> Ints:
    """The shares by the sum of an option's cosines with the other three."""
    between = among[picks, np.roll(picks, -1, axis=-1)]  # 0 and 1, 1 and 2, 2 and 0
    answer = among[answers[..., None], picks]
    return _shared(answer + between + np.roll(between, 1, axis=-1), answer.sum(axis=-1))
