"""`tashika evaluate tempripple`: does a model take a new fact in, keep the old ones, and carry both on?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.inputs import load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption, EngineOption, complete_model
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell
from tashika.evaluate.tempripple.methods import METHODS
from tashika.evaluate.ways.names import Norm, OptionsWay

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace
    from tashika.evaluate.tempripple.metrics_model import RippleMetrics
    from tashika.evaluate.tempripple.run import Run
    from tashika.evaluate.tempripple.settings import EvaluateSettings, Way

SUITE: Final = "tempripple"

ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
OptionsOption = Annotated[
    OptionsWay | None,
    typer.Option("--options", help="Score the options' text, letters, both, or generate. Default: the settings'."),
]
NormOption = Annotated[
    Norm | None,
    typer.Option("--norm", help="Divide the likelihood of a text by nothing, its tokens, or its characters."),
]
LimitOption = Annotated[
    int | None,
    typer.Option("--limit", help="Ask about this many (subject, property) facts, drawn by property.", min=1),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption,
    endpoint: EndpointOption = None,
    options: OptionsOption = None,
    norm: NormOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    limit: LimitOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the questions of the release without and with the new fact before them; write predictions and scores.

    Models read the options by letter, in every rotation of their order, behind a chat template where they have one: a
    model on this machine is scored by the likelihood of the letters, one at an endpoint by the letter that it replies
    with. On this machine the likelihood of the options' text is scored as well. A reply that is no letter of an option
    is counted separately. A limit draws facts with all their questions, seeded; the scores say so. `--config paper`
    asks once, by the text.
    """
    from tashika.core.workspace import Workspace
    from tashika.evaluate.systems import How, systems_of
    from tashika.evaluate.tempripple.questions import read_release
    from tashika.evaluate.tempripple.run import Run, evaluate_model
    from tashika.evaluate.tempripple.settings import EvaluateSettings

    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    ways = _ways(settings, endpoint, options, norm)
    release = read_release(workspace.release)
    systems = systems_of(model, workspace, How(device, dtype, engine), endpoint)
    runs = [Run.of(workspace, release, system, way, settings, limit) for system in systems for way in ways]
    for run in runs:
        if dry_run:
            _announce(run)
        else:
            _print_scores(evaluate_model(run))


def _ways(settings: EvaluateSettings, endpoint: str | None, options: OptionsWay | None, norm: Norm | None) -> list[Way]:
    """How models are asked, in one way or two: the command line goes before the settings.

    Raises:
        InputError: An option has no meaning beside another.
    """
    from tashika.evaluate.tempripple.settings import Way

    if endpoint is not None:
        idle = [name for name, value in (("--options", options), ("--norm", norm)) if value is not None]
        if idle:
            raise InputError(
                f"found {idle[0]} beside --endpoint, which answers in words", hint=f"Leave {idle[0]} or --endpoint out."
            )
        return [Way("chat", orders=settings.orders)]
    chosen = options or settings.options
    if chosen not in {"text", "both"} and norm is not None:
        raise InputError(
            f"found --norm {norm} beside --options {chosen}; only the likelihood of a text has a length",
            hint="Leave --norm out, or use --options text.",
        )
    by_text = Way("text", norm or settings.norm, template=settings.chat_template)
    by_letter = Way("letter", orders=settings.orders, template=settings.chat_template)
    if chosen == "both":
        return [by_letter, by_text]
    if chosen == "generate":
        return [Way("generate", orders=settings.orders)]
    return [by_text if chosen == "text" else by_letter]


def _announce(run: Run) -> None:
    """Says what a run would do, without loading weights or sending anything."""
    from tashika.evaluate.tempripple.run import announced_cost

    system = run.system
    facts = len({(question.relation, question.subject) for question in run.questions})
    asked = f"{len(run.questions):,} questions on {facts:,} facts, each without and with its context"
    if run.settings.conditions:
        more = counted(len(run.settings.conditions), "more condition")
        asked += f", and {more} ({', '.join(run.settings.conditions)})"
    if run.way.orders > 1:
        asked += f", in {run.way.orders} orders of the options"
    if run.way.options == "chat":
        cost = announced_cost(run).describe(system.asking(run.settings.llm))
        say(f"{system.name} at {system.endpoint}: {asked}; {cost}")
        return
    prompts = sum(len(part.rows) for part in run.with_controls) * run.way.orders
    how = "would write its answer to" if run.way.in_words else f"would be scored by the options' {run.way.options} on"
    say(f"{system.name} ({system.dtype} on {system.device}): {how} {asked}: {prompts:,} prompts")


def _print_scores(metrics: RippleMetrics) -> None:
    """Accuracy by task, hop and condition on standard output, and what to know beside it."""
    from rich.console import Console
    from rich.table import Table

    table = Table("task", "hop", "questions", "no context", "context", "no answer")
    for column in table.columns[1:]:
        column.justify = "right"
    cells = {(cell.task, cell.hop, cell.with_context): cell for cell in metrics.cells}
    for task, hop in dict.fromkeys((task, hop) for task, hop, _ in cells):
        both = [cells[task, hop, context] for context in (False, True)]
        unanswered = " + ".join(f"{cell.unanswered:,}" for cell in both)
        table.add_row(task, str(hop), f"{both[0].n:,}", *(_shown(cell.accuracy) for cell in both), unanswered)
    console = Console()
    console.print(_title(metrics), markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(metrics):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _title(metrics: RippleMetrics) -> str:
    model, scoring = metrics.model, metrics.scoring
    if scoring.options == "chat":
        return f"{model.name} at {model.endpoint}"
    norm = {"none": "", "token": ", by token", "character": ", by character"}[scoring.norm]
    norm += f", {scoring.orders} orders" if scoring.orders > 1 else ""
    norm += ", chat template" if scoring.chat_template else ""
    ways = {
        "text": f"likelihood of the text{norm}",
        "letter": f"likelihood of the letter{norm}",
        "generate": "its own words",
    }
    return f"{model.name} ({model.dtype}): {ways[scoring.options]}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _remarks(metrics: RippleMetrics) -> list[str]:
    """What to know beside the numbers."""
    sampling, coverage = metrics.sampling, metrics.coverage
    lines = [
        f"accuracy without and with the new fact as context, over what was answered; chance is {metrics.chance:.2f}"
    ]
    if coverage.problems:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(coverage.problems.items()))
        lines.append(f"no answer: {coverage.asked - coverage.answered:,} of {coverage.asked:,} ({reasons})")
    if not sampling.whole:
        facts, questions = sampling.facts, sampling.questions
        lines.append(
            f"a sample: {facts.drawn:,} of {facts.of:,} facts, {questions.drawn:,} of {questions.of:,} "
            f"questions (seed {sampling.seed})"
        )
    if metrics.release and metrics.release.simulated:
        lines.append(SIMULATED_RELEASE)
    if metrics.model.note:
        lines.append(metrics.model.note)
    return lines


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.tempripple.report import write_report as write

    return write(workspace)


def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What systems made of their items, for models side by side; see `comparison`."""
    from tashika.evaluate.tempripple.comparison import read

    return read(workspace, folders)


def open_shown(workspace: Workspace, folder: Path) -> Spell:
    """What a system's predictions are read beside; see `showing`."""
    from tashika.evaluate.tempripple.showing import open_predictions

    return open_predictions(workspace, folder)


EVALUATION: Final = Evaluation(
    command,
    write_report,
    Comparison(("predictions.parquet",), read_sides),
    Showing(
        "predictions.parquet",
        open_shown,
        "log-likelihood of the answer in nats, not normalised",
    ),
    METHODS,
)
