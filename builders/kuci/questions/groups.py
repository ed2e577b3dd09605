"""Wrong options of many questions together: balanced in use, even in the answer's ranks.

Questions exchange texts within a group: those of one part, of one form of the answer, and, where they are many, of one
block. A block holds some hundreds of texts, by their digests, so the work grows with the number of questions and no
faster, and pairs that are added change the questions of their blocks alone. A part with more texts than a block has is
halved until no block is too large on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.questions.balance import Bins, Regroup, able, balanced
from tashika.builders.kuci.questions.candidates import (
    UNBALANCED,
    Picked,
    bin_numbers,
    lack,
    meeting,
    picked,
    surely_wrong,
)
from tashika.builders.kuci.questions.consequents import SCALE, Ints, Pair, Pool
from tashika.builders.kuci.questions.even import WRONG, Draft, Ranks, exchange
from tashika.builders.kuci.questions.priorities import digest, mixed
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.core.suites.kuci.words import CONDITIONS, SPLITS, Conditions, Split

BLOCK: Final = 512
"""Texts in a block, at most, on average."""

_STEPS: Final = 64
_STEP_BITS: Final = 25

Asked = tuple[Pair, int]
"""A pair, and where its consequent is in the pool."""


def draw_in_groups(
    asked: Sequence[Asked], pool: Pool, settings: QuestionSettings
) -> Iterator[tuple[Pair, dict[Conditions, Picked] | str]]:
    """Yields each pair with its wrong options, or with the reason why it has no question."""
    ranks = {
        (part, conditions): Ranks(by_length=conditions != "without_length")
        for part in SPLITS
        for conditions in CONDITIONS
    }
    for (part, _, _), members in sorted(_groups(asked, pool).items()):
        group = _Group(members, pool, settings)
        of_part = {conditions: ranks[part, conditions] for conditions in CONDITIONS}
        drawn = _with_options(group, of_part, settings)
        for number, (pair, place) in enumerate(members):
            if number in drawn:
                yield pair, drawn[number]
            else:
                yield pair, _lack(pair, place, pool, settings)


def _groups(asked: Sequence[Asked], pool: Pool) -> dict[tuple[Split, int, int], list[Asked]]:
    """Questions by part, form and block, those of a group in the order of their ids."""
    by_form: dict[tuple[Split, int], list[Asked]] = {}
    for pair, place in sorted(asked, key=lambda one: str(one[0]["item_id"])):
        by_form.setdefault((pool.part(pair), int(pool.forms[place])), []).append((pair, place))
    numbers = mixed(pool.digests ^ digest("block"))
    groups: dict[tuple[Split, int, int], list[Asked]] = {}
    for (part, form), members in by_form.items():
        blocks = 1
        while len({place for _, place in members}) > BLOCK * blocks:
            blocks *= 2
        for pair, place in members:
            groups.setdefault((part, form, int(numbers[place]) * blocks >> 31), []).append((pair, place))
    return groups


class _Group:
    """The questions of a group, and the texts that are their answers.

    Attributes:
        members: The pairs.
        texts: Places in the pool, in order.
        answers: The number of each question's answer among the texts.
        among: Cosines of the texts with each other.
        prices: Of each text for each question, 31 bits: what a draw goes by.
        costs: The same where texts are assigned: those first that are hardly right answers.
        candidates: Which texts may be a wrong option of each question, by set.
    """

    def __init__(self, members: Sequence[Asked], pool: Pool, settings: QuestionSettings) -> None:
        self.members = members
        self.texts = np.array(sorted({place for _, place in members}), dtype=np.int64)
        self.answers = np.searchsorted(self.texts, [place for _, place in members])
        directions = pool.directions[self.texts]
        self.among = (directions @ directions.T).astype(np.int64)
        self.prices = np.zeros((len(members), len(self.texts)), dtype=np.int64)
        self.candidates: dict[Conditions, npt.NDArray[np.bool_]] = {
            name: np.zeros(self.prices.shape, dtype=bool) for name in CONDITIONS
        }
        kinship = pool.kinship([pair for pair, _ in members], self.texts)
        strange = kinship <= settings.kinship * SCALE**2
        lengths = pool.lengths[self.texts]
        for number, (pair, place) in enumerate(members):
            self.prices[number] = mixed(pool.digests[self.texts] ^ digest(f"{settings.seed}:{pair['item_id']}"))
            cosines = self.among[self.answers[number]].astype(np.float32)
            possible = pool.possible(pair)[self.texts] & strange[number]
            for name, mask in meeting(cosines, lengths, int(pool.lengths[place]), settings).items():
                self.candidates[name][number] = mask & possible
        self.costs = _costs(self.prices, kinship) if settings.kinship < 1 else self.prices
        self.characters, self.events = pool.characters[self.texts], pool.events[self.texts]
        self._settings = settings

    def bins(self, conditions: Conditions, numbers: Ints) -> Bins:
        """The bin of each text for some questions, -1 for none; texts that answer none of them are no candidates."""
        bins: Bins = np.full((len(numbers), len(self.texts)), -1, dtype=np.int8)
        answering = np.isin(np.arange(len(self.texts)), self.answers[numbers])
        for row, number in enumerate(numbers):
            some = np.flatnonzero(self.candidates[conditions][number] & answering)
            if some.size < WRONG:
                continue
            if conditions == "without_similarity":  # no bins: a third of the candidates, drawn, for each place
                drawn = mixed(self.prices[number, some].astype(np.uint32) ^ digest(conditions)).argsort(kind="stable")
                bins[row, some] = drawn.argsort(kind="stable") % WRONG
            else:
                bins[row, some] = bin_numbers(self.among[self.answers[number], some], self._settings)
        return bins

    def draft(self, conditions: Conditions, numbers: Ints, picks: Ints | None = None) -> Draft:
        """Some of the questions in a set, with their wrong options if there are any yet."""
        chosen = np.zeros((len(numbers), WRONG), dtype=np.int64) if picks is None else picks
        bins, answers = self.bins(conditions, numbers), self.answers[numbers]
        return Draft(answers, bins, chosen, self.among, self.characters, self.events)


def _costs(prices: Ints, kinship: Ints) -> Ints:
    """Prices of 31 bits that go by kinship first, in steps of 1/64, then by the draw."""
    steps = np.clip(kinship * _STEPS // SCALE**2, 0, _STEPS - 1)
    costs: Ints = (steps << _STEP_BITS) | (prices >> (31 - _STEP_BITS))
    return costs


def _with_options(
    group: _Group, ranks: Mapping[Conditions, Ranks], settings: QuestionSettings
) -> dict[int, dict[Conditions, Picked]]:
    """The wrong options of those questions of a group that have some in every set, by number."""
    numbers, chosen = (_balanced if settings.balance else _random)(group)
    drawn: dict[int, dict[Conditions, Picked]] = {int(number): {} for number in numbers}
    for conditions, picks in chosen.items():
        draft = group.draft(conditions, numbers, picks)
        if settings.even and len(numbers):
            exchange(draft, ranks[conditions])
        for number, texts in zip(numbers, draft.picks, strict=True):
            cosines = group.among[group.answers[number], texts]
            drawn[int(number)][conditions] = picked(group.texts[texts], cosines)
    return drawn


def _balanced(group: _Group) -> tuple[Ints, dict[Conditions, Ints]]:
    """Wrong options with which all texts are used alike, of the same questions in every set."""
    numbers: Ints = np.arange(len(group.members))
    while True:
        numbers = _able(group, numbers)
        chosen: dict[Conditions, Ints] = {}
        for conditions in CONDITIONS:
            kept, picks = balanced(
                group.draft(conditions, numbers), group.costs[numbers], _regroup(group, conditions, numbers)
            )
            if not kept.all():
                numbers = numbers[kept]
                break
            chosen[conditions] = picks
        else:
            return numbers, chosen


def _regroup(group: _Group, conditions: Conditions, numbers: Ints) -> Regroup:
    """Divides the candidates of some questions anew once some of these are left out."""

    def regroup(kept: npt.NDArray[np.bool_]) -> Bins:
        bins: Bins = np.full((len(numbers), len(group.texts)), -1, dtype=np.int8)
        bins[kept] = group.bins(conditions, numbers[kept])
        return bins

    return regroup


def _able(group: _Group, numbers: Ints) -> Ints:
    """Those questions that have a candidate for each place in every set, counting answers of such questions alone."""
    while True:
        kept: npt.NDArray[np.bool_] = np.ones(len(numbers), dtype=bool)
        for conditions in CONDITIONS:
            kept &= able(group.bins(conditions, numbers))
        if kept.all():
            return numbers
        numbers = numbers[kept]


def _random(group: _Group) -> tuple[Ints, dict[Conditions, Ints]]:
    """Wrong options drawn for each question by itself: of each bin the first, in the order of their prices."""
    everyone: Ints = np.arange(len(group.members))
    bins = {name: group.bins(name, everyone) for name in CONDITIONS}
    chosen = {name: [_first(group, number, bins[name]) for number in everyone] for name in CONDITIONS}
    numbers = [number for number in range(len(group.members)) if all(chosen[name][number] for name in CONDITIONS)]
    return np.array(numbers, dtype=np.int64), {
        name: np.array([rows[number] for number in numbers], dtype=np.int64).reshape(-1, WRONG)
        for name, rows in chosen.items()
    }


def _first(group: _Group, number: int, bins: Bins) -> list[int]:
    """The first text of each bin whose event no other one has; nothing if a bin has none."""
    picks: list[int] = []
    order = group.prices[number].argsort(kind="stable")
    for place in range(WRONG):
        fitting = (int(text) for text in order if bins[number, text] == place)
        text = next((one for one in fitting if not _repeats(group.events[[*picks, one]])), None)
        if text is None:
            return []
        picks.append(text)
    return picks


def _repeats(events: Ints) -> bool:
    known = events[events >= 0]
    return len(set(known.tolist())) < known.size


def _lack(pair: Pair, place: int, pool: Pool, settings: QuestionSettings) -> str:
    """Why a pair has no question."""
    cosines = pool.directions[place] @ pool.directions.T
    possible = pool.possible(pair)
    masks = [mask & possible for mask in meeting(cosines, pool.lengths, int(pool.lengths[place]), settings).values()]
    same = pool.forms == pool.forms[place]
    return lack(masks, same, surely_wrong(pair, pool, settings)) or UNBALANCED
