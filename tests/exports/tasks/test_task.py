"""What a suite asks, said once: its templates and its parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tashika.exports.kuci.tasks import TASKS
from tashika.exports.schema import Config
from tashika.exports.tasks.task import Choices, Letters, data_file, formatted, slots
from tests.exports.tasks.rendering import render


def test_options_are_listed_by_letter_a_line_each() -> None:
    template = Letters("{{ context }}、", "答え:").prompt(Choices(column="options"))
    row = {"context": "雨が降ったので", "options": ["傘をさす", "本を読む"]}
    assert render(template, row) == "雨が降ったので、\nA. 傘をさす\nB. 本を読む\n答え:"


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (Choices(column="options"), ["x", "y"]),
        (Choices(columns=("plain", "pictured")), ["a \"b\" 'c'", "d"]),
        (Choices(words=("It's", 'a "word"', "two\nlines", "\\")), ["It's", 'a "word"', "two\nlines", "\\"]),
    ],
)
def test_options_are_an_expression_whatever_signs_they_have(choices: Choices, expected: list[str]) -> None:
    row = {"options": ["x", "y"], "plain": "a \"b\" 'c'", "pictured": "d"}
    assert render(f"{{% for one in {choices.expression} %}}<{{{{ one }}}}>{{% endfor %}}", row) == "".join(
        f"<{option}>" for option in expected
    )


@pytest.mark.parametrize(
    ("template", "names", "plain"),
    [
        ("{{ context }}、", ("context",), "{context}、"),
        ("{{context}}\n{ {{ text }} }", ("context", "text"), "{context}\n{{ {text} }}"),
        ("no columns", (), "no columns"),
        ("{{ text|upper }}", None, None),
        ("{% if a %}b{% endif %}", None, None),
    ],
)
def test_a_template_of_slots_alone_is_known(template: str, names: tuple[str, ...] | None, plain: str | None) -> None:
    assert slots(template) == names
    assert formatted(template) == plain


def test_a_file_a_part_and_a_pattern_where_there_is_one_part() -> None:
    assert data_file(Config("questions", "n", "", {}, splits=("train", "test")), "test") == "questions/test.parquet"
    assert data_file(Config("prompts", "n", "", {}), "test") == "prompts/*.parquet"


def test_choices_letters_and_blanks_go_with_their_kind() -> None:
    with pytest.raises(ValueError, match="choices and letters go with multiple_choice"):
        replace(TASKS[0], letters=None)
    with pytest.raises(ValueError, match="a blank goes with cloze"):
        replace(TASKS[0], kind="cloze", choices=None, letters=None)
