"""The suite on proverbs through one model: its statements, their scores, their consistency, the tests, the numbers.

Each step is a stage with a table of its own under `steps/`, so that another judge changes nothing but the consistency
of texts and what follows from it, and an interrupted run goes on where it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from tashika.core.addresses import shown_address
from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json, read_table, remove_leftovers, write_batches, write_json
from tashika.core.llm import Cost, Llm, LlmSettings, Question
from tashika.core.models import (
    LoadedModel,
    is_classifier,
    load_config,
    load_model,
    model_kind,
    model_revision,
    resolve_dtype,
)
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.proverbs.answers import (
    Outcome,
    ask_scores,
    ask_statements,
    consistencies,
    joined,
    likeliest_scores,
    longest_scores,
    score_cost,
    score_questions,
    statement_cost,
    statement_questions,
    step_schema,
    step_table,
)
from tashika.evaluate.proverbs.metrics import measure, tests
from tashika.evaluate.proverbs.questions import (
    PAIRS_FILE,
    AskedQuestion,
    ProverbPair,
    ProverbRelease,
    draw_pairs,
    in_order,
)
from tashika.evaluate.proverbs.records import ANSWERS, ANSWERS_A_QUESTION, TESTS
from tashika.evaluate.proverbs.settings import EvaluateSettings, Prompt, Way
from tashika.evaluate.systems import How, Sample, identity, slug
from tashika.evaluate.ways.entailment import entailment_label, label_names, load_judge
from tashika.evaluate.ways.generation import Endpoint, Generator
from tashika.evaluate.ways.local_generation import GENERATION_VERSION, LocalModel

JUDGING_VERSION: Final = 1
"""Part of what the consistency of texts depends on: raise it when its numbers change."""


class Run(NamedTuple):
    """One model on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        name: The model.
        about: Which model it is, see `identity_of`.
        way: Where it is.
        settings: The section [evaluate].
        judge: Who judges the statements, by folder or name.
        limit: Pairs of a topic that are asked about; None for all.
        pairs: Those.
    """

    workspace: Workspace
    release: ProverbRelease
    name: str
    about: Mapping[str, Any]
    way: Way
    settings: EvaluateSettings
    judge: str
    limit: int | None
    pairs: tuple[ProverbPair, ...]

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: ProverbRelease,
        name: str,
        way: Way,
        settings: EvaluateSettings,
        judge: str,
        limit: int | None = None,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: A model cannot be found or is a masked one, or the device, precision or address is wrong.
        """
        check_judge(judge)
        pairs = draw_pairs(release.pairs, limit, settings.seed)
        return cls(workspace, release, name, identity_of(name, way), way, settings, judge, limit, pairs)

    @property
    def folder(self) -> Path:
        """Where answers, tests and numbers lie: a folder a system."""
        if self.way.endpoint is not None:
            about = {"name": self.name, "revision": f"sha256:{self.about['revision']}", "dtype": "fp32"}
            parts = [slug(about, Sample()), "chat"]
        else:
            ours = Path(self.name).parent == self.workspace.root / "models"
            parts = [slug(self.about, Sample(), ours=ours)]
        prepared = Path(self.judge).parent == self.workspace.root / "models"
        usual = self.judge == self.settings.judge or (prepared and self.judge_name == self.settings.judge)
        if not usual:
            parts.append("by-" + re.sub(r"[^A-Za-z0-9._-]+", "-", self.judge_name).strip("-."))
            if not prepared:  # many lie in a folder called "checkpoint"
                parts.append(hash_value([self.judge_name, model_revision(self.judge)])[:6])
        if self.limit is not None:
            parts.append(f"{self.limit}-pairs")
        return self.workspace.evaluate / "-".join(parts)

    @property
    def judge_name(self) -> str:
        """The judge's name, without its place on this machine."""
        return Path(self.judge).resolve().name if Path(self.judge).is_dir() else self.judge

    def asking(self, prompt: Prompt) -> LlmSettings:
        """How the model is asked with a prompt."""
        llm = self.settings.llm
        told = {"url": self.about.get("endpoint", ""), "model": self.about["name"], "api": prompt.api or llm.api}
        return llm.model_copy(update=told)

    @property
    def questions(self) -> list[AskedQuestion]:
        """All that are asked."""
        return in_order(self.pairs)

    @property
    def by_likelihood(self) -> bool:
        """Whether scores are likelihoods, which no reply can miss."""
        return self.way.scoring(self.settings) == "likelihood"

    def path(self, step: str) -> Path:
        """A step's table."""
        return self.folder / "steps" / f"{step}.parquet"

    def stage(self, step: str) -> Stage:
        """The stage of a step: `statements`, `scores`, `consistencies`, `tests` or `metrics`."""
        pairs, statements = self.workspace.release / PAIRS_FILE, self.path("statements")
        steps = [self.path(name) for name in ("statements", "scores", "consistencies")]
        tables = [self.folder / "answers.parquet", self.folder / "tests.parquet"]
        judge = {"judge": self.judge_name, "revision": model_revision(self.judge), "version": JUDGING_VERSION}
        place = How(self.way.device).kind_of_device
        judge |= {"device": place, "dtype": resolve_dtype(self.way.dtype, place)}
        known: dict[str, tuple[Sequence[Path], Mapping[str, Any], Sequence[Path]]] = {
            "statements": ([pairs], self._keys("answer"), steps[:1]),
            "scores": ([statements], self._keys("score"), steps[1:2]),
            "consistencies": ([statements], judge, steps[2:]),
            "tests": (steps, {}, tables),
            "metrics": (tables, {**self._keys("answer", "score"), "judge": judge}, [self.folder / "metrics.json"]),
        }
        inputs, settings, outputs = known[step]
        return Stage(step, self.folder, inputs, settings, outputs)

    def _keys(self, *prompts: str) -> dict[str, Any]:
        """What replies to some prompts depend on, as plain values."""
        told = self.way.describe(self.settings)
        apart = {"answer", "score"} - set(prompts)
        if "score" in apart:
            apart.add("scoring")
        drawn = {} if self.limit is None else {"pairs": self.limit, "seed": self.settings.seed}
        return {
            "model": dict(self.about),
            "way": {name: value for name, value in told.items() if name not in apart},
            "sample": drawn,
            "engine": [ENGINE_VERSION, GENERATION_VERSION],
            "release": self.release.digest,
        }


