"""What `metrics.json` says of kinds of questions: the other side, certainty, the model's own time, and lures."""

from __future__ import annotations

from tashika.evaluate.metrics import Numbers


class Interval(Numbers):
    """A confidence interval; see `Statistics.level`."""

    low: float
    high: float


class Score(Numbers):
    """Accuracy over some questions.

    Attributes:
        n: Questions that were asked.
        answered: Those that got an answer.
        correct: Those whose answer is right.
        accuracy: Right ones among the answered; None where nothing was answered.
    """

    n: int
    answered: int
    correct: int
    accuracy: float | None


class SplitScore(Score):
    """Accuracy over the questions of one task, hop and condition that have one value of a split.

    Attributes:
        split: `counterpart`, `certainty`, `cutoff` (whether the new fact began after the model's training ended) or
            `began` (in which stretch of months it did).
        value: Such as `differs`.
        task: `new`, `related_new`, `old` or `related_old`.
        hop: From 0; None for all hops of the task.
        with_context: Whether the new fact stood before the question.
        interval: Over subjects; None where one subject alone was answered.
    """

    split: str
    value: str
    task: str
    hop: int | None
    with_context: bool
    interval: Interval | None


class Given(Numbers):
    """Accuracy on related facts by whether the tenure that they hang on was named right in the same condition.

    Attributes:
        value: The counterpart of the questions, or `all`.
        task: `related_new` or `related_old`.
        hop: From 1; None for all hops.
        with_context: Whether the new fact stood before both questions.
        after_right: Answered questions whose tenure was named right.
        right_after_right: Those of them that are right.
        share: Of these; None where there are none. Of new facts with context it is the rate at which a fact that was
            taken in spreads.
        interval: Of the share, over subjects.
        after_wrong: Answered questions whose tenure was named wrong.
        right_after_wrong: Those of them that are right.
        share_after_wrong: Of these.
    """

    value: str
    task: str
    hop: int | None
    with_context: bool
    after_right: int
    right_after_right: int
    share: float | None
    interval: Interval | None
    after_wrong: int
    right_after_wrong: int
    share_after_wrong: float | None


class Lured(Numbers):
    """How often the wrong option that is right of the other side was chosen, where it is offered.

    Attributes:
        task: For `old` and `related_old` the lure is the new object, or what it leads to; for the others the old one.
        hop: From 0; None for all hops of a related task.
        with_context: Whether the new fact stood before the question.
        offered: Questions that offer it.
        answered: Of them.
        correct: Answered right.
        lured: Answered with the lure.
        rate: Lured among the answered.
        interval: Of the rate, over subjects.
        of_wrong: Lured among the wrong answers.
    """

    task: str
    hop: int | None
    with_context: bool
    offered: int
    answered: int
    correct: int
    lured: int
    rate: float | None
    interval: Interval | None
    of_wrong: float | None


class LureTest(Numbers):
    """The lure with against without context, over the questions that were answered both ways (McNemar).

    Attributes:
        task: As in `Lured`.
        hop: As in `Lured`.
        both: Questions with a lure that were answered both ways.
        delta: The rate with context minus the rate without, over these.
        interval: Of delta, over subjects.
        into: Answered with the lure with context alone.
        out_of: Without context alone.
        p: Exact; None where nothing was answered both ways.
        p_holm: p after Holm's correction over all tests of this kind.
    """

    task: str
    hop: int | None
    both: int
    delta: float | None
    interval: Interval | None
    into: int
    out_of: int
    p: float | None
    p_holm: float | None


class Splits(Numbers):
    """Numbers by kind of question; all lists are empty where the release does not say.

    Attributes:
        option_sets: Where the wrong options come from.
        cutoff: The last day of the model's training data; None where it is not known.
        months: How long a stretch of `began` is.
        scores: Accuracy by split.
        given: Accuracy on related facts by hop 0.
        lures: How often the other side's answer was chosen.
        lure_tests: What the context does to that.
    """

    option_sets: list[str]
    cutoff: str | None
    months: int
    scores: list[SplitScore]
    given: list[Given]
    lures: list[Lured]
    lure_tests: list[LureTest]


class Bias(Numbers):
    """What the letters did, over all orders of the options.

    Attributes:
        orders: How many orders each question was asked in.
        letters: Condition -> how often each letter was chosen. In all orders together each is right equally often.
        right: Condition -> how often each letter was right among the answers that were counted.
        agreed: Condition -> share of the questions, answered in every order, whose choice is the same in all of them.
        by_order: Condition -> accuracy in each order alone.
        pull: Condition -> how far the shares of the letters are from those that are right, in sum and halved: 0 is no
            liking, 1 - 1/options a model that chooses one letter always.
    """

    orders: int
    letters: dict[str, list[int]]
    right: dict[str, list[int]]
    agreed: dict[str, float | None]
    by_order: dict[str, list[float | None]]
    pull: dict[str, float | None]


class ControlScore(Score):
    """Accuracy of one task and hop with other texts before the question than the new fact alone.

    Attributes:
        condition: `unrelated`, `several` or `conflicting`; see `conditions`.
        task: As in `SplitScore`.
        hop: From 0.
        interval: Of the accuracy, over subjects.
        delta: Accuracy minus that without context, over questions that were answered both ways.
        delta_interval: Of delta, over subjects.
        lost: Right without context, wrong here.
        gained: Wrong without context, right here.
        p: McNemar's, exact, against without context.
        p_holm: p after Holm's correction over all controls.
        against_with: Accuracy minus that with the new fact alone, over questions that were answered both ways.
        lured: Share of the answers that chose the lure, where one is offered.
        followed: Share of the answers that chose the object which the conflicting sentence names, where it is offered.
    """

    condition: str
    task: str
    hop: int
    interval: Interval | None
    delta: float | None
    delta_interval: Interval | None
    lost: int
    gained: int
    p: float | None
    p_holm: float | None
    against_with: float | None
    lured: float | None
    followed: float | None
