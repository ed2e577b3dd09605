"""MyriadLAMA through one model: its predictions, on as many devices as there are, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from tashika.core.files import read_table
from tashika.core.models import Kind, load_tokenizer
from tashika.core.progress import bar, say
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate import runs
from tashika.evaluate.engine.devices import is_here, resolve_devices
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.myriadlama.answers import find_answers, usable_templates
from tashika.evaluate.myriadlama.belief import SinglePrompt, belief
from tashika.evaluate.myriadlama.by_template import Wording, template_scores
from tashika.evaluate.myriadlama.lama_uhn import filter_of, lama_scores, lama_work
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics, PrecisionCheck
from tashika.evaluate.myriadlama.pooling import pooled_of
from tashika.evaluate.myriadlama.precision import agreement, stretches
from tashika.evaluate.myriadlama.predictions import COLUMNS, VERSION, Predictions
from tashika.evaluate.myriadlama.prompts import LAMA_TABLE, TABLES, Release, WorkList
from tashika.evaluate.myriadlama.recipe import PromptRecipe
from tashika.evaluate.myriadlama.sampling import Sample, describe, draw
from tashika.evaluate.myriadlama.settings import EvaluateSettings
from tashika.evaluate.myriadlama.wording_numbers import LamaUhn
from tashika.evaluate.systems import System

RELEASE_FILE: Final = "release.json"
NUMBERS: Final = 2
"""Of what is computed from predictions; with a new one, numbers are computed again."""


@dataclass(frozen=True)
class Run:
    """One model on one release.

    Attributes:
        workspace: Where the files lie.
        release: What is asked about.
        prompts: All of its prompts.
        system: The model.
        settings: The section [evaluate].
    """

    workspace: Workspace
    release: Release
    prompts: WorkList
    system: System
    settings: EvaluateSettings

    @property
    def kind(self) -> Kind:
        """Whether the model fills a blank or continues a text."""
        return cast(Kind, self.system.kind)

    @property
    def tables(self) -> list[Path]:
        """The files that the prompts are made of."""
        return [self.workspace.release / name for name in TABLES]

    @property
    def sources(self) -> list[Path]:
        """The files that the numbers depend on, beside the predictions."""
        return [self.workspace.release / RELEASE_FILE, *self.tables]

    def keys(self) -> dict[str, Any]:
        """What all predictions depend on, as plain values."""
        return {
            "model": self.system.describe(),
            "engine": ENGINE_VERSION,
            "predictions": VERSION,
            "release": self.release.digest,
        }

    def recipe(self, work: WorkList) -> PromptRecipe:
        """How some prompts are scored."""
        system = self.system
        return PromptRecipe(
            system.given,
            self.kind,
            str(system.device),
            str(system.dtype),
            work,
            self.settings.batch_tokens or None,
        )

    def origin(self) -> dict[str, Any]:
        """The part of the metrics that describes what was scored, on what, with what."""
        release = self.release
        return {
            "model": SystemInfo(**self.system.describe(), parameters=self.system.parameters),
            "release": ReleaseInfo(version=release.version, digest=release.digest, simulated=release.simulated),
            "versions": runs.versions(*runs.LOCAL_LIBRARIES),
        }


def evaluate_model(run: Run, sample: Sample) -> MyriadLamaMetrics:
    """Scores one model: `predictions.parquet` and `metrics.json` in its folder; the latter's content is returned.

    Predictions depend on release, model, precision, kind of device, sample and engine; the numbers on these and the
    settings. What was done before is not done again; an interrupted run resumes.
    """
    folder = run.workspace.evaluate / run.system.folder(*sample.parts)
    drawn = draw(run.prompts, sample, usable_templates(run.prompts.template_texts, run.kind))
    recipe = run.recipe(drawn)
    keys = {**run.keys(), "sample": asdict(sample)}
    stage = Stage("predictions", folder, run.tables, keys, [folder / "predictions.parquet"])

    def predict() -> Mapping[str, Any]:
        prompts = runs.predict(stage, recipe, run.system, f"{folder.name}, prompts")
        return {"pairs": len(drawn.pair_number), "prompts": prompts, **tokenised(recipe)}

    counts = stage.run(predict, what=f"{folder.name}, predictions")["counts"]
    runs.forget(stage, recipe)
    [target] = stage.outputs
    lama = ask_lama(run, drawn, folder, keys)

    def compute() -> MyriadLamaMetrics:
        return MyriadLamaMetrics(
            **measure_scores(target, run),
            **run.origin(),
            sampling=describe(sample, run.prompts, drawn),
            single_token=counts["single_token"],
            precision=precision_of(recipe, run, target, folder.name),
            lama_uhn=measure_lama(lama, run) if lama else None,
        )

    settings = {**keys, **run.settings.model_dump(), "numbers": NUMBERS}
    inputs = [target, *run.sources, *([lama] if lama else [])]
    scoring = Stage("metrics", folder, inputs, settings, [folder / "metrics.json"])
    return runs.measure(scoring, compute, MyriadLamaMetrics, manifest_counts, f"{folder.name}, scores")


def ask_lama(run: Run, drawn: WorkList, folder: Path, keys: Mapping[str, Any]) -> Path | None:
    """Asks LAMA's own prompts about the pairs of a work list; gives the file of predictions, None where there are none.

    Args:
        run: The model.
        drawn: The work list.
        folder: Of the model's scores.
        keys: What its predictions depend on.
    """
    work = lama_work(run.release, drawn)
    if work is None:
        return None
    inputs = [*run.tables, run.workspace.release / LAMA_TABLE]
    stage = Stage("lama-uhn", folder, inputs, keys, [folder / "lama-uhn.parquet"])
    recipe = run.recipe(work)
    predict = lambda: {"prompts": runs.predict(stage, recipe, run.system, f"{folder.name}, LAMA's prompts")}  # noqa: E731
    stage.run(predict, what=f"{folder.name}, LAMA's own prompts")
    runs.forget(stage, recipe)
    return stage.outputs[0]


def measure_lama(target: Path, run: Run) -> LamaUhn | None:
    """The numbers of LAMA's own prompts; None where the model could answer none of them."""
    table = read_table(target, columns=list(COLUMNS))
    if table["problem"].null_count == 0:
        return None
    return lama_scores(Predictions.from_table(table), filter_of(run.release), run.settings.seed)


