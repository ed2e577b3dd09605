"""Why a text is no variant of a proverb that keeps its meaning, as far as rules can decide; people judge the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from tashika.builders.proverbs import japanese
from tashika.builders.proverbs.gender_swap import genders
from tashika.builders.proverbs.list import content_words, proverb_key
from tashika.builders.proverbs.words import proverb_words, spoken_words
from tashika.core.suites.proverbs.words import CHANGES, Language, language_of
from tashika.core.writing import letter_script

_REFUSAL: Final = re.compile(
    r"(?:(?:i['’]?m |i am )?sorry|i apologi[sz]e|i['’]?m (?:not able|unable)|as an ai|as a language model"
    r"|i (?:cannot|can['’]?t) (?:help|assist|provide|fulfil|do|comply|create|generate|rewrite)"
    r"|unfortunately, i|here (?:is|are) |sure[,!]|certainly[,!])",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"[<>{}|*#`\[\]_\\]|https?:")
_NEGATIONS: Final = frozenset({"not", "no", "never", "nothing", "none", "nobody", "nor", "without", "cannot"})
_JAPANESE: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
_ENDINGS: Final = ("ing", "ies", "ed", "es", "s", "e", "y")


@dataclass(frozen=True)
class Limits:
    """How far a variant may go from its proverb.

    Attributes:
        shortest: Its length in words over the proverb's, at least.
        longest: The same, at most.
        most_new: Content words that may come or go; None: any number.
        kindred: Whether it must have a content word in common with the proverb.
    """

    shortest: float = 0.5
    longest: float = 2.0
    most_new: int | None = None
    kindred: bool = True


def problem_of(proverb: str, variant: str, change: str, limits: Limits, known: Collection[str]) -> str | None:
    """Why a text is no sound variant, in a few words; None for a sound one.

    Args:
        proverb: The proverb.
        variant: The text.
        change: In what it is said to differ; one of `CHANGES`, and not "gender".
        limits: How far it may go.
        known: Keys (`proverb_key`) of all other texts that are there.
    """
    if change not in CHANGES:
        return f"unknown change {change!r}"
    return (
        _unreadable(variant, language_of(proverb))
        or _the_same(proverb, variant, known)
        or _astray(proverb, variant, change, limits)
    )


def _unreadable(variant: str, language: Language) -> str | None:
    """What is wrong with a text by itself, in the language of its proverb."""
    letters = [sign for sign in variant if sign.isalpha()]
    checks = (
        (len(variant.splitlines()) > 1 or not variant.isprintable(), "is not one line"),
        (not letters, "has no word"),
        (not _in_script(letters, language), "is in another script"),
        (_REFUSAL.match(variant), "is no variant but speaks to the user"),
        (_MARKUP.search(variant), "has markup"),
        (variant.count('"') % 2 or variant.count("“") != variant.count("”"), "has an open quotation mark"),
        (variant.rstrip().endswith(":"), "announces something and does not say it"),
    )
    return next((problem for applies, problem in checks if applies), None)


def _in_script(letters: Sequence[str], language: Language) -> bool:
    """Whether letters are those of a language: Latin ones, or kana and kanji."""
    scripts = {letter_script(letter) for letter in letters}
    return scripts <= (_JAPANESE if language == "ja" else {"LATIN"})


def _the_same(proverb: str, variant: str, known: Collection[str]) -> str | None:
    """Whether a text is there already."""
    if proverb_key(variant) == proverb_key(proverb):
        return "is unchanged"
    if _bare(variant) == _bare(proverb):
        return "is near-identical: only articles, punctuation, endings or the order differ"
    return "repeats another proverb or variant" if proverb_key(variant) in known else None


def _astray(proverb: str, variant: str, change: str, limits: Limits) -> str | None:
    """Whether a text is too far from its proverb."""
    ratio = _length(variant) / max(1, _length(proverb))
    if ratio < limits.shortest:
        return "is too short beside the proverb"
    if ratio > limits.longest:
        return "is too long beside the proverb"
    of_proverb, of_variant = genders(proverb), genders(variant)
    if of_proverb != of_variant and (change != "wording" or (of_proverb and of_variant)):
        return "changes the gender"
    return None if change == "wording" else _other_meaning(proverb, variant, change, limits)


def _length(text: str) -> int:
    """How long a text is: in words, in Japanese in letters."""
    return japanese.length(text) if language_of(text) == "ja" else len(spoken_words(text))


def _other_meaning(proverb: str, variant: str, change: str, limits: Limits) -> str | None:
    """Whether a text that should differ in one thing says something else."""
    common = content_words(proverb) & content_words(variant)
    checks = (
        (_negations(proverb) % 2 != _negations(variant) % 2, "says the opposite: a negation came or went"),
        (
            change == "number" and not _numbers(variant) - _numbers(proverb),
            "says that a number differs, and has no other",
        ),
        (proverb_key(proverb) in proverb_key(variant), "is the proverb with something added"),
        (limits.kindred and not common, "has nothing in common with the proverb"),
    )
    problem = next((problem for holds, problem in checks if holds), None)
    if problem or limits.most_new is None:
        return problem
    new, gone = content_words(variant) - common, content_words(proverb) - common
    if max(len(new), len(gone)) > limits.most_new:
        return f"differs in more than {limits.most_new} content words"
    animals = change == "animal" and not _animals(variant) - _animals(proverb)
    return "says that an animal differs, and none that is known does" if animals else None


def _bare(text: str) -> Counter[str]:
    """The words of a text without articles and endings."""
    return Counter(_stem(word) for word in proverb_key(text).split() if word not in {"a", "an", "the"})


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    return word.removesuffix(ending)


def _negations(text: str) -> int:
    return sum(word in _NEGATIONS or word.endswith("n't") for word in spoken_words(text))


def _numbers(text: str) -> Counter[str]:
    if language_of(text) == "ja":
        return japanese.numbers(text)
    words = (word.removesuffix("'s") for word in proverb_key(text).split())
    return Counter(word for word in words if word in proverb_words().change.numbers or word.isdigit())


def _animals(text: str) -> frozenset[str]:
    if language_of(text) == "ja":
        return japanese.animals(text)
    return proverb_words().change.animals & {word.removesuffix("'s") for word in spoken_words(text)}
