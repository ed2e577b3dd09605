"""The section `[annotate]` of a suite file: what people are asked about each kind of item."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tashika.core.custom.build_form import KindName, Name
from tashika.core.settings import Section

Form = Literal["verdict", "label", "labels", "rating", "preference", "text"]
Counts = Literal["for", "against", "neither"]
Choice = Annotated[str, Field(min_length=1, max_length=80)]
Rule = Literal["majority", "unanimous", "weighted", "dawid-skene"]
NOT_BLANK = r"\S"
LANGUAGE = r"^[a-z]{2,3}$"
Language = Annotated[str, Field(pattern=LANGUAGE)]
Reason = Annotated[str, Field(min_length=1, max_length=1000, pattern=NOT_BLANK)]
SAME = "same"
"""What a preference for neither side is called."""


class ExampleForm(Section):
    """An example in the guidelines.

    Attributes:
        shown: What people see or answer, as plain text.
        why: Why it is good or bad; or one text a language.
    """

    shown: str = Field(min_length=1, max_length=1000, pattern=NOT_BLANK)
    why: Reason | dict[Language, Reason]

    def why_in(self, language: str) -> str:
        """The reason in a language; the first one given where that language has none."""
        if isinstance(self.why, str):
            return self.why
        return self.why.get(language) or next(iter(self.why.values()))

    @model_validator(mode="after")
    def _says_why(self) -> ExampleForm:
        if not self.why:
            raise ValueError("`why` is empty; say why the example is good or bad")
        return self


class ExamplesForm(Section):
    """Examples in the guidelines.

    Attributes:
        good: Examples of what is for the item, or of an answer as it should be.
        bad: Examples of what is against the item, or of an answer as it should not be.
    """

    good: tuple[ExampleForm, ...] = Field(default=(), max_length=8)
    bad: tuple[ExampleForm, ...] = Field(default=(), max_length=8)

    @model_validator(mode="after")
    def _are_good_or_bad(self) -> ExamplesForm:
        if not (self.good or self.bad):
            raise ValueError("`examples` has neither `good` nor `bad` ones; add some, or leave it out")
        both = {example.shown for example in self.good} & {example.shown for example in self.bad}
        if both:
            raise ValueError(f"the example {min(both)[:80]!r} is both good and bad")
        return self


class PageForm(Section):
    """What people are asked about one kind of item.

    Attributes:
        form: `verdict`: for or against the item. `label`: one of several. `labels`: any of several. `rating`: a point
            on a scale. `preference`: one of two columns, whose sides are drawn. `text`: words, which are collected.
        show: Columns that the page shows, in order; by default all of the kind but those that another key names: of
            `between`, which are shown beside each other, `systems`, `gold` and `expected`.
        ask: The question above the choices.
        choices: With `verdict`: each choice and whether it counts for, against or neither.
        correct: With `verdict`: the column of text that people may write anew.
        labels: With `label` and `labels`: the labels, or each label with the words that the page has for it.
        scale: With `rating`: the points from least to most, or how many there are.
        between: With `preference`: the two columns.
        systems: With `preference`: the two columns that name who wrote each; they are not shown. Without them the
            columns themselves are compared.
        same: With `preference`: whether people may prefer neither.
        required: With `text`: whether an empty answer counts as none.
        note: Whether people may leave a note; as `[annotate]` says by default. A page of your own needs a field for it
            where this is true.
        page: A file with the page in Label Studio's markup, in place of the one that is made.
        guidelines: A Markdown or HTML file, or one a language; made of this section by default.
        examples: Good and bad examples, shown in the guidelines, below those of a file too. Do not take items that
            people judge.
        gold: A column with the known answer; items that have one are mixed in to check people, and are not released.
        expected: A column with what simulated annotators take for true. Without it a verdict is for every item, and
            anything else is drawn.
        mode: `all`, or `audit`: only a drawn sample is judged, and the rest is released unless rejected.
        sample: How many items an audit draws.
        annotators: People an item; those of `[annotate]` by default.
        tie_breaker: Whether one more person is asked where a verdict is undecided.
        rule: How votes decide; that of `[annotate]` by default. Not with `rating` and `text`.
        parts: Over how many projects the items are dealt, so that who opens which decides who judges what.
    """

    form: Form = "verdict"
    show: tuple[Name, ...] = ()
    ask: str = Field(default="", max_length=500)
    choices: dict[Choice, Counts] = Field(default_factory=dict)
    correct: Name | None = None
    labels: tuple[Choice, ...] | dict[Choice, Choice] = ()
    scale: Annotated[int, Field(ge=2, le=10)] | tuple[Choice, ...] | None = None
    between: tuple[Name, Name] | None = None
    systems: tuple[Name, Name] | None = None
    same: bool = False
    required: bool = True
    note: bool | None = None
    page: str | None = None
    guidelines: str | dict[Language, str] | None = None
    examples: ExamplesForm | None = None
    gold: Name | None = None
    expected: Name | None = None
    mode: Literal["all", "audit"] = "all"
    sample: int | None = Field(default=None, ge=1)
    annotators: int | None = Field(default=None, ge=1)
    tie_breaker: bool = False
    rule: Rule | None = None
    parts: int = Field(default=1, ge=1, le=100)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, or the points of the scale, in order; of a preference the columns, and `SAME`."""
        if self.form == "preference":
            return (*(self.between or ()), *((SAME,) if self.same else ()))
        if self.form == "rating":
            points = self.scale or 5
            return tuple(str(point) for point in range(1, points + 1)) if isinstance(points, int) else points
        return tuple(self.labels)

    @model_validator(mode="after")
    def _has_what_its_form_needs(self) -> PageForm:
        belongs = {
            "choices": ("verdict",),
            "correct": ("verdict",),
            "tie_breaker": ("verdict",),
            "labels": ("label", "labels"),
            "scale": ("rating",),
            "between": ("preference",),
            "systems": ("preference",),
            "same": ("preference",),
        }
        for name in sorted(self.model_fields_set & set(belongs)):
            if self.form not in belongs[name]:
                raise ValueError(
                    f"`{name}` goes with form = {' or '.join(map(repr, belongs[name]))}, not {self.form!r}"
                )
        if self.form in {"label", "labels"} and len(self.label_names) < 2:
            raise ValueError(f"form = {self.form!r} needs two `labels` or more")
        if self.form == "rating" and len(self.label_names) < 2:
            raise ValueError("form = 'rating' needs a `scale` of two points or more")
        if self.form == "preference" and self.between is None:
            raise ValueError("form = 'preference' needs `between`, the two columns to choose from")
        if self.choices and not {"for", "against"} <= set(self.choices.values()):
            raise ValueError('`choices` needs one that counts "for" and one that counts "against"')
        if len(set(self.label_names)) < len(self.label_names):
            raise ValueError("two labels or points are the same")
        if (self.mode == "audit") != (self.sample is not None):
            raise ValueError('`sample` goes with mode = "audit", and only with it')
        if self.mode == "audit" and self.form != "verdict":
            raise ValueError('mode = "audit" goes with form = "verdict": the others give each item its answer')
        return self

    def columns_named(self) -> dict[str, tuple[str, ...]]:
        """The columns that each key names."""
        return {
            "show": self.show,
            "correct": (self.correct,) if self.correct else (),
            "between": self.between or (),
            "systems": self.systems or (),
            "gold": (self.gold,) if self.gold else (),
            "expected": (self.expected,) if self.expected else (),
        }


