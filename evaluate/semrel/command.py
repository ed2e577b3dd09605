"""`tashika evaluate semrel`: how far do models, and people, take one semantic relation for another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError
from tashika.core.inputs import build_settings_file, load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.suites.semrel.responses import describe_dropped
from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.core.workspace import Workspace
from tashika.evaluate.options import DeviceOption, DtypeOption
from tashika.evaluate.semrel.metrics import bias_cells, told_empty_rows
from tashika.evaluate.semrel.probes import SUITE, Source, draw_targets, has_release, read_responses, read_source
from tashika.evaluate.semrel.run import Run, evaluate_system
from tashika.evaluate.semrel.settings import EvaluateSettings, LookUp
from tashika.evaluate.semrel.show import print_target
from tashika.evaluate.semrel.vocabulary import SharedVocabulary, find_vocabulary
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import resolve_name

ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be given several times.",
        show_default=False,
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
ShowOption = Annotated[
    str | None,
    typer.Option("--show", help="Print what every scored system answered about this target, as the paper's Table 2."),
]
PromptsOption = Annotated[
    str | None,
    typer.Option("--relation", help=f"Of --show: the prompts of one relation ({', '.join(RELATIONS)})."),
]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Ask about this many targets, drawn.", min=1)]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption = None,
    responses: ResponsesOption = None,
    people_only: PeopleOnlyOption = False,
    show: ShowOption = None,
    relation: PromptsOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    limit: LimitOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the probes; write their answers and how far they confuse relations, and the same for people.

    Models answer at the blank with words of the shared vocabulary, as many as people gave. Probes, relata and people's
    answers are the release's, else the build's; with a response file they are the file's. A limit draws targets with
    all their probes, seeded; the scores say so. Without a model or --people-only, --show prints what was answered
    before.
    """
    workspace = Workspace(work, SUITE)
    if relation is not None and show is None:
        raise InputError("found --relation without --show", hint="Name the target with --show, or leave it away.")
    if not model and not people_only:
        if show is None:
            raise InputError("there is nothing to score", hint="Name models with --model, or give --people-only.")
        print_target(workspace, show, relation)
        return
    runs = _runs(workspace, model or [], responses, people_only, device, dtype, limit, config)
    if dry_run:
        for run in runs:
            _announce(run)
        return
    found = [evaluate_system(run) for run in runs]
    for scores in found:
        _print_scores(scores)
    if show is not None:
        print_target(workspace, show, relation)


def _runs(
    workspace: Workspace,
    models: Sequence[str],
    responses: Path | None,
    people_only: bool,
    device: str,
    dtype: str,
    limit: int | None,
    config: Path | None,
) -> list[Run]:
    """The systems that are to be scored, people first.

    Raises:
        InputError: Options contradict each other, there are no people, or a model cannot be used.
    """
    if people_only and models:
        raise InputError("found --model beside --people-only", hint="Leave one of them away.")
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    names = [resolve_name(name, workspace.root) for name in models]
    vocabulary = find_vocabulary(workspace, names, released=has_release(workspace))
    if vocabulary is not None:
        _tell_vocabulary(vocabulary)
    if responses is None:
        source = read_source(workspace)
    else:
        source = read_responses(responses, LookUp.of_build(config or build_settings_file(workspace)), vocabulary)
        _tell_limits(source)
    if source.dropped:
        say(f"left out or passed over: {describe_dropped(source.dropped)}")
    source = draw_targets(source, limit, settings.seed)
    runs = [Run.of_people(workspace, source, settings, vocabulary)] if people_only or source.people else []
    for name in names:
        assert vocabulary is not None
        runs.append(Run.of_model(workspace, source, name, settings, vocabulary, device=device, dtype=dtype))
    return runs


def _tell_vocabulary(vocabulary: SharedVocabulary) -> None:
    origin = {
        "release": "of the release",
        "items": "of the build",
        "models": "of the models named here, since there is no build: the words that are one token in each",
    }[vocabulary.origin]
    left = {name.replace("_", " "): count for name, count in vocabulary.dropped.items()}
    beside = f" (left out: {describe_dropped(left)})" if left else ""
    say(f"shared vocabulary {origin}: {len(vocabulary.words):,} words{beside}")


