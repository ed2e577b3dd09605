"""When the judging will be done, at the pace of the last days; nothing where there is too little to tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from tashika.core.counts import counted

WINDOW: Final = 7
"""Days up to the last pull whose answers say how fast it goes: a week, so that weekends have their share."""

FEWEST_ANSWERS, FEWEST_DAYS, LONGEST = 10, 2, 365
"""Answers and days with answers in the window without which there is no pace; days beyond which there is no date."""


@dataclass(frozen=True)
class Pace:
    """What is left, and when it may be done.

    Attributes:
        left: Answers that are still wanted.
        recent: Answers in the window.
        days: Days of the window, beginning with the first answer.
        per_day: Answers a day in it; None where there is too little to tell.
        until: The day on which nothing is left at this pace; None where it cannot be said.
        reason: Why there is no date; None where there is one.
    """

    left: int
    recent: int
    days: int
    per_day: float | None = None
    until: date | None = None
    reason: str | None = None

    @property
    def assumption(self) -> str:
        """What the date rests on, in words."""
        return (
            f"if as many answers come a day as in the {counted(self.days, 'day')} up to the last pull "
            f"({counted(self.recent, 'answer')}, {self.per_day or 0:.1f} a day)"
        )


def estimate(times: Sequence[datetime], left: int, pulled: date) -> Pace:
    """When nothing is left.

    Args:
        times: When each answer was given.
        left: Answers that are still wanted.
        pulled: The day of the last pull, in the same time zone.
    """
    begin = pulled - timedelta(days=WINDOW - 1)
    days_of_answers = [time.date() for time in times if begin <= time.date() <= pulled]
    first = min((time.date() for time in times), default=pulled)
    days = max((pulled - max(first, begin)).days + 1, 1)
    pace = Pace(left, len(days_of_answers), days)
    if not left:
        return _without_date(pace, "every item has as many answers as are wanted")
    distinct = len(set(days_of_answers))
    if len(days_of_answers) < FEWEST_ANSWERS or distinct < FEWEST_DAYS:
        return _without_date(
            pace,
            f"too little to tell: the {WINDOW} days up to the last pull have "
            f"{counted(len(days_of_answers), 'answer')} on "
            f"{counted(distinct, 'day')}; a date needs {FEWEST_ANSWERS} answers on {FEWEST_DAYS} days",
        )
    per_day = len(days_of_answers) / days
    needed = math.ceil(left / per_day)
    if needed > LONGEST:
        return Pace(left, pace.recent, days, per_day, None, f"at {per_day:.1f} answers a day it takes more than a year")
    return Pace(left, pace.recent, days, per_day, pulled + timedelta(days=needed))


def _without_date(pace: Pace, reason: str) -> Pace:
    return Pace(pace.left, pace.recent, pace.days, reason=reason)
