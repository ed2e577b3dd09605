"""The figure of a confusion matrix."""

from __future__ import annotations

from tashika.core.reporting.plots import INK, MAIN, drawing
from tashika.evaluate.custom.metrics_model import Confusion

LARGEST = 20
"""Labels that a figure has room for."""


def shown_labels(labels: list[str]) -> list[str]:
    """What the figure calls labels: themselves, or their numbers where the font lacks one or one is long."""
    plain = all(label.isascii() and len(label) <= 16 for label in labels)
    return labels if plain else [str(number) for number in range(1, len(labels) + 1)]


def confusion_figure(confusion: Confusion, name: str) -> str:
    """A square a pair of labels, the darker the greater its share of the row; a column for what could not be read.

    Args:
        confusion: Of at most `LARGEST` labels.
        name: The system.
    """
    from matplotlib.patches import Rectangle

    shown = shown_labels(confusion.labels)
    unread = any(row[-1] for row in confusion.counts)
    columns = [*shown, "unreadable"] if unread else shown
    with drawing(0.9 + 0.38 * len(shown), f"Labels given by {name} for each right label") as (figure, result):
        axes = figure.add_subplot()
        for row, counts in enumerate(confusion.counts):
            total = sum(counts)
            for column in range(len(columns)):
                share = counts[column] / total if total else 0.0
                axes.add_patch(Rectangle((column, row), 1, 1, facecolor=MAIN, alpha=0.65 * share, linewidth=0))
                axes.text(column + 0.5, row + 0.5, f"{counts[column]:,}", color=INK, ha="center", va="center")
        axes.set(xlim=(0, len(columns)), ylim=(len(shown), 0), xlabel="given", ylabel="right")
        middle = [place + 0.5 for place in range(len(columns))]
        slanted = sum(map(len, columns)) > 40
        axes.set_xticks(middle, columns, rotation=35 if slanted else 0, ha="right" if slanted else "center")
        axes.set_yticks(middle[: len(shown)], shown)
        axes.grid(visible=False)
        axes.tick_params(length=0)
    return result[0]
