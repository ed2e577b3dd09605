"""Questions: a pair's antecedent, its consequent, and three consequents of other pairs that are wrong.

A wrong option meets two conditions (the paper, section 3.4):

- Similarity: its cosine with the answer, of mean word vectors, is in [0.4, 0.6]. The candidates are divided by it into
  a low, a middle and a high bin, and one of each is drawn.
- Length: it has half to twice as many words as the answer.

And it is wrong as far as the pairs can tell: no consequent of a pair with the same antecedent (its text or its basic
event), and none with the basic event of such a consequent, so no paraphrase of the answer either. No two options have
the same text or the same basic event.

What the paper leaves open: bins are of equal count, since it asks for three candidates and not for one in each third of
the range (`bins` = "widths" is the other reading). Consequents are counted once, however many pairs have them. Without
Similarity there are no bins. All three sets have the same contexts: those that have a question in each.

Where we depart from it: wrong options are drawn within a question's part (`own_part`), lest training questions tell a
test question's wrong options from its answer; and evenly (`even`): at random, the shortest option is right too often,
and so is the one most like the others. `even` draws so that neither gives it away.

A draw takes the candidate whose digest with the question is the smallest. So a question depends on nothing but the seed
and the candidates, and most questions stay as they are when pairs are added.

Cosines are products of matrices, block by block. Directions are rounded to multiples of 1/4000, so that every product
and every sum is a whole number below 2^24, exact in float32: the same questions on any machine and with any block. A
cosine is off by about 0.0001.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from tashika.builders.kuci.questions.consequents import SCALE, Ints, Pair, Pool
from tashika.builders.kuci.questions.even import TripleSearch, nearest, triple_search
from tashika.builders.kuci.questions.priorities import NEVER, digest, mixed
from tashika.builders.kuci.questions.splits import PUBLISHED, clause_key, split
from tashika.builders.kuci.questions.word_vectors import Words, WordVectors
from tashika.core.draws import Draw
from tashika.core.progress import bar
from tashika.core.settings import Section
from tashika.core.suites.kuci.words import CONDITIONS, OPTIONS, SPLITS, Conditions

Bins = Literal["counts", "widths"]

NAMES: Final = ("low", "middle", "high")
"""The bins, by similarity with the answer."""

REPEATED: Final = "the same texts as another pair"
NO_VECTOR: Final = "no word of the consequent has a vector"
TOO_FEW: Final = "fewer than three candidates"


class QuestionSettings(Section):
    """How questions are made.

    Attributes:
        similarity: The range of a wrong option's cosine with the answer, both ends included.
        length: The range of its number of words divided by the answer's, both ends included.
        bins: Of equal count, or of equal width within the range.
        even: The answer's ranks by length and by likeness to the other options are even (module `even`): our departure
            from the paper; false: wrong options are drawn at random, as in the paper.
        split: Shares of the training, validation and test part.
        own_part: Wrong options come from the question's own part. Otherwise a test question's wrong options stand in
            training questions and its answer does not, which gives the answer to whoever has read those.
        vectors: A file of word vectors (word2vec's text or binary format, fastText's .vec, GloVe's); empty: ja-ginza's.
        words: Which words make an option's vector; "content": all but particles and auxiliaries.
        seed: Of the draws and of the split.
        block: Answers that go through one product of matrices; changes the memory that it takes and nothing else.
    """

    similarity: tuple[float, float] = (0.4, 0.6)
    length: tuple[float, float] = (0.5, 2.0)
    bins: Bins = "counts"
    even: bool = True
    split: tuple[float, float, float] = PUBLISHED
    own_part: bool = True
    vectors: str = ""
    words: Words = "content"
    seed: int = 0
    block: int = Field(256, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not -1 <= self.similarity[0] <= self.similarity[1] <= 1:
            raise ValueError("similarity is a range within [-1, 1], the smaller end first")
        if not 0 < self.length[0] <= self.length[1]:
            raise ValueError("length is a range of numbers above 0, the smaller end first")
        if min(self.split) < 0 or not 0 < sum(self.split) < math.inf:
            raise ValueError(f"split is {len(SPLITS)} shares of at least 0, not all of them 0")
        return self


def questions(
    pairs: Sequence[Pair], vectors: WordVectors, settings: QuestionSettings
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Makes the questions of all three sets.

    Args:
        pairs: Those that people accepted; their order makes no difference.
        vectors: Of words.
        settings: How.

    Returns:
        The payloads of the kind "question", each with its `parents` (the pair, then those of the wrong options in
        their order), by pair and set; and counts: "pairs", "questions" (of each set), and the pairs without one by
        reason.
    """
    reasons: Counter[str] = Counter()
    asked = _asked(pairs, reasons)
    parts = split(asked, settings.seed, settings.split)
    pool = Pool(pairs, vectors, parts if settings.own_part else dict.fromkeys(parts, SPLITS[0]))
    with_options: list[tuple[Pair, dict[Conditions, _Picked]]] = []
    with bar("questions", len(asked)) as advance:
        for pair, picked in _drawn(asked, pool, settings):
            if isinstance(picked, str):
                reasons[picked] += 1
            else:
                with_options.append((pair, picked))
            advance(1)
    with_options.sort(key=lambda one: str(one[0]["item_id"]))
    rows = [
        _row(pair, conditions, picked[conditions], pool, settings.seed) | {"split": parts[pair["item_id"]]}
        for pair, picked in with_options
        for conditions in CONDITIONS
    ]
    return rows, {"pairs": len(pairs), "questions": len(with_options), **dict(sorted(reasons.items()))}


def _asked(pairs: Sequence[Pair], reasons: Counter[str]) -> list[Pair]:
    """Pairs that differ in more than width, case and signs."""
    first: dict[tuple[str, str], Pair] = {}
    for pair in sorted(pairs, key=lambda one: str(one["item_id"])):
        key = clause_key(pair["antecedent_words"]), clause_key(pair["consequent_words"])
        if first.setdefault(key, pair) is not pair:
            reasons[REPEATED] += 1
    return list(first.values())


# Drawing


@dataclass
class _Picked:
    """Three wrong options: their places in the pool, and their cosines with the answer.

    `search` is what `even.nearest` must know to choose others; None if they are drawn at random.
    """

    places: tuple[int, ...]
    similarities: tuple[float, ...]
    search: TripleSearch | None = None


def _drawn(
    asked: Sequence[Pair], pool: Pool, settings: QuestionSettings
) -> Iterator[tuple[Pair, dict[Conditions, _Picked] | str]]:
    """Yields each pair with its wrong options, or with the reason why it has no question."""
    able: list[tuple[Pair, int]] = []
    for pair in asked:
        place = pool.place(pair)
        if place is None:
            yield pair, NO_VECTOR
        else:
            able.append((pair, place))
    lengths = _Lengths(pool.lengths, settings.length)
    for start in range(0, len(able), settings.block):
        block = able[start : start + settings.block]
        cosines = pool.directions[[place for _, place in block]] @ pool.directions.T
        drawn = [
            (pair, _options(pair, row, lengths.of(int(pool.lengths[place])), pool, settings))
            for (pair, place), row in zip(block, cosines, strict=True)
        ]
        if settings.even:
            _make_even([picked for _, picked in drawn if not isinstance(picked, str)], pool)
        yield from drawn


def _make_even(block: Sequence[Mapping[Conditions, _Picked]], pool: Pool) -> None:
    """Puts even wrong options in the place of those drawn at random, where there are any."""
    for conditions in CONDITIONS:
        some = [(picked[conditions], one) for picked in block if (one := picked[conditions].search)]
        binned, by_length = conditions != "without_similarity", conditions != "without_length"
        triples = nearest([one for _, one in some], pool, binned=binned, by_length=by_length)
        for (picked, _), triple in zip(some, triples, strict=True):
            if triple is not None:
                picked.places, cosines = triple
                picked.similarities = _similarities(cosines)
            picked.search = None


def _similarities(cosines: Iterable[float]) -> tuple[float, ...]:
    """Cosines that are in units of 1/SCALE²."""
    return tuple(float(one) / SCALE**2 for one in cosines)


class _Lengths:
    """Which consequents meet Length, for answers of each length."""

    def __init__(self, lengths: Ints, bounds: tuple[float, float]) -> None:
        self._lengths = lengths
        self._bounds = bounds
        self._found: dict[int, npt.NDArray[np.bool_]] = {}

    def of(self, answer: int) -> npt.NDArray[np.bool_]:
        if answer not in self._found:
            ratios = self._lengths / answer
            self._found[answer] = (ratios >= self._bounds[0]) & (ratios <= self._bounds[1])
        return self._found[answer]


def _options(
    pair: Pair, cosines: npt.NDArray[np.float32], fits: npt.NDArray[np.bool_], pool: Pool, settings: QuestionSettings
) -> dict[Conditions, _Picked] | str:
    """The wrong options of each set, or the reason why one has none.

    Args:
        pair: Whose question it is.
        cosines: Of its answer with the pool, in units of 1/SCALE².
        fits: Which of the pool meet Length.
        pool: All consequents.
        settings: How.
    """
    low, high = _bounds(settings.similarity)
    similar = (cosines >= low) & (cosines <= high)
    forbidden = pool.forbidden(pair)
    by_conditions: dict[Conditions, _Picked] = {}
    priorities = mixed(pool.digests ^ digest(f"{settings.seed}:{pair['item_id']}"))
    meets: dict[Conditions, npt.NDArray[np.bool_]] = {
        "both": similar & fits,
        "without_similarity": fits.copy(),
        "without_length": similar,
    }
    for conditions, mask in meets.items():
        mask[forbidden] = False
        candidates = np.flatnonzero(mask & pool.within(pair))
        if candidates.size < OPTIONS - 1:
            return TOO_FEW
        order, event = priorities[candidates], _Events(pool.events, candidates)
        bins = None
        if conditions != "without_similarity":
            bins = _bin_numbers(cosines[candidates].astype(np.int64), settings)
        chosen = _lowest(order.copy(), event) if bins is None else _one_each(order, bins, event)
        if isinstance(chosen, str):
            return chosen
        places = tuple(int(candidates[one]) for one in chosen)
        by_conditions[conditions] = _Picked(places, _similarities(cosines[list(places)]))
        if settings.even:
            by_conditions[conditions].search = triple_search(pair, settings.seed, candidates, order, bins, cosines)
    return by_conditions


@dataclass(frozen=True)
class _Events:
    """The event of a candidate, by its number among the candidates."""

    events: Ints
    candidates: Ints

    def __call__(self, number: int) -> int:
        return int(self.events[self.candidates[number]])


def _bounds(similarity: tuple[float, float]) -> tuple[int, int]:
    """A range of cosines in units of 1/SCALE², whole numbers."""
    return math.ceil(similarity[0] * SCALE**2 - 1e-3), math.floor(similarity[1] * SCALE**2 + 1e-3)


def _bin_numbers(cosines: Ints, settings: QuestionSettings) -> Ints:
    """The bin of each candidate, 0 for the lowest.

    Of equal count means that their sizes differ by one at most, the lower ones being the larger; equal cosines are told
    apart by the candidates' order.
    """
    if settings.bins == "widths":
        low, high = _bounds(settings.similarity)
        return np.minimum((cosines - low) * len(NAMES) // max(high - low, 1), len(NAMES) - 1)
    count = cosines.size
    ranks = cosines * count + np.arange(count)  # all different, in the order of the cosines
    starts = [(count + 2) // 3, count - count // 3]
    parted = np.partition(ranks, starts)
    numbers: Ints = (ranks >= parted[starts[0]]).astype(np.int64) + (ranks >= parted[starts[1]])
    return numbers


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


def _row(pair: Pair, conditions: Conditions, picked: _Picked, pool: Pool, seed: int) -> dict[str, Any]:
    """A question's payload but for its split, and its parents. The options' order is the question's own."""
    others = [pool.parent(place, pair) for place in picked.places]
    texts = [pair["consequent"], *(one["consequent"] for one in others)]
    similarities = [1.0, *picked.similarities]
    order = list(Draw(seed, f"{conditions}:{pair['item_id']}").shuffled(range(OPTIONS)))
    return {
        "conditions": conditions,
        "context": pair["antecedent"],
        "options": [texts[place] for place in order],
        "answer": order.index(0),
        "similarities": [similarities[place] for place in order],
        "relation": pair["relation"],
        "pair": pair["item_id"],
        "parents": [pair["item_id"], *(others[place - 1]["item_id"] for place in order if place)],
    }
