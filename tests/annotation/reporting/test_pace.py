"""When the judging will be done at the pace of the last week, and when that cannot be said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.reporting.pace import FEWEST_ANSWERS, estimate

PULLED = date(2026, 3, 20)


def on(day: int, count: int) -> list[datetime]:
    return [datetime(2026, 3, day, 9, tzinfo=UTC) + timedelta(minutes=minute) for minute in range(count)]


def test_a_week_of_answers_gives_a_day() -> None:
    # 14 to 20 March: 7 days with 35 answers, 5 a day; those of the 13th are before the week.
    pace = estimate([*on(13, 100), *on(14, 20), *on(18, 15)], 12, PULLED)
    assert (pace.recent, pace.days, pace.per_day) == (35, 7, 5.0)
    assert pace.until == date(2026, 3, 23)
    assert "7 days up to the last pull (35 answers, 5.0 a day)" in pace.assumption


def test_the_days_count_from_the_first_answer() -> None:
    pace = estimate([*on(19, 6), *on(20, 6)], 24, PULLED)
    assert (pace.days, pace.per_day, pace.until) == (2, 6.0, date(2026, 3, 24))


def test_there_is_no_date_where_there_is_too_little_to_tell() -> None:
    one_day = estimate(on(20, 500), 24, PULLED)
    assert one_day.until is None
    assert "500 answers on 1 day; a date needs 10 answers on 2 days" in str(one_day.reason)
    assert estimate([], 24, PULLED).until is None
    long_ago = estimate([*on(1, 50), *on(2, 50)], 24, PULLED)
    assert "have 0 answers on 0 days" in str(long_ago.reason)
    assert "more than a year" in str(estimate([*on(19, 6), *on(20, 6)], 10_000, PULLED).reason)
    assert estimate(on(20, 5), 0, PULLED).reason == "every item has as many answers as are wanted"


@given(st.lists(st.integers(1, 20), max_size=60), st.integers(0, 5_000))
def test_either_a_date_after_the_pull_or_a_reason(days: list[int], left: int) -> None:
    pace = estimate([time for day in days for time in on(day, 1)], left, PULLED)
    assert (pace.until is None) == (pace.reason is not None)
    if pace.until is not None:
        assert pace.recent >= FEWEST_ANSWERS
        assert pace.until > PULLED
