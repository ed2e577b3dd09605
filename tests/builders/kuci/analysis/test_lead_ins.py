from __future__ import annotations

import pytest

from tashika.builders.kuci.analysis.brackets import is_torn
from tashika.builders.kuci.analysis.lead_ins import Word, lead_in


def words(text: str) -> list[Word]:
    """Words as SURFACE/PART, a sign as SURFACE alone."""
    pairs = (word.partition("/") for word in text.split(" "))
    return [Word(surface, part or "補助記号", not part) for surface, _, part in pairs]


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("しかし/接続詞 、 雨/名詞 が/助詞", "雨"),
        ("しかし/接続詞 雨/名詞 が/助詞", "雨"),
        ("更に/接続詞 は/助詞 雨/名詞 が/助詞", "雨"),
        ("あっ/感動詞 、 で/助詞 も/助詞 雨/名詞", "雨"),
        ("あっ/感動詞 と/助詞 いう/動詞 間/名詞", "あっ"),
        ("また/接続詞 、 雨/名詞", "雨"),
        ("また/接続詞 雨/名詞", "また"),
        ("その/連体詞 ため/名詞 、 雨/名詞", "雨"),
        ("その/連体詞 ため/名詞 に/助詞 雨/名詞", "その"),
        ("行く/動詞 … 雨/名詞", "雨"),
        ("彼/代名詞 … 雨/名詞", "彼"),
        ("本/名詞 ・ 雑誌/名詞", "本"),
        ("行く/動詞 ・ ・ 雨/名詞", "雨"),
        ("質問/名詞 : 雨/名詞", "雨"),
        ("10/名詞 : 30/名詞", "10"),
        ("、 （ 雨/名詞 ）", "（"),
        ("（ 行く/動詞 … 雨/名詞 ）", "（"),
        ("しかし/接続詞 、", "しかし"),
        ("行く/動詞 …", "行く"),
    ],
)
def test_what_leads_a_clause_in(text: str, begin: str) -> None:
    inside = words(text)
    assert inside[lead_in(inside)].surface == begin


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("「 雨 」", False),
        ("雨 」", True),
        ("「 雨", True),
        ("「 （ 雨 」 ）", True),
        ("「 （ 雨 ） 」", False),
        ("雨", False),
    ],
)
def test_brackets_that_lack_their_other_one(text: str, torn: bool) -> None:
    assert is_torn(text.split(" ")) is torn
