"""Cloze templates: the two slots, and when two templates are the same."""

from __future__ import annotations

import unicodedata
from typing import Final

from tashika.core.writing import without_idle_spaces

SUBJECT_SLOT: Final = "[X]"
OBJECT_SLOT: Final = "[Y]"

_MARKS_ASIDE: Final = dict.fromkeys(
    [*range(0x0591, 0x05C8), *range(0x0610, 0x061B), 0x0640, *range(0x064B, 0x0660), 0x0670, 0x0307, 0x200C, 0x200D]
)
"""Points of Hebrew and Arabic and the stretched line, which may be left out; the dot of a small Turkish i; joiners."""


def normalised(template: str) -> str:
    """The template without case, punctuation and spacing: two templates with the same one are duplicates.

    Marks that make another letter or syllable of one, as in Hindi and Thai, are a part of the word. Where words are not
    parted by spaces, a space is no difference either.
    """
    text = unicodedata.normalize("NFKC", template).casefold().translate(_MARKS_ASIDE)
    return without_idle_spaces(" ".join("".join(sign if _in_word(sign) else " " for sign in text).split()))


def _in_word(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign).startswith("M")
