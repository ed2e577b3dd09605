"""`tashika evaluate myriadlama --plan`: a pilot, a plan from it, the rest of the sample, numbers with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.files import read_table, write_batches
from tashika.core.models import Kind, load_tokenizer
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.evaluate import runs
from tashika.evaluate.myriadlama.answers import Answers, blank_form, find_answers, usable_templates
from tashika.evaluate.myriadlama.lite.components import Sampled
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import estimate, estimated_fields
from tashika.evaluate.myriadlama.lite.plan import Plan, check_half_width, check_pilot, pilot_design, plan
from tashika.evaluate.myriadlama.metrics import Drawn, Limits, MyriadLamaMetrics, Sampling
from tashika.evaluate.myriadlama.predictions import COLUMNS, PREDICTION
from tashika.evaluate.myriadlama.prompts import WorkList
from tashika.evaluate.myriadlama.run import NUMBERS, Run, manifest_counts, measure_scores, precision_of, tokenised
from tashika.evaluate.myriadlama.sampling import Design, Order, Sample


@dataclass(frozen=True)
class PlanOptions:
    """What a plan is asked for.

    Attributes:
        half_width: Of the 95 % interval of every number.
        pilot_pairs: Pairs of each relation in the pilot.
    """

    half_width: float = 0.02
    pilot_pairs: int = 6

    def check(self) -> None:
        """Refuses what makes no sense, before anything is asked.

        Raises:
            InputError: A half-width that is not between 0 and .5, or a pilot that can show no variance.
        """
        check_half_width(self.half_width)
        check_pilot(self.pilot_pairs)


def plan_options(plan: bool, half_width: float | None, pilot_pairs: int | None, sample: Sample) -> PlanOptions | None:
    """What the command line asks for; None without --plan.

    Raises:
        InputError: The options do not go together, or make no sense.
    """
    if not plan:
        for option, value in (("--half-width", half_width), ("--pilot-pairs", pilot_pairs)):
            if value is not None:
                raise InputError(f"found {option} without --plan", hint="Add --plan.")
        return None
    if not sample.whole:
        raise InputError("found --plan together with a limit", hint="A plan chooses the sample: leave the limits out.")
    options = PlanOptions(
        PlanOptions.half_width if half_width is None else half_width,
        PlanOptions.pilot_pairs if pilot_pairs is None else pilot_pairs,
    )
    options.check()
    return options


def frame_of(name: str, kind: Kind, prompts: WorkList) -> tuple[Frame, Answers]:
    """What a model can answer; needs its tokenizer, not its weights."""
    usable = usable_templates(prompts.template_texts, kind)
    answers = find_answers(load_tokenizer(name), prompts, usable)
    forms = np.asarray([blank_form(text) for text in prompts.template_texts], dtype=np.int64)
    return Frame.of(prompts, answers, usable, forms), answers


@dataclass(frozen=True)
class PlannedRun:
    """One model on its way through a plan.

    Attributes:
        run: The model and the release.
        options: What the plan is asked for.
        order: The prompts that the model can answer, in the order in which they are drawn.
        answers: The correct tokens.
        first: The pilot's design.
    """

    run: Run
    options: PlanOptions
    order: Order
    answers: Answers
    first: Design

    @classmethod
    def of(cls, run: Run, options: PlanOptions) -> PlannedRun:
        """Finds what the model can be asked; needs its tokenizer, not its weights."""
        options.check()
        frame, answers = frame_of(run.system.given, run.kind, run.prompts)
        order = Order.of(run.prompts, frame, run.settings.seed)
        return cls(run, options, order, answers, pilot_design(frame, options.pilot_pairs))

    @property
    def folder(self) -> Path:
        """Where predictions and numbers lie."""
        return self.run.workspace.evaluate / f"{self.run.system.folder()}-plan-{self.options.half_width:g}"

    @property
    def pilot_folder(self) -> Path:
        """Where the pilot lies, which plans of all half-widths share."""
        return self.run.workspace.evaluate / f"{self.run.system.folder()}-pilot"

    def keys(self) -> dict[str, Any]:
        """What all predictions depend on, as plain values."""
        return {**self.run.keys(), "seed": self.run.settings.seed}

    def ask_pilot(self) -> Path:
        """Asks the pilot's prompts; gives the file of predictions."""
        folder = self.pilot_folder
        keys = {**self.keys(), "design": asdict(self.first)}
        stage = Stage("pilot", folder, self.run.tables, keys, [folder / "pilot.parquet"])
        recipe = self.run.recipe(self.order.take(self.first))

        def predict() -> Mapping[str, Any]:
            say(f"{self.run.system.name}: a pilot of {len(recipe.work):,} prompts")
            prompts = runs.predict(stage, recipe, self.run.system, f"{folder.name}, prompts")
            return {"prompts": prompts, **tokenised(recipe)}

        stage.run(predict, what=f"{folder.name}, predictions")
        runs.forget(stage, recipe)
        return stage.outputs[0]

    def ask_rest(self, pilot: Path, design: Design) -> Path:
        """Asks what the plan wants beyond the pilot; gives the file with both."""
        folder = self.folder
        keys = {**self.keys(), "pilot": asdict(self.first), "design": asdict(design)}
        inputs = [pilot, *self.run.tables]
        stage = Stage("predictions", folder, inputs, keys, [folder / "predictions.parquet"])
        rest = Stage("rest", folder, inputs, keys, [folder / "rest.parquet"])
        recipe = self.run.recipe(self.order.take(design, without=self.first))

        def predict() -> Mapping[str, Any]:
            parts = [read_table(pilot)]
            if len(recipe.work):
                runs.predict(rest, recipe, self.run.system, f"{folder.name}, prompts")
                parts.append(read_table(rest.outputs[0]))
            rows: Any = pa.concat_tables([part.cast(PREDICTION) for part in parts])
            write_batches(stage.outputs[0], rows.to_batches(), PREDICTION)
            rest.outputs[0].unlink(missing_ok=True)
            return {"prompts": rows.num_rows, "of_the_pilot": parts[0].num_rows}

        stage.run(predict, what=f"{folder.name}, predictions")
        runs.forget(rest, recipe)
        return stage.outputs[0]

    def sampled(self, predictions: Path) -> Sampled:
        """A file of predictions as a sample of what the model can be asked."""
        return Sampled.of(self.order.frame, read_table(predictions, columns=list(COLUMNS)))


