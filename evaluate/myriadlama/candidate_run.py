"""`evaluate myriadlama --answers candidates`: objects of any number of tokens, ranked among those of their relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tashika.core.files import hash_value, read_table
from tashika.core.models import load_model, load_tokenizer
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.evaluate import runs
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.engine.shards import CUDA_TIMES
from tashika.evaluate.myriadlama.answers import blank_form
from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.by_template import template_scores
from tashika.evaluate.myriadlama.candidate_numbers import CandidateCounts, CandidateMetrics
from tashika.evaluate.myriadlama.candidate_scoring import (
    CANDIDATE_PREDICTION,
    CANDIDATE_VERSION,
    CandidateEngine,
    steps_of,
)
from tashika.evaluate.myriadlama.candidates import Candidates, candidates_of, correct_places
from tashika.evaluate.myriadlama.ensemble import chance_of, ensemble_of, pair_answers
from tashika.evaluate.myriadlama.lite.lite_run import LITE, lite_work, sampling_of_lite
from tashika.evaluate.myriadlama.metrics import Sampling
from tashika.evaluate.myriadlama.pooling import pooled_of
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.evaluate.myriadlama.prompts import WorkList
from tashika.evaluate.myriadlama.run import NUMBERS, Run, wordings
from tashika.evaluate.myriadlama.sampling import Sample, describe, draw

FOLDER: Final = "candidates"
"""In the folder of the scores: a folder a model lies in it."""

_SHARD_NAMES: Final = {"masked": 40_000, "causal": 2_000}
"""Names that the prompts of a shard have to score on a CPU, by the kind of model."""


@dataclass(frozen=True)
class CandidateRecipe(Recipe):
    """A model, the prompts that it is asked, and what their objects are ranked among.

    Attributes:
        work: The prompts.
        candidates: Of each relation.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """

    work: WorkList
    candidates: Sequence[Candidates]
    batch_tokens: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return CANDIDATE_PREDICTION

    @property
    def shard_size(self) -> int:
        """Prompts that take about as long as a shard of one-token prompts."""
        names = np.asarray([len(row.names) for row in self.candidates])
        prompts = self.work.alias_count * self.work.template_count
        mean = float(prompts @ names[self.work.pair_relation]) / max(1, len(self.work))
        times = CUDA_TIMES if self.device.startswith("cuda") else 1
        return max(1, int(_SHARD_NAMES[self.kind] * times / max(1.0, mean)))

    def __len__(self) -> int:
        return len(self.work)

    def make(self, device: str) -> CandidateEngine:
        """Loads the model and prepares it for the prompts."""
        loaded = load_model(self.name, device=device, dtype=self.dtype)
        return CandidateEngine.of(loaded, self.work, self.candidates, self.batch_tokens)


@dataclass(frozen=True)
class Part:
    """What is asked of a release.

    Attributes:
        work: The prompts.
        sampling: What of the release they are.
        keys: What predictions depend on beside the model and the release, as plain values.
        folder: What stands for it in a folder's name.
    """

    work: WorkList
    sampling: Sampling
    keys: Mapping[str, Any]
    folder: Sequence[str]


def drawn_part(run: Run, sample: Sample) -> Part:
    """A drawn sample, or everything."""
    work = draw(run.prompts, sample, np.ones(len(run.prompts.template_ids), dtype=bool))
    return Part(work, describe(sample, run.prompts, work), {"sample": asdict(sample)}, sample.parts)


def lite_part(run: Run) -> Part:
    """The release's lite set; the numbers are then those of its prompts.

    Raises:
        MissingStageError: The release has none.
    """
    work = lite_work(run.prompts, run.release)
    ids = [str(name) for name in work.identity(work.stretch(0, len(work)))["item_id"].to_pylist()]
    return Part(work, sampling_of_lite(run.prompts, work), {"lite": hash_value(ids)}, (LITE,))


def _recipe(run: Run, part: Part) -> CandidateRecipe:
    system = run.system
    return CandidateRecipe(
        system.given,
        run.kind,
        str(system.device),
        str(system.dtype),
        part.work,
        candidates_of(run.prompts),
        run.settings.batch_tokens or None,
    )


def sequences_of(recipe: CandidateRecipe) -> int:
    """How many texts a run scores: a name each for a causal model, a step each for a masked one."""
    work = recipe.work
    prompts = work.alias_count * work.template_count
    if recipe.kind == "causal":
        names = np.asarray([len(row.names) for row in recipe.candidates])
        return int(prompts @ names[work.pair_relation])
    steps = steps_of(load_tokenizer(recipe.name), work, recipe.candidates)
    forms = [blank_form(text) for text in work.template_texts]
    total = 0
    for relation, start, count, names in zip(
        work.pair_relation.tolist(),
        work.template_start.tolist(),
        work.template_count.tolist(),
        work.alias_count.tolist(),
        strict=True,
    ):
        total += names * sum(len(steps[relation, form].masks) for form in forms[start : start + count])
    return total


def announce_candidates(run: Run, part: Part) -> None:
    """Says what a run would do, without loading the weights."""
    recipe = _recipe(run, part)
    say(f"{run.system.name} ({run.kind}): would score {_cost(recipe, sequences_of(recipe))}")


def _cost(recipe: CandidateRecipe, sequences: int) -> str:
    work = recipe.work
    return (
        f"{sequences:,} sequences for {len(work):,} prompts about {len(np.unique(work.pair_number)):,} pairs, "
        f"{sequences / max(1, len(work)):.0f} a prompt; --lite, --limit, --limit-templates and --limit-aliases ask less"
    )


def evaluate_candidates(run: Run, part: Part) -> CandidateMetrics:
    """Scores one model: predictions and metrics in `evaluate/candidates/MODEL`; the latter's content is returned.

    What was done before is not done again; an interrupted run resumes.
    """
    folder = run.workspace.evaluate / FOLDER / run.system.folder(*part.folder)
    recipe = _recipe(run, part)
    keys = {**run.keys(), **part.keys, "candidates": CANDIDATE_VERSION}
    stage = Stage("predictions", folder, run.tables, keys, [folder / "predictions.parquet"])

    def predict() -> Mapping[str, Any]:
        sequences = sequences_of(recipe)
        say(f"{folder.name}, candidates: {_cost(recipe, sequences)}")
        prompts = runs.predict(stage, recipe, run.system, f"{folder.name}, candidates")
        return {"pairs": len(np.unique(recipe.work.pair_number)), "prompts": prompts, "sequences": sequences}

    counts = stage.run(predict, what=f"{folder.name}, candidates")["counts"]
    runs.forget(stage, recipe)
    [target] = stage.outputs
    settings = {**keys, **run.settings.model_dump(), "numbers": NUMBERS}
    scoring = Stage("metrics", folder, [target, *run.sources], settings, [folder / "metrics.json"])

    def compute() -> CandidateMetrics:
        scores = _scores(target, run, recipe)
        return CandidateMetrics(**scores, **run.origin(), sampling=part.sampling, sequences=counts["sequences"])

    summary = lambda metrics: {"n_prompts": metrics.belief.n_prompts, "n_pairs": metrics.belief.n_pairs}  # noqa: E731
    return runs.measure(scoring, compute, CandidateMetrics, summary, f"{folder.name}, candidates' scores")


def _scores(target: Path, run: Run, recipe: CandidateRecipe) -> dict[str, Any]:
    """The numbers of a file of predictions: an answer is an object, not a word."""
    columns = ["top_object" if name == "top_word" else name for name in COLUMNS]
    table = read_table(target, columns=columns).rename_columns(list(COLUMNS))
    predictions = Predictions.from_table(table)
    settings, places = run.settings, correct_places(recipe.work, recipe.candidates)
    correct = dict(zip(recipe.work.pair_number.tolist(), places, strict=True))
    answers = list(pair_answers(target, correct))
    return {
        "belief": belief(predictions, draws=settings.draws, bins=settings.bins, seed=settings.seed),
        "pooled": pooled_of(predictions, settings.seed),
        "ensemble": ensemble_of(answers, settings.seed),
        "chance": chance_of(answers, correct),
        "templates": template_scores(predictions, wordings(run.release)),
        "candidates": {
            name: CandidateCounts(objects=len(row.objects), names=len(row.names))
            for name, row in zip(recipe.work.relations, recipe.candidates, strict=True)
        },
    }
