"""MyriadLAMA's figures of prompts taken together, in the style of all reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tashika.core.reporting.plots import INK, MAIN, SECOND, drawing, percent_axes
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
