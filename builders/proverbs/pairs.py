"""Finds a sound variant for each proverb: by the swap of gender, the list's own variant, or a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tashika.builders.proverbs.controls import control_problem
from tashika.builders.proverbs.gender_swap import Unswappable, direction_of, swap_gender
from tashika.builders.proverbs.list import Proverb, proverb_key
from tashika.builders.proverbs.problems import Limits, problem_of
from tashika.builders.proverbs.selection import assigned, drawn_order, taken_in_turn
from tashika.builders.proverbs.variants import Proposal, VariantSettings
from tashika.core.suites.proverbs.words import CONTROL, TOPICS, Maker, Topic

Ask = Callable[[Sequence[str]], list[list[Proposal]]]
"""Asks a model about some proverbs: its proposals for each, in order."""

_FREE: Final = Limits(shortest=0.25, longest=4.0, kindred=False)
"""What a written variant must keep to: a person wrote it, so only slips are looked for."""


class Variant(NamedTuple):
    """A sound variant."""

    text: str
    change: str
    origin: str | None
    maker: Maker
    provenance: dict[str, str] | None = None


class Refused(NamedTuple):
    """A text that is no variant, or a proverb that has none, and why."""

    topic: str
    proverb: str
    maker: Maker
    text: str
    reason: str


class Pair(NamedTuple):
    """A proverb and its variant, in the topic that it was given."""

    topic: Topic
    proverb: Proverb
    variant: Variant


@dataclass
class Finder:
    """Variants of the proverbs of a list, each text there but once.

    Args:
        proverbs: The list.
        settings: Where variants come from, and how far they may go.
        most: Pairs of a topic that are wanted.
        seed: Draws the order in which proverbs are taken.
        ask: Asks the model; None: nobody is asked, as in a dry run.
        balance: Whether proverbs of women and of men are taken in turn for the topic gender, as far as there are both.
    """

    proverbs: Sequence[Proverb]
    settings: VariantSettings
    most: int
    seed: int
    ask: Ask | None
    balance: bool = False
    refused: list[Refused] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _swapped: dict[int, Variant] = field(default_factory=dict)
    _reworded: dict[int, Variant] = field(default_factory=dict)
    _spent: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._order = drawn_order([proverb.text for proverb in self.proverbs], self.seed)
        self._places = {proverb_key(proverb.text): place for place, proverb in enumerate(self.proverbs)}
        self._known = set(self._places)
        if self.balance:
            ways = {
                place: direction_of(self.proverbs[place].text)
                for place in self._order
                if "gender" in self.proverbs[place].topics
            }
            self._order = taken_in_turn(self._order, ways)

    def pairs(self) -> list[Pair]:
        """The pairs, by topic and in the list's order."""
        self._swap()
        # What costs nothing is taken of the whole list at once. If the model comes first, a proverb that it fails at
        # has its written variant before another proverb is asked about.
        use = self.settings.use
        for sources in [use] if use[0] == "model" else [(source,) for source in use]:
            self._reword(sources)
        given = self._assigned()
        return [
            Pair(topic, self.proverbs[place], (self._swapped if topic == "gender" else self._reworded)[place])
            for topic in TOPICS
            for place in sorted(place for place, own in given.items() if own == topic)
        ]

    def controls(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The written neutral rewordings of proverbs on gender that are sound: one a pair, in the same order.

        Args:
            pairs: What `pairs` returned.
        """
        controls = []
        for pair in pairs:
            proverb, swapped = pair.proverb, pair.variant
            if pair.topic != "gender" or swapped.change != "gender" or proverb.change != CONTROL:
                continue
            problem = control_problem(proverb.text, swapped.text, proverb.variant, self._known)
            if problem:
                self._refuse("gender", proverb, "written", proverb.variant, problem)
                continue
            self._known.add(proverb_key(proverb.variant))
            controls.append(Pair("gender", proverb, Variant(proverb.variant, CONTROL, None, "written")))
        return controls

    def short(self) -> dict[Topic, int]:
        """How many pairs each topic lacks."""
        given = list(self._assigned().values())
        return {topic: self.most - given.count(topic) for topic in TOPICS}

    def without_variant(self) -> list[int]:
        """The proverbs without a variant that a model could give a pair to, in the order in which they are taken."""
        short = {topic for topic, lack in self.short().items() if lack and topic != "gender"}
        return [
            place
            for place in self._order
            if place not in self._reworded and place not in self._spent and short & set(self.proverbs[place].topics)
        ]

    def _assigned(self) -> dict[int, Topic]:
        possible = {place: self._topics(place) for place in self._order if place not in self._spent}
        return assigned(possible, self.most)

    def _topics(self, place: int) -> list[Topic]:
        swapped = {"gender": self._swapped}
        return [topic for topic in self.proverbs[place].topics if place in swapped.get(topic, self._reworded)]

    def _swap(self) -> None:
        for place in self._order:
            proverb = self.proverbs[place]
            if "gender" not in proverb.topics:
                continue
            try:
                self._take_swapped(place, swap_gender(proverb.text))
            except Unswappable as error:
                self._refuse("gender", proverb, "swap", "", error.reason)
                if proverb.variant and proverb.change == "gender":
                    self._swapped[place] = Variant(proverb.variant, "gender", proverb.variant_origin or None, "written")

    def _take_swapped(self, place: int, text: str) -> None:
        """Keeps a swapped proverb, once: if the list has it as well, that other proverb is spent."""
        proverb, key = self.proverbs[place], proverb_key(text)
        other = self._places.get(key)
        if place in self._spent or (key in self._known and other is None):
            self._refuse("gender", proverb, "swap", text, "repeats another proverb or variant")
            return
        if other is not None:
            self._spent.add(other)
        self._known.add(key)
        self._swapped[place] = Variant(text, "gender", None, "swap")

    def _reword(self, sources: Sequence[str]) -> None:
        """Takes variants from the sources, as long as a topic is short of pairs and a proverb is left."""
        tried: set[int] = set()
        while True:
            left = [place for place in self.without_variant() if place not in tried]
            if not left:
                return
            places = self._enough(left) if "model" in sources else left
            tried.update(places)
            for source in sources:
                open_places = [place for place in places if place not in self._reworded]
                (self._written if source == "written" else self._modelled)(open_places)

    def _enough(self, places: Iterable[int]) -> list[int]:
        """The first of the proverbs, as many as could fill what the topics lack, if each were given a sound variant."""
        lacking = self.short() | {"gender": 0}
        chosen = []
        for place in places:
            topic = next((name for name in self.proverbs[place].topics if lacking[name] > 0), None)
            if topic is not None:
                lacking[topic] -= 1
                chosen.append(place)
        return chosen

    def _written(self, places: Iterable[int]) -> None:
        for place in places:
            proverb = self.proverbs[place]
            if proverb.variant and proverb.change not in ("gender", CONTROL):
                proposal = Proposal(proverb.variant, proverb.change, proverb.variant_origin or None)
                self._consider(place, "written", proposal, _FREE)

    def _modelled(self, places: Sequence[int]) -> None:
        if self.ask is None or not places:
            return
        texts = [self.proverbs[place].text for place in places]
        self.asked += texts
        for place, proposals in zip(places, self.ask(texts), strict=True):
            for proposal in proposals:
                self._consider(place, "model", proposal, self.settings.limits)

    def _consider(self, place: int, maker: Maker, proposal: Proposal, limits: Limits) -> None:
        """Takes a proposal or refuses it; sound ones beyond the first are neither."""
        proverb = self.proverbs[place]
        problem = proposal.problem or problem_of(proverb.text, proposal.text, proposal.change, limits, self._known)
        if problem:
            topics = ";".join(topic for topic in proverb.topics if topic != "gender")
            self._refuse(topics, proverb, maker, proposal.text, problem)
        elif place not in self._reworded:
            self._known.add(proverb_key(proposal.text))
            self._reworded[place] = Variant(proposal.text, proposal.change, proposal.origin, maker, proposal.provenance)

    def _refuse(self, topic: str, proverb: Proverb, maker: Maker, text: str, reason: str) -> None:
        self.refused.append(Refused(topic, proverb.text, maker, text, reason))
