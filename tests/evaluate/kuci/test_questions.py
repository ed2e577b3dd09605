"""KUCI's release: read as it is, refused where a question cannot be asked, sampled alike in all sets."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.evaluate.kuci.questions import draw_questions, read_release
from tests.evaluate.kuci.toys import DIGEST, EVENTS, question, write_release


def spoil(folder: Path, change: Callable[[list[dict[str, Any]]], object], file: str = "questions/test.parquet") -> None:
    rows = pq.read_table(folder / file).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows), folder / file)


def test_a_release_is_read_as_it_is(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path))
    assert (release.version, release.digest, release.simulated) == ("0.1.0", DIGEST, False)
    assert {name: {split: len(part) for split, part in parts.items()} for name, parts in release.sets.items()} == {
        name: {"train": 4, "validation": 2, "test": 6} for name in ("both", "without_similarity", "without_length")
    }
    first = release.part("both", "train")[0]
    assert (first.context, first.options[first.answer], first.relation) == (*EVENTS[0][:2], "cause")
    assert first.asked == ("both-0", first.context, first.options, 0)
    assert release.markers["pair-3"] == "〜ば"


def test_sets_for_ablations_and_pairs_may_be_missing(tmp_path: Path) -> None:
    folder = write_release(tmp_path, ["both"])
    (folder / "pairs" / "train.parquet").unlink()
    release = read_release(folder)
    assert (list(release.sets), release.markers) == (["both"], {})
    with pytest.raises(InputError, match="no set without_length; it has both"):
        release.part("without_length", "test")


def test_there_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="no release yet"):
        read_release(tmp_path)


def test_a_part_is_missing(tmp_path: Path) -> None:
    (write_release(tmp_path) / "questions" / "validation.parquet").unlink()
    with pytest.raises(InputError, match="no such file"):
        read_release(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[0].update(context=" "), "context is empty"),
        (lambda rows: rows[0].update(options=rows[0]["options"][:3]), "3 options with 4 similarities"),
        (lambda rows: rows[0].update(options=["水"] * 4), "twice"),
        (lambda rows: rows[0].update(options=["", "a", "b", "c"]), "empty"),
        (lambda rows: rows[0].update(answer=4), "the option 4, and there are 4"),
        (lambda rows: rows[0].update(relation="逆接"), "逆接"),
        (lambda rows: rows[0].update(item_id=rows[1]["item_id"]), "same id"),
        (lambda rows: rows[0].update(pair=None), "'pair' has 1 nulls"),
        (lambda rows: [row.pop("answer") for row in rows], "'answer' is missing"),
        (lambda rows: rows[0].update(context=EVENTS[1][0]), "parts train and test"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], message: str) -> None:
    spoil(write_release(tmp_path), change)
    with pytest.raises(InputError, match=message):
        read_release(tmp_path)


def test_a_broken_file(tmp_path: Path) -> None:
    (write_release(tmp_path) / "questions" / "test.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_release(tmp_path)


def test_a_draw_takes_the_same_pairs_in_every_set(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path))
    draws = [draw_questions(release.part(name, "test"), 3, 5) for name in release.sets]
    assert len({tuple(question.pair for question in draw) for draw in draws}) == 1
    places = [int(question.pair[5:]) for question in draws[0]]
    assert places == sorted(places)
    assert len(places) == 3
    whole = release.part("both", "test")
    assert draw_questions(whole, None, 0) == draw_questions(whole, 99, 0) == whole


def test_the_toys_hold_no_question_with_two_right_answers() -> None:
    for place in range(len(EVENTS)):
        assert question(place)["options"].count(EVENTS[place][1]) == 1
