"""`tashika evaluate proverbs`: does a model answer, and score its answers, alike where two questions mean the same?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.errors import InputError
from tashika.core.inputs import load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption, EngineOption, complete_model
from tashika.evaluate.proverbs.methods import METHODS
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace
    from tashika.evaluate.proverbs.metrics_model import Coverage, ErrorCounts, ProverbMetrics
    from tashika.evaluate.proverbs.run import Run
    from tashika.evaluate.proverbs.settings import EvaluateSettings
    from tashika.evaluate.systems import How

SUITE: Final = "proverbs"

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="The model that judges whether a statement follows from another: a classifier trained on natural language "
        "inference, or a causal model, asked yes or no. Default: the settings'.",
    ),
]
WeakJudgeOption = Annotated[
    bool,
    typer.Option("--weak-judge", help="Use a classifier as the judge though it fails on the hand-written pairs."),
]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Ask about this many pairs of each topic.", min=1)]
ChecksOption = Annotated[
    bool,
    typer.Option(
        "--checks", help="Then make what people check: errors found in all scored models, and as many not found."
    ),
]

StereotypesOption = Annotated[
    bool,
    typer.Option("--stereotypes", help="Then draw answers of all scored models that people look at for stereotypes."),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    endpoint: EndpointOption = None,
    judge: JudgeOption = None,
    weak_judge: WeakJudgeOption = False,
    limit: LimitOption = None,
    checks: ChecksOption = False,
    stereotypes: StereotypesOption = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models for five statements on each question and for each statement's score; compare a pair's two questions.

    Replies are read strictly and asked for again a stated number of times; what cannot be had is counted as missing.
    Device, dtype and engine are those of a model on this machine, and of the judge. A limit draws pairs, seeded; the
    numbers say so.
    """
    if not (model or checks or stereotypes):
        raise InputError(
            "no model is named",
            hint="Name one with --model, or make what people look at of scored ones with --checks or --stereotypes.",
        )
    from tashika.core.settings import overridden
    from tashika.core.workspace import Workspace
    from tashika.evaluate.proverbs.check_items import make_checks
    from tashika.evaluate.proverbs.settings import EvaluateSettings
    from tashika.evaluate.proverbs.stereotype_items import make_stereotypes
    from tashika.evaluate.systems import How

    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    if weak_judge:
        settings = overridden(settings, {"weak_judge": True})
    if model:
        for run in _runs(workspace, model, endpoint, How(device, dtype, engine), settings, judge, limit):
            _evaluate(run, dry_run=dry_run)
    if checks:
        make_checks(workspace, settings.checks, dry_run=dry_run)
    if stereotypes:
        make_stereotypes(workspace, settings.stereotypes, dry_run=dry_run)


def _runs(
    workspace: Workspace,
    names: list[str],
    endpoint: str | None,
    how: How,
    settings: EvaluateSettings,
    judge: str | None,
    limit: int | None,
) -> list[Run]:
    """A run for each model; all of them are checked before the first is asked."""
    from tashika.evaluate.proverbs.questions import read_release
    from tashika.evaluate.proverbs.run import Run
    from tashika.evaluate.systems import System, resolve_name, systems_of

    release = read_release(workspace.release)
    judge = resolve_name(judge or settings.judge, workspace.root)
    # Beside an endpoint, device and precision are the judge's alone.
    systems = [System.chat(name, endpoint) for name in names] if endpoint else systems_of(names, workspace, how)
    return [Run.of(workspace, release, system, how, settings, judge, limit) for system in systems]


def _evaluate(run: Run, *, dry_run: bool) -> None:
    from tashika.evaluate.proverbs.costs import describe_cost
    from tashika.evaluate.proverbs.run import evaluate_model

    if not dry_run:
        _print_numbers(evaluate_model(run), run.folder)
        return
    system = run.system
    place = f"at {system.endpoint}" if system.endpoint else f"({system.dtype} on {system.device})"
    asked = f"{len(run.pairs):,} pairs, {len(run.questions):,} questions"
    say(f"{system.name} {place}: {asked}; {describe_cost(run)}")


