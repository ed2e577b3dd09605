"""Statements as Wikidata exports them, and made-up histories of a changing property."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import IO, Final, NamedTuple

PROP: Final = "http://www.wikidata.org/prop/"
ENTITY: Final = "http://www.wikidata.org/entity/"
WIKIBASE: Final = "http://wikiba.se/ontology#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL: Final = "<http://www.w3.org/2000/01/rdf-schema#label>"
DESCRIPTION: Final = "<http://schema.org/description>"
DERIVED: Final = "<http://www.w3.org/ns/prov#wasDerivedFrom>"
FIRST: Final = date(2025, 1, 1)

KINDS: Final = {
    "sound": 0.055,
    "sound, months": 0.015,
    "sound, years": 0.02,
    "re-elected": 0.015,
    "returned": 0.005,
    "two changes": 0.01,  # up to here, what is to be accepted
    "overlap": 0.42,
    "undated": 0.15,
    "late": 0.13,
    "gap": 0.06,
    "ended": 0.07,
    "decade": 0.01,
    "end unknown": 0.015,
    "object unknown": 0.01,
    "vacant": 0.01,
    "two starts": 0.005,
}
"""What happens in a history, and how often."""


class When(NamedTuple):
    """A date; precision 11 is a day, 10 a month, 9 a year, 8 a decade, and 0 "some value"."""

    day: date
    precision: int = 11


@dataclass
class Claim:
    """A statement.

    Attributes:
        object: A term; None is Wikidata's "no value", "_" its "some value".
        start: When it began.
        end: When it ended.
        other_start: A second start.
        point: When it was so.
        value: The object, where it is a date.
        rank: Normal, Preferred or Deprecated.
    """

    object: str | None
    start: When | None = None
    end: When | None = None
    other_start: When | None = None
    point: When | None = None
    value: When | None = None
    rank: str = "Normal"


class Triples:
    """Writes N-Triples in the form of Wikidata's exports.

    Args:
        out: Where they go.

    Attributes:
        count: Triples so far.
    """

    def __init__(self, out: IO[str]) -> None:
        self.count = 0
        self._out = out
        self._serial = 0
        self._values: set[When] = set()

    def add(self, *triples: str) -> None:
        """Writes triples: subject, predicate and object with spaces between."""
        self.count += len(triples)
        self._out.write(" .\n".join(triples))
        self._out.write(" .\n")

    def entity(self, entity: str, name: str, language: str, wikidata_class: str) -> None:
        """An item with its label, its description and what it is an instance of."""
        item = f"<{ENTITY}{entity}>"
        self.add(f'{item} {LABEL} "{name}"@{language}', f'{item} {DESCRIPTION} "synthetic"@en')
        self.statements(entity, "P31", [Claim(f"<{ENTITY}{wikidata_class}>")])

    def statements(self, subject: str, relation: str, claims: list[Claim]) -> None:
        """All statements of a subject with one property: their nodes, and the direct triples of the best of them."""
        usable = [one for one in claims if one.rank != "Deprecated"]
        best = "Preferred" if any(one.rank == "Preferred" for one in usable) else "Normal"
        for claim in claims:
            self._statement(subject, relation, claim, claim.rank == best)

    def _statement(self, subject: str, relation: str, claim: Claim, best: bool) -> None:
        self._serial += 1
        node = f"<{ENTITY}statement/{subject}-{self._serial:08X}-5E3D-4000-8000-5E3D5E3D5E3D>"
        self.add(
            f"<{ENTITY}{subject}> <{PROP}{relation}> {node}",
            f"{node} {TYPE} <{WIKIBASE}Statement>",
            f"{node} <{WIKIBASE}rank> <{WIKIBASE}{claim.rank}Rank>",
        )
        target = f"_:o{self._serial}" if claim.object == "_" else claim.object
        if target is None:
            self.add(f"{node} {TYPE} <{PROP}novalue/{relation}>")
        else:
            self.add(f"{node} <{PROP}statement/{relation}> {target}")
        if best:
            self.add(f"{node} {TYPE} <{WIKIBASE}BestRank>")
            if target is not None:
                self.add(f"<{ENTITY}{subject}> <{PROP}direct/{relation}> {target}")
        if self._serial % 6 == 0:
            self.add(f"{node} {DERIVED} <http://www.wikidata.org/reference/{self._serial % 5003:040x}>")
        dated = (("P580", claim.start), ("P580", claim.other_start), ("P582", claim.end), ("P585", claim.point))
        for qualifier, when in dated:
            if when is not None and when.precision:
                self.add(f"{node} <{PROP}qualifier/{qualifier}> {time_term(when)}")
                self.add(f"{node} <{PROP}qualifier/value/{qualifier}> {self._value(when)}")
            elif when is not None:
                self.add(f"{node} <{PROP}qualifier/{qualifier}> _:q{self._serial}")
        if claim.value is not None:
            self.add(f"{node} <{PROP}statement/value/{relation}> {self._value(claim.value)}")

    def _value(self, when: When) -> str:
        """The node of a date, which is written before it is first named."""
        value = f"<http://www.wikidata.org/value/{when.day.toordinal() * 16 + when.precision:032x}>"
        if when not in self._values:
            self._values.add(when)
            self.add(
                f"{value} {TYPE} <{WIKIBASE}TimeValue>",
                f"{value} <{WIKIBASE}timeValue> {time_term(when)}",
                f'{value} <{WIKIBASE}timePrecision> "{when.precision}"^^<{XSD}integer>',
                f'{value} <{WIKIBASE}timeTimezone> "0"^^<{XSD}integer>',
                f"{value} <{WIKIBASE}timeCalendarModel> <{ENTITY}Q1985727>",
            )
        return value


def time_term(when: When) -> str:
    """A date as Wikidata writes it: what is not known of it is January and the first."""
    return f'"{when.day.isoformat()}T00:00:00Z"^^<{XSD}dateTime>'


def dated(when: When) -> Claim:
    """A statement whose object is a date."""
    return Claim(time_term(when), value=when)


def rounded(day: date, precision: int) -> When:
    """A day that is known to the month, year or decade only."""
    first = {11: day, 10: day.replace(day=1), 9: day.replace(month=1, day=1)}
    return When(first.get(precision, date(day.year // 10 * 10, 1, 1)), precision)


def history(random: Random, kind: str, objects: list[str], years: float, touched: bool) -> list[Claim]:
    """The statements of one (subject, property), the oldest first.

    Args:
        random: Draws everything.
        kind: One of `KINDS`.
        objects: Different terms to take objects from.
        years: How long a tenure lasts, about.
        touched: Whether something starts (or, where nothing else does, ends) in 2025.
    """
    precision = {"sound, months": 10, "sound, years": 9}.get(kind, 11)
    starts = _starts(random, kind, years, touched)
    claims = []
    for number, start in enumerate(starts):
        end = rounded(starts[number + 1], precision) if number + 1 < len(starts) else None
        claims.append(Claim(objects[number % len(objects)], rounded(start, precision), end))
    if random.random() < 0.5 and kind != "ended":
        claims[-1].rank = "Preferred"
    if kind in _SPOILED:
        at = random.randrange(len(claims) - 1)
        _SPOILED[kind](random, claims, at)
    if random.random() < 0.04:
        claims.append(Claim(objects[-1], rounded(starts[0], 9), rank="Deprecated"))
    return claims


def _starts(random: Random, kind: str, years: float, touched: bool) -> list[date]:
    """The days of the changes, two or more; the first lies at or before 2015 unless the history is late."""
    last = FIRST + timedelta(days=random.randrange(365))
    if kind == "ended":  # the end is made of the last start
        last = last if touched else date(2024, random.randint(1, 12), 5)
    elif not touched:
        last = FIRST - timedelta(days=1 + int(random.expovariate(1 / (years * 300))))
    starts = [last]
    if kind == "two changes" and touched:
        starts = [FIRST, max(last, FIRST + timedelta(days=90))]
    limit = date(random.randint(2017, 2023), 1, 1) if kind == "late" else date(2015, 1, 1)
    while starts[0] > limit or len(starts) < 2:
        starts.insert(0, starts[0] - timedelta(days=120 + int(random.expovariate(1 / (years * 300)))))
    return starts


def _re_elected(random: Random, claims: list[Claim], at: int) -> None:
    one = claims[at]
    start, end = _days(one)
    middle = start + (end - start) / 2
    claims.insert(at + 1, Claim(one.object, When(middle), one.end))
    one.end = When(middle - timedelta(days=random.randrange(40)))


def _returned(random: Random, claims: list[Claim], at: int) -> None:
    claims[-1].object = claims[-3].object if len(claims) > 2 else claims[-1].object


def _overlap(random: Random, claims: list[Claim], at: int) -> None:
    claims[at].end = When(_days(claims[at])[1] + timedelta(days=30 + random.randrange(900)))


def _undated(random: Random, claims: list[Claim], at: int) -> None:
    claims.insert(at, Claim(claims[-1].object))


def _gap(random: Random, claims: list[Claim], at: int) -> None:
    """Before the last change: the one before it ends early, or is missing."""
    start, end = _days(claims[-2])
    early = end - timedelta(days=400 + random.randrange(600))
    if early > start:
        claims[-2].end = When(early)
    elif len(claims) > 2:
        claims[-3].end = When(min(_days(claims[-3])[1], early))
        del claims[-2]
    else:
        claims[-2].start, claims[-2].end = When(early - timedelta(days=900)), When(early)


def _ended(random: Random, claims: list[Claim], at: int) -> None:
    del claims[-1]


def _decade(random: Random, claims: list[Claim], at: int) -> None:
    claims[0].start = rounded(_days(claims[0])[0], 8)


def _end_unknown(random: Random, claims: list[Claim], at: int) -> None:
    claims[at].end = When(_days(claims[at])[1], 0)


def _object_unknown(random: Random, claims: list[Claim], at: int) -> None:
    claims[at].object = "_"


def _vacant(random: Random, claims: list[Claim], at: int) -> None:
    claims[at].object = None


def _two_starts(random: Random, claims: list[Claim], at: int) -> None:
    claims[at].other_start = When(_days(claims[at])[0] + timedelta(days=100))


def _days(claim: Claim) -> tuple[date, date]:
    assert claim.start is not None
    assert claim.end is not None
    return claim.start.day, claim.end.day


_SPOILED: Final[dict[str, Callable[[Random, list[Claim], int], None]]] = {
    "re-elected": _re_elected,
    "returned": _returned,
    "overlap": _overlap,
    "undated": _undated,
    "gap": _gap,
    "ended": _ended,
    "decade": _decade,
    "end unknown": _end_unknown,
    "object unknown": _object_unknown,
    "vacant": _vacant,
    "two starts": _two_starts,
}
