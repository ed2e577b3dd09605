"""A scorer without a model, for the tests of what runs scorers."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.evaluate.engine.recipe import Advance, Recipe

SCHEMA = pa.schema([pa.field("number", pa.int64()), pa.field("threads", pa.int64()), pa.field("process", pa.int64())])


@dataclass(frozen=True)
class CountingRecipe(Recipe):
    """A work list of numbers.

    Attributes:
        refused: The number that is the user's mistake.
        broken: The number that is a fault of the program.
        deadly: The number that kills the process.
    """

    refused: int = -1
    broken: int = -1
    deadly: int = -1

    @property
    def schema(self) -> pa.Schema:
        return SCHEMA

    @property
    def shard_size(self) -> int:
        return 2

    def __len__(self) -> int:
        return 10

    def make(self, device: str) -> Counting:
        return Counting(self, device)


@dataclass(frozen=True)
class Counting:
    """Gives each number with the process that it was given in, and that one's threads."""

    recipe: CountingRecipe
    device: str

    def prepare(self, start: int, stop: int) -> list[int]:
        return list(range(start, stop))

    def run(self, prepared: list[int], advance: Advance = lambda _: None) -> list[int]:
        if self.recipe.refused in prepared:
            raise InputError("a number that nobody wants", where=str(self.recipe.refused), hint="Take another.")
        if self.recipe.broken in prepared:
            raise ZeroDivisionError(self.recipe.broken)
        if self.recipe.deadly in prepared:
            os.kill(os.getpid(), signal.SIGKILL)
        say(f"counted to {prepared[-1]} on {self.device}")
        advance(len(prepared))
        return prepared

    def table(self, _prepared: list[int], result: Any) -> pa.Table:
        import torch

        rows = [{"number": one, "threads": torch.get_num_threads(), "process": os.getpid()} for one in result]
        return pa.Table.from_pylist(rows, schema=SCHEMA)
