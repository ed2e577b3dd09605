"""KUCI's figure: the accuracy of all systems on the published set, with chance and people.

The drawing library's own font has no Japanese characters, so figures hold none: a name that the font lacks is left to
the table beside the figure, and stands as its number here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tashika.evaluate.reporting.plots import FAINT, INK, MAIN, PAPER, SECOND, drawing, percent_axes


class Point(NamedTuple):
    """A system's accuracy.

    Attributes:
        name: Of the system.
        accuracy: From 0 to 1.
        low: The lower end of its interval.
        high: The upper end.
        tested: Whether the system is what the questions are meant to test: it sees them whole.
    """

    name: str
    accuracy: float
    low: float
    high: float
    tested: bool


_LONGEST = 30


def accuracy_of_systems(points: Sequence[Point], *, chance: float, people: Point | None = None) -> str:
    """A row a system, its 95 % interval as a bar; systems that see too little to answer are hollow squares.

    Args:
        points: The systems, the first on top.
        chance: The accuracy of guessing.
        people: People's accuracy, on questions of their own sample.
    """
    rows = [*([people] if people else []), *points]
    places = range(len(rows) - 1, -1, -1)
    with drawing(0.85 + 0.3 * len(rows), "Accuracy of all systems on the published set") as (figure, result):
        axes = figure.add_subplot()
        axes.axvline(chance, color=FAINT, linestyle=(0, (4, 3)), linewidth=1.1)
        axes.text(chance, 1.01, "chance", transform=axes.get_xaxis_transform(), color=FAINT, fontsize=8.5, ha="center")
        for place, row in zip(places, rows, strict=True):
            colour = INK if row is people else MAIN if row.tested else SECOND
            axes.hlines(place, row.low, row.high, color=colour, linewidth=2.2, alpha=0.45)
            shape, face = ("D", INK) if row is people else ("o", MAIN) if row.tested else ("s", PAPER)
            axes.plot(row.accuracy, place, shape, color=colour, markersize=6, markerfacecolor=face, markeredgewidth=1.4)
        axes.set_yticks(list(places), [_name(row, number) for number, row in enumerate(rows, start=1)], fontsize=8.5)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.7, len(rows) - 0.3), xlabel="accuracy")
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        percent_axes(axes.xaxis)
    return result[0]


def _name(row: Point, number: int) -> str:
    if not row.name.isascii():
        return f"system {number}"
    return row.name if len(row.name) <= _LONGEST else f"{row.name[: _LONGEST - 3].rstrip()}..."
