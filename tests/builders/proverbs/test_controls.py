"""Controls of pairs on gender: as many other words and the same gender, beside the pair and asked about alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.proverbs.controls import changed_words, control_problem
from tashika.builders.proverbs.gender_swap import direction_of
from tashika.builders.proverbs.list import Proverb
from tashika.builders.proverbs.selection import taken_in_turn
from tests.builders.proverbs.test_pairs import finder, proverb

ADVERSITY = "Adversity makes a man wise, not rich."
SWAPPED = "Adversity makes a woman wise, not rich."


@pytest.mark.parametrize(
    ("control", "problem"),
    [
        ("Adversity makes a man prudent, not rich.", None),
        ("Adversity makes a man prudent, not wealthy.", "another number of words"),
        ("Adversity makes a lady wise, not rich.", "changes the gender"),
        ("Adversity makes a person wise, not rich.", "changes the gender"),
        ("Adversity makes a man wise, not rich!", "is unchanged"),
        ("Adversity makes a man wise, but rich.", "says the opposite"),
    ],
)
def test_what_a_control_may_be(control: str, problem: str | None) -> None:
    found = control_problem(ADVERSITY, SWAPPED, control, set())
    assert found is None if problem is None else problem in str(found)


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("Every man for himself.", "Every woman for herself!", 2),
        ("Every man for himself.", "Every man for himself", 0),
        ("A man pays.", "A poor man pays.", 1),
        ("A man pays at once.", "A man pays twice.", 2),
    ],
)
def test_changed_words_by_hand(one: str, other: str, count: int) -> None:
    assert changed_words(one, other) == changed_words(other, one) == count


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (ADVERSITY, "man-first"),
        ("A woman's work is never done.", "woman-first"),
        ("A boy's best friend is his mother.", "both"),
        ("The hen is on the nest.", None),
    ],
)
def test_whom_a_proverb_speaks_of(text: str, direction: str | None) -> None:
    assert direction_of(text) == direction


def on_gender(text: str, control: str = "") -> Proverb:
    return proverb(text, "gender", variant=control, change="neutral" if control else "")


def test_a_control_stands_beside_its_pair_and_is_no_variant_of_another_topic() -> None:
    lone = proverb("Boys run.", "gender", "wisdom", variant="Boys hurry.", change="neutral")
    found = finder([on_gender(ADVERSITY, "Adversity makes a man prudent, not rich."), on_gender("Men die."), lone])
    pairs = found.pairs()
    assert {(pair.topic, pair.variant.change) for pair in pairs} == {("gender", "gender")}
    told = {(pair.topic, pair.variant.text, pair.variant.change, pair.variant.maker) for pair in found.controls(pairs)}
    assert told == {
        ("gender", "Adversity makes a man prudent, not rich.", "neutral", "written"),
        ("gender", "Boys hurry.", "neutral", "written"),
    }


def test_a_control_that_changes_too_much_says_why() -> None:
    found = finder([on_gender(ADVERSITY, "Adversity turns a man prudent, not rich.")])
    assert found.controls(found.pairs()) == []
    assert found.refused[-1].reason == (
        "changes another number of words than the swap of gender does (2 in place of 1)"
    )


def test_women_and_men_take_turns() -> None:
    proverbs = [on_gender(f"Men {verb}.") for verb in ("run", "walk", "sit", "sleep", "swim", "sing")]
    proverbs += [on_gender(f"Women {verb} well.") for verb in ("dance", "fight")]
    balanced = finder(proverbs, most=4, balance=True).pairs()
    assert sorted(pair.proverb.text.split()[0] for pair in balanced) == ["Men", "Men", "Women", "Women"]
    scarce = finder(proverbs, most=6, balance=True).pairs()
    assert sum(pair.proverb.text.startswith("Women") for pair in scarce) == 2
    assert len(scarce) == 6


@given(st.lists(st.sampled_from(["man", "woman", "both", ""]), max_size=20))
def test_turns_keep_everybody_and_the_order_within_a_way(kinds: list[str]) -> None:
    ways = {place: kind for place, kind in enumerate(kinds) if kind}
    order = taken_in_turn(range(len(kinds)), ways)
    assert sorted(order) == list(range(len(kinds)))
    assert [place for place in order if place not in ways] == [p for p in range(len(kinds)) if p not in ways]
    for kind in set(ways.values()):
        assert [p for p in order if ways.get(p) == kind] == sorted(p for p in ways if ways[p] == kind)
    counts = {kind: list(ways.values()).count(kind) for kind in ways.values()}
    first = [ways[place] for place in order if place in ways][: len(counts) * min(counts.values(), default=0)]
    assert all(first.count(kind) == min(counts.values()) for kind in counts)
