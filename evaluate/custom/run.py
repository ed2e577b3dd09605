"""A suite file's questions through one model: how it is asked, its predictions, its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.files import read_table, remove_leftovers, write_batches
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.metrics import compute
from tashika.evaluate.custom.metrics_model import Asking, CustomMetrics, Sampling
from tashika.evaluate.custom.predictions import PREDICTIONS, problems_of
from tashika.evaluate.custom.prompts import Asked, Prompter
from tashika.evaluate.custom.questions import CustomRelease, Item
from tashika.evaluate.custom.recipe import AskedRecipe
from tashika.evaluate.custom.tasks.choosing import require_letters
from tashika.evaluate.custom.tasks.judging import READER_VERSION as JUDGE_READER
from tashika.evaluate.custom.tasks.names import TRAINING
from tashika.evaluate.custom.tasks.tuning import TunedRecipe, questions_of, require_trainable, training_settings
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, measure, predict, versions
from tashika.evaluate.systems import System
from tashika.evaluate.ways.letter_answers import READER_VERSION as LETTER_READER

PROMPTS_VERSION: Final = 1
"""Part of the settings: raise it when a model reads something else, or a reply is read otherwise."""

_APART: Final = frozenset({"by", "resamples", "concurrency", "split", "few_shot_split", "kind", "missing_replies"})
_NOT_OF_TUNED: Final = frozenset({"way", "norm", "cue", "chat", "system", "few_shot"})
"""Settings that no prediction depends on beside the items that are asked."""

_OF_TASK: Final[Mapping[str, tuple[str, ...]]] = {
    "way": ("multiple_choice",),
    "norm": ("multiple_choice", "classification"),
    "match": ("generate",),
    "scale": ("judge",),
    "cue": ("multiple_choice",),
    "max_tokens": ("multiple_choice", "classification", "cloze", "generate", "judge"),
}


@dataclass(frozen=True)
class Run:
    """One model on one release, or on a sample of it.

    Attributes:
        suite: The suite file.
        workspace: Where the files lie.
        release: What is asked about.
        system: The model.
        limit: Items that are asked about; None for all.
        judge: Who scores answers; None with other tasks.
        chunk: Questions that are written together; 0 takes a number that fits the device.
    """

    suite: CustomSuite
    workspace: Workspace
    release: CustomRelease
    system: System
    limit: int | None = None
    judge: System | None = None
    chunk: int = 0

    @classmethod
    def of(
        cls,
        suite: CustomSuite,
        workspace: Workspace,
        release: CustomRelease,
        system: System,
        *,
        limit: int | None = None,
        judge: System | None = None,
        chunk: int = 0,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model is a masked one and cannot be asked this, an item has too many options, or there are
                fewer examples than are wanted.
        """
        run = cls(suite, workspace, release, system, limit, judge, chunk)
        purpose = {"multiple_choice": "to choose among options", "classification": "to score labels"}
        if run.tuned:
            require_trainable(system, release)
        elif run.form.task != "cloze":
            system.require_causal(purpose.get(run.form.task, "to answer in words"))
        if run.prompter.letters:
            require_letters(run.asked)
        return run

    @property
    def form(self) -> EvaluateForm:
        """The section [evaluate]."""
        assert self.suite.file.evaluate is not None
        return self.suite.file.evaluate

    @property
    def in_words(self) -> bool:
        """Whether the model answers in words."""
        return self.system.kind == "chat" or self.form.task in {"generate", "judge"}

    @property
    def tuned(self) -> bool:
        """Whether the model is fine-tuned on another part of the release."""
        return self.system.kind == "masked" and bool(self.form.training_splits)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """What is asked about."""
        return self.release.drawn(self.limit, self.form.seed)

    @cached_property
    def examples(self) -> tuple[Item, ...]:
        """What stands before each question."""
        if not self.form.few_shot or self.tuned:
            return ()
        return self.release.examples(self.form.few_shot, self.form.seed)

    @property
    def prompter(self) -> Prompter:
        """What makes the texts."""
        return Prompter(self.form, self.examples, self.in_words)

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """The questions as they are read."""
        prompter = self.prompter
        return tuple(prompter.asked(item) for item in self.items)

    @property
    def folder(self) -> Path:
        """Where predictions and scores lie."""
        form = self.form
        likelihood = form.task == "multiple_choice" and not self.in_words
        how = "fine-tuned" if self.tuned else form.way if likelihood else ""
        shots = f"{form.few_shot}-shot" if form.few_shot and not self.tuned else ""
        judge = f"by-{self.judge.folder()}" if self.judge else ""
        sample = "" if self.limit is None else f"{self.limit}-items"
        name = self.system.folder(form.task.replace("_", "-"), how, shots, judge, sample)
        return self.workspace.evaluate / name

    def settings(self) -> dict[str, Any]:
        """The section [evaluate], as far as predictions depend on it with this task."""
        values = self.form.model_dump(mode="json", exclude=set(_APART), exclude_none=True)
        values = {
            name: value for name, value in values.items() if self.form.task in _OF_TASK.get(name, (self.form.task,))
        }
        idle = set() if self.in_words else {"max_tokens", "temperature"}
        idle |= set(_NOT_OF_TUNED) if self.tuned else set(TRAINING)
        values = {name: value for name, value in values.items() if name not in idle}
        return {name: value for name, value in values.items() if value not in ({}, "", [])}

    def keys(self) -> dict[str, Any]:
        """What predictions depend on, as plain values."""
        return {
            "model": self.system.describe(),
            "asked": self.settings(),
            "labels": list(self.items[0].target.names) if self.form.task == "classification" else [],
            "missing_replies": self.form.missing_replies,
            "examples": [item.item_id for item in self.examples],
            "judge": self.judge.describe() if self.judge else None,
            "sample": {} if self.limit is None else {"items": self.limit, "seed": self.form.seed},
            "versions": [ENGINE_VERSION, PROMPTS_VERSION, LETTER_READER, JUDGE_READER],
            "release": self.release.digest,
        }

    def stage(self) -> Stage:
        """The predictions."""
        target = self.folder / "predictions.parquet"
        files = [self.release.file, *(self.release.training_files if self.tuned else ())]
        return Stage("predictions", self.folder, files, self.keys(), [target])

    def recipe(self) -> Recipe:
        """How a model on this machine scores options or blanks."""
        system = self.system
        kind: Any = system.kind
        if self.tuned:
            train, validation = (questions_of(items) for items in self.release.training)
            return TunedRecipe(
                system.given,
                kind,
                str(system.device),
                str(system.dtype),
                self.asked,
                questions_of(self.items),
                train,
                validation,
                training_settings(self.form, system),
                (self.folder / "training").resolve(),
            )
        return AskedRecipe(
            system.given, kind, str(system.device), str(system.dtype), self.asked, self.form, chunk=self.chunk
        )


