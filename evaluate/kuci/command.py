"""`tashika evaluate kuci`: does a model know what usually follows from an everyday event?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.suites.kuci.words import CONDITIONS, Conditions
from tashika.evaluate.kuci.methods import METHODS
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption, EngineOption, complete_model
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell
from tashika.evaluate.ways.names import Norm

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace
    from tashika.evaluate.kuci.metrics_model import KuciMetrics, SetScore
    from tashika.evaluate.kuci.questions import KuciRelease
    from tashika.evaluate.kuci.run import Run
    from tashika.evaluate.kuci.settings import EvaluateSettings, Way
    from tashika.evaluate.systems import System

SUITE: Final = "kuci"

_CHOOSING: Final = {"masked": "fine-tuned", "chat": "asked for a letter at --endpoint"}
"""What a model without likelihoods is, by its kind."""

Sets = Literal["both", "without_similarity", "without_length", "all"]

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated. "
        "Without one the baselines alone are scored.",
        show_default=False,
        autocompletion=complete_model,
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
QuestionsOption = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        help="The authors' own release instead of one of yours: a folder with train.jsonl, dev.jsonl and test.jsonl, "
        "or one such file, taken for the test part. It needs a working directory without a build, and stays there.",
        show_default=False,
    ),
]
KeepWordsOption = Annotated[
    bool,
    typer.Option(
        "--keep-words",
        help="With --questions: keep the spaces that Juman++ put between words, for models that read such text.",
    ),
]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="Begin with the weights of a finished training run of this encoder (the folder that --keep-weights left, "
        "such as work/kuci/evaluate/SYSTEM/training/both-0) in the place of its own.",
        show_default=False,
    ),
]
UntouchedOption = Annotated[
    bool, typer.Option("--untouched", help="With --from: score these weights as they are, and train nothing.")
]
KeepWeightsOption = Annotated[
    bool | None,
    typer.Option("--keep-weights/--forget-weights", help="Keep the weights of every training run, for --from."),
]
ArtefactOption = Annotated[
    bool | None,
    typer.Option(
        "--artefact-check/--no-artefact-check", help="Also ask encoders and causal models about the options alone."
    ),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    sets: SetOption = "all",
    endpoint: EndpointOption = None,
    norm: NormOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    limit: LimitOption = None,
    seeds: SeedsOption = None,
    artefact_check: ArtefactOption = None,
    questions: QuestionsOption = None,
    keep_words: KeepWordsOption = False,
    from_run: FromOption = None,
    untouched: UntouchedOption = False,
    keep_weights: KeepWeightsOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Have models choose what follows from a context; write their choices and scores.

    An encoder is fine-tuned on each set's training part, stopped by its validation part and scored on its test part,
    once a seed. A causal model is scored as it is, by the likelihood of each option behind the context. Both are also
    asked about the options alone, which should leave them near chance. A chat model answers with a letter. Baselines
    are scored on every release, once. A limit draws questions, seeded; the scores say so. Several devices, or the
    machines of a Ray cluster, take several training runs, or parts of the questions, at a time.

    An encoder that was tuned on one release may be scored on another, as it is or tuned further: --from.
    """
    from tashika.core.inputs import load_settings
    from tashika.core.workspace import Workspace
    from tashika.evaluate.kuci.asking import BASELINES, baseline_system, is_usable
    from tashika.evaluate.kuci.questions import read_release
    from tashika.evaluate.kuci.run import Run, evaluate_system
    from tashika.evaluate.kuci.settings import EvaluateSettings, Way
    from tashika.evaluate.systems import How, systems_of

    workspace = Workspace(work, SUITE)
    given = Given(model or [], questions, keep_words, from_run, untouched)
    given.check(endpoint)
    loaded = load_settings(workspace, "evaluate", EvaluateSettings, config)
    settings = _settings(loaded, dtype, seeds, artefact_check, keep_weights)
    if questions is not None:
        from tashika.evaluate.kuci.authors import import_questions

        import_questions(workspace, questions, keep_words=keep_words)
    release = read_release(workspace.release)
    chosen = _sets(release, sets)
    how = How(device, dtype, engine)
    trainable = all(release.part("both", split) for split in ("train", "validation"))
    asked = [(baseline_system(name), Way("baseline")) for name in BASELINES if is_usable(name, release, trainable)]
    for system in systems_of(model or [], workspace, how, endpoint):
        asked += _ways(system, settings, norm, given, trainable=trainable)
    runs = [Run.of(workspace, release, system, way, settings, chosen, limit=limit) for system, way in asked]
    if dry_run:
        for run in runs:
            _announce(run)
        return
    baselines = [run for run in runs if run.way.how == "baseline"]
    models = [run for run in runs if run.way.how != "baseline"]
    _print_scores([*_score_baselines(baselines), *(evaluate_system(run) for run in models)], chosen)


