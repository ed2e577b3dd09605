"""Parquet files of a release: the same rows give the same bytes, and a file is whole or absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import replacing
from tashika.exports.schema import arrow_schema, has_labels, repeating

Advance = Callable[[int], None]


def write_config(
    path: Path, batches: Iterable[pa.RecordBatch], suite: str, config: str, advance: Advance | None = None
) -> int:
    """Streams record batches into a Parquet file of a configuration; every batch becomes a row group.

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
    # Without the Arrow schema, which would make readers rebuild our dictionaries. The names of labels, which no type of
    # Arrow's can hold, are kept where `datasets` looks for them.
    options: dict[str, Any] = {"compression": "zstd", "store_schema": False, "use_dictionary": repeating(suite, config)}
    rows = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, **options) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
            if advance:
                advance(batch.num_rows)
        if has_labels(suite, config):
            writer.add_key_value_metadata({key.decode(): value.decode() for key, value in schema.metadata.items()})
    return rows


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
