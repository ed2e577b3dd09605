"""Words that are one token of a model, by where they stand.

A word counts where it stands after a space, as the word in a blank does: tokenizers that keep the space before a word
have another token for it at the start of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]


CARRIERS: Final = (("", ""), ("x", "x "), ("(", "("))
"""What stands before a word in each form of it: at the start of the text, after a space, attached to a sign."""

START, SPACED, ATTACHED = range(3)


def single_tokens(tokenizer: Any, words: Sequence[str], form: int) -> Codes:
    """(words,) the one token of each word in this form, -1 where it takes more, or is unknown or special."""
    before, joined = CARRIERS[form]
    lead = _ids(tokenizer, [before])[0] if before else []
    refused = {*tokenizer.all_special_ids, tokenizer.unk_token_id}
    tokens = np.full(len(words), -1, dtype=np.int64)
    for place, ids in enumerate(_ids(tokenizer, [joined + word for word in words])):
        if len(ids) == len(lead) + 1 and ids[:-1] == lead and ids[-1] not in refused:
            tokens[place] = ids[-1]
    return tokens


def words_of(tokenizer: Any, tokens: Sequence[int]) -> list[str]:
    """What each token says by itself, without the space before it: " France" and "France" are one word.

    A token that is no whole text by itself, such as a part of a character or the inside of a word ("##ance"), is named
    by its entry in the vocabulary, so that different parts stay different.
    """
    pieces = tokenizer.convert_ids_to_tokens(list(tokens))
    texts = [tokenizer.convert_tokens_to_string([piece]).strip() for piece in pieces]
    return [
        text if text and "\N{REPLACEMENT CHARACTER}" not in text else piece
        for text, piece in zip(texts, pieces, strict=True)
    ]


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """Token ids without special tokens."""
    if not texts:
        return []
    ids: list[list[int]] = tokenizer(texts, add_special_tokens=False, return_attention_mask=False)["input_ids"]
    return ids
