"""What does not have the form of a suite file, in words that a reader needs no Python for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from tashika.core.custom.annotate_form import LANGUAGE, NOT_BLANK
from tashika.core.custom.build_form import COLUMN, FUNCTION, KIND
from tashika.core.custom.form import SUITE
from tashika.core.custom.lines import Loc
from tashika.core.custom.release_form import LICENSE, REPO, SPLIT, VERSION
from tashika.core.custom.schema import known_keys, suite_schema
from tashika.core.errors import shown
from tashika.core.release_words import DATE, DOI, ORCID, URL
from tashika.core.release_words import NAME as AUTHOR

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MAY_HAVE: Final = "small letters from a to z, digits and underscores, and begins with a letter"
PATTERNS: Final[Mapping[str, str]] = {
    COLUMN: "a column's name has letters from A to Z, digits and underscores, begins with a letter, and is no longer "
    "than 63; a header of the table that is written otherwise is named by the column's `source`",
    KIND: f"a kind's name has {_MAY_HAVE}, and is no longer than 40",
    SPLIT: f"the name of a part has {_MAY_HAVE}, and is no longer than 30",
    SUITE: "a suite's name has 2 to 40 small letters from a to z, digits, dashes and underscores, and begins with a "
    "letter",
    LANGUAGE: "expected codes such as en or ja",
    NOT_BLANK: "it is blank, expected text",
    LICENSE: "expected an identifier of the Hub, such as cc0-1.0",
    AUTHOR: 'expected a person as "Family name, given names", or the name of a group without a comma',
    DATE: "expected a date, such as 2026-11-23",
    DOI: "expected a DOI, such as 10.57967/hf/0000",
    ORCID: "expected four groups of four digits, such as 0000-0002-1825-0097; the last digit may be an X",
    REPO: "expected ORG/NAME, such as my-group/my-dataset",
    URL: "expected an address that begins with https://",
    VERSION: "expected three numbers, such as 1.0.0",
    FUNCTION: "expected MODULE:NAME, such as riddles:rows",
}
"""What a value of each pattern may have."""

_TYPES: Final[Mapping[str, str]] = {
    "string_type": "text",
    "dict_type": "a table",
    "model_type": "a table",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
}
_OF_COLUMNS: Final = frozenset(
    {"key", "show", "between", "systems", "columns", "into", "keep", "order", "by", "choices"}
)
"""Keys whose lists name columns."""
_NAMES: Final = '["test"]'
_SHARES: Final = "{ validation = 0.1, test = 0.9 }"
_WHOLE: Final = frozenset({"tuple_type", "too_short", *_TYPES})
"""What is wrong with a value as a whole."""


def form_misfits(error: ValidationError, content: Mapping[str, Any]) -> list[tuple[Loc, str]]:
    """What does not have the form; where one of several forms would do, one misfit that names what each expects."""
    by_place: dict[Loc, list[ErrorDetails]] = {}
    for entry in error.errors():
        by_place.setdefault(_place(entry, content), []).append(entry)
    schema = suite_schema()
    said = {loc: entries for loc, entries in by_place.items() if not _closer(loc, entries, by_place)}
    return [(loc, _misfit(loc, entries, schema)) for loc, entries in said.items()]


def _closer(loc: Loc, entries: Sequence[ErrorDetails], places: Iterable[Loc]) -> bool:
    """Whether what is wrong with a list or table is said closer, of what stands in it."""
    whole = all(entry["type"] in _WHOLE for entry in entries)
    return whole and any(len(place) > len(loc) and place[: len(loc)] == loc for place in places)


def _place(entry: ErrorDetails, content: Mapping[str, Any]) -> Loc:
    """Where an error stands in the file, without pydantic's words for what was tried there."""
    keys: list[str] = []
    value: Any = content
    for part in entry["loc"]:
        within = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if part in within:
            value = value[part]
        elif not (entry["type"] == "missing" and part == entry["loc"][-1]):
            continue
        keys.append(str(part))
    return tuple(keys)


def _misfit(loc: Loc, entries: Sequence[ErrorDetails], schema: Mapping[str, Any]) -> str:
    first = entries[0]
    if first["type"] == "missing":
        return "is missing"
    if first["type"] == "extra_forbidden":
        return _unknown_key(loc, schema)
    if loc == ("export", "splits") and not isinstance(first["input"], dict):
        message = f"expected names in a list, such as {_NAMES}, or each with its share, such as {_SHARES}"
    else:
        message = "; or ".join(dict.fromkeys(_words(loc, entry) for entry in entries))
    if first["type"] == "value_error" and isinstance(first.get("input"), dict):
        return message
    return f"{message}; found {shown(first.get('input'))}"


def _words(loc: Loc, entry: ErrorDetails) -> str:
    """What was expected."""
    kind, value = entry["type"], entry["input"]
    if kind == "string_pattern_mismatch":
        return PATTERNS[entry["ctx"]["pattern"]]
    if kind == "tuple_type":
        return f"expected a list{_example(loc[-1], value)}"
    if kind in _TYPES:
        return f"expected {_TYPES[kind]}"
    if kind == "too_short":
        what = "column" if loc[-1] in _OF_COLUMNS else "entry"
        return f"it is empty, expected at least one {what}"
    if kind == "string_too_short":
        return "it is empty, expected text"
    message = entry["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    return message.replace("String should", "this name should") if entry["loc"][-1] == "[key]" else message


def _example(key: str, value: Any) -> str:
    names = " of column names" if key in _OF_COLUMNS else ""
    return f"{names}, such as {json.dumps([value], ensure_ascii=False)}" if isinstance(value, str) and value else names


def _unknown_key(loc: Loc, schema: Mapping[str, Any]) -> str:
    known = known_keys(schema, loc[:-1])
    close = get_close_matches(loc[-1], known, n=1)
    more = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
    return f"is not known here; {more}"
