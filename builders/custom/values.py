"""Values of a row as their columns want them; whatever does not fit is named with what was found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from unicodedata import normalize

import numpy as np

from tashika.builders.custom.rows import Raw
from tashika.core.custom.build_form import ColumnForm
from tashika.core.errors import shown
from tashika.core.files import parse_json

LONGEST_TEXT: Final = 1_000_000
"""Characters; more is no value of a candidate but a mistake of quoting."""

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_LISTS: Final = {"strings": "string", "integers": "int32", "floats": "float32"}


class MisfitError(ValueError):
    """A value does not fit its column; the message says what was found and what was expected."""


def read_row(raw: Raw, columns: Mapping[str, ColumnForm], *, texts: bool, separator: str) -> dict[str, Any]:
    """A row with the types of its columns.

    Args:
        raw: As the source has it.
        columns: The kind's own.
        texts: Whether values are texts, which are read as numbers and lists.
        separator: What parts a list in a text.

    Raises:
        MisfitError: A column is missing or empty, or a value is of another type.
    """
    row: dict[str, Any] = {}
    for name, form in columns.items():
        source = form.source or name
        if source not in raw and not form.optional:
            raise MisfitError(f"the column {source!r} is missing")
        value = raw.get(source)
        if _is_empty(value):
            if not form.optional:
                raise MisfitError(f"column {source}: found nothing, expected {form.type}")
            row[name] = None
            continue
        try:
            row[name] = _read(value, form.type, separator if texts else None)
        except MisfitError as error:
            raise MisfitError(f"column {source}: {error}") from error
    return row


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, list) and not value)


def _read(value: Any, kind: str, separator: str | None) -> Any:
    """A value of a column; `separator` is None where values have types of their own."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if kind in _LISTS:
        return _read_list(value, _LISTS[kind], separator)
    return _READERS[kind](value, kind, separator is not None)


def _read_list(value: Any, kind: str, separator: str | None) -> list[Any]:
    if isinstance(value, str) and separator is not None:
        value = _json_list(value) if value.lstrip().startswith("[") else value.split(separator)
    if not isinstance(value, list | tuple):
        raise MisfitError(f"found {shown(value)}, expected a list")
    entries = [_READERS[kind](entry, kind, separator is not None) for entry in value if not _is_empty(entry)]
    if len(entries) < len(value):
        raise MisfitError(f"found {shown(value)}, a list with an empty entry")
    return entries


def _json_list(text: str) -> Any:
    """A list that is written as JSON; a text that merely begins with a bracket stays one entry."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise MisfitError(f"found {shown(text)}, which begins like a list in JSON and is none") from error


def _read_text(value: Any, _kind: str, texts: bool) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise MisfitError(f"found {shown(value)}, expected a text")
    if not isinstance(value, str) and not texts:
        raise MisfitError(f"found the number {value!r}, expected a text")
    text = normalize("NFC", str(value).strip())  # else one word in two spellings of Unicode would be two items
    strange = _CONTROLS.search(text)
    if strange:
        raise MisfitError(f"found the control character {strange[0]!r} in {shown(text)}")
    if len(text) > LONGEST_TEXT:
        raise MisfitError(f"found {len(text):,} characters; is a quotation mark not closed?")
    return text


def _read_integer(value: Any, kind: str, texts: bool) -> int:
    if isinstance(value, str) and texts:
        try:
            value = int(value)
        except ValueError:
            value = str(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # what JSON and pandas make of whole numbers beside missing ones
    if isinstance(value, bool) or not isinstance(value, int):
        raise MisfitError(f"found {shown(value)}, expected {kind}")
    least, most = _BOUNDS[kind]
    if not least <= value <= most:
        raise MisfitError(f"found {value}, too large for {kind}")
    return value


def _read_number(value: Any, kind: str, texts: bool) -> float:
    if isinstance(value, str) and texts:
        try:
            value = float(value)
        except ValueError:
            value = str(value)
    try:
        number = math.inf if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise MisfitError(f"found {shown(value)}, expected {kind}")
    return number


def _read_truth(value: Any, _kind: str, texts: bool) -> bool:
    word = str(value).strip().casefold() if isinstance(value, bool | int) or (texts and isinstance(value, str)) else ""
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise MisfitError(f"found {shown(value)}, expected true or false")


_READERS: Final[Mapping[str, Callable[[Any, str, bool], Any]]] = {
    "string": _read_text,
    "bool": _read_truth,
    "int32": _read_integer,
    "int64": _read_integer,
    "float32": _read_number,
    "float64": _read_number,
}
