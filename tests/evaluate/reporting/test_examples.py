"""Questions with answers, drawn for a page."""

from __future__ import annotations

from tashika.evaluate.reporting.examples import LONGEST, SHOWN, Question, groups_of, shortened
from tashika.evaluate.reporting.intervals import Measure, Point
from tashika.evaluate.reporting.overview import overview


def test_groups_have_some_questions_and_count_all() -> None:
    ids = [f"q{number}" for number in range(40)]
    sorts = {"right": ids, "wrong": ["w"], "not answered": []}
    right, wrong = groups_of("tiny", sorts, lambda item: Question(item, []))
    assert (right.sort, right.name, right.count, len(right.questions)) == ("right", "tiny", 40, SHOWN)
    assert (wrong.count, [question.prompt for question in wrong.questions]) == (1, ["w"])
    [again] = groups_of("tiny", {"right": ids[::-1]}, lambda item: Question(item, []))
    assert again == right  # by what the ids are, not by their order


def test_long_texts_are_cut() -> None:
    assert shortened("x" * LONGEST) == "x" * LONGEST
    assert shortened("x" * (LONGEST + 1)) == "x" * LONGEST + " …"
    assert shortened(None) is None


def test_the_picture_of_all_systems_is_told_to_those_who_hear_the_page() -> None:
    measures = [
        Measure(
            "New", [Point("a long name of a system that needs two lines", 0.5, 0.25, 0.75), Point("日本", 1, 0.5, 1)]
        ),
        Measure("Old", []),
    ]
    shown = overview(measures, title="Accuracy", label="accuracy", caption="c", lines={"chance": 0.25})
    assert shown is not None
    assert (
        'aria-label="Accuracy, all systems"><title>Accuracy, all systems</title><desc>New: a long name' in shown.figure
    )
    assert "lines 50.0% (25.0% to 75.0%); 日本 100.0% (50.0% to 100.0%)</desc>" in shown.figure
    assert "system 2" in shown.figure  # the font of figures has no Japanese
    assert overview([Measure("New", [])], title="t", label="l", caption="c") is None
