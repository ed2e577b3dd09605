"""Answers of a model, however it runs: the same bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.workspace import Workspace
from tashika.evaluate.engine.shards import plan, write_predictions
from tashika.evaluate.semrel.asked import Asked
from tashika.evaluate.semrel.plan import plan_runs
from tashika.evaluate.semrel.recipe import ProbeRecipe
from tashika.evaluate.systems import How
from tests.evaluate.semrel.world import write_answers


def _bytes(workspace: Workspace) -> dict[str, bytes]:
    """The answers of both models, and of people; removed, so that they are made anew."""
    files = sorted(workspace.evaluate.glob("*/answers.parquet"))
    found = {file.parent.name: file.read_bytes() for file in files}
    for file in files:
        file.unlink()
    return found


@pytest.mark.slow
def test_several_devices_write_the_same_bytes(
    workspace: Workspace, run: Callable[..., Any], masked: str, causal: str
) -> None:
    write_answers(workspace)
    models = ("--model", masked, "--model", causal)
    run(*models, "--device", "cpu")
    single = _bytes(workspace)
    run(*models, "--device", "cpu,cpu")
    assert len(single) == 3
    assert _bytes(workspace) == single


def test_ray_writes_the_same_bytes(
    workspace: Workspace, run: Callable[..., Any], masked: str, causal: str, ray: Any
) -> None:
    write_answers(workspace)
    models = ("--model", masked, "--model", causal)
    run(*models, "--device", "cpu")
    single = _bytes(workspace)
    run(*models, "--device", "cpu", "--engine", "ray")
    assert _bytes(workspace) == single


def test_a_recipe_can_be_sent_to_another_process(workspace: Workspace, masked: str) -> None:
    write_answers(workspace)
    [people, model] = plan_runs(workspace, [masked], How(device="cpu"), Asked(), None)
    sent: ProbeRecipe = pickle.loads(pickle.dumps(model.recipe()))
    assert len(sent) == 6
    assert sorted(sent.lengths) == [2, 2, 2, 2, 10, 10]  # k: people's lists, and the setting where nobody answered
    target = Path(workspace.root / "answers.parquet")
    count = write_predictions([sent.scorer()], plan(target, "k" * 64, len(sent), 4), target, sent.schema, "test")
    assert count == len(people.source.probes)
