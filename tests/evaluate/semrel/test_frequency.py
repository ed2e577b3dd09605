"""How often targets are used: WordNet's counts, a table of the user's, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.evaluate.semrel.frequency import find_frequencies, read_frequencies


def test_a_table_of_the_user_s(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("# word\tfrequency\nDog\t2.5\n\nice cream\t7\ndog\t1\n", encoding="utf-8")
    found = find_frequencies(str(file), None)
    assert found is not None
    assert found.source == "words.tsv"
    assert [found.of(word) for word in ("dog", "ice_cream", "Ice cream", "cat")] == [3.5, 7.0, 7.0, 0.0]


@pytest.mark.parametrize("line", ["dog 3", "dog\tmany", "dog\t-1", "\t3", "dog\tnan", "dog\tinf"])
def test_a_line_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "words.tsv"
    file.write_text(f"cat\t1\n{line}\n")
    with pytest.raises(InputError, match="expected a word, a tab and a number") as error:
        read_frequencies(file)
    assert str(error.value.where).endswith("words.tsv:2")


def test_a_table_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        find_frequencies(str(tmp_path / "none.tsv"), None)
    (tmp_path / "empty.tsv").write_text("# nothing\n")
    with pytest.raises(InputError, match="found no word"):
        read_frequencies(tmp_path / "empty.tsv")


def test_wordnet_s_counts_are_of_nouns(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text("")
    (tmp_path / "cntlist.rev").write_text("dog%1:05:00:: 1 42\ndog%1:18:01:: 2 2\ndog%2:38:00:: 1 9\n")
    found = find_frequencies("", tmp_path)
    assert found is not None
    assert found.of("dog") == 44.0
    assert "WordNet" in found.source


def test_without_wordnet_or_its_counts_there_are_none(tmp_path: Path) -> None:
    assert find_frequencies("", tmp_path / "nowhere") is None
    (tmp_path / "data.noun").write_text("")
    assert find_frequencies("", tmp_path) is None


def test_a_digest_is_of_the_targets_alone(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("dog\t1\ncat\t2\n")
    before = read_frequencies(file)
    file.write_text("dog\t1\ncat\t3\n")
    after = read_frequencies(file)
    assert before.digest(["dog"]) == after.digest(["dog"])
    assert before.digest(["dog", "cat"]) != after.digest(["cat", "dog"])
