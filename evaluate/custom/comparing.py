"""Two systems on the same questions: whether they can be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tashika.evaluate.custom.metrics_model import Measure
from tashika.evaluate.statistics.inference import (
    Floats,
    Interval,
    cluster_replicates,
    holm,
    mcnemar_exact,
    percentile_interval,
)

SURE = 0.05
"""A corrected p below this is taken for a difference."""

Values = Mapping[str, float]
"""Question -> 1 or 0 for right or wrong, or a judge's score."""


class Contest(NamedTuple):
    """A system against another one.

    Attributes:
        first: Its place among the systems.
        second: The other's.
        common: Questions that count for both.
        delta: The first's mean less the second's, over these.
        interval: Of the difference, by a paired bootstrap.
        gained: Questions where only the first is right, or its score is greater.
        lost: Where only the second is.
        p: McNemar's exact test of right and wrong; of scores the paired bootstrap. None without common questions.
        p_holm: Corrected for the number of contests.
    """

    first: int
    second: int
    common: int
    delta: float | None
    interval: Interval | None
    gained: int
    lost: int
    p: float | None
    p_holm: float | None = None

    @property
    def told_apart(self) -> bool:
        """Whether the difference is more than chance makes."""
        return self.p_holm is not None and self.p_holm < SURE


def contests(systems: Sequence[Values], measure: Measure, *, resamples: int, seed: int) -> list[Contest]:
    """Every system against every other, with p corrected over all of them (Holm).

    Args:
        systems: What each made of the questions.
        measure: What the values are.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.
    """
    found = [
        contest(first, second, systems[first], systems[second], measure, resamples=resamples, seed=seed)
        for first, second in combinations(range(len(systems)), 2)
    ]
    corrected = holm([one.p for one in found])
    return [one._replace(p_holm=p) for one, p in zip(found, corrected, strict=True)]


def contest(
    first: int, second: int, one: Values, other: Values, measure: Measure, *, resamples: int, seed: int
) -> Contest:
    """A system against another one; see `contests`."""
    common = sorted(set(one) & set(other))
    differences: Floats = np.asarray([one[item] - other[item] for item in common], dtype=np.float64)
    gained, lost = int((differences > 0).sum()), int((differences < 0).sum())
    if not common:
        return Contest(first, second, 0, None, None, 0, 0, None)
    delta = float(differences.mean())
    drawn = cluster_replicates(differences[:, None], np.ones((len(common), 1)), resamples=resamples, seed=seed)[:, 0]
    interval = percentile_interval(drawn) if len(common) > 1 else None
    p = bootstrap_p(drawn, delta) if measure == "mean score" else mcnemar_exact(gained, lost)
    return Contest(first, second, len(common), delta, interval, gained, lost, p)


def bootstrap_p(drawn: Floats, delta: float) -> float:
    """The two-sided p of a mean difference: how often a draw is as far from it as it is from nothing.

    Source: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 4.4. The
    difference itself counts as a draw, so that p is never 0.

    Args:
        drawn: (draws,) the mean difference of each.
        delta: That of the questions.
    """
    # Sums of floats in another order differ in their last digits, which shall not decide.
    far = np.abs(drawn - delta) >= abs(delta) - 1e-12
    return float((1 + far.sum()) / (1 + len(drawn)))
