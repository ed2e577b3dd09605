"""Reliability: confidence against accuracy in bins of equal count (section 3.4, equation 6, Figure 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tashika.evaluate.myriadlama.metrics import ConfidenceBin, Reliability
from tashika.evaluate.myriadlama.predictions import Predictions

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Calibration:
    """How sure a model is, against how often it is right.

    Attributes:
        overconf_at_1: Confidence minus Acc@1.
        overconf_at_10: Confidence minus Acc@10.
        mass_overconf_at_10: The probability of the ten most probable answers together minus Acc@10.
        reliability: The bins of the reliability diagram, and the mean of their gaps without their signs.
    """

    overconf_at_1: float
    overconf_at_10: float
    mass_overconf_at_10: float
    reliability: Reliability


def calibration_of(predictions: Predictions, bins: int) -> Calibration:
    """Compares confidence with accuracy, in bins of equal count."""
    confidence = predictions.top_probability
    order = np.argsort(confidence)[::-1]
    ranked, rank = confidence[order], predictions.rank[order]
    edges = np.unique(np.arange(bins + 1) * len(ranked) // bins)
    sizes = np.diff(edges)
    sure = np.add.reduceat(ranked, edges[:-1], dtype=np.float64) / sizes
    right = {k: np.diff(_prefix(ranked, rank <= k, edges)) / sizes for k in (1, 10)}
    weights = sizes / len(ranked)
    reliability = Reliability(
        mean_absolute_gap=float(weights @ np.abs(sure - right[1])),
        bins=tuple(
            ConfidenceBin(count=int(n), confidence=float(c), acc_at_1=float(a), acc_at_10=float(b))
            for n, c, a, b in zip(sizes, sure, right[1], right[10], strict=True)
        ),
    )
    mass = float(predictions.top_10_probability.mean(dtype=np.float64) - np.mean(predictions.rank <= 10))
    return Calibration(float(weights @ (sure - right[1])), float(weights @ (sure - right[10])), mass, reliability)


def _prefix(ranked: npt.NDArray[np.float32], hits: npt.NDArray[np.bool_], edges: Integers) -> Floats:
    """Hits before each edge; of equal confidences around an edge, the share of their hits that lies before it."""
    before = np.concatenate(([0], np.cumsum(hits)))
    at = ranked[np.minimum(edges, len(ranked) - 1)]
    rising = ranked[::-1]
    start = len(ranked) - np.searchsorted(rising, at, side="right")
    end = len(ranked) - np.searchsorted(rising, at, side="left")
    prefix: Floats = before[start] + (before[end] - before[start]) * (edges - start) / (end - start)
    return prefix
