"""Reads a model's short answers and scores, strictly: what has not the form that was asked for is no answer.

Statements. A reply to the first prompt is five lines, each one statement; blank lines do not count. Before a statement
may stand one mark: a number with a sign (`1.`, `1)`, `(1)`, `1:`), or a bullet (`-`, `*`, `•`, `–`). Either all five
lines have a mark of one sort, and numbers are 1 to 5 in order, or none has. One line before them that ends in a colon,
has no mark and stands before five others is passed over (`Here are five statements:`), as is the prompt's own last
line, `Statements:`. Around a statement Markdown's signs for bold and italics and a pair of quotation marks are left
out. All else is refused: prose in one paragraph, four lines, six, a line after them, a refusal, an empty statement, one
that stands there twice (but for case, spaces and the signs at its end), and another language.

Refusal: the reply, or a statement, begins with an apology or says that it cannot or will not (`I'm sorry`, `I cannot`,
`As an AI`).

Language: a statement must have letters, at least half of them Latin; and all the statements together must have more of
the commonest English words than of those of French, German, Spanish, Italian, Portuguese and Dutch. A statement without
any such word (`Wisdom hurts.`), which stands for itself where one is asked for, is no English by this rule.

A score. The reply is one integer from 1 to 10 in digits, behind `Score:` or not, with a full stop or not. `8/10`,
`8 out of 10`, `7.5`, `11`, `0`, `7-8`, `eight` and an explanation are refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from tashika.evaluate.generation import Unparsable
from tashika.evaluate.proverbs_types import ANSWERS_A_QUESTION

READER_VERSION: Final = 1
"""Part of the settings of what depends on it: raise it when a reply is read otherwise."""

_MARK: Final = re.compile(r"(?:(?P<number>\(?\d{1,2}[.):]|\(\d{1,2}\))|(?P<bullet>[-*•–]))(?:\s+|$)")
_MARKUP: Final = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")
_QUOTES: Final = {'"': '"', "“": "”", "‘": "’", "«": "»"}
_LEAD: Final = re.compile(r"statements?\s*:\s*", re.IGNORECASE)
_SORRY: Final = re.compile(
    r"(?:i\s+am|i'm)\s+(?:very\s+)?sorry|sorry\b|i\s+apologi[sz]e|as\s+an?\s+ai\b|as\s+a\s+(?:large\s+)?language\s+model"
    r"|i\s+(?:cannot|can't|can\s+not|won't|will\s+not|am\s+(?:not\s+able|unable)\s+to|do\s+not\s+feel\s+comfortable)"
    r"|i'm\s+(?:not\s+able|unable)\s+to|unfortunately,?\s+i\b",
    re.IGNORECASE,
)
_COMMON: Final = (
    "a an the and or but not no of to in on at by for from with without as is are was be been has have had does can",
    "may must should will would it its he she his her they them their we our you your one this that these those what",
    "who which when while if than then there more most all only even",
)
_ENGLISH: Final = frozenset(word for line in _COMMON for word in line.split())
_OTHERS: Final = (
    "le la les des est une et dans qui que pas pour der das und ist ein eine nicht wer wenn el los las y es un una por",
    "il che di non è per o os da não het een niet de en",
)
_FOREIGN: Final = frozenset(word for line in _OTHERS for word in line.split())
"""Without those that are English as well, such as "die"."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_SCORE: Final = re.compile(r"(?:score\s*:\s*)?(\d+)\.?", re.IGNORECASE)
_OUT_OF: Final = re.compile(r"\d+(?:\.\d+)?\s*(?:/|out\s+of)\s*\d+", re.IGNORECASE)
_RANGE: Final = re.compile(r"\d+\s*(?:-|–|to)\s*\d+", re.IGNORECASE)
_DECIMAL: Final = re.compile(r"-?\d*[.,]\d+|-\d+")


def read_statements(text: str) -> tuple[str, ...]:
    """The five statements of a reply.

    Args:
        text: The reply.

    Raises:
        Unparsable: It has not the form that the module's head describes; the message says in what.
    """
    lines = _lines(text)
    if not lines:
        raise Unparsable("empty")
    if _is_refusal(lines[0]):
        raise Unparsable("a refusal")
    statements = _unmarked(_without_lead(lines))
    if any(map(_is_refusal, statements)):
        raise Unparsable("a refusal")
    _require_english(statements)
    folded = [same(statement) for statement in statements]
    if len(set(folded)) < len(folded):
        raise Unparsable("a statement stands there twice")
    return statements


