"""The smallest sample of a release that gives every BELIEF number within a stated half-width at 95 %.

A pilot, a small sample, gives the components of variance (`components`). From them the half-width of every number is
predicted for a grid of designs: how many pairs in all, how many templates of each relation, how many names of each
subject. The design with the fewest prompts among those that keep every number is the plan. The grid does not depend
on the half-width, so a smaller one never gives a cheaper plan; the release itself is always in it.

Pairs are shared out among the relations by what is known beforehand, their pairs and prompts. Neyman's shares (1934),
by the standard deviations that the pilot shows, would need somewhat fewer, but bias what follows: a relation whose
pilot happened to be all right shows no variance, gets no more pairs, and stays all right. Every relation keeps the
pilot's pairs, and all designs hold the pilot, so that its answers are used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from tashika.core.errors import InputError
from tashika.evaluate.engine.arrays import Codes
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
from tashika.evaluate.myriadlama.lite.frame import Floats, Frame
from tashika.evaluate.myriadlama.lite.intervals import CAUTION, NUMBERS, Between, Z, between_templates, most_of
from tashika.evaluate.myriadlama.metrics import AskedOf, DesignSize, FrameSize, Measure, PlanMetrics
from tashika.evaluate.myriadlama.sampling import Design

PILOT_TEMPLATES: Final = 8
PILOT_NAMES: Final = 2
"""Two names of a subject are the fewest that show how names differ, and that Consist@1 can be estimated from."""

MARGIN: Final = 1.1
"""A plan aims this much closer than asked, since a pilot knows the variances to about a tenth."""

_STEPS: Final = 240


@dataclass(frozen=True)
class Plan:
    """What is to be asked, and what it is expected to give.

    Attributes:
        half_width: As asked for.
        design: The sizes.
        predicted: The half-width to expect of each of `NUMBERS`.
        prompts: Prompts to expect.
        whole: Prompts of the release that the model can answer.
    """

    half_width: float
    design: Design
    predicted: Mapping[str, float]
    prompts: float
    whole: int

    def describe(self, pilot: DesignSize, sampled: Sampled) -> PlanMetrics:
        """For the metrics.

        Args:
            pilot: What the pilot asked.
            sampled: All answers, the pilot's among them.
        """
        frame = sampled.frame
        return PlanMetrics(
            half_width=self.half_width,
            confidence=0.95,
            chosen=self.design.describe(frame, round(self.prompts)),
            of=FrameSize(pairs=len(frame.pairs), templates=int(frame.widths.sum()), prompts=self.whole),
            predicted_half_widths=dict(self.predicted),
            pilot=pilot,
            prompts=AskedOf(asked=sampled.prompts, of=self.whole),
        )


def pilot_design(frame: Frame, pairs: int) -> Design:
    """The pilot: so many pairs of each relation, or all it has, with few templates and names.

    Raises:
        InputError: Fewer than two pairs, of which no variance can be seen.
    """
    check_pilot(pairs)
    return Design(tuple(np.minimum(pairs, frame.sizes).tolist()), PILOT_TEMPLATES, PILOT_NAMES)


def check_pilot(pairs: int) -> None:
    """Refuses a pilot that cannot see how pairs differ.

    Raises:
        InputError: Fewer than two pairs a relation.
    """
    if pairs < 2:
        raise InputError(f"found a pilot of {pairs} pairs a relation; it must be at least 2, to see how pairs differ")


def check_half_width(half_width: float) -> None:
    """Refuses what no number between 0 and 1 can be asked for.

    Raises:
        InputError: The half-width is not between 0 and 0.5.
    """
    if not 0 < half_width < 0.5:
        raise InputError(
            f"found the half-width {half_width}; it must lie between 0 and 0.5",
            hint="0.02 means that a score is known to 2 points, up or down.",
        )


def plan(pilot: Sampled, half_width: float, *, draws: int) -> Plan:
    """Chooses the cheapest design that is expected to keep every number.

    Args:
        pilot: The pilot's answers.
        half_width: Of the 95 % intervals, for all numbers alike.
        draws: N of section 3.2.
    """
    check_half_width(half_width)
    frame = pilot.frame
    known = _Known.of(pilot, draws)
    chosen: tuple[float, Design, dict[str, float]] | None = None
    for templates in _sizes(PILOT_TEMPLATES, int(frame.widths.max())):
        for names in _sizes(PILOT_NAMES, int(frame.aliases.max())):
            pairs = _steps(frame, pilot.pairs_of)
            predicted = known.half_widths(pairs, templates, names)
            widest = np.max([predicted[number] for number in NUMBERS], axis=0)
            fine = np.flatnonzero(widest * MARGIN <= half_width)
            if not len(fine):
                continue
            cost = _prompts(frame, pairs[fine], templates, names)
            best = int(cost.argmin())
            if chosen is None or cost[best] < chosen[0]:
                sizes = tuple(pairs[fine[best]].tolist())
                widths = {number: float(predicted[number][fine[best]]) for number in NUMBERS}
                chosen = float(cost[best]), Design(sizes, templates, names), widths
    assert chosen is not None  # the whole release has no sampling error, and is the last design of the grid
    return Plan(half_width, chosen[1], chosen[2], chosen[0], int(frame.prompts.sum()))


def _sizes(least: int, most: int) -> list[int | None]:
    """The numbers of templates or names to choose from: rising by about a quarter, then all."""
    sizes = [least]
    while sizes[-1] < most:
        sizes.append(max(sizes[-1] + 1, round(sizes[-1] * 1.25)))
    return [*(size for size in sizes if size < most), None]


def _shares(frame: Frame) -> Floats:
    """(R,) rates at which the relations' pairs are drawn, relative to each other."""
    prompts = np.bincount(frame.relation, frame.prompts) / frame.prompts.sum()
    return np.asarray(np.sqrt((prompts**2 + (frame.sizes / frame.sizes.sum()) ** 2) / 2) / frame.sizes)


