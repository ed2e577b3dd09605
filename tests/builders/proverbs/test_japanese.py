"""Japanese proverbs: gender swapped by hand-written cases, the packaged list, questions, and a build to pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.builders.proverbs import japanese
from tashika.builders.proverbs.controls import changed_words
from tashika.builders.proverbs.forms import question_form, sentence_form
from tashika.builders.proverbs.gender_swap import Unswappable, direction_of, swap_gender
from tashika.builders.proverbs.list import content_words, duplicates, packaged_proverbs, read_proverbs
from tashika.builders.proverbs.problems import Limits, problem_of
from tashika.builders.proverbs.variants import change_for, parsed
from tashika.core.settings import packaged
from tashika.core.suites.proverbs.words import FORMS, TOPICS, language_of, question

LIST = read_proverbs(packaged_proverbs("ja"))
FREE = Limits(shortest=0.25, longest=4.0, kindred=False)


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("女三人寄れば姦しい", "男三人寄れば姦しい"),
        ("男子の一言、金鉄の如し", "女子の一言、金鉄の如し"),
        ("女心と秋の空", "男心と秋の空"),
        ("娘一人に婿八人", "息子一人に嫁八人"),
        ("兄弟は他人の始まり", "姉妹は他人の始まり"),
        ("少年老い易く学成り難し", "少女老い易く学成り難し"),
        ("親父の夜歩き、息子の看経", "お袋の夜歩き、娘の看経"),
        ("悪妻は百年の不作", "悪夫は百年の不作"),
        ("小姑一人は鬼千匹に当たる", "小舅一人は鬼千匹に当たる"),
        ("坊主憎けりゃ袈裟まで憎い", "尼憎けりゃ袈裟まで憎い"),
        ("男は妻から", "女は夫から"),
        ("王子と乞食", "王女と乞食"),
    ],
)
def test_gender_is_swapped_and_swapped_back(text: str, swapped: str) -> None:
    assert swap_gender(text) == swapped
    assert swap_gender(swapped) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("石の上にも三年", "has no gendered word"),
        ("男は度胸、女は愛嬌", "would merely change places"),
        ("遠くて近きは男女の仲", "both genders in one word"),
        ("夫婦喧嘩は犬も食わない", "both genders in one word"),
        ("三日坊主", "no monk is meant"),
        ("漁夫の利", "no woman's word"),
        ("孟母三遷の教え", "a person's gender is theirs"),
        ("門前の小僧習わぬ経を読む", "a boy or a monk"),
        ("彼を知り己を知れば百戦殆うからず", "an enemy is meant"),
        ("学問に王道なし", "no king is meant"),
        ("転んでも大丈夫", "no man is meant"),
        ("母の乳は薬", "would not be true"),
    ],
)
def test_what_cannot_be_swapped_says_why(text: str, reason: str) -> None:
    with pytest.raises(Unswappable, match=reason):
        swap_gender(text)


def test_every_pair_of_words_has_one_counterpart_either_way() -> None:
    pairs = japanese.japanese_words().gender.pairs
    words = [*pairs, *pairs.values()]
    assert len(set(words)) == len(words)
    assert not set(words) & set(japanese.japanese_words().gender.refused)


def test_whom_a_proverb_speaks_of() -> None:
    assert direction_of("男は裸百貫") == "man-first"
    assert direction_of("女は化け物") == "woman-first"
    assert direction_of("男は妻から") == "both"
    assert direction_of("石の上にも三年") is None
    assert direction_of("大丈夫") is None


def test_the_packaged_list_is_japanese_and_no_text_of_it_stands_twice() -> None:
    texts = [proverb.text for proverb in LIST]
    assert {language_of(text) for text in texts} == {"ja"}
    assert duplicates(texts) == []
    everything = [*texts, *(proverb.variant for proverb in LIST if proverb.variant)]
    assert [text for text, count in Counter(everything).items() if count > 1] == []


def test_every_proverb_on_gender_can_be_swapped_and_its_control_changes_as_much() -> None:
    for proverb in LIST:
        if "gender" in proverb.topics:
            swapped = swap_gender(proverb.text)
            assert proverb.change == "neutral"
            assert changed_words(proverb.text, swapped) == changed_words(proverb.text, proverb.variant), proverb.text
            assert direction_of(proverb.variant) == direction_of(proverb.text), proverb.text


def test_every_written_variant_is_sound() -> None:
    for proverb in LIST:
        if proverb.variant:
            assert problem_of(proverb.text, proverb.variant, proverb.change, FREE, set()) is None, proverb.text


@pytest.mark.parametrize(
    ("variant", "change", "problem"),
    [
        ("石の上にも三年", "number", "is unchanged"),
        ("石の上にも三年。", "number", "is unchanged"),
        ("石の上にも 3 years", "number", "is in another script"),
        ("A stone for three years", "object", "is in another script"),
        ("岩の上にも三年", "number", "says that a number differs"),
        ("石の上にも男三年", "object", "changes the gender"),
        ("石", "object", "too short"),
        ("石の上にも三年という長い長い言葉の続きがここにある", "object", "with something added|too long"),
    ],
)
def test_what_is_no_variant_of_a_japanese_proverb(variant: str, change: str, problem: str) -> None:
    found = problem_of("石の上にも三年", variant, change, Limits(), set())
    assert found is not None
    assert any(part in found for part in problem.split("|")), found


def test_content_is_kanji_and_katakana() -> None:
    assert content_words("ローマではローマ人のするようにせよ") == {"ローマ", "人"}
    assert content_words("猫に小判") == {"猫", "小", "判"}


def test_what_a_model_is_asked_to_change_and_how_its_lines_are_read() -> None:
    assert [change_for(text) for text in ("石の上にも三年", "能ある鷹は爪を隠す", "花より団子")] == [
        "number",
        "animal",
        "object",
    ]
    proposal = parsed("animal：能ある猫は爪を隠す")
    assert (proposal.text, proposal.change, proposal.problem) == ("能ある猫は爪を隠す", "animal", None)
    proposal = parsed("wording（英語）：「同じ羽の鳥は群れる」")
    assert (proposal.text, proposal.origin, proposal.problem) == ("同じ羽の鳥は群れる", "英語", None)


def test_questions_quote_whatever_a_proverb_is() -> None:
    assert question("why", "猫に小判。") == "なぜ「猫に小判」と言われるのですか。"
    assert question("say", "猫に小判") == "「猫に小判」と言うのはどういうことですか。"
    assert question("mean", "猫に小判") == "「猫に小判」とはどういう意味ですか。"
    assert language_of(question("mean", "十人十色")) == "ja"
    texts = ("何が何だか。そうか。", "行け！")
    forms = [sentence_form(text) for text in texts]
    assert {question_form(texts, forms, FORMS, seed) for seed in range(30)} == set(FORMS)


def test_a_build_makes_pairs_and_controls(tmp_path: Path, tashika: Callable[..., Any]) -> None:
    config = packaged("proverbs-ja.toml")
    ran = tashika("build", "proverbs", "--work", tmp_path, "--config", config, "--limit", 8)
    assert ran.code == 0, ran.err
    rows = pq.read_table(tmp_path / "proverbs" / "items" / "pair.parquet").to_pylist()
    assert Counter(row["topic"] for row in rows if row["change"] != "neutral") == dict.fromkeys(TOPICS, 8)
    assert sum(row["change"] == "neutral" for row in rows) == 8
    assert {language_of(row[name]) for row in rows for name in ("proverb", "variant", "question")} == {"ja"}
    assert Counter(row["direction"] for row in rows if row["change"] == "gender")["man-first"] >= 3
