from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.proverbs.list import (
    COLUMNS,
    SAID_AT_MOST,
    Proverb,
    content_words,
    duplicates,
    read_proverbs,
)
from tashika.core.errors import InputError

HEADER = ",".join(COLUMNS)


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "own.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_all_columns_are_read(tmp_path: Path) -> None:
    rows = 'Even monkeys fall.,Japanese,wisdom;Society,Statement,"Even Homer, too, nods.",wording,Greek\n'
    assert read_proverbs(write(tmp_path, f"{HEADER}\n{rows}")) == [
        Proverb(
            text="Even monkeys fall.",
            origin="Japanese",
            topics=("wisdom", "society"),
            form="statement",
            variant="Even Homer, too, nods.",
            change="wording",
            variant_origin="Greek",
            line=2,
        )
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_text_and_topics_are_enough_and_may_stand_in_any_order(tmp_path: Path, encoding: str, newline: str) -> None:
    lines = [" Topics ,TEXT", "gender ; gender;, Like  father,like son", 'wisdom,"Easy come, easy go"', "", ",", ""]
    lines[1] = 'gender ; gender;," Like  father,\tlike son "'
    read = read_proverbs(write(tmp_path, newline.join(lines), encoding))
    assert [(proverb.text, proverb.topics, proverb.line) for proverb in read] == [
        ("Like father, like son", ("gender",), 2),
        ("Easy come, easy go", ("wisdom",), 3),
    ]
    assert all(proverb[1:2] + proverb[3:7] == ("", "", "", "", "") for proverb in read)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"own\.csv:1: the file is empty"),
        ("\n\n", r"own\.csv:1: the file is empty, or its first line is"),
        ("text,topics\n", r"own\.csv: found no proverb below the header"),
        ("text,topics\n,\n\n", r"own\.csv: found no proverb below the header"),
        ("Time flies.,wisdom\n", r"own\.csv:1: the column 'text' is missing; found the columns time flies\., wisdom"),
        ("text;topics\nTime flies.;wisdom\n", r"own\.csv:1: .*'text' is missing[^\n]*\n.*commas between them"),
        ("text\nTime flies.\n", r"own\.csv:1: the column 'topics' is missing"),
        ("text,topics,note\nTime flies.,wisdom,x\n", r"own\.csv:1: the column 'note' is unknown\n  Known are text,"),
        ("text,topics,text\na,wisdom,b\n", r"own\.csv:1: the column 'text' stands twice"),
        ("text,topics\nTime flies.,wisdom\nTime,flies.,wisdom\n", r"own\.csv:3: found 3 fields, expected 2"),
        ("text,topics\nTime flies.\n", r"own\.csv:2: found 1 fields, expected 2"),
        ("text,topics\n ,wisdom\n", r"own\.csv:2: found '', expected a proverb"),
        ("text,topics\n...,wisdom\n", r"own\.csv:2: found '\.\.\.', expected a proverb"),
        ("text,topics\nTime flies.,\n", r"own\.csv:2: found no topic\n  Known are gender, wisdom, society"),
        ("text,topics\nTime flies.,;\n", r"own\.csv:2: found no topic"),
        ("text,topics\nTime flies.,wisdom;love\n", r"own\.csv:2: the topic 'love' is unknown"),
        ("text,topics,form\nTime flies.,wisdom,question\n", r"own\.csv:2: the form 'question' is unknown"),
        ("text,topics,variant,change\nAll is one,wisdom,All is two,size\n", r":2: the change 'size' is unknown"),
        ("text,topics,variant\nAll is one,wisdom,All is two\n", r":2: the variant 'All is two' does not state"),
        ("text,topics,change\nAll is one,wisdom,number\n", r":2: found the change 'number' of a variant that is not"),
        ("text,topics,variant_origin\nAll is one,wisdom,Zulu\n", r":2: found the variant_origin 'Zulu' of a variant"),
        ("text,topics,variant,change\nAll is one,wisdom,ALL IS ONE!,number\n", r":2: .* is the proverb itself"),
        ("text,topics\nTime flies.,wisdom\n\n time  FLIES,society\n", r"own\.csv:4: 'time FLIES' stands in line 2"),
        ('text,topics\n"Time\nflies.",wisdom\n', r"own\.csv:2: found a line break inside the column 'text'"),
        ('text,topics\nA.,wisdom\n"Time\r\nflies.",wisdom\n', r"own\.csv:3: found a line break inside"),
        ("text,topics\nTime\u2028flies.,wisdom\n", r"own\.csv:2: found a line break inside"),
        ("text,topics\nTime\x07flies.,wisdom\n", r"own\.csv:2: found the sign U\+0007 inside the column 'text'"),
        ('text,topics\nA.,wisdom\n"Time flies.,wisdom\n', r"own\.csv:3: not CSV: "),
    ],
)
def test_bad_files_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_proverbs(write(tmp_path, text))


