"""The sections `[export]` and `[evaluate]` of a suite file: how it is published, and what models are asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from tashika.core.addresses import REPO_NAME
from tashika.core.custom.annotate_form import Choice, Language
from tashika.core.custom.build_form import KindName, Name
from tashika.core.release_checks import ChecksForm
from tashika.core.release_words import ReleaseWords
from tashika.core.settings import Section

SPLIT = r"^[a-z][a-z0-9_]{0,29}$"
REPO = rf"^({REPO_NAME})?$"
LICENSE = r"^[a-z0-9][a-z0-9.+-]*$"  # one of the Hub's is openrail++
REPO = rf"^({REPO_NAME})?$"
VERSION = r"^\d+\.\d+\.\d+([.+-][0-9A-Za-z.-]+)?$"
SplitName = Annotated[str, Field(pattern=SPLIT)]


class ExportForm(ReleaseWords):
    """`[export]`.

    Attributes:
        version: Of the release.
        repo: ORG/NAME on the Hub, where it will be published: its task files then open it there, at the release's tag.
            Without it they open the folder where they are run.
        pretty_name: The dataset's name on its card; the suite's title by default.
        license: An identifier that the Hub knows, in small letters, such as `cc0-1.0`.
        language: Codes of two or three small letters, such as `en` or `ja` (ISO 639).
        splits: Parts and their shares, which sum to 1; items are dealt by a digest of their id. With `split_column` the
            names of the parts alone.
        split_by: Items that agree in this column go to the same part.
        split_column: A column that names each item's part, in place of `splits`.
        citation: BibTeX.
        building: How it was built, one sentence a step, for the card.
        limits: What a user should know before relying on it, for the card.
        tags: For the Hub's search.
        source_licenses: The licence of each source that the items were made from, by words in the source's name, such
            as `"pairs.csv" = "cc-by-4.0"`. Without it the checks before a release warn that it is not known.
        checks: How severe the checks before a release are; see the table of that name below.
    """

    version: str = Field("0.1.0", pattern=VERSION)
    repo: str = Field("", pattern=REPO)
    pretty_name: str = ""
    license: str = Field(default="cc-by-4.0", pattern=LICENSE)
    language: tuple[Language, ...] = ("en",)
    splits: dict[SplitName, Annotated[float, Field(gt=0, le=1)]] | tuple[SplitName, ...] = ("test",)
    split_by: Name | None = None
    split_column: Name | None = None
    citation: str = ""
    building: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source_licenses: dict[Annotated[str, Field(min_length=1)], Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict
    )
    checks: ChecksForm = Field(default_factory=ChecksForm)

    @model_validator(mode="after")
    def _shares_are_whole(self) -> ExportForm:
        if isinstance(self.splits, dict):
            total = sum(self.splits.values())
            if abs(total - 1) > 1e-6:
                raise ValueError(f"the shares of `splits` sum to {total:g}, expected 1")
            if self.split_column:
                raise ValueError("with `split_column`, `splits` is a list of names: the column says who goes where")
        elif len(self.splits) != 1 and not self.split_column:
            raise ValueError("`splits` is a list of names, expected their shares: { validation = 0.1, test = 0.9 }")
        if self.split_column and self.split_by:
            raise ValueError("found both `split_by` and `split_column`, expected one of them")
        return self


class EvaluateForm(Section):
    """`[evaluate]`: what models are asked about the released items of one kind.

    Attributes:
        task: `cloze`: the words for a blank; a causal model needs the blank at the end of the prompt, and a masked
            model an answer that is a single token. `multiple_choice`: one of an item's options. `classification`: one
            of the suite's labels. `generate`: an answer in words. `judge`: an answer in words, scored by another model.
        kind: The kind; the only one by default.
        input: The column that is read to the model, or
        prompt: a Jinja template over the columns. A cloze marks its blank with `[BLANK]`.
        target: The column with the answer: words (one or a list of them), or a label. With multiple_choice: the right
            option's words, or its place from 0 (words are safer: people see them).
        choices: With multiple_choice: the column of options, or the columns that hold one each.
        way: How a choice is taken: `likelihood` of its words, or the `letter` before it.
        norm: What a likelihood is divided by: `none`, `character` or `token`.
        labels: With classification: each label and the words that stand for it.
        match: With generate: `exact`, `normalised` (case, space and punctuation aside), `contains`, `pattern` or
            `number`.
        pattern: The regular expression whose first group is the answer, with match = "pattern".
        cue: The last line of a question whose options are listed by letter.
        rubric: With judge: a Jinja template over the columns and `reply`, that asks for a number.
        scale: With judge: the least and the greatest number.
        system: The system message for chat models.
        chat: Whether a model's chat template is used where it has one.
        few_shot: Items with their answers before each question.
        few_shot_split: Where they are drawn from.
        split: The part of the release that is asked.
        train_split: The part that a masked model is fine-tuned on to give labels or choose options.
        validation_split: The part by which its best epoch is chosen.
        epochs: Times through `train_split`, at most.
        learning_rate: Of the fine-tuning, at its highest.
        by: Columns by whose values the numbers are given too.
        max_tokens: Of an answer.
        temperature: Of the sampling.
        seed: Draws the examples, and the sampling.
        resamples: Of the bootstrap.
        concurrency: Requests to an endpoint at once.
        missing_replies: Whether scores are written though an endpoint gave no reply to some questions.
    """

    task: Literal["cloze", "multiple_choice", "classification", "generate", "judge"]
    kind: KindName | None = None
    input: Name | None = None
    prompt: str | None = None
    target: Name | None = None
    choices: Name | tuple[Name, ...] | None = None
    way: Literal["likelihood", "letter"] = "likelihood"
    norm: Literal["none", "character", "token"] = "character"
    labels: dict[Choice, Choice] = Field(default_factory=dict)
    match: Literal["exact", "normalised", "contains", "pattern", "number"] = "normalised"
    pattern: str | None = None
    cue: str = Field(default="Answer:", min_length=1)
    rubric: str | None = None
    scale: tuple[float, float] = (1.0, 5.0)
    system: str = ""
    chat: bool = True
    few_shot: int = Field(default=0, ge=0, le=64)
    few_shot_split: SplitName | None = None
    split: SplitName = "test"
    train_split: SplitName | None = None
    validation_split: SplitName | None = None
    epochs: int = Field(default=10, ge=1)
    learning_rate: float = Field(default=2e-5, gt=0)
    by: tuple[Name, ...] = ()
    max_tokens: int = Field(default=64, ge=1)
    temperature: float = Field(default=0.0, ge=0)
    seed: int = 0
    resamples: int = Field(default=2000, ge=1)
    concurrency: int = Field(default=4, ge=1, le=256)
    missing_replies: bool = False

    @property
    def choice_columns(self) -> tuple[str, ...]:
        """The columns of options: one that holds them all, or one an option; none with another task."""
        return (self.choices,) if isinstance(self.choices, str) else self.choices or ()

    @property
    def training_splits(self) -> tuple[str, ...]:
        """The parts that a masked model learns from and is stopped by; none where it is not fine-tuned."""
        return (self.train_split, self.validation_split) if self.train_split and self.validation_split else ()

    @model_validator(mode="after")
    def _has_what_its_task_needs(self) -> EvaluateForm:
        if (self.input is None) == (self.prompt is None):
            raise ValueError("expected `input` or `prompt`, and not both")
        if self.target is None and self.task != "judge":
            raise ValueError(f"task = {self.task!r} needs `target`, the column with the answer")
        if (self.task == "multiple_choice") != (self.choices is not None):
            raise ValueError("`choices` goes with task = 'multiple_choice', and only with it")
        if (self.task == "judge") != (self.rubric is not None):
            raise ValueError("`rubric` goes with task = 'judge', and only with it")
        if (self.task == "generate" and self.match == "pattern") != (self.pattern is not None):
            raise ValueError("`pattern` goes with match = 'pattern', and only with it")
        if self.labels and self.task != "classification":
            raise ValueError("`labels` goes with task = 'classification', and only with it")
        return self

    @model_validator(mode="after")
    def _values_fit_each_other(self) -> EvaluateForm:
        if isinstance(self.choices, tuple) and len(set(self.choices)) < max(2, len(self.choices)):
            raise ValueError("`choices` names one column of options, or two different columns or more with one each")
        if self.labels and len(set(self.labels.values())) < max(2, len(self.labels)):
            raise ValueError("`labels` needs two labels or more, each with words of its own")
        if self.scale[0] >= self.scale[1]:
            raise ValueError("`scale` goes from the least to the greatest number")
        if self.few_shot and self.target is None:
            raise ValueError("`few_shot` needs `target`: examples are shown with their answers")
        if bool(self.few_shot) != (self.few_shot_split is not None):
            raise ValueError("`few_shot` and `few_shot_split` go together")
        if self.few_shot_split == self.split:
            raise ValueError("`few_shot_split` is the part that is asked: examples would hold the answers")
        return self

    @model_validator(mode="after")
    def _learns_from_other_parts(self) -> EvaluateForm:
        if (self.train_split is None) != (self.validation_split is None):
            raise ValueError("`train_split` and `validation_split` go together")
        if self.train_split and self.task not in {"classification", "multiple_choice"}:
            raise ValueError("`train_split` goes with task = 'classification' or 'multiple_choice', and only with them")
        if self.train_split and len({self.split, *self.training_splits}) < 3:
            raise ValueError("`train_split`, `validation_split` and `split` are three different parts")
        return self
