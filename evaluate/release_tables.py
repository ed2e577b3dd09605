"""Tables of a release as plain rows, checked as far as any suite needs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError
from tashika.core.files import read_table

AGAIN: Final = "Export the release again."


def read_columns(file: Path, wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of these columns, none of them null.

    Raises:
        InputError: The file is missing or broken, lacks a column, or has a null.
    """
    table = read_table(file)
    missing = [name for name in wanted if name not in table.column_names]
    if missing:
        names = ", ".join(table.column_names)
        raise InputError(f"the column {missing[0]!r} is missing; found {names}", where=str(file), hint=AGAIN)
    table = table.select(list(wanted))
    for name in wanted:
        if table[name].null_count:
            raise InputError(f"the column {name!r} has {table[name].null_count:,} nulls", where=str(file), hint=AGAIN)
    return table.to_pylist()
