"""The summary of the validation that the annotation room leaves, as far as a release describes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from tashika.core.annotators import SIMULATED, Annotators
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_object
from tashika.core.progress import say
from tashika.core.settings import Section, validated
from tashika.core.workspace import Workspace


class _Part(Section):
    model_config = ConfigDict(extra="ignore", frozen=True)


class GroupAgreement(_Part):
    """Krippendorff's alpha of some of the items, with its 95 % interval; None where it is not defined."""

    items: int
    krippendorff_alpha: float | None
    interval: tuple[float, float] | None = None


class Agreement(_Part):
    """How well the annotators agreed; None where a coefficient is not defined.

    Attributes:
        krippendorff_alpha: Krippendorff's alpha.
        fleiss_kappa: Fleiss' kappa.
        percent: Share of agreeing pairs of votes, 0 to 1.
        mean_jaccard: Of answers in words: shared by two people to all of the two, the mean over items, 0 to 1.
        same_first_word: Share of items where two people have the same first answer, 0 to 1.
        items_with_two_people: Items that the last two are taken over.
        scale: Of Krippendorff's alpha: ordinal for ratings. Of several labels it is the mean over the labels.
        interval: The 95 % interval of Krippendorff's alpha, by resampling items.
        first_votes: How many votes of each item, the first ones, it is taken over; None for all.
        groups: Alpha by group of items, such as their relation.
    """

    krippendorff_alpha: float | None = None
    fleiss_kappa: float | None = None
    percent: float | None = None
    mean_jaccard: float | None = None
    same_first_word: float | None = None
    items_with_two_people: int = 0
    scale: Literal["nominal", "ordinal"] = "nominal"
    interval: tuple[float, float] | None = None
    first_votes: int | None = None
    groups: dict[str, GroupAgreement] = Field(default_factory=dict)

    @property
    def least(self) -> tuple[str, GroupAgreement] | None:
        """The group that agrees least, and how far; None where there are fewer than two groups with an alpha."""
        known = [(name, group) for name, group in self.groups.items() if group.krippendorff_alpha is not None]
        return min(known, key=lambda pair: pair[1].krippendorff_alpha or 0.0) if len(known) > 1 else None


class Cohen(_Part):
    """Cohen's kappa of two people over some items; None, with the reason, where it is not defined."""

    kappa: float | None = None
    items: int
    reason: str | None = None


class Missed(_Part):
    """How a person did on the control questions: how many were answered, and how many of these missed."""

    answered: int
    missed: int


class Human(_Part):
    """How often annotators answer questions right.

    Attributes:
        questions: How many have an answer.
        accuracy: Of the most frequent answer, 0 to 1; ties and too few answers are not right. None without an answer.
        interval: Its 95 % interval (Wilson).
        single: Of single answers, 0 to 1.
        ties: Questions whose most frequent answers are two or more.
        undecided: Questions with too few answers.
        unanswered: Questions that nobody answered.
    """

    questions: int
    accuracy: float | None
    interval: tuple[float, float]
    single: float | None
    ties: int
    undecided: int
    unanswered: int = 0


class Rating(_Part):
    """The decided ratings of a kind; None where nothing is decided.

    Attributes:
        points: Of the scale; they count from 1.
        median: Of the items' medians.
        mean: Of the items' means.
        spread: The mean over items of the standard deviation of an item's votes.
    """

    points: int
    median: float | None
    mean: float | None
    spread: float | None


class Preferred(_Part):
    """How often one of those that were compared was preferred.

    Attributes:
        wins: Items where it was.
        losses: Items where the other was.
        same: Items where neither was.
        rate: Wins among wins and losses, 0 to 1.
        interval: Its 95 % interval (Wilson).
        strength: Of the Bradley-Terry model; all strengths add up to 1. None where they are not defined.
    """

    wins: int
    losses: int
    same: int
    rate: float | None
    interval: tuple[float, float]
    strength: float | None


