"""The tables of words that variants and questions are made with: `configs/proverbs_words.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from tashika.core.settings import Section, packaged, read_toml, validated

WORD: Final = re.compile(r"[^\W\d_]+")
"""A run of letters: in "he's" and in "mother-in-law" the parts are words of their own."""

SPOKEN: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
"""A word as one speaks it: "don't" and "man's" are one each."""


class GenderWords(Section):
    """Words that name a man or a woman.

    Attributes:
        pairs: A man's word and the woman's, each the other's counterpart.
        one_way: Words whose counterpart has another counterpart.
        compounds: What may stand before -man, -men, -woman and -women.
        not_compounds: Words in -man and -men that name nobody's gender.
        persons: Names of people.
        refused: Words without one counterpart, and why.
        phrases: Phrases in which a gendered word does not say what it says elsewhere, and why.
        nature: Words beside which the other gender would not be true.
    """

    pairs: dict[str, str]
    one_way: dict[str, str]
    compounds: frozenset[str]
    not_compounds: frozenset[str]
    persons: frozenset[str]
    refused: dict[str, str]
    phrases: dict[str, str]
    nature: dict[str, frozenset[str]]


class ChangeWords(Section):
    """Words by which a change is known: numbers and animals."""

    numbers: frozenset[str]
    animals: frozenset[str]


class SentenceWords(Section):
    """Words that show what kind of sentence a text is.

    Attributes:
        finite: Finite verbs, whatever stands before them.
        verbs: Base forms of verbs.
        before_nouns: After one of these none of `verbs` is finite.
        before_base: After one of these none of `verbs` is finite in its base form.
    """

    finite: frozenset[str]
    verbs: frozenset[str]
    before_nouns: frozenset[str]
    before_base: frozenset[str]


class ProverbWords(Section):
    """The whole file."""

    gender: GenderWords
    change: ChangeWords
    sentence: SentenceWords


@cache
def proverb_words() -> ProverbWords:
    """The packaged tables."""
    path = packaged("proverbs_words.toml")
    return validated(ProverbWords, read_toml(path), str(path))


def spoken_words(text: str) -> list[str]:
    """The words of a text in small letters, apostrophes made straight."""
    return [word.casefold().replace("’", "'") for word in SPOKEN.findall(text)]
