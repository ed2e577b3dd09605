"""Gender swapped in a proverb by a table of words: "Every man for himself" and "Every woman for herself".

Source: "A Statistical Analysis of LLMs' Self-Evaluation Using Proverbs" (PRICAI 2024), whose pairs on gender differ in
these words alone. Bare "man" is swapped as in the paper ("Man has responsibility, not power"), though it may mean
everybody. It is refused only where the text itself shows that no man is meant: in "mankind", beside beasts or gods, or
in a phrase of `configs/proverbs_words.toml`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from tashika.builders.proverbs import japanese
from tashika.builders.proverbs.words import WORD, proverb_words
from tashika.core.suites.proverbs.words import Direction, language_of

Gender = Literal["man", "woman"]

_HIS: Final = frozenset({"his", "him", "her", "hers"})
"""Pronouns whose counterpart hangs on their place."""

# What cannot begin a noun phrase: "his" before one of these stands alone ("hers"), and "her" is an object ("him").
_STARTERS: Final = """
    a about across after again against ahead all alone along although always among an and any apart are as aside
    at away be because been before behind being beside besides between beyond but by can could did do does down
    during even ever every except for forever from had has have he hence her here herself himself his how i if
    in indeed into is it its lest me must my neither never no nor not nothing now of off often on once or our
    out over shall she should since so some soon still than that the their them themselves then there these they
    this those though thrice through till to today together tomorrow tonight too toward towards twice under
    unless until unto up upon us was we well were what when where wherever whether which while who whom whose
    why with within without would yesterday yet you your yourself"""
_NO_NOUN: Final = frozenset(_STARTERS.split())
# After these "her" may be one object of two ("give her money"), or have a verb or an adjective after it ("let her go").
_GIVERS: Final = """
    ask asks bid bids bring brings buy buys call calls feel feels find finds get gets give gives hear hears help helps
    hold holds keep keeps lend lends let lets make makes offer offers owe owes pay pays see sees send sends show shows
    teach teaches tell tells think thinks watch watches wish wishes made gave told taught called lent"""
_TWO_READINGS: Final = frozenset(_GIVERS.split())
# Before a noun these belong to it ("her first child"); without one they may as well tell of her ("put her first").
_TELLING: Final = """
    back bad badly best better clean dear early fast fat fine first free full good happy hard home honest last late long
    mad more most old poor rich right sad second sick straight sweet thin warm wise worse worst wrong young"""
_LAST_WORDS: Final = frozenset(_TELLING.split())
_RELATIVES: Final = frozenset({"who", "whoever", "whosoever", "that"})
_COMPOUND: Final = re.compile(r"(?P<stem>.{2,}?)(?P<end>woman|women|man|men)")
_MEETING: Final = re.compile(r"[^\S\n]+")


class Unswappable(Exception):  # noqa: N818 - a finding, and no failure
    """A text whose gender cannot be swapped.

    Args:
        reason: Why, in a few words.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def swap_gender(text: str) -> str:
    """The text with every gendered word swapped; capital letters, punctuation and spacing stay.

    Swapped twice a text is the same again, unless it has a word of the table `one_way` (a lord's counterpart is a
    lady, and hers a gentleman).

    Args:
        text: A proverb, in English or Japanese.

    Raises:
        Unswappable: It has no gendered word, a word without one counterpart, a person's name, or words of both genders
            that would merely change places; or "her" may be both "him" and "his".
    """
    if language_of(text) == "ja":
        swapped, reason = japanese.swap(text)
        if reason is not None:
            raise Unswappable(reason)
        return swapped
    words = list(WORD.finditer(text))
    small = [word.group().casefold() for word in words]
    _refuse(text, [word.group() for word in words], small)
    parts: list[str] = []
    end = 0
    for place, word in enumerate(words):
        other = _counterpart(text, words, small, place)
        parts += [text[end : word.start()], word.group() if other == small[place] else _cased(other, word.group())]
        end = word.end()
    swapped = "".join([*parts, text[end:]])
    if swapped == text:
        raise Unswappable("has no gendered word")
    contrast = _kinds(small, "man") & _kinds(small, "woman")
    if contrast or Counter(_plain(swapped)) == Counter(_plain(text)):
        raise Unswappable("has both genders, which would merely change places")
    return swapped


def genders(text: str) -> frozenset[Gender]:
    """The genders of people that the words of a text name; a hen is no woman."""
    if language_of(text) == "ja":
        return japanese.genders(text)
    named: set[Gender] = set()
    for word in WORD.findall(text.casefold()):
        compound = _compound(word)
        if word in proverb_words().change.animals:
            continue
        if word in _genders():
            named.add(_genders()[word])
        elif compound:
            named.add("woman" if compound["end"] in {"woman", "women"} else "man")
    return frozenset(named)


def direction_of(text: str) -> Direction | None:
    """Whom a proverb speaks of, and so which way its swap goes; None where it names no person's gender."""
    named = genders(text)
    if len(named) == 2:
        return "both"
    if not named:
        return None
    return "man-first" if "man" in named else "woman-first"


