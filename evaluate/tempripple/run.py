"""TempRIPPLE through one model: which it is, how it answers, its predictions, its numbers.

A causal model on this machine is scored by the likelihood of the options or of their letters, or answers in words; a
chat model behind an endpoint answers in words. Each question is asked without and with the new fact before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.addresses import shown_address
from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json, read_table, remove_leftovers, write_batches, write_json
from tashika.core.llm import Cost, Llm, LlmSettings, Question
from tashika.core.models import LoadedModel, load_model
from tashika.core.progress import bar, say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.kernels import free_memory, give_memory_back
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.engine.shards import Shard, forget_shards, missing
from tashika.evaluate.systems import How, Sample, identity, slug
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
from tashika.evaluate.tempripple.settings import EvaluateSettings, Way
from tashika.evaluate.ways.generation import Answer, Endpoint, Generator, asked, cost, require_replies
from tashika.evaluate.ways.letter_answers import read_choice
from tashika.evaluate.ways.local_generation import LocalModel
from tashika.evaluate.ways.options import NORMS, pick, score_letters, score_options


class Run(NamedTuple):
    """One model on one release, or on a sample of it.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        name: The model.
        about: Which model it is, see `identity_of`.
        way: How it is asked.
        settings: The section [evaluate].
        limit: Facts that are asked about; None for all.
        questions: Those on these facts.
    """

    workspace: Workspace
    release: RippleRelease
    name: str
    about: Mapping[str, Any]
    way: Way
    settings: EvaluateSettings
    limit: int | None
    questions: tuple[RippleQuestion, ...]

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        release: RippleRelease,
        name: str,
        way: Way,
        settings: EvaluateSettings,
        limit: int | None = None,
    ) -> Run:
        """A run, checked as far as that goes without loading weights.

        Raises:
            InputError: The model cannot be found or is a masked one, or the device, precision or address is wrong.
        """
        questions = draw_facts(release, limit, settings.seed)
        return cls(workspace, release, name, identity_of(name, way), way, settings, limit, questions)

    @property
    def folder(self) -> Path:
        """Where predictions and numbers lie."""
        return self.workspace.evaluate / self._slug()

    def _slug(self) -> str:
        if self.way.options == "chat":
            about = {"name": self.name, "revision": f"sha256:{self.about['revision']}", "dtype": "fp32"}
            parts = [slug(about, Sample()), "chat"]
        else:
            ours = Path(self.name).parent == self.workspace.root / "models"
            parts = [slug(self.about, Sample(), ours=ours), self.way.options]
        if self.way.norm != "none":
            parts.append(self.way.norm)
        if self.limit is not None:
            parts.append(f"{self.limit}-facts")
        return "-".join(parts)

    @property
    def asking(self) -> LlmSettings:
        """How the model is asked for words."""
        return self.settings.llm.model_copy(update={"url": self.about.get("endpoint", ""), "model": self.name})

    def keys(self) -> dict[str, Any]:
        """What predictions depend on, as plain values."""
        drawn = {} if self.limit is None else {"facts": self.limit, "seed": self.settings.seed}
        return {
            "model": dict(self.about),
            "scoring": self.way.describe(self.settings),
            "sample": drawn,
            "engine": ENGINE_VERSION,
            "release": self.release.digest,
        }

    def stage(self) -> Stage:
        """The predictions."""
        inputs = [self.workspace.release / QUESTIONS_FILE]
        return Stage("predictions", self.folder, inputs, self.keys(), [self.folder / "predictions.parquet"])


def identity_of(name: str, way: Way) -> dict[str, Any]:
    """Which model it is, without loading its weights.

    Raises:
        InputError: It cannot be found, it is a masked one, or the endpoint's address is none.
    """
    if way.endpoint is not None:
        shown = shown_address(way.endpoint)
        revision = hash_value([name, shown])
        kept = {"name": name, "kind": "chat", "revision": revision, "dtype": None, "device": "endpoint", "note": None}
        return {**kept, "endpoint": shown}
    about = identity(name, How(way.device, way.dtype))
    if about["kind"] != "causal":
        raise InputError(
            "this is a masked model, and it takes a causal one to choose among options",
            where=name,
            hint="Give a causal model such as smollm2, or a chat model with --endpoint.",
        )
    return about


def evaluate_model(run: Run) -> dict[str, Any]:
    """Scores one model: `predictions.parquet` and `metrics.json` in its folder; the latter's content is returned.

    What was done before is not done again; what an interrupted run has done is gone on from.
    """
    stage = run.stage()
    [target] = stage.outputs
    stage.run(lambda: _predict(run, stage), what=f"{run.folder.name}, predictions")
    forget_shards(target, _parts_key(run, stage))  # not before the manifest vouches for the whole
    metrics = run.folder / "metrics.json"
    settings = {**run.keys(), "seed": run.settings.seed, "draws": run.settings.draws}
    inputs = [target, *(run.workspace.release / file for file in (QUESTIONS_FILE, HISTORY_FILE))]
    scoring = Stage("metrics", run.folder, inputs, settings, [metrics])
    scoring.run(lambda: _measure(run, target, metrics), what=f"{run.folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def _measure(run: Run, target: Path, metrics: Path) -> Mapping[str, Any]:
    from tashika.evaluate.tempripple.metrics import MeasureSettings, measure

    table, release = read_table(target, PREDICTIONS), run.release
    about = MeasureSettings(release.options, resamples=run.settings.draws, seed=run.settings.seed)
    libraries = ("openai",) if run.way.options == "chat" else ("torch", "transformers", "tokenizers")
    beside = {
        "model": dict(run.about),
        "release": {"version": release.version, "digest": release.digest, "simulated": release.simulated},
        "scoring": run.way.describe(run.settings),
        "sampling": _sampling(run),
        "coverage": coverage(table),
        "versions": {one: version(one) for one in ("tashika", *libraries)},
    }
    write_json(metrics, {**measure(table, release.durations, about), **beside})
    return {"questions": len(run.questions), "answered": beside["coverage"]["answered"]}


def _sampling(run: Run) -> dict[str, Any]:
    """What was drawn of what."""
    drawn = {(question.relation, question.subject) for question in run.questions}
    return {
        "whole": len(run.questions) == len(run.release.questions),
        "seed": run.settings.seed,
        "limit": run.limit,
        "facts": {"drawn": len(drawn), "of": len(run.release.facts)},
        "questions": {"drawn": len(run.questions), "of": len(run.release.questions)},
    }


def _predict(run: Run, stage: Stage) -> Mapping[str, Any]:
    """Writes the predictions."""
    [target] = stage.outputs
    rows = in_order(run.questions)
    if run.way.in_words:
        batches: Iterator[pa.RecordBatch] = iter(_answered(run, rows).to_batches())
    else:
        kept = _with_another_norm(run)
        batches = iter(kept.to_batches()) if kept is not None else _scored(run, rows, target, _parts_key(run, stage))
    remove_leftovers(target)
    write_batches(target, batches, PREDICTIONS)
    found = coverage(read_table(target, PREDICTIONS))
    return {
        "questions": len(run.questions),
        "rows": found["asked"],
        "answered": found["answered"],
        "not_answered": found["asked"] - found["answered"],
        "problems": found["problems"],
    }


def _parts_key(run: Run, stage: Stage) -> str:
    """The key of the finished chunks: all that the predictions depend on, and how they are cut."""
    return hash_value([stage.fingerprint(), _chunk(run)])


def _chunk(run: Run) -> int:
    """Questions that are scored and written together."""
    return run.settings.chunk or (2_000 if str(run.about.get("device", "")).startswith("cuda") else 100)


# --- options scored on this machine ---


def _with_another_norm(run: Run) -> pa.Table | None:
    """Finished predictions with another normalisation, normalised anew; None where there are none."""
    if run.way.options != "text":
        return None
    for norm in NORMS:
        other = run._replace(way=Way(**{**vars(run.way), "norm": norm})).stage()
        if norm != run.way.norm and other.manifest() is not None:
            say(f"{run.folder.name}: taking the likelihoods of {other.directory.name}")
            return normalised(read_table(other.outputs[0], PREDICTIONS), run.way.norm)
    return None


def _scored(run: Run, rows: Sequence[Asked], target: Path, key: str) -> Iterator[pa.RecordBatch]:
    """Scores the options chunk by chunk, each in a file of its own, from where an earlier run was cut off."""
    size = 2 * _chunk(run)
    folder = target.parent / "shards" / key[:16]  # as `forget_shards` has it
    parts = [
        Shard(folder / f"part-{start // size:05d}.parquet", start, min(start + size, len(rows)))
        for start in range(0, len(rows), size)
    ]
    with bar(f"{run.folder.name}, questions in both conditions", len(rows)) as advance:
        todo = missing(parts, advance)
        if todo:
            _score_parts(run, rows, todo, advance)
    return _batches(parts)


def _batches(parts: Sequence[Shard]) -> Iterator[pa.RecordBatch]:
    for part in parts:
        with pq.ParquetFile(part.path) as file:
            yield from file.iter_batches()


def _score_parts(run: Run, rows: Sequence[Asked], parts: Sequence[Shard], advance: Advance) -> None:
    model = CausalModel(_loaded(run), run.settings.batch_tokens or None)
    for part in parts:
        some = rows[part.start : part.stop]
        table = prediction_table(some, _score(model, some, run, advance))
        write_batches(part.path, table.to_batches(), PREDICTIONS)
        give_memory_back()
    del model
    free_memory()  # a card holds one model, and the next is loaded by the same process


def _loaded(run: Run) -> LoadedModel:
    say(f"{run.about['name']}: loading, {run.about['dtype']} on {run.about['device']}")
    return load_model(run.name, device=run.way.device, dtype=run.way.dtype)


def _score(model: CausalModel, rows: Sequence[Asked], run: Run, advance: Advance) -> Iterator[Mapping[str, Any]]:
    """The columns that scoring fills, row by row."""
    text, form = run.way.options == "text", run.settings.format
    choices = [form.choice(row, cue=text) for row in rows]
    if text:
        found = score_options(model, choices, between=form.between, advance=advance)
    else:
        found = score_letters(model, choices, cue=form.cue, between=form.between, advance=advance)
    for scores in found:
        problem = next((one.problem for one in scores if one.problem is not None), None)
        yield {
            "chosen": pick(scores, run.way.norm),
            "problem": problem,
            "scores": [one.log_likelihood if one.problem is None else None for one in scores],
            "tokens": [one.tokens for one in scores],
            "characters": [one.characters for one in scores],
        }


# --- answers in words ---


def _answered(run: Run, rows: Sequence[Asked]) -> pa.Table:
    """Asks for the letters. Replies are kept as they come, so an interrupted run asks for what is missing alone."""
    answers = asked(
        _generator(run),
        _prompts(run, rows),
        _readers(rows),
        attempts=run.settings.attempts,
        title=f"{run.folder.name}, answers",
    )
    free_memory()
    require_replies(answers, may_be_missing=run.settings.missing_replies, where=run.way.endpoint)
    return prediction_table(rows, map(_answer_row, answers))


def _answer_row(answer: Answer[int]) -> Mapping[str, Any]:
    return {"chosen": answer.value, "problem": answer.problem, "reply": answer.reply}


def announced_cost(run: Run) -> Cost:
    """What asking an endpoint will cost at most, after what has arrived before."""
    rows = in_order(run.questions)
    return cost(_generator(run), _prompts(run, rows), _readers(rows), attempts=run.settings.attempts)


def _prompts(run: Run, rows: Sequence[Asked]) -> list[Question]:
    settings = run.settings
    return [Question(settings.format.lettered(row), settings.max_tokens, settings.system) for row in rows]


def _readers(rows: Sequence[Asked]) -> list[Callable[[str], int]]:
    return [partial(read_choice, options=row.question.options) for row in rows]


def _generator(run: Run) -> Generator:
    cache = run.workspace.cache / "answers"
    if run.way.endpoint is None:
        return LocalModel(_loaded(run), run.asking, cache)
    # A request does not name its address, and two endpoints may have models of one name.
    return Endpoint(Llm(run.asking, run.way.endpoint, cache / str(run.about["revision"])[:12]))
