"""A release of a suite file as questions: what is read, what cannot be asked, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.evaluate.custom.questions import CustomRelease, read_release
from tests.evaluate.custom.toys import MOOD_ROWS, MOODS, RIDDLE_ROWS, RIDDLES, release_of, suite_of

PREFERENCES = """
[suite]
name = "sides"
title = "Sides"
[build.kinds.pair]
file = "table.csv"
key = ["text"]
columns = { text = "string", one = "string", other = "string" }
[annotate.kinds.pair]
form = "preference"
between = ["one", "other"]
same = true
[evaluate]
task = "multiple_choice"
input = "text"
choices = ["other", "one"]
target = "preferred"
"""


def read(folder: Path, text: str, rows: Any, names: tuple[str, ...] = (), **changes: str) -> CustomRelease:
    suite = suite_of(folder / "suite", text, **changes)
    return read_release(suite, release_of(suite, folder / "work", rows, names=names).release)


def riddle(**changes: Any) -> list[Mapping[str, Any]]:
    return [{**RIDDLE_ROWS[0], **changes}]


def test_a_target_is_a_place_or_the_words_of_an_option(tmp_path: Path) -> None:
    release = read(tmp_path / "places", RIDDLES, RIDDLE_ROWS)
    assert [item.target.place for item in release.items] == [0, 1, 0, 1]
    rows = [{**row, "place": row["options"][row["answer"]]} for row in RIDDLE_ROWS]
    words = read(tmp_path / "words", RIDDLES, rows, target='"place"', by="[]")
    assert [item.target for item in words.items] == [item.target for item in release.items]


def test_labels_come_by_their_names_with_their_votes(tmp_path: Path) -> None:
    words = '{ neither = "meh", good = "yes", bad = "no" }'
    release = read(tmp_path, MOODS, MOOD_ROWS, ("good", "bad", "neither"), labels=words)
    item = release.items[1]
    assert (item.row["label"], item.target.expected, item.target.options) == ("bad", "bad", ("meh", "yes", "no"))
    assert item.votes == (1, 0, 2)  # in the order of the labels in [evaluate]


def test_preferences_are_a_choice_between_columns(tmp_path: Path) -> None:
    rows = [
        {"text": "a", "one": "first", "other": "second", "preferred": 0, "votes": [2, 0, 1]},
        {"text": "b", "one": "first", "other": "second", "preferred": 2, "votes": [0, 1, 2]},
    ]
    release = read(tmp_path, PREFERENCES, rows)
    [item] = release.items
    assert (item.target.options, item.target.place, item.votes) == (("second", "first"), 1, (0, 2, 1))
    assert release.untargeted == {"where people preferred none": 1}


def test_items_without_a_target_are_counted(tmp_path: Path) -> None:
    release = read(tmp_path, RIDDLES, [*RIDDLE_ROWS, *riddle(text="New?", answer=None)])
    assert len(release.items) == 4
    assert release.untargeted == {"without a value of answer": 1}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (riddle(answer=2), "the target is the option 2, and there are 2, counted from 0"),
        (riddle(answer=-1), "the target is the option -1"),
        (riddle(options=["a piano"]), "found 1 options, expected two or more"),
        (riddle(options=None), "found 0 options"),
        (riddle(options=["a piano", " "]), "an option is empty"),
        (riddle(options=["a door", "a door"]), "an option stands there twice"),
        (riddle(text=" "), "the question is empty"),
        (riddle(text=None), "the question is empty"),
        ([], "there is nothing to ask about: the part is empty"),
        (riddle(answer=None), "there is nothing to ask about: 1 without a value of answer"),
    ],
)
def test_what_cannot_be_asked_is_named(tmp_path: Path, rows: Any, told: str) -> None:
    with pytest.raises(InputError, match=told) as error:
        read(tmp_path, RIDDLES, rows)
    assert "test.parquet" in str(error.value.where)


def test_words_that_are_no_option_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the target 'house' is no option"):
        read(tmp_path, RIDDLES, RIDDLE_ROWS, target='"place"')


def test_a_label_that_none_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="label is 3, and there are 3 labels"):
        read(tmp_path / "place", MOODS, [{"text": "a", "label": 3}])
    words = '{ good = "good", fine = "fine" }'
    with pytest.raises(InputError, match="text is 'awful', expected one of good, fine"):
        read(tmp_path / "words", MOODS, [{"text": "awful"}], target='"text"', labels=words)


def test_other_labels_than_the_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one of yes, no, and the suite file's of good, bad, neither"):
        read(tmp_path, MOODS, MOOD_ROWS, ("yes", "no"))


@pytest.mark.parametrize("column", ["text", "options", "answer", "place"])
def test_a_column_that_the_release_lacks_is_named(tmp_path: Path, column: str) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES)
    workspace = release_of(suite, tmp_path / "work", RIDDLE_ROWS)
    file = workspace.release / "question" / "test.parquet"
    pq.write_table(pq.read_table(file).drop_columns([column]), file)
    with pytest.raises(InputError, match=f"the column '{column}' is missing; found") as error:
        read_release(suite, workspace.release)
    assert error.value.hint == "Export the release again."


def test_a_column_that_only_the_prompt_names_is_missed(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES, input="", prompt='"{{ text }} ({{ place }})"', by="[]")
    workspace = release_of(suite, tmp_path / "work", RIDDLE_ROWS)
    file = workspace.release / "question" / "test.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["place"]), file)
    with pytest.raises(InputError, match="a template names 'place'"):
        read_release(suite, workspace.release)


def test_a_missing_release_and_a_missing_part_are_named(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES)
    with pytest.raises(MissingStageError, match="there is no release yet") as error:
        read_release(suite, tmp_path / "work")
    assert f"tashika export {suite.path}" in (error.value.hint or "")
    workspace = release_of(suite, tmp_path / "work", RIDDLE_ROWS, "validation")
    with pytest.raises(InputError, match="the release has no part 'test' of the kind question; it has validation"):
        read_release(suite, workspace.release)


def test_a_cloze_has_one_blank(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found 0 blanks, expected one \[BLANK\]"):
        read(tmp_path, RIDDLES, RIDDLE_ROWS, task='"cloze"', choices="", target='"place"', by="[]")
