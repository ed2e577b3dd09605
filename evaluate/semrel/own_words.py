"""What a model answers where no word is left out for other models' sake: of its own words, or of all its tokens.

The paper's models answer with whatever they have: its Table 2 prints "evalle", "jovah", a quotation mark and a lone
"n". Three readings of one and the same distribution, so that a model is asked once:

- `shared`: words of the shared vocabulary, see `vocabulary`; all else is passed over.
- `words`: whole words of the model's own vocabulary: tokens of letters alone that are one token behind a space, with
  capitals too. They are read in lower case, and forms of one word ("Dog", "dog") are one answer, at the best of their
  ranks. Pieces that continue a word, numbers and signs are passed over. The beginning of a longer word (" comput")
  counts as a word: in a byte-pair vocabulary nothing distinguishes it.
- `tokens`: every token takes a rank, as the tokenizer has it: pieces, numbers and signs too. Special tokens alone are
  passed over. Spaces are taken off and capitals lowered before a token is compared with relata.

Relata are the same in all three, so that what differs is the list alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from tashika.core.tokenizing import SPACED, single_tokens, words_of
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.distributions import Top
from tashika.evaluate.semrel.settings import VocabularyName
from tashika.evaluate.semrel.vocabulary import ModelWords

SOUGHT: Final[Mapping[VocabularyName, str]] = {
    "shared": "shared words",
    "words": "its own words",
    "tokens": "all its tokens",
}
"""What a model's answers are sought among, in words."""


class Readings(NamedTuple):
    """The ranked answers to one probe, best first, by the vocabulary that they are sought in."""

    shared: list[str]
    words: list[str]
    tokens: list[str]

    def of(self, vocabulary: VocabularyName) -> list[str]:
        """Those that count by the settings."""
        lists: Mapping[str, list[str]] = self._asdict()
        return lists[vocabulary]


@dataclass(frozen=True)
class OwnWords:
    """All that one model can answer with.

    Attributes:
        words: Token -> the word that it is, in lower case.
        texts: Token -> what it says; without special tokens.
        forms: How many tokens say the word that most of them say.
    """

    words: Mapping[int, str]
    texts: Mapping[int, str]
    forms: int

    @classmethod
    def of(cls, tokenizer: Any, shared: ModelWords, size: int) -> OwnWords:
        """Reads a model's vocabulary.

        Args:
            tokenizer: The model's.
            shared: Its words of the shared vocabulary, which are among its whole words.
            size: How many tokens the model has logits for; a tokenizer may have more.
        """
        special = {*tokenizer.all_special_ids, tokenizer.unk_token_id}
        tokens = [token for token in range(min(len(tokenizer), size)) if token not in special]
        said = dict(zip(tokens, words_of(tokenizer, tokens), strict=True))
        letters = {token: text for token, text in said.items() if text.isalpha()}
        behind_a_space = single_tokens(tokenizer, list(letters.values()), SPACED).tolist()
        words = {
            token: text.lower()
            for (token, text), single in zip(letters.items(), behind_a_space, strict=True)
            if token == single
        }
        words |= zip(shared.tokens.tolist(), shared.words, strict=True)
        forms = Counter(words.values())
        return cls(words, {token: text.lower() for token, text in said.items()}, max(forms.values()))

    def tops(self, k: int) -> tuple[Top, Top]:
        """What is sought of a distribution to know the k best words, and the k best tokens."""
        return Top(k * self.forms, _sorted(self.words)), Top(k, _sorted(self.texts))

    def words_at(self, tokens: Iterable[int], k: int) -> list[str]:
        """The first k words that tokens say, best first, each once.

        Args:
            tokens: Of `words`, best first; k times `forms` of them are enough.
            k: How many.
        """
        return list(dict.fromkeys(self.words[token] for token in tokens))[:k]

    def texts_at(self, tokens: Sequence[int]) -> list[str]:
        """What tokens say, each for itself: two that say the same take two ranks."""
        return [self.texts[token] for token in tokens]


def _sorted(tokens: Mapping[int, str]) -> Codes:
    return np.asarray(sorted(tokens), dtype=np.int64)