def _kinds(words: list[str], gender: Gender) -> set[str]:
    """What kinds of people (or beasts) of a gender are named, by the man's word for one: sons and daughters are one."""
    own = {word for word in words if _genders().get(word) == gender and word not in _HIS}
    men = (_table()[_table()[word]] if gender == "man" else _table()[word] for word in own)
    return {"man" if word == "men" else word.removesuffix("s") for word in men}


@cache
def _table() -> Mapping[str, str]:
    """Every word's counterpart, of those that have one wherever they stand."""
    words = proverb_words().gender
    return {**{woman: man for man, woman in words.pairs.items()}, **words.pairs, **words.one_way}


@cache
def _genders() -> Mapping[str, Gender]:
    words = proverb_words().gender
    men: dict[str, Gender] = dict.fromkeys((*words.pairs, *words.one_way, "his", "him"), "man")
    women: dict[str, Gender] = dict.fromkeys((*words.pairs.values(), "her", "hers"), "woman")
    return {**men, **women}


def _compound(word: str) -> re.Match[str] | None:
    """The parts of a word in -man, -men, -woman or -women that names somebody."""
    words = proverb_words().gender
    whole = word in _table() or word in words.refused
    plural = word.removesuffix("s")
    return None if whole or {word, plural} & words.not_compounds else _COMPOUND.fullmatch(word)


def _refuse(text: str, words: list[str], small: list[str]) -> None:
    """Refuses what the text shows before any word is swapped."""
    table = proverb_words().gender
    running = f" {_MEETING.sub(' ', text.casefold())} "
    for phrase, why in table.phrases.items():
        if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", running):
            raise Unswappable(f'"{phrase}": {why}')
    for word, key in zip(words, small, strict=True):
        if key in table.persons and word[0].isupper():
            raise Unswappable(f"names a person: {word}")
        if key in table.refused:
            raise Unswappable(f'"{key}" has no counterpart: {table.refused[key]}')
        beside = table.nature.get(key, frozenset()) & set(small)
        if beside:
            raise Unswappable(f'"{key}" beside "{min(beside)}": it would not be true of the other gender')
        compound = _compound(key)
        if compound and compound["stem"] not in table.compounds:
            raise Unswappable(f'"{key}" has no known counterpart')


def _counterpart(text: str, words: list[re.Match[str]], small: list[str], place: int) -> str:
    """The counterpart of a word where it stands; the word itself if it has no gender."""
    word = small[place]
    if word in _HIS:
        return _pronoun(text, words, small, place)
    if word in _table():
        return _table()[word]
    compound = _compound(word)
    if not compound:
        return word
    ends = {"man": "woman", "men": "women", "woman": "man", "women": "men"}
    return compound["stem"] + ends[compound["end"]]


def _pronoun(text: str, words: list[re.Match[str]], small: list[str], place: int) -> str:
    """The counterpart of "his", "him", "her" or "hers".

    "His" and "her" belong to a noun if a word follows at once that a noun phrase can begin with.

    Raises:
        Unswappable: "Her" may be read in two ways.
    """
    word = small[place]
    if word in {"him", "hers"}:
        return {"him": "her", "hers": "his"}[word]
    last = place + 1 == len(words)
    follows = not last and _MEETING.fullmatch(text, words[place].end(), words[place + 1].start()) is not None
    owner = follows and small[place + 1] not in _NO_NOUN and not small[place + 1].endswith("ly")
    if word == "his":
        return "her" if owner else "hers"
    if owner and place and small[place + 1] != "own":
        near = slice(place - 1, place + 2)
        if small[place - 1] in _TWO_READINGS or _tells(text, words, small, place + 1) or _two_verbs(small, place):
            raise Unswappable(f'"her" may be "him" or "his" in "{" ".join(small[near])}"')
    return "his" if owner else "him"


def _tells(text: str, words: list[re.Match[str]], small: list[str], place: int) -> bool:
    """Whether the word after "her" may tell of her, as in "set her free": no noun follows it."""
    if small[place] not in _LAST_WORDS:
        return False
    last = place + 1 == len(words)
    follows = not last and _MEETING.fullmatch(text, words[place].end(), words[place + 1].start()) is not None
    return not follows or small[place + 1] in _NO_NOUN


def _two_verbs(small: list[str], place: int) -> bool:
    """Whether "her" stands between a clause's verb and what may be the next one: "Who loves her fears her"."""
    after = small[place + 1]
    stems = {after.removesuffix("s"), after.removesuffix("es"), after.removesuffix("ies") + "y"} - {after}
    return place > 1 and small[place - 2] in _RELATIVES and bool(stems & proverb_words().sentence.verbs)


def _cased(word: str, like: str) -> str:
    """The word with the capitals of another."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _plain(text: str) -> list[str]:
    """The words of a text, the pronouns that share a counterpart made one."""
    return [{"him": "his", "hers": "her"}.get(word, word) for word in WORD.findall(text.casefold())]
