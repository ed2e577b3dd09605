"""What `metrics.json` of MyriadLAMA holds: BELIEF's numbers, and what they were computed from.

Where a name of the file is no Python name, the field has one with `_at_`: `acc@1` is read as `acc_at_1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.myriadlama.wording_numbers import LamaUhn, Pooled, TemplateScore

Measure = Literal["acc@1", "acc@10", "mrr"]

MEASURES: Final[tuple[Measure, ...]] = ("acc@1", "acc@10", "mrr")
"""The accuracies of section 3.2: a hit among the first 1 or 10 answers, and the reciprocal rank."""


class RangeAndStdev(Numbers):
    """How a measure moves over draws of one template a relation.

    Attributes:
        range: The highest minus the lowest score of all draws.
        stdev: The population standard deviation.
    """

    range: float
    stdev: float


class DrawSpread(RangeAndStdev):
    """The same with the ends and the middle of the draws.

    Attributes:
        min: The lowest score.
        max: The highest score.
        mean: Of all draws.
    """

    min: float
    max: float
    mean: float


class Histogram(Numbers):
    """Draws by their score.

    Attributes:
        counts: Draws in each bin.
        edges: Of the bins, one more than there are counts.
    """

    counts: tuple[int, ...]
    edges: tuple[float, ...]


class Fluctuation(DrawSpread):
    """How a measure moves over draws, over all relations together.

    Attributes:
        lowest_possible: No draw has a lower score.
        highest_possible: No draw has a higher score.
        histogram: Of the scores.
    """

    lowest_possible: float
    highest_possible: float
    histogram: Histogram


class Accuracies(Numbers):
    """The three `MEASURES`; None where the model answered no prompt."""

    acc_at_1: float | None = Field(alias="acc@1")
    acc_at_10: float | None = Field(alias="acc@10")
    mrr: float | None


class SingleTemplate(Accuracies):
    """Scores with one prompt a fact, as LAMA has them.

    Attributes:
        n_prompts: Prompts answered.
        n_pairs: Their subject-relation pairs.
        n_relations: Their relations.
    """

    n_prompts: int
    n_pairs: int
    n_relations: int


class ByTemplate(Numbers):
    """Acc@1 of the worst, the best and the mean template."""

    min: float
    max: float
    mean: float


class TableA1(ByTemplate):
    """Table A.1: `ByTemplate`, averaged over the relations.

    Attributes:
        weighted: The same, averaged with the relations' prompts as weights.
    """

    weighted: ByTemplate


class VariedScores(Numbers):
    """One half of Table A.2: only the subject's alias, or only the template, changes.

    Attributes:
        consist_at_1: Consistency over the prompts that differ in nothing else; None where there are none.
        min: Acc@1 of the worst alias or template.
        max: Acc@1 of the best.
    """

    consist_at_1: float | None = Field(alias="consist@1")
    min: float
    max: float


class Varied(VariedScores):
    """The same with the subject-relation pairs that have such prompts."""

    n_pairs: int


class VariedTable(Numbers):
    """Table A.2, as far as the paper prints it."""

    subject: VariedScores
    template: VariedScores


class TableA2(VariedTable):
    """Table A.2."""

    subject: Varied
    template: Varied


class PaperScores(Numbers):
    """The numbers of one model that the paper prints: Tables 2, A.1 and A.2.

    Attributes:
        acc_at_1: The share of prompts whose first answer is right (equation 1).
        acc_at_10: The share with a right answer among the first ten.
        mrr: The mean reciprocal rank (equation 2).
        single_template: The same with one prompt a fact; None where none was asked for.
        fluctuation: Over draws of one template a relation (equations 3 and 4).
        consist_at_1: How often two prompts of a pair get one answer (equation 5); None where no pair has two.
        overconf_at_1: Confidence minus Acc@1 (equation 6).
        overconf_at_10: Confidence minus Acc@10; None for the paper, whose printed figure cannot be this.
        mass_overconf_at_10: The probability of the ten most probable answers together minus Acc@10.
        table_a1: Acc@1 by template.
        table_a2: What changes with the subject's alias alone, and with the template alone.
    """

    acc_at_1: float = Field(alias="acc@1")
    acc_at_10: float = Field(alias="acc@10")
    mrr: float
    single_template: Accuracies | None
    fluctuation: Mapping[Measure, RangeAndStdev]
    consist_at_1: float | None = Field(alias="consist@1")
    overconf_at_1: float = Field(alias="overconf@1")
    overconf_at_10: float | None = Field(alias="overconf@10")
    mass_overconf_at_10: float | None = Field(alias="overconf@10 mass")
    table_a1: ByTemplate
    table_a2: VariedTable


class ConfidenceBin(Numbers):
    """Prompts of similar confidence.

    Attributes:
        count: Prompts.
        confidence: The mean probability of the first answer.
        acc_at_1: The share whose first answer is right.
        acc_at_10: The share with a right answer among the first ten.
    """

    count: int
    confidence: float
    acc_at_1: float = Field(alias="acc@1")
    acc_at_10: float = Field(alias="acc@10")


class Reliability(Numbers):
    """The reliability diagram (Figure 1).

    Attributes:
        mean_absolute_gap: Between confidence and Acc@1, over the bins.
        bins: Of equal count, the most confident first.
    """

    mean_absolute_gap: float
    bins: tuple[ConfidenceBin, ...]


class RelationScores(Numbers):
    """The scores of one relation."""

    acc_at_1: float = Field(alias="acc@1")
    acc_at_10: float = Field(alias="acc@10")
    mrr: float
    fluctuation: dict[Measure, DrawSpread]
    consist_at_1: float | None = Field(alias="consist@1")
    overconf_at_1: float = Field(alias="overconf@1")
    overconf_at_10: float = Field(alias="overconf@10")
    n_prompts: int
    n_pairs: int
    n_templates: int
    by_template: ByTemplate


class Asked(Numbers):
    """How many were asked, and how many of them were answered and scored."""

    asked: int
    scored: int


class Coverage(Numbers):
    """What was asked, what was answered, and why the rest was left out.

    Attributes:
        prompts: Prompts.
        pairs: Subject-relation pairs.
        templates: Templates.
        relations: Relations.
        left_out: Prompts by the reason why they were not scored, the most frequent first.
        asked_by_relation: Prompts by relation.
        pairs_with_one_prompt: Scored pairs that have no consistency, since there is nothing to compare.
    """

    prompts: Asked
    pairs: Asked
    templates: Asked
    relations: Asked
    left_out: dict[str, int]
    asked_by_relation: dict[str, int]
    pairs_with_one_prompt: int = 0


class BeliefSettings(Numbers):
    """N of section 3.2, M of equation 6, and the seed of the draws."""

    draws: int
    bins: int
    seed: int


class Belief(PaperScores):
    """All numbers of section 3, with what they were computed from.

    Attributes:
        n_prompts: Prompts scored.
        n_pairs: Their subject-relation pairs.
        settings: What the numbers were computed with.
        by_relation: The scores of each relation.
        reliability: Figure 1.
        coverage: What was asked and answered.
    """

    single_template: SingleTemplate | None
    overconf_at_10: float = Field(alias="overconf@10")
    mass_overconf_at_10: float = Field(alias="overconf@10 mass")
    fluctuation: dict[Measure, Fluctuation]
    table_a1: TableA1
    table_a2: TableA2
    n_prompts: int
    n_pairs: int
    settings: BeliefSettings
    by_relation: dict[str, RelationScores]
    reliability: Reliability
    coverage: Coverage


class Kept(Numbers):
    """How many of how many have an answer that is one token of the model."""

    kept: int
    of: int


class SingleToken(Numbers):
    """What of a release a model can be asked, since an object is one token of its vocabulary."""

    objects: Kept
    facts: Kept
    pairs: Kept


class Drawn(Numbers):
    """How many were drawn of how many."""

    drawn: int
    of: int


class Limits(Numbers):
    """The limits of a sample; None for all there are."""

    pairs: int | None
    templates: int | None
    aliases: int | None


class Sampling(Numbers):
    """What a sample drew of what.

    Attributes:
        whole: Whether nothing was left out.
        seed: Of the draw.
        limits: As given, or as a plan chose them.
        pairs: Subject-relation pairs.
        templates: Templates.
        prompts: Prompts.
    """

    whole: bool
    seed: int
    limits: Limits
    pairs: Drawn
    templates: Drawn
    prompts: Drawn

    @property
    def words(self) -> str:
        """The limits, such as `200 pairs with 3 templates`; empty where there are none."""
        given = self.limits.model_dump().items()
        return " with ".join(f"{count:,} {name}" for name, count in given if count is not None)


class TwoPrecisions(Numbers):
    """A number at the run's precision and in float32."""

    lower: float
    fp32: float


