from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.sentence_files import LONGEST, read_sentences, text_digest
from tashika.core.errors import InputError


def _file(path: Path, content: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_line_is_a_sentence_and_blank_ones_are_counted(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", "\ufeff雨が降る。\r\n\r\n　\n  晴れた 😀。".encode())
    skipped: Counter[str] = Counter()
    assert list(read_sentences([path], skipped=skipped)) == [("a.txt:1", "雨が降る。"), ("a.txt:4", "晴れた 😀。")]
    assert skipped == {"blank": 2}


def test_packed_files_are_known_by_their_bytes(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", gzip.compress("雨だ。\n".encode()))
    assert list(read_sentences([path])) == [("a.txt:1", "雨だ。")]


def test_a_packed_file_that_is_cut_short_keeps_what_came_before_and_the_rest_goes_on(tmp_path: Path) -> None:
    lines = "".join(f"{number}行目は雨だ。\n" for number in range(5_000)).encode()
    cut = _file(tmp_path / "cut.gz", gzip.compress(lines)[:-2_000])
    whole = _file(tmp_path / "whole.txt", "晴れ。\n".encode())
    *before, failure, last = read_sentences([cut, whole])
    assert before[:2] == [("cut.gz:1", "0行目は雨だ。"), ("cut.gz:2", "1行目は雨だ。")]
    assert isinstance(failure, Failure)
    assert failure.sid == f"cut.gz:{len(before) + 1}"
    assert "cut short" in failure.reason
    assert last == ("whole.txt:1", "晴れ。")


def test_a_line_in_cp932_is_a_failure_that_names_the_option(tmp_path: Path) -> None:
    path = _file(
        tmp_path / "a.txt", "雨。\n".encode() + "雨が降る。\n".encode("cp932") + b"\x81\x20\n" + "雪。".encode()
    )
    first, second, third, last = read_sentences([path])
    assert [first, last] == [("a.txt:1", "雨。"), ("a.txt:4", "雪。")]
    assert isinstance(second, Failure)
    assert second.reason == "not valid utf-8, but valid cp932 (give --encoding cp932)"
    assert isinstance(third, Failure)
    assert third.reason == "not valid utf-8"


def test_another_encoding_can_be_given(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", "表を見る。\r\n".encode("cp932"))  # 表 ends in a backslash's byte
    assert list(read_sentences([path], "cp932")) == [("a.txt:1", "表を見る。")]


@pytest.mark.parametrize("encoding", ["utf-16", "klingon"])
def test_an_encoding_that_cannot_be_read_is_refused(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match=encoding):
        list(read_sentences([_file(tmp_path / "a.txt", b"x")], encoding))


@pytest.mark.parametrize("letter", ["あ", "a"])
def test_long_lines_are_failures_that_keep_a_little(tmp_path: Path, letter: str) -> None:
    longest, longer, huge = letter * LONGEST, letter * (LONGEST + 1), letter * 200_000
    path = _file(tmp_path / "a.txt", f"{longest}\n{longer}\n{huge}\nend".encode())
    first, *failures, last = read_sentences([path])
    assert [first, last] == [("a.txt:1", longest), ("a.txt:4", "end")]
    for sid, one in zip(["a.txt:2", "a.txt:3"], failures, strict=True):
        assert isinstance(one, Failure)
        assert (one.sid, one.text, one.reason) == (sid, letter * 200, "longer than 3,000 characters")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [_file(tmp_path / name / "a.txt", "雨。".encode()) for name in ("x", "y")]
    paths.append(_file(tmp_path / "b.txt", "雪。".encode()))
    assert [one[0] for one in read_sentences(paths) if not isinstance(one, Failure)][:2] == ["x/a.txt:1", "y/a.txt:1"]


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", b"x")
    with pytest.raises(InputError, match="twice"):
        list(read_sentences([path, tmp_path / "." / "a.txt"]))


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            list(read_sentences([path]))


def test_a_digest_is_of_the_lines_alone(tmp_path: Path) -> None:
    plain = _file(tmp_path / "a.txt", "雨。\n雪。\n".encode())
    copy = _file(tmp_path / "b.gz", gzip.compress("\ufeff雨。\r\n\r\n雪。".encode()))
    other = _file(tmp_path / "c.txt", "雨。\n雪\n".encode())
    assert text_digest(plain) == text_digest(copy) != text_digest(other)
