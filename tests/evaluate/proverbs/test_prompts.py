"""The strict readers of statements, by hand-written replies; the slots of the prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.proverbs.prompts import read_statement, read_statements, same
from tashika.evaluate.proverbs.settings import AnswerPrompt, EvaluateSettings, ScorePrompt
from tashika.evaluate.ways.generation import Unparsable

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
        "{n}.{}",
        '{n})"{}"',
        "{n}．{}",
        "（{n}）{}",
        "+ {}",
        "Statement {n}: {}",
        "**Statement {n}:** {}",
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
        ("\n".join([f"1.{FIVE[0]}", *FIVE[1:]]), "some lines"),
        ("\n".join([f"Statement 1: {FIVE[0]}", *(f"{n}. {one}" for n, one in enumerate(FIVE[1:], 2))]), "some lines"),
        ("\n".join(f"Statement {n}: {one}" for n, one in enumerate(FIVE)), "the numbers are 0, 1, 2, 3, 4"),
        ("\n".join(f"{letter}. {one}" for letter, one in zip("abcde", FIVE, strict=True)), "a mark that is"),
        ("\n".join(f"{n}) {one}" for n, one in zip(("i", "ii", "iii", "iv", "v"), FIVE, strict=True)), "a mark that"),
        ("\n".join(f"{n}. {n}. {one}" for n, one in enumerate(FIVE, 1)), "a second one"),
        *(("\n".join(f"{sign} {one}" for one in FIVE), "a heading, a table") for sign in ("#", "|", "{", "[", "`")),
        ("\n".join(["## What is said", *FIVE[:4]]), "a heading, a table"),
        ("\n".join(["<think>", "It is so.", "</think>", *FIVE[:2]]), "a tag"),
        (",\n".join(f'"{one}"' for one in FIVE), "code"),
        ("\n".join([*FIVE[:4], "Is wisdom what we suffer for?"]), "a question"),
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


SHORT = ("Money corrupts.", "Wisdom endures.", "Patience wins.", "Knowledge liberates.", "Experience teaches.")


def test_short_statements_without_a_common_word_are_english() -> None:
    assert read_statements("\n".join(SHORT)) == SHORT


@pytest.mark.parametrize(
    "text",
    [
        "Cierpienie uczy.|Bieda uczy a bogactwo psuje.|Czas leczy.|Wiedza jest siła.|Mądrość przychodzi z wiekiem.",
        "Kesulitan mengajarkan.|Uang bukan segalanya.|Pengalaman adalah guru.|Waktu is uang.|Belajar dari hidup.",
        "Visdom kommer med åren.|Pengar är inte allt.|Motgång lär.|Den fattige kan vara vis.|Tiden läker.",
        "Modgang er en lærer.|Penge er ikke alt.|Tiden læger sår.|Klogskab kommer med alder.|Nød lærer.",
        "Köyhyys opettaa.|Raha ei ole kaikki.|Aika parantaa.|Viisaus kasvaa ja kypsyy.|Kokemus opettaa.",
        "Zorluk öğretir.|Para her şey değil.|Zaman bir ilaçtır.|Sabır kazanır.|Bilgi güçtür.",
        "Tiền không là tất cả.|Thời gian là vàng.|Gian khó dạy ta.|Kiên nhẫn thắng.|Tri thức là sức mạnh.",
        "La experiencia no es todo.|Hay que aprender.|No hay atajo.|No es oro todo.|No hay mal.",
    ],
)
def test_other_languages_are_refused_by_their_common_words(text: str) -> None:
    with pytest.raises(Unparsable, match="another language"):
        read_statements(text.replace("|", "\n"))


def test_many_words_without_a_common_english_one_are_another_language() -> None:
    """Five statements of five words that no list has; of four words each, none can tell."""
    words = [f"{first}{second}um" for first in ("bol", "ked", "mur", "nav", "tis") for second in "aeiou"]
    lines = [" ".join(words[start : start + 5]) for start in range(0, 25, 5)]
    with pytest.raises(Unparsable, match="another language"):
        read_statements("\n".join(lines))
    assert len(read_statements("\n".join(line.rpartition(" ")[0] for line in lines))) == 5


@given(st.text(max_size=200))
def test_whatever_comes_is_five_statements_or_refused(text: str) -> None:
    try:
        found = read_statements(text)
    except Unparsable:
        return
    assert len({same(one) for one in found}) == 5
    assert all("\n" not in one and one == one.strip() for one in found)


@pytest.mark.parametrize(
    "text", ["{}", " {}\n", "- {}", "1. {}", '"{}"', "Statement: {}", "Statement 2: {}", "1.{}", "+ {}", "**{}**"]
)
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
        ('"Is that wise?"', "a question"),
        ("a. It is wise.", "a mark"),
        ("# It is wise.", "a heading"),
        ("智恵は苦しみから生まれる。", "another script"),
        ("Weisheit wächst aus Leid.", "another language"),
    ],
)
def test_what_is_not_one_statement_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unparsable, match=reason):
        read_statement(text)


def test_the_prompts_are_the_pages() -> None:
    """Word for word, as the page's table has them."""
    values = EvaluateSettings().slots("gender", "What does it mean?", "Nothing.")
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
