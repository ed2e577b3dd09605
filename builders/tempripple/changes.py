"""Finds facts that changed, and their histories: two kinds of queries, then a judgment on each (subject, property).

First one query a property: who has a statement that starts or ends in the window? Then all statements of these
subjects, hundreds of subjects a request. Dates are compared in the first only: what has no date, or an unknown one,
must be seen to be rejected. Each query has one VALUES block and starts from the property; other shapes take minutes.

Source: the paper's section 2.2 and its appendix A (the cap).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tashika.builders.sources.sparql import Row, SparqlEndpoint
from tashika.builders.sources.wikidata import item_number, item_or_none, require_property
from tashika.builders.tempripple.dates import day_text, is_date
from tashika.builders.tempripple.records import History, Period
from tashika.builders.tempripple.tenures import Rank, RawDate, Rejection, Statement, judge
from tashika.core.errors import InputError
from tashika.core.progress import say

_RANKS: dict[str, Rank] = {
    "http://wikiba.se/ontology#NormalRank": "normal",
    "http://wikiba.se/ontology#PreferredRank": "preferred",
    "http://wikiba.se/ontology#DeprecatedRank": "deprecated",
}


_NOT_DEPRECATED = "OPTIONAL { ?st wikibase:rank ?rank } FILTER(!BOUND(?rank) || ?rank != wikibase:DeprecatedRank)"
"""A statement without a rank counts as normal: a history that lacks it would look complete."""


def histories(
    endpoint: SparqlEndpoint,
    relation: str,
    period: Period,
    cap: int,
    batch: int,
    *,
    only_objects: Callable[[str], bool] | None = None,
) -> Iterator[History | Rejection]:
    """Yields the history of each subject that changed in the window, or why it is not used; sorted by item number.

    Args:
        endpoint: Where to ask.
        relation: A property id.
        period: Which time is looked at.
        cap: The most subjects to take.
        batch: Subjects a request; this much is in memory.
        only_objects: Tells of an item whether statements with it count (such as: is it a club?); all if None. Those
            with an unknown value or none always count.

    Raises:
        InputError: The store has no statements.
        OutsideError: The endpoint fails, also for the smallest part of a question.
    """
    subjects = changed_subjects(endpoint, relation, period, cap)
    for subject, statements in statements_of(endpoint, relation, subjects, batch):
        counted = [one for one in statements if not only_objects or one.object is None or only_objects(one.object)]
        yield judge(subject, relation, counted, period)


def changed_subjects(endpoint: SparqlEndpoint, relation: str, period: Period, cap: int) -> list[str]:
    """The items with a statement that starts or ends in the window, sorted by number; at most as many as the cap.

    If that is too much for the endpoint, the window is halved, down to a day.

    Raises:
        InputError: The store has no statements.
        OutsideError: The endpoint fails, also for a single day.
    """
    require_property(relation, "relations")

    def query(days: str) -> str:
        numbers = days.split()
        first, last = int(numbers[0]), int(numbers[-1])
        # Unknown dates, and years that the engine cannot read, compare to nothing and drop out, as they should.
        return (
            f"SELECT DISTINCT ?s WHERE {{ ?s p:{relation} ?st . {{ ?st pq:P580 ?t }} UNION {{ ?st pq:P582 ?t }} "
            f"FILTER(?t >= {_midnight(first)} && ?t < {_midnight(last + 1)}) {_NOT_DEPRECATED} }}"
        )

    days = [str(number) for number in range(period.window_from, period.window_to + 1)]
    subjects = {row["s"][0] for rows in endpoint.select_batches(query, days, len(days)) for row in rows}
    if not subjects:
        require_statements(endpoint)
    items = sorted((item for iri in subjects if (item := item_or_none(iri))), key=item_number)
    if len(items) < len(subjects):
        say(f"{relation}: {len(subjects) - len(items):,} subjects that are no items are left out")
    if len(items) > cap:
        say(f"{relation}: {len(items):,} subjects changed in the window; the first {cap:,} by number are taken (cap)")
    return items[:cap]


def require_statements(endpoint: SparqlEndpoint) -> None:
    """Checks that the store has statements with qualifiers, not the present values alone.

    Raises:
        InputError: The store has no statements with qualifiers.
    """
    if endpoint.select("SELECT ?st WHERE { { ?st pq:P580 ?t } UNION { ?st pq:P582 ?t } } LIMIT 1"):
        return
    ranked = endpoint.select("SELECT ?st WHERE { ?st wikibase:rank ?rank } LIMIT 1")
    raise InputError(
        "no statement has a start or end (pq:P580, pq:P582); expected a dump with qualifiers"
        if ranked
        else "found no statement with a rank (p:, ps:, pq:, wikibase:rank), expected Wikidata's full form",
        where=endpoint.identity,
        hint='Histories stand in qualifiers. Load a full dump ("all" and not "truthy"), or ask another endpoint.',
    )


def statements_of(
    endpoint: SparqlEndpoint, relation: str, subjects: Sequence[str], batch: int
) -> Iterator[tuple[str, list[Statement]]]:
    """Yields each subject that has any with its statements that are not deprecated.

    Args:
        endpoint: Where to ask.
        relation: A property id.
        subjects: Item ids.
        batch: Subjects a request; fewer where that is too much for the endpoint.

    Yields:
        Subject and statements, sorted by IRI; subjects are sorted by number inside a batch.
    """

    def query(values: str) -> str:
        return f"""SELECT ?s ?st ?o ?rank ?sraw ?start ?sprec ?eraw ?end ?eprec ?noend WHERE {{ VALUES ?s {{ {values} }}
  ?s p:{relation} ?st . {_NOT_DEPRECATED}
  OPTIONAL {{ ?st ps:{relation} ?o }}
  OPTIONAL {{ ?st pq:P580 ?sraw }}
  OPTIONAL {{ ?st pqv:P580 ?sv . ?sv wikibase:timeValue ?start ; wikibase:timePrecision ?sprec }}
  OPTIONAL {{ ?st pq:P582 ?eraw }}
  OPTIONAL {{ ?st pqv:P582 ?ev . ?ev wikibase:timeValue ?end ; wikibase:timePrecision ?eprec }}
  OPTIONAL {{ ?st a ?noend . FILTER(?noend = wdno:P582) }} }}"""

    for rows in endpoint.select_batches(query, [f"wd:{subject}" for subject in subjects], batch):
        grouped = _grouped(rows)
        for subject in sorted(grouped, key=item_number):
            yield subject, [part.statement(iri) for iri, part in sorted(grouped[subject].items())]


@dataclass
class _Date:
    """A qualifier's values in all rows of a statement: as they stand, and with precision."""

    raw: set[str] = field(default_factory=set)
    precise: set[tuple[str, int]] = field(default_factory=set)

    def add(self, row: Row, raw: str, value: str, precision: str) -> None:
        if raw in row:
            self.raw.add(row[raw][0])
        if value in row and row[precision][0].isdecimal():
            self.precise.add((row[value][0], int(row[precision][0])))

    def dates(self) -> tuple[RawDate, ...]:
        """Each date once. An unknown one (a blank node, a genid IRI) has no node with a precision."""
        read = [date for date in self.raw if is_date(date)]
        known: list[RawDate] = [*sorted(self.precise)]
        if len(read) > len(known):  # the store lacks such nodes, or some of them
            with_precision = {value for value, _ in self.precise}
            known += [(date, None) for date in sorted(read) if date not in with_precision]
        return (*known, *[(None, None)] * (len(self.raw) - len(read)))


