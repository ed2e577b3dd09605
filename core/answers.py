"""Answers in words: how what a person typed is split, checked, read and ranked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

LONGEST_WORDS: Final = 10
LONGEST_CHARACTERS: Final = 200
"""An answer is a word or a short phrase; what is longer was not meant to fill the blank."""

MOST_ANSWERS: Final = 20
"""Answers of one person to one probe; the published ones have up to five."""

_BETWEEN = re.compile("[\\n\\r\u2028,;，；、]+")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_ARTICLE = re.compile(r"^(?:a|an|the)\s+")


def split_answers(text: str) -> list[str]:
    """The answers in a text: what stands on lines of its own or between commas or semicolons, blanks left out."""
    return [part.strip() for part in _BETWEEN.split(text) if part.strip()]


def sound_answers(answers: Sequence[str], dropped: Counter[str]) -> list[str]:
    """The answers of one person to one probe that are some; what is left out is counted in `dropped`."""
    if len(answers) > MOST_ANSWERS:
        dropped[f"people with more than {MOST_ANSWERS} answers to a probe"] += 1
        return []
    problems = [answer_problem(answer) for answer in answers]
    dropped.update(f"answers {problem}" for problem in problems if problem)
    return [answer for answer, problem in zip(answers, problems, strict=True) if not problem]


def answer_problem(raw: str) -> str | None:
    """Why a text is no answer, to be read after "answers"; None for one that is."""
    text = unicodedata.normalize("NFKC", raw)
    if not text.strip():
        return "that are empty"
    if len(text.split()) > LONGEST_WORDS or len(text) > LONGEST_CHARACTERS:
        return f"of more than {LONGEST_WORDS} words or {LONGEST_CHARACTERS} characters"
    if not any(character.isalnum() for character in text):
        return "without a letter"
    return None


def read_answer(raw: str, lemma: Callable[[str], str]) -> str:
    """An answer in the format in which answers are counted and compared with words.

    The rule, in this order: Unicode's NFKC; lower case; whatever is no letter or digit off both ends; one leading
    article (a, an, the) off; single spaces between words; the last word, which is the head of an English noun phrase,
    replaced by its lemma.

    Args:
        raw: As it was typed.
        lemma: The lemma of a noun, or the word itself; WordNet's is `core.suites.semrel.wordnet.WordNet.lemma`.

    Returns:
        The answer; empty for a text without a letter or digit.
    """
    text = _ENDS.sub("", unicodedata.normalize("NFKC", raw).lower())
    text = _ENDS.sub("", _ARTICLE.sub("", text))
    *before, head = text.split() or [""]
    return " ".join([*before, lemma(head)]) if head else ""


def people_with(answers_by_person: Iterable[Iterable[str]]) -> dict[str, int]:
    """How many people gave each answer to one probe: the most frequent first, ties in the order of first mention.

    A word that one person repeats counts once. Answers that equally many people gave stand as they come in the
    persons' answers, read one person after the other (Cao, Yamada and Tokunaga, table 2: "relative, kin" before
    "family", which as many people gave as "kin").

    Args:
        answers_by_person: Each person's answers in their order, as `read_answer` reads them; empty ones do not count.
    """
    counts = Counter(answer for answers in answers_by_person for answer in dict.fromkeys(answers) if answer)
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))  # the sort is stable


def answers_by_person(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Each person's answers to one probe in their order; who answered first comes first.

    Args:
        rows: Rows of `records.RESPONSE` of one probe, in any order. Where they lack `turn` (files of older versions)
            the persons come in the order of their pseudonyms.
    """
    by_person: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row.get("turn") or 0, row["annotator"], row["place"])):
        by_person.setdefault(row["annotator"], []).append(row["answer"])
    return by_person
