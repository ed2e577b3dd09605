"""Values of a row as their columns want them: what fits, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.custom.values import MisfitError, read_row
from tashika.core.custom.build_form import ColumnForm, ColumnType

TYPES: tuple[ColumnType, ...] = (
    "string",
    "bool",
    "int32",
    "int64",
    "float32",
    "float64",
    "strings",
    "integers",
    "floats",
)


def read(value: Any, kind: ColumnType, *, texts: bool = True, separator: str = "|", optional: bool = False) -> Any:
    column = ColumnForm(type=kind, optional=optional)
    return read_row({"x": value}, {"x": column}, texts=texts, separator=separator)["x"]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("  Why?  ", "string", "Why?"),
        ("7", "int32", 7),
        ("-3.5", "float32", -3.5),
        ("Yes", "bool", True),
        ("0", "bool", False),
        ("a piano| a map|a dog", "strings", ["a piano", "a map", "a dog"]),
        ('["a|b", "c"]', "strings", ["a|b", "c"]),
        ("1|2", "integers", [1, 2]),
        ("one", "strings", ["one"]),
    ],
)
def test_texts_of_a_table_are_read(value: str, kind: ColumnType, expected: Any) -> None:
    assert read(value, kind) == expected


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [("Why?", "string", "Why?"), (7, "int32", 7), (7.0, "int64", 7), (True, "bool", True), (["a"], "strings", ["a"])],
)
def test_values_with_types_are_taken(value: Any, kind: ColumnType, expected: Any) -> None:
    assert read(value, kind, texts=False) == expected


@pytest.mark.parametrize(
    ("value", "kind", "texts", "message"),
    [
        ("two", "int32", True, "column x: found 'two', expected int32"),
        ("3000000000", "int32", True, "found 3000000000, too large for int32"),
        ("7.5", "int32", True, "found '7.5', expected int32"),
        ("nan", "float32", True, "found nan, expected float32"),
        ("-inf", "float64", True, "found -inf, expected float64"),
        (float("inf"), "float32", False, "found inf, expected float32"),
        (10**400, "float64", False, "found 1000"),
        ("a\0b", "string", True, "found the control character '\\x00'"),
        ("perhaps", "bool", True, "found 'perhaps', expected true or false"),
        ("a||b", "strings", True, "a list with an empty entry"),
        ("[1, 2", "integers", True, "begins like a list in JSON and is none"),
        (7, "string", False, "found the number 7, expected a text"),
        ("7", "int32", False, "found '7', expected int32"),
        (True, "int32", False, "found true, expected int32"),
        (1, "bool", False, None),
        ("a|b", "strings", False, "found 'a|b', expected a list"),
        ({"a": 1}, "string", False, "expected a text"),
        ("", "string", True, "column x: found nothing, expected string"),
        (None, "string", False, "found nothing"),
        ([], "strings", False, "found nothing"),
    ],
)
def test_what_does_not_fit_is_said(value: Any, kind: ColumnType, texts: bool, message: str | None) -> None:
    if message is None:
        assert read(value, kind, texts=texts) is True
        return
    with pytest.raises(MisfitError) as misfit:
        read(value, kind, texts=texts)
    assert message in str(misfit.value)


def test_an_optional_column_may_be_empty_or_missing() -> None:
    assert read(" ", "int32", optional=True) is None
    assert read_row({}, {"x": ColumnForm(type="int32", optional=True)}, texts=True, separator="|") == {"x": None}


def test_a_column_may_have_another_name_in_the_table() -> None:
    columns = {"text": ColumnForm(type="string", source="Question text")}
    assert read_row({"Question text": "Why?"}, columns, texts=True, separator="|") == {"text": "Why?"}
    with pytest.raises(MisfitError, match="the column 'Question text' is missing"):
        read_row({"text": "Why?"}, columns, texts=True, separator="|")


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(_ANY, st.sampled_from(TYPES), st.booleans())
def test_no_value_whatever_makes_it_stumble(value: Any, kind: ColumnType, texts: bool) -> None:
    try:
        found = read(value, kind, texts=texts)
    except MisfitError:
        return
    expected = {"string": str, "bool": bool, "int32": int, "int64": int, "float32": float, "float64": float}
    assert type(found) is expected.get(kind, list)
