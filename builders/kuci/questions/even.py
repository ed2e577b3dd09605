"""Wrong options among which the answer's rank is even, by length and by likeness: our departure from the paper.

The paper draws wrong options at random. Two things then give the answer away without its context:

- Length. The mean of many words is more like any other mean, so candidates within the range of Similarity are longer
  than the answer, and the shortest option is right too often.
- Centrality, how much an option is like the other three. All wrong options were chosen for being like the answer and
  not for being like each other, so the most central one is right too often.

So for each question a rank of the answer by either is drawn, all pairs of ranks as likely as each other, and of TRIPLES
random triples of candidates, one of each bin, the one whose ranks are nearest is taken: the sum of both differences is
the smallest, and the first of equals. Ranks are from 0 (the longest option, the most central one) to 3. An option that
equals the answer counts half, so a triple without one is rather taken: the answer is then the longest one, or not, and
never one of two. Every triple meets the published conditions; nothing but the choice among them differs.

Length is in characters, which is what a reader sees; the condition of that name is in words. Centrality is the sum of
an option's cosines with the other three. It puts options in the order of their cosines with the mean direction of the
other three (where these have more in common than not), and it is a sum of whole numbers, so ranks are exact.

The set without Length leaves length as it comes, and evens centrality alone. The other two even both.

The triples are of FINALISTS candidates of each bin, those with the smallest priorities. Each triple draws among them
anew by mixed digests, so that a new candidate changes few triples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.questions.priorities import NEVER, digest, mixed
from tashika.core.draws import Draw
from tashika.core.suites.kuci.words import OPTIONS

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint32]
Triple = tuple[tuple[int, ...], tuple[float, ...]]
"""Places of three wrong options in the pool, and their cosines with the answer in units of the pool's."""

TRIPLES: Final = 256
"""That a question chooses from."""
FINALISTS: Final = 16
"""Candidates of a bin that its triples are made of, at most."""

WRONG: Final = OPTIONS - 1
_FAR: Final = 4 * OPTIONS
"""Further than any two ranks, doubled: a triple that cannot be."""
_SALTS: Final = np.array([digest(f"triple:{number}") for number in range(TRIPLES)], dtype=np.uint32)


class Texts(Protocol):
    """What must be known of consequents: directions in whole numbers, lengths in characters, events (-1: none)."""

    directions: npt.NDArray[np.float32]
    characters: Ints
    events: Ints


@dataclass(frozen=True)
class TripleSearch:
    """A question that looks for its wrong options in one set.

    Attributes:
        target: The ranks of the answer that are asked for, by length and by centrality.
        characters: Of the answer.
        places: Of the finalists in the pool, bin by bin, 3 · FINALISTS; any number where there is none.
        priorities: Theirs; `NEVER` where there is none.
        cosines: Theirs with the answer, in units of the pool's.
    """

    target: tuple[int, int]
    characters: int
    places: Ints
    priorities: Keys
    cosines: npt.NDArray[np.float32]


def triple_search(
    pair: Mapping[str, Any],
    seed: int,
    candidates: Ints,
    priorities: Keys,
    bins: Ints | None,
    cosines: npt.NDArray[np.float32],
) -> TripleSearch:
    """A question with its finalists.

    Args:
        pair: Whose question it is.
        seed: Of the target.
        candidates: Places in the pool.
        priorities: Theirs.
        bins: Theirs, from 0; None if there are none, and then finalists are the first of all.
        cosines: Of the answer with the whole pool.
    """
    places = np.zeros((WRONG, FINALISTS), dtype=np.int64)
    finalist_priorities = np.full((WRONG, FINALISTS), NEVER)
    for number, some in enumerate(_finalists(priorities, bins)):
        places[number, : some.size] = candidates[some]
        finalist_priorities[number, : some.size] = priorities[some]
    draw = Draw(seed, f"even:{pair['item_id']}")
    return TripleSearch(
        target=(draw.below(OPTIONS), draw.below(OPTIONS)),
        characters=len(pair["consequent"]),
        places=places.ravel(),
        priorities=finalist_priorities.ravel(),
        cosines=cosines[places.ravel()],
    )


