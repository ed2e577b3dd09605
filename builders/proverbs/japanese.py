"""What the builder of proverbs knows of Japanese: gendered words, numbers, animals, and how much of a text differs.

Japanese parts no words, so a word is looked for in the text, the longest first: 息子 is a son, though 子 stands in it.
The table is `configs/proverbs_words_ja.toml`. What it does not know stays as it is, and people judge the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from typing import Final, Literal, NamedTuple

from tashika.core.settings import Section, packaged, read_toml, validated

Gender = Literal["man", "woman"]

_KANJI: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々〆]")
_KATAKANA: Final = re.compile(r"[ァ-ヺー]{2,}")


class GenderWords(Section):
    """Words that name a man or a woman.

    Attributes:
        pairs: A man's word and the woman's, each the other's counterpart.
        refused: What has no counterpart of one word, or names nobody, and why.
        nature: What may not stand beside a word, since the other gender would not be true.
    """

    pairs: dict[str, str]
    refused: dict[str, str]
    nature: dict[str, tuple[str, ...]]


class ChangeWords(Section):
    """What a change is known by: signs of numbers, and animals."""

    numbers: str
    animals: tuple[str, ...]


class JapaneseWords(Section):
    """The whole file."""

    gender: GenderWords
    change: ChangeWords


class Named(NamedTuple):
    """A gendered word in a text: itself, its counterpart, whose it is, and the man's word of the two."""

    word: str
    counterpart: str
    gender: Gender
    kind: str


@cache
def japanese_words() -> JapaneseWords:
    """The packaged table."""
    path = packaged("proverbs_words_ja.toml")
    return validated(JapaneseWords, read_toml(path), str(path))


@cache
def _table() -> dict[str, Named]:
    """Every gendered word."""
    table = {}
    for man, woman in japanese_words().gender.pairs.items():
        table[man] = Named(man, woman, "man", man)
        table[woman] = Named(woman, man, "woman", man)
    return table


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted({*_table(), *japanese_words().gender.refused}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, words)))


def swap(text: str) -> tuple[str, str | None]:
    """The text with every gendered word swapped; and why it cannot be, else None.

    The rules are those of `gender_swap.swap_gender`: a word without one counterpart refuses the whole, and so do words
    of both genders that would merely change places.
    """
    tables = japanese_words().gender
    matches = _pattern().findall(text)
    for word in matches:
        if word in tables.refused:
            return text, f'"{word}": {tables.refused[word]}'
    named = [_table()[word] for word in matches]
    if not named:
        return text, "has no gendered word"
    for word in named:
        beside = next((other for other in tables.nature.get(word.word, ()) if other in text), None)
        if beside is not None:
            return text, f'"{beside}" beside "{word.word}": the other gender would not be true'
    kinds = {gender: {word.kind for word in named if word.gender == gender} for gender in ("man", "woman")}
    if kinds["man"] & kinds["woman"]:
        return text, "has both genders, which would merely change places"
    return _pattern().sub(lambda match: _table()[match[0]].counterpart, text), None


def genders(text: str) -> frozenset[Gender]:
    """The genders of people that the words of a text name."""
    return frozenset(_table()[word].gender for word in _pattern().findall(text) if word in _table())


def numbers(text: str) -> Counter[str]:
    """The signs of numbers in a text."""
    return Counter(sign for sign in text if sign in japanese_words().change.numbers or sign.isdigit())


def animals(text: str) -> frozenset[str]:
    """The animals in a text."""
    return frozenset(animal for animal in japanese_words().change.animals if animal in text)


def content_signs(text: str) -> frozenset[str]:
    """What stands for a text's content words: each kanji, and words in katakana. Kana alone say how, not what."""
    return frozenset([*_KANJI.findall(text), *_KATAKANA.findall(text)])


def changed_places(text: str, other: str) -> int:
    """In how many places two texts differ: stretches of signs that are not common to both."""
    steps = SequenceMatcher(None, text, other, autojunk=False).get_opcodes()
    return sum(what != "equal" for what, *_ in steps)


def length(text: str) -> int:
    """How long a text is, in letters."""
    return sum(map(str.isalnum, text))
