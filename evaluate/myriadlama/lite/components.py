"""Components of variance of BELIEF's numbers, by relation, from a sample of pairs, templates and names.

Within a relation, templates cross pairs: all sampled pairs meet the same sampled templates. The sample is drawn
without replacement from both, so the exact theory is that of cross-classified sampling from a finite population
(Cornfield and Tukey 1956; Juillard, Chauvet, Ruiz-Gazen 2017). With f_n = 1/n - 1/N for pairs and f_l = 1/l - 1/L for
templates,

    Var(mean) = f_n S²_row + f_l S²_column + f_n f_l S²_cell,

where the S² are variances of the population's row means, column means and interactions with divisors N - 1, L - 1 and
(N - 1)(L - 1). The sample's own variances s² have the expectations

    E s²_row = S²_row + f_l S²_cell,    E s²_column = S²_column + f_n S²_cell,    E s²_cell = S²_cell,

so f_n s²_row + f_l s²_column - f_n f_l s²_cell is unbiased. Names are a second stage within a pair (Cochran 1977,
chapter 10): where only a of A are asked, s²_row holds their noise once over n, and the noise over N is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.errors import InputError
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.consistency import agreement_within
from tashika.evaluate.myriadlama.fluctuation import Cells, score
from tashika.evaluate.myriadlama.lite.frame import Floats, Frame, Mask, pair_numbers
from tashika.evaluate.myriadlama.metrics import MEASURES, Measure
from tashika.evaluate.myriadlama.predictions import Predictions, dense

LINEAR: Final = ("acc@1", "acc@10", "mrr", "overconf@1", "overconf@10", "overconf@10 mass")
"""Means over prompts; Overconf@K is one by the identity that `belief` states."""


class Crossed(NamedTuple):
    """Variances of a table's row means, column means and interactions."""

    row: float
    column: float
    cell: float


def crossed(table: Floats) -> Crossed:
    """The three sample variances of an (n, l) table; zero where a dimension has one entry."""
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = table - rows[:, None] - columns + table.mean()
    n, width = table.shape
    return Crossed(
        float(rows.var(ddof=1)) if n > 1 else 0.0,
        float(columns.var(ddof=1)) if width > 1 else 0.0,
        float((rest**2).sum() / ((n - 1) * (width - 1))) if n > 1 and width > 1 else 0.0,
    )


@dataclass(frozen=True)
class Sampled:
    """A sample's answers beside the frame; p pairs and at most w templates a relation were answered.

    Attributes:
        frame: What could have been asked.
        predictions: What was answered.
        cells: Its sums over names.
        pair: (p,) each pair's place in the frame.
        slots: R lists of the frame's slots that were asked; slot w of `cells` is the w-th of them.
        names: (p,) names of the subject that were asked.
        rows: R lists of places below p.
    """

    frame: Frame
    predictions: Predictions
    cells: Cells
    pair: Codes
    slots: tuple[Codes, ...]
    names: Codes
    rows: tuple[Codes, ...]

    @classmethod
    def of(cls, frame: Frame, table: pa.Table) -> Sampled:
        """Places a sample's predictions in the frame.

        Raises:
            InputError: They hold something that the frame does not, or nothing of one of its relations.
        """
        predictions = Predictions.from_table(table)
        if predictions.relations != frame.relations:
            raise InputError(
                f"the sample has answers for {len(predictions.relations)} relations, "
                f"the release for {len(frame.relations)}",
                hint="Ask about more pairs.",
            )
        numbers = pair_numbers(table)
        pair = np.searchsorted(frame.pairs, numbers)
        if not np.array_equal(frame.pairs[np.minimum(pair, len(frame.pairs) - 1)], numbers):
            raise InputError("the sample holds pairs that the release does not", hint="Delete the file and run again.")
        slots = []
        for relation, ids in enumerate(frame.templates):
            place = {name: slot for slot, name in enumerate(ids)}
            templates = np.flatnonzero(predictions.relation_of_template == relation).tolist()
            slots.append(np.asarray([place[predictions.templates[template]] for template in templates]))
        names = np.unique(predictions.name_key) // len(predictions.aliases)
        relations = range(len(predictions.relations))
        rows = tuple(np.flatnonzero(predictions.relation_of_pair == relation) for relation in relations)
        return cls(frame, predictions, Cells.of(predictions), pair, tuple(slots), np.bincount(names), rows)

    @property
    def whole(self) -> bool:
        """Whether everything was asked, so that nothing is left to estimate."""
        return bool(
            (self.pairs_of == self.frame.sizes).all()
            and (self.templates_of == self.frame.widths).all()
            and (self.names == self.frame.aliases[self.pair]).all()
        )

    @property
    def prompts(self) -> int:
        """Prompts answered."""
        return len(self.predictions.rank)

    @property
    def pairs_of(self) -> Codes:
        """(R,) pairs answered."""
        return np.asarray([len(rows) for rows in self.rows])

    @property
    def templates_of(self) -> Codes:
        """(R,) templates answered."""
        return np.asarray([len(slots) for slots in self.slots])

    @property
    def of_names(self) -> Codes:
        """(p,) names that the subjects have."""
        return self.frame.aliases[self.pair]


