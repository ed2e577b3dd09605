"""MyriadLAMA's numbers for the picture with all models: Acc@1 over all prompts, and of a question's vote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from tashika.core.files import read_table
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.myriadlama.pooling import RESAMPLES, ratios
from tashika.evaluate.reporting.intervals import Measure, Point
from tashika.evaluate.reporting.overview import Overview, overview
from tashika.evaluate.statistics.inference import Interval


def accuracy_interval(metrics: MyriadLamaMetrics, predictions: Path) -> Interval | None:
    """The 95 % interval of Acc@1: the estimate's of a plan or the lite set, else that of draws of whole pairs.

    Args:
        metrics: A model's scores.
        predictions: Its `predictions.parquet`.

    Returns:
        The interval; None where the predictions are gone, or are about one pair alone.
    """
    if metrics.intervals:
        estimate = metrics.intervals["acc@1"]
        return Interval(estimate.low, estimate.high)
    if not predictions.is_file():
        return None
    asks: Any = pc
    table = read_table(predictions, columns=["pair", "rank", "problem"])
    scored = table.filter(asks.is_null(table["problem"]))
    _, pair = np.unique(scored["pair"].to_numpy(), return_inverse=True)
    right = np.bincount(pair, scored["rank"].to_numpy() == 1)[:, None].astype(np.float64)
    asked = np.bincount(pair)[:, None].astype(np.float64)
    (result,) = ratios(right, asked, 0, RESAMPLES)
    return None if result.low is None or result.high is None else Interval(result.low, result.high)


def main_figure(
    models: Sequence[tuple[str, MyriadLamaMetrics]], intervals: Sequence[Interval | None]
) -> Overview | None:
    """The picture.

    Args:
        models: What the page calls each, and its scores.
        intervals: Of their Acc@1.
    """
    prompts = [
        Point(name, metrics.acc_at_1, *(ends or (metrics.acc_at_1, metrics.acc_at_1)))
        for (name, metrics), ends in zip(models, intervals, strict=True)
    ]
    votes = []
    for name, metrics in models:
        vote = metrics.pooled.vote if metrics.pooled else None
        if vote is not None:
            low, high = (vote.value if end is None else end for end in (vote.low, vote.high))
            votes.append(Point(name, vote.value, low, high))
    return overview(
        [Measure("Over all prompts", prompts), Measure("Vote of a question's prompts", votes)],
        title="First answers that are right (Acc@1)",
        label="Acc@1",
        caption="Bars are 95 % intervals over subject\u2013relation pairs; of a sample, those of the sample alone.",
    )
