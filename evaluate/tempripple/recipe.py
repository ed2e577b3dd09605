"""How TempRIPPLE's questions are scored on this machine: the likelihood of each option's text, or of its letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tashika.core.models import load_model
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.tempripple.predictions import PREDICTIONS, prediction_table
from tashika.evaluate.tempripple.questions import Asked
from tashika.evaluate.tempripple.settings import PromptFormat, Way
from tashika.evaluate.ways.options import (
    Choice,
    OptionScore,
    Reader,
    chat_reader,
    pick,
    score_letters,
    score_options,
)
from tashika.evaluate.ways.orders import combined, first_place

CPU_QUESTIONS = 100
"""Questions that are scored and written together on a CPU, where that takes some seconds."""

CUDA_QUESTIONS = 2_000


@dataclass(frozen=True)
class OptionsRecipe(Recipe):
    """A causal model and the questions whose options it scores.

    Attributes:
        rows: Every question in both conditions, in the order in which they are asked.
        way: By the text of the options or by their letters, and the normalisation.
        format: What the model reads.
        system: What it is told before, behind its chat template.
        chunk: Questions that are scored and written together; 0 takes a number that fits the device.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """

    rows: Sequence[Asked] = field(repr=False)
    way: Way
    format: PromptFormat
    system: str = ""
    chunk: int = 0
    batch_tokens: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """Both conditions of a chunk of questions."""
        return 2 * (self.chunk or (CUDA_QUESTIONS if self.device.startswith("cuda") else CPU_QUESTIONS))

    def __len__(self) -> int:
        return len(self.rows)

    def make(self, device: str) -> OptionsScorer:
        """Loads the model."""
        loaded = load_model(self.name, device=device, dtype=self.dtype)
        return OptionsScorer(CausalModel(loaded, self.batch_tokens), self.rows, self.way, self.format, self.system)


@dataclass(frozen=True)
class OptionsScorer:
    """A loaded model and the questions whose options it scores; see `engine.recipe.Scorer`."""

    model: CausalModel
    rows: Sequence[Asked]
    way: Way
    format: PromptFormat
    system: str = ""

    def prepare(self, start: int, stop: int) -> tuple[Sequence[Asked], list[Choice]]:
        """The questions of a stretch, and what the model reads of each: every order after the other."""
        rows = self.rows[start:stop]
        cue = self.way.options == "text" and not self.way.template
        return rows, [self.format.choice(row, cue=cue, order=order) for row in rows for order in range(self.way.orders)]

    def run(
        self, prepared: tuple[Sequence[Asked], list[Choice]], advance: Advance = lambda _: None
    ) -> list[list[OptionScore]]:
        """Scores every option of a stretch."""
        choices, between, template = prepared[1], self.format.between, self.way.template
        read: Reader = chat_reader(self.model, self.system) if template else str
        if self.way.options == "text":
            before = "" if template else " "
            return score_options(self.model, choices, between=between, before_option=before, read=read, advance=advance)
        done = _Share(advance, self.way.orders)
        return score_letters(self.model, choices, cue=self.format.cue, between=between, read=read, advance=done)

    def table(
        self, prepared: tuple[Sequence[Asked], list[Choice]], result: Sequence[Sequence[OptionScore]]
    ) -> pa.Table:
        """The predictions of a stretch, one row a question and condition."""
        orders = self.way.orders
        by_row = [result[start : start + orders] for start in range(0, len(result), orders)]
        return prediction_table(prepared[0], map(self._columns, by_row))

    def _columns(self, by_order: Sequence[Sequence[OptionScore]]) -> dict[str, Any]:
        scores = combined(by_order)
        problem = next((score.problem for score in scores if score.problem is not None), None)
        return {
            "chosen": pick(scores, self.way.norm),
            "problem": problem,
            "scores": [score.log_likelihood if score.problem is None else None for score in scores],
            "tokens": [score.tokens for score in scores],
            "characters": [score.characters for score in scores],
            "choices": None if self.way.options == "text" else [_chosen(*one) for one in enumerate(by_order)],
        }


def _chosen(order: int, scores: Sequence[OptionScore]) -> int | None:
    """The option that was chosen in an order, by its place in the first."""
    letter = pick(scores)
    return None if letter is None else first_place(letter, order, len(scores))


class _Share:
    """Advances by a question where its last order is done."""

    def __init__(self, advance: Advance, orders: int) -> None:
        self._advance, self._orders, self._done = advance, orders, 0

    def __call__(self, count: int) -> None:
        before = self._done // self._orders
        self._done += count
        self._advance(self._done // self._orders - before)
