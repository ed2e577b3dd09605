from __future__ import annotations

import pytest

from tashika.builders.kuci.text.repeats import Repeats, may_be_sentence


def test_sentences_that_differ_in_digits_and_signs_are_repeats() -> None:
    repeats = Repeats()
    assert not repeats.has("3月5日は雨が降ったので、休んだ。")
    assert repeats.has("１２月２５日は雨が降ったので休んだ！")
    assert not repeats.has("3月5日は雪が降ったので、休んだ。")
    assert not repeats.has("！！！")
    assert not repeats.has("。。。")
    assert repeats.has("。。。")


def test_of_more_than_are_remembered_the_oldest_are_forgotten() -> None:
    repeats = Repeats(most=2)
    assert not any(repeats.has(text) for text in ("雨。", "雪。", "霧。"))
    assert repeats.has("雪。")
    assert not repeats.has("雨。")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("雨が降る", True),
        ("会社概要 | 採用情報 | ﾒﾆｭｰ", False),
        ("Copyright 2026", False),
        ("詳しくは https://example.jp/ をご覧ください。", False),
        ("お問い合わせは info@example.jp まで", False),
    ],
)
def test_menus_and_addresses_are_no_sentences(text: str, expected: bool) -> None:
    assert may_be_sentence(text) is expected