def identity_of(name: str, way: Way) -> dict[str, Any]:
    """Which model it is, without loading its weights.

    Raises:
        InputError: It cannot be found, it is a masked one, or the endpoint's address is none.
    """
    if way.endpoint is not None:
        shown = shown_address(way.endpoint)
        kept = {"name": name, "kind": "chat", "dtype": None, "device": "endpoint", "note": None}
        return {**kept, "revision": hash_value([name, shown]), "endpoint": shown}
    about = identity(name, How(way.device, way.dtype))
    if about["kind"] != "causal":
        raise InputError(
            "this is a masked model, and it takes a causal one to answer in words",
            where=name,
            hint="Give a causal model such as smollm2, or a chat model with --endpoint.",
        )
    return about


def check_judge(name: str) -> None:
    """Looks at a judge before a model is asked, which may cost money; no weights are loaded.

    Raises:
        InputError: It cannot be found, its labels do not tell which of them is entailment, or it is a masked model.
    """
    if is_classifier(name):
        entailment_label(label_names(load_config(name), name), name)
    elif model_kind(name) != "causal":
        raise InputError(
            "this masked model is no sequence classifier, and cannot judge",
            where=name,
            hint="Give a classifier that was trained on natural language inference, or a causal model.",
        )


def evaluate_model(run: Run) -> dict[str, Any]:
    """Asks, judges and tests one model; gives the content of its `metrics.json`.

    What was done before is not done again; what an interrupted run has been told is kept.
    """
    name = run.folder.name
    seconds: dict[str, float] = {}
    judge: dict[str, Any] = {}
    model = _Model(run)
    works: dict[str, tuple[Callable[[Stage], Mapping[str, Any]], str]] = {
        "statements": (lambda stage: _statements(run, model, stage), "statements"),
        "scores": (lambda stage: _scores(run, model, stage), "scores of statements"),
        "consistencies": (lambda stage: _consistencies(run, model, stage), "consistency of statements"),
        "tests": (lambda stage: _tests(run, stage), "tests"),
    }
    for step, (work, what) in works.items():
        stage = run.stage(step)
        if step == "statements" and stage.manifest() is None:
            say(f"{name}: {told_cost(run)}")
        manifest = stage.run(lambda work=work, stage=stage: work(stage), what=f"{name}, {what}")  # type: ignore[misc]
        seconds[step] = manifest["seconds"]
        judge = manifest["counts"].get("judge", judge)
    stage = run.stage("metrics")
    stage.run(lambda: _measure(run, stage, judge, seconds), what=f"{name}, numbers")
    content: dict[str, Any] = read_json(stage.outputs[0])
    return content