def read_statement(text: str) -> str:
    """The one statement of a reply to a prompt that asks for one: a single line, read as one of five.

    Args:
        text: The reply.

    Raises:
        Unparsable: It is empty, several lines, a refusal, or no English.
    """
    lines = _lines(text)
    if not lines:
        raise Unparsable("empty")
    if _is_refusal(lines[0]):
        raise Unparsable("a refusal")
    if len(lines) > 1:
        raise Unparsable(f"found {len(lines)} lines, expected one statement")
    line = lines[0]
    match = _LEAD.match(line) or _MARK.match(line)
    statement = _bare(line[match.end() :] if match else line)
    if not statement:
        raise Unparsable("empty")
    if statement.endswith("?"):
        raise Unparsable("a question, not a statement")
    if _is_refusal(statement):
        raise Unparsable("a refusal")
    _require_english([statement])
    return statement


def read_score(text: str) -> int:
    """The score of a reply.

    Args:
        text: The reply.

    Raises:
        Unparsable: It is not one integer from 1 to 10; the message says what it is.
    """
    plain = " ".join(text.split())
    if not plain:
        raise Unparsable("empty")
    match = _SCORE.fullmatch(plain)
    if match and match[1].isascii():
        score = int(match[1])
        if 1 <= score <= 10:
            return score
        raise Unparsable("not from 1 to 10")
    raise Unparsable(_trouble(re.sub(r"^score\s*:\s*", "", plain, flags=re.IGNORECASE)))


def same(statement: str) -> str:
    """A statement as it is compared with others: without case, doubled spaces and the signs at its end."""
    return " ".join(statement.casefold().split()).rstrip(".!;, ")


def _trouble(plain: str) -> str:
    """What kind of reply it is that is no score."""
    if _is_refusal(plain):
        return "a refusal"
    if _OUT_OF.match(plain):
        return "a score out of another number"
    if _RANGE.fullmatch(plain.rstrip(".")):
        return "a range"
    if _DECIMAL.fullmatch(plain):
        return "not a whole number from 1 to 10"
    return "words beside the score" if re.search(r"\d", plain) else "words, no score"


def _lines(text: str) -> list[str]:
    """The lines that are not blank, without Markdown's signs for bold and italics."""
    lines = (line.strip() for line in unicodedata.normalize("NFC", text).splitlines())
    return [_MARKUP.sub(r"\2", line) for line in lines if line]


def _without_lead(lines: list[str]) -> list[str]:
    """The lines without one that introduces them.

    Raises:
        Unparsable: What is left is not five lines.
    """
    introduced = len(lines) == ANSWERS_A_QUESTION + 1 and lines[0].endswith(":") and not _MARK.match(lines[0])
    if introduced or _LEAD.fullmatch(lines[0]):
        lines = lines[1:]
    if len(lines) == 1:
        raise Unparsable("prose in one paragraph")
    if len(lines) != ANSWERS_A_QUESTION:
        raise Unparsable(f"found {len(lines)} lines, expected {ANSWERS_A_QUESTION}")
    return lines


def _unmarked(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines without their numbers or bullets.

    Raises:
        Unparsable: Some have a mark and some have not, numbers are not 1 to 5, or nothing stands behind a mark.
    """
    marks = [_MARK.match(line) for line in lines]
    sorts = {"none" if mark is None else mark.lastgroup for mark in marks}
    if len(sorts) > 1:
        raise Unparsable("some lines are numbered or have a bullet, and some are not")
    if sorts == {"number"}:
        found = [int(re.sub(r"\D", "", mark.group())) for mark in marks if mark]
        if found != list(range(1, ANSWERS_A_QUESTION + 1)):
            raise Unparsable(f"the numbers are {', '.join(map(str, found))}")
    statements = tuple(_bare(line[mark.end() :] if mark else line) for line, mark in zip(lines, marks, strict=True))
    if not all(statements):
        raise Unparsable("a statement is empty")
    if any(statement.endswith(":") for statement in statements):
        raise Unparsable("an introduction among the statements")
    return statements


def _bare(line: str) -> str:
    """A line without a pair of quotation marks around it."""
    plain = " ".join(line.split())
    closing = _QUOTES.get(plain[:1])
    if closing and len(plain) > 1 and plain.endswith(closing) and closing not in plain[1:-1]:
        plain = plain[1:-1].strip()
    return plain


def _is_refusal(text: str) -> bool:
    return _SORRY.match(text.replace("’", "'")) is not None


def _require_english(statements: Sequence[str]) -> None:
    """Raises where a statement has no letters, or mostly others than Latin ones, or they are in another language."""
    for statement in statements:
        letters = [letter for letter in statement if letter.isalpha()]
        if not letters:
            raise Unparsable("a statement has no letters")
        latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
        if 2 * latin < len(letters):
            raise Unparsable("another script")
    words = [word for statement in statements for word in _WORD.findall(statement.casefold().replace("’", "'"))]
    if sum(word in _ENGLISH for word in words) <= sum(word in _FOREIGN for word in words):
        raise Unparsable("another language")
