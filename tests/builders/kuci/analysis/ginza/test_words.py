"""The words are those of spaCy's own tokenizer for Japanese, for any text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.ginza.words import Words, words_of

ALPHABET = "雨が降るので、家にいたらならばと「」ため。…ーｱﾞ 　\t+*#EOS3３Ⅲ㍻é😀"


def _words(ginza: Ginza, text: str) -> Words:
    return words_of(ginza.model.tokenizer.tokenizer, text)


def _spacy(ginza: Ginza, text: str) -> list[tuple[Any, ...]]:
    return [
        (
            token.i,
            token.orth_,
            token.norm_,
            token.tag_,
            (token.morph.get("Inflection") or [""])[0].split(";")[-1],
            bool(token.whitespace_),
        )
        for token in ginza.model.tokenizer(text)
    ]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=ALPHABET, min_size=1, max_size=40) | st.text(min_size=1, max_size=20))
def test_the_words_are_spacys(ginza: Ginza, text: str) -> None:
    if not text.strip():
        return
    words = _words(ginza, text)
    ours = [
        (one.index, one.surface, one.norm, one.tag, one.form, space)
        for one, space in zip(words.tokens, words.spaces, strict=True)
    ]
    assert ours == _spacy(ginza, text)


def test_spaces_between_words_are_no_tokens_but_others_are(ginza: Ginza) -> None:
    words = _words(ginza, "雨 が　降る。")
    assert [(one.surface, space) for one, space in zip(words.tokens, words.spaces, strict=True)] == [
        ("雨", True),
        ("が", False),
        ("\u3000", False),
        ("降る", False),
        ("。", False),
    ]
    assert words.text == "雨 が　降る。"


@pytest.mark.parametrize(("text", "unknown"), [("ケロリンパが来た。", set(range(5))), ("2026年😀", set())])
def test_words_that_the_dictionary_lacks_are_known_by_their_places(ginza: Ginza, text: str, unknown: set[int]) -> None:
    assert _words(ginza, text).unknown == unknown
