"""Which answers a model can give in one token, and in which form: that decides what of a release it is asked.

MyriadLAMA asks for objects that are one token in the model's own vocabulary (section 2). Which token that is depends,
for tokenizers that keep the space before a word, on where the blank stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tashika.core.cloze import OBJECT_SLOT
from tashika.core.models import Kind
from tashika.core.tokenizing import ATTACHED, SPACED, START, single_tokens
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.metrics import Kept, SingleToken
from tashika.evaluate.myriadlama.prompts import WorkList

_CLOSING = re.compile(r"""[\s.!?。！？…"'”’»」』]*""")


def blank_form(text: str) -> int:
    """The form that an answer takes in a template: START, SPACED or ATTACHED."""
    before = text[: text.index(OBJECT_SLOT)]
    if not before.strip():
        return START
    return SPACED if before[-1].isspace() else ATTACHED


def blank_is_last(text: str) -> bool:
    """Whether nothing but closing quotes and sentence-final signs follow [Y], so that a causal model can answer."""
    return _CLOSING.fullmatch(text[text.index(OBJECT_SLOT) + len(OBJECT_SLOT) :]) is not None


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
    forms = {blank_form(text) for text, fits in zip(work.template_texts, usable, strict=True) if fits}
    pairs = len(work.pair_number)
    start, count = np.zeros((2, 3, pairs), dtype=np.int64)
    tokens: list[Codes] = [np.zeros(0, dtype=np.int64)] * 3
    kept_facts = np.zeros(len(lengths), dtype=bool)
    for form in sorted(forms):
        token = single_tokens(tokenizer, words, form)[word]
        fits = token >= 0
        kept_facts[fact[fits]] = True
        both = np.unique(np.stack([work.fact_pair[fact[fits]], token[fits]]), axis=1)
        tokens[form] = both[1]
        count[form] = np.bincount(both[0], minlength=pairs)
        start[form] = np.cumsum(count[form]) - count[form]
    return Answers(start, count, tuple(tokens), _counts(work, kept_facts))


def _counts(work: WorkList, kept: Any) -> SingleToken:
    objects = {name for name, fits in zip(work.fact_object, kept, strict=True) if fits}
    return SingleToken(
        objects=Kept(kept=len(objects), of=len(set(work.fact_object))),
        facts=Kept(kept=int(kept.sum()), of=len(kept)),
        pairs=Kept(kept=len(np.unique(work.fact_pair[kept])), of=len(work.pair_number)),
    )