class AnnotateForm(Section):
    """`[annotate]`.

    Attributes:
        annotators: People an item, unless its kind says otherwise.
        minimum_votes: With fewer votes an item stays undecided.
        rule: How votes decide: by a strict `majority`, only if `unanimous`, `weighted` by people's accuracy on gold
            questions, or by `dawid-skene`, a model of how often each person errs.
        seed: Draws samples, the sides of preferences, and the order where that is `shuffled`.
        order: In which order new items come to people: `listed` by their ids, `shuffled` by the seed, `uncertain` with
            those first on which a model is least certain, or `diverse` with unlike items first.
        stop_early: Whether an item is taken from people as soon as no further vote can change its verdict. Not where
            people give points of a scale or write texts.
        adaptive: Whether `minimum_votes` people are asked first, and more, up to `annotators`, only about items on
            which they disagree. This stops early too.
        language: Of the pages and guidelines that are made: `en` or `ja`.
        note: Whether people may leave a note with each answer.
        one_key: Whether the key of a choice also submits it, where the page asks for nothing else.
        kinds: The kinds that people judge; the others are released as they were built.
        simulation: For rehearsals: `seed`, `error_rates` (one a simulated annotator), `skip_rate`.
        controls: `most_missed`: who misses a larger share of the gold questions is named; `too_fast`: answers in
            fewer seconds, and in less than a third of the median time, are counted.
        adjudication: `audit`: the share of the accepted items that an adjudicator checks, 0 to 1.
        gold: `file`: a CSV file with item_id, answer and explanation (`tashika annotate gold --help`), for items that
            are released by their known answer. `training`: how many of each kind train people. `most_missed`.
        quota: How many items a person shall judge in all; shown, not enforced.
    """

    annotators: int = Field(default=3, ge=1)
    minimum_votes: int = Field(default=2, ge=1)
    rule: Rule = "majority"
    seed: int = 0
    order: Literal["listed", "shuffled", "uncertain", "diverse"] = "listed"
    stop_early: bool = False
    adaptive: bool = False
    language: Literal["en", "ja"] = "en"
    note: bool = True
    one_key: bool = True
    kinds: dict[KindName, PageForm] = Field(default_factory=dict)
    simulation: dict[str, Any] = Field(default_factory=dict)
    controls: dict[str, Any] = Field(default_factory=dict)
    adjudication: dict[str, Any] = Field(default_factory=dict)
    gold: dict[str, Any] = Field(default_factory=dict)
    quota: int | None = Field(default=None, ge=1)
