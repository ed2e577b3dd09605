"""Questions on the page with what a model chose without and with the new fact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.evaluate.tempripple.answered import answered_examples
from tashika.evaluate.tempripple.predictions import PREDICTIONS

QUESTIONS = [
    {"item_id": "a", "text": "Who leads?", "context": "Ann leads.", "options": ["Ann", "Bob"], "answer": 0},
    {"item_id": "b", "text": "Who led?", "context": "Ann leads.", "options": ["Ann", "Bob"], "answer": 1},
]


def row(item: str, *, with_context: bool, chosen: int | None) -> dict[str, Any]:
    answer = 0 if item == "a" else 1
    plain: dict[str, Any] = dict.fromkeys(("scores", "tokens", "characters", "reply", "choices"))
    known = {"task": "new", "hop": 0, "place": 1, "subject": "Q", "relation": "P6", "last_relation": "P6"}
    return {
        **known,
        **plain,
        "item_id": item,
        "with_context": with_context,
        "chosen": chosen,
        "answer": answer,
        "correct": None if chosen is None else chosen == answer,
        "problem": None if chosen is not None else "names no option",
    }


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema=PREDICTIONS), path)
    return path


def test_questions_are_sorted_by_what_the_new_fact_did(tmp_path: Path) -> None:
    questions = tmp_path / "questions.parquet"
    pq.write_table(pa.Table.from_pylist(QUESTIONS), questions)
    most = [("a", False, 1), ("a", True, 0), ("b", False, 1), ("b", True, 0)]
    files = [
        write(tmp_path / "less.parquet", [row("a", with_context=True, chosen=None)]),
        write(tmp_path / "most.parquet", [row(item, with_context=given, chosen=place) for item, given, place in most]),
        tmp_path / "gone.parquet",
    ]
    right, wrong = answered_examples(["less", "most", "gone"], files, questions)
    assert (right.sort, right.name, right.count) == ("turned right by the new fact", "most", 1)
    [question] = right.questions
    assert (question.prompt, question.note, question.place) == ("Who leads?", "The new fact: Ann leads.", 0)
    assert [(answer.name, answer.text, answer.correct, answer.problem) for answer in question.answers] == [
        ("less, with", None, None, "names no option"),
        ("most, without", "Bob", False, None),
        ("most, with", "Ann", True, None),
    ]
    assert (wrong.sort, wrong.questions[0].prompt) == ("turned wrong by the new fact", "Who led?")


def test_nothing_is_shown_of_what_is_gone(tmp_path: Path) -> None:
    assert answered_examples(["gone"], [tmp_path / "gone.parquet"], tmp_path) == []
    file = write(tmp_path / "p.parquet", [row("a", with_context=True, chosen=0)])
    assert answered_examples(["here"], [file], None) == []
