"""Answers and agreement as time goes by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.reporting.timeline import MOST_PERIODS, alpha_by_period, count_by_period, periods_of
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.records import JUDGMENT
from tests.annotation.adjudicating.forms import FORMS

START = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
SETTINGS = AnnotateSettings(annotators=2, kinds={"k": KindSettings()})


@pytest.mark.parametrize(
    ("span", "unit", "count"),
    [
        (timedelta(minutes=5), "minute", 6),
        (timedelta(hours=5), "10 minutes", 31),
        (timedelta(days=2), "hour", 49),
        (timedelta(days=10), "day", 11),
        (timedelta(days=3_000), "week", 430),
    ],
)
def test_the_parts_fit_the_span(span: timedelta, unit: str, count: int) -> None:
    periods = periods_of([START, START + span])
    assert periods.unit == unit
    assert len(periods.starts) == pytest.approx(count, abs=1)
    assert periods.starts[0] <= START < periods.starts[0] + periods.length


@given(st.lists(st.integers(0, 3_600 * 24 * 400), max_size=40))
def test_every_answer_falls_into_one_part(seconds: list[int]) -> None:
    times = [START + timedelta(seconds=second) for second in seconds]
    periods = periods_of(times)
    counts = count_by_period(periods, times)
    assert sum(counts) == len(times)
    assert len(counts) == len(periods.names) <= MOST_PERIODS + 1
    assert not counts or counts[0] > 0 < counts[-1]


def judgment(item: str, person: str, label: str, hours: int) -> dict[str, Any]:
    blank = dict.fromkeys(JUDGMENT.names)
    return blank | {
        "item_id": item, "kind": "k", "annotator": person, "label": label, "skipped": False, "prefilled": False,
        "created_at": START + timedelta(hours=hours), "simulated": False, "server": "s", "project_id": 1,
        "task_id": 1, "annotation_id": hours,
    }  # fmt: skip


@pytest.mark.parametrize(("form", "first", "second"), [("vote", "yes", "no"), ("one", "a", "b")])
def test_agreement_is_that_of_all_votes_so_far(form: str, first: str, second: str) -> None:
    rows = [
        judgment("i", "p", first, 0), judgment("i", "q", first, 1), judgment("j", "p", second, 2),
        judgment("j", "q", second, 3), judgment("j", "q", first, 4),
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=JUDGMENT)
    periods = periods_of([START + timedelta(minutes=20 * place) for place in range(13)])
    assert periods.unit == "10 minutes"
    alphas = alpha_by_period(FORMS[form], pa.array(["i", "j"]), table, periods, SETTINGS)
    assert len(alphas) == len(periods.starts)
    assert alphas[0] is None  # one vote
    assert alphas[-7] == 1.0  # both items agreed on
    # At the end: yes yes, no yes. Observed 1/4 * 2 = 2 of 4 pairs differ: 1 - 3 * 2 / (2 * 3 * 1) = 0
    assert alphas[-1] == pytest.approx(0.0)
    assert alpha_by_period(FORMS["text"], pa.array(["i"]), table, periods, SETTINGS) == [None] * len(periods.starts)
