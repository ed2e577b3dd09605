"""What `tashika evaluate myriadlama --plan` saves, and whether its intervals hold: many plans against one full run.

    python bench/plan.py PREDICTIONS [--seeds 200] [--half-widths 0.02,0.03,0.05]    a full run's predictions.parquet
    python bench/plan.py --paper [--seeds 100] [--half-widths 0.02,0.03]                synthetic, of the paper's shape

The full run's answers are looked up instead of asking a model again, so a plan takes seconds. Each seed draws another
pilot, another sample and other draws of templates; the truth is the full run's number with the same draws. With
--paper the answers are those of made-up models (41 relations, 100 templates each, 24,643 pairs, 6.5 million prompts;
Beta-distributed template effects, pairs and names that differ) with about the Acc@1 and stdev of BERT-base in the
paper's Table 2.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tashika.core.draws import shuffled
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.fluctuation import Cells, fluctuation_of
from tashika.evaluate.myriadlama.lite.components import Sampled
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS, estimate
from tashika.evaluate.myriadlama.lite.plan import pilot_design, plan
from tashika.evaluate.myriadlama.metrics import MEASURES
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.evaluate.myriadlama.sampling import Design, turns

RELATIONS, TEMPLATES, PAIRS, DRAWS = 41, 100, 24_643, 5000


@dataclass(frozen=True)
class Answers:
    """A full run that is looked things up in; n rows, M names of pairs.

    Attributes:
        table: Its predictions.
        frame: Its frame.
        pair: (n,) places in the frame.
        template: (n,) codes.
        name: (n,) places in the list of the pairs' names.
        template_ids: By code.
        relation: (templates,) the relation of each.
        pair_of_name: (M,).
        alias_ids: (M,).
    """

    table: pa.Table
    frame: Frame
    pair: Codes
    template: Codes
    name: Codes
    template_ids: list[str]
    relation: Codes
    pair_of_name: Codes
    alias_ids: list[str]

    @classmethod
    def of(cls, table: pa.Table) -> Answers:
        """Reads a full run; what it could not answer is left out."""
        table = table.filter(pc.is_null(table["problem"]))
        frame = Frame.of_predictions(table)
        pair = np.searchsorted(frame.pairs, table["pair"].to_numpy())
        template, template_ids = _coded(table["template_id"])
        alias, alias_ids = _coded(table["subject_alias_id"])
        keys, name = np.unique(pair * len(alias_ids) + alias, return_inverse=True)
        place = {one: relation for relation, ids in enumerate(frame.templates) for one in ids}
        return cls(
            table,
            frame,
            pair,
            template,
            name,
            template_ids,
            np.asarray([place.get(one, len(frame.templates)) for one in template_ids]),
            keys // len(alias_ids),
            [alias_ids[one] for one in (keys % len(alias_ids)).tolist()],
        )

    def draw(self, design: Design, seed: int) -> pa.Table:
        """The rows that a design asks for, as `sampling.Order` draws them."""
        frame = self.frame
        turn = turns(frame.relation, shuffled(map(str, frame.pairs.tolist()), seed))
        rows = (turn < np.asarray(design.pairs)[frame.relation])[self.pair]
        if design.templates is not None:
            rows &= (turns(self.relation, shuffled(self.template_ids, seed)) < design.templates)[self.template]
        if design.names is not None:
            rows &= (turns(self.pair_of_name, shuffled(self.alias_ids, seed)) < design.names)[self.name]
        return self.table.filter(pa.array(rows))


def _coded(column: pa.ChunkedArray) -> tuple[Codes, list[str]]:
    merged: Any = column.combine_chunks()
    merged = merged if pa.types.is_dictionary(merged.type) else merged.dictionary_encode()
    return merged.indices.to_numpy(zero_copy_only=False).astype(np.int64), merged.dictionary.to_pylist()


def paper(*, level: float, spread: float, seed: int = 0) -> pa.Table:
    """Answers of a made-up model to 6.5 million prompts.

    Args:
        level: How easy prompts are: about the mean of Acc@1.
        spread: How far template effects reach, from 0.
        seed: Of everything.
    """
    random = np.random.default_rng(seed)
    relation_of_pair = np.sort(np.r_[np.arange(RELATIONS), random.integers(0, RELATIONS, PAIRS - RELATIONS)])
    names = 1 + random.binomial(4, 0.41, PAIRS)  # 2.64 on average
    pair_of_name = np.repeat(np.arange(PAIRS), names)
    pair = np.repeat(pair_of_name, TEMPLATES)
    name = np.repeat(np.arange(len(pair_of_name)), TEMPLATES)
    template = relation_of_pair[pair] * TEMPLATES + np.tile(np.arange(TEMPLATES), len(pair_of_name))
    of_template = random.beta(1, 4, RELATIONS * TEMPLATES) * spread
    of_relation = np.repeat(random.normal(0, 0.5, RELATIONS), TEMPLATES)
    knowledge = random.normal(0, 1.2, PAIRS)
    fame = random.normal(0, 0.5, len(name) // TEMPLATES)
    score = (of_template + of_relation)[template].astype(np.float32)
    score += knowledge[pair].astype(np.float32) + fame[name].astype(np.float32)
    score += random.standard_normal(len(pair), dtype=np.float32)
    score -= np.quantile(score, 1 - level)
    rank = np.where(score > 0, 1, 1 + np.exp(np.minimum(-2.2 * score, 10))).astype(np.int32)
    wrong = (template * 7 + random.zipf(1.7, len(pair)) % 50) % 5000
    token = np.where(rank == 1, 5000 + pair, wrong).astype(np.int32)
    sure = (1 / (1 + np.exp(-(0.7 * score + 0.3)))).astype(np.float32)
    return pa.table(
        {
            "relation": _names("P", relation_of_pair[pair].astype(np.int16), RELATIONS),
            "pair": pair.astype(np.int32),
            "template_id": _names("t", template.astype(np.int32), RELATIONS * TEMPLATES),
            "subject_alias_id": _names("a", name.astype(np.int32), len(pair_of_name)),
            "rank": rank,
            "top_word": _names("w", token, int(token.max()) + 1),
            "top_probability": sure,
            "top_10_probability": np.sqrt(sure),
            "problem": pa.nulls(len(pair), pa.string()),
        }
    )


def _names(prefix: str, codes: npt.NDArray[Any], number: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array([f"{prefix}{code:032d}" for code in range(number)]))


@dataclass
class Truth:
    """The full run's numbers; those of the fluctuation depend on the seed of the draws."""

    plain: dict[str, float]
    cells: Cells

    @classmethod
    def of(cls, table: pa.Table) -> Truth:
        """Works them out."""
        found = Predictions.from_table(table)
        scores = belief(found, draws=2).model_dump()
        plain = {name: scores[name] for name in (*MEASURES, "consist@1", "overconf@1", "overconf@10")}
        return cls(plain, Cells.of(found))

    def at(self, seed: int) -> dict[str, float]:
        """All numbers with the draws of a seed."""
        spreads = fluctuation_of(self.cells, DRAWS, seed).overall
        ranges = {f"{measure} range": spread.range for measure, spread in spreads.items()}
        return self.plain | ranges | {f"{measure} stdev": spread.stdev for measure, spread in spreads.items()}


