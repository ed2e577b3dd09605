from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError
from tashika.evaluate.ways import fine_tuning
from tashika.evaluate.ways.checkpoints import Epoch, save_checkpoint
from tashika.evaluate.ways.fine_tuning import FineTuned, FineTuneSettings, best_of, fine_tune, is_over, predict
from tashika.evaluate.ways.questions import Question
from tests.hostile import PICKLE_PROTOCOLS, Trap

CONTEXTS = {"雨が降ったので": "傘をさす", "眠いので": "寝る", "楽しいので": "笑う", "急いだので": "走る"}
FAST = FineTuneSettings(epochs=4, batch=8, learning_rate=3e-3, patience=30, dropout=0.0, warmup=0.1, longest=40)


def separable(count: int, seed: int) -> list[Question]:
    """Each context has its own answer among the same four options, so options alone say nothing."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(count):
        context = str(generator.choice(list(CONTEXTS)))
        options = generator.permutation(list(CONTEXTS.values())).tolist()
        made.append(Question(f"q{number}", context, tuple(options), options.index(CONTEXTS[context])))
    return made


def tune(model: Path, folder: Path, settings: FineTuneSettings = FAST, **how: Any) -> FineTuned:
    return fine_tune(
        str(model), separable(48, 0), separable(16, 1), settings, folder, **{"seed": 0, "device": "cpu", **how}
    )


@pytest.fixture(scope="module")
def tuned(toy_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> FineTuned:
    return tune(toy_encoder, tmp_path_factory.mktemp("run"))


def test_a_finished_run_keeps_the_weights_that_its_best_epoch_was_measured_with(tuned: FineTuned) -> None:
    assert len(tuned.history) == FAST.epochs
    validation = separable(16, 1)
    logits, _ = predict(tuned, validation)
    found = fine_tuning.loss_and_accuracy(logits, np.asarray([one.answer for one in validation]))
    best = tuned.history[tuned.best]
    assert found == pytest.approx((best.validation_loss, best.validation_accuracy), abs=1e-5)
    assert sorted(path.name for path in tuned.folder.iterdir()) == ["training.json", "weights.pt"]


def test_a_small_update_goes_downhill(toy_encoder: Path, tmp_path: Path) -> None:
    asked = separable(48, 0)
    once = FAST.model_copy(update={"epochs": 1, "batch": 48, "learning_rate": 1e-3, "warmup": 0.0})
    [only] = fine_tune(str(toy_encoder), asked, asked, once, tmp_path, seed=0, device="cpu").history
    assert only.validation_loss < only.loss  # behind the one update, and before it


def test_options_alone_do_not_tell_contexts_apart(toy_encoder: Path, tmp_path: Path) -> None:
    blind = tune(toy_encoder, tmp_path, FAST.model_copy(update={"epochs": 3}), show="options")
    asked = separable(40, 2)
    logits, _ = predict(blind, asked)
    order = np.asarray([np.argsort(one.options) for one in asked])
    by_option = np.take_along_axis(logits, order, axis=1)
    assert by_option == pytest.approx(np.broadcast_to(by_option[0], by_option.shape), abs=1e-4)


def test_two_runs_give_the_same_bytes(toy_encoder: Path, tuned: FineTuned, tmp_path: Path) -> None:
    again = tune(toy_encoder, tmp_path)
    asked = separable(20, 3)
    assert predict(again, asked)[0].tobytes() == predict(tuned, asked)[0].tobytes()
    assert again.history == tuned.history


def test_another_seed_is_another_run(toy_encoder: Path, tmp_path: Path) -> None:
    few = FAST.model_copy(update={"epochs": 1})
    runs = [tune(toy_encoder, tmp_path / f"seed-{seed}", few, seed=seed) for seed in (0, 1)]
    assert [run.seed for run in runs] == [0, 1]
    assert runs[0].history != runs[1].history


def test_a_finished_run_is_left_as_it_is(toy_encoder: Path, tuned: FineTuned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fine_tuning, "_train", lambda *_: pytest.fail("trained again"))
    assert tune(toy_encoder, tuned.folder).history == tuned.history


class KilledError(BaseException):
    """As sudden as a kill: no handler of errors sees it."""


@pytest.mark.parametrize("updates", [3, 8, 13])  # within the first epoch of 6, within and at the end of others
def test_a_killed_run_goes_on_to_the_same_end(
    toy_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, updates: int
) -> None:
    settings = FAST.model_copy(update={"epochs": 4, "dropout": 0.3, "checkpoint": 2})
    whole = tune(toy_encoder, tmp_path / "whole", settings)
    real, done = fine_tuning._update, 0

    def until_killed(*arguments: Any) -> None:
        nonlocal done
        if done == updates:
            raise KilledError
        done += 1
        real(*arguments)

    monkeypatch.setattr(fine_tuning, "_update", until_killed)
    with pytest.raises(KilledError):
        tune(toy_encoder, tmp_path / "killed", settings)
    counted = []
    monkeypatch.setattr(fine_tuning, "_update", lambda *arguments: (counted.append(1), real(*arguments)))
    resumed = tune(toy_encoder, tmp_path / "killed", settings)
    assert len(counted) == 24 - updates + updates % 2 * (updates % 6 != 0)  # a checkpoint every two updates
    asked = separable(20, 3)
    assert resumed.history == whole.history
    assert predict(resumed, asked)[0].tobytes() == predict(whole, asked)[0].tobytes()


def test_a_checkpoint_of_another_run_is_not_used(toy_encoder: Path, tmp_path: Path) -> None:
    few = FAST.model_copy(update={"epochs": 1})
    first = tune(toy_encoder, tmp_path / "a", few)
    other = tune(toy_encoder, tmp_path / "a", few, show="options")
    assert other.history != first.history
    assert other.history == tune(toy_encoder, tmp_path / "b", few, show="options").history


def test_accumulated_gradients_are_those_of_the_whole_batch(toy_encoder: Path, tmp_path: Path) -> None:
    few = FAST.model_copy(update={"epochs": 2, "learning_rate": 1e-4})
    asked = separable(20, 3)
    whole = tune(toy_encoder, tmp_path / "whole", few)
    parts = tune(toy_encoder, tmp_path / "parts", few.model_copy(update={"accumulate": 3}))
    assert [one.loss for one in parts.history] == pytest.approx([one.loss for one in whole.history], abs=1e-4)
    assert predict(parts, asked)[0] == pytest.approx(predict(whole, asked)[0], abs=2e-3)


def test_bf16_computes_in_bf16_and_keeps_its_weights_in_fp32(toy_encoder: Path, tmp_path: Path) -> None:
    lower = tune(toy_encoder, tmp_path, FAST.model_copy(update={"epochs": 1, "dtype": "bf16"}))
    logits = torch.from_numpy(predict(lower, separable(20, 3))[0])
    assert bool((logits.bfloat16().float() == logits).all())
    kept = torch.load(tmp_path / "weights.pt", weights_only=True)
    assert {weight.dtype for weight in kept.values() if weight.is_floating_point()} == {torch.float32}


def epochs(*scores: tuple[float, float]) -> list[Epoch]:
    return [Epoch(1.0, 0.5, loss, accuracy) for accuracy, loss in scores]


def test_the_best_epoch_has_the_highest_accuracy_then_the_lowest_loss() -> None:
    assert best_of(epochs((0.5, 1.0), (0.7, 0.9), (0.6, 0.1))) == 1
    assert best_of(epochs((0.5, 1.0), (0.7, 0.9), (0.7, 0.8), (0.7, 0.8))) == 2


def test_training_stops_when_patience_is_over() -> None:
    settings = FAST.model_copy(update={"patience": 2, "epochs": 9})
    history = epochs((0.5, 1.0), (0.7, 0.9), (0.6, 0.1), (0.7, 0.9))
    assert [is_over(history[:count], settings) for count in range(5)] == [False, False, False, False, True]
    assert is_over(history[:2], settings.model_copy(update={"epochs": 2}))


def test_the_kept_weights_are_those_of_the_best_epoch(
    toy_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = iter([(1.0, 0.2), (0.9, 0.6), (1.1, 0.4), (1.2, 0.3), (0.0, 1.0)])
    states = []
    monkeypatch.setattr(fine_tuning, "loss_and_accuracy", lambda *_: next(given))
    real = save_checkpoint
    monkeypatch.setattr(
        fine_tuning,
        "save_checkpoint",
        lambda folder, chooser, state, key: (
            states.append(chooser.modules["head"].weight.detach().clone()),
            real(folder, chooser, state, key),
        ),
    )
    settings = FAST.model_copy(update={"patience": 2})
    found = tune(toy_encoder, tmp_path, settings)
    assert (found.best, len(found.history)) == (1, 4)
    kept = torch.load(tmp_path / "weights.pt", weights_only=True)["head.weight"]
    assert bool((kept == states[1]).all())


def test_measured_by_hand() -> None:
    logits = np.asarray([[0, 0, 0, 0], [np.log(3), 0, 0, -np.inf], [np.nan] * 4], dtype=np.float32)
    logits[1, 3] = -1e9
    loss, right = fine_tuning.loss_and_accuracy(logits, np.asarray([0, 0, 1]))
    assert loss == pytest.approx((np.log(4) + np.log(5 / 3)) / 2)
    assert right == 1.0


def test_the_learning_rate_rises_and_falls() -> None:
    pace = fine_tuning._pace(10, 0.2)
    assert [round(pace(update), 3) for update in range(11)] == [
        0.333, 0.667, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0,
    ]  # fmt: skip


def test_bad_input(toy_encoder: Path, tmp_path: Path, tuned: FineTuned) -> None:
    some = separable(4, 0)
    with pytest.raises(InputError, match="no training questions"):
        fine_tune(str(toy_encoder), [], some, FAST, tmp_path, seed=0)
    with pytest.raises(InputError, match="different numbers"):
        fine_tune(str(toy_encoder), some, [some[0]._replace(options=("あ",))], FAST, tmp_path, seed=0)
    long = [one._replace(options=("長" * 60, "あ", "い", "う")) for one in some]
    with pytest.raises(InputError, match="no question fits"):
        fine_tune(str(toy_encoder), long, some, FAST, tmp_path, seed=0)
    with pytest.raises(InputError, match="no number"):
        fine_tune(
            str(toy_encoder), some, some, FAST.model_copy(update={"learning_rate": 1e30}), tmp_path / "nan", seed=0
        )


@pytest.mark.parametrize(
    "content",
    [b"", b"no weights at all", pickle.dumps({"weights": print}, protocol=2), None],
    ids=["empty", "text", "code", "cut short"],
)
def test_weights_that_cannot_be_read(tmp_path: Path, tuned: FineTuned, content: bytes | None) -> None:
    whole = (tuned.folder / "weights.pt").read_bytes()
    (tmp_path / "weights.pt").write_bytes(whole[:100] if content is None else content)
    with pytest.raises(InputError, match="cannot be read"):
        predict(replace(tuned, folder=tmp_path), separable(4, 0))


@pytest.mark.parametrize("protocol", PICKLE_PROTOCOLS)
def test_code_in_weights_or_a_checkpoint_does_not_run(
    tmp_path: Path, tuned: FineTuned, toy_encoder: Path, trap: Trap, protocol: int
) -> None:
    for name in ("weights.pt", "checkpoint.pt"):
        (tmp_path / name).write_bytes(trap.pickled(protocol))
    some = separable(4, 0)
    with pytest.raises(InputError, match=r"weights\.pt: the weights cannot be read: they are broken, or a pickle"):
        predict(replace(tuned, folder=tmp_path), some)
    with pytest.raises(InputError, match=r"checkpoint\.pt: the weights cannot be read: they are broken, or a pickle"):
        fine_tune(str(toy_encoder), some, some, FAST, tmp_path, seed=0)
    trap.assert_silent()


def test_weights_of_another_model(tmp_path: Path, tuned: FineTuned) -> None:
    import torch

    torch.save({"head.weight": torch.zeros(1, 3)}, tmp_path / "weights.pt")
    with pytest.raises(InputError, match="not this model's"):
        predict(replace(tuned, folder=tmp_path), separable(4, 0))
