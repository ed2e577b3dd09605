"""Words that are one token of a model, by where they stand.

A word counts where it stands after a space, as the word in a blank does: tokenizers that keep the space before a word
have another token for it at the start of a text. Where words are not parted by spaces, it may stand directly behind a
letter: then WordPiece has yet another token for it (`##東京`), and the letter has to be named (`single_tokens_after`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.core.writing import UNSPACED, script_of

Codes = npt.NDArray[np.int64]


CARRIERS: Final = (("", ""), ("x", "x "), ("(", "("))
"""What stands before a word in each form of it: at the start of the text, after a space, attached to a sign."""

START, SPACED, ATTACHED = range(3)


def single_tokens(tokenizer: Any, words: Sequence[str], form: int) -> Codes:
    """(words,) the one token of each word in this form, -1 where it takes more, or is unknown or special."""
    return single_tokens_after(tokenizer, words, *CARRIERS[form])


def single_tokens_after(tokenizer: Any, words: Sequence[str], before: str, joined: str) -> Codes:
    """(words,) the one token of each word behind a text, -1 where it takes more, or is unknown or special.

    Args:
        tokenizer: The model's.
        words: Whose tokens are wanted.
        before: The text by itself.
        joined: The text as it stands before a word, with the space if there is one.
    """
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
    by its entry in the vocabulary, so that different parts stay different. Where no spaces are written, what stands
    behind a letter is a word all the same ("##フランス").
    """
    pieces = tokenizer.convert_ids_to_tokens(list(tokens))
    texts = [tokenizer.convert_tokens_to_string([piece]).strip() for piece in pieces]
    return [_word(text, piece) for text, piece in zip(texts, pieces, strict=True)]


def _word(text: str, piece: str) -> str:
    """What a token says, by its text alone; its entry in the vocabulary where that is no word."""
    inside = text.removeprefix("##")
    if inside != text and script_of(inside) in UNSPACED:
        return inside
    return text if text and "\N{REPLACEMENT CHARACTER}" not in text else piece


def knows(tokenizer: Any, text: str) -> bool:
    """Whether a text has tokens of its own: none of them is unknown or special."""
    refused = {*tokenizer.all_special_ids, tokenizer.unk_token_id}
    return refused.isdisjoint(_ids(tokenizer, [text])[0])


def _ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """Token ids without special tokens."""
    if not texts:
        return []
    ids: list[list[int]] = tokenizer(texts, add_special_tokens=False, return_attention_mask=False)["input_ids"]
    return ids
