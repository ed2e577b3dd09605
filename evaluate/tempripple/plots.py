"""TempRIPPLE's figure: how accuracy falls with the hops, with and without the new fact in the context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tashika.core.reporting.plots import FAINT, MAIN, PAPER, SECOND, drawing, percent_axes
from tashika.evaluate.tempripple.metrics_model import Cell

_APART: Final = 0.055
"""How far the two conditions stand beside their hop, so that bars do not cover each other."""


def accuracy_by_hop(cells: Sequence[Cell], *, age: str, chance: float, name: str) -> str:
    """Figure 3: accuracy by hop; hop 0 is the changing fact itself.

    Conditions differ in colour, shape, filling and line. A bar is the 95 % interval; a point without one has none.

    Args:
        cells: Of one age.
        age: new or old.
        chance: The accuracy of guessing.
        name: The model.
    """
    hops = sorted({cell.hop for cell in cells})
    with drawing(3.1, f"Accuracy of {name} by hop from the {age} fact") as (figure, result):
        axes = figure.add_subplot()
        axes.axhline(chance, color=FAINT, linestyle=(0, (4, 3)), linewidth=1.1)
        axes.text(1.01, chance, "chance", transform=axes.get_yaxis_transform(), color=FAINT, fontsize=8.5, va="center")
        for with_context, looks in _LOOKS.items():
            known = sorted(_known(cells, with_context), key=lambda cell: cell.hop)
            beside = _APART if with_context else -_APART
            barred = [(cell.hop + beside, cell.interval) for cell in known if cell.interval]
            axes.vlines(
                [place for place, _ in barred],
                [interval.low for _, interval in barred],
                [interval.high for _, interval in barred],
                color=looks["color"],
                linewidth=2.2,
                alpha=0.45,
            )
            axes.plot([cell.hop + beside for cell in known], [cell.accuracy for cell in known], **looks)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=2.6, columnspacing=1.4)
        axes.set_xticks(hops, [f"{age} fact" if hop == 0 else f"hop {hop}" for hop in hops])
        axes.set(xlim=(min(hops) - 0.35, max(hops) + 0.35), ylim=(-0.02, 1.02), ylabel="accuracy")
        axes.grid(visible=False, axis="x")
        percent_axes(axes.yaxis)
    return result[0]


_LOOKS: Final[dict[bool, dict[str, Any]]] = {
    False: {
        "color": SECOND,
        "marker": "s",
        "markersize": 5.5,
        "markerfacecolor": PAPER,
        "markeredgewidth": 1.6,
        "linestyle": (0, (3, 2)),
        "linewidth": 1.2,
        "label": "without context",
    },
    True: {
        "color": MAIN,
        "marker": "o",
        "markersize": 6,
        "markeredgecolor": PAPER,
        "linewidth": 1.4,
        "label": "with context",
    },
}


def _known(cells: Sequence[Cell], with_context: bool) -> list[Cell]:
    return [cell for cell in cells if cell.with_context == with_context and cell.accuracy is not None]
