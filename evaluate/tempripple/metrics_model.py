"""TempRIPPLE's `metrics.json`: every number of one system, by name; `metrics` computes them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.tempripple.splits_model import Bias, ControlScore, Interval, Score, Splits


class Cell(Score):
    """Accuracy of one task, hop and condition.

    Attributes:
        task: `new`, `related_new`, `old` or `related_old`.
        hop: From 0.
        with_context: Whether the new fact stood before the question.
        unanswered: Questions without an answer.
        accuracy_all: Right ones among all that were asked.
        subjects: How many subjects the questions are on.
        interval: Of the accuracy, over subjects; None where one subject alone was answered.
    """

    task: str
    hop: int
    with_context: bool
    unanswered: int
    accuracy_all: float | None
    subjects: int
    interval: Interval | None


class ContextTest(Numbers):
    """With against without context: one task and hop, over the questions that were answered both ways (McNemar).

    Attributes:
        task: As in `Cell`.
        hop: From 0.
        delta: Accuracy with context minus accuracy without.
        interval: Of delta, over subjects.
        both: Questions that were answered both ways.
        retained: Right without and with context.
        lost: Right without, wrong with.
        gained: Wrong without, right with.
        missed: Wrong without and with.
        p: Exact; None where nothing was answered both ways.
        p_mid: The less cautious mid-p.
        p_holm: p after Holm's correction over all tests of this kind.
    """

    task: str
    hop: int
    delta: float | None
    interval: Interval | None
    both: int
    retained: int
    lost: int
    gained: int
    missed: int
    p: float | None
    p_mid: float | None
    p_holm: float | None


class HopTest(Numbers):
    """One hop against the hop before, of the same age and condition (Fisher).

    Attributes:
        task: As in `Cell`.
        hop: From 1.
        with_context: Whether the new fact stood before the question.
        delta: Accuracy of the hop minus that of the hop before.
        counts: (right, wrong) of the hop before and of this hop.
        p: Exact; None where nothing was answered at one of the hops.
        p_holm: p after Holm's correction over all tests of this kind.
    """

    task: str
    hop: int
    with_context: bool
    delta: float | None
    counts: list[list[int]]
    p: float | None
    p_holm: float | None


class DurationTest(Numbers):
    """Right or wrong against the mean years of the property, over hop 0 (point-biserial correlation).

    Attributes:
        task: `new` or `old`.
        with_context: Whether the new fact stood before the question.
        n: Answers whose property has a known mean.
        left_out: Answers whose property has none.
        properties: How many properties there are.
        r: The correlation; None where all answers or all years are the same.
        p: Of r.
        p_holm: p after Holm's correction over all tests of this kind.
    """

    task: str
    with_context: bool
    n: int
    left_out: int
    properties: int
    r: float | None
    p: float | None
    p_holm: float | None


class RelationScores(Numbers):
    """Accuracy by task and condition (`without`, `with`) of one changing property, all hops together.

    Attributes:
        mean_years: Of the property's tenures; None where that is not known.
        subjects: How many subjects the questions are on.
        tasks: Task -> condition -> score; what was not asked is left out.
    """

    mean_years: float | None
    subjects: int
    tasks: dict[str, dict[str, Score]]


class ProblemCount(Numbers):
    """How often there is no answer for one reason, without and with context."""

    problem: str
    without: int
    with_: int = Field(alias="with")

    @property
    def total(self) -> int:
        """In both conditions."""
        return self.without + self.with_


class FamilySizes(Numbers):
    """How many tests have a p: the families of Holm's correction."""

    contexts: int
    hops: int
    durations: int


class Statistics(Numbers):
    """How the numbers were computed.

    Attributes:
        options: Of a question.
        resamples: Draws of the bootstrap.
        seed: Of the bootstrap.
        level: What an interval holds.
        alpha: Below which p a difference is marked.
        tests: How many there are of each kind.
    """

    options: int
    resamples: int
    seed: int
    level: float
    alpha: float
    tests: FamilySizes


class Scoring(Numbers):
    """How the system was asked.

    Attributes:
        options: `text`, `letter`, `generate` or `chat`.
        norm: What the likelihood of a text is divided by: `none`, `token` or `character`.
        format: What the model reads: its `context`, `question`, `between` and `cue`.
        reader: Version of what reads replies; not set where options are scored, as is what follows.
        missing_replies: Whether scores are written though some questions got no reply.
        system: The instruction.
        max_tokens: The longest reply.
        attempts: How often a question is asked at most.
        asking: How replies are sampled.
        chat_template: Whether options are scored behind the model's chat template; not set where replies are read.
        orders: In how many orders of its options a question is asked.
    """

    options: str
    norm: str
    format: dict[str, str]
    reader: int | None = None
    missing_replies: bool | None = None
    system: str | None = None
    max_tokens: int | None = None
    attempts: int | None = None
    asking: dict[str, Any] | None = None
    chat_template: bool | None = None
    orders: int = 1


class Share(Numbers):
    """How many were drawn of how many."""

    drawn: int
    of: int


class Sampling(Numbers):
    """What was asked of the release.

    Attributes:
        whole: Whether all of it was.
        seed: Of the draw.
        limit: Facts that were to be drawn; None for all.
        facts: (subject, property) pairs.
        questions: On these.
    """

    whole: bool
    seed: int
    limit: int | None
    facts: Share
    questions: Share


class Coverage(Numbers):
    """How many prompts were asked and answered; `problems` has the reasons of the others and their counts."""

    asked: int
    answered: int
    problems: dict[str, int]


class RippleNumbers(Numbers):
    """What is computed from a prediction table, and from what the release says of its questions.

    Attributes:
        questions: Different questions.
        subjects: Different subjects.
        n: Prompts: a question in one condition.
        answered: Of them.
        chance: The accuracy of guessing.
        cells: Accuracy by task, hop and condition.
        contexts: With against without context.
        hops: A hop against the hop before.
        durations: Right or wrong against how long the property's objects stay.
        by_relation: By changing property.
        by_last_relation: Property of the last hop -> task -> condition -> score, over related facts.
        problems: Why there is no answer, the most frequent reason first.
        places: `right`, `without` and `with`: how often each place among the options is right, and is chosen.
        statistics: How the numbers were computed.
        splits: Numbers by kind of question; None in files of earlier versions.
        bias: What the letters did; None where no letters were chosen, or one order alone was asked.
        controls: Scores with other texts before the question.
    """

    questions: int
    subjects: int
    n: int
    answered: int
    chance: float
    cells: list[Cell]
    contexts: list[ContextTest]
    hops: list[HopTest]
    durations: list[DurationTest]
    by_relation: dict[str, RelationScores]
    by_last_relation: dict[str, dict[str, dict[str, Score]]]
    problems: list[ProblemCount]
    places: dict[str, list[int]]
    statistics: Statistics
    splits: Splits | None = None
    bias: Bias | None = None
    controls: list[ControlScore] = []  # noqa: RUF012 - pydantic copies it


class RippleMetrics(RippleNumbers, Metrics):
    """`metrics.json` of TempRIPPLE.

    Attributes:
        scoring: How the system was asked.
        sampling: What was asked of the release.
        coverage: How much was answered.
    """

    scoring: Scoring
    sampling: Sampling
    coverage: Coverage
