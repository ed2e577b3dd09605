"""Basic events: predicates with an argument that are frequent, by which a pair of events is everyday knowledge.

They come from case frames (`case_frames.py`), or are counted here in analysed text: the predicate with its closest
argument, in the active voice, often enough. Their keys are one analyser's and are never compared with another's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tashika.builders.kuci.analysis.records import Clause, Failure, Sentence
from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.sentences import text_digest
from tashika.core.errors import InputError
from tashika.core.files import read_table, write_batches

CASES: Final = frozenset({"ガ", "ヲ", "ニ", "デ", "ト", "ヘ", "カラ", "マデ", "ヨリ"})
"""The cases of an argument whose case is known."""

_EVENT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("predicate", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("case", pa.string(), nullable=False),
    pa.field("argument", pa.string(), nullable=False),
    pa.field("frequency", pa.float64(), nullable=False),
)
EVENT: Final = pa.schema(_EVENT)
"""Basic events with their frequencies."""

_DO: Final = "する/する"

_PARTS: Final = re.compile(r"(?<=[^+])\+(?=[^+])")
"""Between the parts of a compound's key."""

_HEAD: Final = b"tashika.basic_events"
"""Where a file of basic events holds their keys and source."""


class Event(NamedTuple):
    """A basic event.

    Attributes:
        predicate: Its key.
        kind: 動, 形 or 判; empty where the source does not state it.
        case: One of `CASES`.
        argument: Its key.
        frequency: In the source; case frames have fractions.
    """

    predicate: str
    kind: str
    case: str
    argument: str
    frequency: float = 1.0

    def __str__(self) -> str:
        return event_words(self.predicate, self.case, self.argument)


def event_words(predicate: str, case: str, argument: str) -> str:
    """A basic event as people read it: 腹:ガ:空く. Readings (空く/すく) are left out."""
    return ":".join((_word(argument), case, _word(predicate)))


def _word(key: str) -> str:
    """A key without its reading, the first one of several; 運動/うんどう+する/する is 運動する, C++ itself."""
    first = key.partition("?")[0] if key.strip("/").count("/") else key
    return "".join(part[:1] + part[1:].partition("/")[0] for part in _PARTS.split(first))


class BasicEvents:
    """A set of basic events.

    Args:
        events: In any order; those of one predicate, kind, case and argument are added up. One of several readings
            (空く/あく?空く/すく) is as many events.
        keys: "daihyo" or "sudachi".
        source: What they come from, in a word.
        failures: What could not be read of it.
        counts: What the reader counted, for statistics.

    Attributes:
        keys: As given.
        source: As given.
        failures: As given.
    """

    def __init__(
        self,
        events: Iterable[Event],
        *,
        keys: str,
        source: str = "",
        failures: Sequence[Failure] = (),
        counts: Mapping[str, int] | None = None,
    ) -> None:
        self.keys, self.source, self.failures = keys, source, tuple(failures)
        self._counts = dict(counts or {})
        frequencies: dict[tuple[str, str, str, str], float] = {}
        for one in sorted(events):
            for predicate, argument in product(self._readings(one.predicate), self._readings(one.argument)):
                words = (predicate, one.kind, one.case, argument)
                frequencies[words] = frequencies.get(words, 0.0) + one.frequency
        self._events = tuple(Event(*words, frequency) for words, frequency in sorted(frequencies.items()))
        self._known = {(one.predicate, one.case, one.argument) for one in self._events}
        self._by = {key: tuple(some) for key, some in groupby(self._events, key=lambda one: one.predicate)}

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        """By predicate, kind, case and argument."""
        return iter(self._events)

    def has(self, predicate: str, case: str, argument: str) -> bool:
        """Whether a predicate with this argument is basic, in any of their readings.

        運動をする has the key of 運動する and the argument 運動, case frames have する with 運動: either is basic.
        """
        words = product(self._readings(predicate), self._readings(argument))
        return any(
            (one, case, other) in self._known or (one == other and (_DO, case, other) in self._known)
            for one, other in words
        )

    def of(self, predicate: str) -> tuple[Event, ...]:
        """The basic events of a predicate, in any of its readings."""
        return tuple(event for one in self._readings(predicate) for event in self._by.get(one, ()))

    def _readings(self, key: str) -> list[str]:
        """KNP keeps all readings of an ambiguous word: 空く/あく?空く/すく."""
        return key.split("?") if self.keys == "daihyo" else [key]

    def require(self, keys: str) -> None:
        """Checks that they can be looked up by an analyser's keys.

        Raises:
            InputError: The analyser has other keys.
        """
        if keys != self.keys:
            raise InputError(
                f"the basic events have the keys {self.keys!r}, the analyser has {keys!r}; they are never mixed",
                where=self.source or None,
                hint="Case frames (daihyo) go with KNP's output; with GiNZA (sudachi) count events in other text.",
            )

    def statistics(self) -> dict[str, Any]:
        """How many there are, in all and by case, and what the reader counted."""
        cases = Counter(one.case for one in self._events)
        return {
            "keys": self.keys,
            "source": self.source,
            "predicates": len(self._by),
            "events": len(self),
            "events by case": dict(sorted(cases.items(), key=lambda one: (-one[1], one[0]))),
            **self._counts,
        }

    def save(self, path: Path) -> None:
        """Writes them to a Parquet file, whole or not at all."""
        head = {"keys": self.keys, "source": self.source, "counts": self._counts, "failures": self._plain_failures()}
        schema = EVENT.with_metadata({_HEAD: json.dumps(head, ensure_ascii=False, sort_keys=True).encode()})
        rows = [one._asdict() for one in self._events]
        write_batches(path, pa.Table.from_pylist(rows, schema=schema).to_batches(), schema)

    def _plain_failures(self) -> list[list[str]]:
        return [[one.sid, one.text, one.reason] for one in self.failures]

    @classmethod
    def load(cls, path: Path) -> BasicEvents:
        """Reads them back.

        Raises:
            InputError: The file is missing, broken, or holds no basic events.
        """
        table = read_table(path, EVENT)
        try:
            head = json.loads(table.schema.metadata[_HEAD])
        except (TypeError, KeyError) as error:
            raise InputError("not a file of basic events", where=str(path)) from error
        failures = [Failure(*one) for one in head["failures"]]
        events = (Event(**row) for row in table.to_pylist())
        return cls(events, keys=head["keys"], source=head["source"], failures=failures, counts=head["counts"])