@dataclass(frozen=True)
class Mean:
    """A number that is a weighted mean of one value a relation, with what its variance is made of.

    Attributes:
        weight: (R,) of the relations, with sum 1.
        value: (R,) the relations' values.
        row: (R,) s² of the pairs.
        column: (R,) s² of the templates.
        cell: (R,) s² of the interaction.
        names: (p,) s² of the names of each sampled pair.
        crude: Whether `names` is only an upper bound, the pairs' own variance.
    """

    weight: Floats
    value: Floats
    row: Floats
    column: Floats
    cell: Floats
    names: Floats
    crude: bool = False

    @property
    def point(self) -> float:
        """The number."""
        return float(self.weight @ self.value)


def shortfall(taken: npt.NDArray[Any], of: npt.NDArray[Any]) -> Floats:
    """1/taken - 1/of: what the variance of a mean keeps of s² when that many were drawn without replacement."""
    result: Floats = 1.0 / np.maximum(taken, 1) - 1.0 / np.maximum(of, 1)
    return np.maximum(result, 0.0)


def mean_by(sampled: Sampled, values: Floats) -> Floats:
    """(R,) the mean of (p,) values over the pairs of each relation."""
    relation = sampled.predictions.relation_of_pair
    number = len(sampled.rows)
    return np.bincount(relation, values, minlength=number) / np.bincount(relation, minlength=number)


def linear(sampled: Sampled) -> dict[str, Mean]:
    """Acc@K, MRR and Overconf@K: means over prompts, as separate ratio estimates weighted by prompts."""
    predictions = sampled.predictions
    frame = sampled.frame
    prompts = np.bincount(frame.relation, frame.prompts, minlength=len(frame.relations)).astype(np.float64)
    weight = prompts / prompts.sum()
    hits = {measure: score(predictions.rank, measure).astype(np.float64) for measure in MEASURES}
    sure = predictions.top_probability.astype(np.float64)
    values: dict[str, Floats] = {str(measure): hit for measure, hit in hits.items()}
    mass = predictions.top_10_probability.astype(np.float64)
    values |= {"overconf@1": sure - hits["acc@1"], "overconf@10": sure - hits["acc@10"]}
    values["overconf@10 mass"] = mass - hits["acc@10"]
    name, keys = dense(predictions.name_key)
    pair_of_name = keys // len(predictions.aliases)
    return {number: _linear(sampled, values[number], weight, name, pair_of_name) for number in LINEAR}


def _linear(sampled: Sampled, value: Floats, weight: Floats, name: Any, pair_of_name: Codes) -> Mean:
    predictions = sampled.predictions
    count = sampled.cells.count
    place = predictions.pair.astype(np.int64) * count.shape[1] + sampled.cells.slot[predictions.template]
    cell = np.bincount(place, value, minlength=count.size).reshape(count.shape) / np.maximum(count, 1)
    size = sampled.of_names[:, None] * (count > 0)  # prompts that the pair would have with the template
    of_name = np.bincount(name, value) / np.bincount(name)
    spread = _variance_within(of_name, pair_of_name, len(count))
    number = len(sampled.rows)
    parts, means, names = np.zeros((number, 3)), np.zeros(number), np.zeros(len(count))
    for relation, rows in enumerate(sampled.rows):
        width = len(sampled.slots[relation])
        asked = size[rows, :width]
        means[relation] = (asked * cell[rows, :width]).sum() / asked.sum()
        scale = asked.mean()
        share = asked.sum(axis=1, keepdims=True) / asked.sum()
        alone = (1 - 1 / len(rows)) / (1 - share) if len(rows) > 1 else 1.0
        parts[relation] = crossed(alone * asked * (cell[rows, :width] - means[relation]) / scale)
        names[rows] = spread[rows] * (asked.mean(axis=1) / scale) ** 2
    row, column, inside = parts.T
    return Mean(weight, means, row, column, inside, names)


