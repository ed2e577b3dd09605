"""The shapes of numbers by cell of the matrix: of probe relation and answer relation, by full names."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

from tashika.core.suites.semrel.words import RELATIONS, Relation
from tashika.evaluate.metrics import Numbers

T = TypeVar("T")


def _whole(cells: dict[Relation, Any]) -> dict[Relation, Any]:
    """Refuses what lacks a relation, so that a page never asks for a row that is not there."""
    lacking = [relation for relation in RELATIONS if relation not in cells]
    if lacking:
        raise ValueError(f"the relation {lacking[0]!r} is missing")
    return cells


ByRelation = Annotated[dict[Relation, T], AfterValidator(_whole)]
"""One value for each of the six relations."""


class Interval(Numbers):
    """A bootstrap interval over targets.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        draws: How many of the draws the number was defined in.
    """

    low: float
    high: float
    draws: int


Matrix = ByRelation[ByRelation[float | None]]
"""Probe relation -> answer relation -> value."""
Counts = ByRelation[ByRelation[int]]
Intervals = ByRelation[ByRelation[Interval | None]]


class Mean(Numbers):
    """The mean of some cells, over those that are defined.

    Attributes:
        value: The mean.
        cells: How many cells it is the mean of.
        interval: None with fewer than two targets, or with too few draws.
    """

    value: float | None
    cells: int
    interval: Interval | None


class Difference(Numbers):
    """How far a model is from people, and the two-sided p of that.

    Attributes:
        difference: The model's confusability less people's.
        p: Of the permutation test.
        p_holm: Corrected for the number of tests of its kind on this model.
    """

    difference: float | None
    p: float | None
    p_holm: float | None
