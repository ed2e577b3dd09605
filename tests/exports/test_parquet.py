"""Parquet files: row groups of one size, whatever the batches, and pages that readers find by an index."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.exports import parquet
from tashika.exports.parquet import count_uncompressed, row_groups


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 7))
def test_groups_have_all_rows_in_order_and_one_size(sizes: list[int], rows: int) -> None:
    numbers = iter(range(sum(sizes)))
    batches = [pa.RecordBatch.from_pydict({"n": [next(numbers) for _ in range(size)]}) for size in sizes]
    typed = [batch.cast(pa.schema([("n", pa.int64())])) for batch in batches]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parquet, "ROWS_A_GROUP", rows)
        groups = list(row_groups(typed))
    assert [number for group in groups for number in group.column("n").to_pylist()] == list(range(sum(sizes)))
    assert all(group.num_rows == rows for group in groups[:-1])
    assert all(0 < group.num_rows <= rows for group in groups[-1:])


def test_files_have_a_page_index_and_state_what_they_hold(release: Path) -> None:
    for path in release.rglob("*.parquet"):
        metadata = pq.read_metadata(path)
        columns = [
            metadata.row_group(group).column(place)
            for group in range(metadata.num_row_groups)
            for place in range(metadata.num_columns)
        ]
        assert all(column.has_offset_index and column.has_column_index for column in columns)
        assert count_uncompressed(path) == sum(column.total_uncompressed_size for column in columns)