def _variance_within(values: Floats, group: Codes, number: int) -> Floats:
    """(number,) the sample variance of the values of each group; zero where there is one."""
    count = np.bincount(group, minlength=number)
    mean = np.bincount(group, values, minlength=number) / np.maximum(count, 1)
    squares = np.bincount(group, (values - mean[group]) ** 2, minlength=number)
    return np.where(count > 1, squares / np.maximum(count - 1, 1), 0.0)


def consistency(sampled: Sampled) -> Mean:
    """Consist@1: a mean over pairs of a share of agreeing comparisons.

    Comparisons are of three kinds: same name, same template, neither. In a sample each kind's share is an unbiased
    U-statistic, and the kinds are weighted as in the whole release, so fewer templates or names bring no bias as long
    as there are two of each that has two. The templates' s² is the jackknife's (Efron and Stein 1981: biased upwards);
    for the names the pairs' own s² is the bound.
    """
    agreeing, possible, without, possible_without = comparisons(sampled)
    frame = sampled.frame
    weights = kinds_of(frame)[:, sampled.pair]
    share, some = _weighted_share(agreeing, possible, weights)
    left_out, some_left = _weighted_share(without, possible_without, weights[:, :, None])
    comparable = np.bincount(frame.relation, frame.prompts > 1, minlength=len(frame.relations)).astype(np.float64)
    value, row, column = np.zeros((3, len(frame.relations)))
    for relation, rows in enumerate(sampled.rows):
        fine = rows[some[rows]]
        if not len(fine):
            continue
        value[relation] = share[fine].mean()
        row[relation] = share[fine].var(ddof=1) if len(fine) > 1 else 0.0
        width = len(sampled.slots[relation])
        if width > 2:
            kept = np.where(some_left[fine, :width], left_out[fine, :width], share[fine, None]).mean(axis=0)
            column[relation] = (width - 1) * ((kept - kept.mean()) ** 2).sum()
    weight = comparable / max(comparable.sum(), 1.0)
    relation_of_pair = sampled.predictions.relation_of_pair
    return Mean(weight, value, row, column, np.zeros(len(row)), row[relation_of_pair], crude=True)


def kinds_of(frame: Frame) -> Floats:
    """(3, P) comparisons of two prompts of each pair of a frame: with the same name, the same template, neither."""
    names, templates = frame.aliases, frame.answerable.sum(axis=1)
    every = names * templates
    by_name, by_template = names * templates * (templates - 1) / 2, templates * names * (names - 1) / 2
    return np.stack([by_name, by_template, every * (every - 1) / 2 - by_name - by_template])


def comparisons(sampled: Sampled) -> tuple[Floats, Floats, Floats, Floats]:
    """Agreeing and possible comparisons of the three kinds, (3, p), and the same without each template, (3, p, w)."""
    predictions = sampled.predictions
    pairs, width = sampled.cells.count.shape
    pair = predictions.pair.astype(np.int64)
    answer = predictions.answer
    cell = pair * width + sampled.cells.slot[predictions.template]
    name, keys = dense(predictions.name_key)
    pair_of_name = keys // len(predictions.aliases)
    every = agreement_within(pair, answer, pairs)
    same_name = agreement_within(name, answer, len(keys)).added(pair_of_name, pairs)
    in_cell = agreement_within(cell, answer, pairs * width)
    same_template = in_cell.added(np.repeat(np.arange(pairs), width), pairs)

    def with_template(group: Any, size: Any) -> tuple[Floats, Floats]:
        """Comparisons of each cell's prompts with the others of their group."""
        number, _ = dense(group.astype(np.int64) * (int(answer.max()) + 1) + answer)
        equal, others = (
            np.bincount(cell, each - 1.0, minlength=pairs * width).reshape(pairs, width).astype(np.float64)
            for each in (np.bincount(number)[number], size[group])
        )
        return equal, others

    of_pair = with_template(pair, np.bincount(pair, minlength=pairs))
    of_name = with_template(name, np.bincount(name, minlength=len(keys)))
    inside = tuple(each.reshape(pairs, width) for each in (in_cell.agreeing, in_cell.possible))
    totals, parts = [], []
    for place, part in enumerate(("agreeing", "possible")):
        whole, by_name, by_template = (getattr(one, part) for one in (every, same_name, same_template))
        totals.append(np.stack([by_name, by_template, whole - by_name - by_template]))
        involved = of_pair[place] - inside[place]  # a comparison inside the cell was counted from both its ends
        gone = np.stack([of_name[place], inside[place], involved - of_name[place] - inside[place]])
        parts.append(totals[place][:, :, None] - gone)
    return totals[0], totals[1], parts[0], parts[1]


