"""The numbers of a build, and the tables of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from tashika.builders.kuci.statistics import few_events, funnel_table, pairs_table, questions_table, statistics

FUNNEL = {
    "text": {"sentences": 1200, "blank": 7, "failures": 3, "reasons": {"blank text": 3}},
    "steps": [["relations found", 40], ["basic", 4], ["no repetition", 3]],
    "reasons": {"basic": {"no argument": 30, "passive": 6}, "no repetition": {"the same pair": 1}},
}


def made(sentences: int = 1200) -> dict[str, Any]:
    pair = pa.table(
        {
            "relation": ["cause", "condition", "cause"],
            "marker": ["ので", "", "ので"],
            "borrowed": [False, True, False],
        }
    )
    question = pa.table({"conditions": ["both", "both", "without_length"], "split": ["train", "test", "train"]})
    speed = {"sentences": sentences, "seconds": sentences / 50, "wall": 13.0, "processes": 2}
    return statistics(
        pair,
        question,
        funnel=FUNNEL,
        analysed={"speed": speed},
        events={"events": 9},
        made={"pairs": 3, "questions": 2, "no word has a vector": 1, "confirmed": True},
    )


def printed(table: Any) -> str:
    console = Console(width=160)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def test_pairs_and_questions_are_counted() -> None:
    found = made()
    assert found["pairs"]["relations"] == {"cause": 2, "condition": 1}
    assert found["pairs"]["markers"] == [["cause", "ので", 2], ["condition", "", 1]]
    assert found["pairs"]["borrowed"] == 1
    assert found["questions"]["by_conditions"]["both"] == {"train": 1, "validation": 0, "test": 1}
    assert found["questions"]["by_conditions"]["without_similarity"] == {"train": 0, "validation": 0, "test": 0}


@pytest.mark.parametrize(("reliable", "basic", "few"), [(100, 4, True), (100, 5, False), (0, 0, False)])
def test_too_few_basic_events_are_noticed(reliable: int, basic: int, few: bool) -> None:
    assert few_events({"steps": [["reliable", reliable], ["basic", basic]]}) is few


def test_the_speed_is_extrapolated_to_the_papers_text() -> None:
    speed = made()["speed"]
    assert (speed["sentences_per_second"], speed["sentences_per_second_and_process"]) == (100.0, 50.0)
    assert speed["paper_days"] == 20.83  # 180,000,000 / 100 / 86,400
    assert speed["paper_processes_for_a_day"] == 42  # 180,000,000 / 50 / 86,400 is 41.7
    assert made(sentences=999)["speed"]["paper_days"] is None  # too few to say
    assert made(sentences=0)["speed"]["sentences_per_second"] is None


def test_the_tables_show_what_fell_away_and_why() -> None:
    funnel = printed(funnel_table(FUNNEL))
    assert "no argument 30, passive 6" in funnel
    assert "3 sentences could not be analysed" in funnel
    assert "51,841" in funnel
    assert "たら, と" in printed(pairs_table(made()))
    questions = printed(questions_table(made()))
    assert "no question: no word has a vector 1" in questions
