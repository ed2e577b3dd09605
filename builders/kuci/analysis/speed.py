"""How fast sentences are analysed, and what that means for the paper's corpus."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

PAPER_SENTENCES: Final = 180_000_000
"""Sentences that the paper's pairs come from (section 4)."""

ENOUGH: Final = 1_000
"""Sentences that a run must have done before its speed says anything about others."""

_DAY: Final = 86_400


@dataclass(frozen=True)
class Speed:
    """How fast a run was.

    Attributes:
        sentences: Analysed in this run.
        seconds: That processes worked on them, all processes together; without loading.
        wall: Seconds from beginning to end.
        processes: That took part.
    """

    sentences: int
    seconds: float
    wall: float
    processes: int

    @property
    def projects(self) -> bool:
        """Whether there were enough sentences to say how long others would take."""
        return self.sentences >= ENOUGH and self.each > 0

    @property
    def each(self) -> float:
        """Sentences a second of one process."""
        return self.sentences / self.seconds if self.seconds else 0.0

    @property
    def together(self) -> float:
        """Sentences a second of all processes, once they have loaded."""
        return self.each * self.processes

    def summary(self, corpus: int = PAPER_SENTENCES) -> str:
        """The speed, and how long the paper's corpus would take: on this machine, and with how many cores a day."""
        if not self.each:
            return f"{self.sentences:,} sentences"
        speed = (
            f"{self.sentences:,} sentences in {self.wall:,.1f} s; {_process_words(self.processes)}: "
            f"{self.together:,.0f} sentences/s ({self.each:,.0f} each)."
        )
        if not self.projects:
            return speed
        days, cores = corpus / self.together / _DAY, math.ceil(corpus / self.each / _DAY)
        in_a_day = "1 core" if cores == 1 else f"{cores:,} cores"
        return f"{speed} {corpus:,} sentences would take {days:,.1f} days so, or a day with {in_a_day}."


def _process_words(number: int) -> str:
    return "1 process" if number == 1 else f"{number} processes"