def study(table: pa.Table, half_widths: list[float], seeds: int, pilot_pairs: int) -> None:
    """Prints, for each half-width, what the plans cost and how often each interval holds the truth."""
    answers, truth = Answers.of(table), Truth.of(table)
    frame = answers.frame
    whole = int(frame.prompts.sum())
    print(f"the full run: {whole:,} prompts, {len(frame.pairs):,} pairs, {frame.widths.sum():,} templates")
    rows: dict[float, list[list[tuple[float, ...]]]] = {one: [] for one in half_widths}
    costs: dict[float, list[int]] = {one: [] for one in half_widths}
    designs: dict[float, list[Design]] = {one: [] for one in half_widths}
    for seed in range(seeds):
        true = truth.at(seed)
        first = answers.draw(pilot_design(frame, pilot_pairs), seed)
        pilot = Sampled.of(frame, first)
        for half_width in half_widths:
            found = plan(pilot, half_width, draws=DRAWS)
            sample = answers.draw(found.design, seed)
            intervals = estimate(Sampled.of(frame, sample), draws=DRAWS, seed=seed).intervals
            costs[half_width].append(sample.num_rows)
            designs[half_width].append(found.design)
            rows[half_width].append(
                [(true[name], one.point, one.low, one.high, found.predicted[name]) for name, one in intervals.items()]
            )
        print(f"seed {seed + 1} of {seeds}", end="\r", file=sys.stderr, flush=True)
    for half_width in half_widths:
        _tell(half_width, np.asarray(rows[half_width]), costs[half_width], designs[half_width], whole)


def _tell(half_width: float, found: npt.NDArray[Any], costs: list[int], designs: list[Design], whole: int) -> None:
    true, point, low, high, predicted = np.moveaxis(found, 2, 0)
    width, slack = (high - low) / 2, 1e-12
    holds = (low <= true + slack) & (high >= true - slack)
    pairs = np.mean([sum(one.pairs) for one in designs])
    templates = sorted({one.templates for one in designs}, key=lambda one: one or 10**9)
    names = sorted({one.names for one in designs}, key=lambda one: one or 10**9)
    print(
        f"\nhalf-width {half_width}: {np.mean(costs):,.0f} prompts (from {min(costs):,} to {max(costs):,}), "
        f"{np.mean(costs) / whole:.2%} of all, {whole / np.mean(costs):.1f} times fewer; {pairs:,.0f} pairs, "
        f"templates {templates}, names {names}; every number within it in {(width <= half_width).all(1).mean():.0%} "
        "of the runs"
    )
    print(f"{'':14} {'truth':>8} {'bias':>8} {'1.96 sd':>8} {'half-width':>10} {'predicted':>9} {'coverage':>8}")
    for place, number in enumerate(NUMBERS):
        error = point[:, place] - true[:, place]
        print(
            f"{number:14} {true[:, place].mean():8.4f} {error.mean():+8.4f} {1.96 * error.std():8.4f} "
            f"{width[:, place].mean():10.4f} {predicted[:, place].mean():9.4f} {holds[:, place].mean():8.3f}"
        )


def main() -> None:
    """Reads the arguments."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("predictions", nargs="?", type=Path, help="predictions.parquet of a full run")
    arguments.add_argument("--paper", action="store_true")
    arguments.add_argument("--level", type=float, default=0.11, help="of --paper: Acc@1")
    arguments.add_argument("--spread", type=float, default=6.0, help="of --paper: how far template effects reach")
    arguments.add_argument("--seeds", type=int, default=200)
    arguments.add_argument("--half-widths", default="0.02,0.03,0.05")
    arguments.add_argument("--pilot-pairs", type=int, default=6, help="of each relation")
    chosen = arguments.parse_args()
    if chosen.paper == bool(chosen.predictions):
        arguments.error("give either the predictions of a full run or --paper")
    table = (
        paper(level=chosen.level, spread=chosen.spread)
        if chosen.paper
        else pq.read_table(chosen.predictions, columns=list(COLUMNS))
    )
    study(table, [float(one) for one in chosen.half_widths.split(",")], chosen.seeds, chosen.pilot_pairs)


if __name__ == "__main__":
    main()
