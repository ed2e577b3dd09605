"""What is written into a prompt the same way wherever a question is put to a model: letters, blanks, seams."""

from __future__ import annotations

import unicodedata
from typing import Final

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The names of listed options, in order."""

BLANK: Final = "[BLANK]"
"""What marks the blank of a cloze in a suite file."""

NUMBER: Final = r"[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+−]?\.\d+"
"""A number in a reply."""

LETTER_ALONE: Final = "Answer with the letter of the right option alone."
"""What a chat model is told before a question whose options are listed by letter."""

LABELS_ALONE: Final = "Answer with one of these alone:"
"""What stands before the labels that a model chooses among in words."""


def seam(text: str) -> tuple[str, str]:
    """A text without the spaces at its end, and what stands between it and its answer.

    That is the spaces that it ends with; nothing behind the end of a line, or behind a script without spaces such as
    Japanese; else a space. Tokenizers have a space in front of a word, so it belongs to the answer.
    """
    bare = text.rstrip(" ")
    if len(bare) < len(text):
        return bare, text[len(bare) :]
    if not text or text[-1].isspace() or unicodedata.east_asian_width(text[-1]) in {"W", "F"}:
        return text, ""
    return text, " "
