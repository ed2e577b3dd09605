"""How a scorer of MyriadLAMA's prompts is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from tashika.core.models import load_model
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.engine.shards import CUDA_TIMES
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import WorkList
from tashika.evaluate.myriadlama.scoring import Engine

SHARD_PROMPTS: Final = {"masked": 20_000, "causal": 2_000}
"""Prompts in a shard on a CPU, by the kind of model."""


@dataclass(frozen=True)
class PromptRecipe(Recipe):
    """A model and the prompts that it is asked.

    Attributes:
        work: The prompts.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """

    work: WorkList
    batch_tokens: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTION

    @property
    def shard_size(self) -> int:
        """A causal model takes ten times as long for a prompt, a CUDA device a tenth of the time."""
        return SHARD_PROMPTS[self.kind] * (CUDA_TIMES if self.device.startswith("cuda") else 1)

    def __len__(self) -> int:
        return len(self.work)

    def make(self, device: str) -> Engine:
        """Loads the model and prepares it for the prompts."""
        return Engine.of(
            load_model(self.name, device=device, dtype=self.dtype), self.work, batch_tokens=self.batch_tokens
        )
