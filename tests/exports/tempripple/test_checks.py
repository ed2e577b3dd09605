"""Special cases of the checks on a release of TempRIPPLE; `test_check_conformance.py` breaks each check alone."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.exports.tempripple import checks
from tashika.exports.tempripple.checks import is_question
from tests.exports.drafts import Draft, failing
from tests.exports.tempripple.breaks import change, tenure


@pytest.fixture
def draft(ripple_release: Path) -> Draft:
    return Draft(ripple_release)


def test_a_hole_among_the_old_tenures_is_found_and_one_behind_the_new_is_none(draft: Draft) -> None:
    last = tenure(draft, "Q2911")
    change(last, place=4)
    problems = list(checks.places_are_in_order(draft.written()))
    assert [problem.item for problem in problems] == [last["item_id"]]
    change(tenure(draft, "Q318"), place=3)
    assert not list(checks.places_are_in_order(draft.written()))


def test_a_more_recent_tenure_that_is_over_before_an_older_one_starts_is_found(draft: Draft) -> None:
    older = tenure(draft, "Q2911")
    change(older, start="2025-10-22", end="2025-10")
    problems = list(checks.times_are_in_order(draft.written()))
    assert [problem.item for problem in problems] == [older["item_id"]]


def test_dates_that_cannot_be_compared_are_let_through(draft: Draft) -> None:
    change(tenure(draft, "Q172721"), start="-0044", end="2025-07")  # before Christ, and in the year of the next one
    assert failing(draft.written()) == {}


@given(st.text(alphabet="aé? \n\r", max_size=8))
def test_a_question_is_one_line_with_a_mark_after_a_word(text: str) -> None:
    expected = text.endswith("?") and not text[:-1].endswith((" ", "\n", "\r")) and len(text) > 1
    expected = expected and "\n" not in text and "\r" not in text
    assert is_question(pa.array([text]))[0].as_py() is expected
