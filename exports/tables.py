"""Configurations that are one table in memory: the digest of their content, and the one file of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from tashika.exports.parquet import Advance, write_table
from tashika.exports.plan import PlannedFile
from tashika.exports.schema import configs_of


def content_digest(tables: Mapping[str, pa.Table]) -> str:
    """SHA-256 over the rows of the tables, the same whatever wrote the files."""
    digest = hashlib.sha256()
    for name in sorted(tables):
        digest.update(f"{name}\n".encode())
        for batch in tables[name].to_batches(max_chunksize=16_384):
            for row in batch.to_pylist():
                digest.update(json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def table_file(suite: str, config: str, table: pa.Table, name: str = "") -> PlannedFile:
    """The one file of a configuration whose table is in memory; it bears the configuration's name, or another one."""

    def write(path: Path, advance: Advance) -> int:
        rows = write_table(path, table, suite, config)
        advance(rows)
        return rows

    return PlannedFile(f"{configs_of(suite)[config].folder}/{name or config}.parquet", config, table.num_rows, write)