def _steps(frame: Frame, least: Codes) -> Codes:
    """(designs, R) numbers of pairs, from the pilot's up to all."""
    shares = _shares(frame)
    low, high = 1e-3 / shares.max(), 1 / shares.min()
    rates = low * (high / low) ** np.linspace(0, 1, _STEPS)
    wanted = np.ceil(rates[:, None] * frame.sizes * shares - 1e-9)
    return np.asarray(np.clip(wanted, least, frame.sizes), dtype=np.int64)


def _prompts(frame: Frame, pairs: Codes, templates: int | None, names: int | None) -> Floats:
    """(designs,) prompts to expect."""
    relation, number = frame.relation, len(frame.relations)
    asked = frame.aliases if names is None else np.minimum(frame.aliases, names)
    width = frame.widths if templates is None else np.minimum(frame.widths, templates)
    share = frame.answerable.sum(axis=1) / frame.widths[relation] * width[relation]
    of_pair = np.bincount(relation, asked * share, minlength=number) / frame.sizes
    result: Floats = pairs @ of_pair
    return result


@dataclass(frozen=True)
class _Known:
    """What is known from a pilot's answers."""

    pilot: Sampled
    draws: int
    means: Mapping[str, Mean]
    templates: Mapping[Measure, TemplateMeans]
    spreads: Mapping[Measure, Between]

    @classmethod
    def of(cls, pilot: Sampled, draws: int) -> _Known:
        templates = template_means(pilot)
        spreads = {measure: between_templates(pilot, estimated) for measure, estimated in templates.items()}
        return cls(pilot, draws, {**linear(pilot), "consist@1": consistency(pilot)}, templates, spreads)

    @property
    def _at(self) -> tuple[Floats, Floats]:
        """The pilot's own shortfall of pairs and of templates."""
        frame = self.pilot.frame
        return shortfall(self.pilot.pairs_of, frame.sizes), shortfall(self.pilot.templates_of, frame.widths)

    def half_widths(self, pairs: Codes, templates: int | None, names: int | None) -> dict[str, Floats]:
        """(designs,) predicted half-widths of every number.

        Args:
            pairs: (designs, R) pairs of each relation.
            templates: Templates of each relation.
            names: Names of each subject.
        """
        frame = self.pilot.frame
        left = shortfall(pairs, frame.sizes)
        width = frame.widths if templates is None else np.minimum(frame.widths, templates)
        result: dict[str, Floats] = {}
        for number, mean in self.means.items():
            result[number] = (
                Z * CAUTION * np.sqrt(self._variance(mean, pairs, left, shortfall(width, frame.widths), names))
            )
        for measure in self.templates:
            error, total, open_ = self._spread(measure, pairs, left, width, names)
            result[f"{measure} stdev"] = Z * CAUTION * error / (2 * total**0.5)
            result[f"{measure} range"] = (
                Z
                * CAUTION
                * np.sqrt(
                    _range_variance(self.draws, total, open_) + (most_of(self.draws)[0] * error / total**0.5) ** 2
                )
            )
        return result

    def _names_noise(self, values: Floats, names: int | None) -> Floats:
        """(R,) the noise of names in a pair's mean when so many are asked, a mean over the pilot's pairs."""
        if names is None:
            return np.zeros(len(self.pilot.rows))
        of = self.pilot.of_names
        return mean_by(self.pilot, shortfall(np.minimum(names, of), of) * values)

    def _variance(self, mean: Mean, pairs: Codes, left: Floats, open_: Floats, names: int | None) -> Floats:
        at_pairs, at_templates = self._at
        if mean.crude:
            some = 0.0 if names is None else mean_by(self.pilot, (self.pilot.of_names > names).astype(np.float64))
            inner = left * mean.row + some * mean.row / self.pilot.frame.sizes + open_ * mean.column
            return np.asarray(inner @ mean.weight**2)
        noise = mean_by(self.pilot, shortfall(self.pilot.names, self.pilot.of_names) * mean.names)
        row = np.maximum(mean.row - at_templates * mean.cell - noise, 0)
        column = np.maximum(mean.column - at_pairs * mean.cell, 0)
        inner = left * row + self._names_noise(mean.names, names) / pairs + open_ * (column + left * mean.cell)
        return np.asarray(inner @ mean.weight**2)

    def _spread(
        self, measure: Measure, pairs: Codes, left: Floats, width: Codes, names: int | None
    ) -> tuple[Floats, float, Floats]:
        """Error of the sum of template variances, the sum, and the part of it that stays open."""
        frame = self.pilot.frame
        estimated = self.templates[measure]
        known = self.spreads[measure]
        population = (frame.widths - 1) / frame.widths
        kept = np.maximum(known.between, 0)
        noise = left * estimated.cell + self._names_noise(estimated.names, names) / pairs
        asked = self.pilot.templates_of
        slope = np.where(estimated.spread > 0, estimated.slope / np.maximum(estimated.spread, 1e-300), 0) * (
            kept + noise
        )
        share = np.where(estimated.cell > 0, noise / np.maximum(estimated.cell, 1e-300), 0)
        tails = estimated.tails * (np.maximum(asked - 2, 1) / asked) ** 2 * (width / np.maximum(width - 2, 1)) ** 2
        error = (share * slope + shortfall(width, frame.widths) * tails) @ (known.weight**4 * population**2)
        total = max(known.total, float(known.weight**2 @ (population * kept)) / 2, 1e-12)
        part = width / frame.widths
        inner = part * kept * noise / np.maximum(kept + noise, 1e-300) + (1 - part) * kept
        return np.sqrt(error), total, np.asarray(inner @ (known.weight**2 * population))


def _range_variance(draws: int, total: float, open_: Floats) -> Floats:
    """(designs,) variance of the range of draws when their own variance is known and a part of it is noise.

    With little noise the highest draw stays the highest and has a draw's noise, `open_`; with nothing known it is the
    highest of as many normal draws. Between these the harmonic sum is used, for both ends. It is rather too large.
    """
    most = total * most_of(draws)[1] ** 2
    result: Floats = 2 * open_ * most / np.maximum(open_ + most, 1e-300)
    return result
