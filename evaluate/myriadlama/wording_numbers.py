"""What `metrics.json` of MyriadLAMA holds of prompts taken together, and of each template by itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tashika.evaluate.metrics import Numbers

Unit = Literal["prompt", "pair"]
"""What a model abstains from: one prompt, or a subject-relation pair with all its prompts."""

By = Literal["confidence", "agreement"]
"""What it abstains by."""

UhnFilter = Literal["none", "string", "full"]
"""LAMA-UHN's filters."""


class Estimate(Numbers):
    """A number with its 95 % interval; an end is None where there is nothing to draw from."""

    value: float
    low: float | None
    high: float | None


class AbstentionPoint(Estimate):
    """The accuracy (`value`) of what is answered.

    Attributes:
        coverage: The share that is answered: the surest ones.
    """

    coverage: float


class AbstentionCurve(Numbers):
    """Accuracy against coverage when a model may abstain.

    Attributes:
        unit: What it abstains from.
        by: What it abstains by.
        area: The mean accuracy over all coverages, 1/n to 1: one minus the area under the risk-coverage curve.
        points: At some coverages, rising to 1.
    """

    unit: Unit
    by: By
    area: Estimate
    points: tuple[AbstentionPoint, ...]


class Pooled(Numbers):
    """What all prompts of a subject-relation pair give together; every pair weighs the same.

    Attributes:
        n_pairs: Pairs.
        prompts_of_pair: Prompts of a pair, the mean; `any_prompt` grows with it.
        one_prompt: The expected accuracy of one prompt of a pair, drawn alike.
        any_prompt: Whether some prompt's first answer is right: at most this much can be got out of the prompts.
        all_prompts: Whether the first answer of every prompt is right.
        vote: Whether the word that most prompts give is right.
        vote_by_confidence: The same where each prompt's voice is as loud as its confidence.
        vote_gain: `vote` minus `one_prompt`.
        abstention: What becomes of accuracy if the model answers only what it is surest of.
    """

    n_pairs: int
    prompts_of_pair: float
    one_prompt: Estimate
    any_prompt: Estimate
    all_prompts: Estimate
    vote: Estimate
    vote_by_confidence: Estimate
    vote_gain: Estimate
    abstention: tuple[AbstentionCurve, ...]


class TemplateScore(Numbers):
    """One template.

    Attributes:
        template_id: Its item.
        text: What it says.
        origin: `manual` or `paraphrase`.
        acc_at_1: Over its prompts, with the 95 % interval.
        n_prompts: Prompts answered.
        n_pairs: Their subject-relation pairs.
    """

    template_id: str
    text: str
    origin: str
    acc_at_1: Estimate = Field(alias="acc@1")
    n_prompts: int
    n_pairs: int


class LamaUhn(Numbers):
    """LAMA's own prompts, one a pair.

    Attributes:
        acc_at_1: The share whose first answer is right, with the 95 % interval.
        acc_at_10: The share with a right answer among the first ten.
        mrr: The mean reciprocal rank.
        asked: Prompts.
        scored: Of them, those that the model could answer.
        left_out: The others by the reason.
        uhn_filter: The filters that they went through; both of LAMA-UHN's are "full".
    """

    acc_at_1: Estimate = Field(alias="acc@1")
    acc_at_10: Estimate = Field(alias="acc@10")
    mrr: Estimate
    asked: int
    scored: int
    left_out: dict[str, int]
    uhn_filter: UhnFilter