def evaluate_model(run: Run) -> CustomMetrics:
    """Scores one model: writes `predictions.parquet` and `metrics.json` into its folder, and returns the latter.

    What was done before is not done again; an interrupted run resumes.
    """
    stage = run.stage()
    stage.run(lambda: _predict(run, stage), what=f"{run.folder.name}, predictions")
    if not run.in_words:
        forget(stage, run.recipe())
    [target] = stage.outputs
    form = run.form
    settings = {**run.keys(), "by": list(form.by), "resamples": form.resamples, "seed": form.seed}
    return measure(
        Stage("metrics", run.folder, [target, run.release.file], settings, [run.folder / "metrics.json"]),
        lambda: _metrics(run, target),
        CustomMetrics,
        lambda metrics: {"questions": metrics.questions, "counted": metrics.counted},
        f"{run.folder.name}, scores",
    )


def _predict(run: Run, stage: Stage) -> Mapping[str, Any]:
    """Writes the predictions and counts them for the manifest."""
    from tashika.evaluate.custom.words import answered

    [target] = stage.outputs
    if run.in_words:
        table = answered(run)
        remove_leftovers(target)
        write_batches(target, table.to_batches(), PREDICTIONS)
    else:
        predict(stage, run.recipe(), run.system, f"{run.folder.name}, questions")
    problems = problems_of(read_table(target, PREDICTIONS))
    return {"questions": len(run.items), "problems": problems, "not_answered": sum(problems.values())}


def _metrics(run: Run, target: Path) -> CustomMetrics:
    release, form = run.release, run.form
    itself = run.judge is not None and run.judge.revision == run.system.revision
    table = read_table(target, PREDICTIONS)
    numbers = compute(table, run.release.items, form, in_words=run.in_words, itself=itself)
    judge = SystemInfo(**run.judge.describe()) if run.judge else None
    examples = [item.item_id for item in run.examples]
    return CustomMetrics(
        **dict(numbers),
        model=SystemInfo(**run.system.describe(), parameters=run.system.parameters),
        release=ReleaseInfo(version=release.version, digest=release.digest, simulated=release.simulated),
        asking=Asking(
            task=form.task,
            in_words=run.in_words,
            tuned=run.tuned,
            settings=run.settings(),
            examples=examples,
            judge=judge,
        ),
        sampling=_sampling(run),
        resamples=form.resamples,
        versions=versions(*(("openai",) if run.system.kind == "chat" else LOCAL_LIBRARIES)),
    )


def _sampling(run: Run) -> Sampling:
    return Sampling(
        whole=len(run.items) == len(run.release.items),
        limit=run.limit,
        seed=run.form.seed,
        drawn=len(run.items),
        of=len(run.release.items),
        untargeted=dict(run.release.untargeted),
    )
