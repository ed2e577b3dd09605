"""Texts of others in documents of a release: a label or a candidate may hold anything, and stays a text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_JOINERS: Final = "\u200c\u200d"
"""Signs that do not print and that words of some languages are written with."""
_MARKDOWN: Final = re.compile(r"[\\`*_\[\]|~]")
_AS_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_MARKER: Final = re.compile(r"<!--(?=\s*tashika:)")
_UNSAFE: Final = re.compile("[<\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What ends a script in a page that JSON is put into, or turns the direction of what follows."""


def one_line(text: str) -> str:
    """Text in one line; what does not print is a space."""
    kept = (sign if sign.isprintable() or sign in _JOINERS else " " for sign in text)
    return " ".join("".join(kept).split())


def as_text(value: object) -> str:
    """A text of others for a card: in one line, in which nothing is Markdown, HTML or our own marker.

    Underscores and asterisks inside of a word stay as they are: they mean nothing there.
    """
    text = re.sub(r"[&<>]", lambda sign: _AS_TEXT[sign[0]], one_line(str(value)))
    return _MARKDOWN.sub(lambda mark: mark[0] if _is_in_word(mark) else f"\\{mark[0]}", text)


def _is_in_word(mark: re.Match[str]) -> bool:
    before, after = mark.string[max(0, mark.start() - 1) : mark.start()], mark.string[mark.end() : mark.end() + 1]
    return mark[0] == "_" and before.isalnum() and after.isalnum()


def as_cell(value: object) -> str:
    """Markdown of our own, or of who wrote the suite file, for a cell of a table; it has no HTML."""
    return _TAG.sub("&lt;", str(value)).replace("|", r"\|").replace("\n", " ")


def as_code(name: str) -> str:
    """A name as code where code can hold it, else as text."""
    return as_text(name) if not name.isprintable() or set("`|") & set(name) or name != name.strip() else f"`{name}`"


def in_fence(text: str) -> str:
    """Text that does not end the fence that it stands in."""
    return text.replace("```", "'''")


def without_markers(block: str) -> str:
    """A block in which no text is taken for the marker of a generated block."""
    return _MARKER.sub("&lt;!--", block)


def document_json(value: Any) -> str:
    """JSON that may stand in a page: the same values, with the signs of HTML and of direction by their codes."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
