"""A figure for many suites: a row a system, its number and its interval, with what a guess comes to.

The drawing library's own font has no Japanese characters, so figures hold none: a name that the font lacks is left to
the table beside the figure, and stands as its number here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tashika.core.reporting.plots import FAINT, INK, MAIN, PAPER, SECOND, drawing, percent_axes


class Point(NamedTuple):
    """A system's number, such as an accuracy.

    Attributes:
        name: Of the system.
        value: The number.
        low: The lower end of its interval.
        high: The upper end.
        tested: Whether the system is what the questions are meant to test: it sees them whole.
    """

    name: str
    value: float
    low: float
    high: float
    tested: bool = True


_LONGEST = 30
_APART = 0.16
"""Lines that are closer than this part of the axis share their label."""


def intervals_of_systems(
    points: Sequence[Point],
    *,
    title: str,
    label: str = "accuracy",
    lines: Mapping[str, float] | None = None,
    people: Point | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
) -> str:
    """A row a system, its 95 % interval as a bar; systems that see too little to answer are hollow squares.

    Args:
        points: The systems, the first on top.
        title: What the figure shows, for those who hear the page.
        label: Of the axis.
        lines: What a guess comes to, by name.
        people: People's number, on questions of their own sample.
        scale: The least and the greatest that the number can be; from 0 to 1 it is shown in percent.
    """
    rows = [*([people] if people else []), *points]
    places = range(len(rows) - 1, -1, -1)
    margin = 0.02 * (scale[1] - scale[0])
    with drawing(0.85 + 0.3 * len(rows), title) as (figure, result):
        axes = figure.add_subplot()
        _draw_lines(axes, lines or {}, scale)
        for place, row in zip(places, rows, strict=True):
            colour = INK if row is people else MAIN if row.tested else SECOND
            axes.hlines(place, row.low, row.high, color=colour, linewidth=2.2, alpha=0.45)
            shape, face = ("D", INK) if row is people else ("o", MAIN) if row.tested else ("s", PAPER)
            axes.plot(row.value, place, shape, color=colour, markersize=6, markerfacecolor=face, markeredgewidth=1.4)
        axes.set_yticks(list(places), [_name(row, number) for number, row in enumerate(rows, start=1)], fontsize=8.5)
        axes.set(xlim=(scale[0] - margin, scale[1] + margin), ylim=(-0.7, len(rows) - 0.3), xlabel=label)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        if scale == (0.0, 1.0):
            percent_axes(axes.xaxis)
    return result[0]


def _draw_lines(axes: Any, lines: Mapping[str, float], scale: tuple[float, float]) -> None:
    """Draws what a guess comes to; lines that nearly meet are named together."""
    groups: list[list[str]] = []
    for name in sorted(lines, key=lambda name: lines[name]):
        axes.axvline(lines[name], color=FAINT, linestyle=(0, (4, 3)), linewidth=1.1)
        if groups and lines[name] - lines[groups[-1][0]] < _APART * (scale[1] - scale[0]):
            groups[-1].append(name)
        else:
            groups.append([name])
    for names in groups:
        middle = (lines[names[0]] + lines[names[-1]]) / 2
        where = {"transform": axes.get_xaxis_transform(), "ha": "center"}
        axes.text(middle, 1.01, ", ".join(names), color=FAINT, fontsize=8.5, **where)


def _name(row: Point, number: int) -> str:
    if not row.name.isascii():
        return f"system {number}"
    return row.name if len(row.name) <= _LONGEST else f"{row.name[: _LONGEST - 3].rstrip()}..."
