from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.proverbs.gender_swap import Unswappable, genders, swap_gender
from tashika.builders.proverbs.words import proverb_words


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("Every man for himself.", "Every woman for herself."),
        ("Adversity makes a man wise, not rich.", "Adversity makes a woman wise, not rich."),
        ("Man has responsibility, not power", "Woman has responsibility, not power"),
        ("A fool and his money are soon parted.", "A fool and her money are soon parted."),
        ("A woman's work is never done.", "A man's work is never done."),
        ("The poor man gets his in the winter.", "The poor woman gets hers in the winter."),
        ("The poor woman gets hers in the winter.", "The poor man gets his in the winter."),
        ("You can lead her to water.", "You can lead him to water."),
        ("Feed him, and he will stay.", "Feed her, and she will stay."),
        ("Never ask a woman her age.", "Never ask a man his age."),
        ("Bury her today, forget her tomorrow.", "Bury him today, forget him tomorrow."),
        ("She loves her first child most.", "He loves his first child most."),
        ("Give him his own bed, and he sleeps.", "Give her her own bed, and she sleeps."),
        ("HE WHO DARES, WINS!", "SHE WHO DARES, WINS!"),
        ("Beware the mother-in-law’s tongue", "Beware the father-in-law’s tongue"),
        ("Old wives' tales.", "Old husbands' tales."),
        ("Gentlemen never tell.", "Ladies never tell."),
        ("A bad workman blames his tools.", "A bad workwoman blames her tools."),
        ("Kings have long arms.", "Queens have long arms."),
        ("Take the bull by the horns.", "Take the cow by the horns."),
        ("Germans and Romans: he's human.", "Germans and Romans: she's human."),
    ],
)
def test_swaps_every_gendered_word_and_keeps_the_rest(text: str, swapped: str) -> None:
    assert swap_gender(text) == swapped
    assert swap_gender(swapped) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Practice makes perfect.", "has no gendered word"),
        ("", "has no gendered word"),
        ("All work and no play makes Jack a dull boy.", "names a person: Jack"),
        ("Once a bachelor, always a bachelor.", '"bachelor" has no counterpart: a spinster is judged'),
        ("The trawlerman fishes.", '"trawlerman" has no known counterpart'),
        ("A small step for a man, a leap for mankind.", '"mankind" has no counterpart'),
        ("Man and  beast suffer alike.", '"man and beast": man means mankind'),
        ("What is sauce for the goose is sauce for the gander.", '"gander" has no counterpart'),
        ("A man is as old as he feels, a woman as old as she looks.", "has both genders"),
        ("A son is a son till he gets a wife; a daughter is a daughter all her life.", "has both genders"),
        ("She loves him and he loves her.", "has both genders"),
        ("Buy the cow for its milk.", '"cow" beside "milk"'),
        ("Let her go.", '"her" may be "him" or "his" in "let her go"'),
        ("Give her money.", '"her" may be "him" or "his"'),
        ("Set her free, and she returns.", '"her" may be "him" or "his" in "set her free"'),
        ("Put her first in all things.", '"her" may be "him" or "his" in "put her first"'),
        ("Who marries her marries trouble.", '"her" may be "him" or "his" in "marries her marries"'),
        ("The Lord helps those who help themselves.", "names a person: Lord"),
        ("Our Father helps him.", '"our father": no father is meant'),
        ("A bride and a groom are soon parted.", "has both genders"),
    ],
)
def test_refuses_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(Unswappable) as refused:
        swap_gender(text)
    assert reason in refused.value.reason


def test_a_lords_lady_has_another_counterpart_of_her_own() -> None:
    assert swap_gender("New lords, new laws.") == "New ladies, new laws."
    assert swap_gender("New ladies, new laws.") == "New gentlemen, new laws."


def test_both_words_of_a_pair_take_the_same_article() -> None:
    vowels = tuple("aeiou")
    silent = {"heir", "heirs", "heiress", "heiresses", "ewe", "ewes"}  # an heir; a ewe
    for man, woman in proverb_words().gender.pairs.items():
        one, other = (word.startswith(vowels) != (word in silent) for word in (man, woman))
        assert one == other, (man, woman)


def test_no_word_has_two_counterparts() -> None:
    table = proverb_words().gender
    words = [*table.pairs, *table.pairs.values(), *table.one_way, *table.refused]
    assert len(words) == len(set(words))


NOUNS = sorted((man, woman) for man, woman in proverb_words().gender.pairs.items() if man not in {"he", "himself"})
TAILS = ["never rests", "breaks {his} word", "knows {his} own mind, not {himself}", "falls, for all that {he} says"]
PLAIN = [each for each in NOUNS if each[1] not in {"cow", "cows", "hen", "hens"}]


def _sentence(noun: str, tail: str, *, woman: bool) -> str:
    words = ("her", "herself", "she") if woman else ("his", "himself", "he")
    return f"The {noun} " + tail.format(**dict(zip(("his", "himself", "he"), words, strict=True)))


@given(
    st.sampled_from(PLAIN), st.sampled_from(TAILS), st.booleans(), st.sampled_from(["", ".", "!", " …", "’"]),
    st.sampled_from([str, str.upper, str.title]),
)  # fmt: skip
def test_there_and_back(pair: tuple[str, str], tail: str, woman: bool, end: str, capitals: type[str]) -> None:
    mine, other = (capitals(_sentence(pair[side], tail, woman=bool(side))) + end for side in (woman, not woman))
    assert swap_gender(mine) == other
    assert swap_gender(other) == mine


@given(st.text())
def test_any_text_is_swapped_or_refused(text: str) -> None:
    with suppress(Unswappable):
        assert swap_gender(text) != text


def test_the_genders_of_people() -> None:
    assert genders("A woodman and his wife") == {"man", "woman"}
    assert genders("The hen, the Germans and the women") == {"woman"}
    assert genders("Nobody") == frozenset()
