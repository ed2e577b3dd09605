"""The suite on proverbs through one model: its statements, their scores, their consistency, the tests, the numbers.

Each step is a stage with a table of its own under `steps/`, so that another judge changes only the consistency of texts
and what follows from it, and an interrupted run resumes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json, read_table
from tashika.core.llm import LlmSettings
from tashika.core.models import is_classifier, load_config, model_kind, model_revision, resolve_dtype
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.core.suites.proverbs.words import Language, language_of
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.proverbs import steps
from tashika.evaluate.proverbs.costs import costs, describe_cost
from tashika.evaluate.proverbs.cross import CROSSES, cross_numbers
from tashika.evaluate.proverbs.metrics import compute_numbers
from tashika.evaluate.proverbs.metrics_model import JudgeInfo, ProverbMetrics, Sampling, Share
from tashika.evaluate.proverbs.metrics_model import Scoring as ScoringInfo
from tashika.evaluate.proverbs.questions import (
    PAIRS_FILE,
    AskedQuestion,
    ProverbPair,
    ProverbRelease,
    draw_pairs,
    in_order,
)
from tashika.evaluate.proverbs.records import ANSWERS, TESTS
from tashika.evaluate.proverbs.settings import EvaluateSettings, Prompt, Scoring
from tashika.evaluate.runs import LOCAL_LIBRARIES, measure, versions
from tashika.evaluate.systems import How, System
from tashika.evaluate.ways.entailment import entailment_label, label_names
from tashika.evaluate.ways.judge_check import CHECK_VERSION, JudgeCheck
from tashika.evaluate.ways.local_generation import GENERATION_VERSION
from tashika.evaluate.ways.reply_recipe import Answerer

JUDGING_VERSION: Final = 1
"""Part of what the consistency of texts depends on: raise it when its numbers change."""

TESTS_VERSION: Final = 2
"""Part of what the tests of pairs depend on: raise it when their numbers change."""

Step = Literal["judge", "statements", "scores", "consistencies", "crosses", "tests", "metrics"]
"""The stages of a run, in order."""


@dataclass(frozen=True)
class Run:
    """One model on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        system: The model.
        how: Where and how exactly the judge runs, and the model where it is on this machine.
        settings: The section [evaluate].
        judge: Who judges the statements, by folder or name.
        limit: Pairs of a topic that are asked about; None for all.
        pairs: Those.
    """

    workspace: Workspace
    release: ProverbRelease
    system: System
    how: How
    settings: EvaluateSettings
    judge: str
    limit: int | None
    pairs: tuple[ProverbPair, ...]

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: ProverbRelease,
        system: System,
        how: How,
        settings: EvaluateSettings,
        judge: str,
        limit: int | None = None,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: The judge cannot be found or cannot judge, the model is a masked one, or the release is in
                another language than the settings.
        """
        check_judge(judge)
        _require_language(release, settings.language)
        system.require_causal("to answer in words")
        pairs = draw_pairs(release.pairs, limit, settings.seed)
        return cls(workspace, release, system, how, settings, judge, limit, pairs)

    @property
    def folder(self) -> Path:
        """Where answers, tests and numbers lie: a folder a system, judge and sample."""
        sample = "" if self.limit is None else f"{self.limit}-pairs"
        return self.workspace.evaluate / self.system.folder(*self._judge_parts(), sample)

    def _judge_parts(self) -> tuple[str, ...]:
        """The judge in the folder's name, unless it is the settings' own."""
        prepared = Path(self.judge).parent == self.workspace.root / "models"
        if self.judge == self.settings.judge or (prepared and self.judge_name == self.settings.judge):
            return ()
        shown = "by-" + re.sub(r"[^A-Za-z0-9._-]+", "-", self.judge_name).strip("-.")
        if prepared:
            return (shown,)
        # Many models lie in a folder called "checkpoint".
        return shown, hash_value([self.judge_name, model_revision(self.judge)])[:6]

    @property
    def judge_name(self) -> str:
        """The judge's name, without its place on this machine."""
        return Path(self.judge).resolve().name if Path(self.judge).is_dir() else self.judge

    @property
    def judge_dtype(self) -> str:
        """The judge's precision."""
        return resolve_dtype(self.how.dtype, self.how.kind_of_device)

    @property
    def scoring(self) -> Scoring:
        """How scores come about: an endpoint gives no likelihoods."""
        return "reply" if self.system.url is not None else self.settings.scoring

    @property
    def questions(self) -> list[AskedQuestion]:
        """All that are asked."""
        return in_order(self.pairs)

    def llm(self, prompt: Prompt) -> LlmSettings:
        """How the model is asked with a prompt."""
        own = {"api": prompt.api, "temperature": prompt.temperature}
        return self.settings.llm.model_copy(update={name: value for name, value in own.items() if value is not None})

    def answerer(self) -> Answerer:
        """Who answers in words. Nothing is loaded before the first question."""
        return Answerer(self.system, self.workspace.cache / "answers")

    def path(self, step: str) -> Path:
        """The table of a step that asks or judges: `statements`, `scores` or `consistencies`."""
        return self.folder / "steps" / f"{step}.parquet"

    def stage(self, step: Step) -> Stage:
        """The stage of a step: what it reads, what it depends on, what it writes."""
        return Stage(step, self.folder, self._inputs(step), self._settings(step), self._outputs(step))

    def _inputs(self, step: Step) -> list[Path]:
        match step:
            case "judge":
                return []
            case "statements":
                return [self.workspace.release / PAIRS_FILE]
            case "scores" | "consistencies" | "crosses":
                return [self.path("statements")]
            case "tests":
                return [self.path(name) for name in ("statements", "scores", "consistencies")]
            case "metrics":
                return [*self._outputs("tests"), *self._outputs("crosses"), *self._outputs("judge")]

    def _outputs(self, step: Step) -> list[Path]:
        match step:
            case "tests":
                return [self.folder / "answers.parquet", self.folder / "tests.parquet"]
            case "metrics":
                return [self.folder / "metrics.json"]
            case "crosses":
                return [self.folder / "crosses.parquet"]
            case "judge":
                return [self.folder / "steps" / "judge.json"]
            case _:
                return [self.path(step)]

    def _settings(self, step: Step) -> dict[str, Any]:
        match step:
            case "statements":
                return self._asking_settings("answer")
            case "scores":
                return self._asking_settings("score")
            case "judge":
                may_fail = {"weak_judge": self.settings.weak_judge}
                return {
                    **self._judging_settings(),
                    **may_fail,
                    "language": self.settings.language,
                    "check": CHECK_VERSION,
                }
            case "consistencies" | "crosses":
                return self._judging_settings()
            case "tests":
                return self._test_settings()
            case "metrics":
                asking = self._asking_settings("answer", "score")
                return {**asking, "judge": self._judging_settings(), "tests": self._test_settings()}

    def _asking_settings(self, *prompts: str) -> dict[str, Any]:
        """What replies to some prompts depend on, as plain values."""
        apart = {"answer", "score"} - set(prompts)
        if "score" in apart:
            apart.add("scoring")
        described = self.settings.describe(self.scoring)
        return {
            "model": self.system.describe(),
            "way": {name: value for name, value in described.items() if name not in apart},
            "sample": {} if self.limit is None else {"pairs": self.limit, "seed": self.settings.seed},
            "engine": [ENGINE_VERSION, GENERATION_VERSION],
            "release": self.release.digest,
        }

    def _test_settings(self) -> dict[str, Any]:
        """What the tests of pairs and their numbers depend on beside the answers, as plain values."""
        tests = self.settings.tests.model_dump(mode="json")
        return {"version": TESTS_VERSION, "release": self.release.digest, "seed": self.settings.seed, "tests": tests}

    def _judging_settings(self) -> dict[str, Any]:
        """What the consistency of texts depends on beside the statements, as plain values."""
        return {
            "judge": self.judge_name,
            "revision": model_revision(self.judge),
            "version": JUDGING_VERSION,
            "device": self.how.kind_of_device,
            "dtype": self.judge_dtype,
        }


