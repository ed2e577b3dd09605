"""The figures on proverbs: shares of errors by topic, and how the scores of both sides are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tashika.core.reporting.plots import FAINT, INK, MAIN, PAPER, SECOND, drawing, percent_axes
from tashika.core.suites.proverbs.words import CONSISTENCIES
from tashika.evaluate.proverbs.metrics_model import ErrorCounts, Histogram

_APART: Final = 0.14
_NAMES: Final = {"score": "score consistency", "text": "text consistency"}
_LOOKS: Final[Mapping[str, dict[str, Any]]] = {
    "score": {"color": MAIN, "marker": "o", "markersize": 6.5, "markeredgecolor": PAPER},
    "text": {"color": SECOND, "marker": "s", "markersize": 5.5, "markerfacecolor": PAPER, "markeredgewidth": 1.6},
}


def errors_by_topic(errors: Mapping[str, Mapping[str, ErrorCounts]], name: str) -> str:
    """The share of tested pairs with a detected error; a bar is the interval. What was not tested has no point.

    Args:
        errors: Topic -> consistency -> counts.
        name: The model.
    """
    topics = list(errors)
    with drawing(1.35 + 0.42 * len(topics), f"Detected errors of {name} by topic") as (figure, result):
        axes = figure.add_subplot()
        for side, kind in zip((-_APART, _APART), CONSISTENCIES, strict=True):
            cells = [(place + side, errors[topic][kind]) for place, topic in enumerate(topics)]
            barred = [(place, cell.interval) for place, cell in cells if cell.interval is not None]
            axes.hlines(
                [place for place, _ in barred],
                [interval.low for _, interval in barred],
                [interval.high for _, interval in barred],
                color=_LOOKS[kind]["color"],
                linewidth=2.2,
                alpha=0.45,
            )
            known = [(place, cell.share) for place, cell in cells if cell.share is not None]
            axes.plot(
                [share for _, share in known],
                [place for place, _ in known],
                linestyle="none",
                label=_NAMES[kind],
                **_LOOKS[kind],
            )
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.2, columnspacing=1.6)
        axes.set_yticks(range(len(topics)), topics)
        axes.set(xlim=(-0.02, 1.02), ylim=(len(topics) - 0.5, -0.5), xlabel="pairs with a detected error")
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        percent_axes(axes.xaxis)
    return result[0]


def score_histograms(histograms: Mapping[str, Mapping[str, Histogram]], name: str) -> str:
    """How often each score was given, a row a topic: the proverbs' bars to the left, the variants' to the right.

    Args:
        histograms: Topic -> side -> counts. "all" is left out where there are topics beside it.
        name: The model.
    """
    topics = [topic for topic in histograms if topic != "all"] or list(histograms)
    scores = range(1, 11)
    with drawing(0.9 + 1.25 * len(topics), f"Scores that {name} gave its answers") as (figure, result):
        rows = figure.subplots(len(topics), 1, sharex=True, squeeze=False)[:, 0]
        for axes, topic in zip(rows, topics, strict=True):
            sides = histograms[topic]
            left, right = ([score + shift for score in scores] for shift in (-0.2, 0.2))
            axes.bar(left, sides["proverb"].score, 0.38, color=MAIN, alpha=0.8, linewidth=0, label="proverb")
            hatched = {"facecolor": PAPER, "edgecolor": SECOND, "hatch": "////", "linewidth": 1.0}
            axes.bar(right, sides["variant"].score, 0.38, label="variant", **hatched)
            axes.set_title(topic, fontsize=9, color=FAINT, loc="left")
            axes.set_ylabel("answers", color=INK)
            axes.set_xticks(scores)
            axes.grid(visible=False, axis="x")
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.96), ncols=2, handlelength=1.4, columnspacing=1.4)
        rows[-1].set_xlabel("score")
    return result[0]
