"""TempRIPPLE's report: the paper's tables with their marks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.tempripple.report import write_report
from tests.evaluate.pages import rewrite, words_of
from tests.evaluate.tempripple.toy_scores import SAMPLING, drawn_answers, metrics_of, numbers_of, toy_pages


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


def test_every_accuracy_interval_and_p_is_there(workspace: Workspace) -> None:
    page, scores = words_of(page_of(workspace)), metrics_of("tiny")
    for cell in scores["cells"]:
        assert f"{cell['accuracy']:.1%}" in page
        if cell["interval"]["low"] < cell["interval"]["high"]:
            assert f"{cell['interval']['low']:.1%}" in page
    for test in [*scores["contexts"], *scores["hops"]]:
        assert ("< .001" if test["p"] < 0.001 else f"{test['p']:.3f}".removeprefix("0")) in page.replace("&lt;", "<")
    for row in scores["durations"]:
        assert f"{row['r']:.4f}".replace("-", "−") in page
    assert "head of government P6" in page
    assert "spouse P26" in page
    assert "names no &lt;option&gt;" in page
    assert "My answer:" in page
    assert "rev-7" in page


def test_the_release_stands_beside_the_paper(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "1,234 464" in page
    assert "91,011 35,198" in page
    assert "head of government P6 1 2 3.8 5.5 77 192 6.7 31" in page
    assert "Qwen2-7B 56.9% 97.6% ‡ ↑41 53.8%" in page
    assert "GPT-4o-mini 0.0077 −0.0001" in page
    assert "does not fit its printed accuracies" in page


def row_of(page: str, name: str) -> list[str]:
    """Table 2's cells of a model."""
    table = page[page.index(">Table 2<") :]
    row = re.findall(rf'<th scope="row">{re.escape(name)}</th>(.*?)</tr>', table, re.DOTALL)[0]
    return [words_of(cell).strip() for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]


def test_marks_and_differences_of_table_2(workspace: Workspace) -> None:
    def change(metrics: Any) -> None:
        for row in metrics["contexts"]:
            p = {"new": (0.001, 0.004), "old": (0.03, 0.09), "related_new": (0.2, 0.4)}[row["task"]]
            row |= {
                "p": p[0],
                "p_holm": p[1],
                "delta": {"new": 0.407, "old": -0.008, "related_new": -0.001}[row["task"]],
            }
        for row in metrics["hops"]:
            row |= {"p": 0.01, "p_holm": 0.02 if row["with_context"] else 0.06}
        for cell in metrics["cells"]:
            cell["accuracy"] = 0.25

    rewrite(workspace.evaluate / "tiny" / "metrics.json", change)
    cells = row_of(page_of(workspace), "tiny (text per character)")
    assert cells == ["25.0%", "25.0% ‡ ↑41", "25.0% (†)", "25.0% † ±0", "25.0%", "25.0% (‡) ↓1", "–", "–"]


def test_one_model_asked_in_two_ways_has_two_names(workspace: Workspace) -> None:
    sampling = {**SAMPLING, "whole": False, "limit": 1000, "facts": {"drawn": 1000, "of": 1234}}
    write_json(
        workspace.evaluate / "tiny-letter" / "metrics.json", metrics_of("tiny", "letter", "none", sampling=sampling)
    )
    page = words_of(page_of(workspace))
    assert "tiny (letter, 1,000 facts)" in page
    assert "tiny (text per character)" in page
    assert "of a drawn sample: 1,000 of 1,234 changing facts" in page
    assert "2 models were asked 60 questions on 12 subjects" in page
    assert "in 3 ways altogether" in page


def test_scores_alone_make_a_page(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "tempripple")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    page = words_of(page_of(workspace))
    assert "One model was asked 60 questions on 12 subjects" in page
    assert "No summary of the annotation was found" in page
    assert "Table 1" not in page


def test_draws_that_all_agree_are_no_certainty(workspace: Workspace) -> None:
    def agree(metrics: Any) -> None:
        metrics["cells"][0].update(accuracy=1.0, answered=5, interval={"low": 1.0, "high": 1.0})
        metrics["contexts"][0].update(delta=0.5, interval={"low": 0.5, "high": 0.5})

    rewrite(workspace.evaluate / "tiny" / "metrics.json", agree)
    page = words_of(page_of(workspace))
    assert "100.0% 56.6% to 100.0%" in page  # Wilson's
    assert "100.0% to 100.0%" not in page
    assert "+50.0 the same in every draw" in page


def test_a_model_that_answered_nothing_makes_a_page(tmp_path: Path) -> None:
    workspace, drawn = Workspace(tmp_path, "tempripple"), drawn_answers("tiny")
    nothing = {"chosen": None, "correct": None, "problem": "names no option"}
    table = pa.Table.from_pylist([{**row, **nothing} for row in drawn.slice(0, 4).to_pylist()], schema=drawn.schema)
    silent = {**metrics_of("tiny"), **numbers_of(table, resamples=5)}
    write_json(workspace.evaluate / "tiny" / "metrics.json", silent)
    page = page_of(workspace)
    assert row_of(page, "tiny (text per character)") == ["–"] * 8
    assert "nan" not in words_of(page).lower().split()
