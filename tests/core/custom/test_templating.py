from __future__ import annotations

import pytest

from tashika.core.custom.templating import LONGEST, condition, expression_problem, renderer, template_problem
from tashika.core.errors import ConfigError, InputError

ROW = {"text": "A riddle", "number": 3}


def test_a_template_and_a_condition_of_a_row() -> None:
    assert renderer("{{ text | upper }}: {{ number * 2 }} {{ 2 ** number }}", "here")(ROW) == "A RIDDLE: 6 8"
    assert condition("number > 2 and 'riddle' in text", "here")(ROW) is True
    assert condition("number % 2 == 0", "here")(ROW) is False


@pytest.mark.parametrize(
    "template",
    [
        "{{ 9 ** 9 ** 9 }}",
        "{{ 'a' * 999999999999 }}",
        "{{ 999999999999 * [1] }}",
        f"{{{{ 'a' * {LONGEST} }}}}b",
        "{{ text.missing }}",
        "{{ text + number }}",
        "{{ text.__class__.__mro__ }}",
    ],
)
def test_a_template_that_fails_names_the_row(template: str) -> None:
    with pytest.raises(InputError, match=r"^here: .*"):
        renderer(template, "here")(ROW)


def test_what_is_wrong_with_a_template() -> None:
    assert template_problem("{{ text }} {% for each in text %}{{ each }}{% endfor %}", ["text"]) is None
    assert template_problem("{{ other }}", ["text", "number"]) == "a template names 'other'; it may use text, number"
    assert template_problem("{{ other }}", None) is None
    assert "not a template" in str(template_problem("{% if %}", None))
    assert expression_problem("number > 2", ["number"]) is None
    assert expression_problem("other > 2", ["number"]) == "an expression names 'other'; it may use number"
    for text in ("number >", "number }} {{ number", "", "("):
        assert "not an expression" in str(expression_problem(text, ["number"]))


def test_a_template_that_is_none_cannot_be_rendered() -> None:
    with pytest.raises(ConfigError, match="not a template"):
        renderer("{% if %}", "here")
    with pytest.raises(ConfigError, match="not an expression"):
        condition("number >", "here")
