"""What `metrics.json` holds of prompts whose objects were ranked among the candidates of their relation."""

from __future__ import annotations

from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.myriadlama.metrics import Belief, Sampling
from tashika.evaluate.myriadlama.wording_numbers import Estimate, Pooled, TemplateScore


class CandidateCounts(Numbers):
    """The candidates of one relation."""

    objects: int
    names: int


class Ensemble(Numbers):
    """The mean distribution of a pair's prompts over the candidates, as one answer; every pair weighs the same.

    Attributes:
        accuracy: Whether its most probable object is right.
        gain: Accuracy minus that of one prompt, drawn at random.
        mean_probability: Of the pair's correct objects together.
    """

    accuracy: Estimate
    gain: Estimate
    mean_probability: Estimate


class CandidateMetrics(Metrics):
    """The scores of one model on objects of any number of tokens: `evaluate/candidates/MODEL/metrics.json`.

    Attributes:
        belief: BELIEF's numbers, an answer being an object and the probability that among the candidates.
        pooled: What all prompts of a pair give together.
        ensemble: Their mean distribution.
        chance: Acc@1 of a draw among the candidates, over the same prompts.
        templates: Every template by itself, by relation, the best first.
        candidates: By relation.
        sequences: Texts that were scored for it, before equal beginnings were shared.
        sampling: What was drawn of the release.
    """

    belief: Belief
    pooled: Pooled
    ensemble: Ensemble
    chance: float
    templates: dict[str, tuple[TemplateScore, ...]]
    candidates: dict[str, CandidateCounts]
    sequences: int
    sampling: Sampling