class TwoCounts(Numbers):
    """A count at the run's precision and in float32."""

    lower: int
    fp32: int


class Difference(Numbers):
    """The mean and the largest of absolute differences."""

    mean: float
    max: float


class PrecisionCheck(Numbers):
    """What a lower precision changes, on prompts that were asked again in float32.

    Attributes:
        prompts: Prompts that were answered in both.
        not_a_number: Prompts whose output was not a number.
        ranks_equal: The share with the same rank of the correct answer; None without prompts.
        top_tokens_equal: The share with the same first answer; None without prompts.
        acc_at_1: In both; left out without prompts.
        acc_at_10: In both; left out without prompts.
        log_probability_off: The difference of the correct answer's log-probability; None where it is never finite.
    """

    prompts: int
    not_a_number: TwoCounts
    ranks_equal: float | None
    top_tokens_equal: float | None
    acc_at_1: TwoPrecisions | None = Field(None, alias="acc@1")
    acc_at_10: TwoPrecisions | None = Field(None, alias="acc@10")
    log_probability_off: Difference | None = None


class EstimatedNumber(Numbers):
    """A number of the whole release as a plan estimates it, with its 95 % interval."""

    point: float
    low: float
    high: float
    half_width: float


class DesignSize(Numbers):
    """How much a sampling design asks.

    Attributes:
        pairs: Subject-relation pairs.
        templates: Templates of each relation; None for all.
        aliases: Names of each subject; None for all.
        pairs_by_relation: Pairs of each relation.
        prompts: Prompts, to expect of a plan and as asked by a pilot.
    """

    pairs: int
    templates: int | None
    aliases: int | None
    pairs_by_relation: dict[str, int]
    prompts: int