def manifest_counts(metrics: MyriadLamaMetrics) -> Mapping[str, Any]:
    """The summary of the numbers for a manifest."""
    return {"n_prompts": metrics.n_prompts, "n_pairs": metrics.n_pairs}


def tokenised(recipe: PromptRecipe) -> dict[str, Any]:
    """What the tokenizer makes of the work list: the answers that are one token, and whether texts are joined."""
    work, tokenizer = recipe.work, load_tokenizer(recipe.name)
    usable = usable_templates(work.template_texts, recipe.kind)
    encoder = PromptEncoder(tokenizer, recipe.kind, work.template_texts, work.alias_texts)
    return {
        "single_token": find_answers(tokenizer, work, usable).counts.model_dump(),
        "joined_from_pieces": encoder.by_pieces,
        **({"tokenised_whole_because": encoder.why_whole} if encoder.why_whole else {}),
    }


def precision_of(recipe: PromptRecipe, run: Run, target: Path, what: str) -> PrecisionCheck | None:
    """What a lower precision changes; None for float32, and where nothing is asked again.

    Args:
        recipe: How the predictions were made.
        run: The model.
        target: The predictions.
        what: The run in plain words, for the progress bar.
    """
    prompts = run.settings.precision_prompts
    if recipe.dtype == "fp32" or not prompts:
        return None
    if not is_here(recipe.device):
        say(f"{what}: not compared with fp32, since this machine has no {recipe.device} device")
        return None
    chosen = stretches(len(recipe.work), prompts)
    device = resolve_devices(run.system.how.device)[0]
    with bar(f"{what}, some prompts in fp32", sum(stop - start for start, stop in chosen)) as advance:
        check = agreement(replace(recipe, device=device), target, chosen, advance)
    free_memory()
    return check


def measure_scores(target: Path, run: Run) -> dict[str, Any]:
    """BELIEF's numbers of a file of predictions, those of all prompts of a pair together, and those by template."""
    settings = run.settings
    predictions = Predictions.from_table(read_table(target, columns=list(COLUMNS)))
    single = _single_prompt(run.release, run.kind)
    scores = belief(predictions, draws=settings.draws, bins=settings.bins, seed=settings.seed, single=single)
    return {
        **dict(scores),
        "pooled": pooled_of(predictions, settings.seed),
        "templates": template_scores(predictions, wordings(run.release)),
    }


def wordings(release: Release) -> dict[str, Wording]:
    """What the templates of a release say, by their ids."""
    rows = release.templates.select(["item_id", "text", "origin"]).to_pylist()
    return {row["item_id"]: Wording(row["text"], row["origin"]) for row in rows}


def _single_prompt(release: Release, kind: Kind) -> SinglePrompt:
    """The first manual template of each relation that the model can answer, with the subjects' labels (LAMA's way)."""
    first: dict[str, str] = {}
    rows = release.templates.select(["relation", "item_id", "text", "origin"]).to_pylist()
    for row, fits in zip(rows, usable_templates([row["text"] for row in rows], kind), strict=True):
        if fits and row["origin"] == "manual":
            first.setdefault(row["relation"], row["item_id"])
    labels = release.aliases.filter(release.aliases["is_label"])["item_id"].to_pylist()
    return SinglePrompt(list(first.values()), [str(label) for label in labels])