def _require_language(release: ProverbRelease, language: Language) -> None:
    """Raises `InputError` where a question is in another language than the settings name: no reply could be read."""
    for pair in release.pairs:
        found = language_of(pair.question)
        if found != language:
            raise InputError(
                f"the question {pair.question!r} is in {found!r}; the settings have language = {language!r}",
                where=f"[evaluate], release {release.version}",
                hint="Give --config configs/proverbs-ja.toml for a Japanese release, and none for an English one.",
            )


def check_judge(name: str) -> None:
    """Looks at a judge before a model is asked, which may cost money; no weights are loaded.

    Raises:
        InputError: It cannot be found, its labels do not name entailment, or it is a masked model.
    """
    if is_classifier(name):
        entailment_label(label_names(load_config(name), name), name)
    elif model_kind(name) != "causal":
        raise InputError(
            "this masked model is no sequence classifier, and cannot judge",
            where=name,
            hint="Give a classifier that was trained on natural language inference, or a causal model.",
        )


def evaluate_model(run: Run) -> ProverbMetrics:
    """Asks, judges and tests one model; returns the content of its `metrics.json`.

    What was done before is not done again; replies that arrived before an interruption are kept.
    """
    name, answerer = run.folder.name, run.answerer()
    works: Mapping[Step, tuple[Callable[[Stage], Mapping[str, Any]], str]] = {
        "judge": (lambda stage: steps.check_judge_by_hand(run, stage), "the judge on hand-written pairs"),
        "statements": (lambda stage: steps.ask_for_statements(run, answerer, stage), "statements"),
        "scores": (lambda stage: steps.score_statements(run, answerer, stage), "scores of statements"),
        "consistencies": (lambda stage: steps.judge_statements(run, answerer, stage), "consistency of statements"),
        "crosses": (lambda stage: steps.judge_across(run, stage), "consistency between both questions"),
        "tests": (lambda stage: steps.compare_pairs(run, stage), "tests"),
    }
    if run.stage("statements").manifest() is None:
        say(f"{name}: {describe_cost(run)}")
    manifests = {step: _run_step(run.stage(step), work, f"{name}, {what}") for step, (work, what) in works.items()}
    steps.forget_scored(run)
    judge = JudgeInfo(**manifests["consistencies"]["counts"]["judge"])
    seconds: dict[str, float] = {step: manifest["seconds"] for step, manifest in manifests.items()}
    stage = run.stage("metrics")
    return measure(
        stage,
        lambda: _metrics(run, stage.inputs, judge, seconds),
        ProverbMetrics,
        lambda metrics: {kind: errors.errors for kind, errors in metrics.errors["all"].items()},
        f"{name}, numbers",
    )


