"""The table of rejected histories: every (subject, property) with its reasons and the statements that caused them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tashika.builders.dates import ImpreciseError, UnreadableError, read_moment
from tashika.builders.tenures import RawDate, Rejection, Statement

COLUMNS: Final = ("subject", "relation", "subject_label", "relation_label", "reasons", "statements")


def header() -> str:
    """The table's first line."""
    return "\t".join(COLUMNS) + "\n"


def line(found: Rejection, labels: Mapping[str, str], relation_label: str) -> str:
    """A line of the table.

    Args:
        found: What was rejected.
        labels: Of items; one without a label is shown by its id.
        relation_label: The property's.
    """
    statements = " ; ".join(statement_text(statement, labels) for statement in found.statements)
    cells = (
        found.subject,
        found.relation,
        labels.get(found.subject, ""),
        relation_label,
        "|".join(found.reasons),
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


def items_of(found: Iterable[Rejection]) -> Iterator[str]:
    """The items whose labels the table shows."""
    for one in found:
        yield one.subject
        yield from (statement.object for statement in one.statements if statement.object)


def counted(reasons: Sequence[str], counts: dict[str, int]) -> None:
    """Adds a rejection's reasons to the counts; one with several counts for each."""
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
