"""The words of a text, by Sudachi: what spaCy's tokenizer finds, without all that nobody reads of it.

That one builds a document of each text, with readings that stay in memory and parts of words. Here the words alone are
made, once; most texts need no more, since their words show that they hold no relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tashika.builders.kuci.analysis.ginza.tokens import Token


class Words(NamedTuple):
    """The words of a text.

    Attributes:
        tokens: The words, and what stands between them; how they depend on each other is not known yet.
        spaces: (len(tokens),) whether a space follows, which is no token.
        unknown: The places in the text that belong to words that the dictionary lacks.
    """

    tokens: list[Token]
    spaces: list[bool]
    unknown: set[int]

    @property
    def text(self) -> str:
        """The text of them all."""
        return "".join(f"{token.surface} " if space else token.surface for token, space in zip(*self[:2], strict=True))


def words_of(sudachi: Any, text: str) -> Words:
    """The words of a text.

    Args:
        sudachi: The tokenizer of spaCy's.
        text: Not blank.

    Raises:
        ValueError: The words are not those of the text.
        Exception: Whatever Sudachi raises, such as for texts of more than 49,149 bytes.
    """
    from spacy.lang.ja import DetailedToken, get_dtokens_and_spaces

    morphemes = sudachi.tokenize(text)
    details = []
    for morpheme in morphemes:
        surface = morpheme.surface()
        if surface:  # signs such as … have empty ones beside them
            tag, form = _tag_and_form(morpheme.part_of_speech())
            details.append(DetailedToken(surface, tag, form, "", morpheme.normalized_form(), None, None))
    placed, spaces = get_dtokens_and_spaces(details, text)  # type: ignore[no-untyped-call]
    tokens = [Token(index, one.surface, one.norm, one.tag, one.inf, head=index) for index, one in enumerate(placed)]
    return Words(tokens, spaces, _unknown(morphemes))


@lru_cache(maxsize=4096)
def _tag_and_form(part_of_speech: tuple[str, ...]) -> tuple[str, str]:
    """UniDic's part of speech as one word, and how the word is inflected."""
    inflection = [part for part in part_of_speech[4:] if part != "*"]
    return "-".join(part for part in part_of_speech[:4] if part != "*"), (inflection or [""])[-1]


def _unknown(morphemes: Sequence[Any]) -> set[int]:
    """The places of words that the dictionary lacks; numbers and signs are none."""
    return {
        place
        for one in morphemes
        if one.is_oov() and one.part_of_speech()[1] != "数詞" and one.part_of_speech()[0] != "補助記号"
        for place in range(one.begin(), one.end())
    }
