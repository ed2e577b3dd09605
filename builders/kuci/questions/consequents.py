"""The consequents that options are drawn from, and which of them may be right answers to the same antecedent.

Cosines are products of whole numbers: directions are rounded to multiples of 1/SCALE, so that every product and every
sum is a whole number below 2^24, exact in float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.forms import FormPart, form_key
from tashika.builders.kuci.questions.priorities import digest
from tashika.builders.kuci.questions.splits import clause_key
from tashika.builders.kuci.questions.word_vectors import WordVectors
from tashika.core.suites.kuci.words import SPLITS, Split

Pair = Mapping[str, Any]
"""A row of the kind "pair", with its `item_id`."""

Ints = npt.NDArray[np.int64]

SCALE: Final = 4000
"""Directions are whole numbers of 1/SCALE. Their products stay below 2^24, since rounding adds at most √dimensions/2 to
SCALE (`word_vectors.MOST_DIMENSIONS`)."""


class Pool:
    """All consequents that have a vector, each text once, in the order of their texts.

    Args:
        pairs: Whose consequents they are.
        vectors: Of words.
        parts: Of the pairs, by `item_id`; a pair with the same texts as one of them may be missing.
        match: What of a form makes it another one.
        refuse_empty: Whether a consequent that names no event is no option.

    Attributes:
        parents: The first pair of each consequent, by `item_id`.
        directions: Of shape (consequents, dimensions), whole numbers of 1/SCALE.
        lengths: Of each consequent, in words.
        characters: Of each consequent's text.
        events: The number of each consequent's basic event; -1 for none.
        digests: Of each consequent's text.
        forms: The number of each consequent's form, as far as `match` names it.
        usable: Which consequents may be options.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        vectors: WordVectors,
        parts: Mapping[str, Split],
        match: Sequence[FormPart] = (),
        *,
        refuse_empty: bool = False,
    ) -> None:
        first: dict[str, Pair] = {}
        for pair in sorted(pairs, key=lambda one: str(one["item_id"])):
            first.setdefault(clause_key(pair["consequent_words"]), pair)
        texts = sorted(first)
        directions, known = vectors.directions([first[text]["consequent_words"] for text in texts])
        texts = [text for text, one in zip(texts, known, strict=True) if one]
        self.parents = [first[text] for text in texts]
        self.directions = np.rint(directions[known] * SCALE).astype(np.float32)
        self.lengths = np.array([len(one["consequent_words"]) for one in self.parents], dtype=np.int64)
        self.characters = np.array([len(one["consequent"]) for one in self.parents], dtype=np.int64)
        self.digests = np.array([digest(text) for text in texts], dtype=np.uint32)
        forms = [form_key(str(one["consequent_form"]), match) for one in self.parents]
        numbers = {form: number for number, form in enumerate(sorted(set(forms)))}
        self.forms = np.array([numbers[form] for form in forms], dtype=np.int64)
        empty = np.array([bool(one["consequent_empty"]) for one in self.parents], dtype=bool)
        self.usable = ~empty if refuse_empty else np.ones_like(empty)
        self._places = {text: place for place, text in enumerate(texts)}
        self._kin = Kin(pairs, self._places)
        self._parts = parts
        self._own: dict[Split, dict[int, Pair]] = {part: {} for part in SPLITS}
        for pair in sorted(pairs, key=lambda one: str(one["item_id"])):
            place = self.place(pair)
            if place is not None and pair["item_id"] in parts:
                self._own[parts[pair["item_id"]]].setdefault(place, pair)
        self._contexts = _Contexts(pairs, vectors, self._places)
        self._event_directions = _whole(vectors, [_event_words(one) for one in self.parents])
        self._within = {part: np.isin(np.arange(len(texts)), list(own)) for part, own in self._own.items()}
        self.events = np.array([self._kin.event(one) for one in self.parents], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.parents)

    def place(self, pair: Pair) -> int | None:
        """Where a pair's consequent is; None if it has no vector."""
        return self._places.get(clause_key(pair["consequent_words"]))

    def part(self, pair: Pair) -> Split:
        """The part that a pair is in."""
        return self._parts[pair["item_id"]]

    def within(self, pair: Pair) -> npt.NDArray[np.bool_]:
        """Which consequents are those of a pair in the same part."""
        return self._within[self.part(pair)]

    def possible(self, pair: Pair) -> npt.NDArray[np.bool_]:
        """Which consequents may be wrong options of a pair, as far as they alone can tell."""
        possible: npt.NDArray[np.bool_] = self.within(pair) & self.usable
        possible[self.forbidden(pair)] = False
        return possible

    def kinship(self, pairs: Sequence[Pair], places: Ints) -> Ints:
        """How likely consequents are right answers to pairs' antecedents, as far as likeness can say.

        Args:
            pairs: That have a place.
            places: Of consequents, in order.

        Returns:
            The cosine of a pair's antecedent with the most similar one of those that a consequent followed from, or of
            their consequents' basic events, whichever is higher, in units of 1/SCALE²; 0 where no word has a vector.
            (pairs, places)
        """
        own = [self._places[clause_key(pair["consequent_words"])] for pair in pairs]
        events = self._event_directions[own] @ self._event_directions[places].T
        return np.maximum(self._contexts.likeness(pairs, places), events.astype(np.int64))

    def parent(self, place: int, pair: Pair) -> Pair:
        """The first pair with a consequent, of those in another pair's part."""
        return self._own[self.part(pair)][place]

    def forbidden(self, pair: Pair) -> Ints:
        """The places of consequents that may be right answers to a pair's antecedent; its own one is among them."""
        return self._kin.of(pair)


