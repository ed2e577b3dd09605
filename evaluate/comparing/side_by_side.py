"""Systems side by side: every number of each, every two against each other, over the items common to all of them.

Holm's correction is over all tests of the whole: every measure and every two systems. Numbers by group have a
correction of their own, over all groups, measures and pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NamedTuple

from tashika.core.errors import InputError
from tashika.evaluate.comparing.aligning import Aligned, Common
from tashika.evaluate.statistics.paired import Contest, Flags, contest, corrected, defined_cells
from tashika.evaluate.suite import Measure, Sides

MOST_GROUPS: Final = 60
"""Groups by which numbers are given, at most; with more there are none."""


@dataclass(frozen=True)
class Part:
    """The items of one measure, all of them or those of one group.

    Attributes:
        name: Of the group; None for all items.
        items: Common to all systems.
        clusters: That they come in.
        values: Of each system; None where there is nothing to compute.
        contests: Every two systems.
    """

    name: str | None
    items: int
    clusters: int
    values: Sequence[float | None]
    contests: Sequence[Contest]


@dataclass(frozen=True)
class Compared:
    """One measure of all systems.

    Attributes:
        measure: The measure.
        whole: Over all common items.
        groups: By group; empty where there are none, or too many.
        left_out: Of each system, how many items count for it and not for all.
        asked: Of each system, how many items it was asked.
    """

    measure: Measure
    whole: Part
    groups: Sequence[Part]
    left_out: Sequence[int]
    asked: Sequence[int]


class LeftOut(NamedTuple):
    """A system that is not compared, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class SideBySide:
    """Systems side by side.

    Attributes:
        names: Of the systems.
        measures: What they are compared by; empty where there are fewer than two systems.
        left_out: Systems that could not be compared.
        clusters: What clusters are called, in the plural; None where each item stands for itself.
        groups: What groups are called.
        items: What items are called.
        resamples: Of the bootstrap.
        seed: Of bootstrap and permutations.
        remarks: What to know beside the numbers.
    """

    names: Sequence[str]
    measures: Sequence[Compared]
    left_out: Sequence[LeftOut] = ()
    clusters: str | None = None
    groups: str = "groups"
    items: str = "items"
    resamples: int = 0
    seed: int = 0
    remarks: Sequence[str] = ()

    @property
    def tests(self) -> int:
        """Tests that Holm's correction is over."""
        return sum(result.p is not None for compared in self.measures for result in compared.whole.contests)

    @property
    def group_tests(self) -> int:
        """The same of the numbers by group."""
        parts = [part for compared in self.measures for part in compared.groups]
        return sum(result.p is not None for part in parts for result in part.contests)


def compare(sides: Sides, names: Sequence[str]) -> SideBySide:
    """Compares all systems of `sides` by all measures that each of them has.

    Args:
        sides: The systems, two at least, none with a problem.
        names: What they are called.

    Raises:
        InputError: A system has an item twice, or the systems have no measure in common.
    """
    aligned: dict[str, Aligned] = {}
    compared: list[Compared] = []
    for measure in sides.measures:
        units = [system.units.get(measure.unit) for system in sides.systems]
        known = [own for own in units if own is not None and measure.key in own.values]
        if len(known) < len(units):
            continue
        if measure.unit not in aligned:
            aligned[measure.unit] = Aligned(known, names)
        compared.append(_measured(aligned[measure.unit].common(measure), measure, sides))
    if not compared:
        raise InputError("these systems have no measure in common")
    return SideBySide(
        names,
        _corrected(compared),
        clusters=sides.clusters,
        groups=sides.groups,
        items=sides.items,
        resamples=sides.resamples,
        seed=sides.seed,
    )


def _measured(common: Common, measure: Measure, sides: Sides) -> Compared:
    whole = _part(None, common, measure, sides)
    groups: list[Part] = []
    if 1 < len(common.group_ids) <= MOST_GROUPS:
        order = {group: place for place, group in enumerate(sides.group_names)}
        places = sorted(
            range(len(common.group_ids)),
            key=lambda place: (order.get(common.group_ids[place], len(order)), common.group_ids[place]),
        )
        groups = [
            _part(
                sides.group_names.get(common.group_ids[place], common.group_ids[place]),
                common.of_group(place),
                measure,
                sides,
            )
            for place in places
        ]
    return Compared(measure, whole, groups, common.left_out, common.asked)


def _part(name: str | None, common: Common, measure: Measure, sides: Sides) -> Part:
    """Every two systems; a part whose items are all of one cluster says nothing of others, so it has no test."""
    used = defined_cells(common.values, measure.cells)
    contests = [_contest(pair, common, measure, sides, used) for pair in _pairs(sides)]
    values: list[float | None] = [None] * len(common.values)
    for result in contests:
        values[result.first], values[result.second] = result.values
    return Part(name, len(common), contests[0].clusters, values, contests)


def _pairs(sides: Sides) -> list[tuple[int, int]]:
    """Every two systems, two models first, but no two baselines unless there is nothing else."""
    pairs = list(combinations(range(len(sides.systems)), 2))
    with_a_model = [pair for pair in pairs if not all(sides.systems[place].baseline for place in pair)]
    return sorted(with_a_model, key=lambda pair: any(sides.systems[place].baseline for place in pair)) or pairs


def _contest(places: tuple[int, int], common: Common, measure: Measure, sides: Sides, used: Flags) -> Contest:
    first, second = (common.values[place] for place in places)
    clusters, cells = common.clusters, measure.cells
    result = contest(places, first, second, clusters, cells, used, resamples=sides.resamples, seed=sides.seed)
    return result._replace(p=None, test=None, smallest_p=None) if result.clusters == 1 else result


def _corrected(measures: Sequence[Compared]) -> list[Compared]:
    whole = iter(corrected([result for compared in measures for result in compared.whole.contests]))
    parts = iter(corrected([result for compared in measures for part in compared.groups for result in part.contests]))
    return [
        replace(
            compared,
            whole=replace(compared.whole, contests=[next(whole) for _ in compared.whole.contests]),
            groups=[replace(part, contests=[next(parts) for _ in part.contests]) for part in compared.groups],
        )
        for compared in measures
    ]