def _tell_limits(source: Source) -> None:
    """Which vocabulary limits a response file's relata, on which people's numbers depend too."""
    if source.limits is None:
        say("relata: all that were found; there is no build, nor a model, whose vocabulary limits them")
    elif source.limits.origin == "models":
        say(
            f"relata: limited to the vocabulary {source.limits_mark} of the models named here; people's numbers are on "
            "these, and others with other models"
        )
    else:
        say(f"relata: limited to the vocabulary of the {_BUILT[source.limits.origin]}")


_BUILT: Final = {"release": "release", "items": "build"}


def _announce(run: Run) -> None:
    """What a run would do, without loading weights."""
    told = f"{len(run.source.probes):,} probes on {len(run.source.targets):,} targets"
    people = run.source.people
    if run.name is None:
        assert people is not None
        say(f"people: would be scored on {told} by their answers to {len(people.lists):,} of them")
        return
    covered = run.coverage()
    assert covered is not None
    words, targets = covered["words"], covered["targets"]
    say(
        f"{run.about['name']} ({run.about['kind']}, {run.about['dtype']} on {run.about['device']}): of {told} it would "
        f"be asked those on {targets['asked']:,}, over {words['kept']:,} of {words['of']:,} shared words"
    )


def _print_scores(found: Mapping[str, Any]) -> None:
    """The matrix with the paper's short names, the antonymy bias, and what to know beside them."""
    table = Table("probe \\ answer", *(SHORT[relation] for relation in RELATIONS), "probes", "targets")
    for column in table.columns[1:]:
        column.justify = "right"
    for asked in RELATIONS:
        about = found["relations"][asked]
        cells = [_shown(found["matrix"][asked][taken]) for taken in RELATIONS]
        table.add_row(SHORT[asked], *cells, f"{about['probes']:,}", f"{about['targets']:,}")
    console = Console()
    console.print(_title(found), markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for line in _remarks(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _title(found: Mapping[str, Any]) -> str:
    system, source = found["model"], found["source"]
    where = {"release": f"release {source['name']}", "items": "the build's items", "responses": source["name"]}
    kind = "" if system["kind"] == "people" else f" ({system['kind']}, {system['dtype']})"
    return f"{system['name']}{kind}: confusability on {where[source['origin']]}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What to know beside the numbers."""
    bias, own, draws = found["antonymy_bias"], found["own"], found["statistics"]["resamples"]
    column, row = (_with_interval(bias[name], draws) for name in ("column", "row"))
    behind = {name: f"{bias[name]['cells']} of {int(cells.sum())} cells" for name, cells in bias_cells().items()}
    lines = [
        f"antonymy bias: column {column} (others taken for antonymy; {behind['column']}), row {row} (antonymy taken "
        f"for others; {behind['row']}); mean alpha(r, r) {_with_interval(own, draws)}"
    ]
    silent = told_empty_rows(found["alpha"])
    if silent:
        lines.append(silent)
    counts = {**{one["problem"]: one["n"] for one in found["problems"]}, **found["left_out"]}
    lines.append(f"scored {found['scored']:,} of {found['n']:,} probes" + _because(counts))
    if found["coverage"]:
        lines.append(_told_coverage(found["coverage"]))
    drawn = found["source"]["drawn"]
    if drawn:
        lines.append(f"a sample: {drawn['targets']:,} of {drawn['of']:,} targets")
    if found["reading"]["k"]["of_the_setting"] and found["model"]["kind"] != "people":
        lengths = found["reading"]["k"]
        lines.append(f"k is {lengths['setting']} for {lengths['of_the_setting']:,} probes that no person answered")
    if found["model"].get("note"):
        lines.append(str(found["model"]["note"]))
    return lines


def _with_interval(found: Mapping[str, Any], draws: int) -> str:
    interval = found["interval"]
    some = f"; {interval['draws']:,} of {draws:,} draws" if interval and interval["draws"] < draws else ""
    beside = f" [{interval['low']:.3f}, {interval['high']:.3f}{some}]" if interval else ""
    return ("-" if found["value"] is None else f"{found['value']:.3f}") + beside


def _because(counts: Mapping[str, int]) -> str:
    return f" (not scored: {describe_dropped(counts)})" if counts else ""


def _told_coverage(found: Mapping[str, Any]) -> str:
    words, relata, targets = found["words"], found["relata"], found["targets"]
    return (
        f"one token in this model: {words['kept']:,} of {words['of']:,} shared words, {relata['kept']:,} of "
        f"{relata['of']:,} relata; asked about {targets['asked']:,} of {targets['of']:,} targets"
    )


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.semrel.report import write_report as write

    return write(workspace)


EVALUATION: Final = Evaluation(command, write_report)
