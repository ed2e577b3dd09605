"""Table 1 on three targets, counted by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from rich.console import Console

from tashika.builders.semrel.statistics import statistics, table_1, table_of_steps
from tashika.core.suites.semrel.words import RELATIONS

PROBE = pa.table(
    {
        "target": ["dog", "dog", "cat", "cat", "man", ""],
        "relation": ["hypernymy", "hypernymy", "hypernymy", "hypernymy", "antonymy", "control"],
        "prompt": ["a", "b", "a", "b", "c", "d"],
        "known_answers": pa.array([None, None, None, None, None, ["x"]], pa.list_(pa.string())),
        "questionnaire": [1, 2, 1, 2, 1, 2],
    }
)
RELATUM = pa.table(
    {
        "target": ["dog", "dog", "dog", "cat", "man", "man"],
        "relation": ["hypernymy", "hypernymy", "hypernymy", "hypernymy", "antonymy", "hypernymy"],
        "word": ["animal", "canine", "mammal", "animal", "woman", "person"],
    }
)


def test_only_relata_of_what_is_asked_count() -> None:
    found = statistics(PROBE, RELATUM)
    line = {"targets": 2, "relata_mean": 2.0, "relata_sd": 1.0, "prompts": 2, "probes": 4}
    assert found["relations"]["hypernymy"] == line
    assert found["relations"]["antonymy"]["relata_sd"] == 0.0
    assert found["relations"]["synonymy"] == {
        "targets": 0,
        "relata_mean": None,
        "relata_sd": None,
        "prompts": 0,
        "probes": 0,
    }
    totals = ("targets", "probes", "relata", "controls", "questionnaires", "fewest_questions", "most_questions")
    assert [found[name] for name in totals] == [3, 5, 6, 1, 2, 3, 3]


def lines(capsys: pytest.CaptureFixture[str], table: object) -> list[str]:
    Console(width=160).print(table)
    return [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]


def test_the_papers_figures_stand_beside(capsys: pytest.CaptureFixture[str]) -> None:
    told = lines(capsys, table_1(statistics(PROBE, RELATUM)))
    assert "HYP hypernymy 2 2.0±1.0 2 4 718 9.0±7.1 7 5,026" in told
    assert "SYN synonymy 0 – 0 0 218 3.0±2.7 7 1,526" in told
    assert "all 3 5 11,971" in told


def test_what_falls_away_is_told_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    none = dict.fromkeys(RELATIONS, 0)
    content = {
        "steps": {"response file": [["candidates", 20], ["nouns in WordNet", 18], ["in the shared vocabulary", 4]]},
        "pairs": {relation: ["dog", "cat"] if relation == "antonymy" else [] for relation in RELATIONS},
        "filled": {**none, "antonymy": 1},
        "available": {**none, "antonymy": 7},
    }
    told = lines(capsys, table_of_steps(content))
    assert "response file candidates 20" in told
    assert "in the shared vocabulary 4 14" in told
    assert "antonymy 2 1 of them from WordNet, 6 more not needed" in told
