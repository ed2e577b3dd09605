"""What the web and old computers leave in text, made plain: the analysers know a sentence only in its usual signs."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_HALF_WIDTH: Final = re.compile("[\uff61-\uff9f]+")
"""Half-width katakana and signs: ｱ, ﾞ, ､, ｡."""

_EMOJI: Final = (
    "\u200d\u20e3\ufe0e\ufe0f"  # what joins and colours them
    "\u2600-\u27bf\u2b00-\u2bff"  # signs, such as ☀ and ⭐
    "\U0001f000-\U0001faff\U000e0020-\U000e007f"
)
_INVISIBLE: Final = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0e-\x1f\x7f"

_LEFT_OUT: Final = re.compile(f"[{_EMOJI}{_INVISIBLE}]+")
_SPACES: Final = re.compile(r"[\t\x0b\x0c\u00a0\u2028\u2029\x85 ]+")


def clean(text: str) -> str:
    """A text in its usual signs.

    Composed characters (NFC: か and ゛ are が), katakana and signs of full width; no emoji and nothing invisible; one
    space for several, none at the ends. Letters and digits stay as they are.
    """
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    text = _HALF_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return _SPACES.sub(" ", _LEFT_OUT.sub("", text)).strip()
