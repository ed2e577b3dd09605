"""The section [evaluate] of a suite file: what fits together, and what is told where it does not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tashika.core.custom.form import SuiteFile, misfits
from tashika.core.custom.release_form import EvaluateForm

CHOICE: dict[str, Any] = {"task": "multiple_choice", "input": "text", "choices": "options", "target": "answer"}
LABELLED: dict[str, Any] = {"task": "classification", "input": "text", "target": "label"}


def misfits_of(evaluate: dict[str, Any]) -> list[tuple[str, str]]:
    columns = {"text": "string", "options": "strings", "one": "string", "other": "string", "answer": "int32"}
    content = {
        "suite": {"name": "toys", "title": "Toys"},
        "build": {"kinds": {"question": {"file": "a.csv", "key": ["text"], "columns": columns}}},
        "annotate": {"kinds": {"question": {"form": "label", "labels": ["good", "bad"]}}},
        "evaluate": evaluate,
    }
    return [(".".join(loc), message) for loc, message in misfits(SuiteFile.model_validate(content))]


def test_options_are_one_column_of_lists_or_several_of_text() -> None:
    assert EvaluateForm.model_validate(CHOICE).choice_columns == ("options",)
    several = EvaluateForm.model_validate({**CHOICE, "choices": ["one", "other"]})
    assert several.choice_columns == ("one", "other")
    assert misfits_of(CHOICE) == misfits_of({**CHOICE, "choices": ["one", "other"]}) == []
    assert misfits_of({**CHOICE, "choices": "one"}) == [("evaluate.choices", "'one' is string, expected strings")]
    assert misfits_of({**CHOICE, "choices": ["one", "options"]}) == [
        ("evaluate.choices", "'options' is strings, expected string")
    ]


def test_labels_are_those_that_people_choose_among() -> None:
    assert misfits_of({**LABELLED, "labels": {"good": "yes", "bad": "no"}}) == []
    assert misfits_of({**LABELLED, "labels": {"good": "yes", "fine": "ok"}}) == [
        ("evaluate.labels", "no words stand for the label 'bad', which people choose among"),
        ("evaluate.labels", "people choose among good, bad; there is no 'fine'"),
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"choices": ["one"]}, "two different columns or more"),
        ({"choices": ["one", "one"]}, "two different columns or more"),
        ({"labels": {"a": "b", "c": "d"}}, "`labels` goes with task = 'classification'"),
        ({"few_shot": 2}, "`few_shot` and `few_shot_split` go together"),
        ({"few_shot": 2, "few_shot_split": "test"}, "examples would hold the answers"),
    ],
)
def test_what_does_not_fit_together_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        EvaluateForm.model_validate({**CHOICE, **changes})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"labels": {"good": "yes"}}, "two labels or more"),
        ({"labels": {"good": "yes", "bad": "yes"}}, "words of its own"),
    ],
)
def test_each_label_has_words_of_its_own(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        EvaluateForm.model_validate({**LABELLED, **changes})


def test_examples_need_answers() -> None:
    judged = {"task": "judge", "input": "text", "rubric": "{{ reply }}", "few_shot": 1, "few_shot_split": "train"}
    with pytest.raises(ValidationError, match="`few_shot` needs `target`"):
        EvaluateForm.model_validate(judged)
