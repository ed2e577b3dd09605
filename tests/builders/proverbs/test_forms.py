from __future__ import annotations

import pytest

from tashika.builders.proverbs.forms import SentenceForm, question_form, sentence_form
from tashika.builders.proverbs.list import packaged_proverbs, read_proverbs
from tashika.core.suites.proverbs.words import FORMS


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Actions speak louder than words.", "statement"),
        ("Love is blind.", "statement"),
        ("Empty vessels make the most noise.", "statement"),
        ("Man proposes, God disposes.", "statement"),
        ("Curiosity killed the cat.", "statement"),
        ("Don't cry over spilt milk.", "imperative"),
        ("Never look a gift horse in the mouth!", "imperative"),
        ("Let sleeping dogs lie.", "imperative"),
        ("Do as you would be done by.", "imperative"),
        ("Strike while the iron is hot.", "imperative"),
        ("When in Rome, do as the Romans do.", "imperative"),
        ("Like father, like son.", "phrase"),
        ("Out of sight, out of mind.", "phrase"),
        ("No pain, no gain.", "phrase"),
        ("First come, first served.", "phrase"),
        ("Better late than never.", "phrase"),
        ("Who will bell the cat?", "phrase"),
        ("Time flies. Life is short.", "phrase"),
        ("…", "phrase"),
    ],
)
def test_kinds_of_sentence(text: str, form: str) -> None:
    assert sentence_form(text) == form


def test_agrees_with_what_people_wrote_into_the_list() -> None:
    told = [proverb for proverb in read_proverbs(packaged_proverbs()) if proverb.form]
    right = sum(sentence_form(proverb.text) == proverb.form for proverb in told)
    assert right >= 0.95 * len(told)


def test_two_statements_get_one_of_the_forms_that_are_allowed() -> None:
    texts = [(f"Dog {n} barks.", f"Cat {n} barks.") for n in range(60)]
    both: tuple[SentenceForm, SentenceForm] = ("statement", "statement")
    drawn = [question_form(pair, both, FORMS, 0) for pair in texts]
    assert set(drawn) == set(FORMS)
    assert drawn == [question_form(pair, both, FORMS[::-1], 0) for pair in texts]
    assert drawn != [question_form(pair, both, FORMS, 1) for pair in texts]
    assert {question_form(pair, both, ("why",), 0) for pair in texts} == {"why"}


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (("Dogs bark.", "Don't bark."), ("statement", "imperative")),
        (("Out of sight.", "Dogs bark."), ("phrase", "statement")),
        (("He can; he does.", "She can; she does."), ("statement", "statement")),
        (("Dogs bark.", 'Cats say "meow".'), ("statement", "statement")),
        (("Dogs bark. Cats do not.", "Dogs bark."), ("statement", "statement")),
    ],
)
def test_what_is_no_clause_is_quoted(texts: tuple[str, str], forms: tuple[str, str]) -> None:
    assert question_form(texts, forms, ("why", "say"), 0) == "mean"  # type: ignore[arg-type]
