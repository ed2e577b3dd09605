"""TempRIPPLE through one model: how it is asked, its predictions, its scores.

A causal model on this machine is scored by the likelihood of the options or of their letters, or answers in words; a
chat model behind an endpoint answers in words. Each question is asked without and with the new fact before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.files import remove_leftovers, write_batches
from tashika.core.llm import Cost, Question
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, measure, predict, versions
from tashika.evaluate.systems import System
from tashika.evaluate.tempripple.conditions import Condition, Fact, Shown, named_places, shown_before, under
from tashika.evaluate.tempripple.controls import compute_controls
from tashika.evaluate.tempripple.facets import FACTS_FILE
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tashika.evaluate.tempripple.metrics_model import RippleMetrics, Sampling, Scoring, Share
from tashika.evaluate.tempripple.predictions import (
    PREDICTIONS,
    coverage,
    normalised,
    prediction_table,
    read_predictions,
)
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
from tashika.evaluate.tempripple.splits import Era, Resampling
from tashika.evaluate.ways.generation import Answer, ask_all, cost, require_replies
from tashika.evaluate.ways.letter_answers import read_choice
from tashika.evaluate.ways.names import NORMS
from tashika.evaluate.ways.options import has_chat_template
from tashika.evaluate.ways.orders import first_place, rotated, voted
from tashika.evaluate.ways.reply_recipe import Answerer

NUMBERS_VERSION: Final = 2
"""Raise it when `metrics.json` holds other numbers: they are then computed anew from the predictions."""


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
        condition: What stands before the questions; empty for the two conditions of the paper.
    """

    workspace: Workspace
    release: RippleRelease
    system: System
    way: Way
    settings: EvaluateSettings
    limit: int | None
    questions: tuple[RippleQuestion, ...]
    condition: Condition | None = None

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
        template = way.template and system.url is None and has_chat_template(system.given)
        settled = replace(way, template=template, orders=way.orders or release.options)
        return cls(workspace, release, system, settled, settings, limit, questions)

    @cached_property
    def shown(self) -> Mapping[Fact, Shown]:
        """What stands before the questions under a control condition; nothing otherwise."""
        if self.condition is None:
            return {}
        return shown_before(self.release.questions, self.condition, self.settings.seed, self.settings.several)

    def under(self, condition: Condition) -> Run:
        """The same run under a control condition."""
        control = replace(self, condition=condition)
        return replace(control, questions=under(self.questions, control.shown))

    @property
    def with_controls(self) -> list[Run]:
        """This run, and it under each control condition."""
        return [self, *(self.under(condition) for condition in self.settings.conditions)]

    @property
    def rows(self) -> list[Asked]:
        """Every question in each of its conditions, in the order in which they are asked."""
        return in_order(self.questions, (False, True) if self.condition is None else (True,))

    @property
    def folder(self) -> Path:
        """Where predictions and scores lie."""
        how = "" if self.way.options == "chat" else self.way.options
        norm = "" if self.way.norm == "none" else self.way.norm
        sample = "" if self.limit is None else f"{self.limit}-facts"
        orders = "" if self.way.orders == 1 else f"{self.way.orders}-orders"
        template = "template" if self.way.template else ""
        return self.workspace.evaluate / self.system.folder(how, norm, orders, template, sample)

    def keys(self) -> dict[str, Any]:
        """What predictions depend on, as plain values."""
        drawn = {} if self.limit is None else {"facts": self.limit, "seed": self.settings.seed}
        control: dict[str, Any] = {}
        if self.condition is not None:
            several = self.settings.several if self.condition == "several" else None
            control = {"condition": {"name": self.condition, "seed": self.settings.seed, "several": several}}
        return {
            **control,
            "model": self.system.describe(),
            "scoring": self.way.describe(self.settings),
            "sample": drawn,
            "engine": ENGINE_VERSION,
            "release": self.release.digest,
        }

    def stage(self) -> Stage:
        """The predictions."""
        inputs = [self.workspace.release / QUESTIONS_FILE]
        name = "predictions" if self.condition is None else f"control-{self.condition}"
        return Stage(name, self.folder, inputs, self.keys(), [self.folder / f"{name}.parquet"])

    def recipe(self) -> OptionsRecipe:
        """How a model on this machine scores the options: both conditions of every question."""
        system, settings = self.system, self.settings
        return OptionsRecipe(
            system.given,
            "causal",
            str(system.device),
            str(system.dtype),
            tuple(self.rows),
            self.way,
            settings.format,
            self.way.instruction(settings),
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
    target = _predicted(run)
    controls = {condition: run.under(condition) for condition in run.settings.conditions}
    files = {name: _predicted(control) for name, control in controls.items() if control.questions}
    known = (run.workspace.release / file for file in (QUESTIONS_FILE, HISTORY_FILE, FACTS_FILE))
    inputs = [target, *files.values(), *(file for file in known if file.exists())]
    return measure(
        Stage("metrics", run.folder, inputs, _measured_by(run), [run.folder / "metrics.json"]),
        lambda: _metrics(run, target, files),
        RippleMetrics,
        lambda metrics: {"questions": len(run.questions), "answered": metrics.coverage.answered},
        f"{run.folder.name}, scores",
    )


def _predicted(run: Run) -> Path:
    """The predictions of one run, made if they are missing."""
    stage = run.stage()
    what = "predictions" if run.condition is None else f"predictions, {run.condition}"
    stage.run(lambda: _predict(run, stage), what=f"{run.folder.name}, {what}")
    if not run.way.in_words:
        forget(stage, run.recipe())
    [target] = stage.outputs
    return target


def _measured_by(run: Run) -> dict[str, Any]:
    """What the numbers depend on beside the predictions."""
    settings, cutoff = run.settings, _era(run).cutoff
    return {
        **run.keys(),
        "seed": settings.seed,
        "draws": settings.draws,
        "months": settings.months,
        "cutoff": cutoff.isoformat() if cutoff else None,
        "conditions": list(settings.conditions),
        "numbers": NUMBERS_VERSION,
    }


def _era(run: Run) -> Era:
    """The model's own time, by its name as it was given or as it is shown."""
    cutoffs = run.settings.cutoffs
    return Era(cutoffs.get(run.system.name) or cutoffs.get(run.system.given), run.settings.months)


def _metrics(run: Run, target: Path, controls: Mapping[Condition, Path]) -> RippleMetrics:
    table, release = read_predictions(target), run.release
    settings = MeasureSettings(release.options, resamples=run.settings.draws, seed=run.settings.seed)
    numbers = compute_numbers(table, release.durations, settings, release.facets, _era(run))
    named: dict[str, int] = {}
    for condition in controls:
        named |= named_places(run.questions, run.under(condition).shown)
    scores = compute_controls(
        table,
        {condition: read_predictions(file) for condition, file in controls.items()},
        release.options,
        release.facets,
        named,
        Resampling(settings.resamples, settings.seed, settings.level),
    )
    return RippleMetrics(
        **{**dict(numbers), "controls": scores},
        model=SystemInfo(**run.system.describe(), parameters=run.system.parameters),
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
    covered = coverage(read_predictions(target))
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
            return normalised(read_predictions(other.outputs[0]), run.way.norm)
    return None


# --- answers in words ---


def _answered(run: Run) -> pa.Table:
    """Asks for the letters. Replies are kept as they come, so an interrupted run asks only for what is missing."""
    rows, answerer, orders = run.rows, run.answerer(), run.way.orders
    answers = ask_all(
        answerer.asked_as(run.settings.llm),
        _prompts(run, rows),
        _readers(run, rows),
        attempts=run.settings.attempts,
        title=f"{run.folder.name}, answers",
    )
    answerer.forget()
    require_replies(answers, may_be_missing=run.settings.missing_replies, where=run.system.url)
    by_row = [answers[start : start + orders] for start in range(0, len(answers), orders)]
    return prediction_table(rows, map(_answer_columns, by_row))


def _answer_columns(answers: Sequence[Answer[int]]) -> Mapping[str, Any]:
    """What a question's answers in all its orders come to: that of most orders, and its problem if none has one."""
    choices = [answer.value for answer in answers]
    chosen, replies = voted(choices), [answer.reply for answer in answers if answer.reply is not None]
    return {
        "chosen": chosen,
        "problem": answers[0].problem if chosen is None else None,
        "reply": "\n".join(replies) if replies else None,
        "choices": choices,
    }


def announced_cost(run: Run) -> Cost:
    """What asking an endpoint will cost at most, after what has arrived before."""
    generator = run.answerer().asked_as(run.settings.llm)
    runs = run.with_controls
    prompts = [prompt for part in runs for prompt in _prompts(part, part.rows)]
    readers = [reader for part in runs for reader in _readers(part, part.rows)]
    return cost(generator, prompts, readers, attempts=run.settings.attempts)


def _prompts(run: Run, rows: Sequence[Asked]) -> list[Question]:
    """Every question in all its orders, one after the other."""
    settings, orders = run.settings, range(run.way.orders)
    return [
        Question(settings.format.lettered(row, order), settings.max_tokens, settings.system)
        for row in rows
        for order in orders
    ]


def _readers(run: Run, rows: Sequence[Asked]) -> list[Callable[[str], int]]:
    return [
        partial(_read, options=row.question.options, order=order) for row in rows for order in range(run.way.orders)
    ]


def _read(reply: str, options: Sequence[str], order: int) -> int:
    """The place in the first order of the option that a reply names."""
    return first_place(read_choice(reply, rotated(options, order)), order, len(options))
