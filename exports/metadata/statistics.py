"""`statistics.json`: what people ask of a dataset first, counted from its files and from the summary of the votes.

Rows, lengths and the balance of labels of every configuration and part; items, votes and agreement of every kind. Files
are read in batches, so that a release of millions of rows needs no more memory than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.suites.columns import DATE, LABELS, LISTS, Column
from tashika.exports.arrow import compute as pc
from tashika.exports.escaping import document_json
from tashika.exports.metadata.about import About
from tashika.exports.schema import Config, configs_of
from tashika.exports.validation import KindValidation

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "statistics.json"
MOST_VALUES: Final = 30
"""A column of more different values has none of them listed, nor one whose values hardly repeat."""

_LONGEST_VALUE: Final = 60
_BATCH: Final = 100_000


def statistics(draft: Draft) -> dict[str, str]:
    """The document `statistics.json`."""
    about = About.of(draft)
    configs = {name: _config(draft, config) for name, config in configs_of(draft.suite.suite).items()}
    value = {
        "suite": draft.record["suite"],
        "version": draft.record["version"],
        "digest": draft.record["digest"],
        "simulated": draft.record["simulated"],
        "configurations": {name: described for name, described in configs.items() if described["rows"]},
        "kinds": {kind: _kind(entry) for kind, entry in about.validation.items()},
    }
    return {FILE: document_json(value)}


# --- files


def _config(draft: Draft, config: Config) -> dict[str, Any]:
    files = {path: file for path, file in draft.record["files"].items() if path.startswith(f"{config.folder}/")}
    columns = {name: ColumnStatistics(column) for name, column in config.columns.items()}
    for path in files:
        with pq.ParquetFile(draft.folder / path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for name, counted in columns.items():
                    counted.add(batch.column(name))
    return {
        "rows": sum(int(file["rows"]) for file in files.values()),
        "bytes": sum(int(file["bytes"]) for file in files.values()),
        "splits": _splits(config, files),
        "columns": {name: counted.summary() for name, counted in columns.items()},
    }


def _splits(config: Config, files: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    if len(config.splits) == 1:
        return {config.splits[0]: sum(int(file["rows"]) for file in files.values())}
    rows = {split: int(files.get(f"{config.folder}/{split}.parquet", {"rows": 0})["rows"]) for split in config.splits}
    return {split: count for split, count in rows.items() if count}


@dataclass
class ColumnStatistics:
    """What is counted of a column, batch by batch.

    Attributes:
        column: Its declaration.
        empty: Rows without a value.
        sizes: Rows by the number of characters, or of entries in a list.
        values: Rows by their value, or entries by theirs; None once there are too many.
        low: The smallest number; None before the first.
        high: The greatest.
        total: The sum of all numbers.
        numbers: How many there are.
    """

    column: Column
    empty: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    values: Counter[str] | None = field(default_factory=Counter)
    low: float | None = None
    high: float | None = None
    total: float = 0.0
    numbers: int = 0

    def add(self, values: Any) -> None:
        """Counts a batch."""
        self.empty += values.null_count
        if self.column.type in LISTS or LABELS.get(self.column.type):
            self.sizes.update(_counts(pc.list_value_length(values)))
            values = pc.list_flatten(values)
        elif self.column.type == "string":
            self.sizes.update(_counts(pc.utf8_length(values)))
        single = "int64" if self.column.type in LABELS else LISTS.get(self.column.type, self.column.type)
        if single not in {"float32", "float64"}:
            self._add_values(values)
        if single not in {"string", "bool", DATE} and self.column.type not in LABELS:
            self._add_numbers(pc.drop_null(values))

    def _add_values(self, values: Any) -> None:
        if self.values is None:
            return
        distinct = pc.drop_null(values).value_counts()
        if len(distinct) <= MOST_VALUES:
            for entry in distinct.to_pylist():
                self.values[self._name(entry["values"])] += int(entry["counts"])
        if len(distinct) > MOST_VALUES or len(self.values) > MOST_VALUES:
            self.values = None

    def _name(self, value: Any) -> str:
        if self.column.type in LABELS:
            return str(self.column.names[value])
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _add_numbers(self, values: Any) -> None:
        if not len(values):
            return
        ends = pc.min_max(values).as_py()
        self.low = ends["min"] if self.low is None else min(self.low, ends["min"])
        self.high = ends["max"] if self.high is None else max(self.high, ends["max"])
        self.total += float(pc.sum(values.cast(pa.float64())).as_py())
        self.numbers += len(values)

    def summary(self) -> dict[str, Any]:
        """What is known of the column."""
        parts: dict[str, Any] = {"type": self.column.type, "empty": self.empty}
        if self.sizes:
            name = "characters" if self.column.type == "string" else "entries"
            parts[name] = _sizes(self.sizes)
        if self.numbers:
            parts["numbers"] = {
                "least": self.low,
                "mean": round(self.total / self.numbers, 6),
                "greatest": self.high,
            }
        if self.values and 2 * len(self.values) <= self.values.total() and max(map(len, self.values)) <= _LONGEST_VALUE:
            parts["values"] = dict(sorted(self.values.items(), key=lambda pair: (-pair[1], pair[0])))
        return parts


def _counts(values: Any) -> dict[int, int]:
    return {int(entry["values"]): int(entry["counts"]) for entry in pc.drop_null(values).value_counts().to_pylist()}


def _sizes(sizes: Mapping[int, int]) -> dict[str, float]:
    """Least, mean, median and greatest of a table of numbers and how often they occur; the lower of two medians."""
    rows, seen = sum(sizes.values()), 0
    ordered = sorted(sizes.items())
    median = ordered[0][0]
    for size, count in ordered:
        seen += count
        if 2 * seen >= rows:
            median = size
            break
    mean = sum(size * count for size, count in ordered) / rows
    return {"least": ordered[0][0], "mean": round(mean, 2), "median": median, "greatest": ordered[-1][0]}


# --- votes


def _kind(entry: KindValidation) -> dict[str, Any]:
    return {name: value for name, value in _votes(entry) if value not in (None, {}, [])}


def _votes(entry: KindValidation) -> Iterator[tuple[str, Any]]:
    """Yields what the summary of the votes says of a kind."""
    yield "form", entry.form
    yield "items", entry.items
    yield "judged", entry.judged
    yield "accepted", entry.accepted
    yield "rejected", entry.rejected
    yield "undecided", entry.undecided
    yield "ties", entry.ties
    yield "adjudicated", entry.adjudicated
    yield "corrected", entry.corrected
    yield "acceptance_rate", entry.acceptance_rate
    yield "acceptance_interval", entry.acceptance_interval
    yield "annotators", entry.annotators
    yield "people", entry.judges.people
    yield "simulated", entry.simulated
    yield "votes", entry.votes
    yield "votes_an_item", round(entry.votes / entry.judged, 4) if entry.judged else None
    yield "minimum_votes", entry.minimum_votes
    yield "rule", entry.rule
    yield "votes_by_label", entry.given
    yield "items_by_label", entry.decided
    yield "agreement", entry.agreement.model_dump(mode="json", exclude_none=True, exclude={"groups"})
    yield "accuracy_of_people", entry.human.model_dump(mode="json") if entry.human else None
