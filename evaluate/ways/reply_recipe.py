"""Replies of a causal model on several devices, or on a Ray cluster, with the same bytes as of one process.

This process makes the batches, with the model's tokenizer and without its weights, asks for what was not kept before,
and keeps every reply as it comes. The batches are the same however many devices there are, and each goes to whichever
is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

import pyarrow as pa

from tashika.core.llm import LlmSettings, Reply
from tashika.core.models import Dtype, LoadedModel, load_model, load_outline
from tashika.core.progress import say
from tashika.evaluate.engine.devices import resolve_devices
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.runs import score_in_parts
from tashika.evaluate.systems import System
from tashika.evaluate.ways.generation import Endpoint, Generator
from tashika.evaluate.ways.local_generation import Batch, LocalModel, Replier

_FIELDS: list[pa.Field[Any]] = [
    pa.field("text", pa.string(), nullable=False),
    pa.field("cut_off", pa.bool_(), nullable=False),
]
REPLIES: Final[pa.Schema] = pa.schema(_FIELDS)
"""One row a prompt of a batch, in its order."""


@dataclass(frozen=True)
class ReplyRecipe(Recipe):
    """A causal model and the batches that it answers.

    Attributes:
        batches: Prompts that go through the model together.
        settings: How replies are sampled.
    """

    batches: tuple[Batch, ...]
    settings: LlmSettings

    @property
    def schema(self) -> pa.Schema:
        """Of the replies."""
        return REPLIES

    @property
    def shard_size(self) -> int:
        """A batch by itself."""
        return 1

    def __len__(self) -> int:
        return len(self.batches)

    def make(self, device: str) -> ReplyScorer:
        """Loads the model."""
        return self.ready(Replier(load_model(self.name, device=device, dtype=self.dtype)))

    def ready(self, replier: Replier) -> ReplyScorer:
        """A scorer with a model that is loaded already."""
        return ReplyScorer(replier, self.batches, self.settings)


@dataclass(frozen=True)
class ReplyScorer:
    """A loaded model and the batches that it answers; see `engine.recipe.Scorer`."""

    replier: Replier
    batches: Sequence[Batch]
    settings: LlmSettings

    def prepare(self, start: int, stop: int) -> Sequence[Batch]:
        """The batches of a stretch; their token ids were made before."""
        return self.batches[start:stop]

    def run(self, prepared: Sequence[Batch], advance: Advance = lambda _: None) -> list[Reply]:
        """Asks the model."""
        replies: list[Reply] = []
        for batch in prepared:
            replies += self.replier.replies(batch, self.settings)
            advance(1)
        return replies

    def table(self, prepared: Sequence[Batch], result: Sequence[Reply]) -> pa.Table:
        """The replies of a stretch, one row a prompt."""
        rows = [{"text": reply.text, "cut_off": reply.cut_off} for reply in result]
        return pa.Table.from_pylist(rows, schema=REPLIES)


class Answerer:
    """Who answers in words: a chat model behind an endpoint, or a causal model on the devices that it runs on.

    On this machine it is loaded when the first batch is asked, and stays loaded until it is forgotten.

    Args:
        system: The model.
        cache: Folder of the replies.
    """

    def __init__(self, system: System, cache: Path) -> None:
        self._system = system
        self._cache = cache
        self._repliers: list[Replier] = []

    def asked_as(self, llm: LlmSettings) -> Generator:
        """What asks it in one way.

        Args:
            llm: How it is asked; the endpoint's address and the model's name are the system's.
        """
        if self._system.url is not None:
            return Endpoint(self._system.client(llm, self._cache))
        return LocalModel(self._outline, self._system.asking(llm), self._cache, run=self._run)

    def forget(self) -> None:
        """Gives the memory of loaded models back: a device holds one model, and the next is loaded by this process."""
        self._repliers.clear()
        free_memory()

    @cached_property
    def _outline(self) -> LoadedModel:
        return load_outline(self._system.given, cast(Dtype, self._system.dtype))

    def _run(self, batches: Sequence[Batch], settings: LlmSettings) -> Iterator[tuple[int, list[Reply]]]:
        system = self._system
        recipe = ReplyRecipe(system.given, "causal", str(system.device), str(system.dtype), tuple(batches), settings)
        parts = score_in_parts(
            recipe, system.how, system.name, lambda: [recipe.ready(replier) for replier in self._loaded(recipe)]
        )
        for number, table in parts:
            yield number, [Reply(**row) for row in table.to_pylist()]

    def _loaded(self, recipe: ReplyRecipe) -> list[Replier]:
        if not self._repliers:
            devices = resolve_devices(self._system.how.device)
            say(f"{self._system.name}: loading, {self._system.dtype} on {', '.join(devices)}")
            self._repliers = [recipe.make(device).replier for device in devices]
        return self._repliers