def _score_baselines(runs: Sequence[Run]) -> list[KuciMetrics]:
    """The scores of the baselines; a line for each that was computed now, where a model has one for each stage."""
    from tashika.core.progress import unseen
    from tashika.evaluate.kuci.run import evaluate_system

    scores, computed = [], 0
    for run in runs:
        manifest = run.folder / "metrics.manifest.json"
        before, begin = manifest.read_bytes() if manifest.exists() else b"", time.monotonic()
        with unseen():
            scores.append(evaluate_system(run))
        if manifest.read_bytes() != before:
            computed += 1
            asked = sum(scores[-1].sampling.drawn.values())
            say(f"baseline {computed}: {run.system.name}, {asked:,} questions ({time.monotonic() - begin:.1f} s)")
    if runs and not computed:
        say(f"{len(runs)} baselines: nothing to do, the same input and settings were done before")
    return scores


@dataclass(frozen=True)
class Given:
    """What the command line says of questions and weights that were made elsewhere.

    Attributes:
        models: The models.
        questions: The authors' files.
        keep_words: Whether the spaces between their words stay.
        start: The folder of a finished training run.
        untouched: Whether its weights are scored as they are.
    """

    models: Sequence[str]
    questions: Path | None
    keep_words: bool
    start: Path | None
    untouched: bool

    def check(self, endpoint: str | None) -> None:
        """Refuses options that go with nothing.

        Raises:
            InputError: One lacks the option that it belongs to.
        """
        if self.keep_words and self.questions is None:
            raise InputError("found --keep-words without --questions", hint="Name the authors' files with --questions.")
        if self.untouched and self.start is None:
            raise InputError("found --untouched without --from", hint="Name the weights with --from FOLDER.")
        if self.start is not None and (len(self.models) != 1 or endpoint is not None):
            beside = "--endpoint" if endpoint else f"{len(self.models)} models"
            raise InputError(
                f"found --from beside {beside}, expected one encoder",
                hint="Name the encoder that the weights were tuned from: --model NAME_OR_PATH.",
            )


def _settings(
    settings: EvaluateSettings,
    dtype: str,
    seeds: Sequence[int] | None,
    artefact_check: bool | None,
    keep_weights: bool | None,
) -> EvaluateSettings:
    """The settings as the command line changes them."""
    from tashika.core.settings import overridden

    training = {
        "seeds": tuple(dict.fromkeys(seeds)) if seeds else None,
        "dtype": dtype if dtype in {"fp32", "bf16"} else None,
    }
    changed = {"artefact_check": artefact_check, "keep_weights": keep_weights, "training": training}
    return overridden(settings, changed)


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
    system: System, settings: EvaluateSettings, norm: Norm | None, given: Given, *, trainable: bool
) -> list[tuple[System, Way]]:
    """How a model is asked; an encoder or a causal model twice, since the options alone should not be enough.

    Raises:
        InputError: An option has no meaning for this model, or there is nothing to train an encoder on.
    """
    from tashika.evaluate.kuci.settings import Way

    if given.start is not None and system.kind != "masked":
        raise InputError(
            f"found --from beside {system.given}, which is no encoder", hint="Leave --from away: nothing is trained."
        )
    if system.kind == "causal":
        way = Way("zero-shot", norm=norm or settings.norm)
        blind = replace(system, name=f"{system.name}, options only")
        return [(system, way), *([(blind, replace(way, show="options"))] if settings.artefact_check else [])]
    if norm is not None:
        raise InputError(
            f"found --norm {norm} beside {system.given}, which is {_CHOOSING[system.kind]}",
            hint="Only the likelihoods of a causal model have a norm.",
        )
    if system.kind == "chat":
        return [(system, Way("chat"))]
    return _tuned_ways(system, settings, given, trainable=trainable)


def _tuned_ways(
    system: System, settings: EvaluateSettings, given: Given, *, trainable: bool
) -> list[tuple[System, Way]]:
    """How an encoder is asked: fine-tuned here, with and without contexts, or as it was tuned elsewhere.

    Weights that have learned from contexts are not tuned on options alone: what they then know is no artefact.

    Raises:
        InputError: Its precision is none to train in, there is nothing to train on, or the weights are not its own.
    """
    from tashika.core.models import resolve_dtype
    from tashika.evaluate.kuci.settings import Way
    from tashika.evaluate.ways.fine_tuning import Start

    if system.how.dtype == "fp16":
        raise InputError("an encoder is fine-tuned in fp32 or bf16, found fp16", hint="Leave --dtype away.")
    if not trainable and not given.untouched:
        raise InputError(
            f"there are no questions to train on, and {system.given} is an encoder, which is fine-tuned",
            hint="Give --questions a folder with train.jsonl and dev.jsonl beside test.jsonl, or score an encoder that "
            "was tuned before: --from FOLDER --untouched.",
        )
    dtype = settings.training.dtype
    encoder = replace(system, how=replace(system.how, dtype=dtype), dtype=resolve_dtype(dtype, system.device or "cpu"))
    if given.start is not None:
        start = Start.of(given.start, system.given)
        return [(encoder, Way("transferred" if given.untouched else "fine-tuned", start=start))]
    blind = replace(encoder, name=f"{encoder.name}, options only")
    ways = [(encoder, Way("fine-tuned")), (blind, Way("fine-tuned", show="options"))]
    return ways if settings.artefact_check else ways[:1]


