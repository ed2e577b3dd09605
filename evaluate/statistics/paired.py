"""Two systems on the same items: their difference, its interval, and whether it is more than chance makes.

What is compared is a mean of item values, or of cells that are computed from such means. Items may come in clusters (a
fact's questions, a relation's prompts); those of one cluster are not independent, so clusters are what is drawn and
swapped:

- interval: a paired bootstrap. Clusters are drawn with replacement, the same ones for both systems;
- p where items come in clusters: a permutation test. Were the two alike, it would not matter whose values on a cluster
  are whose, so a fair coin for each cluster swaps them. Up to `EXACT` clusters that differ, all swaps are counted;
- p where every item stands for itself: McNemar's exact test of right and wrong, else the paired bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tashika.evaluate.statistics.inference import (
    Floats,
    Interval,
    cluster_replicates,
    holm,
    mcnemar_exact,
    percentile_interval,
)

SURE: Final = 0.05
"""A corrected p below this is taken for a difference."""
EXACT: Final = 14
"""Clusters that differ, at most, for all of their 2^n swaps to be counted."""
PERMUTATIONS: Final = 9_999
"""Random swaps where there are more clusters; the real ones count as one more, so that p is never 0."""
_AT_ONCE: Final = 1 << 20
"""Coins that are held at a time."""
_SAME: Final = 1e-12
"""Sums of floats in another order differ in their last digits, which shall not decide."""

Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Cells = Callable[[Floats], Floats]
"""Makes (…, cells) of (…, columns) means; NaN where a cell is not defined. The number compared is the cells' mean."""
Test = Literal["McNemar", "bootstrap", "permutation"]


class Contest(NamedTuple):
    """A system against another one, on the same items.

    Attributes:
        first: Its place among the systems.
        second: The other's.
        common: Items.
        clusters: That they come in.
        values: Of the two systems, over these items; None where there is nothing to compute.
        delta: The first's value less the second's.
        interval: Of the difference; None with fewer than two clusters, or most draws undefined.
        gained: Items on which the first has more, such as a right answer; None where items have several columns.
        lost: Items on which the second has more.
        p: Two-sided, of `test`; None where there is nothing to test.
        test: What p is of; None without one.
        p_items: McNemar's exact test beside a test by clusters: as if all items were independent.
        smallest_p: The least that an exact test by clusters could give; None of others.
        p_holm: Corrected for the tests that stand beside it.
    """

    first: int
    second: int
    common: int
    clusters: int
    values: tuple[float | None, float | None] = (None, None)
    delta: float | None = None
    interval: Interval | None = None
    gained: int | None = None
    lost: int | None = None
    p: float | None = None
    test: Test | None = None
    p_items: float | None = None
    smallest_p: float | None = None
    p_holm: float | None = None

    @property
    def told_apart(self) -> bool:
        """Whether the difference is more than chance makes."""
        return self.p_holm is not None and self.p_holm < SURE


def contest(
    places: tuple[int, int],
    first: Floats,
    second: Floats,
    clusters: Codes | None = None,
    cells: Cells | None = None,
    used: Flags | None = None,
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> Contest:
    """A system against another one.

    Args:
        places: Those of the two among the systems.
        first: (n, columns) its values; NaN in the same places for both.
        second: The other's.
        clusters: (n,) the number of each item's cluster, from 0; None where each item stands for itself.
        cells: See `Cells`; None where the columns' means are the cells.
        used: (cells,) those that the mean is over, see `defined_cells`; None for those defined for these two.
        resamples: Of the bootstrap.
        seed: Of bootstrap and permutations.

    Raises:
        ValueError: The shapes differ.
    """
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(f"found the shapes {first.shape} and {second.shape}, expected two alike, (items, columns)")
    codes = np.arange(len(first)) if clusters is None else clusters
    size = int(codes.max()) + 1 if len(codes) else 0
    result = Contest(*places, common=len(first), clusters=size)
    if not size:
        return result
    sums = [summed_by_cluster(values, codes, size) for values in (first, second)]
    counts = summed_by_cluster(np.where(np.isnan(first), np.nan, 1.0), codes, size)
    chosen = defined_cells([first, second], cells) if used is None else used
    if not chosen.any():
        return result
    sides = _Sides(sums[0], sums[1], counts, cells or _same_cells, chosen)
    values = sides.values()
    drawn = sides.drawn(resamples, seed)
    result = result._replace(
        values=values, delta=values[0] - values[1], interval=_interval(drawn) if size > 1 else None
    )
    return _tested(result, sides, (first, second), drawn, seed=seed, clustered=clusters is not None)


def defined_cells(systems: Sequence[Floats], cells: Cells | None = None) -> Flags:
    """(cells,) those that are defined for all systems: a mean over others would be another number.

    Args:
        systems: (n, columns) values of each.
        cells: See `Cells`.
    """
    defined = []
    for values in systems:
        known = ~np.isnan(values)
        counts = known.sum(axis=0)
        sums = np.where(known, values, 0.0).sum(axis=0)
        means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        defined.append(~np.isnan((cells or _same_cells)(means)))
    flags: Flags = np.all(defined, axis=0)
    return flags


def corrected(contests: Sequence[Contest]) -> list[Contest]:
    """Contests that stand side by side, with p corrected for all of them (Holm)."""
    adjusted = holm([result.p for result in contests])
    return [result._replace(p_holm=p) for result, p in zip(contests, adjusted, strict=True)]


def bootstrap_p(drawn: Floats, delta: float) -> float:
    """The two-sided p of a difference: how often a draw is as far from it as it is from nothing.

    Source: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 4.4. The
    difference itself counts as a draw, so that p is never 0.

    Args:
        drawn: (draws,) the difference of each; a draw without one (NaN) counts as one that is as far.
        delta: That of the items.
    """
    far = np.isnan(drawn) | (np.abs(drawn - delta) >= abs(delta) - _SAME)
    return float((1 + far.sum()) / (1 + len(drawn)))


class _Sides(NamedTuple):
    """Sums of two systems' values by cluster.

    Attributes:
        first: (clusters, columns) of the first.
        second: Of the second.
        counts: How many values these are of: the same for both.
        cells: See `Cells`.
        used: (cells,) those that the number is the mean of.
    """

    first: Floats
    second: Floats
    counts: Floats
    cells: Cells
    used: Flags

    def _cells(self, sums: Floats) -> Floats:
        counts = np.broadcast_to(self.counts.sum(axis=0), sums.shape)
        return self.cells(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))

    def values(self) -> tuple[float, float]:
        """The number of each system."""
        first, second = (float(self._cells(sums.sum(axis=0))[self.used].mean()) for sums in (self.first, self.second))
        return first, second

    def drawn(self, resamples: int, seed: int) -> Floats:
        """(resamples,) the difference in each draw of clusters; NaN where a used cell is not defined in it."""
        sums, counts = np.hstack([self.first, self.second]), np.hstack([self.counts, self.counts])
        means = cluster_replicates(sums, counts, resamples=resamples, seed=seed)
        columns = self.first.shape[1]
        first, second = self.cells(means[:, :columns]), self.cells(means[:, columns:])
        difference: Floats = first[:, self.used].mean(axis=1) - second[:, self.used].mean(axis=1)
        return difference

    def swapped(self, differing: Codes, coins: Floats) -> Floats:
        """(swaps,) the difference after each swap.

        Args:
            differing: The clusters that may be swapped.
            coins: (swaps, differing) 1 where a cluster is swapped.
        """
        total, both = self.first.sum(axis=0), (self.first + self.second).sum(axis=0)
        first = total + coins @ (self.second - self.first)[differing]
        sides = [self._cells(sums)[:, self.used].mean(axis=1) for sums in (first, both - first)]
        difference: Floats = sides[0] - sides[1]
        return difference


