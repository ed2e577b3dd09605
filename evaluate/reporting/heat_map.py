"""Models by groups, such as relations: a square a model and group, the darker the higher its number.

The drawing library's own font has no Japanese characters, so figures hold none: a name that the font lacks, or that is
long, is left to the table beside the figure, and stands as its number here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tashika.core.reporting.plots import INK, MAIN, drawing

_LONGEST: Final = 34
_LONGEST_COLUMN: Final = 14
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

    columns, rows = shown_names(models, _LONGEST_COLUMN, "model"), shown_names(groups, _LONGEST, "group")
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
    """What the figure calls models or groups: themselves, or all by number where the font lacks one or one is long."""
    if all(name.isascii() and len(name) <= longest for name in names):
        return list(names)
    return [f"{sort} {number}" for number in range(1, len(names) + 1)]
