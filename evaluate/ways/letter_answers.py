"""Reads a chat model's choice among lettered options, strictly: a letter, an option's text, or both, and nothing else.

What is taken for an answer, where B stands for Paris: `B`, `B.`, `B:`, `B)`, `(B)`, `[B]`, `B) Paris`, `(B) Paris`,
`Paris`, each also behind `Answer:`, and with Markdown's signs for bold, italics or code around it. All else is no
answer, however clear it may seem to a reader: prose, two letters, a letter that no option has, a letter with another
option's text.

Letters and texts may come in capitals or not, and in full width (Ｂ). A text that stands as it is goes before one that
differs in case; a closing full stop is passed over. What fits two options, because one is named like another's letter,
is no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from tashika.core.prompting import LETTERS
from tashika.evaluate.ways.generation import Unparsable

READER_VERSION: Final = 1
"""Part of the settings of what depends on it: raise it when a reply is read otherwise."""

_MARKUP: Final = re.compile(r"(\*\*|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_CUE: Final = re.compile(r"answer\s*:\s*", re.IGNORECASE)
_LETTER: Final = re.compile(
    r"(?:\((?P<round>[A-Za-z])\)|\[(?P<square>[A-Za-z])\]|(?P<bare>[A-Za-z]))(?P<sign>[.:)]?)(?P<rest>.*)", re.DOTALL
)
_TWO: Final = re.compile(r"\W*[A-Z]\b(?:\W+(?:and|or)\b)?\W+[A-Z]\W*", re.IGNORECASE)


def read_choice(text: str, options: Sequence[str]) -> int:
    """The place of the option that a reply names.

    Args:
        text: The reply.
        options: The options' texts; the first is A.

    Raises:
        Unparsable: It names none, or two. The message is one of a few: empty, no such letter, two letters, prose …
    """
    if not text.strip():
        raise Unparsable("empty")
    plain = _plain(text)
    choices = {place for place in (_by_letter(plain, options), *_by_text(text, plain, options)) if place is not None}
    if len(choices) == 1 and not _contradicts(_folded(text), options):
        return choices.pop()
    raise Unparsable("fits two options" if choices else _trouble(plain, options))


def _by_letter(plain: str, options: Sequence[str]) -> int | None:
    """The option of a lone letter, or of a letter with the same option's text."""
    match = _LETTER.fullmatch(plain)
    place = _place(match, options)
    if match is None or place is None:
        return None
    rest = match["rest"].strip()
    if not rest:
        return place
    closed = match["sign"] or not match["bare"]
    return place if closed and _same(rest, options[place]) else None


def _contradicts(folded: str, options: Sequence[str]) -> bool:
    """Whether a letter stands with another option's text, read with the signs that may be Markdown's: A) __init__."""
    match = _LETTER.fullmatch(folded)
    place = _place(match, options)
    if match is None or place is None or not (match["sign"] or not match["bare"]):
        return False
    return any(_same(match["rest"], option) for other, option in enumerate(options) if other != place)


def _by_text(text: str, plain: str, options: Sequence[str]) -> list[int]:
    """The options that are named by their text: as it stands if there is one, else but for case."""
    exact = [place for place, option in enumerate(options) if option == text.strip()]
    return exact or [place for place, option in enumerate(options) if _same(plain, option)]


def _place(match: re.Match[str] | None, options: Sequence[str]) -> int | None:
    if match is None:
        return None
    place = LETTERS.index((match["round"] or match["square"] or match["bare"]).upper())
    return place if place < len(options) else None


def _trouble(plain: str, options: Sequence[str]) -> str:
    """What kind of reply it is that names no option."""
    match = _LETTER.fullmatch(plain)
    if match and not match["rest"].strip():
        return "no such letter"
    joined = len(plain) > 1 and set(plain) <= set(LETTERS[: len(options)])  # AB
    if joined or _TWO.fullmatch(plain):
        return "two letters"
    if match and (match["sign"] or not match["bare"]) and any(_same(match["rest"], option) for option in options):
        return "letter and text of different options"
    return "prose"


def _plain(text: str) -> str:
    """A reply without Markdown, and without the cue that it may repeat."""
    text = _folded(text)
    for _ in range(2):  # **Answer: `B`**
        text = _MARKUP.sub(r"\2", text)
    return _CUE.sub("", text, count=1).strip() if _CUE.match(text) else text


def _same(one: str, other: str) -> bool:
    """Whether two texts are the same but for case, spaces and a closing full stop."""
    one, other = (_folded(text).casefold() for text in (one, other))
    return one in {other, f"{other}."}


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