@dataclass
class _Parts:
    """The statement that rows describe; there are several where a qualifier is repeated."""

    rank: Rank
    objects: set[str] = field(default_factory=set)
    start: _Date = field(default_factory=_Date)
    end: _Date = field(default_factory=_Date)
    known_open: bool = False

    def statement(self, iri: str) -> Statement:
        return Statement(
            id=iri,
            object=item_or_none(next(iter(self.objects))) if len(self.objects) == 1 else None,
            vacant=not self.objects,  # "no value" has no ps: triple
            starts=self.start.dates(),
            ends=self.end.dates(),
            known_open=self.known_open,
            rank=self.rank,
        )


def _grouped(rows: Iterable[Row]) -> dict[str, dict[str, _Parts]]:
    """Subject -> statement's IRI -> what its rows say."""
    grouped: dict[str, dict[str, _Parts]] = {}
    for row in rows:
        subject = item_or_none(row["s"][0])
        if subject is None:
            continue
        rank = _RANKS.get(row["rank"][0], "normal") if "rank" in row else "normal"
        parts = grouped.setdefault(subject, {}).setdefault(row["st"][0], _Parts(rank))
        if "o" in row:
            parts.objects.add(row["o"][0])
        parts.start.add(row, "sraw", "start", "sprec")
        parts.end.add(row, "eraw", "end", "eprec")
        parts.known_open = parts.known_open or "noend" in row
    return grouped


def _midnight(day: int) -> str:
    return f'"{day_text(day)}T00:00:00Z"^^xsd:dateTime'
