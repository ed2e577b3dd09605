"""What people check: detected errors, as many others, the same ones again when a model is added."""

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
from tashika.core.records import item_schema
from tashika.core.suites.proverbs.words import CONSISTENCIES, SIDES, TOPICS
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs.check_items import draw_results, make_checks
from tashika.evaluate.proverbs.records import ANSWERS, TESTS
from tashika.evaluate.proverbs.settings import CheckSettings
from tests.evaluate.proverbs.world import judge_info, metrics_of

Key = tuple[str, str, int]
"""Topic, kind of consistency, number of the pair in its topic."""


def result(topic: str, kind: str, number: int, error: bool | None) -> dict[str, Any]:
    p = None if error is None else (0.01 if error else 0.5)
    found = {"item_id": f"{topic}-{number}", "topic": topic, "consistency": kind, "n": 5, "variant_n": 5}
    return {**dict.fromkeys(TESTS.names), **found, "p": p, "error": error}


def write_system(
    workspace: Workspace,
    name: str,
    errors: set[Key],
    pairs: int = 4,
    mark: str = "",
    model: str = "",
    revision: str = "r1",
    judge: str = "j1",
) -> None:
    """A scored model with four pairs a topic; the last pair of wisdom was not tested."""
    model = model or name
    folder = workspace.evaluate / name
    folder.mkdir(parents=True, exist_ok=True)
    results = [
        result(topic, kind, number, None if (topic, number) == ("wisdom", 3) else (topic, kind, number) in errors)
        for topic in TOPICS
        for kind in CONSISTENCIES
        for number in range(pairs)
    ]
    answers = [
        {
            **dict.fromkeys(ANSWERS.names),
            "item_id": f"{topic}-{number}",
            "topic": topic,
            "side": side,
            "question": f"{topic} {number} {side}?",
            "place": place,
            "answer": None
            if (topic, number, place) == ("society", 0, 2)
            else f"{model}{mark} {topic} {number} {place}",
            "answer_asked": 1,
            "score": None if place == 3 else place,
            "score_asked": 1,
        }
        for topic in TOPICS
        for number in range(pairs)
        for side in SIDES
        for place in (5, 4, 3, 2, 1)
    ]
    table = pa.Table.from_pylist(answers, schema=ANSWERS)
    pq.write_table(table, folder / "answers.parquet")
    pq.write_table(pa.Table.from_pylist(results, schema=TESTS), folder / "tests.parquet")
    metrics = metrics_of(model.upper(), judge_info("nli", judge), table, revision)
    (folder / "metrics.json").write_text(json.dumps(metrics))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work", "proverbs")


def checks(workspace: Workspace, **settings: Any) -> dict[str, dict[str, Any]]:
    table = pq.read_table(make_checks(workspace, CheckSettings(**settings)))
    assert table.schema.equals(item_schema("proverbs", "check"))
    ids: list[Any] = table["item_id"].to_pylist()
    assert ids == sorted(set(ids))
    return {row["item_id"]: row for row in table.to_pylist()}


ERRORS: set[Key] = {("gender", "score", 0), ("gender", "score", 1), ("wisdom", "text", 2), ("society", "score", 0)}


def test_errors_come_with_as_many_that_were_not_detected(workspace: Workspace) -> None:
    write_system(workspace, "one", ERRORS)
    found = checks(workspace).values()
    assert {
        (row["topic"], row["consistency"], int(row["parents"][0][-1])) for row in found if row["detected"]
    } == ERRORS
    cells = [(row["topic"], row["consistency"]) for row in found if not row["detected"]]
    assert sorted(cells) == sorted((topic, kind) for topic, kind, _ in ERRORS)
    assert {row["builder"] for row in found} == {"evaluate-proverbs"}
    assert {(row["model"], row["system"]) for row in found} == {("ONE", "one")}
    assert {row["p"] for row in found if row["detected"]} == {0.01}


def test_a_check_shows_what_was_said_in_its_order(workspace: Workspace) -> None:
    """The second answer is missing and is left out; the third has no score."""
    write_system(workspace, "one", {("society", "score", 0)})
    [row] = [row for row in checks(workspace).values() if row["detected"]]
    assert row["answers"] == [f"one society 0 {place}" for place in (1, 3, 4, 5)]
    assert row["variant_scores"] == [1, None, 4, 5]
    assert (row["question"], row["variant_question"]) == ("society 0 proverb?", "society 0 variant?")
    assert row["parents"] == ["society-0"]


