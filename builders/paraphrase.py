"""Paraphrases of the manual templates by a language model (paper, appendix A.1.1.2, step 2).

Two ways of asking. "many" is the paper's: one request asks for all paraphrases of a template, and is repeated until
enough distinct sound ones are there. "one" is for small models, which cannot follow that: each request shows
examples and asks for one sentence. Either way every reply is parsed strictly, and what is refused is kept with the
reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from tashika.builders.templates import Relation, problem_of, tidied
from tashika.core.cloze import normalised
from tashika.core.llm import Cost, Llm, Question
from tashika.core.settings import Section
from tashika.core.writing import UNSPACED, script_of, writing_of


class Example(Section):
    """A sentence and a paraphrase of it, shown to a small model."""

    sentence: str
    paraphrase: str


class Wording(Section):
    """What the model reads beside the template, in one language.

    Attributes:
        instruction: What it reads in mode "many".
        lead: The first line of the text that mode "one" has the model continue.
        examples: What it shows after that.
        sentence: What stands there before each sentence.
        rewritten: What stands there before each paraphrase.
    """

    instruction: str
    lead: str = ""
    examples: tuple[Example, ...] = ()
    sentence: str = "Sentence: "
    rewritten: str = "Rewritten:"


class ParaphraseSettings(Wording):
    """How paraphrases are asked for. The wording is that for English, and for languages that have none of their own.

    Attributes:
        wanted: Paraphrases of each manual template.
        rounds: How often a template is asked about before what is there must do.
        mode: "many" in one request, or "one" a request.
        max_tokens: Tokens of one sentence; mode "many" allows `wanted` times as many.
        by_language: The wording for other languages, by their codes.
    """

    wanted: int = Field(ge=0)
    rounds: int = Field(ge=1)
    mode: Literal["many", "one"]
    max_tokens: int = Field(32, ge=1)
    by_language: dict[str, Wording] = Field(default_factory=dict)

    def in_language(self, language: str, packaged: Mapping[str, Wording]) -> ParaphraseSettings:
        """The settings with the wording for a language in place of the English one, where there is one.

        Args:
            language: Its code.
            packaged: Wordings by language for those that the settings have none for.
        """
        words = {**packaged, **self.by_language}.get(writing_of(language).code)
        changes = {name: getattr(words, name) for name in Wording.model_fields} if words else {}
        return self.model_copy(update={"by_language": {}, **changes})

    def keys(self) -> dict[str, Any]:
        """What the paraphrases of one language depend on, as plain values."""
        written = self.model_dump(mode="json", exclude={"by_language"})
        unset = ("sentence", "rewritten")  # manifests of earlier versions do not have them
        fields = Wording.model_fields
        return {name: value for name, value in written.items() if name not in unset or value != fields[name].default}


@dataclass(frozen=True)
class Paraphrase:
    """A sound paraphrase, with the request that it came from."""

    relation: str
    manual: str
    text: str
    provenance: dict[str, str]


@dataclass(frozen=True)
class Refused:
    """A line of a reply that is no template, and why."""

    relation: str
    manual: str
    text: str
    reason: str


def paraphrased(
    relations: dict[str, Relation], llm: Llm, settings: ParaphraseSettings, done: Callable[[int], None]
) -> tuple[list[Paraphrase], list[Refused]]:
    """Paraphrases the manual templates of all relations.

    Relations run concurrently, as many as the endpoint's settings allow; within one they run in order, so that what
    counts as a repetition does not depend on who answers first.

    Args:
        relations: Manual templates by property id.
        llm: Who is asked.
        settings: How.
        done: Called with 1 after each manual template.
    """
    with ThreadPoolExecutor(max_workers=llm.settings.concurrency) as pool:
        jobs = [pool.submit(_relation, name, relation, llm, settings, done) for name, relation in relations.items()]
        try:
            results = [job.result() for job in jobs]
        except BaseException:
            llm.stop()  # after an error or Ctrl-C the others end with the reply at hand: what is sent may cost money
            pool.shutdown(cancel_futures=True)
            raise
    accepted = [paraphrase for gathered in results for paraphrase in gathered.accepted]
    return accepted, [refusal for gathered in results for refusal in gathered.refused]


@dataclass(frozen=True)
class Short:
    """A manual template with fewer paraphrases than were asked for."""

    relation: str
    manual: str
    paraphrases: int


def short_of(relations: Mapping[str, Relation], accepted: Iterable[Paraphrase], wanted: int) -> list[Short]:
    """The manual templates that the rounds left with fewer paraphrases than `wanted`, in order."""
    count = Counter((paraphrase.relation, paraphrase.manual) for paraphrase in accepted)
    return [
        Short(name, manual, count[name, manual])
        for name, relation in relations.items()
        for manual in relation.manual
        if count[name, manual] < wanted
    ]


def cost(relations: dict[str, Relation], settings: ParaphraseSettings) -> Cost:
    """What paraphrasing costs at most, in requests and tokens."""
    total = Cost()
    for relation in relations.values():
        for manual in relation.manual:
            total += _question(manual, relation, settings, 0).cost * _times(settings)
    return total


def _times(settings: ParaphraseSettings) -> int:
    """The most requests about one manual template."""
    return settings.rounds * (settings.wanted if settings.mode == "one" else 1)


def _question(manual: str, relation: Relation, settings: ParaphraseSettings, number: int) -> Question:
    if settings.mode == "many":
        instruction = f"{settings.instruction}\n{relation.hint}" if relation.hint else settings.instruction
        return Question(manual, settings.max_tokens * settings.wanted, system=instruction, number=number)
    # A small model takes a category hint for one more sentence to rewrite, so it is left out here.
    given, answer = settings.sentence, settings.rewritten
    gap = " " if answer.isascii() else ""
    shown = "\n\n".join(f"{given}{e.sentence}\n{answer}{gap}{e.paraphrase}" for e in settings.examples)
    prompt = f"{settings.lead}\n\n{shown}\n\n{given}{manual}\n{answer}"
    return Question(prompt, settings.max_tokens, stop="\n", number=number)


def _relation(
    name: str, relation: Relation, llm: Llm, settings: ParaphraseSettings, done: Callable[[int], None]
) -> _Gathered:
    gathered = _Gathered(name, relation.language, {normalised(manual) for manual in relation.manual})
    for manual in relation.manual:
        enough = len(gathered.accepted) + settings.wanted
        for number in range(_times(settings)):
            question = _question(manual, relation, settings, number)
            for line in lines_of(llm.ask(question)):
                gathered.take(manual, line, llm.provenance(question), enough)
            if len(gathered.accepted) >= enough:
                break
        done(1)
    return gathered


@dataclass
class _Gathered:
    """What the replies about one relation have given so far."""

    relation: str
    language: str
    seen: set[str]
    accepted: list[Paraphrase] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def take(self, manual: str, line: str, provenance: dict[str, str], enough: int) -> None:
        """Accepts a line or refuses it; sound lines beyond what is wanted are neither."""
        twin = normalised(line)
        reason = problem_of(line, self.language) or ("repeats another template" if twin in self.seen else None)
        if reason:
            self.refused.append(Refused(self.relation, manual, line, reason))
        elif len(self.accepted) < enough:
            self.seen.add(twin)
            self.accepted.append(Paraphrase(self.relation, manual, line, provenance))


_BULLET = re.compile(r"^\s*(?:\d{1,3}[.):](?:\s+|(?=\[))|[-*•]\s+)")
_QUOTED = re.compile(r"\"[^\"]+\"|“[^“”]+”|`[^`]+`|'(?:[^']|'(?=s\b))+'")

_WIDE_BULLET = re.compile(r"^\s*(?:[(（]?\d{1,3}[.):．。、：）]\s*(?!\d)|[①-⑳]\s*|[-*•－]\s+|[・●○◆◇■□◯]\s*)")
_WIDE_QUOTED = re.compile(r"(?:「((?:[^「」]|「[^「」]*」)+)」|『([^『』]+)』|“([^“”]+)”|\"([^\"]+)\")。?")
_WIDE_SLOT = re.compile(r"[\[［]\s*([XYＸＹ])\s*[\]］]")


def lines_of(reply: str) -> list[str]:
    """The sentences of a reply, one a line, without numbers, bullets and quotation marks around them.

    In lines of languages without spaces these may be full-width (１．), circled (①) or of their own (・, 「」), and
    slots that were written full-width are slots.
    """
    lines = (
        _sentence_without_spaces(line) if script_of(line) in UNSPACED else _sentence(line)
        for line in reply.splitlines()
    )
    return [text for text in lines if text]


def _sentence(line: str) -> str:
    text = " ".join(_BULLET.sub("", line).split())
    return text[1:-1].strip() if _QUOTED.fullmatch(text) else text


def _sentence_without_spaces(line: str) -> str:
    text = tidied(" ".join(_WIDE_BULLET.sub("", line).split()))
    text = _WIDE_SLOT.sub(lambda slot: f"[{unicodedata.normalize('NFKC', slot[1])}]", text)
    quoted = _WIDE_QUOTED.fullmatch(text)
    return tidied(next(filter(None, quoted.groups())).strip() if quoted else text)
