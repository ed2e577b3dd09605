"""Cloze templates: the two slots, and when two templates are the same."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

SUBJECT_SLOT: Final = "[X]"
OBJECT_SLOT: Final = "[Y]"

_NOT_WORD = re.compile(r"[\W_]+")


def normalised(template: str) -> str:
    """The template without case, punctuation and spacing: two templates with the same one are duplicates."""
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", template).casefold()).strip()
