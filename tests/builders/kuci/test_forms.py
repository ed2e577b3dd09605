from __future__ import annotations

from typing import Any

import pytest

from tashika.builders.kuci.forms import form_key, form_of, is_empty


def clause(words: str, *, predicate: str = "食べる", kind: str = "動", **more: Any) -> dict[str, Any]:
    """A clause without arguments, of words parted by spaces."""
    rest = {"past": False, "modality": "", "voice": "active", "arguments": []}
    return {"words": words.split(), "predicate": predicate, "predicate_kind": kind, **rest, **more}


@pytest.mark.parametrize(
    ("words", "past", "modality", "form"),
    [
        ("ご飯 を 食べる", False, "", "non-past plain statement"),
        ("ご飯 を 食べ た", True, "", "past plain statement"),
        ("ご飯 を 食べ まし た", True, "", "past polite statement"),
        ("風邪 を 引き ませ ん よ", False, "", "non-past polite statement"),
        ("気持ち が いい です", False, "", "non-past polite statement"),
        ("服 を 洗い ます", False, "", "non-past polite statement"),
        ("ます を 釣る 人 が 増える よう に なる", False, "", "non-past plain statement"),  # trout, far from the end
        ("早く 寝 て ください", False, "てください", "non-past polite request"),
        ("家 に 帰ろ う", False, "よう", "non-past plain proposal"),
        ("雨 が 降る だろう", False, "だろう", "non-past plain guess"),
        ("行か なけれ ば なら ない", False, "なければならない", "non-past plain judgement"),
        ("雨が 降る だろう", False, "認識-推量", "non-past plain guess"),  # as KNP has it
        ("早く 寝て ください", False, "依頼Ａ,意志", "non-past polite request"),
    ],
)
def test_form(words: str, past: bool, modality: str, form: str) -> None:
    assert form_of(clause(words, past=past, modality=modality)) == form


def test_what_must_match() -> None:
    assert form_key("past polite request", ("tense", "act")) == ("past", "request")
    assert form_key("past polite request", ()) == ()


ARGUMENT = [{"case": "ガ", "lemma": "彼", "explicit": True}]
HIDDEN = [{"case": "ガ", "lemma": "彼", "explicit": False}]


@pytest.mark.parametrize(
    ("words", "predicate", "kind"),
    [
        ("好き だ", "好き", "判"),
        ("幸い です", "幸い", "判"),
        ("うれしい です", "嬉しい", "形"),
        ("大変 うれしい", "嬉しい", "形"),
        ("本当 に うれしかっ た です", "嬉しい", "形"),
        ("し て い ます", "為る", "動"),
        ("なり まし た", "成る", "動"),
        ("して います", "する/する", "動"),  # as KNP has it
        ("行か なかっ た", "行く", "動"),
        ("取り替える", "取り替える", "動"),
    ],
)
def test_what_names_no_event(words: str, predicate: str, kind: str) -> None:
    assert is_empty(clause(words, predicate=predicate, kind=kind, arguments=HIDDEN))
    assert not is_empty(clause(words, predicate=predicate, kind=kind, arguments=ARGUMENT))


@pytest.mark.parametrize(
    ("words", "predicate", "kind"),
    [
        ("眠く なる", "眠い+成る", "動"),
        ("よく 滑っ て 転び ます", "転ぶ", "動"),
        ("ぼそぼそ に なる", "成る", "動"),
        ("階段 を 下りる の が つらい", "辛い", "形"),
        ("年賀状 を 書く の が 大変 だ", "大変", "判"),
        ("星 三 つ です", "つ", "判"),
    ],
)
def test_what_names_an_event(words: str, predicate: str, kind: str) -> None:
    assert not is_empty(clause(words, predicate=predicate, kind=kind))


def argument(case: str, lemma: str) -> dict[str, Any]:
    return {"case": case, "lemma": lemma, "explicit": True}


@pytest.mark.parametrize(
    ("arguments", "predicate", "empty"),
    [
        ([], "驚く", True),
        ([argument("ガ", "母")], "怒る", True),
        ([argument("未", "彼")], "混乱+為る", True),
        ([argument("ガ", "気分")], "良い", True),
        ([argument("カラ", "朝"), argument("ガ", "機嫌")], "悪い", True),
        ([argument("ガ", "新人"), argument("ヲ", "自信")], "無くす", True),
        ([argument("ヲ", "気持ち")], "伝える", False),
        ([argument("デ", "面接"), argument("ガ", "自信")], "持てる", False),
        ([argument("ニ", "物音")], "驚く", False),
        ([argument("ガ", "目")], "疲れる", False),
    ],
)
def test_a_feeling_and_no_more_names_no_event(arguments: list[dict[str, Any]], predicate: str, empty: bool) -> None:
    words = "とても し た"
    assert is_empty(clause(words, predicate=predicate, arguments=arguments)) == empty
