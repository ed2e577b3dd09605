"""Percentile intervals of coefficients of agreement, by resampling items.

Items whose votes look alike are drawn together: a resample of n items is a multinomial draw of how often each pattern
of votes comes. It has the same distribution as drawing items one by one, and costs as many steps as there are patterns.

Source: B. Efron, Bootstrap methods: another look at the jackknife, 1979; percentile intervals as in B. Efron and
R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tashika.annotation.votes.agreement import Counts, Weights

RESAMPLES: Final = 1_000
SEED: Final = 1979
LEVEL: Final = 0.95
_CELLS_AT_ONCE: Final = 4_000_000
"""How many numbers a batch of resamples may hold."""

Statistic = Callable[[Counts, Weights], NDArray[np.float64]]
"""A coefficient of patterns, shape (patterns, columns), at each row of weights, shape (resamples, patterns)."""


def interval(rows: Counts, statistic: Statistic) -> list[float] | None:
    """The 95 % interval of a coefficient over items.

    Args:
        rows: What the coefficient takes of each item; shape (items, columns). Items that do not count must be left out.
        statistic: The coefficient.

    Returns:
        Both ends, to six digits; None with fewer than two items, or where it is not defined in half of the resamples.
    """
    if len(rows) < 2:
        return None
    patterns, counts = distinct(rows)
    generator = np.random.default_rng(SEED)
    batch = max(1, _CELLS_AT_ONCE // len(patterns))
    values = np.concatenate(
        [
            statistic(patterns, generator.multinomial(len(rows), counts / len(rows), min(batch, RESAMPLES - start)))
            for start in range(0, RESAMPLES, batch)
        ]
    )
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < RESAMPLES:
        return None
    ends = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [round(float(end), 6) for end in ends]


def distinct(rows: Counts) -> tuple[Counts, NDArray[np.int64]]:
    """The rows that differ, and how often each comes."""
    radix = int(rows.max(initial=0)) + 1
    if radix ** rows.shape[1] < 2**62:  # as one number a row they sort much faster
        codes = rows @ np.array([radix**place for place in range(rows.shape[1])], dtype=np.int64)
        _, first, counts = np.unique(codes, return_index=True, return_counts=True)
        return rows[first], counts
    patterns, counts = np.unique(rows, axis=0, return_counts=True)
    return patterns, counts
