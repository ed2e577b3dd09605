"""The form of `metrics.json` of a suite file, key by key."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from tashika.evaluate.metrics import Metrics, Numbers, SystemInfo

Measure = Literal["accuracy", "macro F1", "mean score"]
Task = Literal["cloze", "multiple_choice", "classification", "generate", "judge"]


class Estimate(Numbers):
    """A number over questions, with its 95 % interval.

    Attributes:
        n: Questions that it is over.
        value: The number; None over none.
        low: The lower end of the interval; None where there is none.
        high: The upper end.
    """

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None


class Asking(Numbers):
    """What was asked, and how.

    Attributes:
        task: The task.
        in_words: Whether the model answered in words, rather than by likelihoods or ranks.
        tuned: Whether the model was fine-tuned on another part of the release.
        settings: The section [evaluate], as far as it holds for the task.
        examples: Ids of the items that stood with their answers before each question.
        judge: Who scored the answers; None with other tasks.
    """

    task: Task
    in_words: bool
    tuned: bool = False
    settings: dict[str, JsonValue]
    examples: list[str]
    judge: SystemInfo | None = None


class Sampling(Numbers):
    """What was drawn of what.

    Attributes:
        whole: Whether all questions were asked.
        limit: How many at most; None for all.
        seed: Of the draw.
        drawn: Questions asked.
        of: Questions in the part.
        untargeted: Items of the part that nobody can be asked about, by reason.
    """

    whole: bool
    limit: int | None
    seed: int
    drawn: int
    of: int
    untargeted: dict[str, int]


class Confusion(Numbers):
    """How often each label was given for each; the last column is for no label that can be read.

    Attributes:
        labels: In order.
        counts: A row a right label, a column a given one.
        f1: Of each label; None for one that neither is right nor was given.
    """

    labels: list[str]
    counts: list[list[int]]
    f1: list[float | None]


class Ranks(Numbers):
    """How high the right words stand at a blank.

    Attributes:
        mrr: The mean of 1 / rank.
        acc_at: How often the rank is at most k, by k.
    """

    mrr: Estimate
    acc_at: dict[str, Estimate]


class Correlated(Numbers):
    """A correlation of two numbers over questions; None where one of them does not vary.

    Attributes:
        n: Questions.
        r: Spearman's rank correlation.
        p: Two-sided.
    """

    n: int
    r: float | None
    p: float | None


class Judged(Numbers):
    """What there is to know of a judge beside its mean score.

    Attributes:
        by_length: Its score with the length of the answer in characters: a judge may take long for good.
        with_target: Its score with the number of `target`; None without numbers there.
        error: The mean absolute difference of the two.
        itself: Whether the model judged its own answers: judges favour their own.
        spread: How often each score was given.
    """

    by_length: Correlated
    with_target: Correlated | None = None
    error: float | None = None
    itself: bool
    spread: dict[str, int]


class AgainstPeople(Numbers):
    """The model among the people who were asked the same.

    Attributes:
        majority: How often the model gives the label that the release holds.
        one: How often one person gives the label that most of the others gave, over items and people.
        model: How often the model does, against the same others.
        undecided: Pairs of a person and an item where the others are tied, which count in neither.
    """

    majority: Estimate
    one: Estimate
    model: Estimate
    undecided: int


class Baselines(Numbers):
    """What somebody scores who does not read the question.

    Attributes:
        chance: Who guesses evenly among the options.
        majority: Who always gives the label, or the place, that is right most often here.
        longest: Who takes the longest option, the first of equals; None with labels.
        majority_f1: The macro F1 of who always gives the commonest label; None without labels.
    """

    chance: float
    majority: float
    longest: float | None = None
    majority_f1: float | None = None


class Measured(Numbers):
    """The numbers that come from predictions and release.

    Attributes:
        measure: What `score` is.
        score: The number to compare systems by.
        questions: Asked.
        counted: Those that are right, wrong or scored.
        problems: Why others are not, or a reply could not be read, and how many.
        by: The number by the values of columns, the most questions first.
        accuracy: Where the measure is another one.
        baselines: Where there are options or labels.
        confusion: With labels.
        ranks: With a blank, unless it was filled in words.
        judged: With a judge.
        people: Where the target is people's answer and the release has their votes.
    """

    measure: Measure
    score: Estimate
    questions: int
    counted: int
    problems: dict[str, int]
    by: dict[str, dict[str, Estimate]] = Field(default_factory=dict)
    accuracy: Estimate | None = None
    baselines: Baselines | None = None
    confusion: Confusion | None = None
    ranks: Ranks | None = None
    judged: Judged | None = None
    people: AgainstPeople | None = None


class CustomMetrics(Measured, Metrics):
    """The scores of one system.

    Attributes:
        asking: What was asked, and how.
        sampling: What was drawn.
        resamples: Of the bootstrap.
    """

    asking: Asking
    sampling: Sampling
    resamples: int
