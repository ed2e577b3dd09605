"""What a fine-tuning leaves on disk: checkpoints to resume from, the best weights, and the note that it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from tashika.core.errors import InputError
from tashika.core.files import read_json, remove_leftovers, replacing, write_json
from tashika.core.pretrained import quiet, reason
from tashika.core.progress import say
from tashika.evaluate.ways.multiple_choice import Chooser

WEIGHTS: Final = "weights.pt"
_CHECKPOINT: Final = "checkpoint.pt"
TRAINING: Final = "training.json"
"""The note that a run is over."""
_AGAIN: Final = "Remove the folder and fine-tune again."


class Epoch(NamedTuple):
    """What an epoch came to.

    Attributes:
        loss: Mean cross-entropy in training (nats), while the weights changed.
        accuracy: In training, as the loss.
        validation_loss: Mean cross-entropy after it.
        validation_accuracy: After it.
    """

    loss: float
    accuracy: float
    validation_loss: float
    validation_accuracy: float


@dataclass
class State:
    """How far a run is.

    Attributes:
        optimizer: With its moments.
        schedule: Of the learning rate.
        history: Epochs that are over.
        update: Updates of the running epoch that are done.
        loss: Their sum over questions.
        right: Right choices among them.
    """

    optimizer: Any
    schedule: Any
    history: list[Epoch]
    update: int = 0
    loss: float = 0.0
    right: int = 0


def finished_training(folder: Path, key: str) -> dict[str, Any] | None:
    """The note of a run that is over; None where there is none of the same run with its weights beside it."""
    try:
        training = read_json(folder / TRAINING)
    except InputError:
        return None
    whole = isinstance(training, dict) and training.get("key") == key and (folder / WEIGHTS).is_file()
    if whole:
        say(f"{folder.name}: nothing to do, it was fine-tuned before")
    return training if whole else None


def save_checkpoint(folder: Path, chooser: Chooser, state: State, key: str) -> None:
    """Writes all that a run needs to resume as if it had not been interrupted."""
    import torch

    cuda = chooser.device.startswith("cuda")
    _save(
        folder / _CHECKPOINT,
        {
            "key": key,
            "modules": chooser.modules.state_dict(),
            "optimizer": state.optimizer.state_dict(),
            "schedule": state.schedule.state_dict(),
            "history": [list(epoch) for epoch in state.history],
            "progress": [state.update, state.loss, state.right],
            "generator": torch.get_rng_state(),
            "cuda_generator": torch.cuda.get_rng_state(chooser.device) if cuda else None,
        },
    )


def resume(folder: Path, chooser: Chooser, state: State, key: str) -> None:
    """Goes on from the checkpoint of the same run; one of another run is of no use and makes room."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    for name in (_CHECKPOINT, WEIGHTS, TRAINING):
        remove_leftovers(folder / name)
    file = folder / _CHECKPOINT
    checkpoint: Any = _load(file, chooser.device) if file.is_file() else None
    if not isinstance(checkpoint, dict) or checkpoint.get("key") != key:
        for old in (*folder.glob("*.pt"), folder / TRAINING):
            old.unlink(missing_ok=True)
        return
    chooser.modules.load_state_dict(checkpoint["modules"])
    state.optimizer.load_state_dict(checkpoint["optimizer"])
    state.schedule.load_state_dict(checkpoint["schedule"])
    state.history = [Epoch(*epoch) for epoch in checkpoint["history"]]
    state.update, state.loss, state.right = checkpoint["progress"]
    torch.set_rng_state(checkpoint["generator"].cpu())
    if checkpoint["cuda_generator"] is not None and chooser.device.startswith("cuda"):
        torch.cuda.set_rng_state(checkpoint["cuda_generator"].cpu(), chooser.device)
    say(f"{folder.name}: resuming in epoch {len(state.history) + 1}, after {state.update:,} of its updates")


def save_weights(folder: Path, chooser: Chooser, epoch: int) -> None:
    """Writes the weights behind an epoch."""
    _save(_weights_of(folder, epoch), chooser.modules.state_dict())


def keep_weights_alone(folder: Path, epoch: int) -> None:
    """Removes the weights of all other epochs."""
    for old in folder.glob("weights-*.pt"):
        if old != _weights_of(folder, epoch):
            old.unlink()


def finish(folder: Path, epoch: int, note: Mapping[str, Any]) -> None:
    """Keeps the weights of an epoch alone; the note of the run comes last, and vouches for them."""
    best = _weights_of(folder, epoch)
    if best.is_file():
        best.replace(folder / WEIGHTS)
    write_json(folder / TRAINING, note)
    (folder / _CHECKPOINT).unlink(missing_ok=True)


def _weights_of(folder: Path, epoch: int) -> Path:
    return folder / f"weights-{epoch:03d}.pt"


def _save(path: Path, value: Any) -> None:
    import torch

    with replacing(path) as temporary:
        torch.save(value, temporary)


def load_weights(path: Path, chooser: Chooser) -> None:
    """Gives a model the weights of a finished run.

    Raises:
        InputError: They cannot be read, or are another model's.
    """
    weights = _load(path, chooser.device)
    try:
        chooser.modules.load_state_dict(weights)
    except (RuntimeError, TypeError, AttributeError) as error:
        raise InputError("the weights are not this model's", where=str(path), hint=_AGAIN) from error


def _load(path: Path, device: str) -> Any:
    """What `torch.save` wrote; nothing but tensors and plain values, so that no file can run code.

    Raises:
        InputError: It cannot be read.
    """
    import torch

    try:
        with quiet():
            return torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # a broken file can lead torch to any
        raise InputError(f"the weights cannot be read: {reason(error)}", where=str(path), hint=_AGAIN) from error
