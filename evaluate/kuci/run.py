"""KUCI through one system: how it comes to its choices, its predictions, its numbers.

An encoder is fine-tuned on the training part of each set and scored on its test part, from its own weights or from
those of an earlier run, which can also be scored as they are; a causal model is scored as it is, by the likelihood of
each option behind the context; a chat model answers with a letter; a baseline is trained like an encoder and sees the
options alone, or is a rule that understands nothing.

The predictions of each set and training run are a stage of their own under `parts/`, so that sets and seeds can be
added; `predictions.parquet` is all of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa

from tashika.core.files import read_table, remove_leftovers, write_batches
from tashika.core.models import Kind
from tashika.core.stages import Stage
from tashika.core.suites.kuci.words import SPLITS, Conditions, Split
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.engine.shards import Shard
from tashika.evaluate.kuci.answers import ask
from tashika.evaluate.kuci.asking import baseline_choices, baseline_scores
from tashika.evaluate.kuci.baselines import answers_of
from tashika.evaluate.kuci.metrics import MeasureSettings, against_chance, measure
from tashika.evaluate.kuci.metrics_model import AgainstChance, KuciMetrics, Sampling, Scoring, Training
from tashika.evaluate.kuci.predictions import PREDICTIONS, choice_table, scored_table
from tashika.evaluate.kuci.questions import PAIRS_FILE, KuciQuestion, KuciRelease, draw_questions, question_file
from tashika.evaluate.kuci.recipe import Asked, LikelihoodRecipe, Parts, TrainingRecipe, TrainingRun, training_note
from tashika.evaluate.kuci.settings import EvaluateSettings, Way
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, predict_stages, versions
from tashika.evaluate.runs import measure as measure_once
from tashika.evaluate.systems import System


@dataclass(frozen=True)
class Run:
    """One system on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        system: The model, or the baseline.
        way: How it comes to its choices.
        settings: The section [evaluate].
        sets: Which sets it is scored on.
        seeds: Of its training runs; one 0 where nothing is trained.
        limit: Questions of each part of each set; None for all.
    """

    workspace: Workspace
    release: KuciRelease
    system: System
    way: Way
    settings: EvaluateSettings
    sets: tuple[Conditions, ...]
    seeds: tuple[int, ...]
    limit: int | None = None

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: KuciRelease,
        system: System,
        way: Way,
        settings: EvaluateSettings,
        sets: Sequence[Conditions],
        *,
        limit: int | None = None,
    ) -> Run:
        """A run with the seeds that its way of choosing takes."""
        seeds = settings.training.seeds if way.how == "fine-tuned" else (0,)
        return cls(workspace, release, system, way, settings, tuple(sets), tuple(seeds), limit)

    @property
    def folder(self) -> Path:
        """Where predictions and numbers lie."""
        sample = "" if self.limit is None else f"{self.limit}-questions"
        if self.way.how == "baseline":
            name = "-".join(part for part in ("baseline", self.system.given, sample) if part)
            return self.workspace.evaluate / name
        how = "" if self.way.how == "chat" else self.way.how
        seen = "options-only" if self.way.show == "options" else ""
        norm = "" if self.way.norm == "none" else self.way.norm
        start = f"from-{self.way.start.digest[:6]}" if self.way.start else ""
        return self.workspace.evaluate / self.system.folder(how, start, seen, norm, sample)

    @property
    def split(self) -> Split:
        """The part that is scored."""
        return "test" if self.way.trained or self.way.how == "transferred" else self.settings.split

    def questions(self, conditions: Conditions, split: Split | None = None) -> tuple[KuciQuestion, ...]:
        """What is asked of a set: the part that is scored, or another."""
        part = self.release.part(conditions, split or self.split)
        return draw_questions(part, self.limit, self.settings.seed)

    def keys(self) -> dict[str, Any]:
        """What predictions depend on beside the set and the seed, as plain values."""
        return {
            "model": self.system.describe(),
            "scoring": self.way.describe(self.settings),
            "split": self.split,
            "sample": {} if self.limit is None else {"limit": self.limit, "seed": self.settings.seed},
            "engine": ENGINE_VERSION,
            "release": self.release.digest,
        }


class Part(NamedTuple):
    """The predictions of one set in one training run.

    Attributes:
        run: The set and the seed; the seed is 0 where nothing is trained.
        stage: Makes them.
    """

    run: TrainingRun
    stage: Stage


def parts_of(run: Run) -> list[Part]:
    """All parts of a run's predictions, in their order."""
    return [_part(run, TrainingRun(conditions, seed)) for conditions in run.sets for seed in run.seeds]