def _weighted_share(agreeing: Floats, possible: Floats, weights: Floats) -> tuple[Floats, Mask]:
    """The weighted mean over the kinds of the share that agrees, and where there is anything to compare."""
    used = weights * (possible > 0)
    total = used.sum(axis=0)
    share: Floats = (used * agreeing / np.maximum(possible, 1)).sum(axis=0) / np.where(total > 0, total, 1)
    return share, total > 0


@dataclass(frozen=True)
class TemplateMeans:
    """Estimated means of one measure under each template, whose spread makes the fluctuation; aliases averaged.

    Attributes:
        means: R arrays, of each asked template.
        rest: R tables of the interactions of the pairs and templates that were asked.
        spread: (R,) s² of these means.
        cell: (R,) s² of the interaction of pairs and templates.
        names: (p,) s² of the interaction of names and templates within a pair.
        slope: (R,) s² of each pair's influence on `spread`.
        tails: (R,) s² of the templates' squared distances from their mean.
    """

    means: tuple[Floats, ...]
    rest: tuple[Floats, ...]
    spread: Floats
    cell: Floats
    names: Floats
    slope: Floats
    tails: Floats


def template_means(sampled: Sampled) -> dict[Measure, TemplateMeans]:
    """The template means of each measure."""
    predictions = sampled.predictions
    cells = sampled.cells
    name, keys = dense(predictions.name_key)
    pair_of_name = keys // len(predictions.aliases)
    result: dict[Measure, TemplateMeans] = {}
    for measure in MEASURES:
        value = score(predictions.rank, measure).astype(np.float64)
        result[measure] = _template_means(sampled, cells.sums[measure], value, name, pair_of_name)
    return result


def _template_means(sampled: Sampled, sums: Floats, value: Floats, name: Any, pair_of_name: Codes) -> TemplateMeans:
    count = sampled.cells.count
    cell = sums / np.maximum(count, 1)
    number = len(sampled.rows)
    means: list[Floats] = []
    interactions: list[Floats] = []
    spread, inside, slope, tails = np.zeros((4, number))
    for relation, rows in enumerate(sampled.rows):
        width = len(sampled.slots[relation])
        asked = count[rows, :width] > 0
        mean = np.where(asked, cell[rows, :width], 0).sum(axis=0) / asked.sum(axis=0)
        table = _filled(cell[rows, :width], asked, mean)
        means.append(mean)
        spread[relation] = mean.var(ddof=1) if width > 1 else 0.0
        inside[relation] = crossed(table).cell
        away = mean - mean.mean()
        rest = table - table.mean(axis=1, keepdims=True) - (table.mean(axis=0) - table.mean())
        interactions.append(rest)
        if width > 1 and len(rows) > 1:
            slope[relation] = (2 * rest @ away / (width - 1)).var(ddof=1)
        if width > 2:
            tails[relation] = (away**2).var(ddof=1) * (width / (width - 2)) ** 2
    names = _name_noise(sampled, value, cell, name, pair_of_name)
    return TemplateMeans(tuple(means), tuple(interactions), spread, inside, names, slope, tails)


def _filled(table: Floats, asked: Mask, mean: Floats) -> Floats:
    """Fills what could not be asked with the sum of its row's and column's effects, which adds no interaction."""
    if asked.all():
        return table
    away = np.where(asked, table - mean, 0).sum(axis=1, keepdims=True) / np.maximum(asked.sum(axis=1), 1)[:, None]
    return np.where(asked, table, mean + away)


def _name_noise(sampled: Sampled, value: Floats, cell: Floats, name: Any, pair_of_name: Codes) -> Floats:
    """(p,) s² of the interaction of names and templates within each pair."""
    predictions = sampled.predictions
    count = sampled.cells.count
    pairs = len(count)
    templates = (count > 0).sum(axis=1)
    squares = np.bincount(predictions.pair, value**2, minlength=pairs)
    per_name = np.bincount(name)
    names = np.bincount(pair_of_name, minlength=pairs)
    of_names = np.bincount(pair_of_name, np.bincount(name, value) ** 2 / per_name, minlength=pairs)
    of_cells = (count * cell**2).sum(axis=1)
    total = np.bincount(predictions.pair, value, minlength=pairs) ** 2 / np.bincount(predictions.pair, minlength=pairs)
    free = (names - 1) * (templates - 1)
    return np.where(free > 0, np.maximum(squares - of_names - of_cells + total, 0) / np.maximum(free, 1), 0.0)
