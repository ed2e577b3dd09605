"""Entailment on several devices, or on a Ray cluster, with the same bytes as of one process.

This process encodes the pairs and makes the batches, without the judge's weights; each batch goes to whichever device
is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.evaluate.engine.batches import Budget
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.runs import score_in_parts
from tashika.evaluate.systems import How
from tashika.evaluate.ways.entailment import Encoded, Judge, RunJudge, load_judge, score_batch

_FIELDS: list[pa.Field[Any]] = [pa.field("value", pa.float64())]
ENTAILMENT: Final[pa.Schema] = pa.schema(_FIELDS)
"""One row a pair of a batch, in its order."""

Batch = Sequence[Encoded]
"""Pairs of one length that go through the judge together."""


@dataclass(frozen=True)
class JudgeRecipe(Recipe):
    """A judge and the batches of pairs that it scores. The recipe's `kind` is not read.

    Attributes:
        batches: Pairs that go through the judge together.
        batch_tokens: Tokens in a batch, at most; halved when the memory runs out.
    """

    batches: tuple[Batch, ...]
    batch_tokens: int

    @property
    def schema(self) -> pa.Schema:
        """Of the scores."""
        return ENTAILMENT

    @property
    def shard_size(self) -> int:
        """A batch by itself."""
        return 1

    def __len__(self) -> int:
        return len(self.batches)

    def make(self, device: str) -> JudgeScorer:
        """Loads the judge."""
        judge = load_judge(self.name, device=device, dtype=self.dtype)
        return JudgeScorer(judge, self.batches, Budget(self.batch_tokens))


@dataclass(frozen=True)
class JudgeScorer:
    """A loaded judge and the batches that it scores; see `engine.recipe.Scorer`."""

    judge: Judge
    batches: Sequence[Batch]
    budget: Budget

    def prepare(self, start: int, stop: int) -> Sequence[Batch]:
        """The batches of a stretch; they were encoded before."""
        return self.batches[start:stop]

    def run(self, prepared: Sequence[Batch], advance: Advance = lambda _: None) -> npt.NDArray[np.float64]:
        """Scores the pairs of a stretch."""
        scores = []
        for batch in prepared:
            scores.append(score_batch(self.judge, batch, self.budget))
            advance(1)
        return np.concatenate(scores)

    def table(self, _prepared: Sequence[Batch], result: npt.NDArray[np.float64]) -> pa.Table:
        """The scores of a stretch, one row a pair."""
        return pa.table({"value": pa.array(result)}, schema=ENTAILMENT)


def run_on_devices(name: str, how: How, *, shown: str, dtype: str, batch_tokens: int) -> RunJudge:
    """Scores batches on all devices or the Ray cluster that a judge runs on; it is loaded with the first call.

    Args:
        name: The judge, a folder or a name on the Hub.
        how: Where it runs.
        shown: What the terminal calls it.
        dtype: `fp32`, `bf16` or `fp16`.
        batch_tokens: Tokens in a batch, at most.
    """

    def run(batches: Sequence[Batch]) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        recipe = JudgeRecipe(name, "causal", how.kind_of_device, dtype, tuple(batches), batch_tokens)
        for number, table in score_in_parts(recipe, how, shown):
            yield number, table["value"].to_numpy()

    return run
