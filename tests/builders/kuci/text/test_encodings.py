from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.kuci.text.encodings import check_encoding, check_head, recognise
from tashika.core.errors import InputError
from tashika.core.settings import packaged_data

ENCODINGS = ["utf-8", "utf-8-sig", "cp932", "euc-jp", "iso2022-jp", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("lines", [1, 3, 40])
def test_japanese_is_read_in_any_of_its_encodings(encoding: str, lines: int) -> None:
    source = Path(packaged_data("kuci/sentences-a.txt")).read_text(encoding="utf-8").split("\n")
    for start in range(0, 400, 40):
        text = "\n".join(source[start : start + lines]) + "\n"
        head = text.encode(encoding, errors="ignore")
        recognised = recognise(head)
        assert recognised is not None
        assert head.decode(recognised).lstrip("\ufeff") == head.decode(encoding).lstrip("\ufeff")


def test_a_few_broken_lines_do_not_make_another_encoding_of_a_text() -> None:
    assert recognise("雨が降る。\n雪が降る。\n".encode() + "霧が出る。\n".encode("cp932")) == "utf-8"


def test_a_character_that_the_end_cuts_is_no_mistake() -> None:
    head = "雨が降る".encode()
    assert recognise(head[:-1]) == "utf-8"
    check_head(head[:-1], "utf-8", "a.txt")


def test_plain_ascii_is_utf_8_and_bytes_are_nothing() -> None:
    assert recognise(b"abc\n") == recognise(b"") == "utf-8"
    assert recognise(bytes(range(128, 256)) * 9) is None


def test_another_encoding_than_the_given_one_is_named() -> None:
    with pytest.raises(InputError, match="not valid utf-8") as raised:
        check_head("雨が降ったので、傘をさした。\n".encode("euc-jp"), "utf-8", "a.txt")
    assert "--encoding euc-jp" in str(raised.value.hint)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_encoding_of_a_text_is_taken_as_given(encoding: str) -> None:
    check_head("雨が降ったので、傘をさした。\n雪が降る。".encode(encoding), encoding, "a.txt")


@pytest.mark.parametrize(("written", "given"), [("utf-8", "utf-16"), ("utf-16-le", "utf-16"), ("cp932", "utf-16-le")])
def test_wide_encodings_are_not_taken_for_others(written: str, given: str) -> None:
    with pytest.raises(InputError, match=f"not valid {given}"):
        check_head("雨が降ったので、傘をさした。\n雪が降る。".encode(written), given, "a.txt")


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13"])
def test_what_is_no_encoding_of_text_is_refused(encoding: str) -> None:
    with pytest.raises(InputError, match=encoding):
        check_encoding(encoding)
