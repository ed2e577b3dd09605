"""Which replies name an option, and which do not."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.ways.generation import Unparsable
from tashika.evaluate.ways.letter_answers import read_choice

CITIES = ("London", "Paris", "Rome", "St. Gallen")


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        " b\n",
        "B.",
        "B:",
        "B)",
        "(B)",
        "(b).",
        "[B]",
        "B) Paris",
        "B. Paris.",
        "B.Paris",
        "(B) paris",
        "B:\nParis",
        "Paris",
        "PARIS.",
        "Answer: B",
        "answer:B.",
        "Answer: Paris",
        "Answer: (B) Paris",
        "**B**",
        "**B) Paris**",
        "**B** ",
        "`B`",
        "*Paris*",
        "__B__",
        "**Answer:** B",
        "**Answer: `B`**",
        "Answer: **B.**",
        "\uff22",
        "\uff08\uff22\uff09",
    ],
)
def test_one_option_is_named(reply: str) -> None:
    assert read_choice(reply, CITIES) == 1


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("E", "no such letter"),
        ("(z)", "no such letter"),
        ("I", "no such letter"),
        ("A and B", "two letters"),
        ("A, B", "two letters"),
        ("(A) or (C)", "two letters"),
        ("A/B", "two letters"),
        ("AB", "two letters"),
        ("B\nB", "two letters"),
        ("B) London", "letter and text of different options"),
        ("The answer is B.", "prose"),
        ("B is the right answer", "prose"),
        ("B. Because Paris is in France", "prose"),
        ("B) Paris, since 987", "prose"),
        ("B Paris", "prose"),
        ("Paris or Rome", "prose"),
        ("I cannot answer this question.", "prose"),
        ("I'm sorry, but I do not know.", "prose"),
        ("Berlin", "prose"),
        ("Answer:", "prose"),
        ("2", "prose"),
        ("{B}", "prose"),
        ("\u0412", "prose"),  # a Cyrillic letter that looks like it
    ],
)
def test_no_option_is_named(reply: str, trouble: str) -> None:
    with pytest.raises(Unparsable) as caught:
        read_choice(reply, CITIES)
    assert str(caught.value) == trouble


def test_a_text_with_a_letter_and_a_sign_in_front_is_itself() -> None:
    assert read_choice("C. Ronaldo", ("A. Iniesta", "C. Ronaldo", "L. Messi")) == 1
    assert read_choice("A.C. Milan", ("Inter", "A.C. Milan")) == 1
    assert read_choice("St. Gallen", CITIES) == 3


def test_what_fits_two_options_is_no_answer() -> None:
    for reply, options in (("A", ("B", "A")), ("C. Ronaldo", ("C. Ronaldo", "Messi", "Ronaldo")), ("rh", ("RH", "Rh"))):
        with pytest.raises(Unparsable, match="fits two options"):
            read_choice(reply, options)
    assert read_choice("Rh", ("RH", "Rh")) == 1  # as it stands there
    assert read_choice("B", ("A", "B")) == 1  # both mean the same


@given(st.text(max_size=40), st.lists(st.text("abcxyz. ", min_size=1).filter(str.strip), min_size=2, max_size=5))
def test_any_reply_is_an_option_or_refused(reply: str, options: list[str]) -> None:
    with suppress(Unparsable):  # and nothing else
        assert 0 <= read_choice(reply, options) < len(options)


@given(st.lists(st.text("abcxyz ", min_size=2, max_size=8).map(str.strip), min_size=2, max_size=5, unique=True))
def test_every_letter_and_every_text_is_read_back(options: list[str]) -> None:
    options = [f"the {option}" for option in options]  # no text is a letter
    if len({" ".join(option.split()) for option in options}) < len(options):
        return
    for place, option in enumerate(options):
        letter = "ABCDE"[place]
        for reply in (letter, f"({letter})", f"{letter}) {option}", option, f"**{letter}.** {option}"):
            assert read_choice(reply, options) == place


def test_a_letter_with_another_options_text_is_none_even_in_markdowns_signs() -> None:
    with pytest.raises(Unparsable):
        read_choice("A) __init__", ["init", "__init__", "main", "exit"])
    assert read_choice("A) **init**", ["init", "__init__", "main", "exit"]) == 0
