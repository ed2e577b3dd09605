"""BELIEF's numbers of the whole release from its lite set, with 95 % intervals.

The lite set asks some pairs of each relation with a few prompts each, its templates dealt out (the release's export
chooses it). Within a relation all pairs have the same chance to be in it, and so have a pair's prompts. So

- a mean over prompts is a ratio estimate by relation, weighted by the relations' prompts; its variance is that of
  two stages, pairs and prompts of a pair (Cochran 1977, chapter 11), and that of templates where some were left out;
- Consist@1 is a mean over pairs by kind of comparison; its variance is that of the pairs, as if drawn with replacement,
  which covers what is left open within a pair;
- the stdev over draws is the root of the templates' variance, from which the noise of the few prompts of each is taken
  off; the range is that of the full run's own draws under the templates' means, their distances scaled to that stdev.

The list is fixed, so no draw is repeated: the intervals are those of a list of this shape that is drawn at random. One
that is spread over objects and wordings should be nearer, not farther (see docs/plan.md for what was measured).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tashika.evaluate.myriadlama.fluctuation import draw_slots, score
from tashika.evaluate.myriadlama.lite.components import (
    LINEAR,
    Sampled,
    TemplateMeans,
    comparisons,
    consistency,
    kinds_of,
    shortfall,
)
from tashika.evaluate.myriadlama.lite.frame import Floats
from tashika.evaluate.myriadlama.lite.intervals import (
    CAUTION,
    NUMBERS,
    SIMULATIONS,
    Between,
    Estimates,
    Interval,
    Z,
    draws_of,
    most_of,
    overall_of,
    simulated_means,
    wilson,
)
from tashika.evaluate.myriadlama.metrics import MEASURES, Fluctuation
from tashika.evaluate.myriadlama.predictions import Predictions

_HALF: Final = 0.5


def estimate_from_list(sampled: Sampled, *, draws: int, seed: int) -> Estimates:
    """All numbers.

    Args:
        sampled: The answers to a lite set.
        draws: N of section 3.2.
        seed: Of these draws, which are then the full run's.
    """
    values = values_of(sampled.predictions)
    templates = {number: dealt_means(sampled, value) for number, value in values.items()}
    intervals: dict[str, Interval] = {}
    for number, value in values.items():
        point, var = mean_over_prompts(sampled, value, templates[number])
        intervals[number] = _interval(number, point, var, sampled)
    point, var = dealt_consistency(sampled)
    intervals["consist@1"] = _interval("consist@1", point, var, sampled)
    slots = draw_slots(sampled.frame.weights > 0, draws, seed)
    fluctuation: dict[Any, Fluctuation] = {}
    for measure in MEASURES:
        stdev, range_, likely = _spread(sampled, templates[measure], slots, seed)
        intervals |= {f"{measure} range": range_, f"{measure} stdev": stdev}
        shown = overall_of(likely, sampled.frame.weights, slots)
        fluctuation[measure] = shown.model_copy(update={"range": range_.point, "stdev": stdev.point})
    return Estimates({number: intervals[number] for number in NUMBERS}, fluctuation)


def values_of(predictions: Predictions) -> dict[str, Floats]:
    """(n,) values of each prompt, by the name of the number that is their mean."""
    sure, mass = (part.astype(np.float64) for part in (predictions.top_probability, predictions.top_10_probability))
    hits = {str(measure): score(predictions.rank, measure).astype(np.float64) for measure in MEASURES}
    over = {
        "overconf@1": sure - hits["acc@1"],
        "overconf@10": sure - hits["acc@10"],
        "overconf@10 mass": mass - hits["acc@10"],
    }
    return {number: {**hits, **over}[number] for number in LINEAR}


def _interval(number: str, point: float, var: float, sampled: Sampled) -> Interval:
    if number.startswith("overconf"):
        half = Z * CAUTION * var**_HALF
        return Interval(point, point - half, point + half)
    left = 1 - len(sampled.pair) / sampled.frame.sizes.sum()
    return wilson(point, CAUTION**2 * var, len(sampled.pair) / left if left > 0 else np.inf)


def mean_over_prompts(
    sampled: Sampled, values: Floats, templates: tuple[TemplateMeans, Between]
) -> tuple[float, float]:
    """A mean over all prompts of the release, and its variance.

    Args:
        sampled: The answers; p pairs.
        values: (n,) of each prompt.
        templates: The template means of these values; for what the templates that were left out leave open.
    """
    frame, pair = sampled.frame, sampled.predictions.pair
    asked = np.bincount(pair)
    mean = np.bincount(pair, values) / asked
    squares = np.bincount(pair, (values - mean[pair]) ** 2)
    size = frame.prompts[sampled.pair].astype(np.float64)
    number = len(sampled.rows)
    of_relation = np.bincount(frame.relation, frame.prompts, minlength=number)
    weight = of_relation / of_relation.sum()
    point, first, second = np.zeros((3, number))
    for relation, rows in enumerate(sampled.rows):
        point[relation] = size[rows] @ mean[rows] / size[rows].sum()
        scale = size[rows] / size[rows].mean()
        away = scale * (mean[rows] - point[relation])
        first[relation] = (away**2).sum() / (len(rows) - 1) if len(rows) > 1 else np.nan
        free = (asked[rows] - 1).sum()
        within = squares[rows].sum() / free if free else np.nan
        second[relation] = (shortfall(asked[rows], size[rows]) * scale**2).mean() * within
    known = templates[1]
    columns = shortfall(sampled.templates_of, frame.widths) * np.maximum(known.between, 0)
    var = shortfall(sampled.pairs_of, frame.sizes) * _known(first) + _known(second) / frame.sizes + columns
    return float(weight @ point), float(weight**2 @ var)


def _known(values: Floats) -> Floats:
    """The values, with the mean of the known ones for those of relations that are too small to show any."""
    missing = np.isnan(values)
    return np.where(missing, values[~missing].mean() if (~missing).any() else 0.25, values)


def dealt_consistency(sampled: Sampled) -> tuple[float, float]:
    """Consist@1, and its variance.

    Two prompts of a pair have the name in common, the template, or neither. With few prompts a pair may lack a kind of
    comparison, so the share that agrees is taken by kind over the pairs of a relation, and the kinds are weighted as in
    the whole release.
    """
    frame, number = sampled.frame, len(sampled.rows)
    agreeing, possible = comparisons(sampled)[:2]
    kinds = kinds_of(frame)
    several = kinds.sum(axis=0) > 0
    parts = kinds / np.maximum(kinds.sum(axis=0), 1)
    weight = np.bincount(frame.relation, several, minlength=number).astype(np.float64)
    known = parts[:, sampled.pair] * (possible > 0)
    share = agreeing / np.maximum(possible, 1)
    pooled = (known * share).sum(axis=1) / np.maximum(known.sum(axis=1), 1e-300)
    point, row = np.zeros(number), np.full(number, np.nan)
    for relation, rows in enumerate(sampled.rows):
        if not weight[relation]:
            continue
        here = known[:, rows]
        shares = np.where(here.any(axis=1), (here * share[:, rows]).sum(axis=1) / _positive(here.sum(axis=1)), pooled)
        wanted = parts[:, several & (frame.relation == relation)].mean(axis=1)
        point[relation] = wanted @ shares
        scale = wanted / _positive(here.mean(axis=1))
        if len(rows) > 1:
            row[relation] = (scale @ (here * (share[:, rows] - shares[:, None]))).var(ddof=1)
    columns = shortfall(sampled.templates_of, frame.widths) * consistency(sampled).column
    var = np.zeros(number) if sampled.whole else _known(row) / sampled.pairs_of + columns
    weight = weight / max(weight.sum(), 1.0)
    return float(weight @ point), float(weight**2 @ var)


def _positive(values: Floats) -> Floats:
    """Values to divide by: infinity in the place of zero."""
    return np.where(values > 0, values, np.inf)


def dealt_means(sampled: Sampled, values: Floats) -> tuple[TemplateMeans, Between]:
    """The means of each relation's templates, and how far they vary when the noise of their few pairs is taken off.

    Names of a pair with a template are averaged, as in the fluctuation.

    Args:
        sampled: The answers.
        values: (n,) of each prompt.
    """
    predictions, cells = sampled.predictions, sampled.cells
    cell = predictions.pair.astype(np.int64) * cells.count.shape[1] + cells.slot[predictions.template]
    sums = np.bincount(cell, values, minlength=cells.count.size).reshape(cells.count.shape)
    tables = sums / np.maximum(cells.count, 1)
    number = len(sampled.rows)
    means: list[Floats] = []
    spread, noise, tails = np.zeros((3, number))
    for relation, (rows, slots) in enumerate(zip(sampled.rows, sampled.slots, strict=True)):
        asked = (cells.count[rows, : len(slots)] > 0).astype(np.float64)
        mean = (tables[rows, : len(slots)] * asked).sum(axis=0) / asked.sum(axis=0)
        means.append(mean)
        rest = (tables[rows, : len(slots)] - mean) * asked
        possible = sampled.frame.answerable[sampled.frame.relation == relation][:, slots]
        noise[relation] = _noise(rest, asked, possible.astype(np.float64))
        if len(slots) > 1:
            spread[relation] = mean.var(ddof=1)
        if len(slots) > 2:
            tails[relation] = ((mean - mean.mean()) ** 2).var(ddof=1) * (len(slots) / (len(slots) - 2)) ** 2
    nothing = np.zeros(number)
    away = tuple(np.zeros((1, len(mean))) for mean in means)
    made = TemplateMeans(tuple(means), away, spread, nothing, np.zeros(len(sampled.pair)), nothing, tails)
    return made, _between(sampled, spread, noise, tails)


def _noise(rest: Floats, asked: Floats, possible: Floats) -> float:
    """What the variance between template means owes to the pairs that each template met.

    Two templates that met the same pairs have a part of their noise in common, which is no difference between them.

    Args:
        rest: (p, l) values less their template's mean; zero where a template did not meet a pair.
        asked: (p, l) one where it did.
        possible: (P, l) the same of all pairs of the relation: one where it could have met it.
    """
    count, of_pair, of = asked.sum(axis=0), asked.sum(axis=1), possible.sum(axis=0)
    free, couples = (count - 1).sum(), (of_pair * (of_pair - 1)).sum()
    if len(count) < 2 or free <= 0:
        return 0.0
    alone = (shortfall(count, of) * (rest**2).sum() / free).mean()
    shared = max(0.0, ((rest.sum(axis=1) ** 2).sum() - (rest**2).sum()) / couples) if couples else 0.0
    common = asked.T @ asked / np.outer(count, count) - possible.T @ possible / np.outer(of, of)
    np.fill_diagonal(common, 0)
    return float(alone - shared * common.sum() / (len(count) * (len(count) - 1)))


def _between(sampled: Sampled, spread: Floats, noise: Floats, tails: Floats) -> Between:
    """The variance between templates; its error is that of a normal sample's variance, and of what was not asked."""
    frame = sampled.frame
    between = np.where(sampled.templates_of > 1, spread - noise, 0.0)
    size = frame.weights.sum(axis=1) / frame.widths
    weight = size / size.sum()
    population = (frame.widths - 1) / frame.widths
    free = np.maximum(sampled.templates_of - 1, 1)
    error = (2 * noise**2 + 4 * noise * np.maximum(between, 0)) / free
    error += shortfall(sampled.templates_of, frame.widths) * tails
    total = float(weight**2 @ (population * between))
    return Between(weight, between, noise, total, float(np.sqrt(weight**4 @ (population**2 * error))))


