"""How far the lite set's estimates are from the full runs of models that did not choose it, beside random lists.

    python bench/lite.py WORK MODEL [MODEL ...] [--draws 200]    folders of full runs under WORK/myriadlama/evaluate

The full runs' answers are looked up, so a list takes a part of a second. Five ways to choose as many prompts:

- the lite set of the release;
- lists chosen in the same way with other starts (the first pair of each stretch) and another order without meaning;
- random lists of its shape: pairs in no order, templates dealt out all the same;
- crossed: random pairs that all meet the same 4 random templates of their relation, with one name;
- single prompts at random, where means alone can be had.

For the lite set the error is printed, for the others its root mean square over the draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tashika.core.workspace import Workspace
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.lite.components import LINEAR, Sampled, consistency, linear
from tashika.evaluate.myriadlama.lite.frame import Floats, Frame
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS, estimate, estimated_fields
from tashika.evaluate.myriadlama.lite.lite_estimates import (
    dealt_consistency,
    dealt_means,
    estimate_from_list,
    mean_over_prompts,
    values_of,
)
from tashika.evaluate.myriadlama.metrics import MEASURES
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.exports.myriadlama.expansion import Expansion, expansion
from tashika.exports.myriadlama.lite import by_object, dealt
from tashika.exports.myriadlama.settings import LiteSettings
from tashika.exports.myriadlama.wording_order import wording_order

SHOWN: Final = (*LINEAR, "consist@1", *(f"{measure} stdev" for measure in MEASURES))
"""The numbers that need no simulation; the range follows the stdev."""

Chooser = Callable[[np.random.Generator], Sequence[int]]


@dataclass(frozen=True)
class World:
    """A release as its lite set is chosen from; n prompts.

    Attributes:
        product: All prompts.
        texts: Of all templates.
        objects: Relation -> subject -> objects.
        place: Relation and subject -> the pair.
        settings: The shape of the lists.
    """

    product: Expansion
    texts: list[str]
    objects: Mapping[str, Mapping[str, Sequence[str]]]
    place: Mapping[tuple[str, str], int]
    settings: LiteSettings

    @classmethod
    def of(cls, workspace: Workspace, settings: LiteSettings) -> World:
        """Reads a release."""
        facts, aliases, templates = (
            pq.read_table(workspace.release / name / f"{name}.parquet") for name in ("facts", "aliases", "templates")
        )
        product = expansion(templates, aliases, facts)
        objects: dict[str, dict[str, list[str]]] = {}
        for row in facts.select(["relation", "subject", "object"]).to_pylist():
            objects.setdefault(row["relation"], {}).setdefault(row["subject"], []).append(row["object"])
        keys = zip(product.relations.to_pylist(), product.subjects.to_pylist(), strict=True)
        texts = [str(text) for text in templates["text"].to_pylist()]
        return cls(product, texts, objects, {key: pair for pair, key in enumerate(keys)}, settings)

    def rows(self, random: np.random.Generator, *, ordered: bool, crossed: bool = False) -> Iterator[int]:
        """Numbers of the prompts of a list.

        Args:
            random: What is left to chance.
            ordered: Whether pairs go by object and templates by wording, as in the lite set.
            crossed: Whether all pairs of a relation meet the same templates.
        """
        for relation, of_subject in self.objects.items():
            subjects = by_object(of_subject, int(random.integers(1 << 30)))
            ranked = subjects if ordered else [subjects[turn] for turn in random.permutation(len(subjects))]
            turns = random.permutation(_spread(len(ranked), self.settings.pairs, random))
            pairs = [self.place[relation, ranked[turn]] for turn in turns]
            start, count = (
                int(part[pairs[0]]) for part in (self.product.template_span.start, self.product.template_span.count)
            )
            order = wording_order(self.texts[start : start + count]) if ordered else random.permutation(count).tolist()
            some = [order[turn] for turn in _spread(count, self.settings.templates, random)]
            chosen = [some[turn] for turn in random.permutation(len(some))]
            first = int(random.integers(len(chosen)))
            for turn, pair in enumerate(pairs):
                yield from self._pair(pair, first + turn, chosen, random, crossed=crossed)

    def _pair(
        self, pair: int, turn: int, templates: Sequence[int], random: np.random.Generator, *, crossed: bool
    ) -> Iterator[int]:
        names, width = int(self.product.alias_span.count[pair]), int(self.product.template_span.count[pair])
        name = int(random.integers(names))
        places = (
            [(name, place) for place in range(min(self.settings.prompts, len(templates)))]
            if crossed
            else dealt(turn, len(templates), names, name, self.settings.prompts)
        )
        yield from (int(self.product.offsets[pair]) + one * width + templates[place] for one, place in places)


def _spread(number: int, wanted: int, random: np.random.Generator) -> list[int]:
    """Places from 0 to below `number`, evenly spread from a random start, or all."""
    if wanted >= number:
        return list(range(number))
    return ((random.random() + np.arange(wanted)) * number / wanted).astype(int).tolist()


@dataclass(frozen=True)
class Looked:
    """A full run that is looked things up in.

    Attributes:
        table: What it could answer.
        frame: Of it.
        place: (prompts of the release,) the row of each prompt; -1 where it has none.
        truth: The full run's numbers.
    """

    table: pa.Table
    frame: Frame
    place: Codes
    truth: Mapping[str, float]

    @classmethod
    def of(cls, path: Path, ids: Codes) -> Looked:
        """Reads a full run.

        Args:
            path: Its predictions.
            ids: Of all prompts of the release.
        """
        table = pq.read_table(path, columns=["item_id", *COLUMNS])
        assert table.num_rows == len(ids), f"{path} has {table.num_rows} of {len(ids)} prompts: no full run"
        table = table.filter(pc.is_null(table["problem"]))
        place = np.asarray(pc.fill_null(pc.index_in(pa.array(ids), value_set=table["item_id"].combine_chunks()), -1))
        found = Predictions.from_table(table)
        frame = Frame.of_predictions(table)
        whole = estimate(Sampled.of(frame, table), draws=5000, seed=0)
        truth = {number: interval.point for number, interval in whole.intervals.items()}
        scores = belief(found)
        assert all(abs(getattr(scores, name) - value) < 1e-6 for name, value in _plain(estimated_fields(whole)))
        return cls(table, frame, place, truth)

    def sampled(self, rows: Sequence[int]) -> Sampled:
        """The answers to some prompts."""
        known = self.place[np.asarray(rows)]
        table = self.table.take(pa.array(known[known >= 0]))
        return Sampled.of(self.frame.of_relations(Predictions.from_table(table).relations), table)

    def errors(self, rows: Sequence[int]) -> Floats:
        """(SHOWN,) estimates from a list less the full run's numbers."""
        sampled = self.sampled(rows)
        values = values_of(sampled.predictions)
        templates = {number: dealt_means(sampled, value) for number, value in values.items()}
        points = {number: mean_over_prompts(sampled, values[number], templates[number])[0] for number in LINEAR}
        points["consist@1"] = dealt_consistency(sampled)[0]
        points |= {f"{measure} stdev": max(templates[measure][1].total, 0.0) ** 0.5 for measure in MEASURES}
        return self._off(points)

    def errors_crossed(self, rows: Sequence[int]) -> Floats:
        """The same of a crossed list."""
        sampled = self.sampled(rows)
        points = {number: mean.point for number, mean in {**linear(sampled), "consist@1": consistency(sampled)}.items()}
        return self._off(points)

    def errors_single(self, rows: Sequence[int]) -> Floats:
        """The same of plain means of single prompts."""
        known = self.place[np.asarray(rows)]
        values = values_of(Predictions.from_table(self.table.take(pa.array(known[known >= 0]))))
        return self._off({number: float(value.mean()) for number, value in values.items()})

    def _off(self, points: Mapping[str, float]) -> Floats:
        return np.asarray([points.get(number, np.nan) - self.truth[number] for number in SHOWN])


