from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.ginza.chunks import may_link
from tashika.builders.kuci.analysis.ginza.prefilter import may_relate
from tashika.builders.kuci.analysis.ginza.words import words_of
from tashika.builders.kuci.analysis.records import Failure, Sentence
from tashika.core.settings import packaged_data


@pytest.mark.parametrize(
    "text",
    [
        "雨が降ったから休んだ。",
        "雨なんで、休む。",
        "値段が安いこともあって、売れる。",
        "雨のおかげで育った。",
        "風の所為で倒れた。",
        "急がなきゃ遅れる。",
        "そうすりゃ治る。",
        "死んだら困る。",
        "静かだとよく眠れる。",
        "雨が降ると話が変わる。",
    ],
)
def test_every_marker_passes(text: str) -> None:
    assert may_relate(text)


@pytest.mark.parametrize("text", ["昨日は家にいた。", "父と山へ行った。", "父が来ると言った。", "明日は休むと思う。"])
def test_what_has_no_marker_is_left_out(text: str) -> None:
    assert not may_relate(text)


def test_no_relation_of_the_packaged_text_is_lost(ginza: Ginza) -> None:
    lines = Path(packaged_data("kuci/sentences-b.txt")).read_text(encoding="utf-8").split()
    left_out = [(str(number), line) for number, line in enumerate(lines) if line and not may_relate(line)]
    assert left_out
    assert not [one.text for one in ginza.analyze(left_out) if isinstance(one, Sentence) and one.relations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("雨が降ったので、休んだ。", True),
        ("事故のため遅れた。", True),
        ("ここから駅まで歩いた。", False),  # a place
        ("山田さんと話した。", False),
        ("とてもいいものであった。", False),
        ("寝たら治る。", True),
    ],
)
def test_words_show_whether_a_marker_may_stand_behind_a_predicate(ginza: Ginza, text: str, expected: bool) -> None:
    assert may_relate(text)
    assert may_link(words_of(ginza.model.tokenizer.tokenizer, text).tokens) is expected


def test_where_relations_alone_count_the_same_ones_are_given(ginza: Ginza) -> None:
    """The packaged text, with some lines that are no sentences among them, and fewer words than without the filter."""
    lines = Path(packaged_data("kuci/sentences-b.txt")).read_text(encoding="utf-8").split()[:400]
    inputs = [(str(number), line) for number, line in enumerate([*lines, " ", "あ" * 600, "雨" * 600 + "ので休む"])]
    everything = list(ginza.analyze(inputs))
    related = list(ginza.analyze(inputs, relations_only=True))
    assert [one.sid for one in related] == [one.sid for one in everything]
    with_relations = [one for one in everything if isinstance(one, Sentence) and one.relations]
    assert with_relations == [one for one in related if isinstance(one, Sentence) and one.relations]
    assert [one.sid for one in related if isinstance(one, Failure)] == [inputs[-1][0]]
    assert sum(isinstance(one, Sentence) and not one.morphemes for one in related) > len(lines) // 20
