"""The table of rejected histories: every (subject, property) with its reasons and the statements that caused them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tashika.builders.tempripple.dates import ImpreciseError, UnreadableError, read_moment
from tashika.builders.tempripple.records import History, Moment, Tenure
from tashika.builders.tempripple.tenures import RawDate, Rejection, Statement

NO_LABEL: Final = "no-label"
"""The reason that is found last: the store has no name for the subject or an object."""

COLUMNS: Final = ("subject", "relation", "subject_label", "relation_label", "reasons", "statements")


def header() -> str:
    """The table's first line."""
    return "\t".join(COLUMNS) + "\n"


def line(rejection: Rejection, labels: Mapping[str, str], relation_label: str) -> str:
    """A line of the table.

    Args:
        rejection: What was rejected.
        labels: Of items; one without a label is shown by its id.
        relation_label: The property's.
    """
    statements = " ; ".join(statement_text(statement, labels) for statement in rejection.statements)
    cells = (
        rejection.subject,
        rejection.relation,
        labels.get(rejection.subject, ""),
        relation_label,
        "|".join(rejection.reasons),
        statements,
    )
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"


def statement_text(statement: Statement, labels: Mapping[str, str]) -> str:
    """A statement in a few characters: its object, start and end, and a rank that is not normal."""
    if statement.vacant:
        shown = "no value"
    elif statement.object is None:
        shown = "unknown value"
    else:
        label = labels.get(statement.object)
        shown = f"{label} ({statement.object})" if label else statement.object
    rank = "" if statement.rank == "normal" else f" [{statement.rank}]"
    until = "open" if statement.known_open else _dates_text(statement.ends)
    return f"{shown}: {_dates_text(statement.starts)}..{until}{rank}"


def _dates_text(dates: Sequence[RawDate]) -> str:
    return "|".join(_date_text(*date) for date in dates)


def _date_text(value: str | None, precision: int | None) -> str:
    if value is None:
        return "unknown"
    try:
        return read_moment(value, precision).text
    except ImpreciseError:
        return f"{value} (precision {precision})"
    except UnreadableError:
        return value


def items_of(rejections: Iterable[Rejection]) -> Iterator[str]:
    """The items whose labels the table shows."""
    for rejection in rejections:
        yield rejection.subject
        yield from (statement.object for statement in rejection.statements if statement.object)


def items_in(history: History) -> Iterator[str]:
    """The items of a history whose labels are needed, or looked for."""
    yield history.subject
    yield from (tenure.object for tenure in history.tenures)
    yield from history.earlier


def nameless(history: History, labels: Mapping[str, str]) -> Rejection | None:
    """A history that nobody could be asked about: its subject or one of its objects has no label; else None."""
    unnamed = [tenure for tenure in history.tenures if tenure.object not in labels]
    if history.subject in labels and not unnamed:
        return None
    caused = tuple(_statement_of(tenure) for tenure in unnamed or history.tenures)
    return Rejection(history.subject, history.relation, (NO_LABEL,), caused)


def _statement_of(tenure: Tenure) -> Statement:
    """A tenure as one statement, for the table."""
    first = tenure.statements[0] if tenure.statements else ""
    return Statement(first, tenure.object, starts=_raw(tenure.start), ends=_raw(tenure.end))


def _raw(moment: Moment | None) -> tuple[RawDate, ...]:
    return ((moment.text, 9 + moment.text[1:].count("-")),) if moment else ()  # precision 9 is a year, 11 a day


def count_reasons(reasons: Sequence[str], counts: dict[str, int]) -> None:
    """Adds a rejection's reasons to the counts; one with several counts for each."""
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