def _finalists(priorities: Keys, bins: Ints | None) -> list[Ints]:
    """The candidates of each bin with the smallest priorities, by number; equal ones by their order.

    A few of the smallest are put in order first, and all only if these do not suffice.
    """
    total = WRONG * FINALISTS
    share = min(1.0, 2 * total / priorities.size)
    for limit in (np.uint32(share * 2**31), NEVER):
        some = np.flatnonzero(priorities < limit)
        some = some[priorities[some].argsort(kind="stable")]
        if bins is None:
            finalists = [some[start : start + FINALISTS] for start in range(0, total, FINALISTS)]
        else:
            finalists = [some[bins[some] == number][:FINALISTS] for number in range(WRONG)]
        if all(one.size == FINALISTS for one in finalists):
            break
    return finalists


def nearest(block: Sequence[TripleSearch], texts: Texts, *, binned: bool, by_length: bool) -> list[Triple | None]:
    """The triple of each question that is nearest to its target.

    Args:
        block: The questions; together they change the memory that it takes, and nothing else.
        texts: All consequents.
        binned: One candidate of each bin, the bins being FINALISTS places each; or any three.
        by_length: The rank by length counts.

    Returns:
        For each question its triple; None if none of its triples has three candidates of different events.
    """
    if not block:
        return []
    places, cosines = np.stack([one.places for one in block]), np.stack([one.cosines for one in block])
    priorities = np.stack([one.priorities for one in block])[:, None, :]
    keys = mixed(priorities ^ _SALTS[:, None])
    keys |= np.where(priorities == NEVER, NEVER, np.uint32(0))
    picks, picked = _smallest(keys, binned=binned)
    rows = np.arange(len(block))[:, None, None]
    chosen = places[rows, picks]
    targets = 2 * np.array([one.target for one in block])[:, :, None]
    distances = np.abs(_central_ranks(texts.directions[places], cosines, picks) - targets[:, 1])
    if by_length:
        own = np.array([one.characters for one in block])[:, None, None]
        distances += np.abs(_ranks(texts.characters[chosen], own) - targets[:, 0])
    distances[(picked == NEVER).any(axis=2) | _same_event(texts.events[chosen])] = _FAR
    best = distances.argmin(axis=1)
    return [
        None if distances[row, one] == _FAR else _triple(chosen[row, one], cosines[row, picks[row, one]])
        for row, one in enumerate(best)
    ]


def _triple(places: Ints, cosines: npt.NDArray[np.float32]) -> Triple:
    return tuple(places.tolist()), tuple(cosines.tolist())


def _smallest(keys: Keys, *, binned: bool) -> tuple[Ints, Keys]:
    """The three smallest keys of each triple, of a bin each or of all: their numbers and themselves.

    Of shape (questions, TRIPLES, 3). Changes `keys`.
    """
    if binned:
        parts = keys.reshape(*keys.shape[:2], WRONG, FINALISTS).argmin(axis=3)
        picks = parts + FINALISTS * np.arange(WRONG)
        return picks, np.take_along_axis(keys, picks, axis=2)
    smallest: list[Ints] = []
    picked: list[Keys] = []
    for _ in range(WRONG):
        one = keys.argmin(axis=2, keepdims=True)
        smallest.append(one)
        picked.append(np.take_along_axis(keys, one, axis=2))
        np.put_along_axis(keys, one, NEVER, axis=2)
    return np.concatenate(smallest, axis=2), np.concatenate(picked, axis=2)


def _ranks(values: Ints, own: Ints) -> Ints:
    """Twice the answer's ranks: two for each of three options that has more, one for each that has as much."""
    ranks: Ints = (values > own).sum(axis=2) + (values >= own).sum(axis=2)
    return ranks


def _central_ranks(directions: npt.NDArray[np.float32], cosines: npt.NDArray[np.float32], picks: Ints) -> Ints:
    """Twice the answer's ranks by the sum of an option's cosines with the other three.

    Args:
        directions: Of the finalists, of shape (questions, finalists, dimensions).
        cosines: Theirs with the answer, of shape (questions, finalists).
        picks: The finalists of each triple, of shape (questions, TRIPLES, 3).
    """
    among = directions @ directions.transpose(0, 2, 1)
    rows = np.arange(len(picks))[:, None, None]
    between = among[rows, picks, np.roll(picks, -1, axis=2)].astype(np.int64)  # 0 and 1, 1 and 2, 2 and 0
    answer = cosines[rows, picks].astype(np.int64)
    return _ranks(answer + between + np.roll(between, 1, axis=2), answer.sum(axis=2, keepdims=True))


def _same_event(events: Ints) -> npt.NDArray[np.bool_]:
    """Whether two of three have an event in common; -1 is no event."""
    same: npt.NDArray[np.bool_] = ((events == np.roll(events, 1, axis=2)) & (events >= 0)).any(axis=2)
    return same
