"""How scorers of KUCI's questions are made: a causal model as it is, or an encoder that is trained first.

The unit of a causal model's work is a question, that of an encoder's a training run: one set with one seed, from the
first update to its choices on the test part.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import pyarrow as pa

from tashika.core.models import load_model
from tashika.core.suites.kuci.words import Conditions, Split
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.engine.shards import CUDA_TIMES
from tashika.evaluate.kuci.predictions import PREDICTIONS, scored_table
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.kuci.settings import PromptFormat
from tashika.evaluate.ways.fine_tuning import FineTuneSettings, Start, fine_tune, predict, untouched
from tashika.evaluate.ways.names import Norm, Show
from tashika.evaluate.ways.options import OptionScore, normalised, score_options
from tashika.evaluate.ways.questions import Logits, Question

SHARD_QUESTIONS: Final = 500
"""Questions in a shard of a causal model on a CPU."""

_NOTE: Final = b"tashika.training"
"""Where the schema of a shard holds what its training run noted."""


# --- a causal model ---


class Asked(NamedTuple):
    """A question of a set."""

    conditions: Conditions
    question: KuciQuestion


@dataclass(frozen=True)
class LikelihoodRecipe(Recipe):
    """A causal model and the questions whose options it scores.

    Attributes:
        questions: Those of each set together.
        split: The part of the release that they are from.
        format: What the model reads.
        norm: What the likelihood of an option is divided by.
        show: What the model sees: the options behind their context, or alone.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """

    questions: tuple[Asked, ...]
    split: Split
    format: PromptFormat
    norm: Norm
    show: Show = "both"
    batch_tokens: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """A CUDA device takes a tenth of the time for a question."""
        return SHARD_QUESTIONS * (CUDA_TIMES if self.device.startswith("cuda") else 1)

    def __len__(self) -> int:
        return len(self.questions)

    def make(self, device: str) -> LikelihoodScorer:
        """Loads the model."""
        model = CausalModel(load_model(self.name, device=device, dtype=self.dtype), self.batch_tokens)
        return LikelihoodScorer(self, model)


@dataclass(frozen=True)
class LikelihoodScorer:
    """A causal model that is ready to score options.

    Attributes:
        recipe: The questions, and how they are asked.
        model: The model.
    """

    recipe: LikelihoodRecipe
    model: CausalModel

    def prepare(self, start: int, stop: int) -> Sequence[Asked]:
        """The questions of a stretch; they are of one set."""
        return self.recipe.questions[start:stop]

    def run(self, prepared: Sequence[Asked], advance: Advance = lambda _: None) -> list[list[OptionScore]]:
        """The scores of each question's options."""
        choices = [self.recipe.format.choice(asked.question, self.recipe.show) for asked in prepared]
        return score_options(self.model, choices, before_option="", advance=advance)

    def table(self, prepared: Sequence[Asked], result: Sequence[Sequence[OptionScore]]) -> pa.Table:
        """The predictions of a stretch."""
        scores = [[normalised(score, self.recipe.norm) for score in row] for row in result]
        reasons = [next((score.problem for score in row if score.problem), "no likelihood") for row in result]
        return scored_table(
            [asked.question.asked for asked in prepared],
            np.array(scores),
            split=self.recipe.split,
            conditions=prepared[0].conditions,
            seed=0,
            problems=reasons,
        )


# --- an encoder that is fine-tuned ---


class TrainingRun(NamedTuple):
    """One training of an encoder: the set whose training part it learns from, and its seed."""

    conditions: Conditions
    seed: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.conditions}-{self.seed}"


class Parts(NamedTuple):
    """The questions of a set as a model sees them."""

    train: Sequence[Question]
    validation: Sequence[Question]
    test: Sequence[Question]


@dataclass(frozen=True)
class TrainingRecipe(Recipe):
    """An encoder and its training runs.

    Attributes:
        runs: What is trained.
        sets: The questions of their sets.
        training: How it is trained.
        show: What the model sees of a question.
        folder: Where a run keeps checkpoints and weights, in a folder of its own name, on the machine that trains.
        keep_weights: Whether the weights stay when the run is over: they are large, and there may be many runs.
        start: Weights to begin with; on a cluster they lie at this place on every machine.
        untouched: Whether these are scored as they are, and nothing is trained.
    """

    own_process: ClassVar[bool] = True
    runs: tuple[TrainingRun, ...]
    sets: Mapping[Conditions, Parts]
    training: FineTuneSettings
    show: Show
    folder: Path
    keep_weights: bool
    start: Start | None = None
    untouched: bool = False

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """One training run; a kill loses no more than the updates since its last checkpoint."""
        return 1

    def __len__(self) -> int:
        return len(self.runs)

    def make(self, device: str) -> Trainer:
        """A trainer; each run loads the encoder anew."""
        return Trainer(self, device)


class Trained(NamedTuple):
    """What came of a training run.

    Attributes:
        logits: (test questions, options).
        note: What it noted of its training, plain values; None where nothing was trained.
    """

    logits: Logits
    note: dict[str, Any] | None


@dataclass(frozen=True)
class Trainer:
    """Trains an encoder and has it answer the test part, or has one answer that was trained before.

    Attributes:
        recipe: What is trained, and how.
        device: Where.
    """

    recipe: TrainingRecipe
    device: str

    def prepare(self, start: int, _stop: int) -> TrainingRun:
        """The run."""
        return self.recipe.runs[start]

    def run(self, prepared: TrainingRun, advance: Advance = lambda _: None) -> Trained:
        """Trains, or resumes from the last checkpoint, and answers."""
        recipe, parts = self.recipe, self.recipe.sets[prepared.conditions]
        if recipe.untouched:
            return self._score_untouched(parts, advance)
        folder = recipe.folder / prepared.name
        tuned = fine_tune(
            recipe.name,
            parts.train,
            parts.validation,
            recipe.training,
            folder,
            seed=prepared.seed,
            show=recipe.show,
            device=self.device,
            start=recipe.start,
        )
        logits, encoded = predict(tuned, parts.test)
        note = {**tuned.plain(), "test_truncated": encoded.truncated, "test_too_long": encoded.too_long}
        if not recipe.keep_weights:
            shutil.rmtree(folder, ignore_errors=True)
        free_memory()
        advance(1)
        return Trained(logits, note)

    def _score_untouched(self, parts: Parts, advance: Advance) -> Trained:
        """Answers with the weights as they are."""
        recipe = self.recipe
        assert recipe.start is not None
        tuned = untouched(recipe.start, recipe.name, recipe.training, show=recipe.show, device=self.device)
        logits, _ = predict(tuned, parts.test)
        free_memory()
        advance(1)
        return Trained(logits, None)

    def table(self, prepared: TrainingRun, result: Trained) -> pa.Table:
        """The predictions of a run, and in the metadata of their schema what it noted."""
        table = scored_table(
            self.recipe.sets[prepared.conditions].test,
            result.logits,
            split="test",
            conditions=prepared.conditions,
            seed=prepared.seed,
            problems="too long",
        )
        if result.note is None:
            return table
        return table.replace_schema_metadata({_NOTE: json.dumps(result.note).encode()})


def training_note(table: pa.Table) -> dict[str, Any] | None:
    """What the training run noted whose shard this is; None for other shards."""
    metadata = table.schema.metadata or {}
    note: dict[str, Any] | None = json.loads(metadata[_NOTE]) if _NOTE in metadata else None
    return note
