"""`tashika evaluate kuci`: does a model know what usually follows from an everyday event?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.errors import InputError
from tashika.core.inputs import load_settings
from tashika.core.models import model_kind
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.suites.kuci.words import CONDITIONS, Conditions
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.artefacts import checks_of, summary
from tashika.evaluate.kuci.questions import KuciRelease, read_release
from tashika.evaluate.kuci.run import BASELINES, Run, announced_cost, evaluate_system
from tashika.evaluate.kuci.settings import EvaluateSettings, Way
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import DeviceOption, DtypeOption, EndpointOption, resolve_name
from tashika.evaluate.ways.options import Norm

SUITE: Final = "kuci"

Sets = Literal["both", "without_similarity", "without_length", "all"]

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated. "
        "Without one the baselines alone are scored.",
        show_default=False,
    ),
]
SetOption = Annotated[
    Sets,
    typer.Option("--set", help="The published questions (both conditions), those without one condition, or all."),
]
NormOption = Annotated[
    Norm | None,
    typer.Option("--norm", help="Divide the likelihood of an option by nothing, its tokens, or its characters."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Use this many questions of each part of each set, drawn.", min=1)
]
SeedsOption = Annotated[
    list[int] | None,
    typer.Option("--seeds", help="Of the training runs of an encoder, one run each. Default: the settings'."),
]
ArtefactOption = Annotated[
    bool | None,
    typer.Option("--artefact-check/--no-artefact-check", help="Also fine-tune an encoder on the options alone."),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    sets: SetOption = "all",
    endpoint: EndpointOption = None,
    norm: NormOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    limit: LimitOption = None,
    seeds: SeedsOption = None,
    artefact_check: ArtefactOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Have models choose what follows from a context; write their choices and scores.

    An encoder is fine-tuned on each set's training part, stopped by its validation part and scored on its test part,
    once a seed; so it is on the options alone, which should leave it near chance. A causal model is scored as it is, by
    the likelihood of each option behind the context. A chat model answers with a letter. Baselines are scored on every
    release, once. A limit draws questions, seeded; the scores say so.
    """
    workspace = Workspace(work, SUITE)
    settings = _settings(load_settings(workspace, "evaluate", EvaluateSettings, config), dtype, seeds, artefact_check)
    release = read_release(workspace.release)
    chosen = _sets(release, sets)
    names = model or []
    names = names if endpoint is not None else [resolve_name(name, work) for name in names]
    ways = [(name, way) for name in names for way in _ways(name, settings, endpoint, norm, device, dtype)]
    ways = [(name, Way("baseline")) for name in BASELINES] + ways
    runs = [Run.of(workspace, release, name, way, settings, chosen, limit=limit) for name, way in ways]
    if dry_run:
        for run in runs:
            _announce(run)
        return
    found = [evaluate_system(run) for run in runs]
    _print_scores(found, chosen)


def _settings(
    settings: EvaluateSettings, dtype: str, seeds: Sequence[int] | None, artefact_check: bool | None
) -> EvaluateSettings:
    """The settings as the command line changes them."""
    changes: dict[str, Any] = {}
    if seeds:
        changes["seeds"] = tuple(dict.fromkeys(seeds))
    if dtype in {"fp32", "bf16"}:
        changes["dtype"] = dtype
    training = settings.training.model_copy(update=changes)
    check = settings.artefact_check if artefact_check is None else artefact_check
    return settings.model_copy(update={"training": training, "artefact_check": check})


def _sets(release: KuciRelease, sets: Sets) -> list[Conditions]:
    """The sets that are asked for; of all, those that the release has.

    Raises:
        InputError: The release lacks the one that was named.
    """
    if sets != "all":
        release.part(sets, "test")
        return [sets]
    missing = [name for name in CONDITIONS if name not in release.sets]
    if missing:
        say(f"the release has no set {' and '.join(missing)}: those ablations are left out")
    return [name for name in CONDITIONS if name in release.sets]


