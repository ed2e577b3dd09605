from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.proverbs.list import proverb_key
from tashika.builders.proverbs.problems import Limits, problem_of

BIRD = "A bird in the hand is worth two in the bush."
SMALL = Limits(most_new=2)


@pytest.mark.parametrize(
    ("proverb", "variant", "change"),
    [
        (BIRD, "A bird in the hand is worth three in the bush.", "number"),
        (BIRD, "A fish in the hand is worth two in the sea.", "animal"),
        ("Two's company, three's a crowd.", "Two's company, four's a crowd.", "number"),
        (BIRD, "Better a sparrow in the hand than a pigeon on the roof.", "wording"),
        ("Practice makes perfect.", "Repetition is the mother of learning.", "wording"),
        ("All that glitters is not gold.", "All that glitters is not silver.", "object"),
    ],
)
def test_sound_variants(proverb: str, variant: str, change: str) -> None:
    assert problem_of(proverb, variant, change, SMALL, {proverb_key(proverb)}) is None


@pytest.mark.parametrize(
    ("variant", "change", "reason"),
    [
        (BIRD, "number", "is unchanged"),
        ("a bird in the hand is worth TWO in the bush", "number", "is unchanged"),
        ("The birds in a hand is worth two in a bush!", "object", "is near-identical"),
        ("Look before you leap.", "wording", "repeats another proverb or variant"),
        ("Birds.", "object", "is too short"),
        (f"{BIRD[:-1]} and " * 3, "object", "is too long"),
        ("A bird in the hand\nis worth three in the bush.", "number", "is not one line"),
        ("手の中の鳥", "wording", "is in another script"),
        ("Птица в руке стоит двух в кустах, говорят люди", "wording", "is in another script"),
        ("12, 34!", "number", "has no word"),
        ("I'm sorry, but I can't help with that request today.", "object", "speaks to the user"),
        ("Here is a variant: a bird in the hand is worth three", "number", "speaks to the user"),
        ("**A bird in the hand** is worth three in the bush.", "number", "has markup"),
        ('A bird in the "hand is worth three in the bush.', "number", "open quotation mark"),
        ("A bird in the hand is worth three in the:", "number", "does not say it"),
        ("A bird in the hand is worth three in the bush.", "colour", "unknown change 'colour'"),
        ("A bird in his hand is worth three in the bush.", "number", "changes the gender"),
        ("A bird in the hand is not worth two in the bush.", "object", "says the opposite"),
        ("A bird in the fist is worth two in the bush.", "number", "says that a number differs"),
        (f"{BIRD[:-1]} and more.", "object", "something added"),
        ("Kettles boil when someone is there to watch them.", "object", "nothing in common"),
        ("A stone in the shoe is worth two at home on Sundays.", "object", "more than 2 content words"),
        ("A stone in the hand is worth two in the bush.", "animal", "says that an animal differs"),
    ],
)
def test_refused_variants(variant: str, change: str, reason: str) -> None:
    found = problem_of(BIRD, variant, change, SMALL, {proverb_key("Look before you leap")})
    assert found is not None
    assert reason in found


@given(st.text(max_size=40))
def test_the_proverb_itself_is_never_a_variant(noise: str) -> None:
    assert problem_of(noise, noise, "object", Limits(), set()) is not None
