"""`tashika evaluate myriadlama --plan`: a pilot, a plan from it, the rest of the sample, numbers with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError
from tashika.core.files import read_json, read_table, write_batches, write_json
from tashika.core.models import Kind, load_tokenizer, model_kind
from tashika.core.progress import say
from tashika.core.records import PREDICTION
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.shards import forget_shards
from tashika.evaluate.myriadlama.answers import Answers, blank_form, find_answers, usable_templates
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS, estimate
from tashika.evaluate.myriadlama.lite.plan import Plan, check_half_width, check_pilot, pilot_design, plan, saving
from tashika.evaluate.myriadlama.prompts import Release, WorkList
from tashika.evaluate.myriadlama.recipe import PromptRecipe
from tashika.evaluate.myriadlama.run import (
    RELEASE_FILES,
    EvaluateSettings,
    measure_scores,
    precision_of,
    predict_with,
)
from tashika.evaluate.myriadlama.sampling import Design, Order
from tashika.evaluate.systems import How, Sample, identity, slug


@dataclass(frozen=True)
class Wanted:
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


def wanted_of(plan: bool, half_width: float | None, pilot_pairs: int | None, sample: Sample) -> Wanted | None:
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
    wanted = Wanted(
        Wanted.half_width if half_width is None else half_width,
        Wanted.pilot_pairs if pilot_pairs is None else pilot_pairs,
    )
    wanted.check()
    return wanted


def frame_of(name: str, kind: Kind, prompts: WorkList) -> tuple[Frame, Answers]:
    """What a model can answer; needs its tokenizer, not its weights."""
    usable = usable_templates(prompts.template_texts, kind)
    answers = find_answers(load_tokenizer(name), prompts, usable)
    forms = np.asarray([blank_form(text) for text in prompts.template_texts], dtype=np.int64)
    return Frame.of(prompts, answers, usable, forms), answers


def announce_plan(name: str, prompts: WorkList, settings: EvaluateSettings, wanted: Wanted) -> None:
    """What the pilot would cost, without loading the weights."""
    wanted.check()
    frame, _ = frame_of(name, model_kind(name), prompts)
    pilot = Order.of(prompts, frame, settings.seed).take(pilot_design(frame, wanted.pilot_pairs))
    whole = int(frame.prompts.sum())
    say(
        f"{name}: the pilot would ask {len(pilot):,} prompts about {len(pilot.pair_number):,} pairs, "
        f"{len(pilot) / whole:.1%} of the {whole:,} that the model can answer. What follows depends on its answers: "
        f"enough to know every number within {wanted.half_width:g}, and at most the rest."
    )


@dataclass(frozen=True)
class _Run:
    """One model on its way through a plan.

    Attributes:
        release: Of the prompts.
        files: The release's files.
        name: The model, a folder or a name on the Hub.
        about: Which model it is, see `identity`.
        settings: The section [evaluate].
        how: Where it runs.
        order: The prompts in the order in which they are drawn.
        keys: What all predictions depend on.
    """

    release: Release
    files: Sequence[Path]
    name: str
    about: Mapping[str, Any]
    settings: EvaluateSettings
    how: How
    order: Order
    keys: Mapping[str, Any]

    def recipe(self, work: WorkList) -> PromptRecipe:
        """How to score some prompts."""
        about = self.about
        return PromptRecipe(
            self.name, about["kind"], about["device"], about["dtype"], work, self.settings.batch_tokens or None
        )

    def pilot(self, folder: Path, design: Design) -> Path:
        """Asks the pilot's prompts; the same for all half-widths."""
        target = folder / "pilot.parquet"
        stage = Stage("pilot", folder, self.files, {**self.keys, "design": asdict(design)}, [target])
        recipe = self.recipe(self.order.take(design))

        def work() -> Mapping[str, Any]:
            say(f"{self.about['name']}: a pilot of {len(recipe.work):,} prompts")
            return predict_with(recipe, self.how, target, stage.fingerprint(), f"{folder.name}, prompts")

        stage.run(work, what=f"{folder.name}, predictions")
        forget_shards(target, stage.fingerprint())
        return target

    def rest(self, folder: Path, pilot: Path, designs: tuple[Design, Design]) -> Path:
        """Asks what the plan wants beyond the pilot; gives the file with both."""
        target, rest = folder / "predictions.parquet", folder / "rest.parquet"
        keys = {**self.keys, "pilot": asdict(designs[0]), "design": asdict(designs[1])}
        stage = Stage("predictions", folder, [pilot, *self.files], keys, [target])
        recipe = self.recipe(self.order.take(designs[1], without=designs[0]))

        def work() -> Mapping[str, Any]:
            parts = [read_table(pilot)]
            if len(recipe.work):
                predict_with(recipe, self.how, rest, stage.fingerprint(), f"{folder.name}, prompts")
                parts.append(read_table(rest))
            rows: Any = pa.concat_tables([part.cast(PREDICTION) for part in parts])
            write_batches(target, rows.to_batches(), PREDICTION)
            rest.unlink(missing_ok=True)
            return {"prompts": rows.num_rows, "of_the_pilot": parts[0].num_rows}

        stage.run(work, what=f"{folder.name}, predictions")
        forget_shards(rest, stage.fingerprint())
        return target


