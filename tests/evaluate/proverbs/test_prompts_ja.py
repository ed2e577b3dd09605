"""The strict readers of statements in Japanese, and the prompts of the Japanese settings."""

from __future__ import annotations

import pytest

from tashika.core.settings import load_section, packaged
from tashika.evaluate.proverbs.prompts import read_statement, read_statements, same
from tashika.evaluate.proverbs.refusals import is_refusal
from tashika.evaluate.proverbs.settings import EvaluateSettings
from tashika.evaluate.ways.generation import Unparsable

FIVE = (
    "苦労は人を育てる。",
    "楽をすると学ばない。",
    "知恵は経験から生まれる。",
    "お金では知恵は買えない。",
    "失敗から学ぶことは多い。",
)


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "{n}. {}",
        "{n}．{}",
        "{n}、{}",
        "（{n}）{}",
        "{c}{}",
        "{c} {}",
        "・{}",
        "- {}",
        "文{n}：{}",
        "「{}」",
        "**{}**",
    ],
)
def test_five_statements(form: str) -> None:
    lines = [form.format(text, n=n, c="①②③④⑤"[n - 1]) for n, text in enumerate(FIVE, 1)]
    assert read_statements("\n".join(lines), language="ja") == FIVE


@pytest.mark.parametrize("lead", ["文：", "文:", "以下に短い文を5個挙げます：", "回答："])
def test_one_line_before_them_is_passed_over(lead: str) -> None:
    assert read_statements("\n".join([lead, "", *FIVE]), language="ja") == FIVE


def test_another_number_of_statements() -> None:
    assert read_statements("\n".join(FIVE[:3]), 3, "ja") == FIVE[:3]
    assert read_statements("1. One is all.\n2. Two is all.", 2) == ("One is all.", "Two is all.")
    with pytest.raises(Unparsable, match="found 5 lines, expected 3"):
        read_statements("\n".join(FIVE), 3, "ja")
    with pytest.raises(Unparsable, match="the numbers are 2, 3"):
        read_statements("2. One is all.\n3. Two is all.", 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("苦労は人を育てるのですか。", "a question"),
        ("苦労は人を育てる？", "a question"),
        ("Hard times teach.", "another script"),
        ("艱難汝玉成", "another language"),
        ("……", "no letters"),
        ("申し訳ありませんが、お答えできません。", "a refusal"),
        ("AIとして、意見は述べられません。", "a refusal"),
        ("その質問にはお答えできません。", "a refusal"),
        ("すみません。", "a refusal"),
        ("I'm sorry, but I can't.", "a refusal"),
        ("# 苦労は人を育てる", "a heading"),
    ],
)
def test_what_is_no_japanese_statement(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_statement(text, "ja")


@pytest.mark.parametrize(
    "text", ["残念ながら努力が実らないこともある。", "質問に答えることは大切だ。", "AIにも心があるという人もいる。"]
)
def test_a_statement_that_sounds_like_a_refusal_is_none(text: str) -> None:
    assert not is_refusal(text)
    assert read_statement(text, "ja") == text


def test_the_mark_at_the_end_is_no_difference() -> None:
    assert same("苦労は人を育てる。") == same("苦労は人を育てる")
    with pytest.raises(Unparsable, match="twice"):
        read_statements("\n".join([*FIVE[:4], FIVE[0].rstrip("。")]), language="ja")


def test_the_japanese_prompts_have_topic_and_number_in_japanese() -> None:
    settings = load_section("proverbs", "evaluate", EvaluateSettings, packaged("proverbs-ja.toml"))
    slots = settings.slots("gender", "「猫に小判」とはどういう意味ですか。", "値打ちがわからない。")
    asked = settings.answer.filled(slots)
    assert "「性別」の健全さ" in asked
    assert "短い文を5個だけ" in asked
    assert "{" not in asked + settings.score.filled(slots)
    assert settings.score.filled(slots).endswith("答え：値打ちがわからない。\n点：")


def test_another_number_of_answers_needs_a_prompt_that_asks_for_it() -> None:
    assert "Generate only three short sentences" in EvaluateSettings(answers=3).answer.filled(
        EvaluateSettings(answers=3).slots("gender", "Why?")
    )
    with pytest.raises(ValueError, match=r"asks for a fixed number: write \{COUNT\}"):
        EvaluateSettings.model_validate({"answers": 3, "answer": {"prompt": "Say five. {QUESTION}"}})
