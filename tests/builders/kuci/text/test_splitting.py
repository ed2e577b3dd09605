from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.text.splitting import sentences_of


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("雨が降る。風が吹く。", ["雨が降る。", "風が吹く。"]),
        ("雨だ！！ 帰ろう？", ["雨だ！！", "帰ろう？"]),
        ("雨が降る", ["雨が降る"]),
        ("「帰るよ。」と言った。そして帰った。", ["「帰るよ。」と言った。", "そして帰った。"]),
        ("（本当だ。嘘ではない。）信じてほしい。", ["（本当だ。嘘ではない。）信じてほしい。"]),
        ("彼は「まだだ。と言った。", ["彼は「まだだ。", "と言った。"]),  # an opening bracket that nothing closes
        ("危ない！と叫んだ。本当？って聞いた。", ["危ない！と叫んだ。", "本当？って聞いた。"]),
        ("やった！とても嬉しい。", ["やった！", "とても嬉しい。"]),
        ("全長は3.5メートルです。https://a.jp/b?c=d を見た", ["全長は3.5メートルです。", "https://a.jp/b?c=d を見た"]),
        ("雨です．風です．", ["雨です．", "風です．"]),
        ("約３．５倍です。", ["約３．５倍です。"]),
        ("", []),
    ],
)
def test_a_line_is_split_where_sentences_end(line: str, sentences: list[str]) -> None:
    assert sentences_of(line) == sentences


@given(st.text(alphabet="あ雨。！？「」（）と !?.\u30101"))
def test_nothing_but_white_space_is_lost(line: str) -> None:
    assert "".join("".join(sentences_of(line)).split()) == "".join(line.split())
