"""Reads the score of a reply: one whole number from 1 to 10, however it is dressed, and nothing beside it.

Read are, in ASCII or full width, with Markdown's emphasis, a heading's signs, quotation marks or brackets around the
number or all of it, and a final sign behind it:

- the number alone: `8`, `８`, `8.0`, `**8**`, `` `8` ``, `[8]`;
- behind a name of the score: `Score: 8`, `**Score:** 8`, `The score is 8`, `スコア：8`, `点数は8`;
- with the scale of the prompt, which is 10: `8/10`, `8 out of 10`, `8 points`, `8点`, `10点満点中8点`, `10段階で8`;
- the number as a word, where it is all there is in the number's place: `eight`, `Score: Eight`, `八`, `八点`.

Refused is what can be read in more than one way or says another number: a range (`7-8`), two numbers (`8 9`), another
scale (`4/5`, `80/100`, `80%`), part of a point (`7.5`), about a number (`about 8`, `約8点`), a sign (`-3`, `- 8`), full
marks in words (`満点`), a number inside a sentence (`8 because it is right`), and digits of other scripts.
"""

from __future__ import annotations

import re
from typing import Final

from tashika.evaluate.proverbs.refusals import is_refusal
from tashika.evaluate.ways.generation import Unparsable

HIGHEST: Final = 10

_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Signs, digits and letters of full width, and their ASCII ones; others, such as an exponent, stay what they are."""

_ENGLISH: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_KANJI: Final = "一二三四五六七八九十"
_WORDS: Final = {word: place for words in (_ENGLISH, _KANJI) for place, word in enumerate(words, 1)}

_DRESSING: Final = (
    re.compile(r"(\*\*\*|\*\*|___|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1"),
    re.compile(r"(\")(?=\S)([^\"]+?)(?<=\S)\""),
)
_BRACKETS: Final = re.compile(
    r"[\[(「『“]\s*([0-9]+(?:\.0+)?|[a-z]+|[一二三四五六七八九十])\s*[\])」』”]", re.IGNORECASE
)
_TEN: Final = "(?:10|ten|十)"
_NAME: Final = (
    r"(?:(?:(?:the|my|its|final|overall|accuracy|answer)\s+)*(?:score|rating)(?:\s+(?:for|of)\s+(?:the|this)\s+answer)?"
    r"\s*(?::|=|is(?=\s)|would\s+be(?=\s))"
    r"|(?:(?:正確さ|この回答|この答え|回答|答え)の)?(?:スコア|点数|得点|評価|採点|点)\s*(?::|=|は))"
)
_BEFORE: Final = rf"(?:{_TEN}点(?:満点)?(?:中|で|のうち)、?|{_TEN}段階(?:評価)?(?:中|で)、?)"
_VALUE: Final = rf"(?P<value>[0-9]+(?:\.0+)?|{'|'.join(_WORDS)})"
_SCALE: Final = (
    rf"(?:\s*/\s*{_TEN}点?|\s*\(?\s*(?:points?\s+)?out\s+of\s+{_TEN}\s*\)?|\s+points?|点(?:\s*/\s*{_TEN}点)?)"
)
_SCORE: Final = re.compile(
    rf"(?:{_NAME}\s*)?{_BEFORE}?\s*{_VALUE}{_SCALE}?(?:です|だ|である)?\s*[.!。]*", re.IGNORECASE
)
_NAMED: Final = re.compile(rf"{_NAME}\s*", re.IGNORECASE)
_OUT_OF: Final = re.compile(
    r"[0-9]+(?:\.[0-9]+)?\s*(?:/|out\s+of|%)\s*(?:[0-9]+|$)|[0-9]+点満点|[0-9]+段階", re.IGNORECASE
)
_RANGE: Final = re.compile(r"[0-9]+点?\s*(?:-|–|〜|～|~|to|or|か|から)\s*[0-9]+点?", re.IGNORECASE)
_PART: Final = re.compile(r"-?[0-9]*[.,][0-9]+|-\s*[0-9]+")


def read_score(text: str) -> int:
    """The score of a reply.

    Args:
        text: The reply.

    Raises:
        Unparsable: It is not one integer from 1 to 10; the message says what it is.
    """
    plain = _undressed(" ".join(text.translate(_FULL_WIDTH).split()))
    if not plain:
        raise Unparsable("empty")
    match = _SCORE.fullmatch(plain)
    if match is None:
        raise Unparsable(_trouble(_NAMED.sub("", plain, count=1) if _NAMED.match(plain) else plain))
    said = match["value"].casefold()
    # Python reads no number of thousands of digits.
    digits = said.partition(".")[0].lstrip("0")
    score = _WORDS.get(said) or (int(digits) if digits and len(digits) <= len(str(HIGHEST)) else 0)
    if not 1 <= score <= HIGHEST:
        raise Unparsable("not from 1 to 10")
    return score


def _undressed(plain: str) -> str:
    """The reply without a heading's signs, emphasis, quotation marks and the brackets around a number."""
    plain = re.sub(r"^#{1,6}\s+", "", plain)
    for pattern in _DRESSING:
        plain = pattern.sub(r"\2", plain)
        plain = pattern.sub(r"\2", plain)  # such as "**Score: *8***"
    return _BRACKETS.sub(r"\1", plain).strip()


def _trouble(plain: str) -> str:
    """What kind of reply it is that is no score."""
    if is_refusal(plain):
        return "a refusal"
    if _RANGE.fullmatch(plain.rstrip(".。")):
        return "a range"
    if _OUT_OF.match(plain):
        return "a score out of another number"
    if _PART.fullmatch(plain.rstrip("点.。")):
        return "not a whole number from 1 to 10"
    return "words beside the score" if re.search(r"\d", plain) else "words, no score"
