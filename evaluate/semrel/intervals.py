"""Intervals of the numbers of semantic relations: from a bootstrap over targets; see `metrics`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.cells import Interval, Intervals, Mean
from tashika.evaluate.semrel.confusability import SIZE, Floats, TargetSums
from tashika.evaluate.semrel.settings import MeasureSettings
from tashika.evaluate.statistics.inference import cluster_replicates, percentile_interval

Flags = NDArray[np.bool_]


def draw_alphas(sums: TargetSums, settings: MeasureSettings) -> Floats:
    """Alpha of each draw of targets: (resamples, r, s). All cells come from the same draws."""
    flat = (len(sums.targets), SIZE * SIZE)
    drawn = cluster_replicates(
        sums.alpha.reshape(flat), sums.probes.reshape(flat), resamples=settings.resamples, seed=settings.seed
    )
    return drawn.reshape(-1, SIZE, SIZE)


def interval_of(values: Floats, level: float) -> Interval | None:
    """The percentile interval of a number's draws; None where it is defined in fewer than half of them."""
    usable = int(np.count_nonzero(~np.isnan(values)))
    ends = percentile_interval(values, level) if 2 * usable >= len(values) else None
    return Interval(low=ends.low, high=ends.high, draws=usable) if ends else None


def intervals_of(drawn: Floats, holds: Flags, level: float) -> Intervals:
    """The interval of each cell for which `holds` is true, from (resamples, r, s) draws; None for the others."""
    return {
        r: {s: interval_of(drawn[:, i, j], level) if holds[i, j] else None for j, s in enumerate(RELATIONS)}
        for i, r in enumerate(RELATIONS)
    }


def mean_of_cells(matrix: Floats, drawn: Floats, cells: Flags, n_targets: Any, level: float) -> Mean:
    """The mean of some cells, over those that are defined.

    A draw in which one of these is not (it holds none of the few targets) gives no mean: one of fewer cells would be
    another number.
    """
    used = cells & ~np.isnan(matrix)
    if not used.any():
        return Mean(value=None, cells=0, interval=None)
    several = bool((n_targets[used] > 1).all())
    interval = interval_of(drawn[:, used].mean(axis=1), level) if several else None
    return Mean(value=float(matrix[used].mean()), cells=int(used.sum()), interval=interval)
