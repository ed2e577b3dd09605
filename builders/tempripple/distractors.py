"""Wrong options: true objects of the same property and hop, of other facts (the paper's section 3.1) or of the same.

The paper draws them at random from the objects of other instances of the same property. Here the draw of a question
depends on the seed, the question's id and what is in the pool; not on the order in which that came in, nor on other
questions. Objects of the question's own history tempt more: they are handed in, since only the question knows them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from tashika.builders.tempripple.records import Value
from tashika.core.draws import Draw
from tashika.core.texts import text_key

OptionSet = Literal["other-facts", "same-history", "mixed"]
"""Where wrong options come from: the objects of other facts; those of the same history first, the most tempting before
the others; or the most tempting one of these, and others."""

Widening = Literal["", "hop"]
"""How far the draw had to go: the same hop sufficed, or other hops of the property."""

Item = TypeVar("Item")


class Source(NamedTuple):
    """Where an object was seen.

    Attributes:
        relation: The property that it is an object of.
        hop: 0 for the changing fact's own object.
        fact: Which changing fact it hangs on, such as its subject and property.
    """

    relation: str
    hop: int
    fact: str


@dataclass(frozen=True)
class Options:
    """The options of a question.

    Attributes:
        texts: All of them, in the order in which they are shown.
        answer: The right one's place, from 0.
        widening: How far the draw had to go for the wrong ones.
    """

    texts: tuple[str, ...]
    answer: int
    widening: Widening


@dataclass
class _Seen:
    """A text, and the one fact that it was seen with; None once there are several."""

    text: str
    fact: str | None


def form(value: Value) -> str:
    """What an option must have in common with the right one: its datatype, and a date's precision.

    A day among years would give the answer away.
    """
    return f"time-{value.text[1:].count('-')}" if value.datatype == "time" else value.datatype


class Pool:
    """All objects that may be wrong options. Texts are kept once for each property, hop and form."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], dict[int, dict[str, _Seen]]] = defaultdict(lambda: defaultdict(dict))
        self._sorted: dict[tuple[str, str, int], list[str]] = {}

    def add(self, source: Source, text: str, kind: str) -> None:
        """Adds an object.

        Args:
            source: Where it was seen.
            text: As readers see it.
            kind: Its form, see `form`.
        """
        relation, hop, fact = source
        group, name = self._seen[relation, kind][hop], text_key(text)
        seen = group.get(name)
        if seen is None:
            group[name] = _Seen(text, fact)
            self._sorted.pop((relation, kind, hop), None)
        else:
            seen.fact = fact if seen.fact == fact else None
            seen.text = min(seen.text, text)  # of spellings that differ in case the same one, whichever came first

    def options(
        self,
        answer: str,
        kind: str,
        source: Source,
        never: Collection[str],
        draw: Draw,
        count: int = 4,
        first: Sequence[str] = (),
    ) -> Options | None:
        """The answer among others that are wrong.

        They are objects of the same property, hop and form. Where there are too few, those of other hops are drawn as
        well, the nearest first. Another form never: it would give the answer away.

        Args:
            answer: The right option's text.
            kind: Its form.
            source: Of the question: its last property, its hop, its changing fact, whose own objects are left out.
            never: Texts that are no wrong options: they are right, or may be.
            draw: The question's numbers.
            count: Options in all.
            first: Wrong options that go before those of the pool.

        Returns:
            None if there are too few.
        """
        right = {text_key(answer), *map(text_key, never)}
        texts = [answer, *first][:count]
        taken = right | set(map(text_key, texts))
        widening: Widening = ""
        dates = kind.startswith("time")
        for reach, group, names in self._groups(source, kind):
            if len(texts) == count:
                break
            for name in draw.shuffled(names):
                seen = group[name]
                if name not in taken and seen.fact != source.fact and not (dates and same_time(name, right)):
                    taken.add(name)
                    texts.append(seen.text)
                    widening = reach
                    if len(texts) == count:
                        break
        if len(texts) < count:
            return None
        order = list(draw.shuffled(range(count)))
        return Options(tuple(texts[place] for place in order), order.index(0), widening)

    def _groups(self, source: Source, kind: str) -> Iterator[tuple[Widening, dict[str, _Seen], list[str]]]:
        """Yields groups of texts and their sorted keys, the most fitting first."""
        relation, hop, _ = source
        hops = self._seen.get((relation, kind), {})
        for there in sorted(hops, key=lambda there: (abs(there - hop), there)):
            place = relation, kind, there
            if place not in self._sorted:
                self._sorted[place] = sorted(hops[there])
            yield "hop" if there != hop else "", hops[there], self._sorted[place]


def same_time(name: str, right: Collection[str]) -> bool:
    """Whether a date is a right one with more or less precision: "1946" for "14 june 1946", and the reverse."""
    return any(name.endswith(f" {one}") or one.endswith(f" {name}") for one in right)
