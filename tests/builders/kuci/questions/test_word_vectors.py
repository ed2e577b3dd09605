from __future__ import annotations

import gzip
import os
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tashika.builders.kuci.questions.word_vectors import Reading, WordVectors, open_vectors
from tashika.core.errors import InputError
from tests.hostile import PICKLE_PROTOCOLS, Trap, bomb

TABLE = {"雨": [3.0, 0.0], "傘": [0.0, 4.0], "pc": [1.0, 1.0], "左": [-3.0, 0.0], "降る": [1.0, 2.0]}


def small(**more: Any) -> WordVectors:
    rows = {word: row for row, word in enumerate(TABLE)}
    return WordVectors(rows.get, np.array(list(TABLE.values()), dtype=np.float32), name="small", **more)


def test_the_mean_is_over_words_with_a_vector() -> None:
    found = small().mean(["雨", "が", "傘", "未知"])
    assert found is not None
    assert found.tolist() == [1.5, 2.0]


def test_a_word_counts_as_often_as_it_stands() -> None:
    found = small().mean(["雨", "雨", "傘"])
    assert found is not None
    assert found.tolist() == pytest.approx([2.0, 4 / 3])


@pytest.mark.parametrize("words", [[], ["未知"], ["雨", "左"]])
def test_no_vector_where_no_word_has_one_or_they_cancel_out(words: list[str]) -> None:
    assert small().mean(words) is None


def test_width_and_case_are_the_second_try() -> None:
    found = small().mean(["ＰＣ"])
    assert found is not None
    assert found.tolist() == [1.0, 1.0]


def test_directions_of_many_texts() -> None:
    found, known = small().directions([["雨", "傘"], ["未知"], ["左"]])
    assert found.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0], [-1.0, 0.0]]
    assert known.tolist() == [True, False, True]


def test_function_words_count_only_if_asked() -> None:
    def read(words: object) -> list[Reading]:
        return [Reading(("雨",)), Reading(("傘",), content=False)]

    assert small(read=read).rows(["雨", "傘"]) == [0, 1]
    assert small(read=read, words="content").rows(["雨", "傘"]) == [0]


@pytest.fixture(scope="module")
def packaged() -> WordVectors:
    return open_vectors()


def test_the_packaged_vectors(packaged: WordVectors) -> None:
    assert packaged.dimensions == 300
    assert packaged.describe()["name"] == "ja_ginza"
    # 食べ and ご飯 are no keys; their dictionary forms are. を and た are function words.
    assert packaged.rows(["ご飯", "を", "食べ", "た"]) == packaged.rows(["御飯"]) + packaged.rows(["食べる"])


def test_a_word_is_read_in_its_text(packaged: WordVectors) -> None:
    """Alone, まし is 増し (an increase); in 食べました it is an auxiliary."""
    assert packaged.rows(["食べ", "まし", "た"]) == packaged.rows(["食べる"])
    assert packaged.rows(["まし"]) == packaged.rows(["増し"]) != []


def test_words_that_the_dictionary_divides_otherwise(packaged: WordVectors) -> None:
    """KNP's words are not Sudachi's: 食べました is three words there."""
    assert packaged.rows(["ご飯", "を", "食べました"]) == packaged.rows(["ご飯"])


# Files of vectors


def write_text(path: Path) -> None:
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in TABLE.items()]
    path.write_text(f"{len(TABLE)} 2\n{''.join(lines)}", encoding="utf-8")


def write_bare(path: Path) -> None:
    """As GloVe's files are: without a head."""
    write_text(path)
    path.write_bytes(path.read_bytes().partition(b"\n")[2])


def write_gz(path: Path, write: Callable[[Path], None] = write_text) -> None:
    plain = path.with_suffix("")
    write(plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


def write_bare_gz(path: Path) -> None:
    write_gz(path, write_bare)


def write_binary(path: Path) -> None:
    rows = [f"{word} ".encode() + struct.pack("<2f", *vector) + b"\n" for word, vector in TABLE.items()]
    path.write_bytes(f"{len(TABLE)} 2\n".encode() + b"".join(rows))


def write_saved(path: Path) -> None:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(vector_size=2)
    keyed.add_vectors(list(TABLE), np.array(list(TABLE.values()), dtype=np.float32))
    keyed.save(str(path))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("v.txt", write_text),
        ("v.txt.gz", write_gz),
        ("v.bin", write_binary),
        ("v", write_binary),
        ("v.vec", write_text),
        ("v.glove", write_bare),
        ("v.glove.gz", write_bare_gz),
    ],
)
def test_files_of_vectors(tmp_path: Path, name: str, write: Callable[[Path], None]) -> None:
    write(tmp_path / name)
    vectors = open_vectors(tmp_path / name)
    found = vectors.mean(["雨", "に", "傘"])
    assert found is not None
    assert found.tolist() == [1.5, 2.0]
    assert vectors.rows(["雨", "が", "降っ", "た"]) == [0, 4]
    assert vectors.name == name
    assert len(vectors.revision) > 20