# --- the steps ---


class _Model:
    """Who answers; loaded when the first question is really asked, and let go before the judge is loaded."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._loaded: LoadedModel | None = None

    def loaded(self) -> LoadedModel:
        """The weights, on this machine."""
        if self._loaded is None:
            run = self._run
            say(f"{run.about['name']}: loading, {run.about['dtype']} on {run.about['device']}")
            self._loaded = load_model(run.name, device=run.way.device, dtype=run.way.dtype)
        return self._loaded

    def asked_with(self, prompt: Prompt) -> Generator:
        """Who is asked for words."""
        run = self._run
        if run.way.endpoint is not None:
            return _endpoint(run, prompt)
        return LocalModel(self.loaded(), run.asking(prompt), run.workspace.cache / "answers")

    def forget(self) -> None:
        """Gives its memory back."""
        self._loaded = None
        free_memory()


def _endpoint(run: Run, prompt: Prompt) -> Endpoint:
    # A request does not name its address, and two endpoints may have models of one name.
    cache = run.workspace.cache / "answers" / str(run.about["revision"])[:12]
    return Endpoint(Llm(run.asking(prompt), str(run.way.endpoint), cache))


def _statements(run: Run, model: _Model, stage: Stage) -> Mapping[str, Any]:
    found = ask_statements(
        model.asked_with(run.settings.answer), run.questions, run.settings, f"{run.folder.name}, statements"
    )
    return _written(stage, "statements", run.questions, found)


def _scores(run: Run, model: _Model, stage: Stage) -> Mapping[str, Any]:
    """Scores what statements there are; the other places have none and say why."""
    rows = read_table(run.path("statements"), step_schema("statements")).to_pylist()
    answered = _answered(run, rows)
    title = f"{run.folder.name}, scores"
    if run.by_likelihood:
        outcomes = iter(likeliest_scores(model.loaded(), answered, run.settings, title) if answered else [])
    else:
        outcomes = iter(
            ask_scores(model.asked_with(run.settings.score), answered, run.settings, title) if answered else []
        )
    missing = Outcome(None, "no statement", 0, None)
    found = [missing if row["answer"] is None else next(outcomes) for row in rows]
    return _written(stage, "scores", run.questions, found)


def _answered(run: Run, rows: Sequence[Mapping[str, Any]]) -> list[tuple[AskedQuestion, str]]:
    """The statements that there are, each with its question."""
    places = [question for question in run.questions for _ in range(ANSWERS_A_QUESTION)]
    return [(question, row["answer"]) for question, row in zip(places, rows, strict=True) if row["answer"] is not None]


def _consistencies(run: Run, model: _Model, stage: Stage) -> Mapping[str, Any]:
    model.forget()
    rows = read_table(run.path("statements"), step_schema("statements"))["answer"].to_pylist()
    groups = [rows[start : start + ANSWERS_A_QUESTION] for start in range(0, len(rows), ANSWERS_A_QUESTION)]
    say(f"{run.judge_name}: loading the judge")
    judge = load_judge(run.judge, device=run.way.device, dtype=run.way.dtype)
    about = {**judge.describe(), "model": run.judge_name}
    found = consistencies(judge, groups, batch_tokens=run.settings.judge_tokens)
    del judge
    free_memory()
    return {**_written(stage, "consistencies", run.questions, found), "judge": about}


def _written(
    stage: Stage, step: str, questions: Sequence[AskedQuestion], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """Writes a step's table; gives what its manifest counts."""
    [target] = stage.outputs
    remove_leftovers(target)
    write_batches(target, step_table(step, questions, outcomes).to_batches(), step_schema(step))
    problems = Counter(outcome.problem for outcome in outcomes if outcome.problem is not None)
    return {
        "questions": len(questions),
        "found": len(outcomes) - problems.total(),
        "missing": problems.total(),
        "problems": dict(sorted(problems.items())),
    }


def _tests(run: Run, stage: Stage) -> Mapping[str, Any]:
    target, results = stage.outputs
    table = joined(
        [read_table(run.path(step), step_schema(step)) for step in ("statements", "scores", "consistencies")]
    )
    write_batches(target, table.to_batches(), ANSWERS)
    found = tests(table)
    write_batches(results, found.to_batches(), TESTS)
    rows = found.to_pylist()
    tested = sum(row["p"] is not None for row in rows)
    return {"pairs": len(run.pairs), "tests": tested, "errors": sum(row["error"] is True for row in rows)}


