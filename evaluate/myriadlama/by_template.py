"""Accuracy by template, with an interval: which wordings a model understands, and which it does not.

Prompts of one template are not independent where they ask about one pair with several names. So the interval is
Wilson's, of as many trials as the prompts are worth: n_eff = a(1 - a)/v, where a is Acc@1 and v its variance over pairs
(the linearised variance of a ratio of sums). Where v is zero, as at 0 and 1, a pair is a trial.

Source: N. Dean and M. Pagano, Evaluating Confidence Interval Methods for Binomial Proportions in Clustered Surveys,
Journal of Survey Statistics and Methodology, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tashika.evaluate.myriadlama.fluctuation import Cells
from tashika.evaluate.myriadlama.predictions import Predictions
from tashika.evaluate.myriadlama.wording_numbers import Estimate, TemplateScore
from tashika.evaluate.statistics.inference import wilson_interval


class Wording(NamedTuple):
    """What a template says, and where it is from: `manual` or `paraphrase`."""

    text: str
    origin: str


def template_scores(
    predictions: Predictions, wordings: Mapping[str, Wording], cells: Cells | None = None
) -> dict[str, tuple[TemplateScore, ...]]:
    """Acc@1 of every template, by relation, the best first; of equals the one whose text sorts first.

    Args:
        predictions: One model's answered prompts.
        wordings: What the templates say, by their ids.
        cells: Their sums, where they have been made already.
    """
    cells = cells or Cells.of(predictions)
    prompts, hits = cells.by_relation(cells.count), cells.by_relation(cells.sums["acc@1"])
    accuracy = np.divide(hits, prompts, out=np.zeros_like(hits), where=prompts > 0)
    off = cells.sums["acc@1"] - accuracy[cells.relation_of_pair] * cells.count
    squares, pairs = cells.by_relation(off**2), cells.by_relation(cells.count > 0)
    scores: dict[str, list[TemplateScore]] = {name: [] for name in predictions.relations}
    for template, (relation, slot) in enumerate(zip(predictions.relation_of_template, cells.slot, strict=True)):
        at, item = (int(relation), int(slot)), predictions.templates[template]
        wording = wordings.get(item, Wording(item, ""))
        estimate = _estimate(float(accuracy[at]), float(prompts[at]), float(pairs[at]), float(squares[at]))
        scores[predictions.relations[at[0]]].append(
            TemplateScore(
                template_id=item,
                text=wording.text,
                origin=wording.origin,
                acc_at_1=estimate,
                n_prompts=int(prompts[at]),
                n_pairs=int(pairs[at]),
            )
        )
    return {
        name: tuple(sorted(rows, key=lambda row: (-row.acc_at_1.value, row.text, row.template_id)))
        for name, rows in scores.items()
    }


def _estimate(accuracy: float, prompts: float, pairs: float, squares: float) -> Estimate:
    """Acc@1 with its interval.

    Args:
        accuracy: The share of prompts answered right.
        prompts: How many there are.
        pairs: How many pairs they are about.
        squares: The sum over pairs of (right prompts - accuracy times prompts) squared.
    """
    trials = pairs
    if pairs > 1 and squares > 1e-12:
        variance = squares * pairs / (pairs - 1) / prompts**2
        trials = min(prompts, accuracy * (1 - accuracy) / variance)
    interval = wilson_interval(accuracy * trials, trials)
    assert interval is not None  # every template here has a prompt
    return Estimate(value=accuracy, low=interval.low, high=interval.high)
