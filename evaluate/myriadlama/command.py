"""`tashika evaluate myriadlama`: asks models the release's prompts and computes BELIEF's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from tashika.core.inputs import load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.methods import METHODS
from tashika.evaluate.myriadlama.settings import EvaluateSettings
from tashika.evaluate.options import DeviceOption, DtypeOption, EngineOption, ModelOption
from tashika.evaluate.suite import Comparison, Evaluation, Showing, Sides, Spell
from tashika.evaluate.systems import How, systems_of

SUITE: Final = "myriadlama"

LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Ask about this many subject-relation pairs, drawn by relation.", min=1)
]
LimitTemplatesOption = Annotated[
    int | None, typer.Option("--limit-templates", help="Ask with this many templates of each relation.", min=1)
]
LimitAliasesOption = Annotated[
    int | None, typer.Option("--limit-aliases", help="Ask with this many names of each subject.", min=1)
]
LiteOption = Annotated[
    bool,
    typer.Option(
        "--lite",
        help="Ask the release's lite set, a small part that is the same for every model, and estimate the numbers of "
        "the whole release from it.",
    ),
]
PlanOption = Annotated[
    bool,
    typer.Option(
        "--plan", help="Ask no more than it takes to know every number within --half-width, as a pilot shows."
    ),
]
HalfWidthOption = Annotated[
    float | None,
    typer.Option("--half-width", help="With --plan: half the width of the 95 % intervals; 0.02 if not given."),
]
PilotPairsOption = Annotated[
    int | None,
    typer.Option("--pilot-pairs", help="With --plan: pairs of each relation in the pilot; 6 if not given."),
]
AnswersOption = Annotated[
    Literal["tokens", "candidates"],
    typer.Option(
        "--answers",
        help="tokens: objects that are one token, among the vocabulary. candidates: objects of any length, among those "
        "of their relation; a likelihood for each name, so use limits.",
    ),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    limit: LimitOption = None,
    limit_templates: LimitTemplatesOption = None,
    limit_aliases: LimitAliasesOption = None,
    lite: LiteOption = False,
    plan: PlanOption = False,
    half_width: HalfWidthOption = None,
    pilot_pairs: PilotPairsOption = None,
    answers: AnswersOption = "tokens",
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the prompts of the release; write predictions, and accuracy, fluctuation, consistency, overconfidence.

    Masked models fill the blank. Causal models answer the templates that end with it; the others are counted. Limits
    draw a seeded sample, for models that are too slow for all prompts; the scores say so. A plan draws one that is just
    large enough, and the lite set is one that is the same for all: both estimate the whole release's numbers, with 95 %
    intervals.
    """
    from tashika.core.errors import InputError
    from tashika.evaluate.myriadlama.candidate_run import (
        announce_candidates,
        drawn_part,
        evaluate_candidates,
        lite_part,
    )
    from tashika.evaluate.myriadlama.lite.lite_run import announce_lite, evaluate_lite, require_no_limits
    from tashika.evaluate.myriadlama.lite.plan_run import announce_plan, evaluate_with_plan, plan_options
    from tashika.evaluate.myriadlama.prompts import read_release, work_list
    from tashika.evaluate.myriadlama.run import Run, evaluate_model
    from tashika.evaluate.myriadlama.sampling import Sample
    from tashika.evaluate.myriadlama.show import announce, print_candidates, print_intervals, print_scores

    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    release = read_release(workspace.release)
    prompts = work_list(release)
    sample = Sample(limit, limit_templates, limit_aliases, settings.seed)
    options = plan_options(plan, half_width, pilot_pairs, sample)
    if options and answers == "candidates":
        raise InputError(
            "found --plan beside --answers candidates: a plan samples what a model can be asked in one token, and its "
            "intervals are of those numbers",
            hint="Use --lite, or --limit, --limit-templates and --limit-aliases.",
        )
    if lite:
        require_no_limits(plan=plan, limits=not sample.whole)
    systems = systems_of(model, workspace, How(device, dtype, engine))
    todo = [Run(workspace, release, prompts, system, settings) for system in systems]
    if dry_run:
        for run in todo:
            if options:
                announce_plan(run, options)
            elif answers == "candidates":
                announce_candidates(run, lite_part(run) if lite else drawn_part(run, sample))
            elif lite:
                announce_lite(run)
            else:
                announce(run, sample)
        return
    if answers == "candidates":
        parts = [lite_part(run) if lite else drawn_part(run, sample) for run in todo]
        print_candidates([evaluate_candidates(run, part) for run, part in zip(todo, parts, strict=True)])
    elif options or lite:
        estimated = [evaluate_with_plan(run, options) if options else evaluate_lite(run) for run in todo]
        print_scores(estimated)
        print_intervals(estimated)
    else:
        print_scores([evaluate_model(run, sample) for run in todo])


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.myriadlama.report import write_report as write

    return write(workspace)


def read_sides(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What systems made of their items, for models side by side; see `comparison`."""
    from tashika.evaluate.myriadlama.comparison import read

    return read(workspace, folders)


def open_shown(workspace: Workspace, folder: Path) -> Spell:
    """What a system's predictions are read beside; see `showing`."""
    from tashika.evaluate.myriadlama.showing import open_predictions

    return open_predictions(workspace, folder)


EVALUATION: Final = Evaluation(
    command,
    write_report,
    Comparison(("predictions.parquet",), read_sides),
    Showing(
        "predictions.parquet",
        open_shown,
        "probability of the answer; it is right where a right name ranks first",
    ),
    METHODS,
)
"""MyriadLAMA: BELIEF over many prompts."""
