"""`tashika build kuci`: pairs of basic events from text, and questions of those that people accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tashika.builders.suite import Build
from tashika.core.errors import InputError
from tashika.core.options import WORK, ChangeInputsOption, ConfigOption, DryRunOption, ForgetInputsOption, WorkOption
from tashika.core.progress import say

if TYPE_CHECKING:
    from tashika.builders.kuci.settings import BuildSettings, Inputs
    from tashika.builders.kuci.stages import Kuci

SUITE: Final = "kuci"

TextOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="Text: a file (lines, JSON Lines, TSV, CSV, Parquet, Arrow; plain or packed), a folder, a pattern in "
        "quotation marks, - for standard input, or hf:NAME?split=SPLIT of the Hub. May be repeated. Without it: the "
        "packaged text."
    ),
]
KnpOption = Annotated[
    list[Path] | None,
    typer.Option(help="KNP's output in the place of a text: files, folders or patterns. May be repeated."),
]
FramesOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="Other text, in which basic events are counted (with --knp: KNP's output). May be repeated. "
        "Without it: the packaged one."
    ),
]
CaseFramesOption = Annotated[
    Path | None,
    typer.Option(help="Kyoto University's case frames (XML, plain or gz) as basic events; they need KNP."),
]
BackendOption = Annotated[
    str | None, typer.Option(help="Who analyses the text: ginza, knp or knp-file.", show_default=False)
]
EngineOption = Annotated[
    str | None,
    typer.Option(help="local, or ray: the same shards on a Ray cluster (RAY_ADDRESS).", show_default=False),
]
WorkersOption = Annotated[
    int | None, typer.Option(help="Processes of this machine; 0: one a core, or a CUDA device.", show_default=False)
]
DeviceOption = Annotated[
    str | None,
    typer.Option(
        help="What GiNZA computes on: cpu, cuda, cuda:N, several with commas between, or cuda:all: a process on each.",
        show_default="cpu",
    ),
]
FieldOption = Annotated[
    str | None,
    typer.Option(
        help="The field or column that holds the text; columns without names have numbers, from 1.", show_default="text"
    ),
]
EncodingOption = Annotated[
    list[str] | None,
    typer.Option(help="Of all text, such as cp932, or of one file: FILE=euc-jp. May be repeated.", show_default="auto"),
]
PairsOnlyOption = Annotated[bool, typer.Option("--pairs-only", help="Make no questions.")]
UnconfirmedOption = Annotated[
    bool, typer.Option("--unconfirmed", help="Make questions of all pairs, for a preview; nobody has confirmed them.")
]

TryBasicOption = Annotated[
    bool,
    typer.Option(
        "--try-basic",
        help="Draw pairs with and without the condition Basic for people to judge, and sum up what they said. "
        "Make no questions.",
    ),
]


_SHOWN_FILES: Final = 10

MORE_FRAMES: Final = (
    "give text of the same kind, ten times as much or more, and none of the text itself: --frames FILE; "
    "or Kyoto University's case frames with KNP: --knp FILE --case-frames FILE"
)
OTHER_TEXT: Final = f"basic events are those of the packaged everyday sentences; for text of another kind {MORE_FRAMES}"
FEW_EVENTS: Final = f"most pairs fell away because their events are not among the basic ones; {MORE_FRAMES}"


def command(  # noqa: PLR0913 - one argument an option
    work: WorkOption = WORK,
    config: ConfigOption = None,
    text: TextOption = None,
    knp: KnpOption = None,
    frames: FramesOption = None,
    case_frames: CaseFramesOption = None,
    backend: BackendOption = None,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    device: DeviceOption = None,
    field: FieldOption = None,
    encoding: EncodingOption = None,
    pairs_only: PairsOnlyOption = False,
    unconfirmed: UnconfirmedOption = False,
    try_basic: TryBasicOption = False,
    change_inputs: ChangeInputsOption = False,
    forget_inputs: ForgetInputsOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Build pairs of events, one the cause or condition of the other; and questions of the pairs that people accepted.

    The first run makes pairs for people to confirm; after `tashika annotate vote kuci` the same command makes
    questions of those that they accepted. A step that is finished is not done again.
    """
    from tashika.builders.kuci.settings import Inputs
    from tashika.builders.kuci.stages import Kuci
    from tashika.builders.kuci.text.taking import take_texts
    from tashika.core.inputs import take_inputs
    from tashika.core.workspace import Workspace

    workspace = Workspace(work, SUITE)
    kept = workspace.base / "text"
    given = Inputs(
        config=config,
        text=take_texts(text or (), kept, field or ""),
        knp=take_texts(knp or (), kept),
        frames=take_texts(frames or (), kept, field or ""),
        case_frames=case_frames,
        backend=backend or ("knp-file" if knp else None),
        field=field,
        encoding=tuple(encoding or ()),
    )
    inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
    builder = Kuci(
        workspace, _settings(inputs.options, engine, workers, device), inputs.options.knp or inputs.options.text
    )
    relations_only = pairs_only and not builder.has_events
    builder.check_text() if relations_only else builder.check()
    if dry_run:
        _announce(builder)
        return
    if builder.borrows_events and not relations_only:
        say(OTHER_TEXT)
    if try_basic:
        with inputs.remembered():
            _try_basic(builder)
        return
    with inputs.remembered():
        _build(builder, relations_only=relations_only, pairs_only=pairs_only, unconfirmed=unconfirmed)


