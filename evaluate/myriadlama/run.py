"""MyriadLAMA through one model: which it is, its predictions, its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from tashika.core.files import read_json, read_table, write_json
from tashika.core.models import Kind, load_tokenizer
from tashika.core.progress import bar, say
from tashika.core.settings import Section
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.devices import is_here, resolve_devices
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.model import ENGINE_VERSION
from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.engine.ray_engine import write_predictions_ray
from tashika.evaluate.engine.shards import forget_shards, plan, write_predictions
from tashika.evaluate.myriadlama.answers import find_answers, usable_templates
from tashika.evaluate.myriadlama.precision import agreement, stretches
from tashika.evaluate.myriadlama.prompts import Release, WorkList
from tashika.evaluate.myriadlama.recipe import PromptRecipe
from tashika.evaluate.myriadlama.sampling import describe, draw
from tashika.evaluate.systems import How, Sample, identity, slug

RELEASE_FILES: Final = (
    "release.json",
    "facts/facts.parquet",
    "aliases/aliases.parquet",
    "templates/templates.parquet",
)


class EvaluateSettings(Section):
    """The section [evaluate].

    Attributes:
        draws: N of section 3.2, draws of one template a relation.
        bins: M of equation 6.
        seed: Of the draws and of samples.
        batch_tokens: Tokens in a batch, at most; 0 takes them from the free memory.
        precision_prompts: How many prompts a run in bf16 or fp16 asks again in fp32, to tell what it changes; 0 none.
    """

    draws: int = Field(5000, ge=1)
    bins: int = Field(10, ge=1)
    seed: int = 0
    batch_tokens: int = Field(0, ge=0)
    precision_prompts: int = Field(1000, ge=0)


def evaluate_model(
    workspace: Workspace,
    release: Release,
    prompts: WorkList,
    name: str,
    settings: EvaluateSettings,
    *,
    sample: Sample | None = None,
    how: How | None = None,
) -> dict[str, Any]:
    """Scores one model: `evaluate/MODEL/predictions.parquet` and `metrics.json`, whose content is returned.

    Predictions are keyed by release, model, precision, device, sample and engine; the numbers by these and the
    settings. What was done before is not done again.
    """
    chosen, how = sample or Sample(seed=settings.seed), how or How()
    about = identity(name, how)
    folder = workspace.evaluate / slug(about, chosen, ours=Path(name).parent == workspace.root / "models")
    inputs = [workspace.release / file for file in RELEASE_FILES]
    keys = {"model": about, "sample": asdict(chosen), "engine": ENGINE_VERSION, "release": release.digest}
    target, metrics = folder / "predictions.parquet", folder / "metrics.json"
    drawn = draw(prompts, chosen, usable_templates(prompts.template_texts, about["kind"]))
    stage = Stage("predictions", folder, inputs[1:], keys, [target])
    recipe = PromptRecipe(name, about["kind"], about["device"], about["dtype"], drawn, settings.batch_tokens or None)

    def predict() -> Mapping[str, Any]:
        say(f"{about['name']}: loading, {about['dtype']} on {how.device if how.device != 'auto' else about['device']}")
        found = predict_with(recipe, how, target, stage.fingerprint(), f"{folder.name}, prompts")
        return {"pairs": len(drawn.pair_number), **found}

    counts = stage.run(predict, what=f"{folder.name}, predictions")["counts"]
    forget_shards(target, stage.fingerprint())  # not before the manifest vouches for the whole

    def measure() -> Mapping[str, Any]:
        found = measure_scores(target, release, settings, about["kind"])
        beside = {
            "model": about,
            "release": {"version": release.version, "digest": release.digest, "simulated": release.simulated},
            "sampling": describe(chosen, prompts, drawn),
            "single_token": counts["single_token"],
            "precision": precision_of(recipe, how, target, settings, folder.name),
            "versions": {one: version(one) for one in ("tashika", "torch", "transformers", "tokenizers")},
        }
        write_json(metrics, {**found, **beside})
        return {"n_prompts": found["n_prompts"], "n_pairs": found["n_pairs"]}

    scoring = Stage("metrics", folder, [target, *inputs], {**keys, **settings.model_dump()}, [metrics])
    scoring.run(measure, what=f"{folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def predict_with(recipe: PromptRecipe, how: How, target: Path, key: str, what: str) -> dict[str, Any]:
    """Scores on every device there is to use; gives what the manifest counts."""
    shards = plan(target, key, len(recipe), recipe.shard_size)
    if how.engine == "ray":
        count = write_predictions_ray(recipe, shards, target, what)
    else:
        whole = all(shard.path.is_file() for shard in shards)
        scorers = [] if whole else [recipe.scorer(device) for device in resolve_devices(how.device)]
        count = write_predictions(scorers, shards, target, recipe.schema, what)
        del scorers
        free_memory()  # a card holds one model, and the next is loaded by the same process
    return {"prompts": count, **_told(recipe)}


def _told(recipe: PromptRecipe) -> dict[str, Any]:
    """What the tokenizer makes of the work list: the answers that are one token, and whether texts are joined."""
    work, tokenizer = recipe.work, load_tokenizer(recipe.name)
    usable = usable_templates(work.template_texts, recipe.kind)
    encoder = PromptEncoder(tokenizer, recipe.kind, work.template_texts, work.alias_texts)
    return {
        "single_token": find_answers(tokenizer, work, usable).counts,
        "joined_from_pieces": encoder.by_pieces,
        **({"tokenised_whole_because": encoder.why_whole} if encoder.why_whole else {}),
    }


def precision_of(
    recipe: PromptRecipe, how: How, target: Path, settings: EvaluateSettings, what: str
) -> dict[str, Any] | None:
    """What a lower precision changes; None for float32."""
    if recipe.dtype == "fp32" or not settings.precision_prompts:
        return None
    if not is_here(recipe.device):
        say(f"{what}: not compared with fp32, since this machine has no {recipe.device} device")
        return None
    chosen = stretches(len(recipe.work), settings.precision_prompts)
    with bar(f"{what}, some prompts in fp32", sum(stop - start for start, stop in chosen)) as advance:
        found = agreement(replace(recipe, device=resolve_devices(how.device)[0]), target, chosen, advance)
    free_memory()
    return found


def measure_scores(target: Path, release: Release, settings: EvaluateSettings, kind: Kind) -> dict[str, Any]:
    """BELIEF's numbers of a file of predictions."""
    from tashika.evaluate.myriadlama.belief import belief
    from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions

    return belief(
        Predictions.from_table(read_table(target, columns=list(COLUMNS))),
        draws=settings.draws,
        bins=settings.bins,
        seed=settings.seed,
        single=_single_prompt(release, kind),
    )


def _single_prompt(release: Release, kind: Kind) -> Any:
    """The first manual template of each relation that the model can answer, with the subjects' labels (LAMA's way)."""
    from tashika.evaluate.myriadlama.belief import SinglePrompt

    first: dict[str, str] = {}
    rows = release.templates.select(["relation", "item_id", "text", "origin"]).to_pylist()
    for row, fits in zip(rows, usable_templates([row["text"] for row in rows], kind), strict=True):
        if fits and row["origin"] == "manual":
            first.setdefault(row["relation"], row["item_id"])
    labels = release.aliases.filter(release.aliases["is_label"])["item_id"].to_pylist()
    return SinglePrompt(list(first.values()), [str(one) for one in labels])
