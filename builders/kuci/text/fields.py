"""Which field or column of a file holds the text."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any, Final, Literal

from tashika.core.errors import InputError
from tashika.core.files import parse_json

Format = Literal["lines", "columns", "csv", "json", "parquet", "arrow"]

TEXT_FIELD: Final = "text"
"""The field that a sentence is taken from where none is named."""

_SHOWN: Final = 12


def is_object(lines: Sequence[str]) -> bool:
    """Whether the first line is a JSON object, whatever the file's name ends in."""
    return any(line.lstrip().startswith("{") and isinstance(_parsed(line), dict) for line in lines)


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except ValueError:
        return None


def json_field(lines: Sequence[str], field: str, where: str) -> str:
    """The field of JSON Lines that holds the text.

    Args:
        lines: The first ones.
        field: The field that was named; empty: `text`, or the only one with text.
        where: The file, for errors.

    Raises:
        InputError: There is no such field, or the file is one JSON list.
    """
    if lines and lines[0].lstrip().startswith("["):
        raise InputError(
            "found a JSON list, expected JSON Lines: one object a line",
            where=where,
            hint="Convert it: jq -c '.[]' FILE > FILE.jsonl.",
        )
    row = next((value for line in lines if isinstance(value := _parsed(line), dict)), None)
    if row is None:
        return field or TEXT_FIELD  # one object that is longer than the head, or broken lines, which are counted
    return chosen_field([name for name, value in row.items() if isinstance(value, str)], list(row), field, where)


def chosen_field(texts: Sequence[str], known: Sequence[str], field: str, where: str) -> str:
    """The field that is named, else `text`, else the only one with text."""
    if field in known:
        return field
    if not field and (TEXT_FIELD in known or len(texts) == 1):
        return TEXT_FIELD if TEXT_FIELD in known else texts[0]
    problem = (
        f"found no field {field!r}" if field else f"found {len(texts)} fields with text, and none is {TEXT_FIELD!r}"
    )
    shown = ", ".join(map(str, known[:_SHOWN])) or "none"
    raise InputError(
        f"{problem}; the fields are: {shown}", where=where, hint="Name the one with the sentences: --field NAME."
    )


def column(lines: Sequence[str], field: str, form: Format, where: str) -> str:
    """The column of a table; empty for a file of one column, which is lines.

    Columns have names where the field that is wanted, or `text`, stands in the first line.
    """
    header = split_row(lines[0], form) if lines else []
    if field.isdigit() and field not in header:
        if not 1 <= int(field) <= len(header):
            raise InputError(f"found {len(header)} columns, expected a column {field}", where=where)
        return field
    if len(header) <= 1 and not field and header != [TEXT_FIELD]:
        return ""
    if not field and TEXT_FIELD not in header:
        first = ", ".join(header)[:200]
        raise InputError(
            f"found {len(header)} columns, and the first line names none of them {TEXT_FIELD!r}: {first}",
            where=where,
            hint="Name the one with the sentences by its name, or by its number from 1: --field 2.",
        )
    return chosen_field(header, header, field, where)


def split_row(line: str, form: Format) -> list[str]:
    """The columns of one line: quotation marks are CSV's, and plain text between tabs."""
    if form == "csv":
        return next(csv.reader([line]), [])
    return line.rstrip("\r\n").split("\t")
