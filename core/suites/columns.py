"""The columns of a kind of item, told once: they make its Arrow schema, the release's features and the card's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

VALUES: Final = ("string", "bool", "int32", "int64", "float32", "float64")
"""Types of single values, by the names that `datasets.Value` has for them."""

LISTS: Final[Mapping[str, str]] = {"strings": "string", "integers": "int32", "floats": "float32"}
"""Types of lists, and the type of what is in them."""

LABELS: Final[Mapping[str, bool]] = {"label": False, "labels": True}
"""Types of a label out of the names that `Column.names` has, and of a list of them; numbers, in files and in Arrow."""

DATE: Final = "date32"
"""The type of a day, by the name that `datasets.Value` has for it."""

RECORDS: Final = "records"
"""The type of a list of records, each with the columns that `Column.of` names."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        type: One of `VALUES`, of `LISTS`, of `LABELS`, `DATE` or `RECORDS`.
        meaning: What it holds, in a few words of Markdown, for the card.
        optional: Whether it may be empty.
        repeats: The same value stands in many rows beside each other: a release stores it as a dictionary.
        of: The columns of a record, where the type is `RECORDS`.
        names: The labels in order, where the type is one of `LABELS`.
    """

    type: str
    meaning: str
    optional: bool = False
    repeats: bool = False
    of: Mapping[str, Column] | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = (*VALUES, *LISTS, *LABELS, DATE, RECORDS)
        if self.type not in known:
            raise ValueError(f"found the column type {self.type!r}, expected one of {', '.join(known)}")
        if (self.type == RECORDS) != (self.of is not None):
            raise ValueError(f"a column of type {RECORDS!r} names its columns in `of`, and no other does")
        if (self.type in LABELS) != bool(self.names):
            raise ValueError("a column of labels has their `names`, and no other has any")


@dataclass(frozen=True)
class Kind:
    """A kind of item: what a builder makes, people judge and a release holds.

    Attributes:
        name: Such as fact; items lie in `items/NAME.parquet`.
        meaning: What one is, and what its parents are.
        columns: Its own columns by name, beside those that every item has (`core.records.ITEM_FIELDS`).
    """

    name: str
    meaning: str
    columns: Mapping[str, Column]

    def only(self, *names: str) -> dict[str, Column]:
        """These columns, in this order; for a release that keeps some of them."""
        return {name: self.columns[name] for name in names}


def arrow_fields(columns: Mapping[str, Column]) -> list[pa.Field[Any]]:
    """Columns as Arrow has them."""
    import pyarrow as pa

    return [pa.field(name, _arrow_type(column), nullable=column.optional) for name, column in columns.items()]


def _arrow_type(column: Column) -> pa.DataType:
    import pyarrow as pa

    values: dict[str, pa.DataType] = {
        "string": pa.string(),
        "bool": pa.bool_(),
        "int32": pa.int32(),
        "int64": pa.int64(),
        "float32": pa.float32(),
        "float64": pa.float64(),
        DATE: pa.date32(),
    }
    if column.of is not None:
        return pa.list_(pa.struct(arrow_fields(column.of)))
    if column.type in LABELS:
        return pa.list_(pa.int64()) if LABELS[column.type] else pa.int64()
    return pa.list_(values[LISTS[column.type]]) if column.type in LISTS else values[column.type]