def refuse(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_vectors(path)
    assert str(path) in str(caught.value)
    return caught.value.message


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_vectors(tmp_path / "none.txt")
    with pytest.raises(InputError, match="no such file"):
        open_vectors(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "begins neither with its number of words"),
        (b"<!DOCTYPE html>\n<html>\n", "begins neither with its number of words"),
        ("雨 1\n傘 2\n".encode(), "begins neither with its number of words"),
        ("雨 1 2\n傘 1 2 3\n".encode(), "no word vectors can be read"),
        ("雨 1 2\n傘 1 viel\n".encode(), "viel"),
        (b"0 2\n", "0 words"),
        (b"3 99999999\n", "99,999,999 dimensions"),
        ("2 2\n雨 1 2\n傘 1 viel\n".encode(), "viel"),
        ("2 2\n雨 1 2 3\n傘 1 2 3\n".encode(), "no word vectors can be read"),
        ("2 2\n雨 1 nan\n傘 1 2\n".encode(), "'雨'"),
        ("2 2\n雨 1 2\n傘 inf 2\n".encode(), "'傘'"),
        ("2 2\n雨 1 2\n傘 1 2\n".encode("cp932"), "not in UTF-8"),
        (b"2 4\n" + "雨 ".encode() + struct.pack("<4f", 1, 2, 3, 4) + b"\nxy", "no word vectors can be read"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, told: str) -> None:
    assert told in refuse(tmp_path / "vectors", content)


@pytest.mark.parametrize("protocol", PICKLE_PROTOCOLS)
@pytest.mark.parametrize(
    "name", ["vectors.txt", "v.vec", "v.bin", "v.kv", "v.model", "v.pkl", "v", "v.txt.gz", "v.bz2"]
)
def test_a_pickle_is_refused_whatever_its_name_and_does_not_run(
    tmp_path: Path, trap: Trap, name: str, protocol: int
) -> None:
    content = trap.pickled(protocol)
    told = refuse(tmp_path / name, gzip.compress(content) if name.endswith(".gz") else content)
    trap.assert_silent()
    assert ("this is a pickle, which runs code" in told) == (protocol >= 2)


@pytest.mark.parametrize("head", [b"1 1\n", b"1 2\nx ", b"x 0.5 0.5\n"])
def test_a_pickle_behind_the_head_of_a_table_does_not_run(tmp_path: Path, trap: Trap, head: bytes) -> None:
    (tmp_path / "vectors.txt").write_bytes(head + trap.pickled(0))
    with suppress(InputError):  # of some of them vectors can be read: a word's numbers are any eight bytes
        open_vectors(tmp_path / "vectors.txt")
    trap.assert_silent()


def test_what_gensim_saved_is_refused_and_the_hint_converts_it(tmp_path: Path) -> None:
    write_saved(tmp_path / "v.kv")
    with pytest.raises(InputError, match="this is a pickle") as caught:
        open_vectors(tmp_path / "v.kv")
    *_, first, second = str(caught.value.hint).splitlines()
    exec(f"{first.strip()}\n{second.strip().replace('FILE', str(tmp_path / 'v.kv'))}")
    assert open_vectors(tmp_path / "v.kv.bin").rows(["雨", "に", "傘"]) == [0, 1]


def test_a_text_file_that_is_cut_short(tmp_path: Path) -> None:
    """gensim takes the rows that are there and reserves the rest as zeros: the file must be refused."""
    assert "no word vectors" in refuse(tmp_path / "v.txt", "3 2\n雨 1 2\n傘 1 2\n".encode())


def test_a_gz_file_that_is_cut_short(tmp_path: Path) -> None:
    whole = gzip.compress(b"2 2\n" + os.urandom(2000))
    assert "no word vectors" in refuse(tmp_path / "v.txt.gz", whole[:-500])


def test_a_gz_file_that_is_damaged_in_the_middle(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(b"2 2\n" + os.urandom(2000)))
    whole[1000] ^= 0xFF
    assert "no word vectors" in refuse(tmp_path / "v.txt.gz", bytes(whole))


@pytest.mark.parametrize("head", [b"2 2\na 1.0 2.0\n", b"a 1.0 2.0\n", b"2 2\n\x00\x01"])
def test_a_row_that_would_fill_the_memory_is_refused(tmp_path: Path, head: bytes) -> None:
    with pytest.raises(InputError, match="a row of more than 320,000 bytes"):
        open_vectors(bomb(tmp_path / "v.txt.gz", head, b"", megabytes=1))
