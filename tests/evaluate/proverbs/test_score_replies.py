"""What is a score and what is none, by hand-written replies in English and Japanese, and by properties."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.proverbs.score_replies import read_score
from tashika.evaluate.ways.generation import Unparsable

WORDS = dict(enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1))
KANJI = dict(enumerate("一二三四五六七八九十", 1))
FULL = str.maketrans("0123456789", "０１２３４５６７８９")

FORMS = """
{}|{}.|{}.0|Score: {}|score:{}.|Score : {}|The score is {}.|Rating: {}|**{}**|*{}*|__{}__|`{}`|"{}"|[{}]|({})
**Score:** {}
**Score: {}**|**Score: *{}***|### Score: {}|Score: **{}**.|{}/10|{} / 10.|**{}/10**|Score: {}/10|{} out of 10
{} out of ten
Score: {} (out of 10)|{} points|The accuracy score is {}/10.|Score for this answer: {}
{}点|{}点。|{}点です。|スコア：{}|スコア: {}点|**スコア：{}**|点数は{}|評価：{}/10|{}／１０|10点満点中{}点
１０点満点で、{}点|10段階で{}|10段階評価中{}|「{}」|回答のスコアは{}です。|{}/10点"""


@pytest.mark.parametrize("form", [" {}\n", "Score:\n{}", *re.split(r"[|\n]", FORMS.strip())])
@pytest.mark.parametrize("score", range(1, 11))
def test_a_score_is_read_however_it_is_dressed(form: str, score: int) -> None:
    assert read_score(form.format(score)) == score
    assert read_score(form.format(str(score).translate(FULL))) == score


@pytest.mark.parametrize("score", range(1, 11))
def test_a_score_in_words(score: int) -> None:
    for form in ("{}", "{}.", "Score: {}", "**{}**", "{} out of ten"):
        assert read_score(form.format(WORDS[score])) == score
        assert read_score(form.format(WORDS[score].capitalize())) == score
    for form in ("{}", "{}点", "スコア：{}", "{}点です。", "十点満点中{}点"):
        assert read_score(form.format(KANJI[score])) == score


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("7.5", "not a whole number"),
        ("7,5", "not a whole number"),
        ("7.5点", "not a whole number"),
        ("-3", "not a whole number"),
        ("- 8", "not a whole number"),
        ("11", "not from 1 to 10"),
        ("0", "not from 1 to 10"),
        ("0/10", "not from 1 to 10"),
        ("11/10", "not from 1 to 10"),
        ("100", "not from 1 to 10"),
        ("9" * 5000, "not from 1 to 10"),
        ("4/5", "out of another number"),
        ("80/100", "out of another number"),
        ("8/100", "out of another number"),
        ("7.5/10", "out of another number"),
        ("80%", "out of another number"),
        ("8 out of 20", "out of another number"),
        ("100点満点中80点", "out of another number"),
        ("5段階で4", "out of another number"),
        ("8/10/10", "out of another number"),
        ("7-8", "a range"),
        ("7〜8点", "a range"),
        ("**7-8**", "a range"),
        ("7 to 8", "a range"),
        ("8 or 9", "a range"),
        ("8か9", "a range"),
        ("8 9", "words beside the score"),
        ("8\n9", "words beside the score"),
        ("**8** 9", "words beside the score"),
        ("8 because it is right", "words beside the score"),
        ("8\n\nIt is right.", "words beside the score"),
        ("about 8", "words beside the score"),
        ("約8点", "words beside the score"),
        ("8点くらい", "words beside the score"),
        ("10点満点", "out of another number"),
        ("満点", "words, no score"),
        ("one of the best", "words, no score"),
        ("eight or nine", "words, no score"),
        ("二、三点", "words, no score"),
        ("high", "words, no score"),
        ("8²", "words beside the score"),
        ("½", "words, no score"),
        ("٨", "words"),
        ("I'm sorry, I can't score that.", "a refusal"),
        ("申し訳ありませんが、採点できません。", "a refusal"),
        ("Score: I cannot score 8.", "a refusal"),
    ],
)
def test_what_is_no_score_or_may_be_two_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_score(text)


@given(st.integers())
def test_an_integer_is_a_score_from_1_to_10_alone(number: int) -> None:
    if 1 <= number <= 10:
        assert read_score(str(number)) == number
    else:
        with pytest.raises(Unparsable):
            read_score(str(number))


@given(
    st.integers(1, 10), st.integers(1, 10), st.sampled_from([" ", "\n", ", ", "; ", " and ", " or ", "-", "、", "か"])
)
def test_two_scores_are_none(first: int, second: int, between: str) -> None:
    with pytest.raises(Unparsable):
        read_score(f"{first}{between}{second}")


@given(st.text("0123456789/10.点中満スコア:：*_` -()abceinorstuxv", max_size=16))
def test_whatever_is_read_is_a_number_that_stands_there(text: str) -> None:
    try:
        score = read_score(text)
    except Unparsable:
        return
    assert 1 <= score <= 10
    numbers = {int(digits) for digits in re.findall(r"\d+", text)}
    assert score in numbers or WORDS[score] in text.casefold()


@given(st.text(max_size=30))
def test_any_text_is_a_score_or_refused(text: str) -> None:
    with suppress(Unparsable):
        assert 1 <= read_score(text) <= 10
