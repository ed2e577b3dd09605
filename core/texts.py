"""When two texts are the same to a reader, and whether one has another one's words."""

from __future__ import annotations

import unicodedata


def text_key(text: str) -> str:
    """Two texts with the same key are the same to a reader: case, width and spacing are no difference."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def has_words(text: str, words: str) -> bool:
    """Whether the words stand in the text, whole: Rome does not in Romero. Case, width and spacing do not matter."""
    text, words = text_key(text), text_key(words)
    start = text.find(words) if words else -1
    while start >= 0:
        end = start + len(words)
        if not (text[:start][-1:].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(words, start + 1)
    return False


def shingles(text: str, length: int = 3) -> list[bytes]:
    """The runs of so many letters of a text, case and space aside; a shorter text is one run."""
    plain = " ".join(text.casefold().split())
    return [plain[start : start + length].encode() for start in range(max(len(plain) - length + 1, 1))]
