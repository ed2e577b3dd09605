"""`tashika evaluate myriadlama --lite`: the release's lite set, the same prompts for every model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_table
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.evaluate import runs
from tashika.evaluate.myriadlama.answers import Answers
from tashika.evaluate.myriadlama.lite.components import Sampled
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import estimated_fields
from tashika.evaluate.myriadlama.lite.lite_estimates import estimate_from_list
from tashika.evaluate.myriadlama.lite.plan_run import frame_of
from tashika.evaluate.myriadlama.metrics import AskedOf, Drawn, Limits, LiteMetrics, MyriadLamaMetrics, Sampling
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.evaluate.myriadlama.prompts import LITE_TABLE, Release, WorkList
from tashika.evaluate.myriadlama.run import NUMBERS, Run, manifest_counts, measure_scores, precision_of, tokenised
from tashika.evaluate.myriadlama.sampling import used_templates, work_of

LITE: Final = "lite"
"""In the name of a folder of scores."""


def require_no_limits(*, plan: bool, limits: bool) -> None:
    """Refuses what does not go with the lite set.

    Args:
        plan: Whether a plan is asked for.
        limits: Whether a limit is.

    Raises:
        InputError: One is.
    """
    if plan or limits:
        what = "--plan" if plan else "a limit"
        raise InputError(
            f"found --lite together with {what}",
            hint="The lite set is one list, the same for every model: leave --lite or the other out.",
        )


def lite_work(work: WorkList, release: Release) -> WorkList:
    """The prompts of a release's lite set, one after the other.

    Args:
        work: All prompts of the release.
        release: With its lite set.

    Raises:
        MissingStageError: It has none.
        InputError: The lite set has a prompt that the release does not.
    """
    if release.lite is None:
        raise MissingStageError(
            "the release has no lite set",
            where=LITE_TABLE,
            hint="Export again with `[export.lite] pairs` above 0 (20 if nothing is set): a release of an older "
            "version has none.",
        )
    table = release.lite
    places = [
        _places(table, column, names)
        for column, names in (("template_id", work.template_ids), ("subject_alias_id", work.alias_ids))
    ]
    pair = np.searchsorted(work.pair_number, table["pair"].to_numpy())
    return work_of(work, np.minimum(pair, len(work.pair_number) - 1), alias=places[1], template=places[0])


def _places(table: pa.Table, column: str, names: tuple[str, ...]) -> Any:
    known = {name: place for place, name in enumerate(names)}
    wanted = [str(name) for name in table[column].to_pylist()]
    missing = next((name for name in wanted if name not in known), None)
    if missing is not None:
        raise InputError(
            f"the lite set has the {column} {missing}, which the release does not have",
            where=LITE_TABLE,
            hint="Export the release again.",
        )
    return np.asarray([known[name] for name in wanted], dtype=np.int64)


def sampling_of_lite(work: WorkList, drawn: WorkList) -> Sampling:
    """What the lite set has of the release, for the metrics."""
    return Sampling(
        whole=len(drawn) == len(work),
        seed=0,
        limits=Limits(pairs=None, templates=None, aliases=None),
        pairs=Drawn(drawn=len(np.unique(drawn.pair_number)), of=len(work.pair_number)),
        templates=Drawn(drawn=int(used_templates(drawn).sum()), of=len(work.template_ids)),
        prompts=Drawn(drawn=len(drawn), of=len(work)),
    )


@dataclass(frozen=True)
class LiteRun:
    """One model on the lite set.

    Attributes:
        run: The model and the release.
        work: The prompts of the lite set.
        frame: What the model can be asked of the whole release.
        answers: The correct tokens.
    """

    run: Run
    work: WorkList
    frame: Frame
    answers: Answers

    @classmethod
    def of(cls, run: Run) -> LiteRun:
        """Finds what the model can be asked; needs its tokenizer, not its weights."""
        work = lite_work(run.prompts, run.release)
        return cls(run, work, *frame_of(run.system.given, run.kind, run.prompts))

    @property
    def folder(self) -> Path:
        """Where predictions and numbers lie."""
        return self.run.workspace.evaluate / self.run.system.folder(LITE)

    def metrics(self, target: Path) -> MyriadLamaMetrics:
        """BELIEF's numbers of the prompts asked, with estimates of the whole release's in the place of the first ones.

        Args:
            target: The predictions.
        """
        run = self.run
        table = read_table(target, columns=list(COLUMNS))
        frame = self.frame.of_relations(Predictions.from_table(table).relations)
        sampled = Sampled.of(frame, table)
        estimates = estimate_from_list(sampled, draws=run.settings.draws, seed=run.settings.seed)
        every = int(self.frame.prompts.sum())
        relations = AskedOf(asked=len(frame.relations), of=len(self.frame.relations))
        return MyriadLamaMetrics(
            **measure_scores(target, run) | estimated_fields(estimates),
            **run.origin(),
            intervals={number: interval.describe() for number, interval in estimates.intervals.items()},
            lite=LiteMetrics(prompts=AskedOf(asked=sampled.prompts, of=every), relations=relations),
            sampling=sampling_of_lite(run.prompts, self.work),
            single_token=self.answers.counts,
            precision=precision_of(run.recipe(self.work), run, target, self.folder.name),
        )


def announce_lite(run: Run) -> None:
    """Says what a run would do, without loading the weights."""
    lite = LiteRun.of(run)
    say(
        f"{run.system.name} ({run.kind}): would be asked the lite set, {len(lite.work):,} of {len(run.prompts):,} "
        f"prompts about {len(np.unique(lite.work.pair_number)):,} pairs, as far as it can answer them."
    )


def evaluate_lite(run: Run) -> MyriadLamaMetrics:
    """Scores one model on the lite set: `predictions.parquet` and `metrics.json` in `evaluate/MODEL-lite`.

    What was done before is not done again; an interrupted run resumes.
    """
    lite = LiteRun.of(run)
    folder = lite.folder
    recipe = run.recipe(lite.work)
    inputs = [*run.tables, run.workspace.release / LITE_TABLE]
    stage = Stage("predictions", folder, inputs, run.keys(), [folder / "predictions.parquet"])

    def predict() -> Mapping[str, Any]:
        return {"prompts": runs.predict(stage, recipe, run.system, f"{folder.name}, prompts"), **tokenised(recipe)}

    stage.run(predict, what=f"{folder.name}, predictions")
    runs.forget(stage, recipe)
    [target] = stage.outputs
    settings = {**run.keys(), **run.settings.model_dump(), "numbers": NUMBERS}
    scoring = Stage("metrics", folder, [target, *run.sources], settings, [folder / "metrics.json"])
    return runs.measure(
        scoring, lambda: lite.metrics(target), MyriadLamaMetrics, manifest_counts, f"{folder.name}, scores"
    )