class Preferences(_Part):
    """Who was preferred to whom.

    Attributes:
        of: Whether systems or the two columns are compared.
        entries: What is compared, by name.
        reason: Why there are no strengths; None where there are.
    """

    of: Literal["systems", "columns"]
    entries: dict[str, Preferred]
    reason: str | None = None


class Changes(_Part):
    """How many verdicts another way to count gives, before adjudication.

    Attributes:
        items: Verdicts.
        changed: Those that differ.
        by: Such as "accepted to rejected".
    """

    items: int
    changed: int
    by: dict[str, int] = Field(default_factory=dict)

    @property
    def description(self) -> str:
        """Such as "4 of 500 verdicts (accepted to rejected 3, rejected to undecided 1)"."""
        ways = ", ".join(f"{way} {count:,}" for way, count in self.by.items())
        return f"{self.changed:,} of {self.items:,} verdicts" + (f" ({ways})" if ways else "")


class Without(_Part):
    """Whose votes were left out, and what that changed.

    Attributes:
        annotators: By pseudonym.
        changes: Of the verdicts, with them to without them.
        alpha_with: Krippendorff's alpha with their votes.
        alpha_without: And without them.
    """

    annotators: tuple[str, ...]
    changes: Changes
    alpha_with: float | None = None
    alpha_without: float | None = None

    @property
    def people(self) -> Annotators:
        """Who they are, people and programs apart; simulated annotators bear names that say so."""
        return Annotators(len(self.annotators), sum(not name.startswith(SIMULATED) for name in self.annotators))


class SimulatedAnnotator(_Part):
    """A program in the place of a person, and how often it was set to err, 0 to 1."""

    name: str
    error_rate: float


class Simulation(_Part):
    """How the annotators were simulated."""

    seed: int
    annotators: tuple[SimulatedAnnotator, ...]


class Audit(_Part):
    """What an adjudicator made of accepted items that were drawn to check the votes.

    Attributes:
        audited: Items that were drawn and decided.
        overturned: Those of them that the adjudicator decided otherwise.
        share: Of the overturned, 0 to 1: an estimate of the error of the votes.
        interval: Its 95 % interval (Wilson).
        simulated: Whether a program was the adjudicator.
    """

    audited: int
    overturned: int
    share: float
    interval: tuple[float, float]
    simulated: bool = False


