"""`metrics.json` of the suite on proverbs: every number of one system, by name; `metrics` computes them.

Numbers lie by topic (`gender`, `wisdom`, `society`, and `all` for all together) and by consistency (`score`, `text`).
"""

from __future__ import annotations

from typing import Any

from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.proverbs.cross import CrossNumbers
from tashika.evaluate.proverbs.metrics_more import ControlNumbers, Differences, GroupCounts, Interval, RegionContrast
from tashika.evaluate.ways.judge_check import JudgeCheck


class ErrorCounts(Numbers):
    """Detected errors among some pairs; of each other test how many were tested, below the level, and errors too.

    Attributes:
        pairs: All of them.
        tested: Those with values enough on both sides.
        errors: Those where Siegel and Tukey's test finds p below the level.
        share: Errors among the tested.
        interval: Of the share (Wilson).
        errors_holm: Errors that Holm's correction over all pairs leaves.
        smallest_p: The smallest p that any pair's values could give.
        holm_at_most: How many errors could be left if all pairs had the smallest p.
        wilcoxon: Signed ranks of the values by place.
        ranksum: Wilcoxon's rank sum.
        ansari: Ansari and Bradley's test of spread.
    """

    pairs: int
    tested: int
    errors: int
    share: float | None
    interval: Interval | None
    errors_holm: int
    smallest_p: float | None
    holm_at_most: int
    wilcoxon_tested: int
    wilcoxon: int
    wilcoxon_both: int
    ranksum_tested: int
    ranksum: int
    ranksum_both: int
    ansari_tested: int
    ansari: int
    ansari_both: int


class Medians(Numbers):
    """Medians of the pairs that have values on both sides.

    Attributes:
        pairs: How many there are.
        median: Mean over pairs of the median of the proverb's values.
        variant_median: Likewise of the variant's.
        deviation: Mean over pairs of the standard deviation of the proverb's values.
        variant_deviation: Likewise of the variant's.
        difference: Mean of the variant's median minus the proverb's.
        lower: Pairs whose variant has the lower median.
        same: Pairs with equal medians.
        higher: Pairs whose variant has the higher median.
        p: Signed ranks of the differences; None where there is no pair.
        holm_p: p after Holm's correction over all topics and consistencies; not set for "all".
    """

    pairs: int
    median: float | None
    variant_median: float | None
    deviation: float | None
    variant_deviation: float | None
    difference: float | None
    lower: int
    same: int
    higher: int
    p: float | None
    holm_p: float | None = None


class Histogram(Numbers):
    """How often each value was given.

    Attributes:
        score: Ten counts, of the scores 1 to 10.
        text: Ten bins of TC from 0 to 1.
    """

    score: list[int]
    text: list[int]


class AskedAgain(Numbers):
    """How many answers and scores were asked for more than once."""

    answer: int
    score: int


class Coverage(Numbers):
    """What was wanted, what there is, and why the rest is missing (reason -> how often).

    Attributes:
        wanted: Answers: five a question.
        answers: Those that could be read.
        answer_problems: Why the others could not.
        scores: As `answers`.
        score_problems: As `answer_problems`.
        consistencies: Values of TC.
        consistency_problems: As `answer_problems`.
        asked_again: By answer, though five answers may come in one reply.
        not_tested: Consistency -> why a pair is not tested -> how many pairs.
    """

    wanted: int
    answers: int
    answer_problems: dict[str, int]
    scores: int
    score_problems: dict[str, int]
    consistencies: int
    consistency_problems: dict[str, int]
    asked_again: AskedAgain
    not_tested: dict[str, dict[str, int]]


class Statistics(Numbers):
    """How pairs were tested.

    Attributes:
        level: Below which p an error is detected.
        test: Its name.
        ties: How equal values are treated.
        methods: `exact` or `normal` -> how many pairs.
        correction: For many tests.
        interval: Of shares.
        constant: Whether two sets without any spread are counted "apart", or "count" as the test has it.
        western: Origins that count as Western.
        asked_method: How Siegel and Tukey's p was asked for.
    """

    constant: str = "count"
    western: list[str] | None = None
    asked_method: str = "auto"
    level: float
    test: str
    ties: str
    methods: dict[str, int]
    correction: str
    interval: str


