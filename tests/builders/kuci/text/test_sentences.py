from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.text.files import text_files
from tashika.builders.kuci.text.sentences import LONGEST, TextSettings, read_sentences, text_digest
from tashika.core.errors import InputError

Read = list[tuple[str, str] | Failure]


def _file(path: Path, content: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def _read(*paths: Path, encoding: str = "auto", skipped: Counter[str] | None = None, **settings: bool) -> Read:
    return list(read_sentences(text_files(paths, encoding), TextSettings(**settings), skipped))


def test_a_line_is_a_sentence_and_blank_ones_are_counted(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", "\ufeff雨が降る。\r\n\r\n　\n  晴れた。".encode())
    skipped: Counter[str] = Counter()
    assert _read(path, skipped=skipped) == [("a.txt:1", "雨が降る。"), ("a.txt:4", "晴れた。")]
    assert skipped == {"blank": 2}


def test_sentences_of_a_line_have_its_number_and_their_own(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", "雨が降る。風が吹く。\n雪が降る。\n".encode())
    assert _read(path) == [("a.txt:1.1", "雨が降る。"), ("a.txt:1.2", "風が吹く。"), ("a.txt:2", "雪が降る。")]
    assert _read(path, split=False)[0] == ("a.txt:1", "雨が降る。風が吹く。")


def test_repeats_and_what_is_no_sentence_are_left_out_and_counted(tmp_path: Path) -> None:
    text = "1日は雨です。\n会社概要\n２日は雨です！\n".encode()
    path, skipped = _file(tmp_path / "a.txt", text), Counter[str]()
    assert _read(path, skipped=skipped) == [("a.txt:1", "1日は雨です。")]
    assert skipped == {"repeated": 1, "no_sentence": 1}
    assert len(_read(path, keep_repeats=True, keep_others=True)) == 3


def test_a_packed_file_that_is_cut_short_keeps_what_came_before_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = "".join(f"{'雨' * number}だ。\n" for number in range(1, 700)).encode()
    cut = _file(tmp_path / "cut.gz", gzip.compress(lines)[:-500])
    whole = _file(tmp_path / "whole.txt", "晴れだ。\n".encode())
    *before, failure, last = _read(cut, whole)
    assert before[:2] == [("cut.gz:1", "雨だ。"), ("cut.gz:2", "雨雨だ。")]
    assert isinstance(failure, Failure)
    assert failure.sid == f"cut.gz:{len(before) + 1}"
    assert "cut short" in failure.reason
    assert last == ("whole.txt:1", "晴れだ。")


def test_a_line_in_another_encoding_is_a_failure_that_names_it(tmp_path: Path) -> None:
    lines = ["雨だ。\n".encode(), "雨が降る。\n".encode("cp932"), b"\x81\x20\n", "雪だ。\n".encode(), "霧だ。".encode()]
    first, second, third, *rest = _read(_file(tmp_path / "a.txt", b"".join(lines)))
    assert [first, *rest] == [("a.txt:1", "雨だ。"), ("a.txt:4", "雪だ。"), ("a.txt:5", "霧だ。")]
    assert isinstance(second, Failure)
    assert second.reason == "not valid utf-8, but valid cp932 (give --encoding cp932)"
    assert isinstance(third, Failure)
    assert third.reason.startswith("not valid utf-8")


def test_broken_characters_of_wide_text_are_failures(tmp_path: Path) -> None:
    text = "雨だ。\n".encode("utf-16") + b"\x00\xd8" + "。\n雪だ。\n".encode("utf-16-le")
    first, second, third = _read(_file(tmp_path / "a.txt", text))
    assert (first, third) == (("a.txt:1", "雨だ。"), ("a.txt:3", "雪だ。"))
    assert isinstance(second, Failure)
    assert second.reason == "not valid utf-16"


@pytest.mark.parametrize("letter", ["あ", "a"])
def test_long_sentences_are_failures_that_keep_a_little(tmp_path: Path, letter: str) -> None:
    longest, longer = letter * LONGEST, letter * (LONGEST + 1)
    path = _file(tmp_path / "a.txt", f"{longest}\n{longer}\nend".encode())
    first, failure, last = _read(path, keep_others=True)
    assert [first, last] == [("a.txt:1", longest), ("a.txt:3", "end")]
    assert isinstance(failure, Failure)
    assert (failure.sid, failure.text, failure.reason) == ("a.txt:2", letter * 200, "longer than 3,000 characters")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [_file(tmp_path / name / "a.txt", f"雨が{name}。".encode()) for name in ("x", "y")]
    paths.append(_file(tmp_path / "b.txt", "雪だ。".encode()))
    assert [one[0] for one in _read(*paths) if not isinstance(one, Failure)][:2] == ["x/a.txt:1", "y/a.txt:1"]


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.txt", b"x")
    with pytest.raises(InputError, match="twice"):
        _read(path, tmp_path / "." / "a.txt")


def test_a_digest_is_of_the_text_alone(tmp_path: Path) -> None:
    plain, copy, wide, other = text_files(
        [
            _file(tmp_path / "a.txt", "雨だ。\n雪だ。\n".encode()),
            _file(tmp_path / "b.gz", gzip.compress("\ufeff雨だ。\r\n\r\n雪だ。".encode())),
            _file(tmp_path / "w.txt", "雨だ。\n雪だ。\n".encode("utf-16")),
            _file(tmp_path / "c.txt", "雨だ。\n雪だ\n".encode()),
        ]
    )
    assert text_digest(plain) == text_digest(copy) == text_digest(wide) != text_digest(other)


def test_a_row_of_a_table_that_would_fill_the_memory_is_refused(tmp_path: Path, short_lines: None) -> None:
    rows = 'text,other\n雨が降る。,"\n' + ("a" * 1_000 + '","\n') * 1_100
    path = _file(tmp_path / "a.csv", rows.encode())
    with pytest.raises(InputError, match=r"a\.csv:2: found a row of more than 1 million characters"):
        _read(path)
