"""Files of KNP's output: plain and packed, with either line end, broken and cut."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.knp import file as knp_file
from tashika.builders.kuci.analysis.knp.file import KnpFile, read_blocks
from tashika.builders.kuci.analysis.records import Failure, Sentence
from tashika.core.errors import InputError


def block(sid: str, surface: str) -> str:
    comment = f"# S-ID:{sid} KNP:5.0-\n" if sid else ""
    features = "<用言:動><用言代表表記:見る/みる><節-区切><節-主辞>"
    word = f"{surface} {surface} {surface} 動詞 2 * 0 母音動詞 1 基本形 2 NIL <x>"
    return f"{comment}* -1D {features}\n+ -1D {features}\n{word}\nEOS\n"


def analyse(path: Path) -> list[tuple[str, str]]:
    """(sid, text) of sentences, and (sid, reason) of failures with a ! before it."""
    found = KnpFile().analyze(read_blocks(path))
    return [(one.sid, one.text if isinstance(one, Sentence) else f"!{one.reason}") for one in found]


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def test_plain_and_packed_and_both_line_ends(tmp_path: Path) -> None:
    text = block("a", "見る") + block("b", "聞く")
    expected = [("a", "見る"), ("b", "聞く")]
    assert analyse(write(tmp_path / "plain.knp", text)) == expected
    assert analyse(write(tmp_path / "windows.knp", text.replace("\n", "\r\n"))) == expected
    assert analyse(write(tmp_path / "marked.knp", text, "utf-8-sig")) == expected
    (tmp_path / "packed.knp").write_bytes(gzip.compress(text.encode()))  # told by its bytes, not by its name
    assert analyse(tmp_path / "packed.knp") == expected


def test_a_sentence_without_an_id_gets_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "x.knp", block("", "見る") + "\n" + block("", "聞く"))
    assert [sid for sid, _ in read_blocks(path)] == ["x.knp:1", "x.knp:6"]
    assert [sid for sid, _ in read_blocks(path, "old/x.knp")] == ["old/x.knp:1", "old/x.knp:6"]


def test_a_name_tells_the_ids_of_two_files_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "x.knp", block("a", "見る"))
    assert [sid for sid, _ in read_blocks(path, "old/x.knp")] == ["old/x.knp:a"]


def test_a_broken_sentence_is_a_failure_in_its_place(tmp_path: Path) -> None:
    broken = "# S-ID:b KNP:5.0-\n* 1D <x\n+ -1X\nへん\nEOS\n"
    path = write(tmp_path / "x.knp", block("a", "見る") + broken + "# S-ID:c\nEOS\n" + block("d", "聞く"))
    found = analyse(path)
    assert [sid for sid, _ in found] == ["a", "b", "c", "d"]
    assert [text.startswith("!") for _, text in found] == [False, True, True, False]
    assert found[3] == ("d", "聞く")


def test_a_sentence_without_an_end_is_not_read_with_the_next_one(tmp_path: Path) -> None:
    path = write(tmp_path / "x.knp", block("a", "見る").removesuffix("EOS\n") + block("b", "聞く"))
    (first, why), *rest = analyse(path)
    assert first == "a"
    assert "no EOS" in why
    assert rest == [("b", "聞く")]


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path / "x.knp", (block("a", "見る") + block("b", "聞く")).removesuffix("\nEOS\n"))
    first, (sid, why) = analyse(path)
    assert first == ("a", "見る")
    assert sid == "b"
    assert "cut short" in why


@pytest.mark.parametrize("lost", [1, 9, 12])
def test_a_packed_file_that_is_cut_short(tmp_path: Path, lost: int) -> None:
    text = (block("a", "見る") + block("b", "聞く")).encode()
    path = tmp_path / "x.knp"
    path.write_bytes(gzip.compress(text)[:-lost])
    *before, (_, why) = analyse(path)  # even if it ends after an EOS: nobody knows what would have come
    assert before == [("a", "見る"), ("b", "聞く")][: len(before)]
    assert before
    assert "cut short" in why


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.knp"
    path.write_bytes(block("a", "見る").encode("cp932") + block("b", "聞く").encode())
    assert analyse(path) == [("a", "!the sentence is not UTF-8"), ("b", "聞く")]


def test_a_file_that_is_no_output_of_knp_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knp_file, "LINES", 10)
    path = write(tmp_path / "x.txt", "ただの文です。\n" * 100 + "EOS\n" + block("b", "聞く"))
    (sid, lines), second = read_blocks(path)
    assert sid == "x.txt:1"
    assert len(lines.splitlines()) == 10
    assert second[0] == "b"
    (failure,) = KnpFile().analyze([(sid, lines)])
    assert isinstance(failure, Failure)
    assert "no output of KNP" in failure.reason


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert analyse(write(tmp_path / "x.knp", "\n\n")) == []


@pytest.mark.parametrize("name", ["missing.knp", "."])
def test_a_path_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        list(read_blocks(tmp_path / name))


def test_what_it_is() -> None:
    analyzer = KnpFile()
    assert (analyzer.backend, analyzer.keys, analyzer.describe()["analyzer"]) == ("knp-file", "daihyo", "knp-file")


def test_a_sentence_that_would_fill_the_memory_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.knp"
    path.write_text("# S-ID:1\n" + ("a" * (1 << 20) + "\n") * 5 + "EOS\n# S-ID:2\nb\nEOS\n", encoding="utf-8")
    blocks = dict(read_blocks(path))
    assert len(blocks["1"]) < 4_200_000
    assert not blocks["1"].endswith("EOS")
    assert blocks["2"].endswith("b\nEOS")