class KindValidation(_Part):
    """The validation of one kind of item, by votes or by answers in words.

    Attributes:
        form: Whether people voted, answered in words, answered questions that have a right answer, or said what an item
            is: its label or labels, its rating, which of two texts is better, or a text.
        mode: Whether every item needs a verdict or a sample was audited.
        items: Items of the kind.
        judged: Items with a verdict.
        accepted: Items accepted.
        rejected: Items rejected.
        undecided: Items without a decision, among them the ties.
        ties: Items with as many votes for as against, which nobody has adjudicated.
        ties_broken: Items that were ties until one person more was asked.
        adjudicated: Items that somebody decided after the vote, or left open.
        audit: What an adjudicator made of accepted items; None where none were drawn.
        corrected: Items whose text the voters corrected.
        annotators: Who voted, in number, people and programs together.
        people: The people among them; None where an earlier version of the annotation room did not count them apart.
        votes: Votes cast.
        minimum_votes: An item with fewer is undecided.
        rule: Of the decision, such as strict majority.
        caveats: What the rule cannot know from these votes.
        differs_from_majority: What the rule decided other than a strict majority would; None for the majority itself.
        without: Whose votes were left out; None where all count.
        acceptance_rate: Accepted among those accepted or rejected, 0 to 1.
        acceptance_interval: Its 95 % interval (Wilson).
        agreement: Of the annotators.
        cohen: Cohen's kappa by group of items, such as their topic; empty where it was not taken.
        problems: Judgments that were not counted, by reason.
        simulated: Whether programs are among the annotators.
        simulation: How they were simulated.
        human: How often people answered right, where they answered questions.
        answers: Words that people gave; `votes` counts what one person said of one item.
        skips: Items that people passed over, each time it happened.
        controls: Control questions among the items.
        known: Items that a known answer decides, and no votes.
        most_missed: Who missed a larger share of them, 0 to 1, is careless.
        careless: Those annotators by pseudonym.
        careless_left_out: Whether their answers do not count.
        positions: How many of the annotators are positions of a published file, which name nobody.
        left_out: What was typed and is no answer, by reason.
        given: Votes for each label or point.
        decided: Items that have each label, or whose text in that column is preferred.
        rating: What ratings come to.
        preferences: What preferences come to.
    """

    form: Literal["votes", "words", "answers", "labels", "ratings", "preferences", "texts"] = "votes"
    mode: Literal["all", "audit"]
    items: int
    judged: int
    accepted: int
    rejected: int
    undecided: int
    ties: int
    ties_broken: int = 0
    adjudicated: int = 0
    audit: Audit | None = None
    corrected: int = 0
    annotators: int
    people: int | None = None
    votes: int
    minimum_votes: int
    rule: str
    acceptance_rate: float | None
    acceptance_interval: tuple[float, float] | None
    agreement: Agreement
    cohen: dict[str, Cohen] = Field(default_factory=dict)
    problems: dict[str, int] = Field(default_factory=dict)
    simulated: bool
    simulation: Simulation | None = None
    human: Human | None = None
    answers: int = 0
    skips: int = 0
    controls: int = 0
    known: int = 0
    most_missed: float | None = None
    careless: dict[str, Missed] = Field(default_factory=dict)
    careless_left_out: bool = False
    positions: int = 0
    left_out: dict[str, int] = Field(default_factory=dict)
    given: dict[str, int] = Field(default_factory=dict)
    decided: dict[str, int] = Field(default_factory=dict)
    rating: Rating | None = None
    preferences: Preferences | None = None
    caveats: tuple[str, ...] = ()
    differs_from_majority: Changes | None = None
    without: Without | None = None

    @property
    def judges(self) -> Annotators:
        """The annotators, people and programs apart."""
        return Annotators.of({"annotators": self.annotators, "people": self.people, "simulated": self.simulated})

    @property
    def careless_judges(self) -> Annotators:
        """The careless ones, who bear the names that the judgments have."""
        return Annotators(len(self.careless), sum(not name.startswith(SIMULATED) for name in self.careless))


def validation_file(workspace: Workspace) -> Path:
    """The summary of the validation by kind, which the annotation room writes with its verdicts."""
    return workspace.annotation / "validation.json"


def read_validation(workspace: Workspace, kinds: Collection[str] | None = None) -> Mapping[str, KindValidation]:
    """Who validated what and how well they agreed, by kind in alphabetical order.

    Args:
        workspace: Where the summary lies.
        kinds: The kinds to describe; all of them by default.

    Raises:
        MissingStageError: No votes have been counted.
        InputError: The file is not JSON, or not such a summary.
    """
    path = validation_file(workspace)
    if not path.exists():
        raise MissingStageError(
            "there is no summary of the validation yet",
            where=str(path),
            hint=f"Run `tashika annotate vote {workspace.argument}` first.",
        )
    again = f"Count the votes again: `tashika annotate vote {workspace.arguments}`."
    summary = read_object(path, hint=again)
    wanted = sorted(summary if kinds is None else set(summary).intersection(kinds))
    try:
        entries = {kind: validated(KindValidation, summary[kind], f"{path}, {kind}") for kind in wanted}
    except InputError as error:
        error.hint = again
        raise
    if any(entry.simulated and entry.people is None for entry in entries.values()):
        older = "was written by an earlier version, which counts people and simulated annotators together"
        say(f"{path} {older}; `tashika annotate vote {workspace.argument}` counts them apart")
    return entries


def mode_of(validation: Mapping[str, KindValidation], kind: str, default: str) -> str:
    """How a kind was judged, `all` or `audit`; the default where nobody was asked."""
    return validation[kind].mode if kind in validation else default