def _announce(run: Run) -> None:
    """Says what a run would do, without loading weights or sending anything."""
    from tashika.evaluate.kuci.answers import announced_cost

    system = run.system
    sizes = ", ".join(f"{len(run.questions(name)):,} ({name})" for name in run.sets)
    if run.way.how == "chat":
        questions = [question for name in run.sets for question in run.questions(name)]
        cost = announced_cost(system, run.settings, run.workspace.cache, questions)
        estimate = cost.describe(system.asking(run.settings.llm))
        say(f"{system.name} at {system.endpoint}: would be asked {sizes}; {estimate}")
    elif run.way.how == "fine-tuned":
        training = ", ".join(f"{len(run.questions(name, 'train')):,}" for name in run.sets)
        say(
            f"{system.name} ({system.dtype} on {system.device}): would be fine-tuned {len(run.sets) * len(run.seeds)} "
            f"times{_from(run)}, on {training} questions, and asked {sizes}"
        )
    elif run.way.how == "transferred":
        say(f"{system.name} ({system.dtype} on {system.device}){_from(run)}: would be asked {sizes} as it is")
    else:
        say(f"{system.name}: would be scored on {sizes}")


def _from(run: Run) -> str:
    start = run.way.start
    return f", from {start.name} ({start.digest[:6]})" if start else ""


def _print_scores(systems: Sequence[KuciMetrics], sets: Sequence[Conditions]) -> None:
    """Accuracy by system and set on standard output, and what to know beside it."""
    from rich.console import Console
    from rich.table import Table

    table = Table("system", "how", *sets)
    for column in table.columns[2:]:
        column.justify = "right"
    for metrics in systems:
        cells = [_cell(metrics.sets[name]) if name in metrics.sets else "-" for name in sets]
        start = metrics.scoring.start
        how = metrics.scoring.how + (f" from {start['run']} ({start['weights'][:6]})" if start else "")
        table.add_row(metrics.model.name, how, *cells)
    console = Console()
    console.print(table)
    for line in _remarks(systems):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _cell(score: SetScore) -> str:
    if score.accuracy is None or score.wilson is None:
        return "no answer"
    spread = f" ±{score.sd:.3f}" if score.sd is not None else ""
    return f"{score.accuracy:.3f}{spread} [{score.wilson.low:.3f}, {score.wilson.high:.3f}]"


def _remarks(systems: Sequence[KuciMetrics]) -> list[str]:
    """What to know beside the numbers."""
    from tashika.evaluate.kuci.artefacts import checks_of, summary

    first = systems[0]
    tested = ", ".join(f"{score.questions:,} ({name})" for name, score in first.sets.items())
    lines = [
        f"accuracy with its 95 % interval (Wilson) over the test questions, {tested}; ± is the standard deviation over "
        f"training runs; chance is {first.chance:.2f}"
    ]
    for metrics in systems:
        for name, score in metrics.sets.items():
            if score.problems:
                reasons = ", ".join(f"{count:,} {reason}" for reason, count in score.problems.items())
                lines.append(f"{metrics.model.name}, {name}: no answer to {reasons}")
        lines += _fit_lines(metrics)
        if metrics.model.note:
            lines.append(metrics.model.note)
    checks = checks_of([(metrics.model.name, metrics) for metrics in systems])
    if checks:
        lines.append(f"artefact check: {summary(checks)}")
        lines += [f"{check.name}: {check.verdict}, {check.numbers}" for check in checks if check.away]
    if not first.sampling.whole:
        lines.append(f"a sample: at most {first.sampling.limit:,} questions of each part (seed {first.sampling.seed})")
    if first.release and first.release.simulated:
        lines.append(SIMULATED_RELEASE)
    return list(dict.fromkeys(lines))


def _fit_lines(metrics: KuciMetrics) -> list[str]:
    """A model's accuracy by what people find of the options; nothing of a baseline, which they say nothing about."""
    from tashika.evaluate.kuci.artefacts import is_baseline
    from tashika.evaluate.kuci.fits import NAMES

    if is_baseline(metrics) or "both" not in metrics.sets:
        return []
    shares = [(NAMES[name], share) for name, share in metrics.sets["both"].by_fit.items() if share.wilson]
    return [
        f"{metrics.model.name}, {name}, {share.questions:,} questions: {share.accuracy:.3f} "
        f"[{share.wilson.low:.3f}, {share.wilson.high:.3f}]"
        for name, share in shares
        if share.wilson
    ]


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.kuci.report import write_report as write

    return write(workspace)


def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What systems made of their items, for models side by side; see `comparison`."""
    from tashika.evaluate.kuci.comparison import read

    return read(workspace, folders)


def open_shown(workspace: Workspace, folder: Path) -> Spell:
    """What a system's predictions are read beside; see `showing`."""
    from tashika.evaluate.kuci.showing import open_predictions

    return open_predictions(workspace, folder)


EVALUATION: Final = Evaluation(
    command,
    write_report,
    Comparison(("predictions.parquet",), read_sides),
    Showing(
        "predictions.parquet",
        open_shown,
        "what the system gives the option: of the options of a question the highest is its answer",
    ),
    METHODS,
)
