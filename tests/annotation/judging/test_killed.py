"""Push and pull killed at some moments; `python -m tests.annotation.judging.killing` tries ten of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.judging.killing import fresh, kill_at_file, kill_at_request, kill_server
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
    for at in (4, 8):
        outcome = kill_at_file(fresh_studio, "pull", fresh(fresh_studio, tmp_path, "pull"), at)
        assert (outcome.killed, outcome.problem) == (True, "")
    outcome = kill_at_request(fresh_studio, "pull", fresh(fresh_studio, tmp_path, "pull"), 5)
    assert (outcome.killed, outcome.problem) == (True, "")


@pytest.mark.parametrize("at", [7, 8])
def test_a_server_that_is_killed_under_a_push(tmp_path: Path, at: int) -> None:
    outcome = kill_server(tmp_path / "data", "push", tmp_path, at)
    assert (outcome.killed, outcome.problem) == (True, "")
