from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.ginza.prefilter import may_relate
from tashika.builders.kuci.analysis.records import Sentence
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
