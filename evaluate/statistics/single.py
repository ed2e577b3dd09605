"""One system's number over items: a mean of their values, or of cells that are computed from such means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tashika.evaluate.statistics.inference import Floats, Interval, cluster_replicates, percentile_interval
from tashika.evaluate.statistics.paired import Cells, Codes, defined_cells, summed_by_cluster


class Estimate(NamedTuple):
    """A system's number.

    Attributes:
        value: The number.
        interval: Its 95 % interval; None where there are fewer than two clusters, or most draws have no number.
        clusters: Those that were drawn.
    """

    value: float
    interval: Interval | None
    clusters: int


def estimate(
    values: Floats, clusters: Codes | None = None, cells: Cells | None = None, *, resamples: int, seed: int
) -> Estimate | None:
    """A system's number with the percentile interval of a bootstrap over clusters, as `paired.contest` draws them.

    Args:
        values: (n, columns); NaN where an item does not count for a column.
        clusters: (n,) the number of each item's cluster, from 0; None where each item stands for itself.
        cells: Makes the cells of the columns' means; None where these are the cells.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Returns:
        The estimate; None where there is nothing to compute.
    """
    used = defined_cells([values], cells)
    if not len(values) or not used.any():
        return None
    codes = np.arange(len(values)) if clusters is None else clusters
    size = int(codes.max()) + 1
    sums = summed_by_cluster(values, codes, size)
    counts = summed_by_cluster(np.where(np.isnan(values), np.nan, 1.0), codes, size)
    total, known = sums.sum(axis=0), counts.sum(axis=0)
    means = np.divide(total, known, out=np.full(total.shape, np.nan), where=known > 0)
    drawn = cluster_replicates(sums, counts, resamples=resamples, seed=seed)
    shown, replicates = (means, drawn) if cells is None else (cells(means), cells(drawn))
    replicated = replicates[:, used].mean(axis=1)
    enough = size > 1 and 2 * np.count_nonzero(~np.isnan(replicated)) >= resamples
    return Estimate(float(shown[used].mean()), percentile_interval(replicated) if enough else None, size)
