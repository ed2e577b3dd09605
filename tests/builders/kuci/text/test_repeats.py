from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.text.repeats import Numbers, Repeats, may_be_sentence


def test_sentences_that_differ_in_digits_and_signs_are_repeats() -> None:
    repeats = Repeats()
    assert not repeats.has("3月5日は雨が降ったので、休んだ。")
    assert repeats.has("１２月２５日は雨が降ったので休んだ！")
    assert not repeats.has("3月5日は雪が降ったので、休んだ。")
    assert not repeats.has("！！！")
    assert not repeats.has("。。。")
    assert repeats.has("。。。")


def test_of_twice_as_many_as_are_remembered_the_older_half_is_forgotten() -> None:
    repeats = Repeats(most=2)
    assert not any(repeats.has(text) for text in ("雨。", "雪。", "霧。"))
    assert repeats.has("雨。")
    assert not repeats.has("風。")
    assert not repeats.has("雨。")
    assert repeats.has("霧。")


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3)), st.integers(0, 2**64 - 1))
def test_numbers_are_a_set(numbers: list[int], other: int) -> None:
    known, expected = Numbers(), {number or 1 for number in numbers}  # 0 is taken for 1
    new = [known.add(number) for number in numbers]
    assert sum(new) == len(known) == len(expected)
    assert all(number in known for number in numbers)
    assert (other in known) == ((other or 1) in expected)


def test_numbers_are_kept_when_their_table_grows() -> None:
    known, some = Numbers(), [pow(3, power, 2**64) for power in range(1, 3_001)]
    assert all(known.add(number) for number in some)
    assert not any(known.add(number) for number in some)


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
