"""Push and pull killed at some moments; `python -m tests.annotation.judging.killing` tries ten of each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tashika.annotation.labelstudio.account import keep_account
from tests.annotation.judging.killing import forget, fresh, kill_at_file, kill_at_request, kill_server
from tests.studio import Studio

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("at", [2, 4])
def test_a_push_that_is_killed_while_it_writes(fresh_studio: Studio, tmp_path: Path, at: int) -> None:
    outcome = kill_at_file(fresh_studio, "push", fresh(fresh_studio, tmp_path, "push"), at)
    assert (outcome.killed, outcome.problem) == (True, "")


@pytest.mark.parametrize("at", [3, 7, 8])
def test_a_push_that_is_killed_at_a_request(fresh_studio: Studio, tmp_path: Path, at: int) -> None:
    outcome = kill_at_request(fresh_studio, "push", fresh(fresh_studio, tmp_path, "push"), at)
    assert (outcome.killed, outcome.problem) == (True, "")


def test_a_pull_that_is_killed(fresh_studio: Studio, tmp_path: Path) -> None:
    work = fresh(fresh_studio, tmp_path, "pull")
    for kill, at in ((kill_at_file, 4), (kill_at_file, 8), (kill_at_request, 5)):
        outcome = kill(fresh_studio, "pull", work, at)
        assert (outcome.killed, outcome.problem) == (True, "")
        forget(work)


def test_a_server_that_is_killed_under_a_push(fresh_studio: Studio, tmp_path: Path) -> None:
    shutil.copytree(fresh_studio.data, tmp_path / "data")  # a database made anew would take half a minute
    keep_account(tmp_path / "data", "")  # or the copy would be taken for the server that runs
    for at in (7, 8):
        outcome = kill_server(tmp_path / "data", "push", tmp_path, at)
        assert (outcome.killed, outcome.problem) == (True, "")