def _plain(fields: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    return ((name, value) for name, value in fields.items() if isinstance(value, float))


def study(workspace: Workspace, models: Sequence[str], draws: int) -> None:
    """Prints the errors of each model."""
    world = World.of(workspace, LiteSettings())
    ids = world.product.columns(np.arange(world.product.rows))["item_id"]
    lite = np.flatnonzero(np.isin(ids, pq.read_table(workspace.release / "lite" / "lite.parquet")["item_id"]))
    choosers: dict[str, Chooser] = {
        "other starts": lambda random: list(world.rows(random, ordered=True)),
        "random list": lambda random: list(world.rows(random, ordered=False)),
        "crossed": lambda random: list(world.rows(random, ordered=False, crossed=True)),
        "single": lambda random: random.permutation(world.product.rows)[: len(lite)].tolist(),
    }
    held = 0
    for model in models:
        full = Looked.of(workspace.evaluate / model / "predictions.parquet", ids)
        intervals = estimate_from_list(full.sampled(lite.tolist()), draws=5000, seed=0).intervals
        inside = [intervals[number].low <= full.truth[number] <= intervals[number].high for number in NUMBERS]
        held += sum(inside)
        columns = {"full run": np.asarray([full.truth[number] for number in SHOWN]), "lite": full.errors(lite.tolist())}
        for name, choose in choosers.items():
            random = np.random.default_rng(0)
            errors = {"crossed": full.errors_crossed, "single": full.errors_single}.get(name, full.errors)
            made = np.asarray([errors(choose(random)) for _ in range(draws)])
            columns[name] = np.sqrt((made**2).mean(axis=0))
        asked = int((full.place[lite] >= 0).sum())
        print(
            f"\n{model}: {asked:,} of {len(full.table):,} prompts that it can answer; the intervals hold "
            f"{sum(inside)} of {len(NUMBERS)} numbers; half-width of acc@1 {intervals['acc@1'].half_width:.4f}"
        )
        print(f"{'':17}" + "".join(f"{name:>13}" for name in columns))
        for place, number in enumerate(SHOWN):
            print(f"{number:17}" + "".join(f"{values[place]:13.4f}" for values in columns.values()))
    print(f"\nin all, the intervals hold {held} of {len(models) * len(NUMBERS)} numbers")


def main() -> None:
    """Reads the arguments."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("work", type=Path)
    arguments.add_argument("models", nargs="+")
    arguments.add_argument("--draws", type=int, default=200)
    chosen = arguments.parse_args()
    study(Workspace(chosen.work, "myriadlama"), chosen.models, chosen.draws)


if __name__ == "__main__":
    main()
