"""Reads a model's short answers, strictly: what has not the form that was asked for is no answer.

For scores see `score_replies`.

A reply to the first prompt is five lines (or as many as were asked for), each one statement; blank lines do not count.
Before a statement may stand one mark: a number with a sign (`1.`, `1)`, `(1)`, `1:`, `１．`, `①`; before a letter or a
quotation mark the blank may be missing), a number in words (`Statement 1:`, `文1：`), or a bullet (`-`, `*`, `+`, `•`,
`–`, `・`). Either all five lines have a mark of one sort, and numbers are 1 to 5 in order, or none has. One line before
them that ends in a colon, has no mark and stands before five others is passed over (`Here are five statements:`), as is
the prompt's own last line, `Statements:` or `文：`. Around a statement Markdown's signs for bold and italics and a pair
of quotation marks are left out. All else is refused: prose in one paragraph, four lines, six, a line after them, a
refusal, an empty statement, a question, one that stands there twice (but for case, spaces and the signs at its end),
another mark (`a.`, `ii)`, a second one), what begins as a heading, a table, a tag or code (`#`, `|`, `<`, `{`, `[`, a
backtick), strings with commas as in JSON, and another language.

Refusal: the reply, or a statement, begins with an apology or says that it cannot or will not; see `refusals`.

English: a statement must have letters, at least half of them Latin. All the statements together are another language
where they have common words of other languages (those of the lists below), and no more English ones; or where they have
25 words or more and not one common English word. So short statements without any such word (`Wisdom hurts.`) pass, and
so do short ones in a language that has none of the listed words.

Japanese: a statement must have letters, at least half of them kana or kanji, and kana; what has none is Chinese, or no
sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from tashika.core.suites.proverbs.words import Language
from tashika.core.writing import letter_script
from tashika.evaluate.proverbs.records import ANSWERS_A_QUESTION
from tashika.evaluate.proverbs.refusals import is_refusal
from tashika.evaluate.ways.generation import Unparsable

READER_VERSION: Final = 3
"""Part of the settings of what depends on it: raise it when a reply is read otherwise."""

_MARK: Final = re.compile(
    r"(?:(?P<number>(?:[(（]?\d{1,2}[.):．）：、]|\(\d{1,2}\)|[①-⑳])(?:\s+|$|(?=[^\W\d_]|[\"“‘«'「『])))"
    r"|(?P<label>statement\s+\d{1,2}\s*[.):：](?:\s+|$)|文\s*\d{1,2}\s*[.):：])|(?P<bullet>[-*+•–・])(?:\s*(?<=・)|\s+|$))",
    re.IGNORECASE,
)
_NO_TEXT: Final = re.compile(r"[#|<{\[`]")
_LETTER: Final = re.compile(r"\(?(?:[a-e]|i{1,3}|iv|v)[.)]\s", re.IGNORECASE)
_LISTED: Final = re.compile(r"([\"']).*\1\s*,")
_MARKUP: Final = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")
_QUOTES: Final = {'"': '"', "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』"}
_ASKS: Final = re.compile(r"(?:[?？]|(?:です|ます|でしょう|ません|だろう)か[。.]?)[\"'”’»」』]*\s*$")
_LEAD: Final = re.compile(r"(?:statements?|(?:短い)?(?:文|文章|回答|答え))\s*[:：]\s*", re.IGNORECASE)
_COMMON: Final = (
    "a an the and or but not no of to in on at by for from with without as is are was be been has have had does can",
    "may must should will would it its he she his her they them their we our you your one this that these those what",
    "who which when while if than then there more most all only even",
)
_ENGLISH: Final = frozenset(word for line in _COMMON for word in line.split())
_OTHERS: Final = (
    "le la les des est une et dans qui que pas pour",  # French
    "der das und ist ein eine nicht wer wenn aus",  # German
    "el los las y es un una por hay",  # Spanish
    "il che di non è per o os da não",  # Italian, Portuguese
    "het een niet de en",  # Dutch
    "och att är det på av inte för og ikke af som er",  # Swedish, Danish, Norwegian
    "ja ei että ovat niin mutta kun se",  # Finnish
    "jest nie się że z w na przez oraz jak są",  # Polish
    "bir ve bu için ile değil çok daha",  # Turkish
    "yang dan dengan untuk adalah tidak bukan dari itu akan ang ng mga sa ay hindi",  # Indonesian, Malay, Tagalog
    "là và của không có một những người khi để",  # Vietnamese
)
_FOREIGN: Final = frozenset(word for line in _OTHERS for word in line.split())
"""Without those that are English as well, such as "die"."""
_ENOUGH_WORDS: Final = 25
"""So many English words without one common one among them do not occur."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def read_statements(text: str, count: int = ANSWERS_A_QUESTION, language: Language = "en") -> tuple[str, ...]:
    """The statements of a reply.

    Args:
        text: The reply.
        count: How many were asked for.
        language: In which they must be.

    Raises:
        Unparsable: It is not in the format that the module's head describes; the message names the difference.
    """
    lines = _lines(text)
    if not lines:
        raise Unparsable("empty")
    if is_refusal(lines[0]):
        raise Unparsable("a refusal")
    statements = _unmarked(_without_lead(lines, count))
    _require_statements(statements, language)
    folded = [same(statement) for statement in statements]
    if len(set(folded)) < len(folded):
        raise Unparsable("a statement stands there twice")
    return statements