class _Contexts:
    """The antecedents of all pairs, with what followed from them.

    Args:
        pairs: All pairs.
        vectors: Of words.
        places: Of consequents in the pool, by their text's key.
    """

    def __init__(self, pairs: Sequence[Pair], vectors: WordVectors, places: Mapping[str, int]) -> None:
        known = {
            (place, clause_key(pair["antecedent_words"])): pair
            for pair in sorted(pairs, key=lambda one: str(one["item_id"]))
            if (place := places.get(clause_key(pair["consequent_words"]))) is not None
        }
        ordered = sorted(known)
        self._places = np.array([place for place, _ in ordered], dtype=np.int64)
        self._directions = _whole(vectors, [known[key]["antecedent_words"] for key in ordered])
        self._vectors = vectors

    def likeness(self, pairs: Sequence[Pair], places: Ints) -> Ints:
        """The cosine of each pair's antecedent with the most similar one of each place, in units of 1/SCALE²."""
        rows = np.flatnonzero(np.isin(self._places, places))
        cosines = _whole(self._vectors, [pair["antecedent_words"] for pair in pairs]) @ self._directions[rows].T
        starts = np.searchsorted(self._places[rows], places)
        highest: Ints = np.maximum.reduceat(cosines, starts, axis=1).astype(np.int64)
        return highest


def _whole(vectors: WordVectors, texts: Sequence[Sequence[str]]) -> npt.NDArray[np.float32]:
    """The directions of texts, given by their words, in whole numbers of 1/SCALE."""
    directions, _ = vectors.directions(texts)
    return np.rint(directions * SCALE).astype(np.float32)


def _event_words(pair: Pair) -> list[str]:
    """Argument and predicate of the basic event in a pair's consequent, without the case between them."""
    return str(pair["consequent_event"]).split(":")[::2]


@dataclass
class _Known:
    """Consequents that follow from one antecedent, or that hold one event: their places and their events."""

    places: set[int] = field(default_factory=set)
    events: set[str] = field(default_factory=set)


class Kin:
    """Which consequents may be right answers together.

    Args:
        pairs: All pairs.
        places: Of consequents in the pool, by their text's key.
    """

    def __init__(self, pairs: Sequence[Pair], places: Mapping[str, int]) -> None:
        self._antecedents: dict[tuple[str, str], _Known] = {}
        self._holders: dict[str, set[int]] = {}
        self._found: dict[tuple[tuple[str, str], ...], Ints] = {}
        for pair in pairs:
            place, event = places.get(clause_key(pair["consequent_words"])), pair["consequent_event"]
            for key in _antecedent_keys(pair):
                known = self._antecedents.setdefault(key, _Known())
                known.places.update(() if place is None else (place,))
                known.events.update((event,) if event else ())
            if place is not None and event:
                self._holders.setdefault(event, set()).add(place)
        self._numbers = {event: number for number, event in enumerate(sorted(self._holders))}

    def event(self, pair: Pair) -> int:
        """The number of the basic event in a pair's consequent; -1 for none."""
        return self._numbers.get(pair["consequent_event"], -1)

    def of(self, pair: Pair) -> Ints:
        """The places of consequents that may be right answers to a pair's antecedent, in order."""
        keys = _antecedent_keys(pair)
        if keys not in self._found:
            together = [self._antecedents[key] for key in keys]
            events = set().union(*(one.events for one in together))
            places = set().union(*(one.places for one in together), *(self._holders.get(one, ()) for one in events))
            self._found[keys] = np.array(sorted(places), dtype=np.int64)
        return self._found[keys]


def _antecedent_keys(pair: Pair) -> tuple[tuple[str, str], ...]:
    """What makes antecedents the same: their text, or their basic event."""
    text = ("text", clause_key(pair["antecedent_words"]))
    return (text, ("event", pair["antecedent_event"])) if pair["antecedent_event"] else (text,)
