"""Who judged, in words: people and simulated annotators, which are programs, are counted apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tashika.core.counts import counted

SIMULATED: Final = "simulated-"
"""What the names of simulated annotators begin with."""

SIMULATED_RELEASE: Final = "simulated annotators (programs) judged this release, all of it or a part"
"""The warning on a release whose `release.json` states that programs were among its annotators."""


@dataclass(frozen=True)
class Annotators:
    """The annotators of one kind of item, in number.

    Attributes:
        total: People and programs together.
        people: The people among them; None where a summary of an earlier version states only that there are programs.
    """

    total: int
    people: int | None

    @classmethod
    def of(cls, summary: Mapping[str, Any]) -> Annotators:
        """The annotators of a kind or of a part of it, from its entry in the summary of the validation.

        Args:
            summary: With `annotators`, `people` and `simulated`. Earlier versions wrote one number of the first two,
                under either name, which counts people and programs together. Where there is none, nobody judged.
        """
        total, people = summary.get("annotators"), summary.get("people")
        if total is None or people is None:
            total = total or people or 0
            people = None if summary.get("simulated") else total
        return cls(int(total), people)

    @property
    def simulated(self) -> bool:
        """Whether programs are among them."""
        return self.people != self.total

    @property
    def only_simulated(self) -> bool:
        """Whether all of them are known to be programs."""
        return self.simulated and self.people == 0

    @property
    def description(self) -> str:
        """Such as "3 people", or "1 person and 2 simulated annotators (programs)"."""
        if self.people is None:
            return f"{self.total:,} annotators, simulated ones (programs) among them"
        parts = [_people(self.people)] if self.people or not self.simulated else []
        parts += [_programs(self.total - self.people)] if self.simulated else []
        return " and ".join(parts)

    @property
    def mark(self) -> str:
        """What stands behind a heading or a number that comes from them: nothing if all are people."""
        if not self.simulated:
            return ""
        return " (simulated annotators among them)" if self.people is None else f" ({self.name})"

    @property
    def name(self) -> str:
        """What to call them without their number."""
        if self.people is None:
            return "annotators"
        if not self.simulated:
            return "people"
        return "people and simulated annotators" if self.people else "simulated annotators"


def _people(count: int) -> str:
    return counted(count, "person")


def _programs(count: int) -> str:
    return counted(count, "simulated annotator (program)", "simulated annotators (programs)")