class JudgeInfo(Numbers):
    """Which model judged whether an answer follows from another; see `ways.entailment.Judge.describe`.

    Attributes:
        method: A classifier, or the likelihood of yes and no of a causal model.
        model: Its name, without its place on a machine.
        revision: Of its weights.
        dtype: It ran in.
        device: `cpu` or `cuda`.
        note: What to know before believing it.
        labels: Of a classifier.
        label: The one that means entailment.
        question: What a causal model was asked.
        form: As chat or as plain text.
        yes: Tokens that count as yes.
        no: Tokens that count as no.
    """

    method: str
    model: str
    revision: str
    dtype: str
    device: str
    note: str | None
    labels: list[str] | None = None
    label: str | None = None
    question: str | None = None
    form: str | None = None
    yes: list[str] | None = None
    no: list[str] | None = None

    @property
    def is_classifier(self) -> bool:
        """Whether it was trained to classify entailment; a causal model asked yes or no only stands in for one."""
        return "classifier" in self.method


class PromptInfo(Numbers):
    """A prompt; see `settings.Prompt`."""

    prompt: str
    max_tokens: int
    stop: str
    api: str | None
    temperature: float | None = None


class Scoring(Numbers):
    """How the system was asked.

    Attributes:
        answers: Statements that each question is given.
        language: Of the questions and statements.
        asking: `five` statements (or as many as `answers` says) in one reply, or `one` a request.
        scoring: The score that it `reply`s with, or that of the greatest `likelihood`.
        answer: The first prompt.
        score: The second prompt.
        attempts: How often a question is asked at most.
        missing_replies: Whether numbers are written even though some questions got no reply.
        reader: Version of what reads replies.
        sampling: How replies are sampled.
    """

    answers: int = 5
    language: str = "en"
    asking: str
    scoring: str
    answer: PromptInfo
    score: PromptInfo
    attempts: int
    missing_replies: bool
    reader: int
    sampling: dict[str, Any]


class Share(Numbers):
    """How many were drawn of how many."""

    drawn: int
    of: int


class Sampling(Numbers):
    """What was asked of the release.

    Attributes:
        whole: Whether all of it was.
        seed: Of the draw.
        limit: Pairs of a topic, at most; None for all.
        pairs: In all.
    """

    whole: bool
    seed: int
    limit: int | None
    pairs: Share


class RequestCost(Numbers):
    """Requests and their tokens, estimated by characters."""

    requests: int
    tokens_in: int
    tokens_out: int


class PromptCosts(Numbers):
    """What each prompt costs."""

    statements: RequestCost
    scores: RequestCost


class Costs(Numbers):
    """What a whole run costs at most, and what was really asked."""

    estimate: PromptCosts
    asked: PromptCosts


class ProverbNumbers(Numbers):
    """What is computed from the answers and tests alone.

    Attributes:
        pairs: How many were asked about.
        errors: Topic -> consistency -> detected errors.
        medians: Topic -> consistency -> medians of both sides.
        histograms: Topic -> side -> which values were given.
        coverage: How much was answered.
        statistics: How pairs were tested.
        differences: Topic -> consistency -> spread and place beside each other; None in files of earlier versions, as
            the following.
        controls: Pairs on gender beside their neutral rewordings.
        groups: Column -> value -> consistency -> counts of these pairs.
        regions: Consistency -> pairs on proverbs of other than Western origin beside the Western ones.
    """

    pairs: int
    differences: dict[str, dict[str, Differences]] | None = None
    controls: ControlNumbers | None = None
    groups: dict[str, dict[str, dict[str, GroupCounts]]] | None = None
    regions: dict[str, RegionContrast] | None = None
    errors: dict[str, dict[str, ErrorCounts]]
    medians: dict[str, dict[str, Medians]]
    histograms: dict[str, dict[str, Histogram]]
    coverage: Coverage
    statistics: Statistics


class ProverbMetrics(ProverbNumbers, Metrics):
    """`metrics.json` of the suite on proverbs.

    Attributes:
        scoring: How the system was asked.
        judge: Who judged the consistency of texts.
        judge_check: How the judge did on hand-written pairs; None before that was looked at.
        cross: Topic -> consistency between the two sides; None before there was such a number.
        sampling: What was asked of the release.
        cost: Of the requests.
        seconds: Step -> time of its last run.
    """

    scoring: Scoring
    judge: JudgeInfo
    judge_check: JudgeCheck | None = None
    cross: dict[str, CrossNumbers] | None = None
    sampling: Sampling
    cost: Costs
    seconds: dict[str, float]