def _ways(
    name: str, settings: EvaluateSettings, endpoint: str | None, norm: Norm | None, device: str, dtype: str
) -> list[Way]:
    """How a model is asked; an encoder twice, since it is also trained on the options alone.

    Raises:
        InputError: The model cannot be found, or an option has no meaning beside another.
    """
    if endpoint is not None:
        beside: dict[str, str | None] = {"--norm": norm}
        beside |= {"--device": None if device == "auto" else device, "--dtype": None if dtype == "auto" else dtype}
        idle = [option for option, value in beside.items() if value is not None]
        if idle:
            raise InputError(
                f"found {idle[0]} beside --endpoint, which answers in words on a machine of its own",
                hint=f"Leave {idle[0]} or --endpoint away.",
            )
        return [Way("chat", endpoint=endpoint)]
    if model_kind(name) == "causal":
        return [Way("zero-shot", norm=norm or settings.norm, device=device, dtype=dtype)]
    if norm is not None:
        raise InputError(
            f"found --norm {norm} beside {name}, which is fine-tuned",
            hint="Only the likelihoods of a causal model have a norm.",
        )
    if dtype == "fp16":
        raise InputError("an encoder is fine-tuned in fp32 or bf16, found fp16", hint="Leave --dtype away.")
    whole = Way("fine-tuned", device=device, dtype=settings.training.dtype)
    alone = Way("fine-tuned", show="options", device=device, dtype=settings.training.dtype)
    return [whole, alone] if settings.artefact_check else [whole]


def _announce(run: Run) -> None:
    """What a run would do, without loading weights or sending anything."""
    sizes = {name: len(run.questions(name)) for name in run.sets}
    told = ", ".join(f"{size:,} ({name})" for name, size in sizes.items())
    if run.way.how == "chat":
        say(f"{run.name} at {run.about['endpoint']}: would be asked {told}; {announced_cost(run).told(run.asking)}")
    elif run.way.how == "fine-tuned":
        training = ", ".join(f"{len(run.questions(name, 'train')):,}" for name in run.sets)
        where = f"{run.about['dtype']} on {run.about['device']}"
        say(
            f"{run.about['name']} ({where}): would be fine-tuned {len(run.sets) * len(run.seeds)} times, on {training} "
            f"questions, and asked {told}"
        )
    else:
        say(f"{run.about['name']}: would be scored on {told}")


def _print_scores(systems: Sequence[Mapping[str, Any]], sets: Sequence[Conditions]) -> None:
    """Accuracy by system and set on standard output, and what to know beside it."""
    table = Table("system", "how", *sets)
    for column in table.columns[2:]:
        column.justify = "right"
    for found in systems:
        cells = [_cell(found["sets"][name]) if name in found["sets"] else "-" for name in sets]
        table.add_row(str(found["model"]["name"]), str(found["scoring"]["how"]), *cells)
    console = Console()
    console.print(table)
    for line in _remarks(systems):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _cell(score: Mapping[str, Any]) -> str:
    if score["accuracy"] is None:
        return "no answer"
    low, high = score["wilson"]["low"], score["wilson"]["high"]
    spread = f" ±{score['sd']:.3f}" if score["sd"] is not None else ""
    return f"{score['accuracy']:.3f}{spread} [{low:.3f}, {high:.3f}]"


def _remarks(systems: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to know beside the numbers."""
    first = systems[0]
    tested = ", ".join(f"{score['questions']:,} ({name})" for name, score in first["sets"].items())
    lines = [
        f"accuracy with its 95 % interval (Wilson) over the test questions, {tested}; ± is the standard deviation over "
        f"training runs; chance is {first['chance']:.2f}"
    ]
    for found in systems:
        for name, score in found["sets"].items():
            if score["problems"]:
                reasons = ", ".join(f"{count:,} {reason}" for reason, count in score["problems"].items())
                lines.append(f"{found['model']['name']}, {name}: no answer to {reasons}")
        if found["model"].get("note"):
            lines.append(str(found["model"]["note"]))
    checks = checks_of([(str(found["model"]["name"]), found) for found in systems])
    if checks:
        lines.append(f"artefact check: {summary(checks)}")
        lines += [f"{each.name}: {each.verdict}, {each.told}" for each in checks if each.away]
    if not first["sampling"]["whole"]:
        limit, seed = first["sampling"]["limit"], first["sampling"]["seed"]
        lines.append(f"a sample: at most {limit:,} questions of each part (seed {seed})")
    if first["release"]["simulated"]:
        lines.append(SIMULATED_RELEASE)
    return list(dict.fromkeys(lines))


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.kuci.report import write_report as write

    return write(workspace)


EVALUATION: Final = Evaluation(command, write_report)
