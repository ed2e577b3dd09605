"""BELIEF's numbers of the whole release from a sample of it, with 95 % intervals.

- Means (Acc@K, MRR, Consist@1) get Wilson's interval with the effective sample size p(1 - p) / Var (Korn and Graubard
  1998), which stays inside 0 to 1 and does not shrink to nothing where no prompt was answered; Overconf@K, a
  difference, the plain one.
- The stdev over draws is the root of the templates' variance, sum of w_r² S_r² over relations, from which the noise of
  the sampled pairs and names is taken off; its interval is linearised in that sum.
- The range is an extreme of the 5,000 draws at hand, and no unbiased estimate of it exists. The draws of the full
  run are known, since they follow from seed and templates. The template means are not. The estimate is the range of
  these very draws under the means that were found, their distances scaled to the unbiased variance (Louis 1984); how
  far it may be off is seen from simulated means, drawn from their empirical-Bayes distribution (Efron and Morris
  1973). So its interval is a predictive one.

A sample of everything gives BELIEF's own numbers, and intervals of no width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.fluctuation import draw_slots, fluctuation_of_values
from tashika.evaluate.myriadlama.lite.components import (
    Mean,
    Sampled,
    TemplateMeans,
    consistency,
    linear,
    mean_by,
    shortfall,
    template_means,
)
from tashika.evaluate.myriadlama.lite.frame import Floats
from tashika.evaluate.myriadlama.metrics import MEASURES, EstimatedNumber, Fluctuation, Measure

Z: Final = 1.959963984540054
CAUTION: Final = 1.07
"""Standard errors are made so much larger. The sizes were chosen by what the pilot showed, so a sample tends to be
small where it happened to show little variance; without this, intervals hold 91 to 99 % (`bench/plan.py`)."""

SIMULATIONS: Final = 200
NUMBERS: Final = (
    *MEASURES,
    *(f"{measure} {spread}" for measure in MEASURES for spread in ("range", "stdev")),
    *("consist@1", "overconf@1", "overconf@10", "overconf@10 mass"),
)
"""Every number that a plan vouches for."""


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its 95 % interval."""

    point: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of its width."""
        return (self.high - self.low) / 2

    def describe(self) -> EstimatedNumber:
        """For the metrics."""
        return EstimatedNumber(point=self.point, low=self.low, high=self.high, half_width=self.half_width)


def variance(sampled: Sampled, mean: Mean) -> float:
    """The design variance of a mean, see `components`; not below what its templates or its pairs alone make."""
    pairs = shortfall(sampled.pairs_of, sampled.frame.sizes)
    templates = shortfall(sampled.templates_of, sampled.frame.widths)
    names = shortfall(sampled.names, sampled.of_names)
    second = mean_by(sampled, np.where(names > 0, mean.names, 0) if mean.crude else names * mean.names)
    rows, columns = pairs * mean.row, templates * mean.column
    both = np.maximum(rows + columns - pairs * templates * mean.cell, np.maximum(rows, columns))
    return float(mean.weight**2 @ (both + second / sampled.frame.sizes))


def wilson(point: float, var: float, least: float) -> Interval:
    """Wilson's interval at the effective sample size.

    Args:
        point: A mean of values from 0 to 1.
        var: Its variance.
        least: The effective size where the values do not differ and so show no variance; infinite for a whole.
    """
    spread = point * (1 - point)
    size = spread / var if var > 0 and spread > 0 else least
    if not np.isfinite(size):
        return Interval(point, point, point)
    middle = (point + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z * np.sqrt(spread / size + Z**2 / (4 * size**2)) / (1 + Z**2 / size)
    # rounding must not push an end past the point itself
    return Interval(point, min(point, max(0.0, float(middle - half))), max(point, min(1.0, float(middle + half))))


@dataclass(frozen=True)
class Estimates:
    """BELIEF's numbers of the whole release.

    Attributes:
        intervals: Each of `NUMBERS`.
        fluctuation: For each measure what `fluctuation.fluctuation_of` says overall, of draws under template means as
            they may well be: range and stdev are the estimates; histogram, lowest and highest go with them.
    """

    intervals: Mapping[str, Interval]
    fluctuation: dict[Measure, Fluctuation]


def estimated_fields(estimates: Estimates) -> dict[str, Any]:
    """The numbers of the whole release, by their fields in the metrics."""
    point = {number: interval.point for number, interval in estimates.intervals.items()}
    return {
        "acc_at_1": point["acc@1"],
        "acc_at_10": point["acc@10"],
        "mrr": point["mrr"],
        "consist_at_1": point["consist@1"],
        "overconf_at_1": point["overconf@1"],
        "overconf_at_10": point["overconf@10"],
        "mass_overconf_at_10": point["overconf@10 mass"],
        "fluctuation": estimates.fluctuation,
    }


def estimate(sampled: Sampled, *, draws: int, seed: int) -> Estimates:
    """All numbers.

    Args:
        sampled: The answers.
        draws: N of section 3.2.
        seed: Of these draws, which are then the full run's.
    """
    left = 1 - sampled.pairs_of.sum() / sampled.frame.sizes.sum()
    least = np.inf if sampled.whole else sampled.pairs_of.sum() / max(left, 1e-9)
    intervals: dict[str, Interval] = {}
    means = {**linear(sampled), "consist@1": consistency(sampled)}
    for number, mean in means.items():
        var = CAUTION**2 * variance(sampled, mean)
        if number.startswith("overconf"):
            half = Z * var**0.5
            intervals[number] = Interval(mean.point, mean.point - half, mean.point + half)
        else:
            intervals[number] = wilson(mean.point, var, least)
    slots = draw_slots(sampled.frame.weights > 0, draws, seed)
    fluctuation: dict[Measure, Fluctuation] = {}
    for measure, means_of in template_means(sampled).items():
        spread = spread_of(sampled, means_of, slots, seed)
        intervals |= {f"{measure} range": spread.range, f"{measure} stdev": spread.stdev}
        shown = overall_of(spread.likely, sampled.frame.weights, slots)
        fluctuation[measure] = shown.model_copy(update={"range": spread.range.point, "stdev": spread.stdev.point})
    return Estimates({number: intervals[number] for number in NUMBERS}, fluctuation)


def overall_of(means: Floats, weights: Floats, slots: Codes) -> Fluctuation:
    """What the draws of known template means, (R, L), look like."""
    rows = np.arange(len(means))
    values = (means * weights)[rows, slots].sum(axis=1) / weights[rows, slots].sum(axis=1)
    return fluctuation_of_values(values, means * weights, weights)


@dataclass(frozen=True)
class Between:
    """What is known of the variance of draws: sum over relations of w_r² S_r² (population variances).

    Attributes:
        weight: (R,) w_r, of a relation in a draw.
        between: (R,) S_r², the variance between the templates, unbiased; may be below zero.
        noise: (R,) the variance of an estimated template mean about the true one.
        total: The sum.
        error: Its standard error.
    """

    weight: Floats
    between: Floats
    noise: Floats
    total: float
    error: float


def between_templates(sampled: Sampled, estimated: TemplateMeans) -> Between:
    """Takes the noise of pairs and names off the spread of the estimated template means."""
    frame = sampled.frame
    pairs = shortfall(sampled.pairs_of, frame.sizes)
    templates = shortfall(sampled.templates_of, frame.widths)
    second = mean_by(sampled, shortfall(sampled.names, sampled.of_names) * estimated.names) / frame.sizes
    noise = pairs * estimated.cell + second
    between = estimated.spread - noise
    size = frame.weights.sum(axis=1) / frame.widths
    weight = size / size.sum()
    # the slope's s² holds what the interaction adds; names that were not asked add the same once more over N
    share = np.divide(noise, pairs * estimated.cell, out=np.ones_like(noise), where=pairs * estimated.cell > 0)
    error = pairs * estimated.slope * share + templates * estimated.tails
    population = (frame.widths - 1) / frame.widths
    return Between(
        weight,
        between,
        noise,
        float(weight**2 @ (population * between)),
        float(np.sqrt(weight**4 @ (population**2 * error))),
    )


@dataclass(frozen=True)
class Spread:
    """Range and stdev of the full run's draws.

    Attributes:
        range: The range.
        stdev: The standard deviation.
        likely: (R, L) template means of the simulation whose range is nearest to the estimate.
    """

    range: Interval
    stdev: Interval
    likely: Floats


def spread_of(sampled: Sampled, estimated: TemplateMeans, slots: Codes, seed: int) -> Spread:
    """Estimates range and stdev of the draws.

    Args:
        sampled: The answers.
        estimated: One measure's template means.
        slots: (N, R) the draws.
        seed: Of the simulation.
    """
    frame = sampled.frame
    known = between_templates(sampled, estimated)
    all_asked = bool((sampled.templates_of == frame.widths).all())
    means = simulated_means(sampled, estimated, known, 1 if all_asked else SIMULATIONS, seed, noisy=False)
    drawn = draws_of(means, frame.weights, slots)
    middle, point = float(np.ptp(drawn, axis=1).mean()), float(drawn.std(axis=1).mean())
    likely = means[int(np.abs(np.ptp(drawn, axis=1) - middle).argmin())]
    if sampled.whole:
        return Spread(Interval(middle, middle, middle), Interval(point, point, point), likely)
    if known.total <= 0:  # all that is seen may be noise
        high = (Z * CAUTION * known.error) ** 0.5
        return Spread(Interval(0.0, 0.0, 2 * most_of(len(slots))[0] * high), Interval(0.0, 0.0, high), likely)
    noisy = draws_of(simulated_means(sampled, estimated, known, SIMULATIONS, seed, noisy=True), frame.weights, slots)
    shape = np.ptp(noisy, axis=1) / noisy.std(axis=1) * point  # what is left open where the stdev is known
    error = ((known.error / known.total) ** 2 + (0.0 if all_asked else 2 / len(slots))) ** 0.5
    reach = Z * CAUTION * error
    half = Z * CAUTION * float(shape.var(ddof=1) + (middle * error / 2) ** 2) ** 0.5
    return Spread(
        Interval(middle, max(0.0, middle - half), middle + half),
        Interval(point, point * max(0.0, 1 - reach) ** 0.5, point * (1 + reach) ** 0.5),
        likely,
    )


@lru_cache
def most_of(draws: int) -> tuple[float, float]:
    """Mean and standard deviation of the highest of so many standard normal draws, by numerical integration."""
    from scipy.special import log_ndtr

    x = np.linspace(-9, 9, 20_001)
    below = np.exp(draws * log_ndtr(x))
    mean = x[-1] - np.trapezoid(below, x)
    second = x[-1] ** 2 - np.trapezoid(2 * x * below, x)
    return float(mean), float(max(second - mean**2, 0.0) ** 0.5)


def simulated_means(
    sampled: Sampled, estimated: TemplateMeans, known: Between, simulations: int, seed: int, *, noisy: bool
) -> Floats:
    """(simulations, R, L) template means as they may be.

    Args:
        sampled: The answers.
        estimated: One measure's template means.
        known: Their variance.
        simulations: How many.
        seed: Of the simulations.
        noisy: Whether an asked template's mean is drawn from what it may be, toward its relation's mean and with the
            noise that remains; otherwise it stands where it was estimated. One that was not asked has the distance of a
            random asked one. All distances are then scaled so that their variance is the unbiased one.
    """
    widths = sampled.frame.widths
    random = np.random.default_rng([seed, int(noisy)])
    away = [
        _distances(sampled, estimated, known, relation, (simulations, int(width)), random if noisy else None)
        for relation, width in enumerate(widths)
    ]
    for relation, each in enumerate(away):
        _complete(each, sampled, estimated, known, relation, random)
    made = float(known.weight**2 @ [each.var(axis=1).mean() for each in away])
    scale = (max(known.total, 0.0) / made) ** 0.5 if made > 0 else 0.0
    means = np.zeros((simulations, len(widths), int(widths.max())))
    for relation, mean in enumerate(estimated.means):
        means[:, relation, : widths[relation]] = mean.mean() + scale * away[relation]
    return means


def draws_of(means: Floats, weights: Floats, slots: Codes) -> Floats:
    """(simulations, N) the scores of draws of known template means, (simulations, R, L)."""
    total, weight = np.zeros((len(means), len(slots))), np.zeros(len(slots))
    for relation, drawn in enumerate(slots.T):
        total += (means[:, relation] * weights[relation])[:, drawn]
        weight += weights[relation, drawn]
    return total / weight


def _distances(
    sampled: Sampled,
    estimated: TemplateMeans,
    known: Between,
    relation: int,
    shape: tuple[int, int],
    random: np.random.Generator | None,
) -> Floats:
    """(simulations, L) distances of a relation's asked templates from their mean; with noise if `random` is given."""
    mean, rest, between = estimated.means[relation], estimated.rest[relation], max(known.between[relation], 0.0)
    away = np.zeros(shape)
    away[:, sampled.slots[relation]] = mean - mean.mean()
    if random is not None:
        pairs, cell = len(rest), estimated.cell[relation]
        # the interactions at hand, mixed at random, have the very covariance of the noise
        unit = (known.noise[relation] / cell / max(pairs - 1, 1)) ** 0.5 if cell > 0 else 0.0
        noise = unit * random.standard_normal((shape[0], pairs)) @ rest
        shrink = between / np.maximum(between + unit**2 * (rest**2).sum(axis=0), 1e-300)
        away[:, sampled.slots[relation]] = shrink * (mean - mean.mean()) + shrink**0.5 * noise
    return away


def _complete(
    away: Floats,
    sampled: Sampled,
    estimated: TemplateMeans,
    known: Between,
    relation: int,
    random: np.random.Generator,
) -> None:
    """Gives the templates that were not asked the distances of random asked ones, stretched to the unbiased variance.

    All of them are moved alike as well, since the mean of those that were asked is not that of all.
    """
    mean, spread, between = estimated.means[relation], estimated.spread[relation], max(known.between[relation], 0.0)
    others = np.ones(away.shape[1], dtype=bool)
    others[sampled.slots[relation]] = False
    if others.any():
        chosen = (mean - mean.mean())[random.integers(len(mean), size=(len(away), others.sum()))]
        stretch = (between / spread * len(mean) / max(len(mean) - 1, 1)) ** 0.5 if spread > 0 else 0.0
        shift = (between / len(mean)) ** 0.5 * random.standard_normal((len(away), 1))
        away[:, others] = stretch * chosen + shift
