"""Figures as SVG text in one style: colours follow the page's light or dark theme, the bytes follow the data alone.

Colours are CSS variables with a fallback, so that a figure stands inside a page and alone. Series are told apart by
shape and place as well as by colour; blue and vermilion are Okabe and Ito's, which colour-blind readers can tell.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from itertools import pairwise
from typing import Any, Final

# matplotlib draws with stand-ins, which become CSS variables: (stand-in, variable, fallback).
INK, FAINT, GRID, MAIN, SECOND, PAPER = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
_VARIABLES: Final = {
    INK: "var(--ink, #1c2128)",
    FAINT: "var(--faint, #667080)",
    GRID: "var(--grid, #d8dde4)",
    MAIN: "var(--main, #0072b2)",
    SECOND: "var(--second, #d55e00)",
    PAPER: "var(--paper, #ffffff)",
}
_STYLE: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so that the layout is the same everywhere
    "font.size": 9.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and copied
    "svg.hashsalt": "tashika",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}
_WIDTH = 4.7  # inches at 72 dpi: about a phone's width, so that text keeps its size there


def reliability_diagram(bins: Sequence[Mapping[str, Any]], name: str) -> str:
    """Figure 1: a model's confidence against its accuracy, a point a bin, the gap to the diagonal drawn.

    Args:
        bins: `count`, `confidence` and `acc@1` of each bin.
        name: The model.
    """
    confidence = [each["confidence"] for each in bins]
    accuracy = [each["acc@1"] for each in bins]
    with drawing(4.2, f"Confidence against accuracy of {name}") as (figure, result):
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=FAINT, linestyle=(0, (4, 3)), linewidth=1.1)
        axes.vlines(confidence, accuracy, confidence, color=SECOND, linewidth=2.2, alpha=0.75)
        axes.plot(confidence, accuracy, color=MAIN, marker="o", markersize=6, linewidth=1.2, markeredgecolor=PAPER)
        axes.set_title(_bin_counts(bins), fontsize=9, color=FAINT, loc="left")
        axes.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), xlabel="mean confidence of the bin", ylabel="Acc@1 of the bin")
        percent_axes(axes.xaxis, axes.yaxis)
    return result[0]


def accuracy_distribution(fluctuation: Mapping[str, Any], *, pooled: float, single: float | None, name: str) -> str:
    """Acc@1 over the draws of one template a relation, with the pooled and the single-prompt score marked.

    Args:
        fluctuation: `histogram`, `min` and `max` of the draws.
        pooled: Acc@1 over all prompts.
        single: Acc@1 with one prompt a fact, None where there is none.
        name: The model.
    """
    counts, edges = fluctuation["histogram"]["counts"], fluctuation["histogram"]["edges"]
    with drawing(2.9, f"Acc@1 of {name} over random choices of one template a relation") as (figure, result):
        axes = figure.add_subplot()
        if fluctuation["min"] < fluctuation["max"]:
            widths = [end - start for start, end in pairwise(edges)]
            axes.bar(edges[:-1], counts, widths, align="edge", color=MAIN, alpha=0.55, linewidth=0)
        else:
            axes.bar([fluctuation["min"]], [sum(counts)], 0.004, color=MAIN, alpha=0.55, linewidth=0)
        axes.axvline(pooled, color=INK, linewidth=1.6, label=f"all prompts {pooled:.1%}")
        if single is not None:
            dashes = (0, (3, 2))
            axes.axvline(single, color=SECOND, linewidth=1.8, linestyle=dashes, label=f"one prompt a fact {single:.1%}")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.8, columnspacing=1.4)
        shown = [fluctuation["min"], fluctuation["max"], pooled, *([] if single is None else [single])]
        margin = max(0.05 * (max(shown) - min(shown)), 0.005)
        axes.set(xlim=(min(shown) - margin, max(shown) + margin), xlabel="Acc@1 of a draw", ylabel="draws")
        axes.grid(visible=False, axis="x")
        percent_axes(axes.xaxis)
    return result[0]


def relation_accuracy(by_relation: Mapping[str, Mapping[str, Any]], labels: Mapping[str, str], name: str) -> str:
    """Acc@1 of each relation: the dot is over all prompts, the line from the worst to the best template.

    Args:
        by_relation: The scores of each relation.
        labels: The relations in plain words, for those that have such.
        name: The model.
    """
    rows = sorted(by_relation.items(), key=lambda row: (row[1]["acc@1"], row[0]))
    places = range(len(rows))
    with drawing(0.75 + 0.185 * len(rows), f"Acc@1 of {name} by relation") as (figure, result):
        axes = figure.add_subplot()
        low = [row["by_template"]["min"] for _, row in rows]
        high = [row["by_template"]["max"] for _, row in rows]
        axes.hlines(places, low, high, color=MAIN, linewidth=2.4, alpha=0.4)
        axes.plot([row["acc@1"] for _, row in rows], places, "o", color=MAIN, markersize=5, markeredgecolor=PAPER)
        axes.set_yticks(places, [_shortened(relation, labels.get(relation, "")) for relation, _ in rows], fontsize=8.5)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.8, len(rows) - 0.2), xlabel="Acc@1")
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        percent_axes(axes.xaxis)
    return result[0]


def _bin_counts(bins: Sequence[Mapping[str, Any]]) -> str:
    counts = sorted({each["count"] for each in bins})
    prompts = "–".join(f"{count:,}" for count in counts)
    return f"{len(bins)} bins of {prompts} prompts each"


def _shortened(relation: str, label: str, width: int = 25) -> str:
    words = label if len(label) <= width else f"{label[: width - 1].rstrip()}…"
    return f"{words}  {relation}".strip()


def percent_axes(*axes: Any) -> None:
    """Shows fractions as percentages."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    for axis in axes:
        axis.set_major_locator(MaxNLocator(6))
        axis.set_major_formatter(PercentFormatter(1.0))


@contextmanager
def drawing(height: float, title: str) -> Iterator[tuple[Any, list[str]]]:
    """Yields a figure and a list, which holds the figure as SVG text when the block has ended.

    Args:
        height: In inches.
        title: What the figure shows, for those who hear the page.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    result: list[str] = []
    style: Any = {**dict(mpl.rcParamsDefault), **_STYLE}  # not the reader's own settings: the bytes shall be the same
    with mpl.rc_context(style):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure, result
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    result.append(_for_a_page(text.getvalue(), title))


def _for_a_page(svg: str, title: str) -> str:
    """Makes matplotlib's file a part of a page: no prologue, no fixed size, ids of its own, colours of the page."""
    prefix = "f" + re.sub(r"\W+", "-", title.lower())
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r"(url\(|href=\")#", rf"\1#{prefix}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    view = re.search(r'viewBox="[^"]+"', svg)
    assert view is not None  # every figure that matplotlib writes has one
    head = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view[0]} role="img"'
    body = re.sub(r" *\n *", "\n", svg[svg.index(">") + 1 :])
    return f'{head} aria-label="{escape(title)}">{body}'
