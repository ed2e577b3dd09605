"""Dates as Wikidata has them: of limited precision, of any year.

`datetime.date` ends at the years 1 and 9999 and knows no precision. So the calendar is done here with whole numbers:
the proleptic Gregorian one, with a year 0, as in Wikidata's RDF. (Where a date is Julian, Wikidata has converted it.)
"""

from __future__ import annotations

import re
from functools import lru_cache

from tashika.builders.tempripple.records import Moment

DAYS_A_YEAR = 365.2425
"""Of the Gregorian calendar, on average."""

_YEAR, _MONTH, _DAY = 9, 10, 11  # wikibase:timePrecision; 8 is a decade, 7 a century
_DATE = re.compile(
    r"([+-]?)(\d{4,16})(?:-(\d\d)(?:-(\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?)?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_ERA_DAYS = 146_097  # of 400 years, after which the calendar repeats
_ERA_START = 719_468  # days from 0000-03-01 to 1970-01-01


class UnreadableError(ValueError):
    """The text is no date: a malformed one, or what stands for an unknown value."""


class ImpreciseError(ValueError):
    """The date is a decade or less precise: too little to put things in order."""


def is_date(value: str) -> bool:
    """Whether a text has the form of a date; what stands for an unknown value has not."""
    return _DATE.fullmatch(value) is not None


@lru_cache(maxsize=65_536)
def read_moment(value: str, precision: int | None) -> Moment:
    """All the days that a date may be.

    Args:
        value: Such as 2025-03-01T00:00:00Z, -0044-03-15T00:00:00Z, +12025-01-01T00:00:00Z, 2025-03 or 2025. Month and
            day may be 00 where the precision is too low to know them.
        precision: `wikibase:timePrecision`: 11 and above a day, 10 a month, 9 a year. None where the store has no node
            with it: then its format decides, and a full date is that day. The exception is 1 January,
            which is read as its whole year: that is how Wikidata writes a year, and it does so more often than
            things happen on that day.

    Raises:
        UnreadableError: It is no date, or one that the calendar does not have.
        ImpreciseError: The precision is a decade or worse.
    """
    match = _DATE.fullmatch(value)
    if not match:
        raise UnreadableError(f"{value!r} is no date")
    sign, digits, *parts = match.groups()
    year = -int(digits) if sign == "-" else int(digits)
    month, day = (int(part or 0) for part in parts)
    if precision is None:
        precision = _YEAR if (month, day) in {(0, 0), (1, 1)} else _MONTH if day == 0 else _DAY
    if precision < _YEAR:
        raise ImpreciseError(f"{value!r} has the precision {precision}, which is less than a year")
    if precision == _YEAR or month == 0:
        return Moment(day_number(year, 1, 1), day_number(year, 12, 31), _year_text(year))
    if month > 12 or day > days_in_month(year, month):
        raise UnreadableError(f"{value!r} is not in the calendar")
    if precision == _MONTH or day == 0:
        days = days_in_month(year, month)
        return Moment(day_number(year, month, 1), day_number(year, month, days), f"{_year_text(year)}-{month:02}")
    number = day_number(year, month, day)
    return Moment(number, number, day_text(number))


def read_widely(value: str, precision: int | None) -> Moment:
    """As `read_moment`, also of a decade, a century or less, which has no text: it is too vague to be shown.

    Raises:
        UnreadableError: It is no date, or one that the calendar does not have.
    """
    try:
        return read_moment(value, precision)
    except ImpreciseError:
        # Wikidata writes any year of the decade or century, so it may lie that far to either side.
        year, days = read_moment(value, _YEAR), 366 * 10 ** (_YEAR - (precision or 0))
        return Moment(year.earliest - days, year.latest + days, "")


def day_number(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a day of the proleptic Gregorian calendar; negative before it.

    Years are counted from March, so that the leap day is the last of its year.
    """
    since_march = (month - 3) % 12
    era, year_of_era = divmod(year - (month < 3), 400)
    day_of_year = (153 * since_march + 2) // 5 + day - 1
    return era * _ERA_DAYS + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _ERA_START


def day_text(number: int) -> str:
    """The day with this number as YYYY-MM-DD; the reverse of `day_number`."""
    era, day_of_era = divmod(number + _ERA_START, _ERA_DAYS)
    # Without the leap days passed so far, all years are of 365 days.
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    since_march = (5 * day_of_year + 2) // 153
    month = (since_march + 2) % 12 + 1
    year = era * 400 + year_of_era + (month < 3)
    return f"{_year_text(year)}-{month:02}-{day_of_year - (153 * since_march + 2) // 5 + 1:02}"


def days_in_month(year: int, month: int) -> int:
    """How many days a month has."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def years_between(start: Moment, end: Moment) -> float:
    """How long it was from one date to another, in years of 365.2425 days; 0 where they cannot be distinguished.

    Counted between the middles of what the dates may be: from 2019 to 2021 are two years, whatever the precision.
    """
    days = (end.earliest + end.latest - start.earliest - start.latest) / 2
    return max(days, 0.0) / DAYS_A_YEAR


def _year_text(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}"
