"""Patterns of single texts: personal data, scripts, invisible characters; and what looks like them and is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.exports.checking.duplicates import nearly_same, runs_of
from tashika.exports.checking.licences import _PATTERNS, ALLOWED, FREE, WITH_NOTICE, family_of
from tashika.exports.checking.personal import LIKELY, passes_luhn, personal_data
from tashika.exports.checking.scripts import _LETTERS, scripts_of, strange_script
from tashika.exports.checking.texts import _unprinted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to hanako.yamada+list@mail.kyoto-school.ac.jp!", ["an address of mail"]),
        ("taro＠nihon-shop.co.jp", ["an address of mail"]),
        ("Call +81 90-1234-5678.", ["a phone number"]),
        ("Call (415) 555-2671", ["a phone number"]),
        ("電話は03-1234-5678まで", ["a Japanese phone number"]),
        ("電話は０３－１２３４－５６７８まで", ["a Japanese phone number"]),
        ("携帯09012345678", ["a Japanese mobile number"]),
        ("〒100-0001 千代田区", ["a Japanese postal code"]),
        ("paid with 4111 1111 1111 1111", ["the number of a payment card"]),
        ("seen from 203.0.114.7 at night", ["the address of a machine (IPv4)"]),
        ("seen from 2a00:1450:4001:81b:0:0:0:200e", ["the address of a machine (IPv6)"]),
    ],
)
def test_personal_data_by_kind(text: str, expected: list[str]) -> None:
    assert list(dict.fromkeys(personal_data(text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Write to someone@example.com",  # RFC 2606: nobody's
        "an @ sign, or user@host",
        "from 1914-1918 to 1939-1945",
        "2025-03-01..2025-12-31",
        "ISBN 978-3-16-148410-0",
        "the prime 4111111111111112",  # fails Luhn
        "version 8.8.8.8 of the program",
        "served at 127.0.0.1, or 192.168.0.1",
        "chapter 1.2.3",
        "population 123-4567",
        "the asteroid (415) and 555",
        "at 12:34:56 and 1:2",
        "Q1203 has P19",
        "お腹が空いたので、ご飯を100-200円で買う",
    ],
)
def test_what_only_looks_like_personal_data(text: str) -> None:
    assert list(personal_data(text)) == []


@given(st.text(alphabet="0123456789", min_size=1, max_size=18))
def test_one_last_digit_fits_any_others(digits: str) -> None:
    assert sum(passes_luhn(f"{digits}{last}") for last in range(10)) == 1


def test_texts_without_what_is_likely_have_no_personal_data() -> None:
    import re

    for text in ("a@b.org", "03-1234-5678", "〒100-0001", "2a00:1450:4001:81b::200e", "4111 1111 1111 1111", "8.8.8.8"):
        assert re.search(LIKELY, text)


@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        ("Paris is a city.", ("en",), None),
        ("Привет, мир", ("en",), "Cyrillic"),
        ("What does 猫 mean in Japanese?", ("en",), None),
        ("お腹が空いたので", ("ja",), None),
        ("NHK", ("ja",), None),
        ("The cat sat on the mat.", ("ja",), "Latin"),
        ("東京都", ("ja",), None),
        ("这是一个用中文写的很长的句子而不是日语", ("ja",), "Han without kana"),
        ("这是一个用中文写的很长的句子", ("zh",), None),
        ("서울은 수도이다", ("ja", "en"), "Hangul"),
        ("1984", ("en",), None),
        ("α", ("en",), None),
        ("ﾊﾝｶｸ", ("ja",), None),
    ],
)
def test_scripts_by_language(text: str, languages: tuple[str, ...], expected: str | None) -> None:
    scripts = scripts_of(languages)
    assert scripts is not None
    assert strange_script(text, scripts) == expected


@given(st.characters())
def test_a_letter_is_in_one_script_at_most(char: str) -> None:
    assert sum(letters.search(char) is not None for letters in _LETTERS.values()) <= 1


def test_a_language_that_is_not_known_is_not_checked() -> None:
    assert scripts_of(("en", "tlh")) is None
    assert scripts_of(("pt-BR",)) == frozenset({"Latin"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text\nin two lines\twith a tab, é and 日本語", ""),
        ("zero\u200bwidth", "\u200b"),
        ("می\u200cخواهم", ""),  # Persian needs it
        ("क\u094d\u200dष", ""),  # and so does Hindi
        ("a\u200cb", "\u200c"),
        ("👩\u200d🚀", ""),
        ("\u202eright to left", "\u202e"),
        ("soft\u00adhyphen", "\u00ad"),
        ("lost \ufffd", "\ufffd"),
        ("private \ue000", "\ue000"),
        ("\ufeffmark", "\ufeff"),
        ("carriage\rreturn", "\r"),
        ("\u3164", "\u3164"),
        ("\u0600 sign of a number", ""),
    ],
)
def test_characters_that_do_not_print(text: str, expected: str) -> None:
    assert "".join(_unprinted(text)) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Which river runs through Vienna?", "which river runs through Viena?", True),
        ("A letter to [X] could be written in [Y].", "The letter to [X] could be written in [Y].", True),
        ("The first words that [Y] ever said were in [X].", "The first words that [X] ever said were in [Y].", False),
        ("Who was the mayor of the city of Kyoto in 1990?", "Who was the mayor of the city of Kyoto in 1991?", False),
        ("the language of the eleventh most recent coach", "the language of the seventh most recent coach", False),
        (
            "Where was the great painter John born and raised?",
            "Where was the great painter Jane born and raised?",
            False,
        ),
        ("It is known that he was at home that evening", "It is known that he was not at home that evening", False),
        ("雨が降ったので傘を持って出かけた", "雨が降ったので傘を持ってでかけた", True),
        ("雨が降ったので傘を持って出かけた", "雪が降ったので靴をはいて出かけた", False),
    ],
)
def test_nearly_the_same_by_hand(left: str, right: str, expected: bool) -> None:
    assert nearly_same(left, right, 0.7) is nearly_same(right, left, 0.7) is expected


def test_runs_are_shorter_where_a_character_says_more() -> None:
    assert runs_of("abcd") == [b"abc", b"bcd"]
    assert runs_of("傘を持つ") == ["傘を".encode(), "を持".encode(), "持つ".encode()]


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("cc0-1.0", "cc0"),
        ("CC0 1.0 for the packaged list; a list of your own has its own", "cc0"),
        ("CC BY-SA 4.0", "cc-by-sa"),
        ("cc-by-nc-sa-4.0", "cc-by-nc-sa"),
        ("CC BY 4.0", "cc-by"),
        ("Apache-2.0, written for this dataset", "apache"),
        ("WordNet License (Princeton University); its notice goes along with every copy", "wordnet"),
        ("MIT; the model's own metadata", "mit"),
        ("BSD-3-Clause", "bsd"),
        ("gpl-3.0", "gpl"),
        ("bigscience-openrail-m", "openrail"),
        ("that of HyperLex (Vulić et al., 2017), to be checked", None),
        ("see the source", None),
        ("mitigated", None),
        ("other", None),
    ],
)
def test_the_family_of_a_licence(licence: str, expected: str | None) -> None:
    assert family_of(licence) == expected


def test_what_a_licence_allows_is_a_licence_that_is_known() -> None:
    families = {family for family, _ in _PATTERNS}
    assert {*ALLOWED, *FREE, *WITH_NOTICE} <= families
    assert {allowed for those in ALLOWED.values() for allowed in those} <= families
    assert len({*ALLOWED, *FREE, *WITH_NOTICE}) == len(ALLOWED) + len(FREE) + len(WITH_NOTICE)
