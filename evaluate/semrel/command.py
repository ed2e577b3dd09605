"""`tashika evaluate semrel`: how far do models, and people, take one semantic relation for another?

What a call needs is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.suites.semrel.words import NAME, RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.options import DeviceOption, DtypeOption, EngineOption, complete_model
from tashika.evaluate.semrel.asked import Asked
from tashika.evaluate.semrel.methods import METHODS
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell
from tashika.evaluate.systems import How

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be repeated.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
ResponsesOption = Annotated[
    Path | None,
    typer.Option(
        "--responses",
        help="A published response file: its targets and prompts are asked, its people scored; relata are looked up.",
    ),
]
PeopleOnlyOption = Annotated[bool, typer.Option("--people-only", help="Score people alone; no model is needed.")]
VocabularyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vocabulary",
        help="With --people-only and --responses, where nothing is built: limit relata to the words that are one token "
        "in this model (folder, name, tokenizer.json, or .txt with one word a line). May be repeated.",
        show_default=False,
    ),
]
ShowOption = Annotated[
    str | None,
    typer.Option("--show", help="Print what every scored system answered about this target, as the paper's Table 2."),
]
PromptsOption = Annotated[
    str | None,
    typer.Option("--relation", help=f"With --show: the prompts of one relation alone ({', '.join(RELATIONS)})."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Ask about this many targets, drawn at random.", min=1)
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    responses: ResponsesOption = None,
    people_only: PeopleOnlyOption = False,
    vocabulary: VocabularyOption = None,
    show: ShowOption = None,
    relation: PromptsOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    limit: LimitOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the probes; write their answers and how far they confuse relations, and the same for people.

    Models answer at the blank with words of the shared vocabulary, as many as people gave. Probes, relata and people's
    answers are the release's, or the build's where there is no release; with a response file they are the file's. A
    limit draws targets with all their probes, by a seed; the scores say so. Without a model or --people-only, --show
    prints answers of earlier runs.
    """
    if relation is not None and show is None:
        raise InputError("found --relation without --show", hint="Name the target with --show, or leave it away.")
    if people_only and model:
        raise InputError("found --model beside --people-only", hint="Leave one of them away.")
    if vocabulary and not (people_only and responses):
        raise InputError(
            "found --vocabulary without --people-only and --responses",
            hint="Models, releases and builds have their own vocabulary: leave it away.",
        )
    if not model and not people_only and show is None:
        raise InputError("there is nothing to score", hint="Name models with --model, or give --people-only.")
    workspace = Workspace(work, NAME)
    if model or people_only:
        asked = Asked(responses, limit, tuple(vocabulary or ()))
        score(workspace, model or [], How(device, dtype, engine), asked, config, dry_run=dry_run)
    if show is not None and not (dry_run and (model or people_only)):
        from tashika.evaluate.semrel.show import print_target

        print_target(workspace, show, relation)


def score(
    workspace: Workspace,
    models: list[str],
    how: How,
    asked: Asked,
    config: Path | None,
    *,
    dry_run: bool,
) -> None:
    """Scores people and models and prints their numbers, or says what would be done.

    Args:
        workspace: The suite's folders.
        models: The models; people alone are scored where none is named.
        how: Where and how exactly they run.
        asked: What they are asked.
        config: The user's settings.
        dry_run: Whether nothing is done.
    """
    from tashika.evaluate.semrel.plan import plan_runs
    from tashika.evaluate.semrel.run import evaluate_system
    from tashika.evaluate.semrel.terminal import announce, print_scores

    runs = plan_runs(workspace, models, how, asked, config)
    if dry_run:
        for run in runs:
            announce(run)
        return
    scores = [evaluate_system(run) for run in runs]
    for metrics in scores:
        print_scores(metrics)


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.semrel.report import write_report as write

    return write(workspace)


def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What systems made of their items, for models side by side; see `comparison`."""
    from tashika.evaluate.semrel.comparison import read

    return read(workspace, folders)


def open_shown(workspace: Workspace, folder: Path) -> Spell:
    """What a system's predictions are read beside; see `showing`."""
    from tashika.evaluate.semrel.showing import open_answers

    return open_answers(workspace, folder)


EVALUATION: Final = Evaluation(
    command,
    write_report,
    Comparison(("answers.parquet",), read_sides),
    Showing(
        "answers.parquet",
        open_shown,
        "share of its words that are relata of the relation asked for",
    ),
    METHODS,
)
