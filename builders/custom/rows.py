"""What every source of candidates gives: rows with the place that an error names, and what an item records of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Raw = Mapping[str, Any]
"""The values of a row as the source has them: texts in a CSV file, JSON values elsewhere."""


class RawRow(NamedTuple):
    """A row of a source.

    Attributes:
        where: Such as `riddles.csv:7`.
        values: By the source's own names of the columns.
        generation: What an item records of the request that it came from; None where no model wrote it.
        refused: Why the source itself refuses it, such as a reply that cannot be read; None for a candidate.
    """

    where: str
    values: Raw
    generation: Mapping[str, str] | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Source:
    """Where the candidates of a kind come from.

    Attributes:
        rows: The candidates.
        name: Of the source, for each item's provenance.
        revision: A digest or version of it.
        texts: Whether values are texts that must be read as numbers and lists, as those of a CSV file.
        lenient: Whether a row that does not fit is refused whatever the suite file says: nobody can mend a reply.
        known: The columns that the source has, where it knows them before the first row.
    """

    rows: Iterator[RawRow]
    name: str
    revision: str | None
    texts: bool = False
    lenient: bool = False
    known: tuple[str, ...] | None = field(default=None)
