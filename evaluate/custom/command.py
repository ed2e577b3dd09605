"""`tashika evaluate FILE.toml`: models are asked what the file's section `[evaluate]` says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.errors import ConfigError, InputError
from tashika.core.options import WORK, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.evaluate.options import DeviceOption, DtypeOption, EndpointOption, EngineOption, ModelOption

if TYPE_CHECKING:
    from tashika.core.custom.suite import CustomSuite
    from tashika.core.workspace import Workspace
    from tashika.evaluate.custom.metrics_model import CustomMetrics, Estimate
    from tashika.evaluate.custom.run import Run
    from tashika.evaluate.systems import How, System

LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Ask this many items, drawn by their ids; the scores say so.", min=1)
]
JudgeModelOption = Annotated[
    str | None,
    typer.Option("--judge-model", help="Who scores answers with task = 'judge': a model here, or at --judge-endpoint."),
]
JudgeEndpointOption = Annotated[
    str | None, typer.Option("--judge-endpoint", help="The OpenAI-compatible address of the judge.")
]


def command_of(suite: CustomSuite) -> Callable[..., None]:
    """The command of a suite file; a function whose annotated arguments are its options."""

    def command(  # noqa: PLR0913 - one argument an option
        model: ModelOption,
        endpoint: EndpointOption = None,
        device: DeviceOption = "auto",
        dtype: DtypeOption = "auto",
        engine: EngineOption = "local",
        limit: LimitOption = None,
        judge_model: JudgeModelOption = None,
        judge_endpoint: JudgeEndpointOption = None,
        work: WorkOption = WORK,
        dry_run: DryRunOption = False,
    ) -> None:
        """Ask models what the suite file's section `evaluate` says; write their answers and scores.

        A causal model on this machine is scored by likelihoods, or answers in words; a masked one can fill blanks; a
        model at an endpoint answers in words. A limit draws items by their ids, so the same ones for all models.
        Several devices, or the machines of a Ray cluster, take several parts of the questions at a time.
        """
        from tashika.evaluate.systems import How

        how = How(device, dtype, engine)
        evaluate(suite, model, endpoint, how, limit, (judge_model, judge_endpoint), work, dry_run=dry_run)

    return command


def evaluate(
    suite: CustomSuite,
    names: Sequence[str],
    endpoint: str | None,
    how: How,
    limit: int | None,
    judged_by: tuple[str | None, str | None],
    work: Path,
    *,
    dry_run: bool,
) -> None:
    """Scores models.

    Args:
        suite: The suite file.
        names: Models on this machine, or at the endpoint.
        endpoint: Its address.
        how: Where and how exactly models on this machine run.
        limit: Items that are asked about; None for all.
        judged_by: The judge and its address.
        work: The working directory.
        dry_run: Whether to say only what would be done.
    """
    from tashika.core.workspace import Workspace
    from tashika.evaluate.custom.questions import read_release
    from tashika.evaluate.custom.run import Run, evaluate_model
    from tashika.evaluate.systems import systems_of

    require_section(suite)
    workspace = Workspace(work, suite.name)
    judge = _judge(suite, judged_by, how, workspace)
    release = read_release(suite, workspace.release)
    systems = systems_of(names, workspace, how, endpoint)
    runs = [Run.of(suite, workspace, release, system, limit=limit, judge=judge) for system in systems]
    if dry_run:
        for run in runs:
            _announce(run)
        return
    _print_scores([evaluate_model(run) for run in runs])


def require_section(suite: CustomSuite) -> None:
    """Refuses a suite file that asks models nothing.

    Raises:
        ConfigError: It has no section [evaluate].
    """
    if suite.file.evaluate is None:
        raise ConfigError(
            "the suite file asks models nothing: it has no section [evaluate]",
            where=str(suite.path),
            hint="Add [evaluate] with `task`, `input` or `prompt`, and `target`.",
        )


def _judge(
    suite: CustomSuite, judged_by: tuple[str | None, str | None], how: How, workspace: Workspace
) -> System | None:
    """Who scores answers; None with a task that needs nobody.

    Raises:
        InputError: The task needs a judge and none is named, or the other way round.
    """
    from tashika.evaluate.systems import systems_of

    assert suite.file.evaluate is not None
    name, url = judged_by
    if suite.file.evaluate.task != "judge":
        if name or url:
            given = "--judge-model" if name else "--judge-endpoint"
            raise InputError(f"found {given}, and task = {suite.file.evaluate.task!r} needs no judge")
        return None
    if name is None:
        raise InputError(
            "task = 'judge' needs a judge",
            hint="Name it with --judge-model NAME, and --judge-endpoint URL if it is not on this machine.",
        )
    from tashika.evaluate.systems import How as Default

    [judge] = systems_of([name], workspace, Default() if url else how, url)
    judge.require_causal("to judge answers")
    return judge


def _announce(run: Run) -> None:
    """Says what a run would do, without loading weights or sending anything."""
    from tashika.evaluate.custom.words import announced_cost

    system, count = run.system, len(run.items)
    if system.url is not None:
        say(f"{system.name} at {system.endpoint}: would be asked {count:,} questions; {announced_cost(run)}")
    else:
        say(f"{system.name} ({system.dtype} on {system.device}): would be asked {count:,} questions")
    if run.judge is not None:
        say(f"{run.judge.name}: would score the answers")


def _print_scores(systems: Sequence[CustomMetrics]) -> None:
    """The scores on standard output, and what to know beside them."""
    from rich.console import Console
    from rich.table import Table

    table = Table("system", systems[0].measure, "95 % interval", "questions")
    for column in table.columns[1:]:
        column.justify = "right"
    for metrics in systems:
        table.add_row(metrics.model.name, *_cells(metrics.score), f"{metrics.counted:,} of {metrics.questions:,}")
    console = Console()
    console.print(table)
    for line in _remarks(systems):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _cells(score: Estimate) -> tuple[str, str]:
    value = "-" if score.value is None else f"{score.value:.3f}"
    return value, "-" if score.low is None else f"{score.low:.3f} to {score.high:.3f}"


def _remarks(systems: Sequence[CustomMetrics]) -> list[str]:
    """What to know beside the numbers."""
    first = systems[0]
    lines = []
    if first.baselines:
        known = first.baselines
        longest = "" if known.longest is None else f", the longest option is right {known.longest:.3f}"
        lines.append(
            f"guessing is right {known.chance:.3f} of the time, the commonest answer {known.majority:.3f}{longest}"
        )
    for metrics in systems:
        if metrics.problems:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in metrics.problems.items())
            lines.append(f"{metrics.model.name}: {reasons}")
        if metrics.model.note:
            lines.append(metrics.model.note)
        if metrics.judged and metrics.judged.itself:
            lines.append(f"{metrics.model.name} judged its own answers; judges favour their own")
    if not first.sampling.whole:
        lines.append(f"a sample: {first.sampling.drawn:,} of {first.sampling.of:,} items (seed {first.sampling.seed})")
    if first.release and first.release.simulated:
        lines.append(SIMULATED_RELEASE)
    return list(dict.fromkeys(lines))
