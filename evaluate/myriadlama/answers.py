"""Which answers a model can give in one token, and in which form: that decides what of a release it is asked.

MyriadLAMA asks for objects that are one token in the model's own vocabulary (section 2). Which token that is depends,
for tokenizers that keep the space before a word, on where the blank stands.

In languages without spaces the blank stands behind a letter ("日本の首都は[Y]です。"). What a tokenizer makes of the
word there differs: with MeCab before it, or BPE, the word has its one token; WordPiece that sees one long word has a
continuing token (`##東京`) in running text, though beside a mask it sees a word of its own. Each token that spells the
whole name, by itself or behind a letter that stands before a blank, is a correct answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tashika.core.cloze import OBJECT_SLOT
from tashika.core.models import Kind
from tashika.core.tokenizing import ATTACHED, SPACED, START, knows, single_tokens, single_tokens_after
from tashika.core.writing import closes
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.metrics import Kept, SingleToken
from tashika.evaluate.myriadlama.prompts import WorkList


def blank_form(text: str) -> int:
    """The form that an answer takes in a template: START, SPACED or ATTACHED."""
    before = text[: text.index(OBJECT_SLOT)]
    if not before.strip():
        return START
    return SPACED if before[-1].isspace() else ATTACHED


def blank_is_last(text: str) -> bool:
    """Whether nothing that is to be known follows [Y], so that a causal model can answer; see `core.writing.closes`."""
    return closes(text[text.index(OBJECT_SLOT) + len(OBJECT_SLOT) :])


def letters_before(texts: Sequence[str]) -> list[str]:
    """The letters that stand directly before [Y] in templates of languages without spaces, each once, sorted."""
    attached = {text[text.index(OBJECT_SLOT) - 1] for text in texts if blank_form(text) == ATTACHED}
    return sorted(letter for letter in attached if letter.isalnum())


def usable_templates(texts: Sequence[str], kind: Kind) -> Any:
    """(T,) whether a model of this kind can answer a template: masked models all, causal ones where [Y] is last."""
    return np.asarray([kind == "masked" or blank_is_last(text) for text in texts], dtype=bool)


@dataclass(frozen=True)
class Answers:
    """The correct tokens of each pair, in each form; forms that no template uses hold nothing.

    Attributes:
        start: (3, P) where a pair's tokens begin in `tokens[form]`.
        count: (3, P) how many it has.
        tokens: For each form, all pairs' tokens, each token of a pair once.
        counts: Objects, facts and pairs, kept and in all.
    """

    start: Codes
    count: Codes
    tokens: tuple[Codes, ...]
    counts: SingleToken


def find_answers(tokenizer: Any, work: WorkList, usable: Any) -> Answers:
    """Finds the single-token answers.

    Args:
        tokenizer: The model's.
        work: The prompts.
        usable: (T,) the templates that the model can answer; their forms are looked for.
    """
    words = sorted({name for names in work.fact_answers for name in names})
    code = {word: place for place, word in enumerate(words)}
    lengths = np.asarray([len(names) for names in work.fact_answers], dtype=np.int64)
    word = np.asarray([code[name] for names in work.fact_answers for name in names], dtype=np.int64)
    fact = np.repeat(np.arange(len(lengths)), lengths)
    texts = [text for text, fits in zip(work.template_texts, usable, strict=True) if fits]
    forms = {blank_form(text) for text in texts}
    pairs = len(work.pair_number)
    start, count = np.zeros((2, 3, pairs), dtype=np.int64)
    tokens: list[Codes] = [np.zeros(0, dtype=np.int64)] * 3
    kept_facts = np.zeros(len(lengths), dtype=bool)
    for form in sorted(forms):
        spellings = _spellings(tokenizer, words, form, letters_before(texts))
        token, facts = spellings[:, word].ravel(), np.tile(fact, len(spellings))
        fits = token >= 0
        kept_facts[facts[fits]] = True
        both = np.unique(np.stack([work.fact_pair[facts[fits]], token[fits]]), axis=1)
        tokens[form] = both[1]
        count[form] = np.bincount(both[0], minlength=pairs)
        start[form] = np.cumsum(count[form]) - count[form]
    return Answers(start, count, tuple(tokens), _counts(work, kept_facts))


def _spellings(tokenizer: Any, words: Sequence[str], form: int, letters: Sequence[str]) -> Codes:
    """(ways, words) the one token of each word in a form, and where it is attached behind each of the letters too."""
    behind = [letter for letter in letters if form == ATTACHED and knows(tokenizer, letter)]
    return np.stack(
        [
            single_tokens(tokenizer, words, form),
            *(single_tokens_after(tokenizer, words, letter, letter) for letter in behind),
        ]
    )


def _counts(work: WorkList, kept: Any) -> SingleToken:
    objects = {name for name, fits in zip(work.fact_object, kept, strict=True) if fits}
    return SingleToken(
        objects=Kept(kept=len(objects), of=len(set(work.fact_object))),
        facts=Kept(kept=int(kept.sum()), of=len(kept)),
        pairs=Kept(kept=len(np.unique(work.fact_pair[kept])), of=len(work.pair_number)),
    )
