"""Wrong options drawn at random, each question for itself: as in the paper.

Cosines are products of matrices, block by block. A draw takes the candidate whose digest with the question is the
smallest. So a question depends on nothing but the seed and the candidates, and most questions stay as they are when
pairs are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.questions.candidates import (
    NAMES,
    TOO_FEW,
    Picked,
    bin_numbers,
    lack,
    meeting,
    picked,
    surely_wrong,
)
from tashika.builders.kuci.questions.consequents import Ints, Pair, Pool
from tashika.builders.kuci.questions.priorities import NEVER, digest, mixed
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.core.suites.kuci.words import OPTIONS, Conditions


def draw_at_random(
    able: Sequence[tuple[Pair, int]], pool: Pool, settings: QuestionSettings
) -> Iterator[tuple[Pair, dict[Conditions, Picked] | str]]:
    """Yields each pair with its wrong options, or with the reason why it has no question."""
    for start in range(0, len(able), settings.block):
        block = able[start : start + settings.block]
        cosines = pool.directions[[place for _, place in block]] @ pool.directions.T
        for (pair, place), row in zip(block, cosines, strict=True):
            yield pair, _options(pair, place, row, pool, settings)


def _options(
    pair: Pair, place: int, cosines: npt.NDArray[np.float32], pool: Pool, settings: QuestionSettings
) -> dict[Conditions, Picked] | str:
    """The wrong options of each set, or the reason why one has none.

    Args:
        pair: Whose question it is.
        place: Of its answer in the pool.
        cosines: Of its answer with the pool, in units of 1/SCALE².
        pool: All consequents.
        settings: How.
    """
    by_conditions: dict[Conditions, Picked] = {}
    priorities = mixed(pool.digests ^ digest(f"{settings.seed}:{pair['item_id']}"))
    possible = pool.possible(pair)
    same, sure = pool.forms == pool.forms[place], surely_wrong(pair, pool, settings)
    for conditions, mask in meeting(cosines, pool.lengths, int(pool.lengths[place]), settings).items():
        candidates = np.flatnonzero(mask & possible & same & sure)
        if candidates.size < OPTIONS - 1:
            return lack([mask & possible], same, sure)
        order, event = priorities[candidates], _Events(pool.events, candidates)
        if conditions == "without_similarity":
            chosen = _lowest(order.copy(), event)
        else:
            chosen = _one_each(order, bin_numbers(cosines[candidates].astype(np.int64), settings), event)
        if isinstance(chosen, str):
            return chosen
        places = candidates[chosen]
        by_conditions[conditions] = picked(places, cosines[places])
    return by_conditions


@dataclass(frozen=True)
class _Events:
    """The event of a candidate, by its number among the candidates."""

    events: Ints
    candidates: Ints

    def __call__(self, number: int) -> int:
        return int(self.events[self.candidates[number]])


def _one_each(order: npt.NDArray[np.uint32], bins: Ints, event: Callable[[int], int]) -> list[int] | str:
    """The first candidate of each bin whose event no other option has, or the bin that has none."""
    chosen: list[int] = []
    for number, name in enumerate(NAMES):
        place = _first(np.where(bins == number, order, NEVER), event, chosen)
        if place is None:
            return f"no candidate in the {name} bin"
        chosen.append(place)
    return chosen


def _lowest(order: npt.NDArray[np.uint32], event: Callable[[int], int]) -> list[int] | str:
    """The first three candidates with an event of their own. Changes `order`."""
    chosen: list[int] = []
    while len(chosen) < OPTIONS - 1:
        place = _first(order, event, chosen)
        if place is None:
            return TOO_FEW
        chosen.append(place)
        order[place] = NEVER
    return chosen


def _first(order: npt.NDArray[np.uint32], event: Callable[[int], int], chosen: Sequence[int]) -> int | None:
    """The candidate with the smallest number whose event no chosen one has; -1 is no event. Changes `order`."""
    taken = {event(one) for one in chosen} - {-1}
    while order.size:
        place = int(order.argmin())
        if order[place] == NEVER:
            return None
        if event(place) not in taken:
            return place
        order[place] = NEVER
    return None
