"""Control questions: what counts as missed, and what skips mean."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tashika.annotation.words.controls import Checked, check_controls

KNOWN = {"day": ["Sunday", "Saturday"], "sky": ["blue"], "sum": ["four"]}


def checked(samples: ModuleType, *said: tuple[str, dict[str, Any]]) -> Checked | None:
    """What comes of what one person said, in this order."""
    rows = [
        samples.judgment(item, "ada", None, kind="probe", annotation_id=number, **values)
        for number, (item, values) in enumerate(said)
    ]
    return check_controls(KNOWN, samples.judgment_table(*rows), str).get("ada")


RIGHT: dict[str, Any] = {"text": "the Sunday\nday"}
SKIP: dict[str, Any] = {"skipped": True}


@pytest.mark.parametrize(
    "values",
    [
        {"text": "...", "problem": "answers without a letter"},
        {"text": "word " * 30, "problem": "answers of more than 10 words or 200 characters"},
        {"text": None, "problem": "empty result"},
        {"text": None, "problem": "no words"},
        {"text": "Sunday " * 300, "problem": "text too long"},
        {"text": "Monday"},
        {"text": None},
    ],
)
def test_what_is_no_answer_or_a_wrong_one_is_missed(values: dict[str, Any], samples: ModuleType) -> None:
    assert checked(samples, ("day", values)) == Checked(typed=1, wrong=1)


@pytest.mark.parametrize("problem", ["saved by another account", "unknown annotator"])
def test_what_somebody_else_may_have_sent_tells_nothing(problem: str, samples: ModuleType) -> None:
    assert checked(samples, ("day", {"text": "Monday", "problem": problem})) is None


def test_the_last_sound_statement_on_a_control_counts(samples: ModuleType) -> None:
    junk = {"text": "-", "problem": "answers without a letter"}
    wrong = {"text": "Monday"}
    assert checked(samples, ("day", wrong), ("day", RIGHT)) == Checked(typed=1)
    assert checked(samples, ("day", RIGHT), ("day", wrong)) == Checked(typed=1, wrong=1)
    assert checked(samples, ("day", RIGHT), ("day", junk)) == Checked(typed=1)
    assert checked(samples, ("day", RIGHT), ("day", SKIP)) == Checked(skipped=1)
    assert checked(samples, ("dog", wrong)) is None  # no control


def test_skips_are_told_apart_until_they_are_more_than_half(samples: ModuleType) -> None:
    half = checked(samples, ("day", RIGHT), ("sky", SKIP))
    assert half is not None
    assert (half.answered, half.missed, half.skipped, half.share) == (1, 0, 1, 0.0)
    assert half.describe() == "0 of 1 control question (1 more skipped)"
    most = checked(samples, ("day", RIGHT), ("sky", SKIP), ("sum", SKIP))
    assert most is not None
    assert (most.answered, most.missed, most.skipped) == (3, 2, 2)
    assert most.share == pytest.approx(2 / 3)
    assert most.describe() == "2 of 3 control questions, 2 of them skipped"
    assert Checked(skipped=4).share == 1.0
    assert Checked(typed=2, wrong=1).describe() == "1 of 2 control questions"
