"""`tashika evaluate myriadlama`: asks models the release's prompts and works out BELIEF's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from tashika.core.inputs import load_settings
from tashika.core.models import model_kind
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.answers import usable_templates
from tashika.evaluate.myriadlama.lite.plan_run import announce_plan, evaluate_with_plan, print_intervals, wanted_of
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.run import EvaluateSettings, evaluate_model
from tashika.evaluate.myriadlama.sampling import draw
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import DeviceOption, DtypeOption, EngineOption, How, Sample, resolve_name

SUITE: Final = "myriadlama"


ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        envvar="TASHIKA_MODEL",
        help="A folder, a name on the Hub, or a model made by `tashika models`. May be given several times.",
        show_default=False,
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Ask about this many subject-relation pairs, drawn by relation.", min=1)
]
LimitTemplatesOption = Annotated[
    int | None, typer.Option("--limit-templates", help="Ask with this many templates of each relation.", min=1)
]
LimitAliasesOption = Annotated[
    int | None, typer.Option("--limit-aliases", help="Ask with this many names of each subject.", min=1)
]
PlanOption = Annotated[
    bool,
    typer.Option("--plan", help="Ask no more than it takes to know every number within --half-width; a pilot tells."),
]
HalfWidthOption = Annotated[
    float | None,
    typer.Option("--half-width", help="Of --plan: half the width of the 95 % intervals; 0.02 if not given."),
]
PilotPairsOption = Annotated[
    int | None,
    typer.Option("--pilot-pairs", help="Of --plan: pairs of each relation in the pilot; 6 if not given."),
]


def command(  # noqa: PLR0913 - one argument an option
    model: ModelOption,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    engine: EngineOption = "local",
    limit: LimitOption = None,
    limit_templates: LimitTemplatesOption = None,
    limit_aliases: LimitAliasesOption = None,
    plan: PlanOption = False,
    half_width: HalfWidthOption = None,
    pilot_pairs: PilotPairsOption = None,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Ask models the prompts of the release; write predictions, and accuracy, fluctuation, consistency, overconfidence.

    Masked models fill the blank. Causal models answer the templates that end with it; the others are counted. Limits
    draw a seeded sample, for models that are too slow for all prompts; the scores say so. A plan draws one that is just
    large enough, and estimates the whole release's numbers, with 95 % intervals.
    """
    workspace = Workspace(work, SUITE)
    settings = load_settings(workspace, "evaluate", EvaluateSettings, config)
    release = read_release(workspace.release)
    prompts = work_list(release)
    sample = Sample(limit, limit_templates, limit_aliases, settings.seed)
    wanted = wanted_of(plan, half_width, pilot_pairs, sample)
    names = [resolve_name(name, work) for name in model]
    if dry_run:
        for name in names:
            if wanted:
                announce_plan(name, prompts, settings, wanted)
            else:
                _announce(name, prompts, sample)
        return
    how = How(device, dtype, engine)
    if wanted:
        planned = [evaluate_with_plan(workspace, release, prompts, name, settings, wanted, how) for name in names]
        _print_scores(planned)
        print_intervals(planned)
        return
    scores = {
        name: evaluate_model(workspace, release, prompts, name, settings, sample=sample, how=how) for name in names
    }
    _print_scores(list(scores.values()))


def _announce(name: str, prompts: WorkList, sample: Sample) -> None:
    """What a run would do, without loading the weights."""
    kind = model_kind(name)
    usable = usable_templates(prompts.template_texts, kind)
    drawn = draw(prompts, sample, usable)
    fits = usable_templates(drawn.template_texts, kind)
    before = np.concatenate([[0], np.cumsum(fits)])
    answerable = before[drawn.template_start + drawn.template_count] - before[drawn.template_start]
    asked = int((answerable * drawn.alias_count).sum())
    say(
        f"{name} ({kind}): would be asked {asked:,} prompts about {len(drawn.pair_number):,} pairs; "
        f"{len(drawn) - asked:,} more have their blank where it cannot answer. Pairs without an object that is one "
        "token in its vocabulary are left out of these."
    )


def _print_scores(scores: Sequence[Mapping[str, Any]]) -> None:
    """The numbers of Table 2, one column a model, and what was left out, on standard output."""
    rows: dict[str, list[str]] = {
        "prompts": [f"{found['n_prompts']:,}" for found in scores],
        "pairs": [f"{found['n_pairs']:,}" for found in scores],
    }
    for name in ("acc@1", "acc@10", "mrr"):
        rows[name] = [_shown(found[name]) for found in scores]
        for spread in ("range", "stdev"):
            rows[f"{name}, {spread} over draws"] = [_shown(found["fluctuation"][name][spread]) for found in scores]
    for name in ("consist@1", "overconf@1", "overconf@10"):
        rows[name] = [_shown(found[name]) for found in scores]
    table = Table("BELIEF", *(_title(found) for found in scores))
    for name, values in rows.items():
        table.add_row(name, *values)
    console = Console()
    console.print(table)
    for found in scores:
        for line in _remarks(found):
            console.print(f"{_title(found)}: {line}", markup=False, highlight=False, soft_wrap=True)


def _title(found: Mapping[str, Any]) -> str:
    return f"{found['model']['name']} ({found['model']['kind']}, {found['model']['dtype']})"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What to know beside the numbers."""
    single, drawn, coverage = found["single_token"], found["sampling"], found["coverage"]
    lines = [
        "one-token objects {}; facts {}; pairs {}".format(
            *(f"{single[name]['kept']:,} of {single[name]['of']:,}" for name in ("objects", "facts", "pairs"))
        )
    ]
    if coverage["left_out"]:
        lines.append("left out: " + ", ".join(f"{count:,} {reason}" for reason, count in coverage["left_out"].items()))
    if not drawn["whole"]:
        lines.append(
            f"a sample: {drawn['pairs']['drawn']:,} of {drawn['pairs']['of']:,} pairs, "
            f"{drawn['prompts']['drawn']:,} of {drawn['prompts']['of']:,} prompts (seed {drawn['seed']})"
        )
    if (found.get("precision") or {}).get("prompts"):
        lines.append(_precision_told(found["model"]["dtype"], found["precision"]))
    if found["model"].get("note"):
        lines.append(str(found["model"]["note"]))
    return lines


def _precision_told(dtype: str, found: Mapping[str, Any]) -> str:
    return (
        f"{dtype} against fp32 on {found['prompts']:,} prompts: ranks equal {found['ranks_equal']:.1%}, "
        f"top tokens equal {found['top_tokens_equal']:.1%}, "
        f"acc@1 {found['acc@1']['lower']:.4f} and {found['acc@1']['fp32']:.4f}, "
        f"not a number {found['not_a_number']['lower']:,} and {found['not_a_number']['fp32']:,}"
    )


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored systems; see `report`."""
    from tashika.evaluate.myriadlama.report import write_report as write

    return write(workspace)


EVALUATION: Final = Evaluation(command, write_report)
