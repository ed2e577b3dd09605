"""KUCI through one system: which it is, how it chooses, its predictions, its numbers.

An encoder is fine-tuned on the training part of each set and scored on its test part; a causal model is scored as it
is, by the likelihood of each option behind the context; a chat model answers with a letter; a baseline is trained like
an encoder and sees the options alone, or is a rule that understands nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from tashika.core.addresses import shown_address
from tashika.core.files import hash_value, read_json, read_table, write_batches, write_json
from tashika.core.llm import Cost, Llm, LlmSettings
from tashika.core.llm import Question as Prompt
from tashika.core.models import load_model
from tashika.core.progress import bar, say
from tashika.core.stages import Stage
from tashika.core.suites.kuci.words import SPLITS, Conditions, Split
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.kuci.baselines import RULES, UNTRAINED, bag_scores, choices, fit_bag
from tashika.evaluate.kuci.predictions import PREDICTION, prediction_table
from tashika.evaluate.kuci.questions import PAIRS_FILE, KuciQuestion, KuciRelease, draw_questions, question_file
from tashika.evaluate.kuci.settings import EvaluateSettings, Way, read_reply
from tashika.evaluate.systems import How, Sample, identity, slug
from tashika.evaluate.ways.generation import Endpoint, asked, cost, require_replies
from tashika.evaluate.ways.options import Norm, OptionScore, score_options

PREDICTIONS: Final = PREDICTION.append(pa.field("seed", pa.int32(), nullable=False))
"""A row a question and training run; the seed is 0 where nothing was trained."""


class Run(NamedTuple):
    """One system on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        name: The model, or the baseline.
        about: Which it is, see `identity_of`.
        way: How it comes to its choices.
        settings: The section [evaluate].
        sets: Which sets it is scored on.
        seeds: Of its training runs; one 0 where nothing is trained.
        limit: Questions of each part of each set; None for all.
    """

    workspace: Workspace
    release: KuciRelease
    name: str
    about: Mapping[str, Any]
    way: Way
    settings: EvaluateSettings
    sets: tuple[Conditions, ...]
    seeds: tuple[int, ...]
    limit: int | None

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: KuciRelease,
        name: str,
        way: Way,
        settings: EvaluateSettings,
        sets: Sequence[Conditions],
        *,
        limit: int | None = None,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model cannot be found, or the device, precision or address is wrong.
        """
        seeds = settings.training.seeds if way.how == "fine-tuned" else (0,)
        about = identity_of(name, way)
        return cls(workspace, release, name, about, way, settings, tuple(sets), tuple(seeds), limit)

    @property
    def folder(self) -> Path:
        """Where predictions and numbers lie."""
        return self.workspace.evaluate / self._slug()

    def _slug(self) -> str:
        if self.way.how == "baseline":
            parts = ["baseline", self.name]
        elif self.way.how == "chat":
            about = {"name": self.name, "revision": f"sha256:{self.about['revision']}", "dtype": "fp32"}
            parts = [slug(about, Sample()), "chat"]
        else:
            ours = Path(self.name).parent == self.workspace.root / "models"
            parts = [slug(self.about, Sample(), ours=ours), self.way.how]
        parts += ["options-only"] if self.way.show == "options" and self.way.how != "baseline" else []
        parts += [self.way.norm] if self.way.norm != "none" else []
        parts += [f"{self.limit}-questions"] if self.limit is not None else []
        return "-".join(parts)

    @property
    def asking(self) -> LlmSettings:
        """How a chat model is asked."""
        return self.settings.llm.model_copy(update={"url": self.about.get("endpoint", ""), "model": self.name})

    @property
    def split(self) -> Split:
        """The part that is scored."""
        return "test" if self.way.trained else self.settings.split

    def questions(self, conditions: Conditions, split: Split | None = None) -> tuple[KuciQuestion, ...]:
        """What is asked of a set: the part that is scored, or another."""
        part = self.release.part(conditions, split or self.split)
        return draw_questions(part, self.limit, self.settings.seed)

    def keys(self) -> dict[str, Any]:
        """What predictions depend on beside the set and the seed, as plain values."""
        return {
            "model": dict(self.about),
            "scoring": self.way.describe(self.settings),
            "split": self.split,
            "sample": {} if self.limit is None else {"limit": self.limit, "seed": self.settings.seed},
            "engine": ENGINE_VERSION,
            "release": self.release.digest,
        }

    def part(self, conditions: Conditions, seed: int) -> Stage:
        """The predictions of one set in one training run; each is kept, so that sets and seeds can be added."""
        name, folder = f"{conditions}-{seed}", self.folder / "parts"
        splits = SPLITS if self.way.trained else (self.split,)
        inputs = [self.workspace.release / question_file(conditions, split) for split in splits]
        settings = {**self.keys(), "set": conditions, "training_seed": seed}
        return Stage(name, folder, inputs, settings, [folder / f"{name}.parquet"])


