"""How languages are written, as far as a sentence with slots depends on it.

English parts its words by spaces and ends a sentence with a full stop. Others do not: Japanese, Chinese and Thai write
no spaces, Arabic and Hebrew put particles before a noun in one word with it, Korean, Turkish and Finnish put endings
behind it, and quotation marks and final signs differ. A language is known by its code as Wikidata writes it (`ja`,
`zh-hans`).

What depends on the language of a sentence alone, and not on where it came from, is read off its letters, so that a
release needs no column for it: `closes`, `without_idle_spaces`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Final

KANA: Final = "KANA"
"""The script of Japanese: a sentence of it has kana, whatever else it has."""

UNSPACED: Final = frozenset({KANA, "CJK", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})
"""Scripts that write no space between words."""

_KANA: Final = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
_CJK_MARKS: Final = "々〆〇"


@dataclass(frozen=True)
class Writing:
    """How a language is written.

    Attributes:
        code: The language.
        name: Its name in English; the code where that is not known here.
        scripts: What a sentence of it is written in, as `script_of` names it; empty where any will do.
        prefixes: Whether a word may have letters before it that belong to the sentence, as an Arabic particle.
        suffixes: Whether it may have such letters behind it, as a Finnish case.
    """

    code: str
    name: str
    scripts: frozenset[str] = frozenset()
    prefixes: bool = False
    suffixes: bool = False

    @property
    def unspaced(self) -> bool:
        """Whether it writes no space between words."""
        return bool(self.scripts & UNSPACED)

    def may_touch(self, letter: str, *, before: bool) -> bool:
        """Whether this letter of a sentence may stand directly before a name in it, or else directly behind it."""
        script = letter_script(letter)
        if self.unspaced:
            return script in UNSPACED or script in _KANA
        return (self.prefixes if before else self.suffixes) and (script in self.scripts or not self.scripts)


def writing_of(language: str) -> Writing:
    """How a language is written; of one that is not known here as English is, in any script.

    English is also what a text is taken for whose language nobody names, so any script will do there.
    """
    code = language.split("-", maxsplit=1)[0].lower()
    name, scripts = _KNOWN.get(code, (code, frozenset[str]()))
    return Writing(code, name, scripts, f" {code} " in _PREFIXED, f" {code} " in _SUFFIXED)


def letter_script(letter: str) -> str:
    """The script of one character, the first word of its name in Unicode: LATIN, CJK, HIRAGANA; empty for a sign."""
    if letter in _CJK_MARKS:
        return "CJK"
    if not (letter.isalpha() or unicodedata.category(letter).startswith("M")):
        return ""
    return unicodedata.name(letter, "").split(" ")[0]


def script_of(text: str) -> str | None:
    """The script that most letters of a text are of, `KANA` where it has any kana; None where it has no letters."""
    counts = Counter(script for script in map(letter_script, text) if script)
    if counts.keys() & _KANA:
        return KANA
    return max(sorted(counts), key=lambda script: counts[script]) if counts else None


def closes(text: str) -> bool:
    """Whether a text that stands behind the last word of a sentence says nothing more.

    It does not if it is final signs and closing quotation marks alone. In Japanese and Korean the copula may come
    before them: behind the noun of "日本の首都は東京です。" nothing follows that could be asked for.
    """
    return _CLOSING.fullmatch(text) is not None


def without_idle_spaces(text: str) -> str:
    """The text without the spaces beside letters and signs that are written without them; other spaces stay.

    A slot counts as what stands around it: "[X] は [Y] です" is "[X]は[Y]です", "[X] is [Y]" stays.
    """
    return _IDLE.sub("", text)


_SIGNS: Final = r"\s.!?…。！？．｡؟۔।॥։።။\"'”’“‘»›«‹」』）】"
_COPULA: Final = "です|だ|である|でした|だった|であった|입니다|이다|이었다|였다"
_CLOSING: Final = re.compile(rf"(?:[」』”]?(?:{_COPULA}))?[{_SIGNS}]*")

_UNSPACED_CHARACTERS: Final = (
    "\u3001-\u303f\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\uff61-\uff9f"
    "\u0e00-\u0e7f\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003134f"
)
_SLOT: Final = r"(?:\[[XY]\])"
_IDLE: Final = re.compile(
    rf"(?<=[{_UNSPACED_CHARACTERS}])\s+(?=[{_UNSPACED_CHARACTERS}])"
    rf"|(?<=[{_UNSPACED_CHARACTERS}])\s+(?={_SLOT})"
    rf"|(?<=\[[XY]\])\s+(?=[{_UNSPACED_CHARACTERS}])"
)

_LANGUAGES: Final = """
af=Afrikaans:LATIN am=Amharic:ETHIOPIC ar=Arabic:ARABIC az=Azerbaijani:LATIN be=Belarusian:CYRILLIC
bg=Bulgarian:CYRILLIC bn=Bengali:BENGALI ca=Catalan:LATIN ceb=Cebuano:LATIN cs=Czech:LATIN cy=Welsh:LATIN
da=Danish:LATIN de=German:LATIN el=Greek:GREEK en=English es=Spanish:LATIN et=Estonian:LATIN eu=Basque:LATIN
fa=Persian:ARABIC fi=Finnish:LATIN fr=French:LATIN ga=Irish:LATIN gl=Galician:LATIN he=Hebrew:HEBREW
hi=Hindi:DEVANAGARI hr=Croatian:LATIN hu=Hungarian:LATIN hy=Armenian:ARMENIAN id=Indonesian:LATIN is=Icelandic:LATIN
it=Italian:LATIN ja=Japanese:KANA ka=Georgian:GEORGIAN kk=Kazakh:CYRILLIC km=Khmer:KHMER ko=Korean:HANGUL
la=Latin:LATIN lo=Lao:LAO lt=Lithuanian:LATIN lv=Latvian:LATIN mk=Macedonian:CYRILLIC mn=Mongolian:CYRILLIC
mr=Marathi:DEVANAGARI ms=Malay:LATIN my=Burmese:MYANMAR nb=Norwegian:LATIN ne=Nepali:DEVANAGARI nl=Dutch:LATIN
no=Norwegian:LATIN pl=Polish:LATIN pt=Portuguese:LATIN ro=Romanian:LATIN ru=Russian:CYRILLIC sk=Slovak:LATIN
sl=Slovenian:LATIN sq=Albanian:LATIN sr=Serbian:CYRILLIC+LATIN sv=Swedish:LATIN sw=Swahili:LATIN ta=Tamil:TAMIL
te=Telugu:TELUGU th=Thai:THAI tl=Tagalog:LATIN tr=Turkish:LATIN uk=Ukrainian:CYRILLIC ur=Urdu:ARABIC
uz=Uzbek:LATIN+CYRILLIC vi=Vietnamese:LATIN yue=Cantonese:CJK zh=Chinese:CJK
"""
"""Languages, each with its English name and its scripts: mLAMA's and some more."""

_SUFFIXED: Final = " az bn da de et eu fi hu hy is ka kk ko la mn mr nb nl no sv ta te tr uz "
_PREFIXED: Final = " ar fa he "

_KNOWN: Final = {
    code: (name, frozenset(scripts.split("+")) - {""})
    for code, _, entry in (line.partition("=") for line in _LANGUAGES.split())
    for name, _, scripts in (entry.partition(":"),)
}
