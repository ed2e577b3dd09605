"""A masked model that is fine-tuned on one part of a release, stopped by another, and asked about a third.

Each option, or the words of each label, is read behind the question, and a linear layer scores the pair.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.errors import InputError
from tashika.evaluate.custom.predictions import PREDICTIONS, chosen, prediction_table
from tashika.evaluate.custom.prompts import Asked
from tashika.evaluate.custom.questions import CustomRelease, Item
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.model import PROBLEMS, TOO_LONG
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.systems import System
from tashika.evaluate.ways.fine_tuning import FineTuneSettings, fine_tune, predict
from tashika.evaluate.ways.questions import Logits, Question, log_softmax


def questions_of(items: Sequence[Item]) -> tuple[Question, ...]:
    """Items as pairs of a question and its options."""
    found = []
    for item in items:
        assert item.target.place is not None
        found.append(Question(item.item_id, item.prompt, item.target.options, item.target.place))
    return tuple(found)


def training_settings(form: EvaluateForm, system: System) -> FineTuneSettings:
    """How the model is fine-tuned."""
    return FineTuneSettings.model_validate(
        {
            "epochs": form.epochs,
            "learning_rate": form.learning_rate,
            "seeds": (form.seed,),
            "dtype": system.how.dtype,
        }
    )


def require_trainable(system: System, release: CustomRelease) -> None:
    """Refuses what cannot be fine-tuned.

    Raises:
        InputError: The precision is fp16, or items have different numbers of options.
    """
    if system.how.dtype == "fp16":
        raise InputError("an encoder is fine-tuned in fp32 or bf16, found fp16", hint="Leave --dtype away.")
    counts = sorted({len(item.target.options) for part in (release.items, *release.training) for item in part})
    if len(counts) > 1:
        raise InputError(
            f"items have {', '.join(map(str, counts))} options, and a model is fine-tuned on one number of them",
            where=str(release.file),
            hint="Score a causal model, or leave the others out of the items.",
        )


@dataclass(frozen=True)
class TunedRecipe(Recipe):
    """An encoder and its one training run.

    Attributes:
        rows: What is asked.
        questions: The same, as the encoder reads them.
        train: What it learns from.
        validation: What it is stopped by.
        training: How it is trained.
        folder: Where checkpoints and weights lie until it has answered.
    """

    own_process: ClassVar[bool] = True
    rows: Sequence[Asked] = field(repr=False)
    questions: tuple[Question, ...] = field(repr=False)
    train: tuple[Question, ...] = field(repr=False)
    validation: tuple[Question, ...] = field(repr=False)
    training: FineTuneSettings
    folder: Path

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """The one run; a kill loses no more than the updates since its last checkpoint."""
        return 1

    def __len__(self) -> int:
        return 1

    def make(self, device: str) -> Tuner:
        """A tuner, which loads the encoder when it runs."""
        return Tuner(self, device)


@dataclass(frozen=True)
class Tuner:
    """Trains an encoder and has it answer; see `engine.recipe.Scorer`."""

    recipe: TunedRecipe
    device: str

    def prepare(self, start: int, stop: int) -> Sequence[Asked]:
        """All questions."""
        del start, stop
        return self.recipe.rows

    def run(self, prepared: Sequence[Asked], advance: Advance = lambda _: None) -> Logits:
        """Trains, or resumes from the last checkpoint, and answers."""
        del prepared
        recipe = self.recipe
        [seed] = recipe.training.seeds
        tuned = fine_tune(
            recipe.name,
            recipe.train,
            recipe.validation,
            recipe.training,
            recipe.folder,
            seed=seed,
            device=self.device,
        )
        logits, _ = predict(tuned, recipe.questions)
        shutil.rmtree(recipe.folder, ignore_errors=True)
        free_memory()
        advance(1)
        return logits

    def table(self, prepared: Sequence[Asked], result: Logits) -> pa.Table:
        """The predictions of all questions."""
        found = []
        for row, logits in zip(prepared, result, strict=True):
            if not np.isfinite(logits).all():
                found.append(chosen(row, None, PROBLEMS[TOO_LONG]))
            else:
                found.append(chosen(row, int(np.argmax(logits)), scores=log_softmax(logits).tolist()))
        return prediction_table(prepared, found)
