"""TempRIPPLE through one model: how it is asked, its predictions, its scores.

A causal model on this machine is scored by the likelihood of the options or of their letters, or answers in words; a
chat model behind an endpoint answers in words. Each question is asked without and with the new fact before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.files import read_table, remove_leftovers, write_batches
from tashika.core.llm import Cost, Question
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, measure, predict, versions
from tashika.evaluate.systems import System
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tashika.evaluate.tempripple.metrics_model import RippleMetrics, Sampling, Scoring, Share
from tashika.evaluate.tempripple.predictions import PREDICTIONS, coverage, normalised, prediction_table
from tashika.evaluate.tempripple.questions import (
    HISTORY_FILE,
    QUESTIONS_FILE,
    Asked,
    RippleQuestion,
    RippleRelease,
    draw_facts,
    in_order,
)
from tashika.evaluate.tempripple.recipe import OptionsRecipe
from tashika.evaluate.tempripple.settings import EvaluateSettings, Way
from tashika.evaluate.ways.generation import Answer, ask_all, cost, require_replies
from tashika.evaluate.ways.letter_answers import read_choice
from tashika.evaluate.ways.names import NORMS
from tashika.evaluate.ways.reply_recipe import Answerer


@dataclass(frozen=True)
class Run:
    """One model on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        system: The model.
        way: How it is asked.
        settings: The section [evaluate].
        limit: Facts that are asked about; None for all.
        questions: Those on these facts.
    """

    workspace: Workspace
    release: RippleRelease
    system: System
    way: Way
    settings: EvaluateSettings
    limit: int | None
    questions: tuple[RippleQuestion, ...]

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: RippleRelease,
        system: System,
        way: Way,
        settings: EvaluateSettings,
        limit: int | None = None,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model is a masked one.
        """
        system.require_causal("to choose among options")
        questions = draw_facts(release, limit, settings.seed)
        return cls(workspace, release, system, way, settings, limit, questions)

    @property
    def folder(self) -> Path:
        """Where predictions and scores lie."""
        how = "" if self.way.options == "chat" else self.way.options
        norm = "" if self.way.norm == "none" else self.way.norm
        sample = "" if self.limit is None else f"{self.limit}-facts"
        return self.workspace.evaluate / self.system.folder(how, norm, sample)

    def keys(self) -> dict[str, Any]:
        """What predictions depend on, as plain values."""
        drawn = {} if self.limit is None else {"facts": self.limit, "seed": self.settings.seed}
        return {
            "model": self.system.describe(),
            "scoring": self.way.describe(self.settings),
            "sample": drawn,
            "engine": ENGINE_VERSION,
            "release": self.release.digest,
        }

    def stage(self) -> Stage:
        """The predictions."""
        inputs = [self.workspace.release / QUESTIONS_FILE]
        return Stage("predictions", self.folder, inputs, self.keys(), [self.folder / "predictions.parquet"])

    def recipe(self) -> OptionsRecipe:
        """How a model on this machine scores the options: both conditions of every question."""
        system, settings = self.system, self.settings
        return OptionsRecipe(
            system.given,
            "causal",
            str(system.device),
            str(system.dtype),
            tuple(in_order(self.questions)),
            self.way,
            settings.format,
            settings.chunk,
            settings.batch_tokens or None,
        )

    def answerer(self) -> Answerer:
        """Who answers in words. Nothing is loaded before the first question."""
        return Answerer(self.system, self.workspace.cache / "answers")


def evaluate_model(run: Run) -> RippleMetrics:
    """Scores one model: writes `predictions.parquet` and `metrics.json` into its folder, and returns the latter.

    What was done before is not done again; an interrupted run resumes.
    """
    stage = run.stage()
    stage.run(lambda: _predict(run, stage), what=f"{run.folder.name}, predictions")
    if not run.way.in_words:
        forget(stage, run.recipe())
    [target] = stage.outputs
    settings = {**run.keys(), "seed": run.settings.seed, "draws": run.settings.draws}
    inputs = [target, *(run.workspace.release / file for file in (QUESTIONS_FILE, HISTORY_FILE))]
    return measure(
        Stage("metrics", run.folder, inputs, settings, [run.folder / "metrics.json"]),
        lambda: _metrics(run, target),
        RippleMetrics,
        lambda metrics: {"questions": len(run.questions), "answered": metrics.coverage.answered},
        f"{run.folder.name}, scores",
    )


