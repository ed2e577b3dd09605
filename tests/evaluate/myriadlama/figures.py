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
from tashika.evaluate.myriadlama.wording_numbers import AbstentionCurve, AbstentionPoint, Estimate
from tashika.evaluate.myriadlama.wording_plots import Spread, abstention_figure, spreads_figure

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

CURVES = tuple(
    AbstentionCurve(
        unit=unit,
        by=by,
        area=Estimate(value=0.5, low=0.4, high=0.6),
        points=(
            AbstentionPoint(coverage=0.5, value=0.6 + shift, low=0.5 + shift, high=0.7 + shift),
            AbstentionPoint(coverage=1.0, value=0.4 + shift, low=None, high=None),
        ),
    )
    for unit, by, shift in (("prompt", "confidence", 0.0), ("pair", "confidence", 0.1), ("pair", "agreement", 0.2))
)

FIGURES: Mapping[str, Callable[[str], str]] = {
    "reliability": lambda name: reliability_diagram(BINS, name),
    "distribution": lambda name: accuracy_distribution(DRAWS, pooled=0.2, single=0.25, name=name),
    "spreads": lambda name: spreads_figure([Spread(name, DRAWS, 0.2, 0.25), Spread("other", DRAWS, 0.2, None)], "one"),
    "abstention": lambda name: abstention_figure(CURVES, name),
    "relations": lambda name: relation_accuracy(RELATIONS, {"P36": "capital"}, name, list(RELATIONS)),
}