def _spread(
    sampled: Sampled, templates: tuple[TemplateMeans, Between], slots: Any, seed: int
) -> tuple[Interval, Interval, Floats]:
    """The stdev over draws, their range, and (R, L) template means that go with them."""
    means, known = templates
    weights = sampled.frame.weights
    likely = simulated_means(sampled, means, known, SIMULATIONS, seed, noisy=False)
    drawn = draws_of(likely, weights, slots)
    reaches = np.ptp(drawn, axis=1)
    middle, point = float(reaches.mean()), float(drawn.std(axis=1).mean())
    shown = likely[int(np.abs(reaches - middle).argmin())]
    highest, off = most_of(len(slots))
    if known.total <= 0:  # all that is seen may be noise
        high = (Z * CAUTION * known.error) ** _HALF
        return Interval(0.0, 0.0, high), Interval(0.0, 0.0, 2 * highest * high), shown
    error = known.error / known.total
    reach = Z * CAUTION * error
    half = Z * CAUTION * ((middle * error / 2) ** 2 + 2 * (off * point) ** 2) ** _HALF
    if sampled.whole:
        reach, half = 0.0, 0.0
    return (
        Interval(point, point * max(0.0, 1 - reach) ** _HALF, point * (1 + reach) ** _HALF),
        Interval(middle, max(0.0, middle - half), middle + half),
        shown,
    )
