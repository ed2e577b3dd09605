"""Prompts on the page with what models said, and the numbers of the picture with all models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.evaluate.myriadlama.answered import answered_examples
from tashika.evaluate.myriadlama.main_figure import accuracy_interval
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.myriadlama.plots import relation_order
from tests.evaluate.myriadlama.figures import RELATIONS
from tests.evaluate.myriadlama.toy_scores import metrics_of

TABLES: dict[str, list[dict[str, Any]]] = {
    "facts": [
        {"relation": "P36", "subject": "Q142", "object_label": "Paris"},
        {"relation": "P36", "subject": "Q142", "object_label": "Versailles"},
        {"relation": "P37", "subject": "Q142", "object_label": "French"},
    ],
    "aliases": [{"item_id": "s", "entity": "Q142", "text": "the Hexagon"}],
    "templates": [{"item_id": "t", "text": "The capital of [X] is [Y]."}],
}


def prompt(item: str, rank: int | None, word: str, pair: int = 0) -> dict[str, Any]:
    names = {"item_id": item, "relation": "P36", "template_id": "t", "subject_alias_id": "s", "top_word": word}
    return {**names, "pair": pair, "rank": rank, "problem": None if rank else "no object of one token"}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_prompts_stand_with_right_answers_and_what_was_said(tmp_path: Path) -> None:
    tables = {name: write(tmp_path / name, rows) for name, rows in TABLES.items()}
    one = write(tmp_path / "one", [prompt("a", 1, "Paris"), prompt("b", 7, "Rome"), prompt("c", None, "")])
    other = write(tmp_path / "other", [prompt("a", None, "")])
    right, wrong = answered_examples(["one", "other"], [one, other], tables)
    assert [(group.sort, group.count) for group in (right, wrong)] == [("right", 1), ("wrong", 1)]
    [question] = right.questions
    assert question.prompt == "The capital of the Hexagon is _____."
    assert question.right == ["Paris", "Versailles"]
    assert [(answer.name, answer.text, answer.correct, answer.rank, answer.problem) for answer in question.answers] == [
        ("one", "Paris", True, 1, None),
        ("other", None, None, None, "no object of one token"),
    ]
    assert answered_examples(["one"], [one], {"facts": tables["facts"]}) == []
    assert answered_examples(["one"], [tmp_path / "gone"], tables) == []


def test_the_interval_of_acc_at_1_is_over_pairs(tmp_path: Path) -> None:
    metrics = MyriadLamaMetrics.model_validate(metrics_of("tiny"))
    assert accuracy_interval(metrics, tmp_path / "gone") is None
    rows = [prompt(f"{pair}{number}", 1, "x", pair) for pair in range(5) for number in range(20)]
    ends = accuracy_interval(metrics, write(tmp_path / "all-right", rows))
    assert ends is not None
    assert ends == pytest.approx((0.5655, 1.0), abs=1e-4)  # Wilson's of 5 of 5, not of 100 of 100


def test_relations_have_one_order_for_all_models() -> None:
    best = max(RELATIONS, key=lambda relation: RELATIONS[relation].acc_at_1)
    assert relation_order([RELATIONS])[0] == best
    assert relation_order([{}, RELATIONS, RELATIONS]) == relation_order([RELATIONS])
