"""Answers that people look at for stereotypes, and what the page makes of their labels and of kappa."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import MissingStageError
from tashika.core.records import VERDICT, item_schema
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs.people import confirming_kappas, stereotypes
from tashika.evaluate.proverbs.settings import StereotypeSettings
from tashika.evaluate.proverbs.stereotype_items import draw_answers, make_stereotypes
from tests.evaluate.proverbs.test_check_items import write_system


def answer(item: str, side: str, place: int, *, topic: str = "gender", text: str | None = "x") -> dict[str, Any]:
    return {
        "change": "gender",
        "item_id": item,
        "topic": topic,
        "side": side,
        "place": place,
        "answer": text,
        "question": f"{item} {side}?",
    }


def answers_of(pairs: int, topic: str = "gender") -> list[dict[str, Any]]:
    sides, places = ("proverb", "variant"), range(1, 6)
    return [
        answer(f"{topic}-{n}", side, place, topic=topic) for n in range(pairs) for side in sides for place in places
    ]


def test_of_each_drawn_pair_one_answer_to_either_question_at_one_place() -> None:
    drawn = draw_answers(answers_of(6), StereotypeSettings(most=4))
    assert len(drawn) == 8
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        assert (first["item_id"], first["place"]) == (second["item_id"], second["place"])
        assert (first["side"], second["side"]) == ("proverb", "variant")


def test_a_place_without_both_answers_is_not_drawn() -> None:
    rows = [
        answer("a", "proverb", 1),
        answer("a", "variant", 1, text=None),
        answer("a", "proverb", 2),
        answer("a", "variant", 2),
        answer("b", "proverb", 1),
        answer("b", "variant", 2),
    ]
    assert [(row["item_id"], row["side"], row["place"]) for row in draw_answers(rows, StereotypeSettings())] == [
        ("a", "proverb", 2),
        ("a", "variant", 2),
    ]


@given(st.integers(0, 8), st.integers(1, 8), st.integers(0, 3))
def test_fewer_are_some_of_more_and_the_order_of_rows_is_nothing(pairs: int, most: int, seed: int) -> None:
    rows = answers_of(pairs)
    few = draw_answers(rows, StereotypeSettings(most=most, seed=seed))
    every = draw_answers(rows[::-1], StereotypeSettings(most=0, seed=seed))
    assert len(few) == 2 * min(pairs, most)
    assert len(every) == 2 * pairs
    assert [row for row in every if row in few] == few


def test_topics_are_drawn_each_by_itself() -> None:
    rows = [*answers_of(3), *answers_of(3, "wisdom")]
    both = draw_answers(rows, StereotypeSettings(topics=("gender", "wisdom"), most=2))
    assert both[:4] == draw_answers(rows, StereotypeSettings(most=2))
    assert {row["topic"] for row in both[4:]} == {"wisdom"}


def test_items_of_all_systems_are_written_once_and_say_who_said_it(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "proverbs")
    with pytest.raises(MissingStageError, match="no model was scored"):
        make_stereotypes(workspace, StereotypeSettings())
    write_system(workspace, "one", set())
    write_system(workspace, "two", set())
    write_system(workspace, "one-by-nli", set(), model="one", judge="j2")
    table = pq.read_table(make_stereotypes(workspace, StereotypeSettings(most=3)))
    assert table.schema.equals(item_schema("proverbs", "stereotype"))
    rows = table.to_pylist()
    assert [row["system"] for row in rows].count("two") == 6
    assert {row["system"] for row in rows} == {"one", "two"}  # the same answers of one model are shown once
    assert all(row["parents"] == [row["question"].rsplit(" ", 1)[0].replace(" ", "-")] for row in rows)


def judged(tmp_path: Path, decisions: list[tuple[str, str, str]]) -> dict[str, Path]:
    """Files with (pair, side, decision)."""
    items = [
        {"item_id": f"{pair}{side}", "system": "m", "topic": "gender", "side": side, "parents": [pair]}
        for pair, side, _ in decisions
    ]
    votes = {"votes_for": 1, "votes_against": 1, "votes_cast": 2, "rule": "majority", "tie": False}
    verdicts = [
        {"item_id": f"{pair}{side}", "kind": "stereotype", "decision": said, **votes} for pair, side, said in decisions
    ]
    files = {"stereotypes": tmp_path / "items.parquet", "verdicts": tmp_path / "verdicts.parquet"}
    pq.write_table(pa.Table.from_pylist(items), files["stereotypes"])
    pq.write_table(pa.Table.from_pylist(verdicts, schema=VERDICT), files["verdicts"])
    return files


def test_shares_by_side_and_pairs_where_one_side_is_a_stereotype(tmp_path: Path) -> None:
    yes, no, open_ = "accepted", "rejected", "undecided"
    said = {"a": (no, yes), "b": (no, yes), "c": (yes, yes), "d": (no, no), "e": (open_, yes), "f": (yes, no)}
    files = judged(
        tmp_path,
        [
            (pair, side, one)
            for pair, both in said.items()
            for side, one in zip(("proverb", "variant"), both, strict=True)
        ],
    )
    [row] = stereotypes(files)
    assert (row["proverb"]["stereotype"], row["proverb"]["decided"]) == (2, 5)
    assert (row["variant"]["stereotype"], row["variant"]["decided"]) == (4, 6)
    assert (row["undecided"], row["pairs"], row["only_proverb"], row["only_variant"]) == (1, 5, 1, 2)
    assert row["p"] == 1.0  # of three, two or more on a side: always
    assert stereotypes({}) == []


def test_the_printed_kappas_counterpart_is_that_of_detected_errors_in_scores() -> None:
    parts = [
        {"consistency": "score", "detected": True, "topic": "all", "kappa": 0.5},
        {"consistency": "score", "detected": False, "topic": "all", "kappa": 0.9},
        {"consistency": "text", "detected": True, "topic": "all", "kappa": 0.1},
        {"consistency": "score", "detected": True, "topic": "gender", "kappa": 0.4},
    ]
    assert {topic: part["kappa"] for topic, part in confirming_kappas({"cohen_parts": parts}).items()} == {
        "all": 0.5,
        "gender": 0.4,
    }
    assert confirming_kappas(json.loads("{}")) == {}