def read_statement(text: str, language: Language = "en") -> str:
    """The one statement of a reply to a prompt that asks for one: a single line, read as one of five.

    Args:
        text: The reply.
        language: In which it must be.

    Raises:
        Unparsable: It is empty, several lines, or refused as one of five would be.
    """
    lines = _lines(text)
    if not lines:
        raise Unparsable("empty")
    if is_refusal(lines[0]):
        raise Unparsable("a refusal")
    if len(lines) > 1:
        raise Unparsable(f"found {len(lines)} lines, expected one statement")
    line = lines[0]
    match = _LEAD.match(line) or _MARK.match(line)
    statement = _bare(line[match.end() :] if match else line)
    if not statement:
        raise Unparsable("empty")
    _require_statements([statement], language)
    return statement


def same(statement: str) -> str:
    """A statement as it is compared with others: without case, doubled spaces and the signs at its end."""
    return " ".join(statement.casefold().split()).rstrip(".!;, 。！、")


def _lines(text: str) -> list[str]:
    """The lines that are not blank, without Markdown's signs for bold and italics."""
    lines = (line.strip() for line in unicodedata.normalize("NFC", text).splitlines())
    return [_MARKUP.sub(r"\2", line) for line in lines if line]


def _without_lead(lines: list[str], count: int) -> list[str]:
    """The lines without one that introduces them.

    Raises:
        Unparsable: What is left is not so many lines.
    """
    introduced = len(lines) == count + 1 and lines[0].endswith((":", "：")) and not _MARK.match(lines[0])
    if introduced or _LEAD.fullmatch(lines[0]):
        lines = lines[1:]
    if len(lines) == 1:
        raise Unparsable("prose in one paragraph")
    if len(lines) != count:
        raise Unparsable(f"found {len(lines)} lines, expected {count}")
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
    if sorts & {"number", "label"}:
        numbers = [_number(mark.group()) for mark in marks if mark]
        if numbers != list(range(1, len(lines) + 1)):
            raise Unparsable(f"the numbers are {', '.join(map(str, numbers))}")
    statements = tuple(_bare(line[mark.end() :] if mark else line) for line, mark in zip(lines, marks, strict=True))
    if not all(statements):
        raise Unparsable("a statement is empty")
    if any(statement.endswith((":", "：")) for statement in statements):
        raise Unparsable("an introduction among the statements")
    return statements


def _number(mark: str) -> int:
    """The number of a mark."""
    if mark[0] in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳":
        return int(unicodedata.numeric(mark[0]))
    return int(re.sub(r"\D", "", mark))


def _bare(line: str) -> str:
    """A line without a pair of quotation marks around it."""
    plain = " ".join(line.split())
    closing = _QUOTES.get(plain[:1])
    if closing and len(plain) > 1 and plain.endswith(closing) and closing not in plain[1:-1]:
        plain = plain[1:-1].strip()
    return plain


def _require_statements(statements: Sequence[str], language: Language) -> None:
    """Raises `Unparsable` where one is a refusal, a question or no plain text, or they are in another language."""
    for statement in statements:
        if is_refusal(statement):
            raise Unparsable("a refusal")
        if _MARK.match(statement) or _LETTER.match(statement):
            raise Unparsable("a mark that is no number or bullet, or a second one")
        if _NO_TEXT.match(statement) or _LISTED.fullmatch(statement):
            raise Unparsable("a heading, a table, a tag or code")
        if _ASKS.search(statement):
            raise Unparsable("a question, not a statement")
    if language == "ja":
        _require_japanese(statements)
    else:
        _require_english(statements)


def _require_japanese(statements: Sequence[str]) -> None:
    """Raises where a statement has no letters, mostly others than Japanese ones, or no kana."""
    for statement in statements:
        scripts = [script for script in map(letter_script, statement) if script]
        if not scripts:
            raise Unparsable("a statement has no letters")
        kana = sum(script in {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"} for script in scripts)
        if 2 * (kana + scripts.count("CJK")) < len(scripts):
            raise Unparsable("another script")
        if not kana:
            raise Unparsable("another language")


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
    english, foreign = (sum(word in known for word in words) for known in (_ENGLISH, _FOREIGN))
    if foreign >= max(english, 1) or (not english and len(words) >= _ENOUGH_WORDS):
        raise Unparsable("another language")
