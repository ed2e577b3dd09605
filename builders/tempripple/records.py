"""What TempRIPPLE's builders hand to each other: histories of changing facts, stable facts, and paths through them.

Source: the paper's section 2.1 (k_new, k_old and the related facts of n hops) and its appendix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

Age = Literal["new", "old"]
Datatype = Literal["item", "time", "quantity", "string"]
OldDates = Literal["reject", "age"]
"""What a statement without a usable date does to its history if it was over before that: reject it, or nothing."""

Certainty = Literal["certain", "likely", "unknown"]
"""Whether a related fact did not change: by its dates or its nature; undated and seldom changing; or not even that."""

CERTAINTIES: Final[tuple[Certainty, ...]] = get_args(Certainty)


def weakest(certainties: Iterable[Certainty]) -> Certainty:
    """That of the least certain; of none, certain."""
    return max(certainties, key=CERTAINTIES.index, default="certain")


class Moment(NamedTuple):
    """A date of limited precision: every day that it may be.

    Attributes:
        earliest: The first of them, in days since 1970-01-01 (proleptic Gregorian; any year, also before Christ).
        latest: The last of them.
        text: As it is shown: 2025, 2025-03 or 2025-03-01.
    """

    earliest: int
    latest: int
    text: str


@dataclass(frozen=True)
class Period:
    """Which time is looked at; all bounds are days since 1970-01-01, inclusive.

    Attributes:
        history_from: From when on a history must be complete.
        window_from: The first day on which a new fact may start.
        window_to: The last one.
        gap: Days without an object that make a history incomplete.
        old_dates: What statements do whose dates cannot be used and that were over before the history.
    """

    history_from: int
    window_from: int
    window_to: int
    gap: int = 365
    old_dates: OldDates = "reject"


@dataclass(frozen=True)
class Tenure:
    """One object's time; re-elections are one tenure, a return after somebody else is another.

    Attributes:
        object: An item id.
        start: Of the first of its statements.
        end: Of the last; None where none is stated.
        statements: The IRIs of its statements.
    """

    object: str
    start: Moment
    end: Moment | None
    statements: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    """A (subject, property) that changed in the window, with one object at any time.

    Attributes:
        subject: An item id.
        relation: A property id.
        tenures: The oldest first; the last is the new fact.
        new: How many of the last tenures started in the window; all but the last of these are neither new nor old.
        earlier: Objects of other times: of tenures that were over before the history, and that begin after the window.
    """

    subject: str
    relation: str
    tenures: tuple[Tenure, ...]
    new: int = 1
    earlier: tuple[str, ...] = ()


class Value(NamedTuple):
    """An object: an item, or a literal.

    Attributes:
        text: The item's id, or the literal: 1946-06-14 (as precise as it is known), 5, sl.
        datatype: Which of them.
    """

    text: str
    datatype: Datatype


@dataclass(frozen=True)
class StableFact:
    """What held unchanged through the whole period, in the best-rank view.

    Attributes:
        subject: An item id.
        relation: A property id.
        objects: All of them, sorted; several are an answer set, at which every path ends.
        certainty: Whether it did not change.
    """

    subject: str
    relation: str
    objects: tuple[Value, ...]
    certainty: Certainty = "certain"


@dataclass(frozen=True)
class Path:
    """Related facts, each about the object of the one before; the first about the object of a tenure.

    Attributes:
        steps: One to three facts. Only the last may have several objects.
    """

    steps: tuple[StableFact, ...]

    @property
    def hop(self) -> int:
        """How many facts away from the changing one: the paper's n."""
        return len(self.steps)
