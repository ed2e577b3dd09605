"""Facts that did not change through the whole period, and how certain that is (the paper's section 2.1, appendix A).

A fact with dates is kept if it certainly held from the first day of the history to the last day of the window, however
its dates are read within their precision. Dates are bounds in days, so a year before Christ or after 9999 is like any
other. Most statements have no dates: whether such a fact did not change is as certain as its property makes it
(`Stable.undated`), and the fact says so.

Of a subject and a property only the best rank counts: the preferred statements if there are any, else the normal ones.
Where several of them have objects, those that held unchanged are the answer; the other ones were or are true as well,
so they are handed on as `also_true`, to be kept out of the wrong options.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tashika.builders.sources.sparql import ENTITY, Row, SparqlEndpoint
from tashika.builders.sources.wikidata import BATCH, item_number, item_or_none
from tashika.builders.tempripple.dates import UnreadableError, read_widely
from tashika.builders.tempripple.properties import Stable
from tashika.builders.tempripple.records import (
    CERTAINTIES,
    Certainty,
    Datatype,
    Moment,
    Period,
    StableFact,
    Value,
    weakest,
)

BIRTH, DEATH, INCEPTION = "P569", "P570", "P571"
_CAME_INTO_BEING = (BIRTH, INCEPTION)
_DATES: Mapping[str, Datatype] = {BIRTH: "time", DEATH: "time", INCEPTION: "time"}
_CLAIM = "http://www.wikidata.org/prop/"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_PREFERRED = "http://wikiba.se/ontology#PreferredRank"
_START, _END, _POINT = "P580", "P582", "P585"


@dataclass(frozen=True)
class AnsweredFact(StableFact):
    """A stable fact, with what else is or was said of the subject.

    Attributes:
        also_true: Other objects of any time and any rank but deprecated, sorted. None may be a wrong option.
        unique: Whether it had no other best-rank object at any time of the period: only then does "the object of
            the subject" mean one thing, and a path may continue.
    """

    also_true: tuple[Value, ...] = ()
    unique: bool = True


@dataclass(frozen=True)
class Statement:
    """One statement of a property, as it was asked for.

    Attributes:
        preferred: Its rank; else it is normal.
        value: Its object; None where it is unknown, missing, or not of the property's datatype.
        moment: The object as a date, if it is one that can be read.
        starts: Its start qualifiers; None for one that is unknown.
        ends: Its end qualifiers, likewise.
        points: Its points in time, likewise.
    """

    preferred: bool
    value: Value | None
    moment: Moment | None
    starts: frozenset[Moment | None]
    ends: frozenset[Moment | None]
    points: frozenset[Moment | None]


Statements = Mapping[str, Mapping[str, Sequence[Statement]]]
"""Subject -> property -> statements."""


def stable_facts(
    endpoint: SparqlEndpoint,
    properties: Mapping[str, Stable],
    subjects: Mapping[str, frozenset[str]],
    period: Period,
    batch: int = BATCH,
    *,
    only_older: bool = True,
) -> Iterator[AnsweredFact]:
    """Yields the facts of the subjects that held unchanged, by subject's and property's number within each request.

    One request for each batch of subjects, and one more where a fact begins with its object's birth.

    Args:
        endpoint: Where to ask.
        properties: The stable properties by id; those that are not enabled are left out.
        subjects: Item id -> its types; a property is used for a subject of one of the property's types.
        period: The facts hold from `history_from` to `window_to`.
        batch: Subjects a request.
        only_older: Leave out all facts of a subject that may have been born or founded after `history_from`.
    """
    asked = {pid: stable for pid, stable in properties.items() if stable.enabled}
    fitting = sorted((s for s, types in subjects.items() if _fitting(asked, types)), key=item_number)
    datatypes = {**_DATES, **{pid: stable.datatype for pid, stable in asked.items()}}
    for statements in _statements(endpoint, fitting, datatypes, batch):
        births = _births_of_objects(endpoint, asked, statements, batch)
        for subject in sorted(statements, key=item_number):
            of_subject = statements[subject]
            if only_older and not all(_older(of_subject.get(pid, ()), period) for pid in _CAME_INTO_BEING):
                continue
            for pid in _fitting(asked, subjects[subject]):
                fact = _judged(subject, asked[pid], of_subject, births, period)
                if fact:
                    yield fact


def _fitting(properties: Mapping[str, Stable], types: frozenset[str]) -> list[str]:
    """The ids of the properties that fit one of the types, by number."""
    return sorted((pid for pid, stable in properties.items() if stable.types & types), key=item_number)


def value_order(value: Value) -> tuple[int, str]:
    """Sorts items by number, and literals as text."""
    return (item_number(value.text) if value.datatype == "item" else 0), value.text


# --- what held when


def _judged(
    subject: str, stable: Stable, of_subject: Mapping[str, Sequence[Statement]], births: Statements, period: Period
) -> AnsweredFact | None:
    """The fact of one subject and property; None where no object certainly held through the whole period."""
    statements = of_subject.get(stable.id, ())
    best = _best(statements)
    dates = _Dates(of_subject.get(DEATH, ()), births, period)
    began: dict[Value, Certainty] = {}
    for one in best:
        certainty = dates.began(one, stable) if one.value and dates.continues(one) else None
        if one.value and certainty:  # of two statements of one object the better one counts
            began[one.value] = min(certainty, began.get(one.value, certainty), key=CERTAINTIES.index)
    objects = set(began)
    if not objects:
        return None
    said = {one.value for one in statements if one.value}
    return AnsweredFact(
        subject,
        stable.id,
        tuple(sorted(objects, key=value_order)),
        weakest(began.values()),
        also_true=tuple(sorted(said - objects, key=value_order)),
        unique=len(objects) == 1 and all(one.value in objects or dates.outside(one) for one in best),
    )


def _best(statements: Sequence[Statement]) -> list[Statement]:
    """Those of the best rank."""
    preferred = [one for one in statements if one.preferred]
    return preferred or list(statements)


@dataclass(frozen=True)
class _Dates:
    """Compares a statement's dates with the period.

    Attributes:
        deaths: The subject's.
        births: Of items that are objects.
        period: Which time is looked at.
    """

    deaths: Sequence[Statement]
    births: Statements
    period: Period

    def began(self, one: Statement, stable: Stable) -> Certainty | None:
        """How certain it is that it began by the first day of the history; None where it may not be taken to.

        A point in time is read as a start: of an award, of an office. What was counted then says nothing of later.
        """
        stated = one.starts | one.points
        if (stable.start == "start" and not one.starts) or (stable.datatype == "quantity" and one.points):
            return None
        if stated:
            return "certain" if all(self._by_first_day(moment) for moment in stated) else None
        if stable.start == "free":
            return stable.undated
        of_whom: Sequence[Statement] = ()
        if stable.start == "death":
            of_whom = self.deaths
        elif stable.start == "birth of object" and one.value:
            of_whom = self.births.get(one.value.text, {}).get(BIRTH, ())
        return "certain" if self._dated(of_whom) else None

    def continues(self, one: Statement) -> bool:
        """Whether it certainly held on the last day of the window; who ends on that day counts."""
        return all(moment is not None and moment.earliest >= self.period.window_to for moment in one.ends)

    def outside(self, one: Statement) -> bool:
        """Whether it certainly was over before the period, or began after it."""
        over = bool(one.ends) and all(self._by_first_day(moment) for moment in one.ends)
        stated = one.starts | one.points
        later = bool(stated) and all(
            moment is not None and moment.earliest > self.period.window_to for moment in stated
        )
        return over or later

    def _by_first_day(self, moment: Moment | None) -> bool:
        return moment is not None and moment.latest <= self.period.history_from

    def _dated(self, statements: Sequence[Statement]) -> bool:
        """Whether there is a date, and certainly none after the first day."""
        return bool(statements) and all(self._by_first_day(one.moment) for one in _best(statements))


def _older(statements: Sequence[Statement], period: Period) -> bool:
    """Whether no date of birth or foundation may lie after the first day; an unknown one is no reason to doubt."""
    return all(one.moment is None or one.moment.latest <= period.history_from for one in _best(statements))


# --- what is asked


def _births_of_objects(
    endpoint: SparqlEndpoint, properties: Mapping[str, Stable], statements: Statements, batch: int
) -> Statements:
    """The dates of birth of those objects whose facts begin with it."""
    wanted = [pid for pid, stable in properties.items() if stable.start == "birth of object"]
    undated = (one for of in statements.values() for pid in wanted for one in of.get(pid, ()) if not one.starts)
    items = sorted({one.value.text for one in undated if one.value and one.value.datatype == "item"}, key=item_number)
    births: dict[str, Mapping[str, Sequence[Statement]]] = {}
    for several in _statements(endpoint, items, {BIRTH: "time"}, batch):
        births.update(several)
    return births


def _statements(
    endpoint: SparqlEndpoint, subjects: Sequence[str], datatypes: Mapping[str, Datatype], batch: int
) -> Iterator[Statements]:
    """Yields the statements of the properties, as much of them as one request brings."""
    claims = sorted(datatypes, key=item_number)
    times = [pid for pid in claims if datatypes[pid] == "time"]
    qualifiers = (_START, _END, _POINT)
    simple = ", ".join([*(f"ps:{pid}" for pid in claims), *(f"pq:{pid}" for pid in qualifiers)])
    nodes = ", ".join([*(f"psv:{pid}" for pid in times), *(f"pqv:{pid}" for pid in qualifiers)])

    # Each branch holds all it needs. A row is a part of a statement: an OPTIONAL for the value node of each qualifier
    # makes Oxigraph go through all value nodes of the store (minutes for 20 subjects), and repeated qualifiers would
    # multiply. A statement that there is no value has none of the parts but a class, and counts where it is preferred.
    def query(values: str) -> str:
        head = f"""VALUES ?s {{ {values} }} ?s ?pp ?st . FILTER(?pp IN ({", ".join(f"p:{pid}" for pid in claims)}))
    ?st wikibase:rank ?rank . FILTER(?rank != wikibase:DeprecatedRank) ?st ?x ?v ."""
        return f"""SELECT ?s ?pp ?st ?rank ?x ?v (isLiteral(?v) AS ?literal) ?time ?precision WHERE {{
  {{ {head} FILTER(?x IN ({simple}) || (?x = <{_TYPE}> && STRSTARTS(STR(?v), "{_CLAIM}novalue/"))) }} UNION
  {{ {head} FILTER(?x IN ({nodes})) ?v wikibase:timeValue ?time ; wikibase:timePrecision ?precision }} }}"""

    for rows in endpoint.select_batches(query, [f"wd:{subject}" for subject in subjects], batch):
        yield _grouped(rows, datatypes)


Parts = Mapping[str, Sequence[Row]]
"""The rows of one statement, by predicate."""


def _grouped(rows: Iterable[Row], datatypes: Mapping[str, Datatype]) -> Statements:
    """The statements that the rows are parts of."""
    parts: dict[tuple[str, str, str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        parts[row["s"][0], row["pp"][0], row["st"][0], row["rank"][0]][row["x"][0]].append(row)
    grouped: dict[str, dict[str, list[Statement]]] = defaultdict(lambda: defaultdict(list))
    for (subject, claim, _, rank), of in parts.items():
        pid = claim.removeprefix(_CLAIM)
        statement = _statement(of, pid, datatypes[pid], preferred=rank == _PREFERRED)
        grouped[subject.removeprefix(ENTITY)][pid].append(statement)
    return grouped


def _statement(of: Parts, pid: str, datatype: Datatype, *, preferred: bool) -> Statement:
    rows = of.get(f"{_CLAIM}statement/{pid}", ())
    objects = _moments(of, "statement", pid) if datatype == "time" else frozenset[None]()
    # A statement has one value. Which of several is meant, nobody can know.
    several = len({(row["v"], _is_literal(row)) for row in rows}) > 1 or len(objects) > 1
    moment = None if several else next(iter(objects), None)
    value = _value(rows[0], datatype, moment) if rows and not several else None
    starts, ends, points = (_moments(of, "qualifier", qualifier) for qualifier in (_START, _END, _POINT))
    return Statement(preferred, value, moment, starts, ends, points)


def _moments(of: Parts, kind: str, pid: str) -> frozenset[Moment | None]:
    """The dates of a qualifier, or of the statement itself; None for an unknown one.

    They come from the value nodes, which know the precision; in a store that has none, from the dates as they stand.
    """
    simple = of.get(f"{_CLAIM}{kind}/{pid}", ())
    nodes = [row for row in of.get(f"{_CLAIM}{kind}/value/{pid}", ()) if "time" in row]
    moments = {_read(row["time"][0], _precision(row["precision"][0])) for row in nodes}
    unknown = {None for row in simple if not _is_literal(row)}
    return frozenset(moments or {_read(row["v"][0], None) for row in simple if _is_literal(row)}) | unknown


def _precision(text: str) -> int | None:
    """A `wikibase:timePrecision`; None for what is no number, so that the format of the date decides."""
    return int(text) if text.isdecimal() else None


def _read(text: str, precision: int | None) -> Moment | None:
    """A date with its bounds; that of a decade or less has no text, for it is too vague to be an answer."""
    try:
        return read_widely(text, precision)
    except UnreadableError:
        return None


def _value(row: Row, datatype: Datatype, moment: Moment | None) -> Value | None:
    """A statement's object; None for what is unknown or of another datatype."""
    text = row["v"][0]
    if datatype == "item":
        item = item_or_none(text)
        return Value(item, "item") if item and not _is_literal(row) else None
    if datatype == "time":
        return Value(moment.text, "time") if moment and moment.text else None
    if not _is_literal(row) or not text.strip():
        return None
    return Value(text.removeprefix("+") if datatype == "quantity" else text, datatype)


def _is_literal(row: Row) -> bool:
    return row.get("literal", ("false", None))[0] in {"true", "1"}
