"""The section `[annotate]` of a suite's settings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from tashika.annotation.options import Language, Order, RuleName
from tashika.core.counts import counted
from tashika.core.settings import Section

Rate = Annotated[float, Field(ge=0.0, le=1.0)]


class KindSettings(Section):
    """Which items of a kind people judge.

    Attributes:
        mode: `all` asks for a verdict on every item, `audit` on a drawn sample only, `none` on no item: a kind that the
            packaged settings name is not judged.
        sample: How many items an audit draws.
        annotators: People an item; None for as many as of the other kinds.
        tie_breaker: Whether one more person is asked where those who were asked leave an item undecided.
        rule: How votes decide; None for the rule of the other kinds.
        parts: Over how many projects the items are dealt, so that who opens which decides who judges what.
    """

    mode: Literal["all", "audit", "none"] = "all"
    sample: int | None = Field(default=None, ge=1)
    annotators: int | None = Field(default=None, ge=1)
    tie_breaker: bool = False
    rule: RuleName | None = None
    parts: int = Field(default=1, ge=1, le=100)

    @model_validator(mode="after")
    def _sample_belongs_to_audit(self) -> KindSettings:
        if (self.mode == "audit") != (self.sample is not None):
            raise ValueError('`sample` goes with mode = "audit", and only with it')
        return self


class SimulationSettings(Section):
    """Simulated annotators, which are programs, for a rehearsal: one for each error rate.

    Attributes:
        seed: Their answers depend on it, and on nothing but it, their name and the item.
        error_rates: How often each of them answers the opposite of the suite's `plausible`, or a wrong word.
            Where ties are broken the last of them breaks them, and does nothing else.
        skip_rate: How often they skip an item.
    """

    seed: int = 0
    error_rates: tuple[Rate, ...] = Field(default=(0.02, 0.05, 0.10), min_length=1)
    skip_rate: Rate = 0.01


class ControlSettings(Section):
    """How people are checked: questions of known answer, and the time that answers took.

    Attributes:
        most_missed: Who misses a larger share of those that he or she answered is reported. What is no answer is
            missed, and so are skips of who skips more than half.
        too_fast: Seconds. An answer that took less, and less than a third of the median of its kind, is too fast.
    """

    most_missed: Rate = 0.3
    too_fast: float = Field(default=2.0, ge=0.0)


class AdjudicationSettings(Section):
    """What `annotate adjudicate --push` gives to an adjudicator beside the items that the votes leave open.

    Attributes:
        audit: The share of the accepted items that is drawn to check the votes, 0 to 1.
    """

    audit: Rate = 0.0


class GoldSettings(Section):
    """Items of known answer, from a file: see `tashika annotate gold --help`.

    Attributes:
        file: A CSV file with the columns item_id, answer and explanation; its place counts from the folder of the
            settings file.
        training: How many of the items that have an explanation people are trained with, of each kind: the first in the
            file. They are not asked about again.
        most_missed: As `most_missed` of `ControlSettings`, and before it.
    """

    file: str | None = Field(default=None, min_length=1)
    training: int = Field(default=0, ge=0)
    most_missed: Rate | None = None

    @model_validator(mode="after")
    def _training_needs_a_file(self) -> GoldSettings:
        if self.training and self.file is None:
            raise ValueError("`training` needs a `file` with explained answers")
        return self


class AnnotateSettings(Section):
    """How many people judge what, and when their votes decide.

    Attributes:
        annotators: People an item, unless its kind has a number of its own.
        minimum_votes: With fewer votes an item stays undecided.
        rule: How votes decide, unless a kind has a rule of its own; see `annotation.votes.rules`.
        seed: Draws the samples of the audits, and the order where that is `shuffled`.
        order: In which order new items come to people; see `tashika annotate push --order`.
        stop_early: Whether an item is taken from people as soon as no further vote can change its verdict.
        adaptive: Whether `minimum_votes` people are asked first, and more, up to `annotators`, only about items on
            which they disagree. This stops early too.
        quota: How many items a person shall judge in all; None for no limit. It is shown, not enforced.
        language: Of the pages and the guidelines; what is judged stays in its own.
        note: Whether people may leave a note with each answer.
        one_key: Whether the key of a choice also submits it, where the page asks for nothing else.
        kinds: The kinds of item that people judge.
        controls: How people are checked.
        adjudication: What an adjudicator gets.
        gold: The file of questions of known answer.
        simulation: For `tashika annotate simulate` only.
    """

    annotators: int = Field(default=3, ge=1)
    minimum_votes: int = Field(default=2, ge=1)
    rule: RuleName = "majority"
    seed: int = 0
    order: Order = "listed"
    stop_early: bool = False
    adaptive: bool = False
    quota: int | None = Field(default=None, ge=1)
    language: Language = "en"
    note: bool = True
    one_key: bool = True
    kinds: dict[str, KindSettings] = Field(default_factory=dict)
    controls: ControlSettings = ControlSettings()
    adjudication: AdjudicationSettings = AdjudicationSettings()
    gold: GoldSettings = GoldSettings()
    simulation: SimulationSettings = SimulationSettings()

    @field_validator("kinds")
    @classmethod
    def _judged(cls, kinds: dict[str, KindSettings]) -> dict[str, KindSettings]:
        return {name: kind for name, kind in kinds.items() if kind.mode != "none"}

    @property
    def breaks_ties(self) -> bool:
        """Whether one more person is asked about undecided items, of whatever kind."""
        return any(kind.tie_breaker for kind in self.kinds.values())

    @property
    def most_missed(self) -> float:
        """The share of the questions of known answer that people may miss, 0 to 1."""
        return self.controls.most_missed if self.gold.most_missed is None else self.gold.most_missed

    def people(self, kind: str) -> int:
        """How many people judge an item of a kind."""
        own = self.kinds[kind].annotators if kind in self.kinds else None
        return own or self.annotators

    def rule_of(self, kind: str) -> RuleName:
        """How the votes on a kind decide."""
        own = self.kinds[kind].rule if kind in self.kinds else None
        return own or self.rule

    @property
    def stops(self) -> bool:
        """Whether decided items are taken from people before as many as `people` have judged them."""
        return self.stop_early or self.adaptive

    @model_validator(mode="after")
    def _ties_can_be_broken(self) -> AnnotateSettings:
        for name, kind in self.kinds.items():
            if kind.tie_breaker and self.rule_of(name) == "unanimous":
                raise ValueError(f"{name}: one person more makes no split votes unanimous; leave `tie_breaker` out")
        return self

    @model_validator(mode="after")
    def _votes_can_suffice(self) -> AnnotateSettings:
        fewest = min((self.people(kind) for kind in self.kinds), default=self.annotators)
        if self.minimum_votes > fewest:
            people = counted(fewest, "person judges", "people judge")
            raise ValueError(f"minimum_votes is {self.minimum_votes}, but only {people} an item")
        return self
