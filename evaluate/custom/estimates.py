"""A share and a mean, each with its 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tashika.core.custom.release_form import EvaluateForm
from tashika.evaluate.custom.metrics_model import Estimate
from tashika.evaluate.statistics.inference import Floats, cluster_replicates, percentile_interval, wilson_interval


def share(right: Sequence[bool]) -> Estimate:
    """A share with Wilson's interval."""
    if not right:
        return Estimate(n=0, value=None)
    interval = wilson_interval(sum(right), len(right))
    assert interval is not None
    return Estimate(n=len(right), value=sum(right) / len(right), low=interval.low, high=interval.high)


def mean(values: Sequence[float], form: EvaluateForm) -> Estimate:
    """A mean with a percentile bootstrap over questions; no interval of a single value."""
    return ratio(np.asarray(values, dtype=np.float64), np.ones(len(values)), form)


def ratio(above: Floats, below: Floats, form: EvaluateForm) -> Estimate:
    """A ratio of sums over items with a percentile bootstrap over them; no interval of a single item.

    Args:
        above: (items,) what is summed.
        below: (items,) what it is divided by, greater than 0.
        form: How often, and with which seed.
    """
    if not len(below):
        return Estimate(n=0, value=None)
    drawn = cluster_replicates(above[:, None], below[:, None], resamples=form.resamples, seed=form.seed)
    interval = percentile_interval(drawn[:, 0]) if len(below) > 1 else None
    ends = {"low": interval.low, "high": interval.high} if interval else {}
    return Estimate(n=int(below.sum()), value=float(above.sum() / below.sum()), **ends)
