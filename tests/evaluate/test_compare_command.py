"""`tashika compare`: what a user types, sees and gets."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tashika.evaluate.compare_command import app
from tests.evaluate.custom.toy_scores import riddle_scores
from tests.evaluate.pages import rewrite, words_of
from tests.evaluate.tempripple.toy_scores import toy_pages
from tests.plugin import toys as riddles

LOGS = Path(__file__).parent / "comparing" / "logs"
[CHOICES] = LOGS.glob("*/samples_northern_2*.jsonl")


def call(*arguments: str, fails: str | None = None) -> Result:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})
    if fails is None:
        assert result.exit_code == 0, (result.output, result.exception)
    else:
        assert isinstance(result.exception, InputError)
        assert re.search(fails, str(result.exception)), result.exception
    return result


@pytest.fixture
def ripple(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


@pytest.fixture
def riddle(tmp_path: Path) -> tuple[str, str]:
    """A suite file with two scored systems: its path, and the working directory."""
    suite, workspace = riddle_scores(tmp_path)
    return str(suite.path), str(workspace.root)


def test_two_systems_are_compared_in_the_terminal(ripple: Workspace) -> None:
    output = call("tempripple", "tiny", "other", "--work", str(ripple.root)).stdout
    assert "tiny against other" in output
    assert "Accuracy without the new" in output
    assert "not told apart" in output
    assert "60 questions of 12 changing facts count for all systems" in output
    assert "corrected for 3 tests (Holm)." in output


def test_without_names_all_scored_systems_are_compared(ripple: Workspace) -> None:
    assert "other against tiny" in call("tempripple", "--work", str(ripple.root)).stdout


def test_numbers_go_to_files_the_same_bytes_each_time(ripple: Workspace, tmp_path: Path) -> None:
    names = ("x.csv", "x.json", "x.html")
    first = [tmp_path / "one" / name for name in names]
    second = [tmp_path / "two" / name for name in names]
    for files in (first, second):
        options = [part for file in files for part in (f"--{file.suffix[1:]}", str(file))]
        call("tempripple", "tiny", "other", "--work", str(ripple.root), *options)
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    rows = list(csv.DictReader(first[0].open(encoding="utf-8")))
    assert {(row["measure"], row["group"]) for row in rows} >= {("without", ""), ("with", "new"), ("change", "old")}
    content = json.loads(first[1].read_text(encoding="utf-8"))
    assert content["systems"] == ["tiny", "other"]
    assert len(content["rows"]) == len(rows)
    assert content["rows"][0]["difference"] == pytest.approx(float(rows[0]["difference"]))
    assert content["tests"] == 3


def test_the_page_is_whole(ripple: Workspace, tmp_path: Path, assert_whole: Callable[[str], None]) -> None:
    page = tmp_path / "x.html"
    call("tempripple", "tiny", "other", "--work", str(ripple.root), "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert_whole(text)
    assert "tiny against other" in words_of(text)
    assert text.count("<svg") == 3


def test_one_measure_may_be_chosen(ripple: Workspace) -> None:
    output = call("tempripple", "--measure", "with", "--work", str(ripple.root)).stdout
    assert "corrected for 1 test (Holm)." in output
    call("tempripple", "--measure", "f1", "--work", str(ripple.root), fails="expected one of without, with, change")


def test_a_real_log_stands_beside_a_system(riddle: tuple[str, str]) -> None:
    suite, work = riddle
    output = call(suite, "good", f"SmolLM2={CHOICES}", "--work", work).stdout
    assert "good against SmolLM2" in output
    assert "SmolLM2: acc of the log stands for Accuracy." in output
    # good has three of four right, lm-eval's acc of SmolLM2 one
    assert re.search(r"Accuracy +│ +75\.0% +│ +25\.0% +│", output)
    normed = call(suite, "good", str(CHOICES), "--metric", "acc_norm", "--work", work).stdout
    assert re.search(r"75\.0% +│ +50\.0% +│", normed)
    assert "smollm2 (lm-eval)" in normed


def test_logs_of_two_programs_stand_beside_each_other(riddle: tuple[str, str]) -> None:
    suite, work = riddle
    output = call(suite, str(CHOICES), str(LOGS / "riddles.json"), "--work", work).stdout
    assert "smollm2 (lm-eval) against hf/local (inspect)" in output
    assert "4 questions count for all systems." in output


def test_a_log_of_another_release_is_refused(ripple: Workspace) -> None:
    call("tempripple", "tiny", str(CHOICES), "--work", str(ripple.root), fails="none of its 4 items was asked")


def test_options_of_logs_need_a_log(ripple: Workspace) -> None:
    call("tempripple", "--metric", "acc", "--work", str(ripple.root), fails="found --metric without a log")


def test_one_system_or_the_same_twice_is_refused(ripple: Workspace) -> None:
    work = str(ripple.root)
    call("tempripple", "tiny", "--work", work, fails="found one system, expected two or more; scored are: other, tiny")
    call("tempripple", "tiny", "tiny", "--work", work, fails="found the same system twice")
    shutil.rmtree(ripple.evaluate / "other")
    call("tempripple", "--work", work, fails="Score another with `tashika evaluate tempripple --model NAME`")


def test_another_release_is_refused(ripple: Workspace) -> None:
    def change(metrics: Any) -> None:
        metrics["release"].update(digest="ee" * 32, version="0.2.0")

    rewrite(ripple.evaluate / "tiny" / "metrics.json", change)
    text = r"release: 0.2.0 \(eeeeeeeeeeee\) where other has 0.1.0 \(d1d1d1d1d1d1\)"
    call("tempripple", "other", "tiny", "--work", str(ripple.root), fails=text)


def test_a_suite_that_gives_no_comparison_is_told_what_to_add(tmp_path: Path) -> None:
    with riddles.installed():
        workspace = riddles.toy_pages(tmp_path)
        call(
            *("riddles", "tiny", "other", "--work", str(workspace.root)),
            fails="riddles does not say how its systems are compared item by item\n  Its package adds `comparison`",
        )


def test_simulated_votes_are_said(ripple: Workspace) -> None:
    rewrite(ripple.release / "release.json", lambda record: record.update(simulated=True))
    assert "simulated annotators (programs)" in call("tempripple", "--work", str(ripple.root)).stdout
