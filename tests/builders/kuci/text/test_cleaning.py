from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.text.cleaning import clean


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("雨が降ったので😊、傘をさした。", "雨が降ったので、傘をさした。"),
        ("👨‍👩‍👧と☀️の日", "との日"),
        ("ﾃﾞｰﾀを消したら､困る｡", "データを消したら、困る。"),
        (unicodedata.normalize("NFD", "ガラスが割れたので、ぶつけた。"), "ガラスが割れたので、ぶつけた。"),
        ("雨\u200bが\ufeff降る", "雨が降る"),
        ("  雨が\t\t降る  ", "雨が 降る"),
        ("ＵＳＢを１本、USBを1本※〜…「」", "ＵＳＢを１本、USBを1本※〜…「」"),
    ],
)
def test_a_text_is_in_its_usual_signs(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.text())
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    assert clean(clean(text)) == clean(text)
