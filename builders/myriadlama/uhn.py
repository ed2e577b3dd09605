"""LAMA-UHN: leaves out the facts that a name gives away (Poerner et al. 2020; paper, footnote 1).

Two filters. The string filter drops a fact whose object is a part of its subject ("Apple Watch", "Apple"). The
person-name filter drops a fact about a person that a masked language model guesses (in its top three) from the
first or the last name alone ("Jean is a common name in the following language: [MASK].").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tashika.builders.myriadlama.facts import Fact

Level = Literal["none", "string", "full"]

NAME_QUESTIONS: Final[dict[str, str]] = {
    "P19": "{name} is a common name in the following city: {mask}.",
    "P20": "{name} is a common name in the following city: {mask}.",
    "P27": "{name} is a common name in the following country: {mask}.",
    "P103": "{name} is a common name in the following language: {mask}.",
    "P1412": "{name} is a common name in the following language: {mask}.",
}
"""The relations of the person-name filter, and what the model is asked; `mask` is its mask token."""

TOP = 3

Guess = Callable[[Sequence[str]], list[list[str]]]
"""Texts with `{mask}` in them -> the model's most probable words for each, best first."""


@dataclass(frozen=True)
class Counted:
    """Facts, with their number of rows and of subject-relation pairs."""

    facts: list[Fact]

    @property
    def rows(self) -> int:
        """Facts."""
        return len(self.facts)

    @property
    def pairs(self) -> int:
        """Subject-relation pairs."""
        return len({fact.pair for fact in self.facts})


def without_substrings(facts: Iterable[Fact]) -> list[Fact]:
    """The facts whose object's label is not a part of the subject's, upper and lower case alike."""
    return [fact for fact in facts if fact.object_label.casefold() not in fact.subject_label.casefold()]


def without_guessable(facts: Sequence[Fact], guess: Guess) -> list[Fact]:
    """The facts that cannot be guessed from the first or last name alone; other relations stay as they are.

    Args:
        facts: Facts of any relation.
        guess: Gives the `TOP` words for each text. Each text is asked once.
    """
    questions = {fact.key: _questions(fact) for fact in facts if fact.relation in NAME_QUESTIONS}
    texts = sorted({text for asked in questions.values() for text in asked})
    answers = {text: {word.casefold() for word in words[:TOP]} for text, words in zip(texts, guess(texts), strict=True)}
    return [
        fact
        for fact in facts
        if not any(fact.object_label.casefold() in answers[text] for text in questions.get(fact.key, ()))
    ]


def _questions(fact: Fact) -> list[str]:
    names = fact.subject_label.split()
    ends = dict.fromkeys(names[:1] + names[-1:])
    return [NAME_QUESTIONS[fact.relation].replace("{name}", name) for name in ends]


def masked_model_guess(name: str) -> Guess:
    """A `Guess` by a masked language model.

    Args:
        name: A model's name or path. LAMA-UHN was made with bert-base-cased.

    Raises:
        InputError: The model cannot be loaded, or is no masked language model.
    """
    from transformers import pipeline

    from tashika.core.models import load_masked_lm

    model, tokenizer = load_masked_lm(name, dtype="fp32", device="cpu")
    fill = pipeline("fill-mask", model=model, tokenizer=tokenizer, top_k=TOP, trust_remote_code=False)

    def guess(texts: Sequence[str]) -> list[list[str]]:
        asked = [text.replace("{mask}", tokenizer.mask_token) for text in texts]
        return [[answer["token_str"].strip() for answer in answers] for answers in fill(asked, batch_size=64)]

    return guess
