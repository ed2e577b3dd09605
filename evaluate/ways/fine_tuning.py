"""Fine-tuning of a chooser: updates, early stopping on the validation split, and checkpoints that survive a kill.

On a CPU the same input gives the same bytes, whether or not the run was interrupted; on a GPU the sums of a backward
pass have no fixed order, so runs of one seed differ a little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import Field

from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, read_json
from tashika.core.models import model_revision, resolve_device, resolve_dtype
from tashika.core.progress import bar, say
from tashika.core.settings import Section
from tashika.evaluate.engine.batches import out_of_memory
from tashika.evaluate.ways.checkpoints import (
    TRAINING,
    WEIGHTS,
    Epoch,
    State,
    finish,
    finished_training,
    keep_weights_alone,
    load_weights,
    resume,
    save_checkpoint,
    save_weights,
)
from tashika.evaluate.ways.multiple_choice import (
    Chooser,
    Encoded,
    Places,
    encode,
    load_chooser,
    logits_of,
    loss_and_right,
    scored,
    shuffled,
)
from tashika.evaluate.ways.names import Show
from tashika.evaluate.ways.questions import Logits, Question, check_questions, log_softmax

_CLIP: Final = 1.0
_DECAY: Final = 0.01
_FORMAT: Final = 1


class FineTuneSettings(Section):
    """How an encoder is fine-tuned. The paper names none of these numbers; they are BERT's usual ones.

    Attributes:
        epochs: Times through the training split, at most.
        batch: Questions in an update.
        accumulate: Parts that an update's questions are computed in, for the sake of memory; the result is the same.
        learning_rate: At its highest.
        warmup: Share of all updates in which it rises; after them it falls to 0 in a line.
        patience: Epochs without a better validation accuracy after which training stops.
        dropout: Of the first token's state.
        seeds: Runs; each has other first weights of the linear layer, another order and another dropout.
        longest: Tokens of context and option, at most.
        dtype: `auto` is bf16 (autocast, weights in fp32) on a GPU and fp32 on a CPU.
        checkpoint: Updates between two checkpoints; there is one after each epoch too.
    """

    epochs: int = Field(10, ge=1)
    batch: int = Field(16, ge=1)
    accumulate: int = Field(1, ge=1)
    learning_rate: float = Field(2e-5, gt=0)
    warmup: float = Field(0.1, ge=0, lt=1)
    patience: int = Field(3, ge=1)
    dropout: float = Field(0.1, ge=0, lt=1)
    seeds: tuple[int, ...] = Field((0, 1, 2), min_length=1)
    longest: int = Field(128, ge=8)
    dtype: Literal["auto", "fp32", "bf16"] = "auto"
    checkpoint: int = Field(500, ge=1)


@dataclass(frozen=True)
class FineTuned:
    """A finished run.

    Attributes:
        model: As the user named it.
        revision: Of the model, see `core.models.model_revision`.
        folder: Where its weights are.
        seed: Of the run.
        show: What the model saw.
        history: The epochs.
        best: The epoch whose weights are kept, from 0.
        truncated: Questions of training and validation that lost a part of their context.
        too_long: Those that were left out.
        settings: How it was trained.
        device: Where.
    """

    model: str
    revision: str
    folder: Path
    seed: int
    show: Show
    history: tuple[Epoch, ...]
    best: int
    truncated: int
    too_long: int
    settings: FineTuneSettings
    device: str

    def plain(self) -> dict[str, Any]:
        """For JSON: the summary of the run in a report."""
        return {
            "seed": self.seed,
            "show": self.show,
            "best_epoch": self.best + 1,
            "epochs": [epoch._asdict() for epoch in self.history],
            "truncated": self.truncated,
            "too_long": self.too_long,
        }


@dataclass(frozen=True)
class Start:
    """The weights of a finished run, which another run begins with, or which are scored as they are.

    Attributes:
        folder: Of the finished run.
        name: What the folder is called.
        digest: Of the weights.
    """

    folder: Path
    name: str
    digest: str

    @classmethod
    def of(cls, folder: Path, model_name: str) -> Start:
        """The weights in a folder, for an encoder.

        Raises:
            InputError: There are none, the run is not over, or they are another encoder's.
        """
        weights, note_file = folder / WEIGHTS, folder / TRAINING
        missing = [file.name for file in (weights, note_file) if not file.is_file()]
        if missing:
            raise InputError(
                f"found no {missing[0]}, expected the folder of one finished training run",
                where=str(folder),
                hint="Such as evaluate/SYSTEM/training/both-0: a run with --keep-weights leaves it.",
            )
        note = read_json(note_file)
        tuned = note.get("model") if isinstance(note, dict) else None
        if isinstance(tuned, dict) and tuned.get("revision") != model_revision(model_name):
            raise InputError(
                f"these weights were tuned from {tuned.get('name')}, another encoder than {model_name}",
                where=str(folder),
                hint="Name the encoder that they were tuned from with --model.",
            )
        return cls(folder, folder.resolve().name, hash_file(weights))


def best_of(history: Sequence[Epoch]) -> int:
    """The epoch with the highest validation accuracy, of equal ones that with the lowest loss, then the first."""
    return min(range(len(history)), key=lambda place: (*_badness(history[place]), place))


def _badness(epoch: Epoch) -> tuple[float, float]:
    return -epoch.validation_accuracy, epoch.validation_loss


def is_over(history: Sequence[Epoch], settings: FineTuneSettings) -> bool:
    """Whether all epochs are done, or the last `patience` of them brought nothing better."""
    if len(history) >= settings.epochs:
        return True
    return bool(history) and len(history) - 1 - best_of(history) >= settings.patience


def fine_tune(  # noqa: PLR0913 - one argument a thing that a run depends on
    model_name: str,
    train: Sequence[Question],
    validation: Sequence[Question],
    settings: FineTuneSettings,
    folder: Path,
    *,
    seed: int,
    show: Show = "both",
    device: str = "auto",
    start: Start | None = None,
) -> FineTuned:
    """Fine-tunes an encoder once; a finished run is left as it is, and an interrupted one resumes.

    Args:
        model_name: The encoder's folder or name on the Hub.
        train: Questions to learn from.
        validation: Questions by which the best epoch is chosen.
        settings: How to train; `settings.seeds` is the caller's to go through.
        folder: Of this run alone: `weights.pt`, `training.json`, and while it runs `checkpoint.pt`.
        seed: Of this run.
        show: What the model sees.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        start: Weights of encoder and linear layer to begin with; None for the encoder's own and random ones.

    Raises:
        InputError: There are no questions, the model is no encoder, memory does not do, or the loss is no number.
    """
    import torch

    check_questions(train, validation)
    place = resolve_device(device)
    revision = model_revision(model_name)
    key = _key(revision, train, validation, settings, seed, show, start)
    done = finished_training(folder, key)
    with torch.random.fork_rng(devices=_cuda(place)):
        if done is None:
            chooser = load_chooser(model_name, device=place, longest=settings.longest, seed=seed)
            if start:
                load_weights(start.folder / WEIGHTS, chooser)
            run = _Run(chooser, encode(chooser, train, show), encode(chooser, validation, show), settings, seed, folder)
            done = _train(run, key, {"name": Path(model_name).name, "revision": revision})
    history = tuple(Epoch(*epoch) for epoch in done["history"])
    return FineTuned(
        model_name,
        revision,
        folder,
        seed,
        show,
        history,
        best_of(history),
        done["truncated"],
        done["too_long"],
        settings,
        place,
    )


def predict(tuned: FineTuned, questions: Sequence[Question]) -> tuple[Logits, Encoded]:
    """Asks a fine-tuned model.

    Args:
        tuned: A finished run.
        questions: What to ask; they are shown as in training.

    Returns:
        Logits (questions, options), NaN for a question that does not fit; and the questions as tokens, which show how
        many were truncated (`truncated`) or not asked (`too_long`).

    Raises:
        InputError: The run's weights are gone, or another model's.
    """
    import torch

    with torch.random.fork_rng(devices=_cuda(tuned.device)):
        chooser = load_chooser(tuned.model, device=tuned.device, longest=tuned.settings.longest, seed=tuned.seed)
    load_weights(tuned.folder / WEIGHTS, chooser)
    encoded = encode(chooser, questions, tuned.show)
    return scored(chooser, encoded, _asked_at_once(tuned.settings), _autocast(tuned.settings, tuned.device)), encoded


def untouched(
    start: Start, model_name: str, settings: FineTuneSettings, *, show: Show = "both", device: str = "auto"
) -> FineTuned:
    """A finished run as it is, to be asked questions that it has not learned from.

    Args:
        start: Its weights.
        model_name: The encoder that they were tuned from.
        settings: Which precision, and how many tokens.
        show: What the model sees.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
    """
    place, revision = resolve_device(device), model_revision(model_name)
    return FineTuned(model_name, revision, start.folder, 0, show, (), 0, 0, 0, settings, place)


def _cuda(device: str) -> list[str]:
    """The CUDA device that a run draws random numbers on, none for a CPU; the others are left to other runs."""
    return [device] if device.startswith("cuda") else []


def _key(
    revision: str,
    train: Sequence[Question],
    validation: Sequence[Question],
    settings: FineTuneSettings,
    seed: int,
    show: Show,
    start: Start | None,
) -> str:
    ways = settings.model_dump(mode="json", exclude={"seeds", "checkpoint"})
    questions = [[list(question) for question in part] for part in (train, validation)]
    return hash_value([_FORMAT, revision, questions, ways, seed, show, *([start.digest] if start else [])])


@dataclass(frozen=True)
class _Run:
    """What a run works with."""

    chooser: Chooser
    train: Encoded
    validation: Encoded
    settings: FineTuneSettings
    seed: int
    folder: Path

    def autocast(self) -> AbstractContextManager[Any]:
        """The precision that the model runs in."""
        return _autocast(self.settings, self.chooser.device)()


def _autocast(settings: FineTuneSettings, device: str) -> Callable[[], AbstractContextManager[Any]]:
    import torch

    if resolve_dtype(settings.dtype, device) == "fp32":
        return nullcontext
    return lambda: torch.autocast(torch.device(device).type, dtype=torch.bfloat16)


def _asked_at_once(settings: FineTuneSettings) -> int:
    return max(1, -(-settings.batch // settings.accumulate)) * 2  # without gradients there is room for more


def _train(run: _Run, key: str, model: Mapping[str, str]) -> dict[str, Any]:
    if not len(run.train.fitting) or not len(run.validation.fitting):
        raise InputError(
            f"no question fits into {run.chooser.longest} tokens", hint="Raise `longest`, or take another model."
        )
    state = _start(run)
    resume(run.folder, run.chooser, state, key)
    updates = len(shuffled(run.train, run.settings.batch, (run.seed, 0)))
    with bar(f"{run.folder.name}: updates", run.settings.epochs * updates) as advance:
        advance(len(state.history) * updates + state.update)
        while not is_over(state.history, run.settings):
            _epoch(run, state, key, advance)
    return _finish(run, state, key, model)


def _start(run: _Run) -> State:
    import torch

    torch.manual_seed(run.seed)
    plain: list[Any] = []
    decayed: list[Any] = []
    for weight in run.chooser.modules.parameters():
        (decayed if weight.dim() > 1 else plain).append(weight)
    groups = [{"params": decayed, "weight_decay": _DECAY}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=run.settings.learning_rate)
    total = run.settings.epochs * -(-len(run.train.fitting) // run.settings.batch)
    return State(optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, _pace(total, run.settings.warmup)), [])


def _pace(total: int, warmup: float) -> Callable[[int], float]:
    """The share of the highest learning rate at each update: up in a line, then down to 0 in a line."""
    rising = int(total * warmup)

    def share(update: int) -> float:
        if update < rising:
            return (update + 1) / (rising + 1)
        return max(0.0, (total - update) / max(1, total - rising))

    return share


def _epoch(run: _Run, state: State, key: str, advance: Callable[[int], None]) -> None:
    """The rest of the running epoch, its validation, and the checkpoint behind it."""
    number = len(state.history)
    batches = shuffled(run.train, run.settings.batch, (run.seed, number))
    run.chooser.modules.train()
    try:
        for places in batches[state.update :]:
            _update(run, state, places)
            advance(1)
            if state.update % run.settings.checkpoint == 0 and state.update < len(batches):
                save_checkpoint(run.folder, run.chooser, state, key)
        logits = scored(run.chooser, run.validation, _asked_at_once(run.settings), run.autocast)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        hint = f"Raise `accumulate` (now {run.settings.accumulate}): an update is then computed in smaller parts."
        raise InputError("the model does not fit into memory with this batch", hint=hint) from error
    count = len(run.train.fitting)
    loss, accuracy = loss_and_accuracy(logits, run.validation.answers)
    state.history.append(Epoch(state.loss / count, state.right / count, loss, accuracy))
    state.update, state.loss, state.right = 0, 0.0, 0
    best = best_of(state.history)
    if best == number:
        save_weights(run.folder, run.chooser, number)
    save_checkpoint(run.folder, run.chooser, state, key)
    keep_weights_alone(run.folder, best)
    last = state.history[-1]
    say(
        f"{run.folder.name}: epoch {number + 1}: loss {last.loss:.3f}, accuracy {last.accuracy:.3f}; "
        f"validation {last.validation_loss:.3f}, {last.validation_accuracy:.3f}"
    )


def loss_and_accuracy(logits: Logits, answers: Places) -> tuple[float, float]:
    """Mean cross-entropy (nats) and accuracy of the questions that have logits."""
    asked = np.isfinite(logits).all(axis=1)
    if not asked.any():
        return float("nan"), float("nan")
    known, right = logits[asked], answers[asked]
    loss = -log_softmax(known)[np.arange(len(right)), right].mean()
    return float(loss), float((known.argmax(axis=1) == right).mean())


def _update(run: _Run, state: State, places: Places) -> None:
    """One update; its questions in `accumulate` parts, whose gradients add up to those of the whole."""
    import torch

    state.optimizer.zero_grad(set_to_none=True)
    size = max(1, -(-run.settings.batch // run.settings.accumulate))
    for start in range(0, len(places), size):
        part = places[start : start + size]
        with run.autocast():
            logits = logits_of(run.chooser, run.train, part, run.settings.dropout)
        loss, right = loss_and_right(logits, run.train.answers[part])
        (loss / len(places)).backward()  # type: ignore[no-untyped-call]
        state.loss += float(loss.detach())
        state.right += right
    if not np.isfinite(state.loss):
        raise InputError(
            f"the loss is no number in epoch {len(state.history) + 1}", hint="Lower `learning_rate`, or use fp32."
        )
    torch.nn.utils.clip_grad_norm_(run.chooser.modules.parameters(), _CLIP)
    state.optimizer.step()
    state.schedule.step()
    state.update += 1


def _finish(run: _Run, state: State, key: str, model: Mapping[str, str]) -> dict[str, Any]:
    done = {
        "key": key,
        "model": dict(model),
        "history": [list(epoch) for epoch in state.history],
        "truncated": run.train.truncated + run.validation.truncated,
        "too_long": run.train.too_long + run.validation.too_long,
        "settings": run.settings.model_dump(mode="json"),
    }
    finish(run.folder, best_of(state.history), done)
    return done
