"""What must hold of every release: one function a check, its docstring the message.

A check looks at the written files, not at what was meant to be written, and yields what it finds wrong. The checks
of this module know nothing of a suite; a suite adds its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import hash_file
from tashika.core.records import ID_LENGTH
from tashika.exports.arrow import compute as pc
from tashika.exports.schema import Config, arrow_schema, configs_of

RECORD_FILE: Final = "release.json"


@dataclass(frozen=True)
class Problem:
    """What a check found.

    Attributes:
        file: In the release.
        item: The item's id; None where the whole file is meant.
        found: What was found there.
    """

    file: str
    item: str | None
    found: str


class NotWrittenError(Exception):
    """A check asked for rows that are not written, which no other module than `exports.checking` lets happen."""


@dataclass(frozen=True)
class ReleaseFiles:
    """A release on disk.

    Attributes:
        folder: Where it lies.
        record: The content of its `release.json`.
        unwritten: Configurations that a draft goes without, being too large to be written for a look.
    """

    folder: Path
    record: Mapping[str, Any]
    unwritten: frozenset[str] = frozenset()

    @property
    def configs(self) -> Mapping[str, Config]:
        """The suite's configurations."""
        return configs_of(str(self.record["suite"]))

    def paths(self, config: str) -> list[str]:
        """The Parquet files of a configuration, in order, as paths in the release.

        Raises:
            NotWrittenError: The draft goes without this configuration.
        """
        if config in self.unwritten:
            raise NotWrittenError(config)
        folder = self.configs[config].folder
        return [f"{folder}/{path.name}" for path in sorted((self.folder / folder).glob("*.parquet"))]

    def rows(self, config: str) -> int:
        """The number of rows in a configuration's files."""
        return sum(int(pq.read_metadata(self.folder / path).num_rows) for path in self.paths(config))

    def table(self, config: str) -> pa.Table:
        """A configuration that fits in memory."""
        return self._tables[config]

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return _Tables(self)

    def stream(self, config: str, columns: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields (file, batch) over a configuration; strings that repeat come as dictionaries."""
        for path in self.paths(config):
            with pq.ParquetFile(self.folder / path, read_dictionary=self._coded(config, columns)) as file:
                for batch in file.iter_batches(batch_size=100_000, columns=list(columns)):
                    yield path, batch

    def _coded(self, config: str, columns: Sequence[str]) -> list[str]:
        schema = arrow_schema(str(self.record["suite"]), config)
        return [name for name in columns if pa.types.is_dictionary(schema.field(name).type)]


class _Tables(dict[str, pa.Table]):
    """Tables by configuration, read when first asked for."""

    def __init__(self, release: ReleaseFiles) -> None:
        super().__init__()
        self._release = release

    def __missing__(self, config: str) -> pa.Table:
        paths = [self._release.folder / path for path in self._release.paths(config)]
        if not paths:
            return arrow_schema(str(self._release.record["suite"]), config).empty_table()
        self[config] = pa.concat_tables([pq.read_table(path) for path in paths]).combine_chunks()
        return self[config]


Check = Callable[[ReleaseFiles], Iterable[Problem]]


def message_of(check: Callable[..., Any]) -> str:
    """The first line of a check's docstring."""
    return (check.__doc__ or "").strip().splitlines()[0]


def flagged(file: str, batch: Any, wrong: Any, column: str, item: str = "item_id") -> Iterator[Problem]:
    """Problems for the rows of a table or batch where `wrong` is true, which show the value of `column`."""
    rows = pc.indices_nonzero(pc.fill_null(wrong, True))
    for row in rows.to_pylist():
        yield Problem(file, str(batch.column(item)[row].as_py()), repr(batch.column(column)[row].as_py()))


def files_are_listed(release: ReleaseFiles) -> Iterator[Problem]:
    """Every file that release.json lists exists with its stated hash, and no other Parquet file does."""
    documents = release.record.get("documents", {})
    listed = {**release.record["files"], **documents}
    present = {path for path in documents if (release.folder / path).is_file()}
    present |= {path for config in release.configs for path in release.paths(config)}
    for path in sorted(set(listed) - present):
        yield Problem(path, None, "no such file")
    for path in sorted(present - set(listed)):
        yield Problem(path, None, "a file that is not listed")
    for path in sorted(set(listed) & present):
        if hash_file(release.folder / path) != listed[path]["sha256"]:
            yield Problem(path, None, "other content than was written")


def columns_are_declared(release: ReleaseFiles) -> Iterator[Problem]:
    """Every file has the columns and types that its configuration declares."""
    for config in release.configs:
        declared = _plain(arrow_schema(str(release.record["suite"]), config))
        for path in release.paths(config):
            columns = _plain(pq.read_schema(release.folder / path))
            if columns != declared:
                differing = sorted(set(columns.items()) ^ set(declared.items()))
                yield Problem(path, None, ", ".join(f"{name}: {kind}" for name, kind in differing) or "another order")


def _plain(schema: pa.Schema) -> dict[str, str]:
    return {field.name: _plain_type(field.type) for field in schema}


def _plain_type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind) or pa.types.is_list(kind):
        inner = _plain_type(kind.value_type)
        return f"list of {inner}" if pa.types.is_list(kind) else inner
    return str(kind)


