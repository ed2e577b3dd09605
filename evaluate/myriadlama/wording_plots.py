"""MyriadLAMA's figures of prompts taken together, in the style of all reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tashika.core.reporting.plots import INK, MAIN, SECOND, drawing, percent_axes
from tashika.evaluate.myriadlama.metrics import Fluctuation
from tashika.evaluate.myriadlama.wording_numbers import AbstentionCurve, By, Unit

_LINES: Final[Mapping[tuple[Unit, By], tuple[str, str, Any]]] = {
    ("prompt", "confidence"): ("prompts, by confidence", MAIN, "solid"),
    ("pair", "confidence"): ("questions by vote, by confidence", SECOND, (0, (5, 2))),
    ("pair", "agreement"): ("questions by vote, by agreement", INK, (0, (1, 1.5))),
}


def abstention_figure(curves: Sequence[AbstentionCurve], name: str) -> str:
    """Accuracy against the share that is answered, a line a way to abstain, its 95 % interval around it.

    Args:
        curves: Of one model.
        name: The model.
    """
    with drawing(3.4, f"Accuracy of {name} when it may abstain") as (figure, result):
        axes = figure.add_subplot()
        for curve in curves:
            label, colour, style = _LINES[curve.unit, curve.by]
            coverage = [point.coverage for point in curve.points]
            low = [point.value if point.low is None else point.low for point in curve.points]
            high = [point.value if point.high is None else point.high for point in curve.points]
            axes.fill_between(coverage, low, high, color=colour, alpha=0.1, linewidth=0)
            values = [point.value for point in curve.points]
            axes.plot(coverage, values, color=colour, linestyle=style, linewidth=1.8, label=label)
        axes.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), xlabel="share that is answered, the surest first")
        axes.set_ylabel("right of these")
        percent_axes(axes.xaxis, axes.yaxis)
        axes.legend(fontsize=8.5, loc="best")
    return result[0]


@dataclass(frozen=True)
class Spread:
    """One model's row in the figure of all models.

    Attributes:
        name: The model.
        draws: How Acc@1 moves over draws of one template a relation.
        pooled: Acc@1 over all prompts.
        single: Acc@1 with one prompt a pair; None where there is none.
    """

    name: str
    draws: Fluctuation
    pooled: float
    single: float | None


def reach_of(rows: Sequence[Spread]) -> tuple[float, float]:
    """The ends of the axis: all scores with a margin and no more, or the hills of close models would be needles.

    Args:
        rows: One a model.
    """
    scores = [score for row in rows for score in (row.draws.min, row.draws.max, row.pooled, row.single)]
    known = [score for score in scores if score is not None]
    margin = max(0.01, 0.06 * (max(known) - min(known)))
    return max(-0.02, min(known) - margin), min(1.02, max(known) + margin)


def spreads_figure(rows: Sequence[Spread], single: str) -> str:
    """Acc@1 of all models over draws of one template a relation, each with its score by one prompt and by all prompts.

    Args:
        rows: One a model, drawn from the top.
        single: What the one prompt is.
    """
    names = ", ".join(row.name for row in rows)
    what = f"Acc@1 of {names} over random choices of one template a relation, side by side"
    with drawing(1.1 + 0.62 * len(rows), what) as (figure, result):
        axes = figure.add_subplot()
        places = [len(rows) - 1 - number for number in range(len(rows))]
        for place, row in zip(places, rows, strict=True):
            counts, edges = row.draws.histogram.counts, row.draws.histogram.edges
            tops = [place + 0.75 * count / max(counts) for count in counts]
            if row.draws.min < row.draws.max:
                axes.stairs(tops, edges, baseline=place, fill=True, color=MAIN, alpha=0.45)
            axes.hlines(place, row.draws.min, row.draws.max, color=MAIN, linewidth=1.2)
        pooled = [row.pooled for row in rows]
        axes.plot(pooled, places, "o", color=INK, markersize=5.5, linestyle="none", label="all prompts")
        known = [(row.single, place) for row, place in zip(rows, places, strict=True) if row.single is not None]
        if known:
            across, up = zip(*known, strict=True)
            axes.plot(across, up, "D", color=SECOND, markersize=5.5, linestyle="none", label=single)
        axes.set_yticks(places, [row.name for row in rows], fontsize=8.5)
        axes.set(ylim=(-0.4, len(rows) + 0.55), xlabel="Acc@1", xlim=reach_of(rows))
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        percent_axes(axes.xaxis)
        axes.legend(fontsize=8.5, loc="upper right", ncols=2)
    return result[0]
