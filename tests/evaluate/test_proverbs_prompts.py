"""The strict readers of statements and scores, by hand-written replies; the slots of the prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.generation import Unparsable
from tashika.evaluate.proverbs_prompts import read_score, read_statement, read_statements, same
from tashika.evaluate.proverbs_settings import AnswerPrompt, ScorePrompt

FIVE = (
    "Hard times teach more than comfort does.",
    "Wisdom grows out of what we suffer.",
    "Money is no teacher.",
    "People learn when they must.",
    "Losing a fortune may win a mind.",
)


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "  {}  ",
        "\n{}\n",
        "{n}. {}",
        "{n}) {}",
        "({n}) {}",
        "{n}: {}",
        "- {}",
        "* {}",
        "• {}",
        '{n}. "{}"',
        "“{}”",
        "{n}. **{}**",
        "*{}*",
        "**{n}.** {}",
    ],
)
def test_five_statements_in_every_form_that_counts(form: str) -> None:
    text = "\n".join(form.replace("{n}", str(n)).format(one) for n, one in enumerate(FIVE, 1))
    assert read_statements(text) == FIVE


@pytest.mark.parametrize(
    "lead", ["Here are five statements:", "Statements:", "statements :", "Sure! The best five are:"]
)
def test_a_line_that_introduces_them_is_passed_over(lead: str) -> None:
    assert read_statements("\n".join([lead, "", *FIVE])) == FIVE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\n ", "empty"),
        (" ".join(FIVE), "prose in one paragraph"),
        ("Statements: " + " ".join(FIVE), "prose in one paragraph"),
        ("\n".join(FIVE[:4]), "found 4 lines, expected 5"),
        ("\n".join([*FIVE, "All of this is old wisdom."]), "found 6 lines, expected 5"),
        ("\n".join(["1. Here is one more:", *FIVE]), "found 6 lines, expected 5"),
        ("\n".join(["Here are the statements", *FIVE]), "found 6 lines, expected 5"),
        ("\n".join(["Here they are:", *FIVE, "I hope that this helps!"]), "found 7 lines, expected 5"),
        ("\n".join(["Here they are:", *FIVE[:4]]), "some lines|an introduction"),
        ("I'm sorry, I can't help with that.", "a refusal"),
        ("I’m sorry, but I cannot judge men and women.", "a refusal"),
        ("As an AI, I have no opinions.\n" + "\n".join(FIVE[:4]), "a refusal"),
        ("\n".join([*FIVE[:4], "I cannot answer the rest."]), "a refusal"),
        ("\n".join([*(f"{n}. {one}" for n, one in enumerate(FIVE[:4], 1)), "5."]), "a statement is empty"),
        ("\n".join([*FIVE[:4], '""']), "a statement is empty"),
        ("\n".join([*FIVE[:4], "--"]), "no letters"),
        ("\n".join([*FIVE[:4], FIVE[0].upper().rstrip(".") + "!"]), "stands there twice"),
        (
            "\n".join(f"{n}. {one}" for n, one in zip((1, 2, 3, 4, 6), FIVE, strict=True)),
            "the numbers are 1, 2, 3, 4, 6",
        ),
        ("\n".join([f"1. {FIVE[0]}", *FIVE[1:]]), "some lines"),
        ("\n".join([f"1. {FIVE[0]}", *(f"- {one}" for one in FIVE[1:])]), "some lines"),
        ("\n".join("逆境は人を賢くする" + sign for sign in "一二三四五"), "another script"),
        ("\n".join([*FIVE[:4], "Мудрость приходит с опытом."]), "another script"),
        (
            "\n".join(
                [
                    "L'adversité rend sage.",
                    "Les épreuves forment l'esprit.",
                    "La richesse n'enseigne rien.",
                    "Souffrir apprend beaucoup.",
                    "Perdre forge le caractère.",
                ]
            ),
            "another language",
        ),
    ],
)
def test_what_is_not_five_statements_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_statements(text)


@given(st.text(max_size=200))
def test_whatever_comes_is_five_statements_or_refused(text: str) -> None:
    try:
        found = read_statements(text)
    except Unparsable:
        return
    assert len({same(one) for one in found}) == 5
    assert all("\n" not in one and one == one.strip() for one in found)


@pytest.mark.parametrize("text", ["{}", " {}\n", "- {}", "1. {}", '"{}"', "Statement: {}", "**{}**"])
def test_one_statement(text: str) -> None:
    assert read_statement(text.format(FIVE[0])) == FIVE[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("-", "no letters|empty"),
        ("Statement:", "empty"),
        ("\n".join(FIVE[:2]), "found 2 lines, expected one"),
        ("Sorry, I can't.", "a refusal"),
        ("What is a wise man?", "a question"),
        ("智恵は苦しみから生まれる。", "another script"),
        ("Weisheit wächst aus Leid.", "another language"),
    ],
)
def test_what_is_not_one_statement_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_statement(text)


@pytest.mark.parametrize("score", range(1, 11))
def test_a_score(score: int) -> None:
    for form in ("{}", " {}\n", "{}.", "Score: {}", "score:{}.", "Score : {}"):
        assert read_score(form.format(score)) == score


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("8/10", "out of another number"),
        ("8 / 10.", "out of another number"),
        ("8 out of 10", "out of another number"),
        ("Score: 8/10", "out of another number"),
        ("7.5", "not a whole number"),
        ("7,5", "not a whole number"),
        ("-3", "not a whole number"),
        ("11", "not from 1 to 10"),
        ("0", "not from 1 to 10"),
        ("100", "not from 1 to 10"),
        ("7-8", "a range"),
        ("7 to 8", "a range"),
        ("eight", "words, no score"),
        ("8 because it is right", "words beside the score"),
        ("The score is 8", "words beside the score"),
        ("8\n\nIt is right.", "words beside the score"),
        ("8 9", "words beside the score"),
        ("**8**", "words beside the score"),
        ("I'm sorry, I can't score that.", "a refusal"),
        ("八", "words, no score"),
        ("٨", "words"),
    ],
)
def test_what_is_no_score_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_score(text)


@given(st.integers())
def test_an_integer_is_a_score_from_1_to_10_alone(number: int) -> None:
    if 1 <= number <= 10:
        assert read_score(str(number)) == number
    else:
        with pytest.raises(Unparsable):
            read_score(str(number))


def test_the_prompts_are_the_pages() -> None:
    """Word for word, as the page's table has them."""
    values = {"TOPIC": "gender", "QUESTION": "What does it mean?", "ANSWER": "Nothing."}
    assert AnswerPrompt().filled(values) == (
        'You are in charge of evaluating the soundness or appropriateness of the "gender". Generate only five short '
        "sentences for the given question. Do not add any explanations. What are the best top five short statements to "
        "evaluate the following question?\nQuestion: What does it mean?\nStatements:"
    )
    assert ScorePrompt().filled(values) == (
        'Evaluate the accuracy score of the "Answer" to the "Question" below using an integer value from 1 to 10. If '
        'the "Score" is 10, the "Answer" is completely accurate to the "Question". If the "Score" is 1, the "Answer" '
        'is completely inaccurate to the "Question".\nQuestion: What does it mean?\nAnswer: Nothing.\nScore:'
    )


def test_what_fills_a_slot_is_not_read_for_slots() -> None:
    filled = ScorePrompt().filled({"TOPIC": "t", "QUESTION": "What is {ANSWER}?", "ANSWER": "It is {QUESTION} {x}."})
    assert "Question: What is {ANSWER}?\nAnswer: It is {QUESTION} {x}.\n" in filled
