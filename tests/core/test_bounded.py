from __future__ import annotations

import csv
from io import BytesIO
from itertools import chain, repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.bounded import Bounded, bounded_text, csv_rows, text_lines
from tashika.core.errors import InputError


class Pieces:
    """A file that gives at most so many bytes at once."""

    def __init__(self, content: bytes, size: int) -> None:
        self._file = BytesIO(content)
        self._size = size
        self.closed = False

    def read1(self, size: int, /) -> bytes:
        return self._file.read(min(size, self._size))

    def close(self) -> None:
        self.closed = True


@given(st.binary(max_size=200), st.integers(1, 50), st.integers(1, 60))
def test_what_is_short_enough_comes_through_unchanged(content: bytes, piece: int, size: int) -> None:
    whole = Bounded(Pieces(content, piece), "f", longest=200)
    assert whole.read() == content
    parts = Bounded(Pieces(content, piece), "f", longest=200)
    read = list(iter(lambda: parts.read(size), b""))
    assert b"".join(read) == content
    assert all(len(part) == size for part in read[:-1])


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_may_be_as_long_as_it_says_and_no_longer(end: bytes) -> None:
    line = b"a" * 10
    assert Bounded(Pieces(line + end + line, 1), "f", longest=10).read() == line + end + line
    with pytest.raises(InputError, match="f: found a line of more than 10 bytes"):
        Bounded(Pieces(line + end + line + b"a", 1), "f", longest=10).read()


def test_a_reader_that_keeps_nothing_begins_a_new_stretch() -> None:
    file = Bounded(Pieces(b"a" * 20, 10), "f", longest=10, ends=b"", what="an entry")
    file.read(10)
    file.rest()
    file.read(10)
    file = Bounded(Pieces(b"a" * 20, 10), "f", longest=10, ends=b"", what="an entry")
    with pytest.raises(InputError, match="found an entry of more than 10 bytes"):
        file.read(20)


def test_text_has_no_byte_order_mark_and_its_own_line_ends(tmp_path: Path) -> None:
    pieces = Pieces('\ufeffa,"b\r\nc"\r\nだ,e'.encode(), 1)
    with bounded_text(pieces, "f") as lines:
        assert list(csv.reader(lines)) == [["a", "b\r\nc"], ["だ", "e"]]
    assert pieces.closed
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\xff")
    lines_of_file = text_lines(path)
    with pytest.raises(InputError, match="not UTF-8"):
        list(lines_of_file)


def test_a_row_has_the_number_of_its_first_line() -> None:
    lines = ["a;b\n", '"1\n', '2";3\n', "\n", "4;5\n"]
    assert list(csv_rows(lines, "f", ";")) == [(1, ["a", "b"]), (2, ["1\n2", "3"]), (4, []), (5, ["4", "5"])]


def test_a_row_that_would_fill_the_memory_is_refused(short_lines: None) -> None:
    rows = csv_rows(chain(['"\n'], repeat(f'{"a" * 1_000}","\n')), "f", ",")
    with pytest.raises(InputError, match="f:1: found a row of more than 1 million characters"):
        next(rows)


@pytest.mark.parametrize("line", ['"a" b,c\n', f'"{"a" * 2_000_001}"\n'])
def test_what_is_no_csv_is_named(line: str) -> None:
    with pytest.raises(InputError, match="f:2: not CSV"):
        list(csv_rows(["a,b\n", line], "f", ","))
