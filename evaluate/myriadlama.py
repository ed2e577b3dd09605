"""`tashika evaluate myriadlama`: asks models the release's prompts and works out BELIEF's numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from pydantic import Field
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json, read_table, write_json
from tashika.core.models import (
    Kind,
    load_model,
    model_kind,
    model_note,
    model_revision,
    resolve_device,
    resolve_dtype,
)
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.settings import Section, load_section
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.answers import usable_templates
from tashika.evaluate.prompts import Release, WorkList, read_release, work_list
from tashika.evaluate.sampling import Sample, draw
from tashika.evaluate.scoring import ENGINE_VERSION, Engine, forget_shards, write_predictions

SUITE: Final = "myriadlama"
PREPARED: Final = ("tiny-bert", "smollm2")
"""What `tashika models` makes."""
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
        batch_tokens: Tokens in a batch, at most.
    """

    draws: int = Field(5000, ge=1)
    bins: int = Field(10, ge=1)
    seed: int = 0
    batch_tokens: int = Field(8192, ge=1)


ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be given several times.",
        show_default=False,
    ),
]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or cuda:N.")]
DtypeOption = Annotated[str, typer.Option("--dtype", help="auto (fp32 on a CPU, bf16 on CUDA), fp32, bf16 or fp16.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Ask about this many subject-relation pairs, drawn by relation.", min=1)
]
LimitTemplatesOption = Annotated[
    int | None, typer.Option("--limit-templates", help="Ask with this many templates of each relation.", min=1)
]
LimitAliasesOption = Annotated[
    int | None, typer.Option("--limit-aliases", help="Ask with this many names of each subject.", min=1)
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    limit: LimitOption = None,
    limit_templates: LimitTemplatesOption = None,
    limit_aliases: LimitAliasesOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the prompts of the release; write predictions, and accuracy, fluctuation, consistency, overconfidence.

    Masked models fill the blank. Causal models answer the templates that end with it; the others are counted. Limits
    draw a seeded sample, for models that are too slow for all prompts; the scores say so.
    """
    workspace = Workspace(work, SUITE)
    settings = load_section(SUITE, "evaluate", EvaluateSettings, config)
    release = read_release(workspace.release)
    prompts = work_list(release)
    sample = Sample(limit, limit_templates, limit_aliases, settings.seed)
    names = [resolve_name(name, work) for name in model]
    if dry_run:
        for name in names:
            _announce(name, prompts, sample)
        return
    scores = {
        name: evaluate_model(workspace, release, prompts, name, settings, sample=sample, device=device, dtype=dtype)
        for name in names
    }
    _print_scores(list(scores.values()))


def resolve_name(name: str, work: Path) -> str:
    """A model of `tashika models` by its short name; anything else stays what it is."""
    prepared = work / "models" / name
    if name in PREPARED and not (prepared / "config.json").is_file():
        raise InputError(f"the model {name} has not been prepared", hint=f"Run `tashika models {name}` first.")
    return str(prepared) if not Path(name).is_dir() and (prepared / "config.json").is_file() else name


def evaluate_model(
    workspace: Workspace,
    release: Release,
    prompts: WorkList,
    name: str,
    settings: EvaluateSettings,
    *,
    sample: Sample | None = None,
    device: str = "auto",
    dtype: str = "auto",
) -> dict[str, Any]:
    """Scores one model: `evaluate/MODEL/predictions.parquet` and `metrics.json`, whose content is returned.

    Predictions are keyed by release, model, precision, device, sample and engine; the numbers by these and the
    settings. What was done before is not done again.
    """
    chosen = sample or Sample(seed=settings.seed)
    about = identity(name, device, dtype)
    folder = workspace.evaluate / slug(about, chosen, ours=Path(name).parent == workspace.root / "models")
    inputs = [workspace.release / file for file in RELEASE_FILES]
    keys = {"model": about, "sample": asdict(chosen), "engine": ENGINE_VERSION, "release": release.digest}
    target, metrics = folder / "predictions.parquet", folder / "metrics.json"
    drawn = draw(prompts, chosen, usable_templates(prompts.template_texts, about["kind"]))
    stage = Stage("predictions", folder, inputs[1:], keys, [target])

    def predict() -> Mapping[str, Any]:
        say(f"{about['name']}: loading, {about['dtype']} on {about['device']}")
        engine = Engine.of(load_model(name, device=device, dtype=dtype), drawn, batch_tokens=settings.batch_tokens)
        count = write_predictions(engine, about["kind"], target, stage.fingerprint(), f"{folder.name}, prompts")
        counts = {"prompts": count, "pairs": len(drawn.pair_number), "single_token": engine.answers.counts}
        return {**counts, "joined_from_pieces": engine.encoder.by_pieces}

    counts = stage.run(predict, what=f"{folder.name}, predictions")["counts"]
    forget_shards(target, stage.fingerprint())  # not before the manifest vouches for the whole

    def measure() -> Mapping[str, Any]:
        found = _measure(target, release, settings, about["kind"])
        beside = {
            "model": about,
            "release": {"version": release.version, "digest": release.digest, "simulated": release.simulated},
            "sampling": chosen.describe(prompts, drawn),
            "single_token": counts["single_token"],
            "versions": {one: version(one) for one in ("tashika", "torch", "transformers", "tokenizers")},
        }
        write_json(metrics, {**found, **beside})
        return {"n_prompts": found["n_prompts"], "n_pairs": found["n_pairs"]}

    scoring = Stage("metrics", folder, [target, *inputs], {**keys, **settings.model_dump()}, [metrics])
    scoring.run(measure, what=f"{folder.name}, scores")
    content: dict[str, Any] = read_json(metrics)
    return content


def identity(name: str, device: str, dtype: str) -> dict[str, Any]:
    """Which model it is and how it will run, without loading its weights.

    Raises:
        InputError: It cannot be found, or device or precision are not known.
    """
    place = resolve_device(device)
    return {
        "name": Path(name).resolve().name if Path(name).is_dir() else name,
        "kind": model_kind(name),
        "revision": model_revision(name),
        "dtype": resolve_dtype(dtype, place),
        "device": place,
        "note": model_note(name),
    }


def slug(about: Mapping[str, Any], sample: Sample, *, ours: bool = False) -> str:
    """The name of the folder of a model's scores, another one for whatever must not take their place.

    Args:
        about: The model, see `identity`.
        sample: What it is asked; part of the name where that is not everything.
        ours: Whether `tashika models` made it. Other folders get a part of the revision into the name, since many
            models lie in a folder called "checkpoint".
    """
    name = str(about["name"])
    parts = [re.sub(r"[^A-Za-z0-9._-]+", "-", name.replace("/", "--")).strip("-.")]
    if (about["revision"].startswith("sha256:") and not ours) or not name.isascii():
        parts.append(hash_value([name, about["revision"]])[:6])
    if about["dtype"] != "fp32":
        parts.append(about["dtype"])
    limits = {"pairs": sample.pairs, "templates": sample.templates, "aliases": sample.aliases}
    parts += [f"{limit}-{what}" for what, limit in limits.items() if limit is not None]
    return "-".join(part for part in parts if part)


def _measure(target: Path, release: Release, settings: EvaluateSettings, kind: Kind) -> dict[str, Any]:
    from tashika.evaluate.belief import belief
    from tashika.evaluate.predictions import Predictions

    return belief(
        Predictions.from_table(read_table(target)),
        draws=settings.draws,
        bins=settings.bins,
        seed=settings.seed,
        single=_single_prompt(release, kind),
    )


def _single_prompt(release: Release, kind: Kind) -> Any:
    """The first manual template of each relation that the model can answer, with the subjects' labels (LAMA's way)."""
    from tashika.evaluate.belief import SinglePrompt

    first: dict[str, str] = {}
    rows = release.templates.select(["relation", "item_id", "text", "origin"]).to_pylist()
    for row, fits in zip(rows, usable_templates([row["text"] for row in rows], kind), strict=True):
        if fits and row["origin"] == "manual":
            first.setdefault(row["relation"], row["item_id"])
    labels = release.aliases.filter(release.aliases["is_label"])["item_id"].to_pylist()
    return SinglePrompt(list(first.values()), [str(one) for one in labels])


def _announce(name: str, prompts: WorkList, sample: Sample) -> None:
    """What a run would do, without loading the weights."""
    kind = model_kind(name)
    usable = usable_templates(prompts.template_texts, kind)
    drawn = draw(prompts, sample, usable)
    fits = usable_templates(drawn.template_texts, kind)
    before = np.concatenate([[0], np.cumsum(fits)])
    answerable = before[drawn.template_start + drawn.template_count] - before[drawn.template_start]
    asked = int((answerable * drawn.alias_count).sum())
    say(
        f"{name} ({kind}): would be asked {asked:,} prompts about {len(drawn.pair_number):,} pairs; "
        f"{len(drawn) - asked:,} more have their blank where it cannot answer. Pairs without an object that is one "
        "token in its vocabulary are left out of these."
    )


def _print_scores(scores: Sequence[Mapping[str, Any]]) -> None:
    """The numbers of Table 2, one column a model, and what was left out, on standard output."""
    rows: dict[str, list[str]] = {
        "prompts": [f"{found['n_prompts']:,}" for found in scores],
        "pairs": [f"{found['n_pairs']:,}" for found in scores],
    }
    for name in ("acc@1", "acc@10", "mrr"):
        rows[name] = [_shown(found[name]) for found in scores]
        for spread in ("range", "stdev"):
            rows[f"{name}, {spread} over draws"] = [_shown(found["fluctuation"][name][spread]) for found in scores]
    for name in ("consist@1", "overconf@1", "overconf@10"):
        rows[name] = [_shown(found[name]) for found in scores]
    table = Table("BELIEF", *(_title(found) for found in scores))
    for name, values in rows.items():
        table.add_row(name, *values)
    console = Console()
    console.print(table)
    for found in scores:
        for line in _remarks(found):
            console.print(f"{_title(found)}: {line}", markup=False, highlight=False, soft_wrap=True)


def _title(found: Mapping[str, Any]) -> str:
    return f"{found['model']['name']} ({found['model']['kind']}, {found['model']['dtype']})"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What to know beside the numbers."""
    single, drawn, coverage = found["single_token"], found["sampling"], found["coverage"]
    lines = [
        "one-token objects {}; facts {}; pairs {}".format(
            *(f"{single[name]['kept']:,} of {single[name]['of']:,}" for name in ("objects", "facts", "pairs"))
        )
    ]
    if coverage["left_out"]:
        lines.append("left out: " + ", ".join(f"{count:,} {reason}" for reason, count in coverage["left_out"].items()))
    if not drawn["whole"]:
        lines.append(
            f"a sample: {drawn['pairs']['drawn']:,} of {drawn['pairs']['of']:,} pairs, "
            f"{drawn['prompts']['drawn']:,} of {drawn['prompts']['of']:,} prompts (seed {drawn['seed']})"
        )
    if found["model"].get("note"):
        lines.append(str(found["model"]["note"]))
    return lines
