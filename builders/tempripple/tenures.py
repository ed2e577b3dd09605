"""From the statements on a (subject, property) to its history, or to the reasons why it is not used.

Source: the paper's appendix A (one object at any time, no gap of a year or more); what it leaves open is settled in
`data/tempripple/README.md`, whose reasons and steps these are.

Dates are intervals, and only what is certain rejects: two objects at a time *however the dates are read*, a year
without an object *however the dates are read*. The rules:

- A statement without an end, or with the end "no value", is still open. If another object's starts later, they overlap.
- Overlaps and gaps count from `Period.history_from` to the window's last day. What lies before only gives its start to
  a tenure that reaches into that time (durations are not clipped); tenures that had certainly ended are left out.
- Step 2 asks for sound statements. One that is not sound but was certainly over before the history rejects nothing
  where `Period.old_dates` is "age": its object is remembered as one of earlier times, if it is known. "reject" asks for
  sound statements at any time.
- Statements that certainly start after the window are left out: a history ends on the window's last day.
- Which of two tenures came first must be certain as well, since questions count them: the previous, the third most
  recent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal, NamedTuple

from tashika.builders.tempripple.dates import ImpreciseError, UnreadableError, read_moment, read_widely
from tashika.builders.tempripple.records import History, Moment, Period, Tenure

RawDate = tuple[str | None, int | None]
"""A date as the store has it, and its `wikibase:timePrecision`; None for an unknown date, or precision."""

Rank = Literal["normal", "preferred", "deprecated"]

_OPEN = float("inf")

REASONS = (
    "no-change",
    "unknown-value",
    "vacancy",
    "undated",
    "repeated-qualifier",
    "imprecise",
    "ends-before-start",
    "no-start-in-window",
    "overlap",
    "order-unknown",
    "gap",
    "leading-gap",
    "trailing-gap",
)
"""In the order in which they are named."""


@dataclass(frozen=True)
class Statement:
    """One statement on a (subject, property), as the store has it.

    Attributes:
        id: Its IRI.
        object: An item id; None where the value is unknown, or there is none.
        vacant: Whether it states that there is no object.
        starts: Of qualifier P580; more than one are a mistake of the data.
        ends: Of qualifier P582, likewise.
        known_open: Whether it states that there is no end yet.
        rank: Deprecated ones are ignored.
    """

    id: str
    object: str | None
    vacant: bool = False
    starts: tuple[RawDate, ...] = ()
    ends: tuple[RawDate, ...] = ()
    known_open: bool = False
    rank: Rank = "normal"

    @property
    def time(self) -> str:
        """Its dates to be read by people, whatever is wrong with them: 2012-12-26 – 2014, unknown –, no dates."""
        starts = "|".join(_shown(date) for date in self.starts)
        ends = "|".join([*(_shown(date) for date in self.ends), *(["open"] if self.known_open else [])])
        return f"{starts} – {ends}".strip() if starts or ends else "no dates"


@dataclass(frozen=True)
class Rejection:
    """A (subject, property) that is not used.

    Attributes:
        subject: An item id.
        relation: A property id.
        reasons: All those of the first step that found any, in the order of the README.
        statements: What caused them, sorted by time as far as it is known; empty for no-change.
    """

    subject: str
    relation: str
    reasons: tuple[str, ...]
    statements: tuple[Statement, ...] = ()


_Fault = tuple[str, tuple[Statement, ...]]
"""A reason with the statements that caused it."""


class _Dated(NamedTuple):
    """A sound statement, or several of one object that are one tenure; days as numbers.

    Attributes:
        object: An item id.
        start: Of the first statement.
        end: Of the last; None where it is open.
        surely_since: The latest day that it may have started on: by its start, and as nothing starts after its end.
        surely_until: The earliest day that it may have ended on: by its end, and as nothing ends before its start.
        statements: Sorted by time.
    """

    object: str
    start: Moment
    end: Moment | None
    surely_since: float
    surely_until: float
    statements: tuple[Statement, ...]

    @property
    def last_day(self) -> float:
        """The last day that it may have."""
        return self.end.latest if self.end else _OPEN

    @property
    def order(self) -> tuple[float, int, float]:
        """Sorts by time.

        One comes before another for certain if it can end before the other starts, and not the other way round:
        a.surely_until <= b.surely_since and a.surely_since < b.surely_until. The sum of both lines is the key; a key
        of starts alone would put 2019 to 2021-05 before 2019-02-01 to 2019-06-01.
        """
        return (self.surely_since + self.surely_until, self.start.earliest, self.surely_since)

    def surely_before(self, other: _Dated) -> bool:
        """Whether it can come before the other, and not after it."""
        return self.surely_until <= other.surely_since and self.surely_since < other.surely_until


def judge(subject: str, relation: str, statements: Sequence[Statement], period: Period) -> History | Rejection:
    """The history of a (subject, property), or why it is not used.

    Args:
        subject: An item id.
        relation: A property id.
        statements: All statements, in any order.
        period: Which time is looked at.
    """
    used = sorted((st for st in statements if st.rank != "deprecated"), key=lambda st: st.id)
    if not any(_may_lie_in_window(date, period) for st in used for date in (*st.starts, *st.ends)):
        return Rejection(subject, relation, ("no-change",))
    past = [st for st in used if period.old_dates == "age" and any(_faults(st)) and _surely_over(st, period)]
    used = [st for st in used if st not in past]
    faults: list[_Fault] = [(reason, (st,)) for st in used for reason in _faults(st)]
    if faults:
        return _rejection(subject, relation, faults)
    in_time = sorted((_dated(st) for st in used), key=lambda part: part.order)
    parts = [part for part in in_time if part.start.earliest <= period.window_to]
    tenures = _merged(parts, period.gap)
    if not any(_starts_in_window(tenure, period) for tenure in tenures):
        return _rejection(subject, relation, [("no-start-in-window", _changed(parts, period))])
    faults = [*_overlaps(tenures, period), *_unordered(parts, tenures, period), *_gaps(parts, period)]
    if faults:
        return _rejection(subject, relation, faults)
    new = next((n for n, tenure in enumerate(reversed(tenures)) if not _starts_in_window(tenure, period)), len(tenures))
    if new == 0:  # the window cuts through what the last one's start may be
        return _rejection(subject, relation, [("no-start-in-window", tenures[-1].statements)])
    kept = [tenure for tenure in tenures if _reaches_in(tenure, period)]
    before = (tenure for tenure in tenures if not _reaches_in(tenure, period))
    after = (part for part in in_time if part.start.earliest > period.window_to)
    known = (st.object for st in past if st.object is not None)
    earlier = tuple(dict.fromkeys((*known, *(one.object for one in (*before, *after)))))
    return History(subject, relation, tuple(_tenure(tenure) for tenure in kept), new, earlier)


def _rejection(subject: str, relation: str, faults: Sequence[_Fault]) -> Rejection:
    reasons = sorted({reason for reason, _ in faults}, key=REASONS.index)
    causes = {st.id: st for _, causing in faults for st in causing}
    return Rejection(subject, relation, tuple(reasons), tuple(sorted(causes.values(), key=_by_raw_start)))


def _by_raw_start(statement: Statement) -> tuple[bool, int, str]:
    moments = [moment for date in statement.starts if (moment := _read(date))]
    return (not moments, moments[0].earliest if moments else 0, statement.id)


def _shown(date: RawDate) -> str:
    value, precision = date
    moment = _read(date)
    if moment:
        return moment.text
    if value is None:
        return "unknown"
    return f"{value.partition('T')[0]} (precision {precision})" if precision is not None else value


def _read(date: RawDate) -> Moment | None:
    try:
        return read_moment(date[0] or "", date[1])
    except (UnreadableError, ImpreciseError):
        return None


def _may_lie_in_window(date: RawDate, period: Period) -> bool:
    moment = _read(date)
    return moment is not None and moment.earliest <= period.window_to and moment.latest >= period.window_from


def _faults(statement: Statement) -> Iterator[str]:
    """What makes one statement unusable; what is no date is as good as an unknown one."""
    if statement.object is None:
        yield "vacancy" if statement.vacant else "unknown-value"
    if not statement.starts:
        yield "undated"
    if len(statement.starts) > 1 or len(statement.ends) + statement.known_open > 1:
        yield "repeated-qualifier"
    for value, precision in (*statement.starts, *statement.ends):
        try:
            read_moment(value or "", precision)
        except UnreadableError:
            yield "unknown-value"
        except ImpreciseError:
            yield "imprecise"
    start, end = (next(map(_read, dates), None) for dates in (statement.starts, statement.ends))
    if start and end and end.latest < start.earliest:
        yield "ends-before-start"


def _surely_over(statement: Statement, period: Period) -> bool:
    """Whether it ended before the history for certain, whatever else is wrong with it.

    Every end says so, read as wide as it may be, and no start that can be read says otherwise.
    """
    ends, starts = ([_widely(date) for date in dates] for dates in (statement.ends, statement.starts))
    if not ends or statement.known_open:
        return False
    over = all(end is not None and end.latest < period.history_from for end in ends)
    return over and all(start is None or start.earliest < period.history_from for start in starts)


def _widely(date: RawDate) -> Moment | None:
    """A date with all the days that it may be, also of a decade or less precision; None if it cannot be read."""
    try:
        return read_widely(date[0] or "", date[1])
    except UnreadableError:
        return None


def _dated(statement: Statement) -> _Dated:
    """A statement without faults, its dates read."""
    assert statement.object is not None
    start = read_moment(statement.starts[0][0] or "", statement.starts[0][1])
    end = read_moment(statement.ends[0][0] or "", statement.ends[0][1]) if statement.ends else None
    since = min(start.latest, end.latest) if end else start.latest
    until = max(start.earliest, end.earliest) if end else _OPEN
    return _Dated(statement.object, start, end, since, until, (statement,))


def _merged(parts: Sequence[_Dated], gap: int) -> list[_Dated]:
    """Consecutive ones of one object are one tenure, unless a gap lies between them for certain."""
    tenures: list[_Dated] = []
    for part in parts:
        before = tenures[-1] if tenures else None
        if before and before.object == part.object and part.start.earliest - before.last_day < gap:
            start = min(before.start, part.start)
            end = max(before, part, key=lambda one: (one.last_day, one.surely_until)).end
            since = min(before.surely_since, part.surely_since)
            until = max(before.surely_until, part.surely_until)
            tenures[-1] = _Dated(part.object, start, end, since, until, before.statements + part.statements)
        else:
            tenures.append(part)
    return tenures


def _starts_in_window(tenure: _Dated, period: Period) -> bool:
    return tenure.start.earliest >= period.window_from and tenure.start.latest <= period.window_to


def _reaches_in(tenure: _Dated, period: Period) -> bool:
    """Whether it may have lasted until the history begins."""
    return tenure.last_day >= period.history_from


def _changed(parts: Sequence[_Dated], period: Period) -> tuple[Statement, ...]:
    """The statements that made the pair a candidate."""
    all_statements = (st for part in parts for st in part.statements)
    return tuple(
        st for st in all_statements if any(_may_lie_in_window(date, period) for date in (*st.starts, *st.ends))
    )


def _overlaps(tenures: Sequence[_Dated], period: Period) -> Iterator[_Fault]:
    """Each tenure that starts for certain before an earlier one ends, with that one.

    It is enough to look at the one that ends last: by the order of tenures, it then cannot come after this one either.
    """
    longest: _Dated | None = None
    for tenure in tenures:
        if not _counts(tenure, period):
            continue
        if longest and tenure.surely_since < longest.surely_until:
            yield "overlap", longest.statements + tenure.statements
        if longest is None or tenure.surely_until > longest.surely_until:
            longest = tenure


def _counts(tenure: _Dated, period: Period) -> bool:
    """Whether it can overlap: it certainly reaches into the time that is looked at."""
    return tenure.surely_until > period.history_from and tenure.surely_since <= period.window_to


def _unordered(parts: Sequence[_Dated], tenures: Sequence[_Dated], period: Period) -> Iterator[_Fault]:
    """Two different objects, one after the other, of which neither was certainly first; without those that overlap.

    Tenures alone would not do: in which of them a statement was merged can depend on an order that is not known.
    Neighbours are enough: what is certain of them is certain of all.
    """
    for one, other in chain(pairwise(parts), pairwise(tenures)):
        if one.object == other.object or not (_reaches_in(one, period) and _reaches_in(other, period)):
            continue
        overlap = other.surely_since < one.surely_until and _counts(one, period) and _counts(other, period)
        if not overlap and not one.surely_before(other):
            yield "order-unknown", one.statements + other.statements


def _gaps(parts: Sequence[_Dated], period: Period) -> Iterator[_Fault]:
    """Times in which there is no object, however the dates are read, and which are long enough to tell.

    A day of an end is covered; so a gap has as many days as lie between an end and the next start.
    """
    by_start = sorted(parts, key=lambda part: part.start.earliest)
    if by_start[0].start.earliest - period.history_from >= period.gap:
        yield "leading-gap", by_start[0].statements
    last = by_start[0]
    for _, part in pairwise(by_start):
        if part.start.earliest - max(last.last_day, period.history_from) >= period.gap:
            yield "gap", last.statements + part.statements
        if part.last_day > last.last_day:
            last = part
    if period.window_to - max(last.last_day, period.history_from) >= period.gap:
        yield "trailing-gap", last.statements


def _tenure(part: _Dated) -> Tenure:
    return Tenure(part.object, part.start, part.end, tuple(st.id for st in part.statements))
