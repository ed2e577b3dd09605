"""What the command line prints about a run: what it would cost, and the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from tashika.core.progress import say
from tashika.evaluate.myriadlama.answers import usable_templates
from tashika.evaluate.myriadlama.candidate_numbers import CandidateMetrics
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS
from tashika.evaluate.myriadlama.lite.saving import saving
from tashika.evaluate.myriadlama.metrics import MEASURES, MyriadLamaMetrics, PrecisionCheck
from tashika.evaluate.myriadlama.run import Run
from tashika.evaluate.myriadlama.sampling import Sample, draw

_DASH: Final = "-"


def announce(run: Run, sample: Sample) -> None:
    """Says what a run would do, without loading the weights."""
    drawn = draw(run.prompts, sample, usable_templates(run.prompts.template_texts, run.kind))
    usable = usable_templates(drawn.template_texts, run.kind)
    before = np.concatenate([[0], np.cumsum(usable)])
    answerable = before[drawn.template_start + drawn.template_count] - before[drawn.template_start]
    asked = int((answerable * drawn.alias_count).sum())
    say(
        f"{run.system.name} ({run.kind}): would be asked {asked:,} prompts about {len(drawn.pair_number):,} pairs; "
        f"{len(drawn) - asked:,} more have their blank where it cannot answer. Pairs without an object that is one "
        "token in its vocabulary are left out of these."
    )


def print_scores(scores: Sequence[MyriadLamaMetrics]) -> None:
    """The numbers of Table 2, one column a model, and what was left out, on standard output."""
    table = Table("BELIEF", *(_title(metrics) for metrics in scores))
    for name, values in _rows(scores).items():
        table.add_row(name, *values)
    console = Console()
    console.print(table)
    for metrics in scores:
        for line in _remarks(metrics):
            console.print(f"{_title(metrics)}: {line}", markup=False, highlight=False, soft_wrap=True)


def _rows(scores: Sequence[MyriadLamaMetrics]) -> dict[str, list[str]]:
    rows = {
        "prompts": [f"{metrics.n_prompts:,}" for metrics in scores],
        "pairs": [f"{metrics.n_pairs:,}" for metrics in scores],
    }
    for measure in MEASURES:
        accuracy = {"acc@1": "acc_at_1", "acc@10": "acc_at_10", "mrr": "mrr"}[measure]
        rows[measure] = [_fraction(getattr(metrics, accuracy)) for metrics in scores]
        spreads = [metrics.fluctuation[measure] for metrics in scores]
        rows[f"{measure}, range over draws"] = [_fraction(spread.range) for spread in spreads]
        rows[f"{measure}, stdev over draws"] = [_fraction(spread.stdev) for spread in spreads]
    rows["consist@1"] = [_fraction(metrics.consist_at_1) for metrics in scores]
    rows["overconf@1"] = [_fraction(metrics.overconf_at_1) for metrics in scores]
    rows["overconf@10, equation 6"] = [_fraction(metrics.overconf_at_10) for metrics in scores]
    rows["overconf@10, mass of ten"] = [_fraction(metrics.mass_overconf_at_10) for metrics in scores]
    return rows


def print_candidates(scores: Sequence[CandidateMetrics]) -> None:
    """The numbers of objects ranked among candidates, one column a model, on standard output."""
    table = Table("among candidates", *(f"{metrics.model.name} ({metrics.model.kind})" for metrics in scores))
    rows: dict[str, list[str]] = {
        "prompts": [f"{metrics.belief.n_prompts:,}" for metrics in scores],
        "pairs": [f"{metrics.belief.n_pairs:,}" for metrics in scores],
        "sequences": [f"{metrics.sequences:,}" for metrics in scores],
        "acc@1 by chance": [_fraction(metrics.chance) for metrics in scores],
        "acc@1": [_fraction(metrics.belief.acc_at_1) for metrics in scores],
        "mrr": [_fraction(metrics.belief.mrr) for metrics in scores],
        "one prompt of a pair": [_fraction(metrics.pooled.one_prompt.value) for metrics in scores],
        "any prompt": [_fraction(metrics.pooled.any_prompt.value) for metrics in scores],
        "vote": [_fraction(metrics.pooled.vote.value) for metrics in scores],
        "ensemble": [_fraction(metrics.ensemble.accuracy.value) for metrics in scores],
    }
    for name, values in rows.items():
        table.add_row(name, *values)
    console = Console()
    console.print(table)
    for metrics in scores:
        left_out = metrics.belief.coverage.left_out
        if left_out:
            listed = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items())
            console.print(f"{metrics.model.name}: left out: {listed}", markup=False, highlight=False, soft_wrap=True)


def _title(metrics: MyriadLamaMetrics) -> str:
    return f"{metrics.model.name} ({metrics.model.kind}, {metrics.model.dtype})"


def _fraction(value: float | None) -> str:
    return _DASH if value is None else f"{value:.4f}"


def _remarks(metrics: MyriadLamaMetrics) -> list[str]:
    """What to know beside the numbers."""
    single, drawn, left_out = metrics.single_token, metrics.sampling, metrics.coverage.left_out
    lines = [
        f"one-token objects {single.objects.kept:,} of {single.objects.of:,}; "
        f"facts {single.facts.kept:,} of {single.facts.of:,}; pairs {single.pairs.kept:,} of {single.pairs.of:,}"
    ]
    if left_out:
        lines.append("left out: " + ", ".join(f"{count:,} {reason}" for reason, count in left_out.items()))
    if metrics.lite:
        lines.append(f"the lite set: {drawn.prompts.drawn:,} of {drawn.prompts.of:,} prompts, the same for every model")
    elif not drawn.whole:
        lines.append(
            f"a sample: {drawn.pairs.drawn:,} of {drawn.pairs.of:,} pairs, "
            f"{drawn.prompts.drawn:,} of {drawn.prompts.of:,} prompts (seed {drawn.seed})"
        )
    if metrics.precision and metrics.precision.prompts:
        lines.append(_precision_remark(metrics.model.dtype, metrics.precision))
    if metrics.model.note:
        lines.append(metrics.model.note)
    return lines


def _precision_remark(dtype: str | None, check: PrecisionCheck) -> str:
    accuracy = check.acc_at_1
    shown = f"acc@1 {accuracy.lower:.4f} and {accuracy.fp32:.4f}, " if accuracy else ""
    return (
        f"{dtype} against fp32 on {check.prompts:,} prompts: ranks equal {check.ranks_equal:.1%}, "
        f"top tokens equal {check.top_tokens_equal:.1%}, {shown}"
        f"not a number {check.not_a_number.lower:,} and {check.not_a_number.fp32:,}"
    )


def print_intervals(scores: Sequence[MyriadLamaMetrics]) -> None:
    """The intervals of each model that was scored by a plan or the lite set, and what that saved."""
    console = Console()
    for metrics in scores:
        if metrics.intervals is None:
            continue
        name = metrics.model.name
        title = f"{name}, by plan" if metrics.plan else f"{name}, the whole release from its lite set"
        table = Table("95 % interval", "low", "estimate", "high", title=title)
        for number in NUMBERS:
            interval = metrics.intervals[number]
            table.add_row(number, *(f"{value:.4f}" for value in (interval.low, interval.point, interval.high)))
        console.print(table)
        console.print(f"{name}: {saving(metrics)}", markup=False, highlight=False, soft_wrap=True)
