"""What stands in KUCI's `metrics.json`, key by key."""

from __future__ import annotations

from pydantic import Field, JsonValue

from tashika.core.suites.kuci.words import Conditions, Split
from tashika.evaluate.kuci.settings import Method
from tashika.evaluate.metrics import Metrics, Numbers
from tashika.evaluate.ways.names import Norm, Show


class Ends(Numbers):
    """The ends of a 95 % interval."""

    low: float
    high: float


class Share(Numbers):
    """Counts and accuracy over all training runs.

    Attributes:
        n: Predictions.
        answered: Those with a choice.
        correct: Those whose choice is the answer.
        accuracy: Correct ones of the answered; None where nothing was answered.
        accuracy_all: Correct ones of all.
        wilson: Wilson's interval of the accuracy over the questions of one run.
    """

    n: int
    answered: int
    correct: int
    accuracy: float | None
    accuracy_all: float | None
    wilson: Ends | None


class GroupShare(Share):
    """The share of the questions with one relation or one marker."""

    questions: int


class RunShare(Numbers):
    """One training run; `p_chance` is the exact binomial test against 1/4, two-sided."""

    seed: int
    answered: int
    correct: int
    accuracy: float | None
    p_chance: float | None


class Places(Numbers):
    """How often each place is the right one, and how often it was chosen."""

    right: list[int]
    chosen: list[int]


class SetScore(Share):
    """The numbers of one set.

    Attributes:
        questions: Of the set's scored part.
        contexts: Different contexts among them.
        runs: Training runs.
        bootstrap: Interval of the accuracy by a bootstrap over contexts.
        by_seed: The runs.
        p_chance: The largest of theirs.
        sd: Standard deviation of the runs' accuracies, n - 1; None for a single run.
        by_relation: By the relation of the question's pair.
        by_marker: By the marker of the question's pair.
        by_agreement: By how many crowd workers agreed on the question's pair; of the authors' own questions alone.
        by_fit: On parts of the questions by what people find of their options, see `fits.SUBSETS`; empty where nobody
            judged them.
        wrong: How often each kind of wrong option was chosen, see `metrics.BINS`.
        places: Of the right options and of the choices.
        problems: Why questions have no choice, and how many.
    """

    questions: int
    contexts: int
    runs: int
    bootstrap: Ends | None
    by_seed: list[RunShare]
    p_chance: float | None
    sd: float | None
    by_relation: dict[str, GroupShare]
    by_marker: dict[str, GroupShare]
    by_agreement: dict[str, GroupShare] = Field(default_factory=dict)
    by_fit: dict[str, GroupShare] = Field(default_factory=dict)
    wrong: dict[str, int]
    places: Places
    problems: dict[str, int]


class Comparison(Numbers):
    """The second side of a comparison less the first.

    Attributes:
        delta: Difference of the accuracies.
        interval: Of the difference, by a bootstrap over contexts with the same draws on both sides.
        common: Pairs that both sides answered in their first training run.
        lost: Of them, right on the first side alone.
        gained: Right on the second side alone.
        p: McNemar's exact test of these.
        p_holm: The same, corrected for the number of comparisons.
    """

    delta: float | None
    interval: Ends | None
    common: int
    lost: int
    gained: int
    p: float | None
    p_holm: float | None = None


class Difference(Comparison):
    """A set for an ablation less the published one."""

    set: Conditions


class AgainstChance(Numbers):
    """An accuracy over questions that all have a choice, and the exact test against chance."""

    questions: int
    correct: int
    accuracy: float
    wilson: Ends | None
    p_chance: float


class Statistics(Numbers):
    """How intervals were drawn."""

    resamples: int
    seed: int
    level: float


class Scoring(Numbers):
    """How the system came to its choices; see `settings.Way.describe`."""

    how: Method
    show: Show
    norm: Norm
    training: dict[str, JsonValue] | None = None
    start: dict[str, str] | None = None
    bag: dict[str, JsonValue] | None = None
    format: dict[str, JsonValue] | None = None
    reader: int | None = None
    missing_replies: bool | None = None
    system: str | None = None
    max_tokens: int | None = None
    attempts: int | None = None
    asking: dict[str, JsonValue] | None = None


class Sampling(Numbers):
    """What was drawn of what, by set; `limit` is the questions of each part of each set."""

    whole: bool
    limit: int | None
    seed: int
    drawn: dict[Conditions, int]
    of: dict[Conditions, int]


class EpochScore(Numbers):
    """What an epoch came to; see `checkpoints.Epoch`."""

    loss: float
    accuracy: float
    validation_loss: float
    validation_accuracy: float


class Training(Numbers):
    """One training run.

    Attributes:
        set: What it learned from.
        seed: Of the run.
        show: What the model saw.
        best_epoch: The one whose weights were kept, from 1.
        epochs: All of them.
        truncated: Questions of training and validation that lost a part of their context.
        too_long: Those that were left out.
        test_truncated: Questions of the test part that lost a part of their context.
        test_too_long: Those that were not asked.
    """

    set: Conditions
    seed: int
    show: Show
    best_epoch: int
    epochs: list[EpochScore]
    truncated: int
    too_long: int
    test_truncated: int
    test_too_long: int


class Measured(Numbers):
    """The numbers that come from predictions alone.

    Attributes:
        chance: The accuracy of guessing.
        sets: By set.
        differences: Each set for an ablation less the published set.
        statistics: How intervals were drawn.
    """

    chance: float
    sets: dict[Conditions, SetScore]
    differences: list[Difference]
    statistics: Statistics


class KuciMetrics(Measured, Metrics):
    """The scores of one system.

    Attributes:
        scoring: How it came to its choices.
        split: The part that was scored.
        seeds: Of its training runs; none where nothing was trained.
        sampling: What was drawn.
        training: What its training runs noted.
        by_part: How right a baseline is in each part, by set; what it learns for one, it learns from the others. Empty
            for any other system.
        all_parts: The same over those parts together.
    """

    scoring: Scoring
    split: Split
    seeds: list[int]
    sampling: Sampling
    training: list[Training]
    by_part: dict[Conditions, dict[Split, AgainstChance]] = Field(default_factory=dict)
    all_parts: dict[Conditions, AgainstChance] = Field(default_factory=dict)