class CountEvents:
    """A job for `run_shards`: counts predicates with their closest argument.

    Clauses in the active voice count, negated or not, as in case frames: お腹が空かない is an instance of 腹:ガ:空く.
    Arguments count that stand in the clause, in a case that is known.
    """

    name = "events"
    schema = EVENT
    relations_only = False

    def open(self) -> None:
        """Needs nothing."""

    def rows(self, results: Iterable[Sentence | Failure]) -> pa.Table:
        """(predicate, kind, case, argument, frequency) of a shard, in their order."""
        counts = Counter(
            event
            for sentence in results
            if isinstance(sentence, Sentence)
            for clause in sentence.clauses
            if (event := closest_event(clause)) is not None
        )
        rows = [event._replace(frequency=float(count))._asdict() for event, count in sorted(counts.items())]
        return pa.Table.from_pylist(rows, schema=EVENT)


def closest_event(clause: Clause) -> Event | None:
    """A clause's predicate with the argument that stands closest before it; None where there is none."""
    if clause.predicate.voice != "active":
        return None
    stated = [one for one in clause.arguments if one.explicit and one.case in CASES]  # in the order of the text
    return Event(clause.predicate.lemma, clause.predicate.kind, stated[-1].case, stated[-1].lemma) if stated else None


def frequent_events(tables: Iterable[pa.Table], *, keys: str, source: str, floor: int = 2) -> BasicEvents:
    """Adds up what `CountEvents` counted in shards and keeps what was seen often enough.

    Args:
        tables: In `EVENT`, such as `Outcome.tables()` gives.
        keys: The analyser's.
        source: What was analysed, in a word.
        floor: How often an event was seen, at least.
    """
    counts = _counts(tables)
    events = (key._replace(frequency=float(count)) for key, count in counts.items() if count >= floor)
    rare = sum(1 for count in counts.values() if count < floor)
    return BasicEvents(events, keys=keys, source=source, counts={"events seen too rarely": rare})


def added_up(tables: Iterable[pa.Table]) -> pa.Table:
    """One table of several in `EVENT`: each event once, in their order."""
    rows = [event._replace(frequency=float(count))._asdict() for event, count in sorted(_counts(tables).items())]
    return pa.Table.from_pylist(rows, schema=EVENT)


def _counts(tables: Iterable[pa.Table]) -> Counter[Event]:
    counts: Counter[Event] = Counter()
    for table in tables:
        for row in table.to_pylist():
            counts[Event(**{**row, "frequency": 0.0})] += int(row["frequency"])
    return counts


def refuse_same_text(frames: Sequence[TextFile], text: Sequence[TextFile]) -> None:
    """Checks that basic events are not counted in the text that pairs come from: every pair would be basic.

    Raises:
        InputError: A file has the same lines as one of the other ones, packed or not.
    """
    pairs = {text_digest(file): file for file in text}
    for file in frames:
        same = pairs.get(text_digest(file))
        if same is not None:
            raise InputError(
                f"the same text as {same.name}, which pairs come from; basic events are counted in other text",
                where=str(file.path),
                hint="Otherwise every pair would be basic.",
            )
