"""How languages are written, in small examples; what English texts keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.cloze import normalised
from tashika.core.writing import KANA, closes, letter_script, script_of, without_idle_spaces, writing_of


@pytest.mark.parametrize(
    ("behind", "end"),
    [
        ("", True),
        (".", True),
        ('".', True),
        ("。", True),
        ("です。", True),
        ("である", True),
        ("」だった。", True),
        ("입니다.", True),
        ("؟", True),
        ("।", True),
        ("“.", True),
        (", they say.", False),
        ("と呼ばれる。", False),
        ("ですか。", False),
        ("の首都です。", False),
        ("da.", False),
    ],
)
def test_what_closes_a_sentence_behind_its_last_word(behind: str, end: bool) -> None:
    assert closes(behind) is end


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[X] の 首都 は [Y] です 。", "[X]の首都は[Y]です。"),
        ("[X]\u3000は [Y] 。", "[X]は[Y]。"),
        ("[X] 的首都是 [Y] 。", "[X]的首都是[Y]。"),
        ("[X] is in [Y] .", "[X] is in [Y] ."),
        ("[X] と BBC は [Y] 。", "[X]と BBC は[Y]。"),
        ("[X] [Y]", "[X] [Y]"),
        ("[X] 의 수도는 [Y] 이다.", "[X] 의 수도는 [Y] 이다."),
    ],
)
def test_spaces_that_a_language_does_not_write(text: str, written: str) -> None:
    assert without_idle_spaces(text) == written


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)))
def test_english_texts_stay_as_they_are(text: str) -> None:
    assert without_idle_spaces(text) == text


@given(st.text(alphabet="[XY] 首都はが。ab"))
def test_taking_spaces_out_twice_is_taking_them_out_once(text: str) -> None:
    once = without_idle_spaces(text)
    assert without_idle_spaces(once) == once


def test_the_script_of_a_text() -> None:
    assert script_of("日本の首都") == KANA  # two of five letters: it needs one
    assert script_of("日本的首都") == "CJK"
    assert script_of("столица of") == "CYRILLIC"
    assert script_of("12, 3!") is None
    assert [letter_script(letter) for letter in "aー々1。ก"] == ["LATIN", "KATAKANA-HIRAGANA", "CJK", "", "", "THAI"]


def test_a_language_is_known_by_the_first_part_of_its_code() -> None:
    assert writing_of("zh-hans") == writing_of("zh")
    assert writing_of("zh").unspaced
    assert writing_of("ja").name == "Japanese"
    assert not writing_of("en").scripts  # what nobody names may be in any
    unknown = writing_of("tlh")
    assert (unknown.name, unknown.prefixes, unknown.suffixes) == ("tlh", False, False)


@pytest.mark.parametrize(
    ("language", "letter", "before", "may"),
    [
        ("ja", "の", False, True),
        ("ja", "は", True, True),
        ("ja", "e", True, False),
        ("en", "s", False, False),
        ("en", "の", False, False),
        ("ar", "ل", True, True),
        ("ar", "ل", False, False),
        ("tr", "d", False, True),
        ("tr", "d", True, False),
        ("ru", "в", True, False),
    ],
)
def test_what_may_touch_a_name(language: str, letter: str, before: bool, may: bool) -> None:
    assert writing_of(language).may_touch(letter, before=before) is may


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[X]の首都は[Y]です。", "[X] の 首都 は [Y] です", True),
        ("[X]の首都は、[Y]です。", "[X]の首都は[Y]です！", True),
        ("[X]の首都は[Y]です。", "[Y]の首都は[X]です。", False),
        ("[X]はバ[Y]", "[X]はハ\u3099[Y]", True),  # NFD
        ("[X]はバ[Y]", "[X]はハ[Y]", False),
        ("[X] की राजधानी [Y] है।", "[X] का राजधाना [Y] हो।", False),  # vowels are marks, and make the word
        ("وُلد [X] في [Y].", "ولد [X] في [Y]", True),  # points may be left out
        ("[X] was born, in [Y]!", "[x]  Was born in [Y]", True),
    ],
)
def test_when_two_templates_are_the_same(one: str, other: str, same: bool) -> None:
    assert (normalised(one) == normalised(other)) is same
