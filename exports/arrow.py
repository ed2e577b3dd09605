"""Arrow's compute functions, and the types of its arrays, as this room uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute

# The published stubs know only some of the argument types that these functions take (no plain strings or numbers).
compute: Any = pyarrow.compute

if TYPE_CHECKING:
    Array: TypeAlias = pa.Array[Any]
else:
    Array = pa.Array  # not a generic at run time

Order: TypeAlias = list[tuple[str, Literal["ascending", "descending"]]]


def ascending(*names: str) -> Order:
    """Sort keys for `pyarrow.Table.sort_by`."""
    return [(name, "ascending") for name in names]


def array(values: Any) -> Any:
    """A NumPy array as an Arrow array."""
    return pa.array(values)


def values(table: pa.Table, name: str) -> list[Any]:
    """A column as Python values."""
    return list(table.column(name).to_pylist())


def column(table: pa.Table, name: str) -> Any:
    """A column as one Arrow array."""
    return table.column(name).combine_chunks()