def _part(run: Run, training: TrainingRun) -> Part:
    folder = run.folder / "parts"
    splits = SPLITS if run.way.trained else (run.split,)
    inputs = [run.workspace.release / question_file(training.conditions, split) for split in splits]
    settings = {**run.keys(), "set": training.conditions, "training_seed": training.seed}
    return Part(training, Stage(training.name, folder, inputs, settings, [folder / f"{training.name}.parquet"]))


def evaluate_system(run: Run) -> KuciMetrics:
    """Scores one system: `predictions.parquet` and `metrics.json` in its folder; the latter's content is returned.

    What was done before is not done again; an interrupted run resumes with the shards or training runs that are
    missing.
    """
    parts = parts_of(run)
    _make_parts(run, [part for part in parts if part.stage.manifest() is None])
    made = [part.stage.outputs[0] for part in parts]
    target = run.folder / "predictions.parquet"
    joining = Stage("predictions", run.folder, made, run.keys(), [target])
    joining.run(lambda: _join(made, target), what=f"{run.folder.name}, predictions")
    settings = {**run.keys(), "seed": run.settings.seed, "resamples": run.settings.resamples, "sets": list(run.sets)}
    inputs = [target, run.workspace.release / PAIRS_FILE]
    return measure_once(
        Stage("metrics", run.folder, inputs, settings, [run.folder / "metrics.json"]),
        lambda: _measured(run, parts, target),
        KuciMetrics,
        lambda metrics: {"questions": sum(metrics.sampling.drawn.values()), "sets": len(metrics.sets)},
        f"{run.folder.name}, scores",
    )


def _join(parts: Sequence[Path], target: Path) -> Mapping[str, Any]:
    table = pa.concat_tables([read_table(part, PREDICTIONS) for part in parts])
    write_batches(target, table.to_batches(), PREDICTIONS)
    return {"predictions": table.num_rows, "answered": table.num_rows - table["choice"].null_count}


# --- the numbers ---


def _measured(run: Run, parts: Sequence[Part], target: Path) -> KuciMetrics:
    questions = {conditions: run.questions(conditions) for conditions in run.sets}
    settings = MeasureSettings(run.settings.resamples, run.settings.seed)
    numbers = measure(read_table(target, PREDICTIONS), questions, run.release.markers, settings)
    libraries = {"chat": ("openai",), "baseline": ("scipy",)}.get(run.way.how, LOCAL_LIBRARIES)
    release, by_part = run.release, _by_part(run)
    return KuciMetrics(
        **dict(numbers),
        model=SystemInfo(**run.system.describe(), parameters=run.system.parameters),
        release=ReleaseInfo(version=release.version, digest=release.digest, simulated=release.simulated),
        scoring=Scoring(**run.way.describe(run.settings)),
        split=run.split,
        seeds=list(run.seeds) if run.way.how == "fine-tuned" else [],
        sampling=_sampling(run),
        training=_training(parts),
        by_part=by_part,
        all_parts={name: _together(list(parts.values())) for name, parts in by_part.items() if parts},
        versions=versions(*libraries),
    )


def _sampling(run: Run) -> Sampling:
    """What was drawn of what, by set."""
    return Sampling(
        whole=run.limit is None,
        limit=run.limit,
        seed=run.settings.seed,
        drawn={name: len(run.questions(name)) for name in run.sets},
        of={name: len(run.release.part(name, run.split)) for name in run.sets},
    )


def _by_part(run: Run) -> dict[Conditions, dict[Split, AgainstChance]]:
    """How right a baseline is in each part, by set; empty for any other system.

    What is learned for a part is learned from the others, so that a baseline is asked about all of a release: more
    questions make a narrower interval.
    """
    if run.way.how != "baseline":
        return {}
    shares: dict[Conditions, dict[Split, AgainstChance]] = {}
    for conditions in run.sets:
        parts = {split: run.questions(conditions, split) for split in SPLITS}
        choices = baseline_choices(run.system, parts, run.release.markers, run.settings.bag)
        shares[conditions] = {
            split: against_chance(int((chosen == answers_of(parts[split])).sum()), len(chosen))
            for split, chosen in choices.items()
        }
    return shares


def _together(parts: Sequence[AgainstChance]) -> AgainstChance:
    """Parts as one."""
    return against_chance(sum(part.correct for part in parts), sum(part.questions for part in parts))


def _training(parts: Sequence[Part]) -> list[Training]:
    """The training of trained parts, from their manifests."""
    rows = []
    for run, stage in parts:
        manifest = stage.manifest()
        note = manifest["counts"].get("training") if manifest else None
        if note:
            rows.append(Training(**{"set": run.conditions, **note, "seed": run.seed}))
    return rows


# --- the predictions ---


