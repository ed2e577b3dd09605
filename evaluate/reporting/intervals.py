"""The figure with all systems of a suite: a row a system, its number and its interval, with what a guess comes to.

The drawing library's own font has no Japanese characters, so figures hold none: a name that the font lacks is left to
the table beside the figure, and stands as its number here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, NamedTuple

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


class Measure(NamedTuple):
    """A number of all systems, a part of the figure.

    Attributes:
        title: What stands above its rows; nothing where it is empty.
        points: The systems, the first on top.
    """

    title: str
    points: Sequence[Point]


_LINE: Final = 30
"""Characters in a line of a system's name."""
_LINES: Final = 3
_APART: Final = 0.16
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
    return measures_of_systems(
        [Measure("", [*([people] if people else []), *points])],
        title=title,
        label=label,
        lines=lines,
        people=people,
        scale=scale,
    )


def measures_of_systems(
    measures: Sequence[Measure],
    *,
    title: str,
    label: str,
    lines: Mapping[str, float] | None = None,
    people: Point | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    are_shares: bool = True,
) -> str:
    """Several numbers of the same systems below each other on one axis, as in `intervals_of_systems`.

    Args:
        measures: The numbers, the first on top.
        title: What the figure shows, for those who hear the page.
        label: Of the axis.
        lines: What a guess comes to, by name.
        people: Which of the points is people's.
        scale: The least and the greatest that a number can be.
        are_shares: Whether numbers from 0 to 1 are shown in percent.
    """
    rows = [row for measure in measures for row in ([measure.title] if measure.title else []) + list(measure.points)]
    names = _names(measures)
    deepest = max((name.count("\n") for name in names.values()), default=0)
    margin = 0.02 * (scale[1] - scale[0])
    height = 0.85 + (0.3 + 0.12 * deepest) * len(rows)
    in_percent = are_shares and scale == (0.0, 1.0)
    with drawing(height, title, _in_words(measures, in_percent=in_percent)) as (figure, result):
        axes = figure.add_subplot()
        _draw_lines(axes, lines or {}, scale)
        for place, row in enumerate(rows):
            if isinstance(row, Point):
                _draw_point(axes, row, place, is_people=row is people)
        words = [names[row.name] if isinstance(row, Point) else row for row in rows]
        axes.set_yticks(range(len(rows)), words, fontsize=8.5)
        for tick, row in zip(axes.get_yticklabels(), rows, strict=True):
            if not isinstance(row, Point):
                tick.set_fontweight("bold")
        axes.set(xlim=(scale[0] - margin, scale[1] + margin), ylim=(len(rows) - 0.3, -0.7), xlabel=label)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        if in_percent:
            percent_axes(axes.xaxis)
    return result[0]


def _draw_point(axes: Any, row: Point, place: int, *, is_people: bool) -> None:
    colour = INK if is_people else MAIN if row.tested else SECOND
    axes.hlines(place, row.low, row.high, color=colour, linewidth=2.2, alpha=0.45)
    shape, face = ("D", INK) if is_people else ("o", MAIN) if row.tested else ("s", PAPER)
    axes.plot(row.value, place, shape, color=colour, markersize=6, markerfacecolor=face, markeredgewidth=1.4)


def _in_words(measures: Sequence[Measure], *, in_percent: bool) -> str:
    """The numbers, for those who hear the page."""
    form = "{:.1%}" if in_percent else "{:.2f}"
    parts = []
    for measure in measures:
        rows = [
            f"{row.name} {form.format(row.value)} ({form.format(row.low)} to {form.format(row.high)})"
            for row in measure.points
        ]
        parts.append((f"{measure.title}: " if measure.title else "") + "; ".join(rows))
    return ". ".join(parts)


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


def _names(measures: Sequence[Measure]) -> dict[str, str]:
    """What the figure calls each system: its name in lines that have room, or a number where the font lacks it."""
    systems = list(dict.fromkeys(row.name for measure in measures for row in measure.points))
    return {name: _in_lines(name) if name.isascii() else f"system {i}" for i, name in enumerate(systems, start=1)}


def _in_lines(name: str) -> str:
    lines = wrap(name, _LINE)
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "..."])
