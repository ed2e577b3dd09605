"""How TempRIPPLE asks a model: its settings, what the model reads, and how an option is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from tashika.core.settings import Section
from tashika.core.suites.tempripple.words import (
    BETWEEN,
    CONTEXT_LINE,
    CUE,
    INSTRUCTION,
    QUESTION_LINE,
    TEXT_INSTRUCTION,
)
from tashika.evaluate.systems import AnswerSettings
from tashika.evaluate.tempripple.conditions import Condition
from tashika.evaluate.tempripple.questions import Asked
from tashika.evaluate.ways.letter_answers import READER_VERSION
from tashika.evaluate.ways.names import Norm, OptionsWay
from tashika.evaluate.ways.options import Choice, letter_prompt
from tashika.evaluate.ways.orders import rotated


class PromptFormat(Section):
    """What a model reads. Without a context its line is left out.

    For a context C, a question Q and options X and Y the text ends in the cue, and lists the options by letter where
    letters are asked for: C, Q, A. X, B. Y, cue, each on a line of its own.

    Attributes:
        context: The line of the new fact, with {context}.
        question: The line of the question, with {question}.
        between: Parts the context from the question.
        cue: The last line, which asks for the answer.
    """

    context: str = CONTEXT_LINE
    question: str = QUESTION_LINE
    between: str = BETWEEN
    cue: str = Field(CUE, min_length=1)

    @model_validator(mode="after")
    def _has_slots(self) -> PromptFormat:
        for name, text in (("context", self.context), ("question", self.question)):
            if f"{{{name}}}" not in text:
                raise ValueError(f"{name} needs the slot {{{name}}}")
        return self

    def choice(self, row: Asked, *, cue: bool, order: int = 0) -> Choice:
        """A question in its condition, the cue behind it or not, with its options in one of their orders."""
        question = self.question.replace("{question}", row.question.text) + (f"\n{self.cue}" if cue else "")
        context = self.context.replace("{context}", row.question.context) if row.with_context else ""
        return Choice(context, question, rotated(row.question.options, order))

    def lettered(self, row: Asked, order: int = 0) -> str:
        """The text that lists the options by letter, in one of their orders."""
        return letter_prompt(self.choice(row, cue=False, order=order), cue=self.cue, between=self.between)


def _once(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(dict.fromkeys(conditions))


class EvaluateSettings(Section):
    """The section [evaluate].

    Attributes:
        options: How a causal model on this machine chooses: by the likelihood of an option's text, of its letter among
            the listed options, by both one after the other, or by what it writes.
        chat_template: Whether options are scored behind a model's own chat template, where it has one.
        orders: In how many orders of its options a question is asked where they are listed; 0: in as many as it has
            options, so that each stands under each letter once.
        conditions: What else is read before the questions, beside nothing and the new fact; see `conditions`.
        several: New facts that the condition `several` has, the question's own among them.
        cutoffs: The last day of a model's training data, by the model's name.
        months: How long the stretches are by which new facts are counted.
        norm: What the likelihood of a text is divided by: none, token or character.
        seed: Of samples and of the bootstrap.
        draws: Of the bootstrap.
        chunk: Questions that are scored and written together: what a kill loses at most. 0: 100 on a CPU, which takes
            some seconds, and 2,000 on a card.
        batch_tokens: Tokens in a batch, at most; 0 takes them from the free memory.
        format: What a model reads.
        system: The instruction to a model that answers with a letter.
        system_text: The instruction behind which the text of an option is scored.
        max_tokens: The longest reply; a longer one is no answer.
        attempts: How often a question is asked at most whose reply is no answer.
        missing_replies: Whether scores are written even though an endpoint gave no reply to some questions.
        llm: How a model is asked for words.
    """

    options: OptionsWay = "both"
    norm: Norm = "character"
    chat_template: bool = True
    orders: int = Field(0, ge=0)
    conditions: Annotated[tuple[Condition, ...], AfterValidator(_once)] = ()
    several: int = Field(4, ge=2)
    cutoffs: dict[str, date] = {}  # noqa: RUF012 - pydantic copies it
    months: int = Field(3, ge=1)
    seed: int = 0
    draws: int = Field(1000, ge=1)
    chunk: int = Field(0, ge=0)
    batch_tokens: int = Field(0, ge=0)
    format: PromptFormat = PromptFormat()
    system: str = INSTRUCTION
    system_text: str = TEXT_INSTRUCTION
    max_tokens: int = Field(32, ge=1)
    attempts: int = Field(1, ge=1)
    missing_replies: bool = False
    llm: AnswerSettings = AnswerSettings()


@dataclass(frozen=True)
class Way:
    """How a model is asked, as the command line and the settings have it.

    Attributes:
        options: `text`, `letter`, `generate`, or `chat` at an endpoint.
        norm: Of `text`; `none` for all else.
        orders: In how many orders of its options a question is asked; 0: in as many as it has options.
        template: Whether options are scored behind the model's chat template.
    """

    options: Literal["text", "letter", "generate", "chat"] = "text"
    norm: Norm = "none"
    orders: int = 1
    template: bool = False

    @property
    def in_words(self) -> bool:
        """Whether the model answers with a text of its own."""
        return self.options in {"generate", "chat"}

    def instruction(self, settings: EvaluateSettings) -> str:
        """What a model is told before the question."""
        return settings.system_text if self.options == "text" else settings.system

    def describe(self, settings: EvaluateSettings) -> dict[str, Any]:
        """What predictions depend on beside the model and the questions."""
        always: dict[str, Any] = {"options": self.options, "norm": self.norm, "format": settings.format.model_dump()}
        if self.orders != 1:
            always["orders"] = self.orders
        if self.template:
            always |= {"chat_template": True, "system": self.instruction(settings)}
        if not self.in_words:
            return always
        apart = {"concurrency", "timeout", "price_in", "price_out", "url", "model"}
        asking = settings.llm.model_dump(mode="json", exclude=apart)
        in_words = {
            "reader": READER_VERSION,
            "missing_replies": settings.missing_replies,
            "system": settings.system,
            "max_tokens": settings.max_tokens,
            "attempts": settings.attempts,
        }
        return {**always, **in_words, "asking": asking}
