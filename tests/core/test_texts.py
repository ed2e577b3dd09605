from __future__ import annotations

import pytest

from tashika.core.texts import has_words, text_key


def test_texts_that_are_the_same_to_a_reader() -> None:
    assert text_key("Straße  ＡＢＣ") == text_key("STRASSE abc")
    assert text_key("Éa") == text_key("E\u0301a")
    assert text_key("a") != text_key("b")


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Who coaches Brazil?", "BRAZIL", True),
        ("Who coaches Brazilia?", "Brazil", False),
        ("Upper Brazilia or Brazil", "brazil", True),
        ("São Paulo", "paulo", True),
        ("ＡＢＣ Tokyo", "abc", True),
        ("New York City", "York C", False),
        ("Everton F.C.?", "Everton F.C.", True),
    ],
)
def test_whole_words(text: str, words: str, expected: bool) -> None:
    assert has_words(text, words) is expected
