"""MyriadLAMA's figures of small made-up scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tashika.evaluate.myriadlama.metrics import (
    ByTemplate,
    ConfidenceBin,
    DrawSpread,
    Fluctuation,
    Histogram,
    RelationScores,
)
from tashika.evaluate.myriadlama.plots import accuracy_distribution, relation_accuracy, reliability_diagram

BINS = (
    ConfidenceBin(count=6, confidence=0.84, acc_at_1=0.8, acc_at_10=1.0),
    ConfidenceBin(count=5, confidence=0.35, acc_at_1=0.15, acc_at_10=0.5),
)


def draws(low: float, high: float, counts: tuple[int, ...], edges: tuple[float, ...]) -> Fluctuation:
    """Draws between two scores."""
    return Fluctuation(
        range=high - low,
        stdev=(high - low) / 2,
        min=low,
        max=high,
        mean=(low + high) / 2,
        lowest_possible=low,
        highest_possible=high,
        histogram=Histogram(counts=counts, edges=edges),
    )


DRAWS = draws(0.1, 0.3, (1, 3, 2), (0.1, 0.15, 0.25, 0.3))


def relation(accuracy: float, worst: float, best: float) -> RelationScores:
    """A relation whose templates lie between two accuracies."""
    return RelationScores(
        acc_at_1=accuracy,
        acc_at_10=accuracy,
        mrr=accuracy,
        fluctuation={"acc@1": DrawSpread(range=best - worst, stdev=0.1, min=worst, max=best, mean=accuracy)},
        consist_at_1=None,
        overconf_at_1=0.0,
        overconf_at_10=0.0,
        n_prompts=10,
        n_pairs=2,
        n_templates=5,
        by_template=ByTemplate(min=worst, max=best, mean=accuracy),
    )


RELATIONS = {"P36": relation(0.4, 0.1, 0.7), "P19": relation(0.2, 0.0, 0.3)}

FIGURES: Mapping[str, Callable[[str], str]] = {
    "reliability": lambda name: reliability_diagram(BINS, name),
    "distribution": lambda name: accuracy_distribution(DRAWS, pooled=0.2, single=0.25, name=name),
    "relations": lambda name: relation_accuracy(RELATIONS, {"P36": "capital"}, name),
}