def announce_plan(run: Run, options: PlanOptions) -> None:
    """Says what the pilot would cost, without loading the weights."""
    planned = PlannedRun.of(run, options)
    pilot, whole = planned.order.take(planned.first), int(planned.order.frame.prompts.sum())
    say(
        f"{run.system.name}: the pilot would ask {len(pilot):,} prompts about {len(pilot.pair_number):,} pairs, "
        f"{len(pilot) / whole:.1%} of the {whole:,} that the model can answer. What follows depends on its answers: "
        f"enough to know every number within {options.half_width:g}, and at most the rest."
    )


def evaluate_with_plan(run: Run, options: PlanOptions) -> MyriadLamaMetrics:
    """Scores one model on the smallest sample that is expected to keep the half-width, see `plan`.

    Makes `evaluate/MODEL-pilot/pilot.parquet`, which plans of all half-widths share, and in `evaluate/MODEL-plan-W/`
    `predictions.parquet` and `metrics.json`, whose content is returned: BELIEF's numbers as estimates of the whole
    release's, `intervals`, and `plan`. What was done before is not done again.
    """
    planned = PlannedRun.of(run, options)
    pilot = planned.ask_pilot()
    chosen = plan(planned.sampled(pilot), options.half_width, draws=run.settings.draws)
    target = planned.ask_rest(pilot, chosen.design)
    settings = {**planned.keys(), **run.settings.model_dump(), **asdict(options), "numbers": NUMBERS}
    folder = planned.folder
    scoring = Stage("metrics", folder, [target, pilot, *run.sources], settings, [folder / "metrics.json"])
    work = lambda: _planned_metrics(planned, chosen, pilot, target)  # noqa: E731
    return runs.measure(scoring, work, MyriadLamaMetrics, manifest_counts, f"{folder.name}, scores")


def _planned_metrics(planned: PlannedRun, chosen: Plan, pilot: Path, target: Path) -> MyriadLamaMetrics:
    """BELIEF's numbers of the sample, with those of the whole release in the place of the first ones."""
    run, frame, sampled = planned.run, planned.order.frame, planned.sampled(target)
    estimates = estimate(sampled, draws=run.settings.draws, seed=run.settings.seed)
    first = planned.first.describe(frame, planned.sampled(pilot).prompts)
    recipe = run.recipe(planned.order.take(planned.first))
    return MyriadLamaMetrics(
        **measure_scores(target, run) | estimated_fields(estimates),
        **run.origin(),
        intervals={number: interval.describe() for number, interval in estimates.intervals.items()},
        plan=chosen.describe(first, sampled),
        sampling=_sampling(sampled, chosen, run.settings.seed),
        single_token=planned.answers.counts,
        precision=precision_of(recipe, run, pilot, planned.folder.name),
    )


def _sampling(sampled: Sampled, chosen: Plan, seed: int) -> Sampling:
    """What a plan drew of what the model can be asked."""
    frame, design = sampled.frame, chosen.design
    return Sampling(
        whole=sampled.whole,
        seed=seed,
        limits=Limits(pairs=None, templates=design.templates, aliases=design.names),
        pairs=Drawn(drawn=int(sampled.pairs_of.sum()), of=len(frame.pairs)),
        templates=Drawn(drawn=int(sampled.templates_of.sum()), of=int(frame.widths.sum())),
        prompts=Drawn(drawn=sampled.prompts, of=chosen.whole),
    )