def counts_equal_the_files(release: ReleaseFiles) -> Iterator[Problem]:
    """The counts in release.json equal the rows in the files."""
    for name, config in release.configs.items():
        # What a release does not have it need not count.
        stated, rows = int(release.record["counts"].get(config.count, 0)), release.rows(name)
        if stated != rows:
            yield Problem(RECORD_FILE, None, f"{config.count} {stated:,}, but {rows:,} rows in {config.folder}/")


def ids_are_well_formed(release: ReleaseFiles) -> Iterator[Problem]:
    """Every item id is 32 hexadecimal digits in lower case."""
    for config in release.configs:
        for path, batch in release.stream(config, ["item_id"]):
            sound = pc.match_substring_regex(batch.column("item_id"), rf"^[0-9a-f]{{{ID_LENGTH}}}$")
            yield from flagged(path, batch, pc.invert(sound), "item_id")


def ids_are_unique(release: ReleaseFiles) -> Iterator[Problem]:
    """No item id stands twice in a configuration."""
    for name, config in release.configs.items():
        if not config.product:  # a product's ids are unique if its factors' are and no combination stands twice
            yield from repeats(release, name, ["item_id"])


def repeats(release: ReleaseFiles, config: str, keys: list[str]) -> Iterator[Problem]:
    """Problems for rows of a configuration that agree with an earlier row in all `keys`."""
    table = release.table(config)
    numbered = table.append_column("row", pa.array(range(table.num_rows), pa.int64()))
    groups = numbered.group_by(keys).aggregate([("row", "max"), ("row", "count")])
    for group in groups.filter(pc.greater(groups.column("row_count"), 1)).to_pylist():
        item = table.column("item_id")[group["row_max"]].as_py()
        shown = ", ".join(repr(group[key]) for key in keys)
        yield Problem(release.paths(config)[0], item, f"{shown} {group['row_count']} times")


def halves_are_unique(release: ReleaseFiles) -> Iterator[Problem]:
    """No two item ids of a configuration agree in their first half, which ids of products are made from."""
    for name, config in release.configs.items():
        if config.product:
            continue
        ids = release.table(name).column("item_id").unique()
        halves = pc.value_counts(pc.utf8_slice_codeunits(ids, 0, ID_LENGTH // 2)).to_pylist()
        for half in (entry["values"] for entry in halves if entry["counts"] > 1):
            item = ids.filter(pc.starts_with(ids, half))[0].as_py()
            yield Problem(release.paths(name)[0], item, f"another id that begins with {half}")


GENERIC: Final[tuple[Check, ...]] = (
    files_are_listed,
    columns_are_declared,
    counts_equal_the_files,
    ids_are_well_formed,
    ids_are_unique,
    halves_are_unique,
)
"""The checks of every release, in the order in which they are run."""
