"""How questions are scored on this machine or others: a model, plain questions, and the task's scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.models import load_model
from tashika.evaluate.custom.predictions import PREDICTIONS
from tashika.evaluate.custom.prompts import Asked
from tashika.evaluate.custom.tasks.choosing import ChoiceScorer
from tashika.evaluate.custom.tasks.cloze import BlankScorer
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.model import model_of
from tashika.evaluate.engine.recipe import Recipe

CPU_QUESTIONS: Final = 200
"""Questions that are scored and written together on a CPU, where that takes some seconds."""

CUDA_QUESTIONS: Final = 4_000


@dataclass(frozen=True)
class AskedRecipe(Recipe):
    """A model and the questions whose options or blanks it scores.

    Attributes:
        rows: The questions, in the order in which they are asked.
        form: The section [evaluate].
        chunk: Questions that are scored and written together; 0 takes a number that fits the device.
    """

    rows: Sequence[Asked] = field(repr=False)
    form: EvaluateForm
    chunk: int = 0

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """Questions that are written together."""
        return self.chunk or (CUDA_QUESTIONS if self.device.startswith("cuda") else CPU_QUESTIONS)

    def __len__(self) -> int:
        return len(self.rows)

    def make(self, device: str) -> ChoiceScorer | BlankScorer:
        """Loads the model."""
        loaded = load_model(self.name, device=device, dtype=self.dtype)
        if self.form.task == "cloze":
            return BlankScorer(loaded, model_of(loaded), self.rows, self.form)
        return ChoiceScorer(CausalModel(loaded), self.rows, self.form)