def _tested(
    result: Contest,
    sides: _Sides,
    values: tuple[Floats, Floats],
    drawn: Floats,
    *,
    seed: int,
    clustered: bool,
) -> Contest:
    """The contest with its test."""
    delta = result.delta
    assert delta is not None
    single = values[0].shape[1] == 1
    mcnemar = None
    if single:
        difference = values[0] - values[1]
        gained, lost = int((difference > 0).sum()), int((difference < 0).sum())
        result = result._replace(gained=gained, lost=lost)
        binary = all(bool(np.isin(side, (0.0, 1.0)).all()) for side in values)
        mcnemar = mcnemar_exact(gained, lost) if binary else None
    if clustered:
        p, smallest = permutation_p(sides, delta, seed=seed)
        return result._replace(p=p, test="permutation", p_items=mcnemar, smallest_p=smallest)
    if mcnemar is not None:
        return result._replace(p=mcnemar, test="McNemar")
    return result._replace(p=bootstrap_p(drawn, delta), test="bootstrap")


def permutation_p(sides: _Sides, delta: float, *, seed: int) -> tuple[float, float | None]:
    """The two-sided p of a difference when clusters are swapped by coins, and the least p where all swaps are counted.

    A swap in which a number is not defined counts as one whose difference is as large: the p is rather too large.

    Source: B. Phipson and G. K. Smyth, Permutation p-values should never be zero, 2010.

    Args:
        sides: The two systems.
        delta: Their difference.
        seed: Of the coins.
    """
    differing = np.flatnonzero((sides.first != sides.second).any(axis=1))

    def extreme(coins: Floats) -> int:
        difference = sides.swapped(differing, coins)
        return int((np.isnan(difference) | (np.abs(difference) >= abs(delta) - _SAME)).sum())

    count = len(differing)
    if count <= EXACT:
        swaps = (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)
        return extreme(swaps) / len(swaps), min(1.0, 2.0 ** (1 - count))
    random, least, done = np.random.default_rng(seed), 0, 0
    step = max(1, _AT_ONCE // count)
    while done < PERMUTATIONS:
        rows = min(step, PERMUTATIONS - done)
        least += extreme(random.integers(0, 2, size=(rows, count)).astype(np.float64))
        done += rows
    return (1 + least) / (1 + PERMUTATIONS), None


def _interval(drawn: Floats) -> Interval | None:
    """None where most draws have no number: an interval would be about a minority of them."""
    return percentile_interval(drawn) if 2 * np.count_nonzero(~np.isnan(drawn)) >= len(drawn) else None


def _same_cells(means: Floats) -> Floats:
    return means


def summed_by_cluster(values: Floats, codes: Codes, size: int) -> Floats:
    """(clusters, columns) sums of what is not NaN.

    Args:
        values: (n, columns).
        codes: (n,) the number of each row's cluster, from 0.
        size: How many clusters there are.
    """
    known = np.where(np.isnan(values), 0.0, values)
    columns = [np.bincount(codes, known[:, column], size) for column in range(values.shape[1])]
    summed: Floats = np.stack(columns, axis=1).astype(np.float64)
    return summed