def identity_of(name: str, way: Way) -> dict[str, Any]:
    """Which system it is, without loading its weights.

    Raises:
        InputError: It cannot be found, or the endpoint's address is none.
    """
    beside = {"dtype": None, "note": None}
    if way.how == "baseline":
        return {"name": BASELINES[name], "kind": "baseline", "revision": version("tashika"), "device": "cpu", **beside}
    if way.endpoint is not None:
        shown = shown_address(way.endpoint)
        kept = {"name": name, "kind": "chat", "revision": hash_value([name, shown]), "device": "endpoint", **beside}
        return {**kept, "endpoint": shown}
    about = identity(name, How(way.device, way.dtype))
    return {**about, "name": f"{about['name']}, options only"} if way.show == "options" else about


BASELINES: Final[Mapping[str, str]] = {
    "bag-of-words": "bag of words, options only",
    **{name.replace(" ", "-"): f"{name} (a rule)" for name in RULES},
}
"""Systems that every release is scored with: what their folders are called, and what they are."""


def evaluate_system(run: Run) -> dict[str, Any]:
    """Scores one system: `predictions.parquet` and `metrics.json` in its folder; the latter's content is returned.

    What was done before is not done again; an interrupted run goes on with the set and training run that it was at.
    """
    parts = [run.part(conditions, seed) for conditions in run.sets for seed in run.seeds]
    _make_parts(run, [stage for stage in parts if stage.manifest() is None])
    target, metrics = run.folder / "predictions.parquet", run.folder / "metrics.json"
    made = [stage.outputs[0] for stage in parts]
    joining = Stage("predictions", run.folder, made, run.keys(), [target])
    joining.run(lambda: _join(made, target), what=f"{run.folder.name}, predictions")
    settings = {**run.keys(), "seed": run.settings.seed, "resamples": run.settings.resamples, "sets": list(run.sets)}
    scoring = Stage("metrics", run.folder, [target, run.workspace.release / PAIRS_FILE], settings, [metrics])
    scoring.run(lambda: _measure(run, parts, target, metrics), what=f"{run.folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def _join(parts: Sequence[Path], target: Path) -> Mapping[str, Any]:
    table = pa.concat_tables([read_table(part, PREDICTIONS) for part in parts])
    write_batches(target, table.to_batches(), PREDICTIONS)
    return {"predictions": table.num_rows, "answered": table.num_rows - table["choice"].null_count}


def _measure(run: Run, parts: Sequence[Stage], target: Path, metrics: Path) -> Mapping[str, Any]:
    from tashika.evaluate.kuci.metrics import MeasureSettings, measure

    questions = {conditions: run.questions(conditions) for conditions in run.sets}
    about = MeasureSettings(run.settings.resamples, run.settings.seed)
    found = measure(read_table(target, PREDICTIONS), questions, run.release.markers, about)
    libraries = {"chat": ("openai",), "baseline": ("scipy",)}.get(run.way.how, ("torch", "transformers", "tokenizers"))
    release = run.release
    beside = {
        "model": dict(run.about),
        "release": {"version": release.version, "digest": release.digest, "simulated": release.simulated},
        "scoring": run.way.describe(run.settings),
        "split": run.split,
        "seeds": list(run.seeds) if run.way.how == "fine-tuned" else [],
        "sampling": _sampling(run),
        "training": _training(parts),
        "all_parts": _all_parts(run),
        "versions": {one: version(one) for one in ("tashika", *libraries)},
    }
    write_json(metrics, {**found, **beside})
    return {"questions": sum(len(asked) for asked in questions.values()), "sets": len(questions)}


def _sampling(run: Run) -> dict[str, Any]:
    """What was drawn of what, by set."""
    sizes = {name: len(run.release.part(name, run.split)) for name in run.sets}
    drawn = {name: len(run.questions(name)) for name in run.sets}
    return {"whole": run.limit is None, "limit": run.limit, "seed": run.settings.seed, "drawn": drawn, "of": sizes}


def _all_parts(run: Run) -> dict[str, Any]:
    """A rule that learns nothing has no need of a test part: its accuracy over all parts, by set; else empty."""
    from tashika.evaluate.kuci.metrics import against_chance

    rule = _rule(run.name) if run.way.how == "baseline" else None
    if rule is None or rule not in UNTRAINED:
        return {}
    found: dict[str, Any] = {}
    for conditions in run.sets:
        questions = [one.asked for split in SPLITS for one in run.questions(conditions, split)]
        if questions:
            right = choices(RULES[rule]([], questions)) == [question.answer for question in questions]
            found[conditions] = against_chance(int(right.sum()), len(questions))
    return found


def _training(parts: Sequence[Stage]) -> list[dict[str, Any]]:
    """What the manifests of trained parts say of their training: set, seed, and what was counted."""
    rows = []
    for stage in parts:
        found = stage.manifest()
        told = found["counts"].get("training") if found else None
        if told:
            rows.append({"set": stage.settings["set"], "seed": stage.settings["training_seed"], **told})
    return rows


# --- the parts ---

Scored = tuple[pa.Table, Mapping[str, Any]]
"""Predictions of `PREDICTION`, and what to note of how they came about."""


def _make_parts(run: Run, stages: Sequence[Stage]) -> None:
    """Makes what is missing, each part by itself; a causal model is loaded once for all."""
    if not stages:
        return
    predict = _predictor(run)
    for stage in stages:
        conditions, seed = stage.settings["set"], stage.settings["training_seed"]
        stage.run(partial(_make, stage, predict, conditions, seed), what=f"{run.folder.name}, {stage.name}")
        if not run.settings.keep_weights:  # not before the manifest vouches for the predictions
            shutil.rmtree(_training_folder(run, conditions, seed), ignore_errors=True)
    free_memory()  # a card holds one model, and the next is loaded by the same process


Predict = Callable[[Conditions, int], Scored]


def _make(stage: Stage, predict: Predict, conditions: Conditions, seed: int) -> Mapping[str, Any]:
    table, told = predict(conditions, seed)
    table = table.append_column(PREDICTIONS.field("seed"), pa.array([seed] * table.num_rows, pa.int32()))
    [target] = stage.outputs
    write_batches(target, table.cast(PREDICTIONS).to_batches(), PREDICTIONS)
    return {"questions": table.num_rows, "answered": table.num_rows - table["choice"].null_count, **told}


def _predictor(run: Run) -> Predict:
    if run.way.how == "zero-shot":
        say(f"{run.about['name']}: loading, {run.about['dtype']} on {run.about['device']}")
        loaded = load_model(run.name, device=run.way.device, dtype=run.way.dtype)
        model = CausalModel(loaded, run.settings.batch_tokens or None)
        return lambda conditions, _seed: _by_likelihood(run, model, conditions)
    if run.way.how == "chat":
        return lambda conditions, _seed: _in_words(run, conditions)
    if run.way.how == "baseline":
        return lambda conditions, _seed: _by_baseline(run, conditions)
    return partial(_fine_tuned, run)


def _table(run: Run, conditions: Conditions, scores: Any, problem: str) -> pa.Table:
    asked_about = [question.asked for question in run.questions(conditions)]
    return prediction_table(asked_about, scores, run.split, conditions, problem)


# --- an encoder that is fine-tuned ---


def _fine_tuned(run: Run, conditions: Conditions, seed: int) -> Scored:
    from tashika.evaluate.ways.fine_tuning import fine_tune, predict

    parts = [[one.asked for one in run.questions(conditions, split)] for split in SPLITS]
    folder = _training_folder(run, conditions, seed)
    training = run.settings.training
    tuned = fine_tune(
        run.name, parts[0], parts[1], training, folder, seed=seed, show=run.way.show, device=run.way.device
    )
    logits, encoded = predict(tuned, parts[2])
    told = {**tuned.plain(), "test_truncated": encoded.truncated, "test_too_long": encoded.too_long}
    free_memory()
    return _table(run, conditions, logits, "too long"), {"training": told}


def _training_folder(run: Run, conditions: Conditions, seed: int) -> Path:
    return run.folder / "training" / f"{conditions}-{seed}"


# --- a baseline ---


def _by_baseline(run: Run, conditions: Conditions) -> Scored:
    """The bag of words, or a rule; they take seconds."""
    train, validation, test = ([one.asked for one in run.questions(conditions, split)] for split in SPLITS)
    rule = _rule(run.name)
    if rule is not None:
        return _table(run, conditions, RULES[rule](train, test), "no score"), {}
    bag = fit_bag(train, validation, run.settings.bag)
    told = {"penalty": bag.penalty, "validation_accuracy": bag.validation_accuracy, "features": len(bag.place_of)}
    return _table(run, conditions, bag_scores(bag, test), "no score"), {"bag": told}


def _rule(folder: str) -> str | None:
    """The rule that a folder is called by; None where it is no rule's."""
    return next((name for name in RULES if name.replace(" ", "-") == folder), None)


# --- a causal model on this machine ---


def _by_likelihood(run: Run, model: CausalModel, conditions: Conditions) -> Scored:
    questions = run.questions(conditions)
    choices = [run.settings.format.choice(question) for question in questions]
    with bar(f"{run.folder.name}, {conditions}", len(choices)) as advance:
        found = score_options(model, choices, before_option="", advance=advance)
    scores = np.array([[normalised(one, run.way.norm) for one in row] for row in found])
    table = _table(run, conditions, scores.reshape(len(questions), -1), "no likelihood")
    problems = [next((one.problem for one in row if one.problem), None) for row in found]
    return table.set_column(table.column_names.index("problem"), "problem", pa.array(problems, pa.string())), {}


def normalised(score: OptionScore, norm: Norm) -> float:
    """The log-likelihood of an option, a token or a character of it; not a number where there is a problem."""
    if score.problem is not None:
        return float("nan")
    return score.log_likelihood / {"none": 1, "token": max(score.tokens, 1), "character": score.characters}[norm]


# --- a chat model ---


def _in_words(run: Run, conditions: Conditions) -> Scored:
    """Asks for the letters. Replies are kept as they come, so an interrupted run asks for what is missing alone."""
    questions = run.questions(conditions)
    answers = asked(
        _endpoint(run),
        _prompts(run, questions),
        _readers(questions),
        attempts=run.settings.attempts,
        title=f"{run.folder.name}, {conditions}",
    )
    require_replies(answers, may_be_missing=run.settings.missing_replies, where=run.way.endpoint)
    rows = [
        {
            "item_id": question.item_id,
            "split": run.split,
            "set": conditions,
            "answer": question.answer,
            "choice": answer.value,
            "correct": None if answer.value is None else answer.value == question.answer,
            "scores": None,
            "problem": answer.problem,
        }
        for question, answer in zip(questions, answers, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTION), {}


def announced_cost(run: Run) -> Cost:
    """What asking an endpoint will cost at most, after what has arrived before."""
    questions = [question for conditions in run.sets for question in run.questions(conditions)]
    return cost(_endpoint(run), _prompts(run, questions), _readers(questions), attempts=run.settings.attempts)


def _prompts(run: Run, questions: Iterable[KuciQuestion]) -> list[Prompt]:
    settings = run.settings
    return [Prompt(settings.format.lettered(one), settings.max_tokens, settings.system) for one in questions]


def _readers(questions: Iterable[KuciQuestion]) -> list[Callable[[str], int]]:
    return [partial(read_reply, options=question.options) for question in questions]


def _endpoint(run: Run) -> Endpoint:
    # A request does not name its address, and two endpoints may have models of one name.
    return Endpoint(
        Llm(run.asking, run.way.endpoint or "", run.workspace.cache / "answers" / run.about["revision"][:12])
    )
