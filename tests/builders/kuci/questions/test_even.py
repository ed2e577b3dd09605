from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from tashika.builders.kuci.questions.even import FINALISTS, Ints, TripleSearch, nearest, triple_search
from tashika.builders.kuci.questions.priorities import NEVER

UNIT = 4000


class Made:
    """Consequents in two dimensions, by their angle from the answer's direction in degrees."""

    def __init__(self, angles: Sequence[float], characters: Sequence[int], events: Sequence[int] = ()) -> None:
        radians = np.radians(angles)
        self.directions = np.rint(np.stack([np.cos(radians), np.sin(radians)], axis=1) * UNIT).astype(np.float32)
        self.characters: Ints = np.array(characters, dtype=np.int64)
        self.events: Ints = np.array(events or [-1] * len(angles), dtype=np.int64)


# The answer has 5 characters and lies at 0 degrees. Each bin has four candidates: short or long, on its left or right.
# Three options on the same side make it the least central one; one on the other side than two puts it in the middle.
ANGLES = [sign * angle for angle in (55, 60, 65) for sign in (-1, -1, 1, 1)]
CHARACTERS = [4, 6] * 6
BINS = np.repeat(np.arange(3), 4)


def ask(made: Made, target: tuple[int, int], bins: Ints | None, seed: int = 0) -> TripleSearch:
    priorities = np.random.default_rng(seed).integers(0, 2**31, len(made.events), dtype=np.uint32)
    cosines = (made.directions @ np.array([UNIT, 0])).astype(np.float32)
    found = triple_search(
        {"item_id": "q", "consequent": "あいうえお"}, seed, np.arange(len(made.events)), priorities, bins, cosines
    )
    return TripleSearch(target, found.characters, found.places, found.priorities, found.cosines)


def hand(made: Made, places: Sequence[int]) -> tuple[int, int]:
    """The ranks by length and by cosine with the sum of the other three."""
    options = np.vstack([[UNIT, 0], made.directions[list(places)]]).astype(np.float64)
    rest = options.sum(axis=0) - options
    central = (options * rest).sum(axis=1) / np.linalg.norm(rest, axis=1)
    return int((made.characters[list(places)] > 5).sum()), int((central > central[0]).sum())


@pytest.mark.parametrize("target", list(product(range(4), (0, 3))))
def test_a_target_that_can_be_met_is_met(target: tuple[int, int]) -> None:
    """Each number of longer options with the answer between the others (most central) or beside them (least)."""
    made = Made(ANGLES, CHARACTERS)
    (found,) = nearest([ask(made, target, BINS)], made, binned=True, by_length=True)
    assert found is not None
    places, cosines = found
    assert [BINS[place] for place in places] == [0, 1, 2]
    assert hand(made, places) == target
    assert cosines == pytest.approx([UNIT**2 * np.cos(np.radians(ANGLES[place])) for place in places], rel=1e-3)


def test_length_counts_only_where_it_is_asked_for() -> None:
    made = Made(ANGLES, CHARACTERS)
    found = set()
    for seed in range(12):
        (one,) = nearest([ask(made, (3, 0), BINS, seed)], made, binned=True, by_length=False)
        assert one is not None
        longer, central = hand(made, one[0])
        assert central == 0
        found.add(longer)
    assert len(found) > 1


def test_without_bins_any_three_that_differ() -> None:
    made = Made(ANGLES, CHARACTERS)
    found = [nearest([ask(made, (1, 0), None, seed)], made, binned=False, by_length=True)[0] for seed in range(20)]
    triples = [one[0] for one in found if one is not None]
    assert len(triples) == 20
    assert all(len(set(places)) == 3 for places in triples)
    assert all(hand(made, places) == (1, 0) for places in triples)
    assert any(len({BINS[place] for place in places}) < 3 for places in triples)


def test_no_triple_has_an_event_twice() -> None:
    made = Made(ANGLES, CHARACTERS, [0, 0, 0, 1] + [0, 0, 0, -1] + [-1] * 4)
    for seed in range(5):
        (found,) = nearest([ask(made, (3, 3), BINS, seed)], made, binned=True, by_length=True)
        assert found is not None
        assert found[0][0] == 3 or found[0][1] == 7
    same = Made(ANGLES, CHARACTERS, [0] * 8 + [-1] * 4)
    assert nearest([ask(same, (3, 3), BINS)], same, binned=True, by_length=True) == [None]


def test_an_empty_bin_has_no_triple() -> None:
    made = Made(ANGLES[:8], CHARACTERS[:8])
    assert nearest([ask(made, (0, 0), BINS[:8])], made, binned=True, by_length=True) == [None]
    assert nearest([], made, binned=True, by_length=True) == []


def test_a_question_does_not_depend_on_others_of_its_block() -> None:
    made = Made(ANGLES, CHARACTERS)
    block = [ask(made, target, BINS, seed) for seed, target in enumerate(product(range(4), range(4)))]
    alone = [nearest([one], made, binned=True, by_length=True)[0] for one in block]
    assert nearest(block, made, binned=True, by_length=True) == alone


@pytest.mark.parametrize("size", [2, 3 * FINALISTS, 5000])
def test_finalists_are_those_with_the_smallest_priorities(size: int) -> None:
    """Also where all the small priorities are in one bin, and where some are equal."""
    priorities = np.arange(size, dtype=np.uint32) // 2 * 2
    bins = np.sort(np.arange(size) % 3)
    cosines = np.zeros(size, dtype=np.float32)
    found = triple_search({"item_id": "q", "consequent": "あ"}, 0, np.arange(size), priorities, bins, cosines)
    for number in range(3):
        part = slice(number * FINALISTS, (number + 1) * FINALISTS)
        expected = np.flatnonzero(bins == number)[:FINALISTS]
        assert found.places[part][: expected.size].tolist() == expected.tolist()
        assert (found.priorities[part] == NEVER).sum() == FINALISTS - expected.size
