"""Checks of single texts: empty, overlong, in another script, with characters that do not print, with personal data."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from statistics import median
from typing import Final

from tashika.exports.checking.examined import Examined, shown
from tashika.exports.checking.personal import LIKELY, personal_data
from tashika.exports.checking.scripts import scripts_of, strange_script
from tashika.exports.checks import Problem

_LONG: Final = 200
"""Characters up to which no text is overlong."""

_UNPRINTED: Final = r"[\p{Cc}\p{Cf}\p{Co}\x{FFFD}\x{FFFC}\x{2028}\x{2029}\x{115F}\x{1160}\x{3164}\x{FFA0}]"
_LINES: Final = "\n\t"
_FILLERS: Final = "ᅟᅠㅤﾠ"  # of Hangul, which look like nothing
_VISIBLE: Final = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2"  # signs of Arabic and Syriac that are drawn
_JOINERS: Final = "\u200c\u200d"
_JOINING: Final = ("ARABIC", "DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM")
_JOINING_ALSO: Final = ("SINHALA", "SYRIAC", "MONGOLIAN", "KHMER", "MYANMAR", "TIBETAN")


def texts_are_not_empty(examined: Examined) -> Iterator[Problem]:
    """No text is empty, unless its column may be."""
    for config, shape in examined.shapes():
        columns = examined.release.configs[config].columns
        for column in shape.texts:
            if not columns[column].optional:
                for text in examined.column_texts(config, column, empty=True):
                    yield text.problem(repr(text.text) if text.text else "nothing")


def texts_are_not_overlong(examined: Examined) -> Iterator[Problem]:
    """No text is far longer than the others of its column."""
    for config, shape in examined.shapes():
        for column in shape.texts:
            texts = list(examined.column_texts(config, column))
            if not texts:
                continue
            usual = median(len(text.text or "") for text in texts)
            most = max(_LONG, examined.checks.overlong * usual)
            for text in texts:
                if text.text and len(text.text) > most:
                    yield text.problem(f"{len(text.text):,} characters where {usual:,.0f} are the median")


def texts_are_in_the_language(examined: Examined) -> Iterator[Problem]:
    """Every text is in a script of its language."""
    declared = examined.draft.settings.language
    for config, shape in examined.shapes():
        languages = _languages(examined, config, shape.language) if shape.language else {}
        for column in shape.texts:
            for text in examined.column_texts(config, column):
                own = (languages[text.item],) if text.item in languages else declared
                scripts = scripts_of(own)
                script = strange_script(text.text or "", scripts) if scripts else None
                if script:
                    yield text.problem(f"{script} in {shown(text.text or '')} where {', '.join(own)} is declared")


def _languages(examined: Examined, config: str, column: str) -> dict[str, str]:
    return {row.item: str(row.values[0]) for row in examined.rows(config, [column])}


def characters_print(examined: Examined) -> Iterator[Problem]:
    """No text has control characters, invisible ones, those of private use, or the one that stands for a lost one."""
    for text in examined.texts(matching=_UNPRINTED):
        strange = list(dict.fromkeys(_unprinted(text.text or "")))
        if strange:
            names = ", ".join(f"U+{ord(char):04X} ({unicodedata.name(char, _kind(char))})" for char in strange[:3])
            yield text.problem(f"{names} in {shown(text.text or '')}")


def _unprinted(text: str) -> Iterator[str]:
    for place, char in enumerate(text):
        wrong = unicodedata.category(char) in {"Cc", "Cf", "Co", "Zl", "Zp"} or char in f"\ufffc\ufffd{_FILLERS}"
        if wrong and char not in f"{_LINES}{_VISIBLE}" and not _joins(text, place):
            yield char


def _joins(text: str, place: int) -> bool:
    """Whether an invisible character does what it is there for: a joiner, or a part of an emoji."""
    before = text[place - 1] if place else ""
    if text[place] in _JOINERS:
        name = unicodedata.name(before, "") if before else ""
        return name.startswith((*_JOINING, *_JOINING_ALSO)) or unicodedata.category(before or " ") in {"So", "Sk", "Mn"}
    return 0xE0020 <= ord(text[place]) <= 0xE007F and "\U0001f3f4" in text[:place]  # a flag of a part of a country


def _kind(char: str) -> str:
    return {"Cc": "a control character", "Co": "of private use"}.get(unicodedata.category(char), "invisible")


def no_personal_data(examined: Examined) -> Iterator[Problem]:
    """No text has what looks like a person's mail, phone, card, machine or postal code."""
    for text in examined.texts(matching=LIKELY):
        for words in dict.fromkeys(personal_data(text.text or "")):
            yield text.problem(f"what looks like {words}")
