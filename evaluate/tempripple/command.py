"""`tashika evaluate tempripple`: does a model take a new fact in, keep the old ones, and carry both on?"""

from __future__ import annotations

from collections.abc import Mapping
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
from tashika.core.workspace import Workspace
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import resolve_name
from tashika.evaluate.tempripple.questions import in_order, read_release
from tashika.evaluate.tempripple.run import Run, announced_cost, evaluate_model
from tashika.evaluate.tempripple.settings import EvaluateSettings, OptionsWay, Way
from tashika.evaluate.ways.options import Norm

SUITE: Final = "tempripple"

ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, a model made by `tashika models`, or a name at --endpoint. May be repeated.",
        show_default=False,
    ),
]
OptionsOption = Annotated[
    OptionsWay | None,
    typer.Option("--options", help="Score the options' text or letter, or generate an answer. Default: the settings'."),
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
    limit: LimitOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the questions of the release without and with the new fact before them; write predictions and scores.

    Causal models on this machine are scored by the likelihood of each option, chat models by the letter that they
    reply with. A reply that is no letter of an option is counted apart. A limit draws facts with all their questions,
    seeded; the scores say so.
    """
    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    way = _way(settings, endpoint, options, norm, device, dtype)
    release = read_release(workspace.release)
    names = model if endpoint is not None else [resolve_name(name, work) for name in model]
    runs = [Run.of(workspace, release, name, way, settings, limit) for name in names]
    if dry_run:
        for run in runs:
            _announce(run)
        return
    for run in runs:
        _print_scores(evaluate_model(run))


def _way(
    settings: EvaluateSettings,
    endpoint: str | None,
    options: OptionsWay | None,
    norm: Norm | None,
    device: str,
    dtype: str,
) -> Way:
    """How models are asked: the command line goes before the settings.

    Raises:
        InputError: An option has no meaning beside another.
    """
    if endpoint is not None:
        beside: dict[str, str | None] = {"--options": options, "--norm": norm}
        beside |= {"--device": None if device == "auto" else device, "--dtype": None if dtype == "auto" else dtype}
        idle = [name for name, value in beside.items() if value is not None]
        if idle:
            raise InputError(
                f"found {idle[0]} beside --endpoint, which answers in words on a machine of its own",
                hint=f"Leave {idle[0]} or --endpoint away.",
            )
        return Way("chat", endpoint=endpoint)
    chosen = options or settings.options
    if chosen != "text" and norm is not None:
        raise InputError(
            f"found --norm {norm} beside --options {chosen}; only the likelihood of a text has a length",
            hint="Leave --norm away, or use --options text.",
        )
    return Way(chosen, norm or settings.norm if chosen == "text" else "none", device=device, dtype=dtype)


def _announce(run: Run) -> None:
    """What a run would do, without loading weights or sending anything."""
    rows = in_order(run.questions)
    facts = len({(question.relation, question.subject) for question in run.questions})
    told = f"{len(run.questions):,} questions on {facts:,} facts, each without and with its context"
    if run.way.options == "chat":
        say(f"{run.name} at {run.about['endpoint']}: {told}; {announced_cost(run).told(run.asking)}")
        return
    how = "would write its answer to" if run.way.in_words else f"would be scored by the options' {run.way.options} on"
    say(f"{run.about['name']} ({run.about['dtype']} on {run.about['device']}): {how} {told}: {len(rows):,} prompts")


def _print_scores(found: Mapping[str, Any]) -> None:
    """Accuracy by task, hop and condition on standard output, and what to know beside it."""
    table = Table("task", "hop", "questions", "no context", "context", "no answer")
    for column in table.columns[1:]:
        column.justify = "right"
    cells = {(cell["task"], cell["hop"], cell["with_context"]): cell for cell in found["cells"]}
    for task, hop in dict.fromkeys((task, hop) for task, hop, _ in cells):
        both = [cells[task, hop, context] for context in (False, True)]
        unanswered = " + ".join(f"{cell['unanswered']:,}" for cell in both)
        table.add_row(task, str(hop), f"{both[0]['n']:,}", *(_shown(cell["accuracy"]) for cell in both), unanswered)
    console = Console()
    console.print(_title(found), markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _title(found: Mapping[str, Any]) -> str:
    model, scoring = found["model"], found["scoring"]
    if scoring["options"] == "chat":
        return f"{model['name']} at {model['endpoint']}"
    norm = {"none": "", "token": ", by token", "character": ", by character"}[scoring["norm"]]
    told = {"text": f"likelihood of the text{norm}", "letter": "likelihood of the letter", "generate": "its own words"}
    return f"{model['name']} ({model['dtype']}): {told[scoring['options']]}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What to know beside the numbers."""
    drawn, covered = found["sampling"], found["coverage"]
    lines = [
        f"accuracy without and with the new fact as context, over what was answered; chance is {found['chance']:.2f}"
    ]
    if covered["problems"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(covered["problems"].items()))
        lines.append(f"no answer: {covered['asked'] - covered['answered']:,} of {covered['asked']:,} ({reasons})")
    if not drawn["whole"]:
        facts, questions = drawn["facts"], drawn["questions"]
        lines.append(
            f"a sample: {facts['drawn']:,} of {facts['of']:,} facts, {questions['drawn']:,} of {questions['of']:,} "
            f"questions (seed {drawn['seed']})"
        )
    if found["release"]["simulated"]:
        lines.append(SIMULATED_RELEASE)
    if found["model"].get("note"):
        lines.append(str(found["model"]["note"]))
    return lines


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.tempripple.report import write_report as write

    return write(workspace)


EVALUATION: Final = Evaluation(command, write_report)