def test_a_new_model_adds_checks_and_changes_none(workspace: Workspace) -> None:
    write_system(workspace, "one", ERRORS)
    before = checks(workspace)
    write_system(workspace, "another", {("wisdom", "score", number) for number in (0, 1)})
    after = checks(workspace)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 4


def test_other_answers_are_another_check(workspace: Workspace) -> None:
    write_system(workspace, "one", ERRORS)
    before = checks(workspace)
    write_system(workspace, "one", ERRORS, mark=" again")
    assert set(checks(workspace)).isdisjoint(before)


def test_scores_are_checked_once_for_all_judges_and_limits(workspace: Workspace) -> None:
    """Texts are checked by judge; folders that come later by name add nothing to scores."""
    write_system(workspace, "one", ERRORS)
    before = checks(workspace)
    write_system(workspace, "one-by-other", ERRORS, model="one", judge="j2")
    write_system(workspace, "one-by-other-2-pairs", ERRORS, model="one", judge="j2", pairs=2)
    write_system(workspace, "zero-pairs", set(), model="one")
    after = checks(workspace)
    assert before.items() <= after.items()
    added = [row for key, row in after.items() if key not in before]
    assert {row["consistency"] for row in added if row["detected"]} == {"text"}
    assert {row["system"] for row in after.values() if row["consistency"] == "score" and row["detected"]} == {"one"}
    assert checks(workspace) == after


def test_another_revision_with_the_same_answers_is_another_model(workspace: Workspace) -> None:
    write_system(workspace, "one", ERRORS)
    before = checks(workspace)
    write_system(workspace, "two", ERRORS, model="one", revision="r2")
    assert len(checks(workspace)) == 2 * len(before)


def test_a_renamed_folder_keeps_the_ids(workspace: Workspace) -> None:
    write_system(workspace, "one", ERRORS)
    before = checks(workspace)
    (workspace.evaluate / "one").rename(workspace.evaluate / "other")
    assert set(checks(workspace)) == set(before)


def test_where_a_topic_has_too_few_others_come_in(workspace: Workspace) -> None:
    """All four of gender are errors: those not detected are of other topics, and of the same kind."""
    write_system(workspace, "one", {("gender", "text", number) for number in range(4)})
    others = [row for row in checks(workspace).values() if not row["detected"]]
    assert len(others) == 4
    assert {row["consistency"] for row in others} == {"text"}
    assert {row["topic"] for row in others} <= {"wisdom", "society"}


def test_a_setting_caps_the_number(workspace: Workspace) -> None:
    write_system(workspace, "one", {(topic, "score", number) for topic in TOPICS for number in range(2)})
    assert len(checks(workspace)) == 12
    fewer = checks(workspace, most=1)
    assert len(fewer) == 6
    assert sum(row["detected"] for row in fewer.values()) == 3


def test_nothing_is_scored_yet(workspace: Workspace) -> None:
    with pytest.raises(MissingStageError, match=r"evaluate proverbs --work .* --model"):
        make_checks(workspace, CheckSettings())
    write_system(workspace, "one", set())
    assert checks(workspace) == {}


def test_a_dry_run_writes_nothing(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    write_system(workspace, "one", ERRORS)
    path = make_checks(workspace, CheckSettings(), dry_run=True)
    assert not path.exists()
    assert "8 of 1 scored models" in capsys.readouterr().err


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(TOPICS), st.sampled_from(CONSISTENCIES), st.integers(0, 9)), st.booleans()
    ),
    st.integers(0, 4),
)
def test_never_more_others_than_errors_and_none_twice(found: dict[Key, bool], most: int) -> None:
    rows = [result(*key, error) for key, error in found.items()]
    chosen = draw_results(rows, CheckSettings(most=most))
    ids = [(row["item_id"], row["consistency"]) for row in chosen]
    errors = sum(row["error"] for row in chosen)
    assert len(ids) == len(set(ids))
    assert len(chosen) - errors == min(errors, sum(not error for error in found.values()))
    assert draw_results(rows[::-1], CheckSettings(most=most)) == chosen
