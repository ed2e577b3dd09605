"""Prompts of semantic relations: what one must look like, and how a target word fills it.

A probe ends where the blank begins, so that masked and causal models are asked the same (paper, section 3.2).

Articles: [DET] becomes an article in one of two ways.

- `by_sound`: before [W] it is "a" or "an" by the target's first sound, and nothing before a mass noun or a plural.
  Before the blank nobody can know the article, since its word is not known: an "a" would speak against "animal" and
  "water". There it is nothing. The packaged prompts therefore avoid it there: they end in "any", "every", "the whole"
  and the like, which fit every word.
- `the`: it is "the" before both, whatever the word. So the people of the published responses read it: the authors'
  list of prompts has "The W is the V", and an older version of their file "the {0} is the {1}". A prompt that ends in
  "[DET] [V]" asks another thing without it ("a niece is" may go on with an adjective).

People and models are given the same text in either way.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal

from tashika.core.errors import InputError
from tashika.core.settings import packaged_data
from tashika.core.suites.semrel.vocabulary import read_words
from tashika.core.suites.semrel.words import ARTICLE_SLOT, BLANK_SLOT, TARGET_SLOT

Articles = Literal["by_sound", "the"]
"""What [DET] becomes."""

ArticleSetting = Literal["auto", "by_sound", "the"]
"""`auto` is `the` for the prompts of a response file, whose people read it, and `by_sound` for all others."""

_SILENT_H: Final = ("heir", "honest", "honor", "honour", "hour")
"""Beginnings of words whose h is silent."""

_SPOKEN_WITH_CONSONANT: Final = re.compile(
    r"eu|u(?:ni(?![nmd])|nanim|s[aeiou]|t[aeiou]|r[aeiou]|k|v|bi|fo)",
)
"""Beginnings that are written with a vowel and spoken with y: European, unit (not uninvited), user, uranium."""

_EXCEPTIONS: Final = {
    **dict.fromkeys(("one", "once", "oneness", "ouija", "oui", "ewe", "ewer", "upas", "url", "houri", "houris"), "a"),
    **dict.fromkeys(("ylang-ylang", "yttrium", "ytterbium", "uno"), "an"),
}
"""Words that the rules get wrong."""

_AN_LETTERS: Final = frozenset("aefhilmnorsx")
_SLOT: Final = re.compile(r"\[[^\]]*\]")
_KNOWN_SLOTS: Final = frozenset({TARGET_SLOT, BLANK_SLOT, ARTICLE_SLOT})


def article(word: str) -> str:
    """Returns "a" or "an", by how a word sounds at its beginning; single letters are spelt out ("an x")."""
    lower = word.lower()
    if lower in _EXCEPTIONS:
        return _EXCEPTIONS[lower]
    if len(lower) == 1:
        return "an" if lower in _AN_LETTERS else "a"
    if lower.startswith("h"):
        return "an" if lower.startswith(_SILENT_H) else "a"
    vowel = lower[:1] in set("aeiou") and not _SPOKEN_WITH_CONSONANT.match(lower)
    return "an" if vowel else "a"


def articles_of(setting: ArticleSetting, *, of_responses: bool) -> Articles:
    """What [DET] becomes under a setting.

    Args:
        setting: As the settings have it.
        of_responses: Whether the prompts are a response file's.
    """
    if setting == "auto":
        return "the" if of_responses else "by_sound"
    return setting


def probe_text(prompt: str, target: str, without_article: Collection[str], articles: Articles = "by_sound") -> str:
    """The probe: the prompt with its target, up to the blank, without a space at its end.

    Args:
        prompt: With [W], [V] at its end, and [DET] before either.
        target: The word.
        without_article: Words that take no article, see `read_mass_nouns`; "the" stands before these too.
        articles: What [DET] becomes.

    Raises:
        InputError: The prompt has another form.
    """
    problem = prompt_problem(prompt)
    if problem:
        raise InputError(problem, where=prompt)
    before = " ".join(prompt.split()).removesuffix(BLANK_SLOT).rstrip()
    if articles == "the":
        return before.replace(ARTICLE_SLOT, "the").replace(TARGET_SLOT, target)
    before = before.removesuffix(ARTICLE_SLOT).rstrip()
    shown = "" if target in without_article else f"{article(target)} "
    return before.replace(f"{ARTICLE_SLOT} ", shown).replace(TARGET_SLOT, target)


def prompt_problem(prompt: str) -> str | None:
    """What is wrong with a prompt; None for a sound one."""
    slots = _SLOT.findall(prompt)
    strange = [slot for slot in slots if slot not in _KNOWN_SLOTS]
    if strange:
        return f"found {strange[0]}, expected {TARGET_SLOT}, {BLANK_SLOT} and {ARTICLE_SLOT}"
    if slots.count(TARGET_SLOT) < 1:
        return f"the prompt has no {TARGET_SLOT} for its target"
    if slots.count(BLANK_SLOT) != 1:
        return f"found {slots.count(BLANK_SLOT)} times {BLANK_SLOT}, expected it once"
    if not prompt.rstrip().endswith(BLANK_SLOT):
        return f"{BLANK_SLOT} is not at the end: a model that reads from the left could not answer"
    plain = " ".join(prompt.split())
    before_words = plain.count(f"{ARTICLE_SLOT} {TARGET_SLOT}") + plain.count(f"{ARTICLE_SLOT} {BLANK_SLOT}")
    if before_words != slots.count(ARTICLE_SLOT):
        return f"{ARTICLE_SLOT} stands elsewhere than before {TARGET_SLOT} or {BLANK_SLOT}"
    return None


def read_mass_nouns(path: Path | None = None) -> frozenset[str]:
    """The words that take no article: mass nouns and plurals; of the packaged list, unless a file is given.

    Raises:
        InputError: The file is missing or empty.
    """
    return frozenset(word for _, word in read_words(path or packaged_data("semrel/mass_nouns.txt")))