def _make_parts(run: Run, parts: Sequence[Part]) -> None:
    """Makes the parts that are missing: those of a model on this machine beside each other, others one by one."""
    if run.way.how in {"chat", "baseline"}:
        for part in parts:
            part.stage.run(partial(_make_part, run, part), what=f"{run.folder.name}, {part.stage.name}")
    elif parts:
        _score_parts(run, parts)


def _score_parts(run: Run, parts: Sequence[Part]) -> None:
    """Scores on every device, or on a Ray cluster; each part is written when all are scored."""
    recipe: Recipe
    if run.way.how == "zero-shot":
        recipe = likelihood_recipe(run, parts)
        lengths = [len(run.questions(part.run.conditions)) for part in parts]
    else:
        recipe = training_recipe(run, parts)
        lengths = [1] * len(parts)
    stages = [(part.stage, length) for part, length in zip(parts, lengths, strict=True)]
    what = "training runs" if run.way.how == "fine-tuned" else "questions"
    shards = predict_stages(stages, recipe, run.system, f"{run.folder.name}, {what}")
    for part, own in zip(parts, shards, strict=True):
        part.stage.run(partial(_write_part, part, own), what=f"{run.folder.name}, {part.stage.name}")
        forget(part.stage, recipe)  # not before the manifest vouches for the predictions
        if not run.settings.keep_weights:  # of a training run that was killed, and ended on another machine
            shutil.rmtree(_training_folder(run) / part.run.name, ignore_errors=True)


def _write_part(part: Part, shards: Sequence[Shard]) -> Mapping[str, Any]:
    tables = [read_table(shard.path, PREDICTIONS) for shard in shards]
    note = training_note(tables[0]) if tables else None
    plain = [table.replace_schema_metadata(None).cast(PREDICTIONS) for table in tables]
    whole = pa.concat_tables([PREDICTIONS.empty_table(), *plain]).combine_chunks()
    return {**_written(part.stage, whole), **({"training": note} if note else {})}


def _written(stage: Stage, table: pa.Table) -> dict[str, Any]:
    """Writes the predictions of a stage; counts them."""
    [target] = stage.outputs
    remove_leftovers(target)
    write_batches(target, table.to_batches(), PREDICTIONS)
    return {"questions": table.num_rows, "answered": table.num_rows - table["choice"].null_count}


def likelihood_recipe(run: Run, parts: Sequence[Part]) -> LikelihoodRecipe:
    """How a causal model is asked the questions of some sets."""
    asked = [Asked(part.run.conditions, question) for part in parts for question in run.questions(part.run.conditions)]
    settings, (name, kind, device, dtype) = run.settings, _model(run.system)
    return LikelihoodRecipe(
        name,
        kind,
        device,
        dtype,
        questions=tuple(asked),
        split=run.split,
        format=settings.format,
        norm=run.way.norm,
        show=run.way.show,
        batch_tokens=settings.batch_tokens or None,
    )


def training_recipe(run: Run, parts: Sequence[Part]) -> TrainingRecipe:
    """How an encoder is trained on some sets, with some seeds."""
    name, kind, device, dtype = _model(run.system)
    return TrainingRecipe(
        name,
        kind,
        device,
        dtype,
        runs=tuple(part.run for part in parts),
        sets={conditions: _asked_parts(run, conditions) for conditions in {part.run.conditions for part in parts}},
        training=run.settings.training,
        show=run.way.show,
        folder=_training_folder(run).resolve(),
        keep_weights=run.settings.keep_weights,
        start=run.way.start,
        untouched=run.way.how == "transferred",
    )


def _model(system: System) -> tuple[str, Kind, str, str]:
    assert system.device is not None
    assert system.dtype is not None
    return system.given, cast("Kind", system.kind), system.device, system.dtype


def _asked_parts(run: Run, conditions: Conditions) -> Parts:
    return Parts(*([question.asked for question in run.questions(conditions, split)] for split in SPLITS))


def _training_folder(run: Run) -> Path:
    return run.folder / "training"


def _make_part(run: Run, part: Part) -> Mapping[str, Any]:
    """Asks an endpoint, or a baseline, about a set."""
    conditions = part.run.conditions
    questions = run.questions(conditions)
    asked = [question.asked for question in questions]
    if run.way.how == "chat":
        title = f"{run.folder.name}, {conditions}"
        replies = ask(run.system, run.settings, run.workspace.cache, questions, title)
        choices = [reply.value for reply in replies]
        problems = [reply.problem for reply in replies]
        table = choice_table(asked, choices, problems, split=run.split, conditions=conditions, seed=0)
        return _written(part.stage, table)
    parts = {split: run.questions(conditions, split) for split in SPLITS}
    scores, note = baseline_scores(run.system, parts, run.release.markers, run.settings.bag)
    table = scored_table(asked, scores, split=run.split, conditions=conditions, seed=0, problems="no score")
    return {**_written(part.stage, table), **note}
