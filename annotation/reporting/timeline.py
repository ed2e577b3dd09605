"""How answers came and how far people agreed as time went by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute
from tashika.annotation.labelling import ChoicePage, FormPage, Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.form_summaries import form_agreement
from tashika.annotation.votes.forms import collect_form
from tashika.annotation.votes.summaries import agreement
from tashika.annotation.votes.vote import collect

MOST_PERIODS: Final = 60
_EPOCH: Final = datetime(1970, 1, 5, tzinfo=UTC)  # a Monday, so that weeks begin with one
_UNITS: Final = {
    "minute": timedelta(minutes=1),
    "10 minutes": timedelta(minutes=10),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}


@dataclass(frozen=True)
class Periods:
    """A stretch of time in equal parts, in UTC.

    Attributes:
        unit: What a part is called.
        starts: When each begins.
        length: Of a part.
    """

    unit: str
    starts: Sequence[datetime]
    length: timedelta

    @property
    def names(self) -> list[str]:
        """Each part as a short text, with the day where the parts are hours."""
        pattern = "%Y-%m-%d" if self.length >= _UNITS["day"] else "%m-%d %H:%M"
        return [start.strftime(pattern) for start in self.starts]


def periods_of(times: Sequence[datetime]) -> Periods:
    """The shortest parts of which there are at most `MOST_PERIODS`, or weeks; none without a time."""
    if not times:
        return Periods("day", (), _UNITS["day"])
    first, last = min(times), max(times)
    for unit, length in _UNITS.items():
        start = first - (first - _EPOCH) % length
        count = (last - start) // length + 1
        if count <= MOST_PERIODS or unit == "week":
            return Periods(unit, [start + length * place for place in range(count)], length)
    raise AssertionError("weeks end the list")


def count_by_period(periods: Periods, times: Sequence[datetime]) -> list[int]:
    """How many of the times fall into each part."""
    if not periods.starts:
        return []
    places = Counter((time - periods.starts[0]) // periods.length for time in times)
    return [places[place] for place in range(len(periods.starts))]


def alpha_by_period(
    page: Page, item_ids: Column, judgments: pa.Table, periods: Periods, settings: AnnotateSettings
) -> list[float | None]:
    """Krippendorff's alpha of all votes up to the end of each part; None where it is not defined.

    Args:
        page: The kind's page; without choices there is none.
        item_ids: The items that are voted on.
        judgments: Rows of `records.JUDGMENT` of the kind.
        periods: The parts.
        settings: People an item.
    """
    if not isinstance(page, ChoicePage):
        return [None] * len(periods.starts)
    return [
        _alpha(page, item_ids, judgments.filter(compute.less(judgments["created_at"], _until(end))), settings)
        for end in (start + periods.length for start in periods.starts)
    ]


def _until(end: datetime) -> Any:
    return pa.scalar(end, pa.timestamp("us", tz="UTC"))


def _alpha(page: ChoicePage, item_ids: Column, judgments: pa.Table, settings: AnnotateSettings) -> float | None:
    people = settings.people(page.kind)
    if isinstance(page, FormPage):
        alpha: float | None = form_agreement(collect_form(page, item_ids, judgments), people)["krippendorff_alpha"]
        return alpha
    return agreement(collect(item_ids, judgments, page.choices), people)["krippendorff_alpha"]
