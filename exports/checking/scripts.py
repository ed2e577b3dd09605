"""In which scripts a language is written, and whether a text is in them: by Unicode's ranges, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_SCRIPTS: Final[Mapping[str, str]] = {
    "Latin": "A-Za-zªºÀ-ÖØ-öø-ʯᴀ-ᶿḀ-ỿⱠ-Ɀ꜠-ꟿＡ-Ｚａ-ｚ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ԯᲀ-᲏ⷠ-ⷿꙀ-ꚟ",
    "Armenian": "Ա-֏",
    "Hebrew": "א-ת",
    "Arabic": "ؠ-يٮ-ۓݐ-ݿࢠ-ࣿﭐ-﷿ﹰ-ﻼ",
    "Devanagari": "ऀ-ॿ",
    "Bengali": "ঀ-৿",
    "Gurmukhi": "਀-੿",
    "Gujarati": "઀-૿",
    "Tamil": "஀-௿",
    "Telugu": "ఀ-౿",
    "Kannada": "ಀ-೿",
    "Malayalam": "ഀ-ൿ",
    "Sinhala": "඀-෿",
    "Thai": "ก-๛",
    "Lao": "ກ-ໟ",
    "Georgian": "Ⴀ-ჿᲐ-Ჿ",
    "Ethiopic": "ሀ-፿",
    "Khmer": "ក-៿",
    "Myanmar": "က-႟",
    "Kana": "ぁ-ゟァ-ヿㇰ-ㇿｦ-ﾝ",
    "Han": "々〇㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U000323af",
    "Hangul": "ᄀ-ᇿ㄰-㆏가-힣",
}
"""Letters of each script, as ranges of a regular expression (Unicode's Scripts.txt, by blocks)."""

_WIDELY_USED: Final[Mapping[str, str]] = {
    "Latin": """af az bs ca cs cy da de en eo es et eu fi fil fr ga gl ha hr hu id is it la lb lt lv ms mt nb nl nn no
        oc pl pt ro sk sl so sq sv sw tl tr uz vi yo zu""",
    "Cyrillic": "be bg kk ky mk mn ru tg uk",
    "Arabic": "ar fa ps ug ur",
    "Devanagari": "hi mr ne sa",
}
_OF_LANGUAGE: Final[Mapping[str, tuple[str, ...]]] = {
    **{code: (script,) for script, codes in _WIDELY_USED.items() for code in codes.split()},
    **dict.fromkeys(("he", "yi"), ("Hebrew",)),
    **dict.fromkeys(("as", "bn"), ("Bengali",)),
    "am": ("Ethiopic",),
    "el": ("Greek",),
    "gu": ("Gujarati",),
    "hy": ("Armenian",),
    "ja": ("Kana", "Han"),
    "ka": ("Georgian",),
    "km": ("Khmer",),
    "kn": ("Kannada",),
    "ko": ("Hangul", "Han"),
    "lo": ("Lao",),
    "ml": ("Malayalam",),
    "my": ("Myanmar",),
    "pa": ("Gurmukhi", "Arabic"),
    "si": ("Sinhala",),
    "sr": ("Cyrillic", "Latin"),
    "ta": ("Tamil",),
    "te": ("Telugu",),
    "th": ("Thai",),
    "zh": ("Han",),
}
"""Scripts by ISO 639 code; a language that is not here is not checked."""

_LETTERS: Final = {name: re.compile(f"[{ranges}]") for name, ranges in _SCRIPTS.items()}
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN_WORDS: Final = 4
"""So many words in Latin letters are a sentence; fewer may be a name, which many languages leave as it is."""
_HAN_ALONE: Final = 16
"""So many Chinese characters without kana are hardly Japanese."""


def scripts_of(languages: Iterable[str]) -> frozenset[str] | None:
    """The scripts that texts in these languages are written in; None where one of the languages is not known."""
    known = [_OF_LANGUAGE.get(re.split("[-_]", language)[0].casefold()) for language in languages]
    if not known or None in known:
        return None
    return frozenset(script for scripts in known for script in scripts or ())


def strange_script(text: str, scripts: frozenset[str]) -> str | None:
    """The script that most of a text's letters have, where it is none of the expected ones; None where all is well.

    A few words in Latin letters are a name in any language. A long text in Chinese characters without kana is no
    Japanese.
    """
    counts = {name: len(letters.findall(text)) for name, letters in _LETTERS.items() if letters.search(text)}
    total = sum(counts.values())
    if total < 2:  # a sign such as α is no text
        return None
    expected = sum(counts.get(name, 0) for name in scripts)
    if "Kana" in scripts and counts.get("Han", 0) >= _HAN_ALONE and counts["Han"] == total:
        return "Han without kana"
    if 2 * expected >= total:
        return None
    most = max(sorted(counts), key=lambda name: counts[name])
    return None if most == "Latin" and len(_WORD.findall(text)) < _LATIN_WORDS else most
