"""How a scorer is made, wherever it will run: on this device, on that one, in another process or machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import pyarrow as pa

from tashika.core.models import Kind

Advance = Callable[[int], None]
"""Is called with how many more prompts (questions, probes …) are done."""


class Scorer(Protocol):
    """A model that is ready for a list of work: it turns any stretch of it into rows of predictions.

    The three steps are apart so that the texts of the next stretch are made, and the rows of the last one are
    written, while the model runs.
    """

    def prepare(self, start: int, stop: int) -> Any:
        """Makes the texts of a stretch; needs no model, so it may run beside the model."""

    def run(self, prepared: Any, advance: Advance = ...) -> Any:
        """Asks the model."""

    def table(self, prepared: Any, result: Any) -> pa.Table:
        """The predictions of a stretch, in order, with the recipe's schema."""


@dataclass(frozen=True)
class Recipe(ABC):
    """Everything that a scorer is made from; small enough to be sent to another machine.

    A suite derives a class from it that adds its list of work.

    Attributes:
        name: The model, a folder or a name on the Hub.
        kind: The model's, see `core.models.Kind`.
        device: `cpu`, `cuda` or `cuda:N`.
        dtype: `fp32`, `bf16` or `fp16`.
        threads: Of a CPU; None leaves torch's own number.
        own_process: Whether each of several scorers on one machine needs a process of its own, since its work changes
            what a process has only once, such as torch's random numbers.
    """

    own_process: ClassVar[bool] = False
    name: str
    kind: Kind
    device: str
    dtype: str
    threads: int | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """Of the predictions."""

    @property
    @abstractmethod
    def shard_size(self) -> int:
        """How many prompts are predicted and written together: what a kill loses at most."""

    @abstractmethod
    def __len__(self) -> int:
        """How many prompts (questions, probes …) there are."""

    @abstractmethod
    def make(self, device: str) -> Scorer:
        """Loads the model and prepares it for the work."""

    def pinned(self) -> Self:
        """The recipe with as many threads as this process has: on a CPU the order of a sum depends on them."""
        import torch

        if self.device.startswith("cuda") or self.threads is not None:
            return self
        return replace(self, threads=torch.get_num_threads())

    def scorer(self, device: str | None = None) -> Scorer:
        """A scorer on a device, with as many threads as the recipe states."""
        import torch

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        return self.make(device or self.device)
