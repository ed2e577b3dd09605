from __future__ import annotations

import errno
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import ijson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.files import (
    hash_value,
    parse_json,
    read_json,
    read_json_lines,
    read_table,
    remove_leftovers,
    remove_leftovers_in,
    replacing,
    stream_json_list,
    write_rows,
    write_text,
)

SCHEMA = pa.schema([("n", pa.int64())])


def test_a_file_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    with pytest.raises(UnicodeEncodeError), replacing(path) as temporary:
        temporary.write_text("half \ud800", encoding="utf-8")
    assert list(path.parent.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_rows(path, [{"n": 1}], SCHEMA)

    def rows() -> object:
        yield {"n": 2}
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_rows(path, rows(), SCHEMA)  # type: ignore[arg-type]
    assert read_table(path).to_pylist() == [{"n": 1}]
    assert list(tmp_path.iterdir()) == [path]


def test_rows_are_written_in_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    assert write_rows(path, ({"n": n} for n in range(40_000)), SCHEMA) == 40_000
    assert pa.compute.sum(read_table(path).column("n")).as_py() == 40_000 * 39_999 // 2


def test_no_rows_make_an_empty_table(tmp_path: Path) -> None:
    assert write_rows(tmp_path / "none.parquet", [], SCHEMA) == 0
    assert read_table(tmp_path / "none.parquet", SCHEMA).num_rows == 0


def test_reading_tables_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_table(tmp_path / "none.parquet")
    write_text(tmp_path / "text.parquet", "no table")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_table(tmp_path / "text.parquet")
    write_rows(tmp_path / "n.parquet", [{"n": 1}], SCHEMA)
    with pytest.raises(InputError, match="found the columns n; expected m"):
        read_table(tmp_path / "n.parquet", pa.schema([("m", pa.int64())]))


def test_json_lines_carry_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert list(read_json_lines(path, required=("a",))) == [(1, {"a": 1}), (3, {"a": 2})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a"', r":2: not valid JSON"),
        (b'{"b": 1}\n', r":1: the field 'a' is missing; found b"),
        (b"3\n", r":1: found a JSON int"),
        (b"", "the file is empty"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ":1: not valid JSON: nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", ":1: not valid JSON: a number of thousands of digits"),
        (b'{"a": "\\ud800"}', r":1: not valid JSON: half a character \('\\ud800', a lone surrogate\)"),
    ],
)
def test_broken_json_lines(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_json_lines(path, required=("a",)))


def test_a_character_of_two_halves_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00 \\\\ud800"}\n')
    assert list(read_json_lines(path)) == [(1, {"a": "😀 \\ud800"})]


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
def test_json_that_is_nested_too_deeply_is_refused(tmp_path: Path, deep: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(deep)
    with pytest.raises(InputError, match="not valid JSON: nested too deeply"):
        read_json(path)
    with pytest.raises(ijson.JSONError, match="nested more than 200 levels deep"):
        list(stream_json_list(io.BytesIO(f"[{deep}".encode())))


def test_half_a_character_is_mended_where_that_is_asked_for() -> None:
    text = r'{"a": ["x\ud83d", "\ud83d\ude00"], "\ude00": 1}'
    assert parse_json(text, mend=True) == {"a": ["x\ufffd", "😀"], "\ufffd": 1}


def test_of_a_key_that_stands_twice_the_last_value_counts() -> None:
    assert parse_json('{"a": 1, "a": 2}') == {"a": 2}


def test_a_large_list_is_read_entry_by_entry() -> None:
    assert list(stream_json_list(io.BytesIO(b'[{"a": [1, 2.5]}, "b", []]'))) == [{"a": [1, 2.5]}, "b", []]


class Dribble(io.BytesIO):
    """A file that is read in small pieces, whatever is asked for."""

    piece = 1

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, self.piece))


@given(st.lists(st.text(alphabet='["]{\\}é', max_size=300), max_size=4), st.integers(1, 7))
def test_brackets_in_strings_are_no_depth_wherever_the_pieces_end(texts: list[str], piece: int) -> None:
    file = Dribble(json.dumps([{"a": text} for text in texts], ensure_ascii=False).encode())
    file.piece = piece
    assert list(stream_json_list(file)) == [{"a": text} for text in texts]


@pytest.mark.parametrize("piece", [1, 64])
def test_two_hundred_levels_are_the_deepest(piece: int) -> None:
    for depth in (200, 201):
        file = Dribble(b'["\\\\", ' + b"[" * (depth - 1) + b"]" * depth)
        file.piece = piece
        if depth == 200:
            assert len(list(stream_json_list(file))) == 2
        else:
            with pytest.raises(ijson.JSONError, match="nested more than 200 levels deep"):
                list(stream_json_list(file))


def test_the_hash_of_a_value_does_not_depend_on_order() -> None:
    assert hash_value({"a": 1, "b": [1, 2]}) == hash_value(json.loads('{"b": [1, 2], "a": 1}'))
    assert hash_value([1, 2]) != hash_value([2, 1])


def test_what_a_killed_process_left_is_removed_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = tmp_path / f".table.parquet.{gone.pid}-1.part"
    alive = tmp_path / f".table.parquet.{os.getpid()}-1.part"
    other = tmp_path / f".other.parquet.{gone.pid}-1.part"
    for file in (dead, alive, other):
        file.touch()
    remove_leftovers(path)
    assert [file.exists() for file in (dead, alive, other)] == [False, True, True]


def test_what_killed_processes_left_in_a_folder_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    process = int(gone.stdout)
    (tmp_path / "judgments").mkdir()
    dead = [tmp_path / f".a.json.{process}-1.part", tmp_path / "judgments" / f".part-000001.parquet.{process}-7.part"]
    kept = [tmp_path / f".b.json.{os.getpid()}-1.part", tmp_path / "c.part", tmp_path / ".d.part"]
    for path in (*dead, *kept):
        path.touch()
    assert remove_leftovers_in(tmp_path) == 2
    assert [path.exists() for path in (*dead, *kept)] == [False, False, True, True, True]


def test_the_name_of_a_file_is_flushed_to_the_disk_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[bool, list[str]]] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        there = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), there))
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", noted)
    write_text(tmp_path / "a.txt", "a")
    assert synced == [(False, []), (True, ["a.txt"])]


def test_a_json_line_that_would_fill_the_memory_is_refused(tmp_path: Path, short_lines: None) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "' + b"a" * (2 << 20) + b'"}\n')
    with pytest.raises(InputError, match="a line of more than 1 MiB"):
        list(read_json_lines(path))


@pytest.mark.parametrize("end", [b'"]', b""])
def test_a_text_in_a_large_list_that_would_fill_the_memory_is_refused(short_lines: None, end: bytes) -> None:
    content = b'["short", "' + b"a" * (2 << 20) + end
    with pytest.raises(ijson.JSONError, match="a text or number of more than 1 MiB"):
        list(stream_json_list(io.BytesIO(content)))


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')
    assert list(read_json_lines(path)) == [(1, {"a": 1})]
