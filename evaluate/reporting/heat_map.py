"""Models by groups, such as relations: a square a model and group, the darker the higher its number.

The drawing library's own font has no Japanese characters, so figures hold none: names that the font lacks are left to
the words beside the figure, and stand as numbers here. Long names are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tashika.core.reporting.plots import INK, MAIN, drawing

_LONGEST: Final = 30
"""Characters of a group's name."""
_WIDTH: Final = 36
"""Characters for the names of all models."""
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
    """A row a group, a column a model.

    Args:
        models: The models.
        groups: The groups.
        values: Of each group, a number of each model; None where there is none.
        title: What the figure shows, for those who hear the page.
        words: How a number looks.
        scale: The least and the greatest number: no colour, and the darkest one.
    """
    from matplotlib.patches import Rectangle

    room = max(8, _WIDTH // len(models))
    columns, rows = shown_names(models, room, "model"), shown_names(groups, _LONGEST, "group")
    low, high = scale
    with drawing(0.7 + 0.27 * len(groups), title) as (figure, result):
        axes = figure.add_subplot()
        for row, numbers in enumerate(values):
            for column, number in enumerate(numbers):
                depth = 0.0 if number is None or high <= low else min(1.0, max(0.0, (number - low) / (high - low)))
                alpha = _DARKEST * depth
                axes.add_patch(Rectangle((column + 0.02, row + 0.04), 0.96, 0.92, facecolor=MAIN, alpha=alpha, lw=0))
                text = words(number)
                axes.text(column + 0.5, row + 0.5, text, color=INK, ha="center", va="center", fontsize=8.5)
        axes.set(xlim=(0, len(models)), ylim=(len(groups), 0))
        axes.set_xticks([place + 0.5 for place in range(len(models))], columns, fontsize=8.5)
        axes.set_yticks([place + 0.5 for place in range(len(groups))], rows, fontsize=8.5)
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return result[0]


def shown_names(names: Sequence[str], longest: int, sort: str) -> list[str]:
    """What the figure calls models or groups: names, or numbers where the font lacks one or two would look alike.

    Args:
        names: The names.
        longest: Characters that there is room for.
        sort: What stands before a number.
    """
    cut = [name if len(name) <= longest else f"{name[: longest - 3].rstrip()}..." for name in names]
    if all(name.isascii() for name in names) and len(set(cut)) == len(cut):
        return cut
    return [f"{sort} {number}" for number in range(1, len(names) + 1)]


def legend(models: Sequence[str], groups: Sequence[str]) -> list[str]:
    """What stands in the figure as a number, in words; what is cut is clear from the table beside it."""
    given = ((models, max(8, _WIDTH // max(1, len(models))), "model"), (groups, _LONGEST, "group"))
    return [
        f"{shown} is {name}"
        for names, room, sort in given
        for shown, name in zip(shown_names(names, room, sort), names, strict=True)
        if shown == f"{sort} {names.index(name) + 1}" != name
    ]