def _build(builder: Kuci, *, relations_only: bool, pairs_only: bool, unconfirmed: bool) -> None:
    if relations_only:
        builder.build_relations()
        say(f"every relation found is in {builder.table_file}, what failed in {builder.text_failures_file}")
        say("there are no basic events to recognise pairs by: give --case-frames FILE, or --frames FILE")
        return
    builder.build_pairs()
    made = None if pairs_only else _questions(builder, unconfirmed)
    _print_statistics(builder, made)


def _try_basic(builder: Kuci) -> None:
    from tashika.builders.kuci.basic_trial import trial_file, trial_lines

    builder.build_pairs()
    summary = builder.try_basic()
    for line in trial_lines(summary):
        say(line)
    if all(sample["share"] is None for sample in summary["samples"].values()):
        say("next: `tashika annotate push kuci`; once people have answered `tashika annotate pull kuci`,")
        say("`tashika annotate vote kuci` and `tashika build kuci --try-basic` again")
    say(f"written to {trial_file(builder.workspace)}")


def _print_statistics(builder: Kuci, made: Mapping[str, Any] | None) -> None:
    """Writes what was made in numbers, and prints it as tables."""
    from rich.console import Console

    from tashika.builders.kuci.statistics import few_events, funnel_table, pairs_table, questions_table
    from tashika.core.files import read_json

    console = Console()
    funnel = read_json(builder.funnel_file)
    console.print(funnel_table(funnel))
    if few_events(funnel):
        say(FEW_EVENTS)
    statistics = builder.write_statistics(made)
    console.print(pairs_table(statistics))
    if made:
        console.print(questions_table(statistics))


def _settings(inputs: Inputs, engine: str | None, workers: int | None, device: str | None) -> BuildSettings:
    """The settings with what the options give in place of the file's.

    Raises:
        InputError: The options contradict each other.
    """
    from tashika.builders.kuci.settings import BuildSettings
    from tashika.core.settings import load_section, overridden

    if inputs.knp and inputs.backend != "knp-file":
        raise InputError(f"--knp is analysed text: the backend is knp-file, not {inputs.backend}")
    encoding, encodings = inputs.encodings
    given = {
        "encoding": encoding,
        "text": {"field": inputs.field, "encodings": encodings or None},
        "engine": engine,
        "workers": workers,
        "device": device,
        "analyzer": {"backend": inputs.backend},
        "events": {
            "case_frames": str(inputs.case_frames) if inputs.case_frames else None,
            "frames": [str(path) for path in inputs.frames] or None,
        },
    }
    settings = overridden(load_section(SUITE, "build", BuildSettings, inputs.config), given)
    _check_backend(settings, inputs.knp)
    return settings


def _check_backend(settings: BuildSettings, knp: Sequence[Path] | None) -> None:
    """Checks what goes with a backend.

    Raises:
        InputError: KNP's output is missing, or case frames meet GiNZA.
    """
    if settings.analyzer.backend == "knp-file" and not knp:
        raise InputError("the backend knp-file reads KNP's output", hint="Name it: --knp FILE.")
    if settings.analyzer.backend == "ginza" and settings.events.case_frames:
        raise InputError(
            "case frames have KNP's keys, which GiNZA does not know",
            hint="Use --backend knp or --knp FILE, or leave --case-frames out (of a build before: --forget-inputs).",
        )


def _questions(builder: Kuci, unconfirmed: bool) -> Mapping[str, Any] | None:
    """Makes questions if there are pairs to make them of; else prints what to do."""
    if unconfirmed:
        say("questions of all pairs, for a preview: nobody has confirmed them")
        return builder.build_questions(builder.workspace.read_items("pair").to_pylist(), confirmed=False)
    accepted = builder.accepted()
    if accepted is None:
        say("no pair has a verdict yet; next: `tashika annotate push kuci`; once people have answered")
        say("`tashika annotate pull kuci`, `tashika annotate vote kuci` and `tashika build kuci` again")
        say("for a preview of the questions: `tashika build kuci --unconfirmed`")
        return None
    if not accepted:
        raise InputError("people accepted none of the pairs", where=str(builder.workspace.verdict_file))
    say(f"people accepted {len(accepted):,} pairs")
    return builder.build_questions(accepted, confirmed=True)


def _announce(builder: Kuci) -> None:
    """Says what would be built."""
    settings = builder.settings
    events = settings.events
    files = builder.files(builder.text)
    for file in files[:_SHOWN_FILES]:
        field = f", field {file.field}" if file.field else ""
        say(f"text: {file.path} ({file.format}, {file.encoding}{field})")
    if len(files) > _SHOWN_FILES:
        say(f"text: and {len(files) - _SHOWN_FILES:,} other files")
    say(f"analysis: {settings.analyzer.backend}, engine {settings.engine}, device {settings.device}")
    if not builder.has_events:
        say("basic events: none, every relation found goes into pairs.tsv")
        return
    counted = f"counted in {', '.join(path.name for path in builder.frames)}, seen {events.floor} times or more"
    say(f"basic events: {f'case frames {events.case_frames}' if events.case_frames else counted}")
    filters = settings.filters
    say(f"too frequent: in more than {filters.frequent_share:.1%} of the pairs and {filters.frequent_floor} of them")


BUILD: Final = Build(command)
