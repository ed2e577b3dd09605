"""Parquet files of a release: the same rows give the same bytes, and a file is whole or absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import replacing
from tashika.exports.schema import arrow_schema, features, has_labels, repeating

Advance = Callable[[int], None]

ROWS_A_GROUP: Final = 524_288
"""In a row group at most, and in memory at a time.

Large groups, since whatever stands at a group's border is new to a store of content when rows before it come or go:
`docs/measured.md`.
"""


def write_config(
    path: Path, batches: Iterable[pa.RecordBatch], suite: str, config: str, advance: Advance | None = None
) -> int:
    """Streams record batches into a Parquet file of a configuration, in row groups of `ROWS_A_GROUP` rows.

    Args:
        path: Where the file shall lie.
        batches: Rows in the configuration's `arrow_schema`.
        suite: The suite.
        config: The configuration.
        advance: Told the number of rows after every batch.

    Returns:
        The number of rows written.

    Raises:
        OSError: The disk is full or not writable; nothing is left at `path`.
    """
    schema = arrow_schema(suite, config)
    plain = features(suite, config).arrow_schema.remove_metadata()
    rows = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, plain, **writer_options(suite, config)) as writer:
        for group in row_groups(_counted(batches, advance)):
            writer.write_table(group.cast(plain), row_group_size=ROWS_A_GROUP)
            rows += group.num_rows
        if has_labels(suite, config):
            writer.add_key_value_metadata({key.decode(): value.decode() for key, value in schema.metadata.items()})
    return rows


def row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yields the rows in tables of `ROWS_A_GROUP`, the last one with what is left, whatever sizes the batches have."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        rest = batch
        while count + rest.num_rows >= ROWS_A_GROUP:
            fitting = ROWS_A_GROUP - count
            yield pa.Table.from_batches([*waiting, rest.slice(0, fitting)])
            waiting, count, rest = [], 0, rest.slice(fitting)
        if rest.num_rows:
            waiting.append(rest)
            count += rest.num_rows
    if waiting:
        yield pa.Table.from_batches(waiting)


def _counted(batches: Iterable[pa.RecordBatch], advance: Advance | None) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch
        if advance:
            advance(batch.num_rows)


def writer_options(suite: str, config: str) -> dict[str, Any]:
    """How the files of a configuration are written.

    Pages end where the content says so, not after so many rows: what a later version leaves unchanged has the same
    pages, wherever it stands, and a store of content such as the Hub's keeps it once. Readers that look for few rows
    find their pages by the index.
    """
    return {
        "compression": "zstd",
        # Without the Arrow schema, which would make readers rebuild our dictionaries. The names of labels, which no
        # type of Arrow's can hold, are kept where `datasets` looks for them.
        "store_schema": False,
        "use_dictionary": repeating(suite, config),
        "use_content_defined_chunking": True,
        "write_page_index": True,
    }


def write_table(path: Path, table: pa.Table, suite: str, config: str) -> int:
    """Writes a table that fits in memory as the one file of a configuration."""
    fitting = table.select(arrow_schema(suite, config).names).cast(arrow_schema(suite, config))
    return write_config(path, fitting.combine_chunks().to_batches(), suite, config)


def count_rows(path: Path) -> int:
    """The number of rows that a Parquet file states."""
    return int(pq.read_metadata(path).num_rows)


def count_uncompressed(path: Path) -> int:
    """The bytes of a Parquet file's pages before compression, as it states them."""
    metadata = pq.read_metadata(path)
    return sum(int(metadata.row_group(group).total_byte_size) for group in range(metadata.num_row_groups))
