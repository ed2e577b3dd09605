"""Table 1, on two properties with durations that are easily averaged."""

from __future__ import annotations

import pyarrow as pa
import pytest
from rich.console import Console

from tashika.builders.tempripple.statistics import statistics, table_1

HISTORY = pa.table(
    {
        "relation": ["P6", "P6", "P6", "P35", "P35"],
        "subject": ["Q1", "Q1", "Q2", "Q1", "Q1"],
        "years": [1.0, 3.0, 8.0, 2.0, 4.0],
    }
)
RELATED = pa.table({"hop": pa.array([1, 2, 1, 3, 1], pa.int32())})
QUESTION = pa.table({"task": ["new", "old", "old", "related_old"], "hop": pa.array([0, 0, 0, 2], pa.int32())})


def test_facts_are_subjects_and_tenures_are_instances() -> None:
    found = statistics(HISTORY, RELATED, QUESTION)
    assert found["properties"] == {
        "P6": {"facts": 2, "tenures": 3, "mean_years": 4.0, "longest_years": 8.0},
        "P35": {"facts": 1, "tenures": 2, "mean_years": 3.0, "longest_years": 4.0},
    }
    assert (found["facts"], found["tenures"]) == (3, 5)  # Q1 has two facts, of two properties
    assert found["mean_years"] == pytest.approx(3.6)
    assert found["related"] == {"1": 3, "2": 1, "3": 1}
    assert found["questions"] == {"new/0": 1, "old/0": 2, "related_old/2": 1}


def test_the_papers_figures_stand_beside(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=140).print(table_1(statistics(HISTORY, RELATED, QUESTION), {"P6": "head of government"}))
    told = capsys.readouterr().out
    lines = [" ".join(line.replace("│", " ").split()) for line in told.splitlines()]
    assert "P6 head of government 2 3 4.0 8 77 192 6.7 31" in lines
    assert "related, hop 2 1 16,370" in lines
    assert "all 3 5 3.6 464 1,680 4.3" in lines


def test_nothing_built_is_no_error() -> None:
    found = statistics(HISTORY.slice(0, 0), RELATED.slice(0, 0), QUESTION.slice(0, 0))
    assert (found["facts"], found["related"], found["questions"]) == (0, {}, {})
