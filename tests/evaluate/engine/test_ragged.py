"""Rows of different lengths in one array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.engine.ragged import Ragged, ranges

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6)


def _lists(rows: Ragged) -> list[list[int]]:
    return [rows.values[begin : begin + size].tolist() for begin, size in zip(rows.start, rows.length, strict=True)]


def _places(data: st.DataObject, rows: list[list[int]], count: int | None = None) -> list[int]:
    if not rows:
        return []
    most = 8 if count is None else count
    return data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=count or 0, max_size=most))


@given(ROWS, st.data())
def test_rows_are_taken_as_they_are(rows: list[list[int]], data: st.DataObject) -> None:
    wanted = _places(data, rows)
    assert _lists(Ragged.of(rows).take(np.asarray(wanted, dtype=np.int64))) == [rows[row] for row in wanted]


@given(st.lists(ROWS, min_size=1, max_size=3))
def test_parts_follow_each_other(parts: list[list[list[int]]]) -> None:
    assert _lists(Ragged.after_each_other([Ragged.of(rows) for rows in parts])) == [
        row for part in parts for row in part
    ]


@given(ROWS, ROWS, st.data())
def test_parts_are_put_side_by_side(one: list[list[int]], other: list[list[int]], data: st.DataObject) -> None:
    first = _places(data, one) if other else []
    second = _places(data, other, len(first))
    parts = [
        (Ragged.of(rows), np.asarray(places, dtype=np.int64))
        for rows, places in ((one, first), (other, second), (one, first))
    ]
    expected = [one[a] + other[b] + one[a] for a, b in zip(first, second, strict=True)]
    assert _lists(Ragged.side_by_side(parts)) == expected


def test_rows_of_one_length_make_a_block() -> None:
    rows = Ragged.of([[1, 2], [3], [4, 5]])
    assert rows.block(np.asarray([2, 0])).tolist() == [[4, 5], [1, 2]]
    assert rows.values.dtype == np.int32


def test_ranges_one_after_the_other() -> None:
    assert ranges(np.asarray([5, 9, 2]), np.asarray([2, 0, 3])).tolist() == [5, 6, 2, 3, 4]