class FrameSize(Numbers):
    """What of a release the model can be asked."""

    pairs: int
    templates: int
    prompts: int


class AskedOf(Numbers):
    """How many were asked of how many."""

    asked: int
    of: int


class PlanMetrics(Numbers):
    """The plan that numbers were estimated by; see `lite.plan`.

    Attributes:
        half_width: Of every number's interval, as asked for.
        confidence: Of the intervals.
        chosen: The design.
        of: The whole.
        predicted_half_widths: What the pilot led to expect, by number.
        pilot: The pilot's design.
        prompts: Prompts asked, the pilot's among them.
    """

    half_width: float
    confidence: float
    chosen: DesignSize
    of: FrameSize
    predicted_half_widths: dict[str, float]
    pilot: DesignSize
    prompts: AskedOf


class LiteMetrics(Numbers):
    """The lite set that numbers were estimated from; see `lite.lite_estimates`.

    Attributes:
        prompts: Prompts of the lite set that the model answered, of those of the whole release that it can.
        relations: Relations of which it answered any, of those of which it can; the estimates are of these.
    """

    prompts: AskedOf
    relations: AskedOf


class MyriadLamaMetrics(Belief, Metrics):
    """The scores of one model: `metrics.json`.

    Attributes:
        sampling: What was drawn of the release.
        single_token: What of it the model could be asked.
        precision: What a lower precision changes; None in float32, or where it was not measured.
        intervals: Of a plan or the lite set: the estimates of the whole release's numbers, by
            `lite.intervals.NUMBERS`. The numbers of the same names, and the fluctuation, are then these estimates too.
        plan: Of a plan: what was asked.
        lite: Of the lite set: what was asked.
        pooled: What all prompts of a pair give together; of a plan or a sample, those that were asked. None in a file
            of an older version.
        templates: Every template by itself, by relation, the best first; None in a file of an older version.
        lama_uhn: LAMA's own prompts; None where the release has none, or the model can answer none.
    """

    sampling: Sampling
    single_token: SingleToken
    precision: PrecisionCheck | None
    intervals: dict[str, EstimatedNumber] | None = None
    plan: PlanMetrics | None = None
    lite: LiteMetrics | None = None
    pooled: Pooled | None = None
    templates: dict[str, tuple[TemplateScore, ...]] | None = None
    lama_uhn: LamaUhn | None = None
