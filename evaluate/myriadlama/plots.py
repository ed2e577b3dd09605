"""MyriadLAMA's figures, in the style of all reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap

from tashika.core.reporting.plots import FAINT, INK, MAIN, PAPER, SECOND, drawing, percent_axes
from tashika.evaluate.myriadlama.metrics import ConfidenceBin, Fluctuation, RelationScores


def reliability_diagram(bins: Sequence[ConfidenceBin], name: str) -> str:
    """Figure 1: a model's confidence against its accuracy, a point a bin, the gap to the diagonal drawn.

    Args:
        bins: Of equal count.
        name: The model.
    """
    confidence = [each.confidence for each in bins]
    accuracy = [each.acc_at_1 for each in bins]
    with drawing(4.2, f"Confidence against accuracy of {name}") as (figure, result):
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=FAINT, linestyle=(0, (4, 3)), linewidth=1.1)
        axes.vlines(confidence, accuracy, confidence, color=SECOND, linewidth=2.2, alpha=0.75)
        axes.plot(confidence, accuracy, color=MAIN, marker="o", markersize=6, linewidth=1.2, markeredgecolor=PAPER)
        axes.set_title(_bin_counts(bins), fontsize=9, color=FAINT, loc="left")
        axes.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), xlabel="mean confidence of the bin", ylabel="Acc@1 of the bin")
        percent_axes(axes.xaxis, axes.yaxis)
    return result[0]


def accuracy_distribution(draws: Fluctuation, *, pooled: float, single: float | None, name: str) -> str:
    """Acc@1 over the draws of one template a relation, with the pooled and the single-prompt score marked.

    Args:
        draws: How Acc@1 moves over them.
        pooled: Acc@1 over all prompts.
        single: Acc@1 with our first manual template, None where there is none.
        name: The model.
    """
    counts, edges = draws.histogram.counts, draws.histogram.edges
    with drawing(2.9, f"Acc@1 of {name} over random choices of one template a relation") as (figure, result):
        axes = figure.add_subplot()
        if draws.min < draws.max:
            widths = [end - start for start, end in pairwise(edges)]
            axes.bar(edges[:-1], counts, widths, align="edge", color=MAIN, alpha=0.55, linewidth=0)
        else:
            axes.bar([draws.min], [sum(counts)], 0.004, color=MAIN, alpha=0.55, linewidth=0)
        axes.axvline(pooled, color=INK, linewidth=1.6, label=f"all prompts {pooled:.1%}")
        if single is not None:
            dashes = (0, (3, 2))
            axes.axvline(
                single, color=SECOND, linewidth=1.8, linestyle=dashes, label=f"our first template {single:.1%}"
            )
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.8, columnspacing=1.4)
        shown = [draws.min, draws.max, pooled, *([] if single is None else [single])]
        margin = max(0.05 * (max(shown) - min(shown)), 0.005)
        axes.set(xlim=(min(shown) - margin, max(shown) + margin), xlabel="Acc@1 of a draw", ylabel="draws")
        axes.grid(visible=False, axis="x")
        percent_axes(axes.xaxis)
    return result[0]


def relation_order(models: Sequence[Mapping[str, RelationScores]]) -> list[str]:
    """The relations of all models, the one with the highest mean Acc@1 first: one order for every figure."""
    values: dict[str, list[float]] = {}
    for by_relation in models:
        for relation, row in by_relation.items():
            values.setdefault(relation, []).append(row.acc_at_1)
    return sorted(values, key=lambda relation: (-sum(values[relation]) / len(values[relation]), relation))


def relation_accuracy(
    by_relation: Mapping[str, RelationScores], labels: Mapping[str, str], name: str, order: Sequence[str]
) -> str:
    """Acc@1 of each relation: the dot is over all prompts, the line from the worst to the best template.

    Args:
        by_relation: The scores of each relation; one that the model was not asked about has an empty row.
        labels: The relations in plain words, for those that have such.
        name: The model.
        order: All relations, the first on top, so that the rows of all models stand beside each other.
    """
    rows = [(place, by_relation[relation]) for place, relation in enumerate(order) if relation in by_relation]
    places = [place for place, _ in rows]
    words = [_in_lines(relation, labels.get(relation, "")) for relation in order]
    lines = sum(1 + text.count("\n") for text in words)
    with drawing(0.75 + 0.185 * lines, f"Acc@1 of {name} by relation") as (figure, result):
        axes = figure.add_subplot()
        low = [row.by_template.min for _, row in rows]
        high = [row.by_template.max for _, row in rows]
        axes.hlines(places, low, high, color=MAIN, linewidth=2.4, alpha=0.4)
        axes.plot([row.acc_at_1 for _, row in rows], places, "o", color=MAIN, markersize=5, markeredgecolor=PAPER)
        axes.set_yticks(range(len(order)), words, fontsize=8.5)
        axes.set(xlim=(-0.02, 1.02), ylim=(len(order) - 0.2, -0.8), xlabel="Acc@1")
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        percent_axes(axes.xaxis)
    return result[0]


def _bin_counts(bins: Sequence[ConfidenceBin]) -> str:
    counts = sorted({each.count for each in bins})
    prompts = "–".join(f"{count:,}" for count in counts)
    return f"{len(bins)} bins of {prompts} prompts each"


def _in_lines(relation: str, label: str, width: int = 32) -> str:
    return "\n".join(wrap(f"{label}  {relation}".strip(), width)) or relation
