"""`tashika evaluate proverbs`: does a model answer, and score its answers, alike where two questions mean the same?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.errors import InputError
from tashika.core.inputs import load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.suites.proverbs.words import CONSISTENCIES, TOPICS
from tashika.core.workspace import Workspace
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption
from tashika.evaluate.proverbs.check_items import make_checks
from tashika.evaluate.proverbs.questions import read_release
from tashika.evaluate.proverbs.run import Run, evaluate_model, told_cost
from tashika.evaluate.proverbs.settings import EvaluateSettings, Way
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import resolve_name

SUITE: Final = "proverbs"

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated.",
        show_default=False,
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Who tells whether a statement follows from another: a classifier trained on natural language inference, "
        "or a causal model, asked yes or no. Default: the settings'.",
    ),
]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Ask about this many pairs of each topic.", min=1)]
ChecksOption = Annotated[
    bool,
    typer.Option(
        "--checks", help="Then make what people check: errors found in all scored models, and as many not found."
    ),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    endpoint: EndpointOption = None,
    judge: JudgeOption = None,
    limit: LimitOption = None,
    checks: ChecksOption = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models for five statements on each question and for each statement's score; compare a pair's two questions.

    Replies are read strictly and asked for again a stated number of times; what cannot be had is counted as missing.
    Device and dtype are those of a model on this machine, and of the judge. A limit draws pairs, seeded; the numbers
    say so.
    """
    if not model and not checks:
        raise InputError(
            "no model is named", hint="Name one with --model, or make checks of scored ones with --checks."
        )
    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    if model:
        _evaluate(workspace, model, Way(endpoint, device, dtype), settings, judge, limit, dry_run=dry_run)
    if checks:
        make_checks(workspace, settings.checks, dry_run=dry_run)


def _evaluate(
    workspace: Workspace,
    names: list[str],
    way: Way,
    settings: EvaluateSettings,
    judge: str | None,
    limit: int | None,
    *,
    dry_run: bool,
) -> None:
    release = read_release(workspace.release)
    judge = resolve_name(judge or settings.judge, workspace.root)
    found = names if way.endpoint is not None else [resolve_name(name, workspace.root) for name in names]
    runs = [Run.of(workspace, release, name, way, settings, judge, limit) for name in found]
    for run in runs:
        if dry_run:
            say(f"{_where(run)}: {len(run.pairs):,} pairs, {len(run.questions):,} questions; {told_cost(run)}")
        else:
            _print_numbers(evaluate_model(run), run.folder)


def _where(run: Run) -> str:
    about = run.about
    place = f"at {about['endpoint']}" if "endpoint" in about else f"({about['dtype']} on {about['device']})"
    return f"{about['name']} {place}"


def _print_numbers(found: Mapping[str, Any], folder: Path) -> None:
    """Errors by topic and kind of consistency on standard output, and what to know beside them."""
    table = Table("topic", "consistency", "pairs", "tested", "errors", "share", "95 %", "after Holm")
    for column in table.columns[2:]:
        column.justify = "right"
    errors = found["errors"]
    for topic, kind in product([name for name in (*TOPICS, "all") if name in errors], CONSISTENCIES):
        cell = errors[topic][kind]
        counts = [f"{cell[name]:,}" for name in ("pairs", "tested", "errors")]
        table.add_row(topic, kind, *counts, *_shares(cell), f"{cell['errors_holm']:,}")
    console = Console()
    model = found["model"]
    place = f"at {model['endpoint']}" if "endpoint" in model else f"({model['dtype']})"
    console.print(f"{model['name']} {place}", markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(found, folder):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _shares(cell: Mapping[str, Any]) -> tuple[str, str]:
    if cell["share"] is None:
        return "-", "-"
    return f"{cell['share']:.3f}", "{low:.3f} to {high:.3f}".format(**cell["interval"])


def _remarks(found: Mapping[str, Any], folder: Path) -> list[str]:
    """What to know beside the numbers."""
    drawn, judge = found["sampling"], found["judge"]
    lines = [f"consistency of texts: {judge['method']}, {judge['model']}"]
    lines += _missing(found["coverage"], "answer", "answers") + _missing(found["coverage"], "score", "scores")
    lines += _missing(found["coverage"], "consistency", "consistencies")
    asked = {name: one["requests"] for name, one in found["cost"]["asked"].items()}
    lines.append(", ".join(f"{name}: {count:,} requests" for name, count in asked.items() if count))
    if not drawn["whole"]:
        lines.append(f"a sample: {drawn['pairs']['drawn']:,} of {drawn['pairs']['of']:,} pairs (seed {drawn['seed']})")
    if found["release"]["simulated"]:
        lines.append(SIMULATED_RELEASE)
    lines += [str(note) for note in dict.fromkeys((found["model"].get("note"), judge.get("note"))) if note]
    return [*lines, f"answers, tests and numbers: {folder}"]


def _missing(covered: Mapping[str, Any], name: str, plural: str) -> list[str]:
    """How many of five a question are missing, and why."""
    missing = covered["wanted"] - covered[plural]
    if not missing:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in dict(covered[f"{name}_problems"]).items())
    return [f"missing {plural}: {missing:,} of {covered['wanted']:,} ({reasons})"]


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.proverbs.report import write_report as write

    return write(workspace)


EVALUATION: Final = Evaluation(command, write_report)
