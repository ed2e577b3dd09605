from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tashika.core.custom.schema import attribute_texts, known_keys, suite_schema, summary_text
from tests.core.custom.test_reading import BROKEN, SOUND

SEEN_BY_AN_EDITOR = (
    "unknown key", "unknown key inside an inline table", "unknown section", "missing key", "wrong type",
    "wrong type where two would do", "unknown type of a column", "unknown form", "bad name of a kind",
)  # fmt: skip


class Documented:
    """A thing.

    It has more to say.

    Attributes:
        short: One line.
        long: One line, and
            another: with a colon.

    Raises:
        Nothing: Ever.
    """


def test_descriptions_come_from_docstrings() -> None:
    assert attribute_texts(Documented) == {"short": "One line.", "long": "One line, and another: with a colon."}
    assert summary_text(Documented) == "A thing. It has more to say."


def test_every_key_has_a_description_and_choices_their_values() -> None:
    schema = suite_schema()
    tables = [schema, *schema["$defs"].values()]
    keys = {name: key for table in tables for name, key in table["properties"].items()}
    assert [name for name, key in keys.items() if not key["description"]] == []
    assert "A Jinja template." in keys["prompt"]["description"] or "Jinja" in keys["prompt"]["description"]
    assert schema["$defs"]["EvaluateForm"]["properties"]["way"]["enum"] == ["likelihood", "letter"]
    assert not _has_null(schema)


def _has_null(part: Any) -> bool:
    if isinstance(part, dict):
        return part.get("type") == "null" or any(map(_has_null, part.values()))
    return isinstance(part, list) and any(map(_has_null, part))


def test_an_editor_finds_what_the_form_alone_shows() -> None:
    Draft202012Validator.check_schema(suite_schema())
    editor = Draft202012Validator(suite_schema())
    assert list(editor.iter_errors(tomllib.loads(SOUND))) == []
    for how in SEEN_BY_AN_EDITOR:
        assert list(editor.iter_errors(tomllib.loads(BROKEN[how][0]))) != [], how


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[3] / "examples").glob("*/suite.toml")), ids=str)
def test_the_examples_have_the_form(file: Path) -> None:
    editor = Draft202012Validator(suite_schema())
    assert list(editor.iter_errors(tomllib.loads(file.read_text(encoding="utf-8")))) == []


def test_known_keys_of_a_table() -> None:
    schema = suite_schema()
    assert known_keys(schema, ()) == ["suite", "build", "annotate", "export", "evaluate"]
    assert known_keys(schema, ("suite",)) == ["name", "title", "summary"]
    assert known_keys(schema, ("build", "kinds", "any", "columns", "text")) == ["type", "meaning", "optional", "source"]
    assert known_keys(schema, ("build", "kinds", "any", "near_duplicates")) == ["columns", "threshold", "action"]
    assert known_keys(schema, ("annotate", "kinds", "any", "choices")) == []
