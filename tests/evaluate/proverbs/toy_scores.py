"""Scores of made-up answers on proverbs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs.metrics import tests
from tashika.evaluate.proverbs.records import ANSWERS
from tests.evaluate.pages import ReportToys
from tests.evaluate.proverbs.world import judge_info, metrics_of

Scores = tuple[list[int | None], list[int | None]]
WIDER: Scores = ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1])
ALIKE: Scores = ([8, 7, 9, 8, None], [8, 7, 9, 8, 6])


def answers_of(name: str) -> pa.Table:
    """Its answers on three pairs: the scores of one differ in spread, and two answers have no score."""
    rows = list[dict[str, Any]]()
    for item, topic, scores in (("a1", "wisdom", ALIKE), ("b1", "gender", WIDER), ("b2", "gender", ALIKE)):
        for side, mine in zip(("proverb", "variant"), scores, strict=True):
            for place, score in enumerate(mine, 1):
                row: dict[str, Any] = {
                    "item_id": item,
                    "topic": topic,
                    "side": side,
                    "question": f"Why {item} <{side}>?",
                }
                row |= {"place": place, "answer": f"{name} says & {place}", "answer_asked": 1, "score_asked": 1}
                row |= {"score": score, "score_problem": None if score else "no <number>", "consistency": place / 7}
                rows.append(row)
    return pa.Table.from_pylist(rows, schema=ANSWERS)


def toy_pages(folder: Path) -> Workspace:
    """A working directory with the scores of two models and their release."""
    workspace = Workspace(folder, "proverbs")
    judges = {"tiny": judge_info("smollm2", classifier=False), "other": judge_info("nli")}
    for name, judge in judges.items():
        answers = answers_of(name)
        write_json(workspace.evaluate / name / "metrics.json", metrics_of(name, judge, answers))
        pq.write_table(answers, workspace.evaluate / name / "answers.parquet")
        pq.write_table(tests(answers), workspace.evaluate / name / "tests.parquet")
    write_json(workspace.release / "release.json", {"version": "0.1.0", "digest": "d1", "simulated": False})
    return workspace


REPORT = ReportToys("proverbs", toy_pages, lacks="errors")
