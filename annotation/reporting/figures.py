"""The report's figures: answers and agreement as time goes by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tashika.core.reporting.plots import FAINT, INK, MAIN, SECOND, drawing

_SHAPES: Final = (("o", "-", MAIN), ("s", "--", SECOND), ("^", "-.", INK), ("D", ":", FAINT))
_NAMED: Final = 6
"""Parts of the time axis that are named."""


def answers_figure(names: Sequence[str], counts: Sequence[int], unit: str) -> str:
    """Bars: how many answers came in each part of the time."""
    title = f"Answers by {unit}: {sum(counts):,} in all, {max(counts, default=0):,} at most"
    with drawing(2.2, title) as (figure, result):
        axes = figure.add_subplot()
        axes.bar(range(len(counts)), counts, color=MAIN, width=0.8)
        axes.set(ylabel=f"answers a {unit}" if unit[0].isalpha() else f"answers in {unit}")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.grid(visible=False, axis="x")
        _name_parts(axes, names)
    return result[0]


def agreement_figure(names: Sequence[str], alphas: Mapping[str, Sequence[float | None]], unit: str) -> str:
    """Lines: Krippendorff's alpha of all votes so far, one a kind; kinds differ in shape, dash and colour."""
    known = {kind: [alpha for alpha in line if alpha is not None] for kind, line in alphas.items()}
    ends = ", ".join(f"{kind} {line[-1]:.2f}" for kind, line in known.items() if line)
    with drawing(2.6, f"Krippendorff's alpha of all votes so far by {unit}; at the end {ends}") as (figure, result):
        axes = figure.add_subplot()
        for (kind, line), (marker, dash, colour) in zip(alphas.items(), _SHAPES * len(alphas), strict=False):
            points = [(place, alpha) for place, alpha in enumerate(line) if alpha is not None]
            if points:
                style = {"marker": marker, "linestyle": dash, "color": colour, "markersize": 4, "linewidth": 1.5}
                axes.plot(*zip(*points, strict=True), label=kind if kind.isascii() else "(kind)", **style)
        lowest = min((alpha for line in known.values() for alpha in line), default=0.0)
        axes.set(ylim=(min(lowest - 0.05, 0.0), 1.02), ylabel="alpha")
        if len(alphas) > 1:
            axes.legend(fontsize=8.5)
        _name_parts(axes, names)
    return result[0]


def _name_parts(axes: Any, names: Sequence[str]) -> None:
    step = max(-(-len(names) // _NAMED), 1)
    places = list(range(0, len(names), step))
    axes.set_xticks(places, [names[place] for place in places], fontsize=8, rotation=25, ha="right")
    axes.set_xlim(-0.6, len(names) - 0.4)
