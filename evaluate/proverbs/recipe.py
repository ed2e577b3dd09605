"""How a model on this machine scores statements by likelihood: the integer that it finds likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from tashika.core.models import load_model
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.engine.shards import CUDA_TIMES
from tashika.evaluate.proverbs.answers import NO_STATEMENT, Outcome, step_schema, step_table
from tashika.evaluate.proverbs.questions import AskedQuestion
from tashika.evaluate.proverbs.settings import ScorePrompt
from tashika.evaluate.ways.options import Choice, OptionScore, score_options

SCORES: Final = tuple(range(1, 11))
SHARD_QUESTIONS: Final = 50
"""Questions whose statements are scored and written together on a CPU."""

Stated = tuple[AskedQuestion, Mapping[str, str], tuple[str | None, ...]]
"""A question, what it fills a prompt with, and its statements by place; None where there is none."""


@dataclass(frozen=True)
class ScoreRecipe(Recipe):
    """A causal model and the statements that it scores.

    Attributes:
        work: Every question with its statements.
        prompt: Asks for the score.
    """

    work: Sequence[Stated] = field(repr=False)
    prompt: ScorePrompt

    @property
    def schema(self) -> pa.Schema:
        """Of the step's table."""
        return step_schema("scores")

    @property
    def shard_size(self) -> int:
        """Questions that are scored and written together."""
        return SHARD_QUESTIONS * (CUDA_TIMES if self.device.startswith("cuda") else 1)

    def __len__(self) -> int:
        return len(self.work)

    def make(self, device: str) -> StatementScorer:
        """Loads the model."""
        return StatementScorer(
            CausalModel(load_model(self.name, device=device, dtype=self.dtype)), self.work, self.prompt
        )


@dataclass(frozen=True)
class StatementScorer:
    """A loaded model and the statements that it scores; see `engine.recipe.Scorer`."""

    model: CausalModel
    work: Sequence[Stated]
    prompt: ScorePrompt

    def prepare(self, start: int, stop: int) -> Sequence[Stated]:
        """The questions of a stretch."""
        return self.work[start:stop]

    def run(self, prepared: Sequence[Stated], advance: Advance = lambda _: None) -> list[Outcome]:
        """The score of every place of a stretch.

        The end of the line counts as part of the integer: 10 begins with 1, which would else always be the likelier.
        """
        options = [f"{score}\n" for score in SCORES]
        choices = [
            Choice("", self.prompt.filled({**slots, "ANSWER": statement}), options)
            for _, slots, statements in prepared
            for statement in statements
            if statement is not None
        ]
        scored = iter(score_options(self.model, choices) if choices else [])
        advance(len(prepared))
        return [
            NO_STATEMENT if statement is None else _likeliest(next(scored))
            for _, _, statements in prepared
            for statement in statements
        ]

    def table(self, prepared: Sequence[Stated], result: Sequence[Outcome]) -> pa.Table:
        """The step's rows of a stretch, five a question."""
        return step_table("scores", [question for question, _, _ in prepared], result)


def _likeliest(scores: Sequence[OptionScore]) -> Outcome:
    """The likeliest integer, of equals the lowest."""
    problem = next((score.problem for score in scores if score.problem is not None), None)
    best = max(range(len(scores)), key=lambda place: scores[place].log_likelihood)
    return Outcome(None if problem else SCORES[best], problem, 1, None)