def _run_step(stage: Stage, work: Callable[[Stage], Mapping[str, Any]], what: str) -> dict[str, Any]:
    """Runs a step and returns its manifest."""
    return stage.run(lambda: work(stage), what=what)


def _metrics(run: Run, tables: Sequence[Path], judge: JudgeInfo, seconds: Mapping[str, float]) -> ProverbMetrics:
    *parquet, checked = tables
    schemas = (ANSWERS, TESTS, CROSSES)
    answers, results, crosses = (read_table(path, schema) for path, schema in zip(parquet, schemas, strict=True))
    release = run.release
    return ProverbMetrics(
        **dict(compute_numbers(answers, results, run.settings.tests, run.settings.seed)),
        model=SystemInfo(**run.system.describe(), parameters=run.system.parameters),
        release=ReleaseInfo(version=release.version, digest=release.digest, simulated=release.simulated),
        scoring=ScoringInfo(**run.settings.describe(run.scoring)),
        judge=judge,
        judge_check=JudgeCheck.model_validate(read_json(checked)),
        cross=cross_numbers(answers, crosses, seed=run.settings.seed),
        sampling=Sampling(
            whole=len(run.pairs) == len(release.pairs),
            seed=run.settings.seed,
            limit=run.limit,
            pairs=Share(drawn=len(run.pairs), of=len(release.pairs)),
        ),
        cost=costs(run),
        seconds=dict(seconds),
        versions=versions(*LOCAL_LIBRARIES, *(("openai",) if run.system.url is not None else ())),
    )