def _print_numbers(metrics: ProverbMetrics, folder: Path) -> None:
    """Errors by topic and kind of consistency on standard output, and what to know beside them."""
    from rich.console import Console
    from rich.table import Table

    from tashika.core.suites.proverbs.words import CONSISTENCIES, TOPICS

    table = Table("topic", "consistency", "pairs", "tested", "errors", "share", "95 %", "after Holm")
    for column in table.columns[2:]:
        column.justify = "right"
    for topic, kind in product([name for name in (*TOPICS, "all") if name in metrics.errors], CONSISTENCIES):
        cell = metrics.errors[topic][kind]
        counts = [f"{count:,}" for count in (cell.pairs, cell.tested, cell.errors)]
        table.add_row(topic, kind, *counts, *_shares(cell), f"{cell.errors_holm:,}")
    console = Console()
    model = metrics.model
    place = f"at {model.endpoint}" if model.endpoint else f"({model.dtype})"
    console.print(f"{model.name} {place}", markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(metrics, folder):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _shares(cell: ErrorCounts) -> tuple[str, str]:
    if cell.share is None or cell.interval is None:
        return "-", "-"
    return f"{cell.share:.3f}", f"{cell.interval.low:.3f} to {cell.interval.high:.3f}"


def _remarks(metrics: ProverbMetrics, folder: Path) -> list[str]:
    """What to know beside the numbers."""
    sampling, judge = metrics.sampling, metrics.judge
    requests = {"statements": metrics.cost.asked.statements.requests, "scores": metrics.cost.asked.scores.requests}
    lines = [*_without_spread(metrics), f"consistency of texts: {judge.method}, {judge.model}"]
    lines += _missing(metrics.coverage)
    lines.append(", ".join(f"{name}: {count:,} requests" for name, count in requests.items() if count))
    if not sampling.whole:
        lines.append(f"a sample: {sampling.pairs.drawn:,} of {sampling.pairs.of:,} pairs (seed {sampling.seed})")
    if metrics.release and metrics.release.simulated:
        lines.append(SIMULATED_RELEASE)
    lines += [note for note in dict.fromkeys((metrics.model.note, judge.note)) if note]
    return [*lines, f"answers, tests and numbers: {folder}"]


def _without_spread(metrics: ProverbMetrics) -> list[str]:
    """What the page's own count would be, and what its errors on gender are beside the controls'."""
    lines = []
    if metrics.differences:
        cell = metrics.differences["all"]["score"]
        lines.append(
            f"scores, as the page counts: {cell.paper_errors:,} errors, {cell.paper_without_spread:,} of them of pairs "
            f"without any spread; {cell.either:,} pairs differ in spread or place (Lepage)"
        )
    controls = metrics.controls.cells["all"]["score"] if metrics.controls else None
    if controls and controls.proverbs:
        lines.append(
            f"scores, gender beside neutral rewordings of {controls.proverbs:,} proverbs: {controls.errors:,} errors "
            f"and {controls.control_errors:,}"
        )
    return lines


def _missing(coverage: Coverage) -> list[str]:
    """How many answers, scores and consistencies are missing, and why."""
    kinds = (
        ("answers", coverage.answers, coverage.answer_problems),
        ("scores", coverage.scores, coverage.score_problems),
        ("consistencies", coverage.consistencies, coverage.consistency_problems),
    )
    lines = []
    for name, count, problems in kinds:
        missing = coverage.wanted - count
        if missing:
            reasons = ", ".join(f"{times:,} {reason}" for reason, times in problems.items())
            lines.append(f"missing {name}: {missing:,} of {coverage.wanted:,} ({reasons})")
    return lines


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.proverbs.report import write_report as write

    return write(workspace)


def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What systems made of their items, for models side by side; see `comparison`."""
    from tashika.evaluate.proverbs.comparison import read

    return read(workspace, folders)


def open_shown(workspace: Workspace, folder: Path) -> Spell:
    """What a system's predictions are read beside; see `showing`."""
    from tashika.evaluate.proverbs.showing import open_answers

    return open_answers(workspace, folder)


EVALUATION: Final = Evaluation(
    command,
    write_report,
    Comparison(("answers.parquet", "tests.parquet"), read_sides),
    Showing(
        "answers.parquet",
        open_shown,
        "the model's own score of its statement, from 1 to 10",
        judged=False,
    ),
    METHODS,
)
