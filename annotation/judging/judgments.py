"""The judgments that were pulled: append-only Parquet shards, whole or absent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import compute, strings
from tashika.core.errors import MissingStageError
from tashika.core.files import read_table, refuse_other_columns, write_rows
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

Key = tuple[str, int, int]
"""Server, annotation, and microsecond of its last change: one version of one answer."""


def shards(workspace: Workspace) -> list[Path]:
    """The shards, oldest first."""
    return sorted(workspace.judgments.glob("part-*.parquet"))


def read_judgments(workspace: Workspace) -> pa.Table:
    """All judgments that were ever pulled.

    Raises:
        MissingStageError: Nothing was pulled yet.
    """
    paths = shards(workspace)
    if not paths:
        raise MissingStageError(
            "there are no judgments yet",
            where=str(workspace.judgments),
            hint=f"Let people answer, then run `tashika annotate pull {workspace.argument}`.",
        )
    return pa.concat_tables([read_shard(path) for path in paths])


def read_shard(path: Path) -> pa.Table:
    """The judgments of a shard; notes, which earlier versions did not keep, are null in theirs.

    Raises:
        InputError: It is no such shard.
    """
    table = read_table(path)
    if table.schema.names == JUDGMENT.names[:-1]:
        table = table.append_column(JUDGMENT.field(-1), pa.nulls(table.num_rows, JUDGMENT.field(-1).type))
    refuse_other_columns(path, table, JUDGMENT)
    return table


def stored_keys(workspace: Workspace) -> set[Key]:
    """What is there already."""
    keys: set[Key] = set()
    for path in shards(workspace):
        table = read_shard(path)
        times: list[int] = compute.cast(table["created_at"], pa.int64()).to_pylist()
        numbers: list[int] = compute.cast(table["annotation_id"], pa.int64()).to_pylist()
        keys.update(zip(strings(table, "server"), numbers, times, strict=True))
    return keys


def append_judgments(workspace: Workspace, rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes one more shard, unless there is nothing to write; returns the number of rows."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return 0
    number = 1 + max((int(path.stem.removeprefix("part-")) for path in shards(workspace)), default=0)
    path = workspace.judgments / f"part-{number:06d}.parquet"
    return write_rows(path, chain([first], rows), JUDGMENT)
