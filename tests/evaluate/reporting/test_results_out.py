"""Scores for other places: entries of `.eval_results`, and records that Every Eval Ever's own schema takes.

`every_eval_ever/eval.schema.json` is the schema of the package every-eval-ever 0.3.0, with its licence; nothing in it
was changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from huggingface_hub import parse_eval_result_entries
from jsonschema import Draft7Validator

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tashika.evaluate import command as evaluate_command
from tashika.evaluate.metrics import SystemInfo
from tashika.evaluate.reporting.results_out import Source, Written, every_eval_name, source_of, write_results
from tests.evaluate.comparing.test_suites import TOYS
from tests.evaluate.custom.toy_scores import mood_scores, riddle_scores
from tests.evaluate.pages import rewrite
from tests.evaluate.tempripple import toy_scores as tempripple

SCHEMA = Path(__file__).parent / "every_eval_ever" / "eval.schema.json"
TASKS = """
name: Toy
tasks:
- {id: tempripple, config: questions}
- {id: tempripple_context, config: questions}
"""


def custom(make: Callable[[Path], tuple[Any, Workspace]]) -> Callable[[Path], Workspace]:
    return lambda folder: make(folder)[1]


def records(written: Written) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in written.files if file.suffix == ".json"]


def yaml_of(file: Path) -> Any:
    import yaml

    return yaml.safe_load(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("suite", [*TOYS, "moods", "riddles"])
def test_every_suites_records_fit_the_schema(suite: str, tmp_path: Path) -> None:
    make = {**TOYS, "moods": custom(mood_scores), "riddles": custom(riddle_scores)}[suite]
    workspace = make(tmp_path / "work")
    for repo in (None, "org/name"):
        written = write_results(workspace, tmp_path / "out", Source(workspace.suite, repo, now=1_700_000_000))
        assert records(written)
        for record in records(written):
            assert list(Draft7Validator(read_json(SCHEMA)).iter_errors(record)) == []


IN_WORDS = {
    "options": "chat",
    "norm": "none",
    "format": {"context": "{context}", "question": "Question: {question}", "between": "\n", "cue": "Answer:"},
    "system": "Answer the question with one of the options. Reply with its letter alone and nothing else.",
    "attempts": 1,
}


@pytest.fixture
def ripples(tmp_path: Path) -> Workspace:
    workspace = tempripple.toy_pages(tmp_path / "work")
    (workspace.release / "eval.yaml").write_text(TASKS, encoding="utf-8")
    for name in ("tiny", "other"):
        rewrite(workspace.evaluate / name / "metrics.json", lambda metrics: metrics.update(scoring=IN_WORDS))
    return workspace


def test_a_record_has_the_numbers_of_the_predictions(ripples: Workspace, tmp_path: Path) -> None:
    written = write_results(ripples, tmp_path, Source("tempripple", "org/name", now=7))
    [record] = [one for one in records(written) if one["model_info"]["name"] == "tiny"]
    rows = pd.read_parquet(ripples.evaluate / "tiny" / "predictions.parquet")
    without = rows[~rows.with_context & rows.correct.notna()]
    result = record["evaluation_results"][0]
    assert result["evaluation_name"] == "tempripple.without"
    assert result["score_details"]["score"] == pytest.approx(without.correct.astype(float).mean())
    interval = result["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] < result["score_details"]["score"] < interval["upper"]
    assert result["source_data"]["hf_repo"] == "org/name"
    assert result["source_data"]["samples_number"] == 60
    assert result["score_details"]["details"]["clusters"] == "12 changing facts"
    assert record["evaluation_id"] == "tempripple/local/tiny/7"


def test_what_is_neither_better_nor_worse_has_no_record(ripples: Workspace, tmp_path: Path) -> None:
    for record in records(write_results(ripples, tmp_path, Source("tempripple"))):
        assert [one["evaluation_name"] for one in record["evaluation_results"]] == [
            "tempripple.without",
            "tempripple.with",
        ]


def test_the_same_scores_are_written_into_the_same_file(ripples: Workspace, tmp_path: Path) -> None:
    first = write_results(ripples, tmp_path, Source("tempripple", now=1)).files
    assert write_results(ripples, tmp_path, Source("tempripple", now=2)).files == first
    rewrite(ripples.evaluate / "tiny" / "metrics.json", lambda metrics: metrics["model"].update(revision="rev-8"))
    assert len(set(write_results(ripples, tmp_path, Source("tempripple", now=2)).files) & set(first)) == 1


def test_entries_name_the_tasks_of_the_release(ripples: Workspace, tmp_path: Path) -> None:
    written = write_results(ripples, tmp_path, Source("tempripple", "org/name"))
    file = tmp_path / "eval_results" / "tiny" / "tempripple.yaml"
    assert file in written.files
    entries = parse_eval_result_entries(yaml_of(file))
    assert [(entry.dataset_id, entry.task_id) for entry in entries] == [
        ("org/name", "tempripple"),
        ("org/name", "tempripple_context"),
    ]
    rows = pd.read_parquet(ripples.evaluate / "tiny" / "predictions.parquet")
    with_context = rows[rows.with_context]
    right = (with_context.correct == True).sum()  # noqa: E712 - a column with nulls
    assert entries[1].value == pytest.approx(right / 60, abs=1e-6)
    assert "1 of 60 items without an answer, counted as wrong" in str(entries[1].notes)


def test_simulated_annotations_are_named(ripples: Workspace, tmp_path: Path) -> None:
    rewrite(ripples.evaluate / "tiny" / "metrics.json", lambda metrics: metrics["release"].update(simulated=True))
    written = write_results(ripples, tmp_path, Source("tempripple", "org/name"))
    entries = parse_eval_result_entries(yaml_of(tmp_path / "eval_results" / "tiny" / "tempripple.yaml"))
    assert all("SIMULATED" in str(entry.notes) for entry in entries)
    [record] = [one for one in records(written) if one["model_info"]["name"] == "tiny"]
    assert "simulated" in record["evaluation_results"][0]["source_data"]["additional_details"]


@pytest.mark.parametrize(
    "change", [{"options": "letter"}, {"orders": 4}, {"system": "Guess."}, {"attempts": 3}], ids=str
)
def test_a_model_that_was_asked_in_another_way_has_no_entries(
    change: dict[str, Any], ripples: Workspace, tmp_path: Path
) -> None:
    rewrite(ripples.evaluate / "tiny" / "metrics.json", lambda metrics: metrics["scoring"].update(change))
    written = write_results(ripples, tmp_path, Source("tempripple", "org/name"))
    assert [file.parent.name for file in written.files if file.suffix == ".yaml"] == ["other"]
    assert written.remarks == (
        "tiny has no entry for .eval_results: it was not asked as the tasks of the release's eval.yaml ask: once, for "
        "a reply, in their words.",
    )


def test_a_sample_has_no_entries(ripples: Workspace, tmp_path: Path) -> None:
    sampling = {**tempripple.SAMPLING, "whole": False, "limit": 3, "facts": {"drawn": 3, "of": 12}}
    rewrite(ripples.evaluate / "tiny" / "metrics.json", lambda metrics: metrics.update(sampling=sampling))
    written = write_results(ripples, tmp_path, Source("tempripple", "org/name"))
    assert written.remarks == ("tiny has no entry for .eval_results: it was asked 3 of 12 facts and not everything.",)
    assert [file.parent.name for file in written.files if file.suffix == ".yaml"] == ["other"]


@pytest.mark.parametrize(
    ("repo", "removed", "why"),
    [(None, False, "the dataset's repository on the Hub is not known"), ("org/name", True, "the release has no eval")],
)
def test_why_there_are_no_entries_is_said_once(
    ripples: Workspace, tmp_path: Path, repo: str | None, removed: bool, why: str
) -> None:
    if removed:
        (ripples.release / "eval.yaml").unlink()
    [remark] = write_results(ripples, tmp_path, Source("tempripple", repo)).remarks
    assert why in remark


def test_a_broken_eval_yaml_is_refused(ripples: Workspace, tmp_path: Path) -> None:
    (ripples.release / "eval.yaml").write_text("tasks: [{config: questions}]", encoding="utf-8")
    with pytest.raises(InputError, match="found no tasks with an id"):
        write_results(ripples, tmp_path, Source("tempripple", "org/name"))


def test_the_command_writes_both_and_says_what_is_missing(
    ripples: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    out = tmp_path / "out"
    evaluate_command.write("tempripple", work=ripples.root, results=out)
    said = capsys.readouterr()
    assert "the dataset's repository on the Hub is not known" in said.err
    [record, _] = sorted(out.rglob("*.json"))
    assert str(record) in said.out
    assert read_json(record)["retrieved_timestamp"] == "1700000000"
    evaluate_command.write("tempripple", work=ripples.root, results=out, repo="org/name")
    assert len(list(out.rglob("*.yaml"))) == 2


def test_the_repository_is_what_the_release_says(ripples: Workspace) -> None:
    rewrite(ripples.release / "release.json", lambda record: record.update(repo="group/own"))
    assert source_of(ripples).repo == "group/own"
    assert source_of(ripples, "other/name").repo == "other/name"
    with pytest.raises(InputError, match="expected ORG/NAME"):
        source_of(ripples, "no name")


def test_a_repository_without_results_is_refused(ripples: Workspace) -> None:
    with pytest.raises(InputError, match="found --repo without --results"):
        evaluate_command.write("tempripple", work=ripples.root, repo="org/name")


@pytest.mark.parametrize(
    ("name", "endpoint", "expected"),
    [
        ("org/model-7b", None, "org/model-7b"),
        ("smollm2", None, "local/smollm2"),
        ("gpt-x", "https://api.example/v1", "endpoint/gpt-x"),
        ("org/", None, "local/org_"),
        ("日本語", None, "local/_"),
    ],
)
def test_models_are_named_by_developer_and_model(name: str, endpoint: str | None, expected: str) -> None:
    system = SystemInfo(name=name, kind="causal", revision="r", dtype=None, device=None, note=None, endpoint=endpoint)
    assert every_eval_name(system) == expected
