"""Arrow columns, with types: what this room needs of pyarrow beyond what its published type stubs know."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

compute: Any = pyarrow.compute  # the stubs lag behind the library and refuse sound calls

Column: TypeAlias = "pa.Array[Any]"


def strings(table: pa.Table, name: str) -> list[str]:
    """A column of strings without nulls."""
    return [str(value) for value in table[name].to_pylist()]


def having(table: pa.Table, name: str, value: str) -> pa.Table:
    """The rows whose column has this value."""
    return table.filter(compute.equal(table[name], value))


def flat(table: pa.Table, name: str) -> Column:
    """A column as one array."""
    columns: Any = table
    column: Column = columns[name].combine_chunks()
    return column
