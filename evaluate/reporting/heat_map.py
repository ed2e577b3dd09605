"""Models by groups, such as relations: a square a model and group, the darker the higher its number.

The drawing library's own font has no Japanese characters, so figures hold none: names that the font lacks are left to
the words beside the figure, and stand as numbers here. Long names are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from tashika.core.reporting.plots import INK, MAIN, drawing

_LONGEST: Final = 30
"""Characters of a group's name."""
_WIDTH: Final = 40
"""Characters for the names of all models, beside each other."""
_LINES: Final = 3
"""Of a model's name, at most: names are broken at hyphens and blanks."""
_LINES_DOWN: Final = 2
"""Of a name at the side, at most: a row has room for them."""
MOST_COLUMNS: Final = 8
"""Models that have room beside each other; of more, each is a row, unless there are as many groups."""
_DARKEST: Final = 0.65
"""Opacity of the highest number: the page's ink stays readable on it."""


def heat_map(
    models: Sequence[str],
    groups: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    words: Callable[[float | None], str],
    scale: tuple[float, float],
) -> str:
    """A row a group, a column a model; or the other way round, see `MOST_COLUMNS`.

    Args:
        models: The models.
        groups: The groups.
        values: Of each group, a number of each model; None where there is none.
        title: What the figure shows, for those who hear the page.
        words: How a number looks.
        scale: The least and the greatest number: no colour, and the darkest one.
    """
    from matplotlib.patches import Rectangle

    across, down = _sides(models, groups)
    columns, rows = _shown(across, _room(across.names), _LINES), _shown(down, _LONGEST, _LINES_DOWN)
    if across.names is groups:
        values = [list(numbers) for numbers in zip(*values, strict=True)]
    low, high = scale
    more_lines = max((name.count("\n") for name in columns), default=0)
    with drawing(0.7 + 0.27 * len(rows) + 0.14 * more_lines, title) as (figure, result):
        axes = figure.add_subplot()
        for row, numbers in enumerate(values):
            for column, number in enumerate(numbers):
                depth = 0.0 if number is None or high <= low else min(1.0, max(0.0, (number - low) / (high - low)))
                alpha = _DARKEST * depth
                axes.add_patch(Rectangle((column + 0.02, row + 0.04), 0.96, 0.92, facecolor=MAIN, alpha=alpha, lw=0))
                text = words(number)
                axes.text(column + 0.5, row + 0.5, text, color=INK, ha="center", va="center", fontsize=8.5)
        axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
        axes.set_xticks([place + 0.5 for place in range(len(columns))], columns, fontsize=8.5)
        axes.set_yticks([place + 0.5 for place in range(len(rows))], rows, fontsize=8.5)
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return result[0]


class _Side(NamedTuple):
    """What one side of the figure names, and what stands before a number there."""

    names: Sequence[str]
    sort: str


def _sides(models: Sequence[str], groups: Sequence[str]) -> tuple[_Side, _Side]:
    """What stands across, and what stands down."""
    sides = _Side(models, "model"), _Side(groups, "group")
    return sides[::-1] if len(models) > MOST_COLUMNS and len(groups) < len(models) else sides


def _shown(side: _Side, room: int, lines: int = 1) -> list[str]:
    return shown_names(side.names, room, side.sort, lines)


def _room(models: Sequence[str]) -> int:
    """Characters that there is room for in a line of a model's name."""
    return max(8, _WIDTH // max(1, len(models)))


def shown_names(names: Sequence[str], longest: int, sort: str, lines: int = 1) -> list[str]:
    """What the figure calls models or groups: names, or numbers where the font lacks one or two would look alike.

    Args:
        names: The names.
        longest: Characters that there is room for in a line.
        sort: What stands before a number.
        lines: That there is room for; a name that needs more is cut.
    """
    cut = [_fitted(name, longest, lines) for name in names]
    if all(name.isascii() for name in names) and len(set(cut)) == len(cut):
        return cut
    return [f"{sort} {number}" for number in range(1, len(names) + 1)]


def _fitted(name: str, longest: int, lines: int) -> str:
    """A name in lines that have room, or its beginning."""
    parts = wrap(name, longest, break_long_words=False)
    if len(parts) <= lines and all(len(part) <= longest for part in parts):
        return "\n".join(parts)
    return f"{name[: longest - 3].rstrip()}..."


def legend(models: Sequence[str], groups: Sequence[str]) -> list[str]:
    """What stands in the figure as a number, in words; what is cut is clear from the table beside it."""
    across, down = _sides(models, groups)
    return [
        f"{shown} is {name}"
        for side, room, lines in ((across, _room(across.names), _LINES), (down, _LONGEST, _LINES_DOWN))
        for shown, name in zip(_shown(side, room, lines), side.names, strict=True)
        if shown == f"{side.sort} {side.names.index(name) + 1}" != name
    ]
