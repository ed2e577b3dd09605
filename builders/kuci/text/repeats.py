"""What a crawl holds over and over: sentences that are alike but for digits and signs, and lines that are none."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

MOST: Final = 10_000_000
"""Sentences that are remembered, about a gigabyte; then those of longest ago are forgotten."""

_HIRAGANA: Final = re.compile("[ぁ-ゖ]")
_DIGITS: Final = re.compile("[0-9]+")
_SIGNS: Final = re.compile(r"[\W_]+")
_ADDRESS: Final = re.compile(r"https?://|www\.|[\w.]+@[\w.]+\.[a-z]", re.IGNORECASE)


def may_be_sentence(text: str) -> bool:
    """Whether a text may be a Japanese sentence: it has hiragana, and no address of a page or of mail.

    No marker of a cause or condition is written without hiragana; titles, menus, code and other languages are.
    """
    return _HIRAGANA.search(text) is not None and _ADDRESS.search(text) is None


class Repeats:
    """Tells sentences apart that are alike but for digits, signs, width and case.

    Args:
        most: Sentences that are remembered.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._keys: dict[bytes, None] = {}

    def has(self, text: str) -> bool:
        """Whether such a sentence came before; this one is remembered."""
        key = _key(text)
        if key in self._keys:
            return True
        if len(self._keys) >= self._most:
            del self._keys[next(iter(self._keys))]
        self._keys[key] = None
        return False


def _key(text: str) -> bytes:
    plain = _SIGNS.sub("", _DIGITS.sub("0", unicodedata.normalize("NFKC", text).casefold()))
    return hashlib.blake2b((plain or text).encode("utf-8", "surrogatepass"), digest_size=8).digest()
