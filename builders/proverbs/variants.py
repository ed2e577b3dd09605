"""Variants of proverbs that keep the meaning, by a language model: another number, animal or object, another wording.

Source: "A Statistical Analysis of LLMs' Self-Evaluation Using Proverbs" (PRICAI 2024), evaluation data: "worth two in
the bush" and "worth three in the bush". Two ways of asking. "many" is for models that follow instructions: one request
asks for several variants, one a line. "one" is for small ones: it shows examples and asks for one line. Either way
every line is parsed strictly, and what is refused is kept with the reason. Whether the meaning is kept, people say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from pydantic import Field, field_validator

from tashika.builders.paraphrase import lines_of
from tashika.builders.proverbs import japanese
from tashika.builders.proverbs.problems import Limits
from tashika.builders.proverbs.words import proverb_words, spoken_words
from tashika.core.llm import Cost, Llm, Question
from tashika.core.settings import Section
from tashika.core.suites.proverbs.words import CHANGES, CONTROL, Change, language_of

_ASKED_FOR: Final[dict[Change, str]] = {
    "number": "Another number",
    "animal": "Another animal",
    "object": "Another object",
}
"""What mode "one" writes before a variant."""

_LINE: Final = re.compile(r"(?P<change>[A-Za-z]+)\s*(?:[(\[（](?P<origin>[^)\]）]*)[)\]）])?\s*[:：]\s*(?P<text>.+)")
_THIRD: Final = re.compile(r"(?P<origin>[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,2})\s*:\s*(?P<text>.+)")


class Example(Section):
    """A proverb and a variant of it, shown to a small model."""

    proverb: str
    change: Literal["number", "animal", "object"]
    variant: str


class VariantSettings(Section):
    """The section [build.variants]: how variants are made.

    Attributes:
        use: Where a variant comes from, in order of preference: the list's "written" one, or the "model".
        wanted: Variants that a request of mode "many" asks for.
        rounds: How often a proverb is asked about before what is there must do.
        mode: "many" in one request, or "one" a request.
        instruction: The instruction to the model in mode "many"; {wanted} stands for the number.
        lead: The first line of the text that the model continues in mode "one".
        examples: What it shows after that.
        max_tokens: Tokens of one variant; mode "many" allows `wanted` times as many.
        shortest: A variant's length in words over its proverb's, at least.
        longest: The same, at most.
        most_new: Content words that may come or go in a variant of mode "one".
    """

    use: tuple[Literal["written", "model"], ...] = Field(("written", "model"), min_length=1)
    wanted: int = Field(3, ge=1)
    rounds: int = Field(2, ge=1)
    mode: Literal["many", "one"] = "one"
    instruction: str
    lead: str = ""
    examples: tuple[Example, ...] = ()
    max_tokens: int = Field(48, ge=1)
    shortest: float = Field(0.5, gt=0)
    longest: float = Field(2.0, ge=1)
    most_new: int = Field(2, ge=1)

    @field_validator("use")
    @classmethod
    def _each_once(cls, use: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(use)) != len(use):
            raise ValueError("names a source twice")
        return use

    @property
    def limits(self) -> Limits:
        """What a variant must keep to; in mode "one" it may not stray."""
        return Limits(self.shortest, self.longest, self.most_new if self.mode == "one" else None)


class Proposal(NamedTuple):
    """A variant that somebody proposes, or a line of a reply that is none.

    Attributes:
        text: The variant, or the line as it came.
        change: In what it differs.
        origin: The culture whose own wording it is, or None.
        provenance: The request that it came from; None if a person wrote it.
        problem: Why it cannot even be read; None if it can.
    """

    text: str
    change: str
    origin: str | None = None
    provenance: dict[str, str] | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Asker:
    """Asks a model for variants: who, and how."""

    llm: Llm
    settings: VariantSettings

    def propose(self, texts: Sequence[str], done: Callable[[int], None]) -> list[list[Proposal]]:
        """The proposals for each text, in order; texts are asked about concurrently.

        Args:
            texts: The proverbs.
            done: Called with 1 after each.

        Raises:
            TashikaError: What `Llm.reply` raises.
        """

        def asked(text: str) -> list[Proposal]:
            proposals = [proposal for question in self.questions(text) for proposal in self._answered(text, question)]
            done(1)
            return proposals

        with ThreadPoolExecutor(max_workers=self.llm.settings.concurrency) as pool:
            jobs = [pool.submit(asked, text) for text in texts]
            try:
                return [job.result() for job in jobs]
            except BaseException:
                self.llm.stop()  # after an error or Ctrl-C the others end with the reply at hand
                pool.shutdown(cancel_futures=True)
                raise

    def questions(self, text: str) -> list[Question]:
        """The requests about a proverb, one a round."""
        return [question_of(text, self.settings, number) for number in range(self.settings.rounds)]

    def _answered(self, text: str, question: Question) -> list[Proposal]:
        reply = self.llm.ask(question) if self.settings.mode == "many" else self.llm.reply(question).text
        provenance = self.llm.provenance(question)
        lines = lines_of(reply)
        if not lines:
            return [Proposal("", "", None, provenance, "is not there: the reply has no whole line")]
        if self.settings.mode == "many":
            return [parsed(line)._replace(provenance=provenance) for line in lines]
        return [Proposal(_begun(line), change_for(text), None, provenance) for line in lines[:1]]


def cost(texts: Sequence[str], settings: VariantSettings) -> Cost:
    """What asking about the texts costs at most, in requests and tokens."""
    asked = (question_of(text, settings, number).cost for text in texts for number in range(settings.rounds))
    return sum(asked, Cost())


def question_of(text: str, settings: VariantSettings, number: int) -> Question:
    """The request about a proverb, for the how-manieth time."""
    if settings.mode == "many":
        system = settings.instruction.replace("{wanted}", str(settings.wanted))
        return Question(text, settings.max_tokens * settings.wanted, system=system, number=number)
    blocks = [f"Proverb: {e.proverb}\n{_ASKED_FOR[e.change]}: {e.variant}" for e in settings.examples]
    prompt = "\n\n".join([settings.lead, *blocks, f"Proverb: {text}\n{_ASKED_FOR[change_for(text)]}:"])
    return Question(prompt, settings.max_tokens, stop="\n", number=number)


def change_for(text: str) -> Change:
    """What a small model is asked to change: a number or an animal where the proverb has one, else an object."""
    if language_of(text) == "ja":
        return "number" if japanese.numbers(text) else "animal" if japanese.animals(text) else "object"
    tables = proverb_words().change
    words = {word.removesuffix("'s") for word in spoken_words(text)}
    if words & tables.numbers:
        return "number"
    return "animal" if words & tables.animals else "object"


def parsed(line: str) -> Proposal:
    """Reads "change: text", "wording(CULTURE): text" or "wording: CULTURE: text", strictly.

    Args:
        line: A line of a reply, without number or bullet.

    Returns:
        The proposal; its `problem` is why the line is none.
    """
    match = _LINE.fullmatch(line)
    if not match:
        return Proposal(line, "", problem='is not of the form "change: text"')
    change = match["change"].lower()
    if change not in CHANGES or change in ("gender", CONTROL):
        return Proposal(line, change, problem=f"unknown change {change!r}")
    text, origin = match["text"].strip(), (match["origin"] or "").strip() or None
    third = _THIRD.fullmatch(text) if change == "wording" and origin is None else None
    if third:
        text, origin = third["text"].strip(), third["origin"]
    if change == "wording" and origin is None:
        return Proposal(line, change, problem="another culture's wording without its name")
    if change != "wording" and origin is not None:
        return Proposal(line, change, problem="a culture's name where the wording is not another culture's")
    quoted = len(text) > 1 and text[0] + text[-1] in {'""', "“”", "「」"}
    return Proposal(_begun(text[1:-1].strip() if quoted else text), change, origin)


def _begun(text: str) -> str:
    """The text with a capital letter at its beginning, as its proverb has."""
    return text[:1].upper() + text[1:]
