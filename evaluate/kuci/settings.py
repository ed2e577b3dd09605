"""How KUCI asks a system: its settings, what a model reads, and the way to a choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from tashika.core.settings import Section
from tashika.core.suites.kuci.words import CUE, INSTRUCTION, JOINT, Split
from tashika.evaluate.kuci.baselines import BagSettings
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.systems import AnswerSettings
from tashika.evaluate.ways.fine_tuning import FineTuneSettings, Start
from tashika.evaluate.ways.letter_answers import READER_VERSION
from tashika.evaluate.ways.names import Norm, Show
from tashika.evaluate.ways.options import Choice, letter_prompt

Method = Literal["fine-tuned", "transferred", "zero-shot", "chat", "baseline"]


class PromptFormat(Section):
    """What a model reads that was not trained on the questions.

    Attributes:
        joint: Between the context and an option: お腹が空いたので、ご飯を食べる. It is part of the context, not scored.
        cue: The last line of a prompt that lists the options by letter.
    """

    joint: str = JOINT
    cue: str = Field(CUE, min_length=1)

    def choice(self, question: KuciQuestion, show: Show = "both") -> Choice:
        """A question whose options follow its context without a space, as Japanese is written; or the options alone."""
        if show == "options":
            return Choice("", "", question.options)
        return Choice("", question.context + self.joint, question.options)

    def lettered(self, question: KuciQuestion) -> str:
        """The text that lists the options by letter."""
        return letter_prompt(Choice("", question.context + self.joint, question.options), cue=self.cue)


class EvaluateSettings(Section):
    """The section [evaluate].

    Attributes:
        artefact_check: Whether encoders and causal models are also asked about the options alone.
        split: The part that a causal or chat model is asked about; fine-tuned ones are always scored on test.
        norm: What the likelihood of an option is divided by: none, token or character.
        seed: Of samples and of the bootstrap.
        resamples: Of the bootstrap.
        batch_tokens: Tokens in a batch of a causal model, at most; 0 takes them from the free memory.
        format: What a model reads that was not trained.
        system: The instruction to a chat model.
        max_tokens: The longest reply; a longer one is no answer.
        attempts: How often a question is asked at most whose reply is no answer.
        missing_replies: Whether scores are written though an endpoint gave no reply to some questions.
        llm: How a chat model is asked.
        training: How an encoder is fine-tuned, and with which seeds: once with each.
        keep_weights: Whether the weights of a fine-tuned encoder stay when its predictions are written; there are as
            many as sets times seeds.
        bag: How the bag of words is fitted, a baseline.
    """

    artefact_check: bool = True
    split: Split = "test"
    norm: Norm = "character"
    seed: int = 0
    resamples: int = Field(2000, ge=1)
    batch_tokens: int = Field(0, ge=0)
    format: PromptFormat = PromptFormat()
    system: str = INSTRUCTION
    max_tokens: int = Field(32, ge=1)
    attempts: int = Field(1, ge=1)
    missing_replies: bool = False
    llm: AnswerSettings = AnswerSettings()
    training: FineTuneSettings = FineTuneSettings()
    keep_weights: bool = False
    bag: BagSettings = BagSettings()


@dataclass(frozen=True)
class Way:
    """How a system comes to its choices, as the command line and the settings have it.

    Attributes:
        how: Fine-tuned on the training part, fine-tuned elsewhere and scored as it is, by the likelihood of the
            options, in words at an endpoint, or a baseline.
        show: What it sees of a question: all, or its options alone, to check for annotation artefacts.
        norm: Of the likelihood; `none` for all else.
        start: The weights that training begins with, or that are scored as they are; None for the encoder's own.
    """

    how: Method
    show: Show = "both"
    norm: Norm = "none"
    start: Start | None = None

    @property
    def trained(self) -> bool:
        """Whether it learns from the training part."""
        return self.how in {"fine-tuned", "baseline"}

    def describe(self, settings: EvaluateSettings) -> dict[str, Any]:
        """What predictions depend on beside the model and the questions."""
        values: dict[str, Any] = {"how": self.how, "show": self.show, "norm": self.norm}
        if self.how == "fine-tuned":
            values["training"] = settings.training.model_dump(mode="json", exclude={"seeds", "checkpoint"})
        if self.how == "transferred":
            values["training"] = settings.training.model_dump(mode="json", include={"longest", "dtype"})
        if self.start:
            values["start"] = {"run": self.start.name, "weights": self.start.digest}
        if self.how == "baseline":
            values["bag"] = settings.bag.model_dump(mode="json")
        if self.how == "zero-shot":
            values["format"] = settings.format.model_dump(include={"joint"})
        if self.how == "chat":
            apart = {"concurrency", "timeout", "price_in", "price_out", "url", "model"}
            values |= {
                "format": settings.format.model_dump(),
                "reader": READER_VERSION,
                "missing_replies": settings.missing_replies,
                "system": settings.system,
                "max_tokens": settings.max_tokens,
                "attempts": settings.attempts,
                "asking": settings.llm.model_dump(mode="json", exclude=apart),
            }
        return values