def test_a_row_after_a_broken_one_is_counted_by_its_first_line(tmp_path: Path) -> None:
    text = 'text,topics,origin\nA b.,wisdom,"x"\nC d.,wisdom,"two\nlines"\n'
    with pytest.raises(InputError, match=r"own\.csv:3: found a line break inside the column 'origin'"):
        read_proverbs(write(tmp_path, text))


def test_other_encodings_and_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"own\.csv:3: not UTF-8: .*\n.*CSV UTF-8"):
        read_proverbs(write(tmp_path, "text,topics\nTime flies.,wisdom\nDéjà vu.,wisdom\n", "latin-1"))
    with pytest.raises(InputError, match=r"own\.csv:1: not UTF-8"):
        read_proverbs(write(tmp_path, "text,topics\nTime flies.,wisdom\n", "utf-16"))
    with pytest.raises(InputError, match="there is no such file"):
        read_proverbs(tmp_path / "none.csv")
    with pytest.raises(InputError, match="not readable"):
        read_proverbs(tmp_path)


def test_near_duplicates_of_a_file_are_said_and_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "text,topics\nThe pot calls the kettle black.,society\nA pot called.,society\nPots call black kettles,wisdom\n"
    )
    assert len(read_proverbs(write(tmp_path, text))) == 3
    said = " ".join(capsys.readouterr().err.split())
    told = "'Pots call black kettles' has the same words as 'The pot calls the kettle black.' in line 2; both stay"
    assert said.endswith(f"own.csv:4: {told}")


def test_many_near_duplicates_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("a", "the", "this", "that", "my", "your")
    lines = [f"{one} pot {other} kettle,society" for one in words for other in words]
    assert len(read_proverbs(write(tmp_path, "\n".join(["text,topics", *lines])))) == 36
    assert f"{35 - SAID_AT_MOST} more near duplicates" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Time flies.", "TIME  flies!"),
        ("Don’t cry over spilt milk.", "Don't cry over spilt milk"),
        ("A rolling stone gathers no moss.", "Rolling stones gather no moss."),
        ("It's an ill wind that blows nobody good.", "An ill wind blows nobody good."),
        ("He who hesitates is lost.", "She who hesitates is lost."),
        ("One two three four five", "One two three four"),
        ("That is that", "that is THAT."),
    ],
)
def test_near_duplicates(one: str, other: str) -> None:
    assert duplicates([one, other])
    assert duplicates([other, one])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A bird in the hand is worth two in the bush.", "A bird in the hand is worth three in the bush."),
        ("Clothes make the man.", "Manners make the man."),
        ("Money is the root of evil.", "Money is not the root of evil."),
        ("The pot calls the kettle black.", "The hyena calls another hyena worse than itself."),
        ("One two three four five", "One two three"),
        ("That is that", "This is it"),
    ],
)
def test_other_proverbs(one: str, other: str) -> None:
    assert duplicates([one, other]) == []


def test_content_words() -> None:
    assert content_words("It's the last straw that breaks the camels' backs, isn't it? Boss!") == {
        "last",
        "straw",
        "break",
        "camel",
        "back",
        "isn't",
        "boss",
    }


def test_a_duplicate_is_told_once_with_the_earliest() -> None:
    texts = ["Time flies.", "Haste makes waste", "time flies", "Flies time", "that", "That!", "this"]
    assert duplicates(texts) == [(0, 2, "the same text"), (0, 3, "the same words"), (4, 5, "the same text")]
    assert duplicates(["a pot black kettle calls loudly", "a pot black kettle calls"]) == [
        (0, 1, "nearly the same words")
    ]
    assert duplicates([]) == []


WORDS = ("the", "pot", "pots", "kettle", "calls", "black", "not", "hyena", "ox", "")


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=7)))
def test_what_is_found_is_what_every_comparison_finds(words: list[list[str]]) -> None:
    texts = [" ".join(row) for row in words]
    pairs = [
        (one, other) for one, other in combinations(range(len(texts)), 2) if duplicates([texts[one], texts[other]])
    ]
    earliest = {later: min(one for one, other in pairs if other == later) for _, later in pairs}
    assert {later: earlier for earlier, later, _ in duplicates(texts)} == earliest


@given(st.text(), st.text())
def test_any_text_can_be_compared(one: str, other: str) -> None:
    assert duplicates([one, one]) == [(0, 1, "the same text")]
    assert duplicates([one, other]) == duplicates([other, one])


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_told_with_the_file(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(b"text,topics\n" + data)
    try:
        assert read_proverbs(path)
    except InputError as error:
        assert re.search(r"any\.csv", str(error))  # noqa: PT017 - either outcome is right
