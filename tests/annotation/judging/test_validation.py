"""Every way in which an answer can be wrong, and the sound ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.judging.validation import read_answer, read_seconds, read_time
from tashika.annotation.labelling import ChoicePage, choice_pages
from tashika.annotation.myriadlama.pages import PAGES

TEMPLATE, ALIAS = PAGES
USERS = {2: "somebody"}
GOOD = "In [Y], [X] was born."


def choice(*values: Any, **fields: Any) -> dict[str, Any]:
    part = {"from_name": "verdict", "to_name": "template", "type": "choices", "value": {"choices": list(values)}}
    return {**part, **fields}


def typed(*lines: Any, **fields: Any) -> dict[str, Any]:
    part = {"from_name": "correction", "to_name": "template", "type": "textarea", "value": {"text": list(lines)}}
    return {**part, **fields}


def annotation(result: Any, **fields: Any) -> dict[str, Any]:
    return {"id": 1, "completed_by": 2, "updated_by": 2, "was_cancelled": False, "result": result, **fields}


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (annotation([]), "empty result"),
        (annotation(None), "result is not a list"),
        (annotation([3]), "malformed result"),
        (annotation([{"from_name": "verdict", "type": "choices"}]), "malformed result"),
        (annotation([choice("valid", from_name="other")]), "unknown control"),
        (annotation([choice("valid", type="labels")]), "unknown control"),
        (annotation([choice("valid"), choice("invalid")]), "control answered twice"),
        (annotation([choice("perhaps")]), "unknown choice"),
        (annotation([choice("valid", "invalid")]), "not exactly one choice"),
        (annotation([choice()]), "not exactly one choice"),
        (annotation([choice(1)]), "not exactly one choice"),
        (annotation([typed(GOOD)]), "not exactly one choice"),
        (annotation([choice("valid"), typed("[X] [Y] " + "a" * 2_000)]), "text too long"),
        (annotation([choice("valid"), typed("born in [Y]")]), "correction without [X] and [Y] exactly once"),
        (annotation([choice("valid"), typed("[X] [X] [Y]")]), "correction without [X] and [Y] exactly once"),
        (annotation([choice("valid", origin="prediction")]), "untouched prediction"),
        (annotation([choice("valid")], completed_by=99), "unknown annotator"),
        (annotation([choice("valid")], completed_by=None), "unknown annotator"),
        (annotation([choice("valid")], updated_by=3), "saved by another account"),
        (annotation([choice("valid")], updated_by=None), "imported in the person's name"),
        (annotation([], was_cancelled=True, updated_by=None), "imported in the person's name"),
    ],
)
def test_what_is_no_judgment_says_why(found: dict[str, Any], problem: str) -> None:
    assert read_answer(found, TEMPLATE, USERS).problem == problem


@pytest.mark.parametrize(
    ("result", "label", "text"),
    [
        ([choice("valid")], "valid", None),
        ([choice("invalid")], "invalid", None),
        ([choice("valid"), typed(f" {GOOD} ")], "valid", GOOD),
        ([choice("valid"), typed("", None)], "valid", None),
        ([choice("invalid"), typed("not English")], "invalid", "not English"),  # a remark, not a correction
        ([choice("valid", origin="prediction-changed")], "valid", None),
    ],
)
def test_sound_answers_are_read(result: list[Any], label: str, text: str | None) -> None:
    answer = read_answer(annotation(result), TEMPLATE, USERS)
    assert (answer.label, answer.text, answer.problem) == (label, text, None)


def test_a_server_that_does_not_say_who_saved_is_believed() -> None:
    silent = annotation([choice("valid")])
    del silent["updated_by"]
    assert read_answer(silent, TEMPLATE, USERS).label == "valid"


def test_an_untouched_prediction_is_marked() -> None:
    assert read_answer(annotation([choice("valid", origin="prediction")]), TEMPLATE, USERS).prefilled


def test_a_skip_is_no_problem() -> None:
    answer = read_answer(annotation([], was_cancelled=True), TEMPLATE, USERS)
    assert (answer.skipped, answer.problem, answer.label) == (True, None, None)


def test_a_page_without_a_text_field_knows_no_text() -> None:
    assert read_answer(annotation([choice("valid"), typed("x")]), ALIAS, USERS).problem == "unknown control"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["verdict", "choices", "valid"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["from_name", "type", "value", "choices", "text", "origin"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(anything, anything, st.sampled_from(choice_pages(PAGES)))
def test_no_body_whatever_makes_it_stumble(result: Any, author: Any, page: ChoicePage) -> None:
    answer = read_answer(annotation(result, completed_by=author), page, USERS)
    assert answer.problem or answer.label in page.choices


def test_times_and_seconds_are_read_or_left_out() -> None:
    assert read_time({"updated_at": "2026-01-02T03:04:05.678901Z"}).microsecond == 678901
    assert read_time({"updated_at": "yesterday"}).year == 1970
    assert read_seconds({"lead_time": 2}) == 2.0
    assert [read_seconds({"lead_time": odd}) for odd in (None, "2", True, -1, float("nan"))] == [None] * 5