def evaluate_with_plan(
    workspace: Workspace,
    release: Release,
    prompts: WorkList,
    name: str,
    settings: EvaluateSettings,
    wanted: Wanted,
    how: How | None = None,
) -> dict[str, Any]:
    """Scores one model on the smallest sample that is expected to keep the half-width, see `plan`.

    Makes `evaluate/MODEL-pilot/pilot.parquet`, which plans of all half-widths share, and in `evaluate/MODEL-plan-W/`
    `predictions.parquet` and `metrics.json`, whose content is returned: BELIEF's numbers as estimates of the whole
    release's, `intervals`, and `plan`. What was done before is not done again.
    """
    wanted.check()
    how = how or How()
    about = identity(name, how)
    base = slug(about, Sample(seed=settings.seed), ours=Path(name).parent == workspace.root / "models")
    folder = workspace.evaluate / f"{base}-plan-{wanted.half_width:g}"
    files = [workspace.release / file for file in RELEASE_FILES]
    frame, answers = frame_of(name, about["kind"], prompts)
    keys = {"model": about, "engine": ENGINE_VERSION, "release": release.digest, "seed": settings.seed}
    order = Order.of(prompts, frame, settings.seed)
    run = _Run(release, files[1:], name, about, settings, how, order, keys)
    first = pilot_design(frame, wanted.pilot_pairs)
    pilot = run.pilot(workspace.evaluate / f"{base}-pilot", first)
    found = plan(sampled_of(frame, pilot), wanted.half_width, draws=settings.draws)
    target = run.rest(folder, pilot, (first, found.design))
    metrics = folder / "metrics.json"

    def measure() -> Mapping[str, Any]:
        content = _scores(run, target, found, (first, pilot))
        content["single_token"] = answers.counts
        content["precision"] = precision_of(run.recipe(order.take(first)), run.how, pilot, settings, folder.name)
        write_json(metrics, content)
        return {"n_prompts": content["n_prompts"], "n_pairs": content["n_pairs"]}

    asked = {**keys, **settings.model_dump(), **asdict(wanted)}
    Stage("metrics", folder, [target, pilot, *files], asked, [metrics]).run(measure, what=f"{folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def sampled_of(frame: Frame, predictions: Path) -> Any:
    """A file of predictions as a sample of a frame."""
    from tashika.evaluate.myriadlama.lite.components import Sampled
    from tashika.evaluate.myriadlama.predictions import COLUMNS

    return Sampled.of(frame, read_table(predictions, columns=list(COLUMNS)))


def _scores(run: _Run, target: Path, found: Plan, pilot: tuple[Design, Path]) -> dict[str, Any]:
    """BELIEF's numbers of the sample, with those of the whole release in the place of the first ones."""
    frame, settings, release = run.order.frame, run.settings, run.release
    sampled = sampled_of(frame, target)
    estimates = estimate(sampled, draws=settings.draws, seed=settings.seed)
    scores = measure_scores(target, release, settings, run.about["kind"])
    plain = {number: one.point for number, one in estimates.intervals.items() if number in scores}
    whole = int(frame.prompts.sum())
    return {
        **scores,
        **plain,
        "fluctuation": dict(estimates.fluctuation),
        "intervals": {number: one.plain() for number, one in estimates.intervals.items()},
        "plan": {
            **found.describe(frame),
            "pilot": {**pilot[0].describe(frame), "prompts": sampled_of(frame, pilot[1]).prompts},
            "prompts": {"asked": sampled.prompts, "of": whole},
        },
        "sampling": {
            "whole": sampled.whole,
            "seed": settings.seed,
            "limits": {"pairs": None, "templates": found.design.templates, "aliases": found.design.names},
            "pairs": {"drawn": int(sampled.pairs_of.sum()), "of": len(frame.pairs)},
            "templates": {"drawn": int(sampled.templates_of.sum()), "of": int(frame.widths.sum())},
            "prompts": {"drawn": sampled.prompts, "of": whole},
        },
        "model": run.about,
        "release": {"version": release.version, "digest": release.digest, "simulated": release.simulated},
        "versions": {one: version(one) for one in ("tashika", "torch", "transformers", "tokenizers")},
    }


def print_intervals(scores: Sequence[Mapping[str, Any]]) -> None:
    """The intervals of each model that was scored by a plan, and what that saved, on standard output."""
    console = Console()
    for found in scores:
        model = found["model"]
        table = Table("95 % interval", "low", "estimate", "high", title=f"{model['name']}, by plan")
        for number in NUMBERS:
            one = found["intervals"][number]
            table.add_row(number, *(f"{one[key]:.4f}" for key in ("low", "point", "high")))
        console.print(table)
        console.print(f"{model['name']}: {saving(found)}", markup=False, highlight=False, soft_wrap=True)
