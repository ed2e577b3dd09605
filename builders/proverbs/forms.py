"""What kind of sentence a proverb is, and how a question about it can be put so that it stays grammatical.

"Why is it said that …?" and "What does it mean to say …?" take a whole statement as a clause. An imperative, a phrase
without a finite verb, a question, or several sentences are quoted: 'What does "…" mean?'.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from tashika.builders.proverbs.words import proverb_words, spoken_words
from tashika.core.suites.proverbs.words import FORMS, Form, language_of

SentenceForm = Literal["statement", "imperative", "phrase"]
SENTENCE_FORMS: Final[tuple[SentenceForm, ...]] = get_args(SentenceForm)

_ORDERS: Final = frozenset({"don't", "let", "let's", "please", "beware"})
_ADVERBS: Final = frozenset({"never", "always", "ever", "first", "rather", "just"})
_SUBORDINATE: Final = frozenset({"if", "when", "where", "while", "before", "after", "until", "since", "unless", "in"})
_SENTENCES: Final = re.compile(r"[.!?][\"'”’)]*\s+\w|\?")
"""A question, or a sentence after another."""
_INSIDE: Final = re.compile(rf"{_SENTENCES.pattern}|[;:\"“”]|\s[-–]\s|—|\.\.\.|…")
"""What a clause cannot hold: the end of a sentence, a pause longer than a comma, a quotation."""
_PHRASES: Final = (("like",), ("better",), ("first", "come"), ("once",))
"""What texts without a finite verb begin with, and others hardly ever."""
_SURE: Final = frozenset({"is", "are", "was", "will", "can", "has", "have", "makes", "deserves"})


def sentence_form(text: str) -> SentenceForm:
    """What kind of sentence a text is, by rule: see `configs/proverbs_words.toml` for the verbs it knows.

    Args:
        text: A proverb. A question, and a text of several sentences, counts as a phrase: it can only be quoted. What is
            Japanese counts as a statement, since its questions quote whatever it is.
    """
    if language_of(text) == "ja":
        return "statement"
    stripped = text.strip().rstrip(".!")
    words = spoken_words(stripped)
    begins = any(tuple(words[: len(start)]) == start for start in _PHRASES)
    if _SENTENCES.search(stripped) or not words or (begins and not _SURE & set(words)):
        return "phrase"
    if _is_order(words) or _order_after_clause(stripped):
        return "imperative"
    return "statement" if _has_finite_verb(words) else "phrase"


def question_form(texts: Sequence[str], forms: Iterable[SentenceForm], allowed: Sequence[Form], seed: int) -> Form:
    """How the questions about a pair are put: alike, and so that both stay grammatical.

    Args:
        texts: The proverb and its variant.
        forms: What kind of sentence each of them is.
        allowed: The forms that a pair of statements may have; one is drawn by the texts and the seed.
        seed: Another seed, another draw.
    """
    quoted = language_of(texts[0]) == "ja"
    if not quoted and (set(forms) != {"statement"} or any(_INSIDE.search(text.strip().rstrip(".!")) for text in texts)):
        return "mean"
    ordered = [form for form in FORMS if form in allowed]
    digest = hashlib.sha256("\n".join((str(seed), *texts)).encode()).digest()
    return ordered[int.from_bytes(digest[:8], "big") % len(ordered)] if ordered else "mean"


def _is_order(words: Sequence[str]) -> bool:
    """Whether a sentence begins as an imperative does."""
    verbs = proverb_words().sentence.verbs
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _ORDERS:
        return True
    if first == "do":
        return second != ""
    if first in _ADVERBS:
        return second in verbs or second in _ORDERS
    return first in verbs and not (_begins_with_adjective(words) or _begins_with_noun(words))


def _begins_with_adjective(words: Sequence[str]) -> bool:
    """Whether a plural and then a verb follow the first word: "Empty vessels make the most noise"."""
    return len(words) > 2 and words[1].endswith("s") and words[2] in proverb_words().sentence.verbs


def _begins_with_noun(words: Sequence[str]) -> bool:
    """Whether a finite verb follows the first word, or two joined ones: "Love is blind", "Love and a cough show"."""
    if len(words) < 2:
        return False
    return _is_finite(words[1]) or (words[1] in {"and", "or"} and _has_finite_verb(words[3:]))


def _order_after_clause(text: str) -> bool:
    """Whether an imperative follows a clause: "When in Rome, do as the Romans do"."""
    before, comma, after = text.partition(",")
    words = spoken_words(before)
    rest = spoken_words(after)
    return bool(comma and words and rest) and words[0] in _SUBORDINATE and _is_order(rest)


def _is_finite(word: str) -> bool:
    """Whether a word can only be a finite verb, or is one in -s or -eth of a verb that is known."""
    sentence = proverb_words().sentence
    if word in sentence.finite:
        return True
    stems = {word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("eth"), word.removesuffix("th")}
    if word.endswith("ies"):
        stems.add(word.removesuffix("ies") + "y")
    return not word.endswith("ss") and bool((stems - {word}) & sentence.verbs)


def _has_finite_verb(words: Sequence[str]) -> bool:
    """Whether a finite verb stands among the words, as far as their neighbours show."""
    sentence = proverb_words().sentence
    for place, word in enumerate(words):
        if word in sentence.finite:
            return True
        before = words[place - 1] if place else "a"
        if before in sentence.before_nouns:
            continue
        if (_is_finite(word) and word not in sentence.verbs) or (
            word in sentence.verbs and before not in sentence.before_base
        ):
            return True
    return False
