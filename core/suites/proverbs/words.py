"""The words of the suite on proverbs: its topics, how a variant differs, and how a question is put.

Source: "A Statistical Analysis of LLMs' Self-Evaluation Using Proverbs" (PRICAI 2024), evaluation data.
"""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, get_args

from tashika.core.settings import packaged_data
from tashika.core.writing import KANA, script_of

Language = Literal["en", "ja"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
"""In which there are proverbs, questions and readers of replies."""

Topic = Literal["gender", "wisdom", "society"]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
"""In the paper's order."""

Change = Literal["gender", "number", "animal", "object", "wording", "neutral"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)
"""In what a variant differs from its proverb; "wording" is another culture's own proverb of the same meaning. "neutral"
is the control of a gender pair: the same proverb with as many other words, and the same gender."""

CONTROL: Final[Change] = "neutral"
"""The change of control pairs, which no topic counts."""

Direction = Literal["man-first", "woman-first", "both"]
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
"""Whom the proverb of a gender pair speaks of: men (the variant of women), women (the variant of men), or both."""

Maker = Literal["swap", "written", "model"]
"""Who made a variant: the table of gender words, a person, or a language model."""

Form = Literal["why", "say", "mean"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)

PATTERNS: Final[dict[Form, str]] = {
    "why": "Why is it said that {clause}?",
    "say": "What does it mean to say {clause}?",
    "mean": 'What does "{quoted}" mean?',
}
"""The first two take a whole statement as a clause; the third quotes, and so takes whatever a proverb may be."""

JAPANESE_PATTERNS: Final[dict[Form, str]] = {
    "why": "なぜ「{quoted}」と言われるのですか。",
    "say": "「{quoted}」と言うのはどういうことですか。",
    "mean": "「{quoted}」とはどういう意味ですか。",
}
"""All three quote, so that each takes whatever a proverb may be."""

Side = Literal["proverb", "variant"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)

Consistency = Literal["score", "text"]
CONSISTENCIES: Final[tuple[Consistency, ...]] = get_args(Consistency)

_ENDS: Final = ".!;:, 。！；：、"


def language_of(text: str) -> Language:
    """The language of a proverb, a variant or a question, by its letters: what has kana, or mostly kanji, is Japanese.

    So no table needs a column for it, and a list may hold both.
    """
    return "ja" if script_of(text) in {KANA, "CJK"} else "en"


def question(form: Form, text: str) -> str:
    """The question about a proverb, or about its variant.

    Args:
        form: How it is put; see `PATTERNS`. Whether the text can be put so is the builder's to know.
        text: The proverb, on one line; its language is that of the question.

    Returns:
        The question. The proverb's last full stop or exclamation mark is left out, and its first letter is small where
        it stands as a clause, unless the word is "I" or a name.
    """
    quoted = " ".join(text.split()).rstrip(_ENDS)
    if language_of(text) == "ja":
        return JAPANESE_PATTERNS[form].format(quoted=quoted)
    return PATTERNS[form].format(clause=uncapitalised(quoted), quoted=quoted)


def uncapitalised(text: str) -> str:
    """The text with a small first letter, unless its first word is "I", a name, or has other capitals."""
    first = text.split(" ", 1)[0].strip(",;:'\"")
    stem = first.removesuffix("'s").removesuffix("’s").partition("'")[0]
    if stem == "I" or stem.casefold() in names() or any(letter.isupper() for letter in first[1:]):
        return text
    return text[:1].lower() + text[1:]


@cache
def names() -> frozenset[str]:
    """Words that keep their capital inside a sentence, in small letters: `data/proverbs/names.txt`."""
    lines = packaged_data("proverbs/names.txt").read_text("utf-8").splitlines()
    return frozenset(line.strip().casefold() for line in lines if line.strip() and not line.startswith("#"))