def _metrics(run: Run, target: Path) -> RippleMetrics:
    table, release = read_table(target, PREDICTIONS), run.release
    settings = MeasureSettings(release.options, resamples=run.settings.draws, seed=run.settings.seed)
    return RippleMetrics(
        **dict(compute_numbers(table, release.durations, settings)),
        model=SystemInfo(**run.system.describe()),
        release=ReleaseInfo(version=release.version, digest=release.digest, simulated=release.simulated),
        scoring=Scoring(**run.way.describe(run.settings)),
        sampling=_sampling(run),
        coverage=coverage(table),
        versions=versions(*(("openai",) if run.way.options == "chat" else LOCAL_LIBRARIES)),
    )


def _sampling(run: Run) -> Sampling:
    """What was drawn of what."""
    facts = {(question.relation, question.subject) for question in run.questions}
    return Sampling(
        whole=len(run.questions) == len(run.release.questions),
        seed=run.settings.seed,
        limit=run.limit,
        facts=Share(drawn=len(facts), of=len(run.release.facts)),
        questions=Share(drawn=len(run.questions), of=len(run.release.questions)),
    )


def _predict(run: Run, stage: Stage) -> Mapping[str, Any]:
    """Writes the predictions and counts them for the manifest."""
    [target] = stage.outputs
    table = _answered(run) if run.way.in_words else _with_another_norm(run)
    if table is None:
        predict(stage, run.recipe(), run.system, f"{run.folder.name}, questions in both conditions")
    else:
        remove_leftovers(target)
        write_batches(target, table.to_batches(), PREDICTIONS)
    covered = coverage(read_table(target, PREDICTIONS))
    return {
        "questions": len(run.questions),
        "rows": covered.asked,
        "answered": covered.answered,
        "not_answered": covered.asked - covered.answered,
        "problems": covered.problems,
    }


def _with_another_norm(run: Run) -> pa.Table | None:
    """Finished predictions with another normalisation, normalised anew; None where there are none."""
    if run.way.options != "text":
        return None
    for norm in NORMS:
        other = replace(run, way=replace(run.way, norm=norm)).stage()
        if norm != run.way.norm and other.manifest() is not None:
            say(f"{run.folder.name}: taking the likelihoods of {other.directory.name}")
            return normalised(read_table(other.outputs[0], PREDICTIONS), run.way.norm)
    return None


# --- answers in words ---


def _answered(run: Run) -> pa.Table:
    """Asks for the letters. Replies are kept as they come, so an interrupted run asks only for what is missing."""
    rows, answerer = in_order(run.questions), run.answerer()
    answers = ask_all(
        answerer.asked_as(run.settings.llm),
        _prompts(run, rows),
        _readers(rows),
        attempts=run.settings.attempts,
        title=f"{run.folder.name}, answers",
    )
    answerer.forget()
    require_replies(answers, may_be_missing=run.settings.missing_replies, where=run.system.url)
    return prediction_table(rows, map(_answer_columns, answers))


def _answer_columns(answer: Answer[int]) -> Mapping[str, Any]:
    return {"chosen": answer.value, "problem": answer.problem, "reply": answer.reply}


def announced_cost(run: Run) -> Cost:
    """What asking an endpoint will cost at most, after what has arrived before."""
    rows, generator = in_order(run.questions), run.answerer().asked_as(run.settings.llm)
    return cost(generator, _prompts(run, rows), _readers(rows), attempts=run.settings.attempts)


def _prompts(run: Run, rows: Sequence[Asked]) -> list[Question]:
    settings = run.settings
    return [Question(settings.format.lettered(row), settings.max_tokens, settings.system) for row in rows]


def _readers(rows: Sequence[Asked]) -> list[Callable[[str], int]]:
    return [partial(read_choice, options=row.question.options) for row in rows]
