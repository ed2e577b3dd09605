"""`tashika annotate` as a person types it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tashika.annotation.command import app
from tashika.annotation.judging.judgments import append_judgments, read_judgments
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.labelstudio.account import keep_account, local_data
from tashika.annotation.labelstudio.client import Task
from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.core.services import free_port
from tashika.core.workspace import Workspace


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})


@pytest.mark.parametrize(
    "command", ["serve", "invite", "push", "status", "pull", "vote", "adjudicate", "simulate", "forget-simulated"]
)
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--work" in result.output
    assert command in run("--help").output


@pytest.mark.parametrize("command", ["push", "pull", "simulate", "forget-simulated"])
def test_without_a_server_it_says_how_to_get_one(command: str, tmp_path: Path) -> None:
    result = run(command, "myriadlama", "--work", str(tmp_path))
    assert isinstance(result.exception, InputError)
    assert "tashika annotate serve" in str(result.exception)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["push", "pull", "simulate", "forget-simulated"])
def test_a_server_that_is_down_is_told(command: str, workspace: Workspace) -> None:
    keep_account(local_data(workspace.root), f"http://127.0.0.1:{free_port()}")
    result = run(command, "myriadlama", "--work", str(workspace.root))
    assert isinstance(result.exception, OutsideError)
    assert "no Label Studio server answers" in str(result.exception)


@pytest.mark.parametrize("command", ["push", "pull", "status", "vote", "simulate", "forget-simulated"])
def test_an_unknown_suite_is_told(command: str, tmp_path: Path) -> None:
    result = run(command, "nosuch", "--work", str(tmp_path))
    assert isinstance(result.exception, TashikaError)
    assert result.exception.exit_code == 2


def test_status_shows_what_was_pulled_when_the_server_is_down(workspace: Workspace, samples: ModuleType) -> None:
    item = workspace.read_items("template")["item_id"].to_pylist()[0]
    append_judgments(workspace, [samples.judgment(item, person) for person in ("ada", "grace", "mary")])
    result = run("status", "myriadlama", "--work", str(workspace.root))
    assert result.exit_code == 0
    assert "the server's numbers are missing" in result.output
    (row,) = [line for line in result.output.splitlines() if "template" in line and "12" in line]
    assert row.split() == ["template", "12", "12", "–", "–", "–", "1", "8%", "3"]
    assert all(name in result.output for name in ("ada", "grace", "mary"))


def test_adjudicate_checks_the_items(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "decisions.csv"
    item = workspace.read_items("alias")["item_id"].to_pylist()[0]
    path.write_text(f"item_id,decision,text,name\n{item},rejected,,Ada\n")
    result = run("adjudicate", "myriadlama", str(path), "--work", str(workspace.root))
    assert result.exit_code == 0
    assert "1 new decision recorded" in result.output
    path.write_text("item_id,decision,text,name\nnobody,rejected,,Ada\n")
    result = run("adjudicate", "myriadlama", str(path), "--work", str(workspace.root))
    assert "decisions.csv:2" in str(result.exception)


def test_a_simulation_is_taken_out_of_the_workspace_when_it_is_meant(workspace: Workspace, samples: ModuleType) -> None:
    item = workspace.read_items("template")["item_id"].to_pylist()[0]
    rows = [samples.judgment(item, "ada"), samples.judgment(item, "simulated-1", simulated=True)]
    append_judgments(workspace, rows)
    words = ("forget-simulated", "myriadlama", "--work", str(workspace.root), "--workspace-only")
    for option, outcome in ((("--dry-run",), type(None)), ((), InputError)):
        result = run(*words, *option)
        assert isinstance(result.exception, outcome)
        assert "1 judgment of simulated annotators; 1 of people stays" in result.output
        assert read_judgments(workspace).num_rows == 2
    assert run(*words, "--yes").exit_code == 0
    assert read_judgments(workspace)["annotator"].to_pylist() == ["ada"]
    assert "nothing of simulated annotators is left" in run(*words).output


def test_a_vote_of_people_and_programs_says_so(workspace: Workspace, samples: ModuleType) -> None:
    item: Any = workspace.read_items("template")["item_id"].to_pylist()[0]
    for kind in ("template", "alias"):
        write_pushed(workspace, kind, "ls-test", 1, [Task(1, item, frozenset())])
    append_judgments(workspace, [samples.judgment(item, "ada")])
    words = ("vote", "myriadlama", "--work", str(workspace.root))
    assert "lie beside" not in run(*words).output
    append_judgments(workspace, [samples.judgment(item, "simulated-1", simulated=True)])
    assert "1 judgment of 1 person lies beside 1 of 1 simulated annotator (program)" in run(*words).output
