"""Questions and training runs on several devices and on a Ray cluster: the same bytes as one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.evaluate.engine.shards import Shard, write_shard
from tashika.evaluate.kuci import recipe as kuci_recipe
from tashika.evaluate.kuci.questions import read_release
from tashika.evaluate.kuci.recipe import Trainer, TrainingRun, training_note
from tashika.evaluate.kuci.run import Run, evaluate_system, parts_of, training_recipe
from tashika.evaluate.kuci.settings import EvaluateSettings, Way
from tashika.evaluate.systems import How, System
from tashika.evaluate.ways import fine_tuning
from tests.evaluate.kuci.toys import a_workspace

TRAINING = {"epochs": 1, "batch": 2, "seeds": [0, 1], "checkpoint": 1, "dropout": 0.5}
SETTINGS = EvaluateSettings.model_validate({"training": TRAINING, "resamples": 20})
HERE = How("cpu")
FINE_TUNED = Way("fine-tuned")
ZERO_SHOT = Way("zero-shot", norm="character")


def a_run(folder: Path, model: str | Path, way: Way, how: How = HERE) -> Run:
    """A run on two sets, in a working directory of its own."""
    workspace = a_workspace(folder)
    system = System.local(str(model), how, workspace)
    release = read_release(workspace.release)
    return Run.of(workspace, release, system, way, SETTINGS, ["both", "without_length"])


def files_of(run: Run) -> dict[str, bytes]:
    """What a run leaves, without the times in its manifests."""
    files = [path for path in run.folder.rglob("*") if path.is_file() and not path.name.endswith(".manifest.json")]
    return {path.relative_to(run.folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two questions in a shard."""
    monkeypatch.setattr(kuci_recipe, "SHARD_QUESTIONS", 2)


@pytest.mark.slow
@pytest.mark.usefixtures("few_questions")
def test_a_causal_model_on_two_devices_writes_the_same_bytes(tmp_path: Path, tiny_model: Callable[[str], str]) -> None:
    alone = a_run(tmp_path / "one", tiny_model("gpt2"), ZERO_SHOT)
    both = a_run(tmp_path / "two", tiny_model("gpt2"), ZERO_SHOT, How("cpu,cpu"))
    metrics = evaluate_system(alone)
    assert evaluate_system(both) == metrics
    assert files_of(both) == files_of(alone)
    assert set(metrics.sets) == {"both", "without_length"}


@pytest.mark.usefixtures("few_questions", "ray")
def test_two_devices_and_ray_write_the_same_bytes(
    tmp_path: Path, toy_encoder: Path, tiny_model: Callable[[str], str]
) -> None:
    for model, way in ((toy_encoder, FINE_TUNED), (tiny_model("gpt2"), ZERO_SHOT)):
        alone = a_run(tmp_path / way.how / "one", model, way)
        metrics = evaluate_system(alone)
        for how in (How("cpu,cpu"), How("cpu", engine="ray")):
            other = a_run(tmp_path / way.how / f"{how.device}-{how.engine}", model, way, how)
            assert evaluate_system(other) == metrics
            assert files_of(other) == files_of(alone)
        assert [(note.set, note.seed) for note in metrics.training] == (
            [("both", 0), ("both", 1), ("without_length", 0), ("without_length", 1)] if way == FINE_TUNED else []
        )


class KilledError(BaseException):
    """As sudden as a kill: no handler of errors sees it."""


@pytest.mark.slow
def test_a_killed_training_run_resumes_from_its_checkpoint(
    tmp_path: Path, toy_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = a_run(tmp_path / "whole", toy_encoder, FINE_TUNED)
    evaluate_system(whole)
    killed = a_run(tmp_path / "killed", toy_encoder, FINE_TUNED)
    update = fine_tuning._update
    done: list[Any] = []

    def update_or_die(*arguments: Any) -> None:
        if len(done) == 3:  # two updates make a run: in the middle of the second
            raise KilledError
        done.append(1)
        update(*arguments)

    monkeypatch.setattr(fine_tuning, "_update", update_or_die)
    with pytest.raises(KilledError):
        evaluate_system(killed)
    assert not list(killed.folder.glob("parts/*.parquet"))
    [checkpoint] = killed.folder.glob("training/*/checkpoint.pt")
    assert checkpoint.parent.name == "both-1"

    resumed: list[int] = []
    monkeypatch.setattr(fine_tuning, "_update", lambda *arguments: (resumed.append(1), update(*arguments)))
    evaluate_system(killed)
    assert len(resumed) == 8 - 3  # of both sets and seeds, none twice
    assert files_of(killed) == files_of(whole)


def test_a_trained_shard_carries_what_its_training_noted(tmp_path: Path, toy_encoder: Path) -> None:
    run = a_run(tmp_path, toy_encoder, FINE_TUNED)
    recipe = training_recipe(run, parts_of(run))
    trainer = recipe.scorer("cpu")
    second = trainer.prepare(1, 2)
    assert second == TrainingRun("both", 1)
    shard = Shard(tmp_path / "shard.parquet", 1, 2)
    write_shard(shard, trainer.table(second, trainer.run(second)))
    note = training_note(pq.read_table(shard.path))
    assert note is not None
    assert (note["seed"], note["show"], len(note["epochs"])) == (1, "both", 1)


def test_weights_stay_where_they_are_to_be_kept(tmp_path: Path, toy_encoder: Path) -> None:
    run = a_run(tmp_path, toy_encoder, FINE_TUNED)
    recipe = training_recipe(run, parts_of(run))
    for keep in (True, False):
        Trainer(replace(recipe, keep_weights=keep), "cpu").run(TrainingRun("both", 0))
        assert (recipe.folder / "both-0" / "weights.pt").exists() == keep


@pytest.mark.slow
def test_an_error_in_one_of_several_training_processes_is_the_users_to_read(
    tmp_path: Path, tiny_model: Callable[[str], str]
) -> None:
    with pytest.raises(InputError, match="this is a causal model, and an encoder is fine-tuned"):
        evaluate_system(a_run(tmp_path, tiny_model("gpt2"), FINE_TUNED, How("cpu,cpu")))
