"""How far an analysis is, at what rate, and how long the rest may take: nothing before enough is known to say it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tashika.builders.kuci.analysis.speed import ENOUGH

_DIGITS: Final = 3
"""Of an estimated number of sentences."""

Share = Callable[[], float]
"""Which part of the input has been read, from 0 to 1."""


@dataclass
class Pace:
    """Counts the sentences of a run.

    The rate is the mean since each process had given its first shard: what they need to load says nothing of the rest.

    Attributes:
        share: Which part of the input has been read; None where nobody knows.
        clock: Seconds, from any time on.
        read: Sentences that were read so far; see `reach`.
        kept: Of them, those whose shards an earlier run has left.
        done: Of them, those that this run has analysed.
        workers: The processes that have given a shard.
    """

    share: Share | None = None
    clock: Callable[[], float] = time.monotonic
    read: int = 0
    kept: int = 0
    done: int = 0
    workers: set[str] = field(default_factory=set)
    _reached: float | None = field(default=None, init=False)
    _begin: float = field(default=0.0, init=False)
    _latest: float = field(default=0.0, init=False)
    _shards: int = field(default=0, init=False)
    _sentences: int = field(default=0, init=False)

    def reach(self, sentences: int) -> None:
        """So many more sentences have been read, and the part of the input that is named now."""
        self.read += sentences
        self._reached = self.share() if self.share else None

    def finish(self, sentences: int, worker: str) -> None:
        """A process has analysed a shard of so many sentences."""
        self.done, self._latest = self.done + sentences, self.clock()
        if worker not in self.workers:
            self.workers.add(worker)
            self._begin, self._shards, self._sentences = self._latest, 0, 0
            return
        self._shards, self._sentences = self._shards + 1, self._sentences + sentences

    @property
    def rate(self) -> float | None:
        """Sentences a second of all processes; None before there are enough, and a shard of each, to compute it by."""
        seconds = self._latest - self._begin
        if self._shards < max(1, len(self.workers)) or self._sentences < ENOUGH or seconds <= 0:
            return None
        return self._sentences / seconds

    @property
    def total(self) -> int | None:
        """Sentences of the whole input; an estimate until it is read; None before there is enough to estimate by."""
        share = self._reached
        if share is None:
            return None
        if share >= 1:
            return self.read
        return _rounded(self.read / share) if share and self.read >= ENOUGH else None

    def note(self) -> str:
        """What is left, at what rate, and how long that takes."""
        total, rate = self.total, self.rate
        parts = [] if self.workers or self.read == self.kept else ["loading"]
        left = 0 if total is None else max(0, total - self.kept - self.done)
        if left:
            parts.append(f"{left:,} sentences left")
            if rate is not None:
                parts.append(_time(left / rate))
        if rate is not None:
            parts.append(f"{rate:,.0f} sentences/s")
        return ", ".join(parts)


def _rounded(number: float) -> int:
    """A number to its first digits."""
    factor: int = 10 ** max(0, math.floor(math.log10(number)) + 1 - _DIGITS)
    return round(number / factor) * factor


def _time(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {unit}"
    return "a minute or two" if seconds >= 60 else "less than a minute"
