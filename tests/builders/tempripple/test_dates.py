from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.tempripple.dates import (
    ImpreciseError,
    UnreadableError,
    day_number,
    day_text,
    days_in_month,
    is_date,
    read_moment,
    years_between,
)
from tashika.builders.tempripple.records import Moment

YEARS = st.integers(-100_000, 100_000)
NEW_YEAR_2025 = 20_089  # days since 1970-01-01


@given(st.dates())
def test_days_are_those_of_the_library_where_it_has_them(day: date) -> None:
    number = (day - date(1970, 1, 1)).days
    assert day_number(day.year, day.month, day.day) == number
    assert day_text(number) == day.isoformat()
    next_month = (day.replace(day=1) + timedelta(days=31)).replace(day=1) if day < date(9999, 12, 1) else None
    if next_month:
        assert (next_month - timedelta(days=1)).day == days_in_month(day.year, day.month)


@pytest.mark.parametrize(
    ("year", "month", "day", "number"),
    [
        (1970, 1, 1, 0),
        (2025, 1, 1, NEW_YEAR_2025),
        (1, 1, 1, -719_162),
        (0, 12, 31, -719_163),
        (0, 1, 1, -719_528),  # the year 0 is a leap year
        (-1, 12, 31, -719_529),
        (12_025, 1, 1, NEW_YEAR_2025 + 25 * 146_097),  # 25 times 400 years later
        (-7_975, 1, 1, NEW_YEAR_2025 - 25 * 146_097),
    ],
)
def test_days_of_years_that_the_library_does_not_have(year: int, month: int, day: int, number: int) -> None:
    assert day_number(year, month, day) == number


@given(st.integers(-40_000_000, 40_000_000))
def test_days_follow_each_other_in_any_year(number: int) -> None:
    moment = read_moment(f"{day_text(number)}T00:00:00Z", 11)
    assert moment == Moment(number, number, day_text(number))


@given(YEARS, st.integers(1, 12))
def test_months_and_years_are_as_long_as_they_are(year: int, month: int) -> None:
    sign, digits = "-" if year < 0 else "", f"{abs(year):04}"
    in_year = read_moment(f"{sign}{digits}-01-01T00:00:00Z", 9)
    in_month = read_moment(f"{sign}{digits}-{month:02}-01T00:00:00Z", 10)
    assert in_year.latest - in_year.earliest + 1 == sum(days_in_month(year, each) for each in range(1, 13))
    assert in_month.latest - in_month.earliest + 1 == days_in_month(year, month)
    assert in_year.earliest <= in_month.earliest <= in_month.latest <= in_year.latest


@pytest.mark.parametrize(
    ("value", "precision", "text", "days"),
    [
        ("2025-03-15T00:00:00Z", 11, "2025-03-15", 1),
        ("2025-03-15T12:30:00.5Z", 14, "2025-03-15", 1),
        ("2025-03-15T00:00:00+00:00", 11, "2025-03-15", 1),
        ("2025-02-01T00:00:00Z", 10, "2025-02", 28),
        ("2024-01-01T00:00:00Z", 9, "2024", 366),
        ("+1989-00-00T00:00:00Z", 9, "1989", 365),  # as Wikidata's JSON has it
        ("+1989-07-00T00:00:00Z", 10, "1989-07", 31),
        ("+00000001989-07-05T00:00:00Z", 11, "1989-07-05", 1),  # as old dumps have it
        ("-0044-03-15T00:00:00Z", 11, "-0044-03-15", 1),
        ("-13798-01-01T00:00:00Z", 9, "-13798", 365),
        ("0000-01-01T00:00:00Z", 9, "0000", 366),
        ("+12025-05-06T00:00:00Z", 11, "12025-05-06", 1),
        ("12025-01-01T00:00:00Z", 9, "12025", 365),
        # The precision is not known: the form tells.
        ("2025-03-15", None, "2025-03-15", 1),
        ("2025-03-15Z", None, "2025-03-15", 1),
        ("2025-03-01T00:00:00Z", None, "2025-03-01", 1),
        ("2025-03", None, "2025-03", 31),
        ("2025", None, "2025", 365),
        ("2025-00-00", None, "2025", 365),
        # What says less than the precision promises is what it says.
        ("2025", 11, "2025", 365),
        ("2025-03", 11, "2025-03", 31),
    ],
)
def test_reads_dates_as_wikidata_has_them(value: str, precision: int | None, text: str, days: int) -> None:
    moment = read_moment(value, precision)
    assert moment.text == text
    assert moment.latest - moment.earliest + 1 == days


def test_the_first_of_january_without_a_precision_may_be_a_year() -> None:
    assert read_moment("2025-01-01T00:00:00Z", None) == Moment(NEW_YEAR_2025, NEW_YEAR_2025 + 364, "2025")
    assert read_moment("2025-01-01T00:00:00Z", 11) == Moment(NEW_YEAR_2025, NEW_YEAR_2025, "2025-01-01")


@pytest.mark.parametrize("precision", [8, 7, 6, 0])
def test_decades_and_centuries_are_too_little(precision: int) -> None:
    with pytest.raises(ImpreciseError, match=f"precision {precision}"):
        read_moment("2000-01-01T00:00:00Z", precision)


@pytest.mark.parametrize("value", ["2025-13-01", "2025-02-29", "1900-02-29T00:00:00Z", "2025-04-31", "2025-03-32"])
def test_days_that_the_calendar_does_not_have(value: str) -> None:
    with pytest.raises(UnreadableError, match="not in the calendar"):
        read_moment(value, 11)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "25",
        "２０２５",
        "2025-3-1",
        "03/01/2025",
        "2025-03-01T",
        "2025-03-01\n",
        "unknown-3de0d580-f972-5494-a3a6-5f4dd9ad3554",
        "http://www.wikidata.org/.well-known/genid/2025",
        "9" * 40,
    ],
)
def test_what_is_no_date(value: str) -> None:
    assert not is_date(value)
    with pytest.raises(UnreadableError, match="is no date"):
        read_moment(value, 11)


@given(st.text(max_size=30), st.none() | st.integers(-1, 20))
def test_any_text_is_a_date_or_none(value: str, precision: int | None) -> None:
    try:
        moment = read_moment(value, precision)
    except (UnreadableError, ImpreciseError):
        return
    assert is_date(value)
    assert moment.earliest <= moment.latest


@pytest.mark.parametrize(
    ("start", "end", "years"),
    [
        (("2001-01-01", 11), ("2401-01-01", 11), 400.0),
        (("2019-01-01", 9), ("2021-01-01", 9), 731 / 365.2425),  # from the middle of 2019 to that of 2021: 2020 is 366
        (("2025-01-01", 9), ("2025-01-01", 9), 0.0),
        (("2025-07-03", 11), ("2025-01-01", 9), 0.0),  # the year's middle lies before
        (("-0001-01-01", 9), ("0001-01-01", 9), (365 + 2 * 366 + 365) / 2 / 365.2425),
    ],
)
def test_durations(start: tuple[str, int], end: tuple[str, int], years: float) -> None:
    assert years_between(read_moment(*start), read_moment(*end)) == pytest.approx(years, abs=1e-9)
