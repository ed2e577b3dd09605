"""What is counted on the way to the targets, and which models are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.semrel.vocabulary import (
    Vocabulary,
    funnel,
    listed_words,
    model_places,
    model_revisions,
    refuse_splitters,
)
from tashika.core.errors import InputError
from tashika.core.suites.semrel.relata import RelataSettings
from tashika.core.suites.semrel.wordnet import noun_counts


def test_a_funnel_counts_what_is_left() -> None:
    left, steps = funnel(["dog", "ox", "cat", "eel"], [("long", lambda word: len(word) > 2), ("e", lambda w: "e" in w)])
    assert left == ["eel"]
    assert steps == [("long", 3), ("e", 1)]


def test_a_model_that_splits_every_target_is_told() -> None:
    holders = {"whole": frozenset({"dog", "cat", "the"}), "pieces": frozenset({"d", "og", "the"})}
    vocabulary = Vocabulary(["the"], {}, holders)
    with pytest.raises(InputError, match="pieces: splits every target: 0 of 2 candidates"):
        refuse_splitters(vocabulary, ["dog", "cat"])
    assert refuse_splitters(vocabulary, ["dog", "og", "eel"]) == {"whole": 1, "pieces": 1}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("cntlist.rev", ["dog%1:05:00:: 1 42", "dog%1:18:01:: 4 2", "have%2:40:00:: 1 700", "con%1:18:00:: 1 0"]),
        (
            "index.sense",
            [
                "dog%1:05:00:: 02084071 1 42",
                "dog%1:18:01:: 09886220 4 2",
                "have%2:40:00:: 02203362 1 700",
                "con%1:18:00:: 09966022 2 0",
            ],
        ),
    ],
)
def test_nouns_are_counted_in_either_file(tmp_path: Path, name: str, lines: list[str]) -> None:
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert noun_counts(tmp_path) == {"dog": 44}


def test_without_counts_there_are_none(tmp_path: Path) -> None:
    assert noun_counts(tmp_path) == {}


def test_the_lists_words_are_those_of_both(tmp_path: Path) -> None:
    norms, hyperlex = tmp_path / "norms.csv", tmp_path / "hyperlex.txt"
    norms.write_text("category,instance\nbird,robin\n", encoding="utf-8")
    hyperlex.write_text(
        "WORD1 WORD2 POS TYPE AVG_SCORE\ndog animal N hyp-1 6.0\ndog cat N cohyp 0.1\n", encoding="utf-8"
    )
    assert listed_words(RelataSettings(norms=str(norms))) == ["bird", "robin"]
    assert listed_words(RelataSettings(norms=str(norms), hyperlex=str(hyperlex))) == ["animal", "bird", "dog", "robin"]


def test_empty_norms_are_told(tmp_path: Path) -> None:
    (tmp_path / "norms.csv").write_text("category,instance\n", encoding="utf-8")
    with pytest.raises(InputError, match="no pair of category and instance"):
        listed_words(RelataSettings(norms=str(tmp_path / "norms.csv")))


def test_revisions_name_no_folder_and_follow_the_content(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("dog\n", encoding="utf-8")
    [[name, before]] = model_revisions([str(file)], tmp_path)
    file.write_text("cat\n", encoding="utf-8")
    assert name == "words.txt"
    assert model_revisions([str(file)], tmp_path) != [[name, before]]
    assert model_places([str(file)], tmp_path) == [str(file)]
