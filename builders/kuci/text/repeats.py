"""What a crawl holds over and over: sentences that are alike but for digits and signs, and lines that are none."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from array import array
from typing import Final

MOST: Final = 10_000_000
"""Sentences that are remembered at least, where there are so many, in 270 MB at most; older ones are forgotten."""

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
    """Finds sentences that are alike but for digits, signs, width and case.

    Args:
        most: Sentences that are remembered at least; of twice as many the older half is forgotten.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._recent, self._older = Numbers(), Numbers()

    def has(self, text: str) -> bool:
        """Whether such a sentence came before; this one is remembered."""
        number = _number(text)
        if number in self._older or not self._recent.add(number):
            return True
        if len(self._recent) >= self._most:
            self._recent, self._older = Numbers(), self._recent
        return False


class Numbers:
    """A set of numbers of 64 bits, in 12 to 24 bytes each; Python's own takes some 100, and a crawl has millions.

    A table with open addressing and linear probing; 0 stands for an empty place.
    """

    def __init__(self) -> None:
        self._places = array("Q", bytes(8 * _FIRST_PLACES))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, number: int) -> bool:
        return self._places[self._place(number or 1)] != 0

    def add(self, number: int) -> bool:
        """Adds a number that is spread over all 64 bits, such as a digest; returns whether it is new."""
        number = number or 1
        place = self._place(number)
        if self._places[place]:
            return False
        self._places[place] = number
        self._count += 1
        if 3 * self._count > 2 * len(self._places):
            self._grow()
        return True

    def _place(self, number: int) -> int:
        """Where a number is, or would be."""
        places, last = self._places, len(self._places) - 1
        place = number & last
        while (other := places[place]) and other != number:
            place = (place + 1) & last
        return place

    def _grow(self) -> None:
        before = self._places
        self._places = array("Q", bytes(16 * len(before)))
        for number in before:
            if number:
                self._places[self._place(number)] = number


_FIRST_PLACES: Final = 1 << 10
"""Of a table; a power of two, and twice as many whenever two thirds of them are taken."""


def _number(text: str) -> int:
    """What sentences that are alike have in common."""
    plain = _SIGNS.sub("", _DIGITS.sub("0", unicodedata.normalize("NFKC", text).casefold()))
    digest = hashlib.blake2b((plain or text).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")