def _measure(run: Run, stage: Stage, judge: Mapping[str, Any], seconds: Mapping[str, float]) -> Mapping[str, Any]:
    answers, found = (read_table(path, schema) for path, schema in zip(stage.inputs, (ANSWERS, TESTS), strict=True))
    libraries = ["torch", "transformers", "tokenizers", *(["openai"] if run.way.endpoint is not None else [])]
    beside = {
        "model": dict(run.about),
        "release": {
            "version": run.release.version,
            "digest": run.release.digest,
            "simulated": run.release.simulated,
        },
        "scoring": run.way.describe(run.settings),
        "judge": dict(judge),
        "sampling": {
            "whole": len(run.pairs) == len(run.release.pairs),
            "seed": run.settings.seed,
            "limit": run.limit,
            "pairs": {"drawn": len(run.pairs), "of": len(run.release.pairs)},
        },
        "cost": {"estimate": estimate(run), "asked": _asked(run)},
        "seconds": dict(seconds),
        "versions": {one: version(one) for one in ("tashika", *libraries)},
    }
    content = {**measure(answers, found), **beside}
    write_json(stage.outputs[0], content)
    return {name: content["errors"]["all"][name]["errors"] for name in ("score", "text")}


# --- what it costs ---


def estimate(run: Run) -> dict[str, Any]:
    """What a whole run costs at most, by prompt: nothing that arrived before is taken off."""
    statements = sum((one.cost for one in set(statement_questions(run.questions, run.settings))), Cost())
    scores = Cost() if run.by_likelihood else longest_scores(run.questions, run.settings)
    return {"statements": asdict(statements * run.settings.attempts), "scores": asdict(scores)}


def told_cost(run: Run) -> str:
    """What both prompts will still cost at most, in plain words. Nothing is sent and no weights are loaded.

    While the statements are not known, the scores cost as much as if each statement were at its longest.
    """
    found = {name: Cost(**values) for name, values in estimate(run).items()}
    if run.way.endpoint is not None:
        found["statements"] = statement_cost(_endpoint(run, run.settings.answer), run.questions, run.settings)
        if run.stage("statements").manifest() is not None:
            rows = read_table(run.path("statements"), step_schema("statements")).to_pylist()
            found["scores"] = score_cost(_endpoint(run, run.settings.score), _answered(run, rows), run.settings)
    asking = run.asking(run.settings.answer)
    told = [f"{name}, {one.told(asking) if one.requests else 'nothing to ask'}" for name, one in found.items()]
    return "; ".join([*told, f"together {sum(found.values(), Cost()).told(asking)}"])


def _asked(run: Run) -> dict[str, Any]:
    """What was really asked for, attempts included; tokens are estimated by characters, like those of the estimate.

    A prompt that a model on this machine cannot take is not asked. A request that was sent again since the connection
    failed counts once.
    """
    settings, here = run.settings, run.way.endpoint is None
    rows = read_table(run.path("statements"), step_schema("statements")).to_pylist()
    each = 1 if settings.asking == "one" else ANSWERS_A_QUESTION
    questions = statement_questions(run.questions, settings)
    found = {"statements": _spent(zip(questions, rows[::each], strict=True), "answer_asked", here=here)}
    found["scores"] = asdict(Cost())
    if not run.by_likelihood:
        scores = read_table(run.path("scores"), step_schema("scores")).to_pylist()
        made = [row for row, known in zip(scores, rows, strict=True) if known["answer"] is not None]
        scored = score_questions(_answered(run, rows), settings)
        found["scores"] = _spent(zip(scored, made, strict=True), "score_asked", here=here)
    return found


def _spent(pairs: Iterable[tuple[Question, Mapping[str, Any]]], column: str, *, here: bool) -> dict[str, int]:
    """The cost of requests that were made, identical ones once; each attempt's reply as long as the last.

    Args:
        pairs: A request, and the row of what came of it.
        column: How often it was made.
        here: Whether the model is on this machine, where a prompt without a reply was never asked.
    """
    asked = ((question, row) for question, row in pairs if not here or row["reply"] is not None)
    distinct = {question: (row[column], row["reply"] or "") for question, row in asked}
    costs = [
        replace(question.cost, tokens_out=-(-len(reply) // 4)) * times for question, (times, reply) in distinct.items()
    ]
    return asdict(sum(costs, Cost()))
