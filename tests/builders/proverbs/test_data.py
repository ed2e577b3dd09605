"""data/proverbs holds together: enough proverbs and variants a topic, none twice, and its README tells the truth."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tashika.builders.proverbs.controls import control_problem
from tashika.builders.proverbs.gender_swap import direction_of, genders, swap_gender
from tashika.builders.proverbs.list import (
    SENTENCE_FORMS,
    Proverb,
    content_words,
    duplicates,
    packaged_proverbs,
    proverb_key,
    read_proverbs,
)
from tashika.core.suites.proverbs.words import CONTROL, DIRECTIONS, TOPICS, names, question

ENGLISH = "English"


@pytest.fixture(scope="module")
def proverbs() -> list[Proverb]:
    return read_proverbs(packaged_proverbs())


def of(topic: str, proverbs: list[Proverb]) -> list[Proverb]:
    return [proverb for proverb in proverbs if topic in proverb.topics]


def test_there_are_enough(proverbs: list[Proverb]) -> None:
    assert sum(proverb.origin == ENGLISH for proverb in proverbs) >= 430
    assert sum(proverb.origin != ENGLISH for proverb in proverbs) >= 80
    assert len({proverb.origin for proverb in proverbs}) >= 20
    assert len(of("gender", proverbs)) >= 125
    for topic in ("wisdom", "society"):
        written = [proverb for proverb in of(topic, proverbs) if proverb.variant]
        assert len(of(topic, proverbs)) >= 150
        assert len(written) >= 115
        changes = Counter(proverb.change for proverb in written)
        assert set(changes) == {"number", "animal", "object", "wording"}
        assert min(changes.values()) >= 10


def test_every_column_that_is_needed_is_filled(proverbs: list[Proverb]) -> None:
    for proverb in proverbs:
        assert re.fullmatch(r"[A-Z][A-Za-z]+", proverb.origin), proverb
        assert proverb.form in SENTENCE_FORMS, proverb
        assert bool(proverb.variant_origin) == (proverb.change == "wording"), proverb
        assert proverb.variant_origin != proverb.origin or not proverb.variant_origin, proverb


def test_nothing_stands_twice(proverbs: list[Proverb]) -> None:
    told = [(proverb.line, text) for proverb in proverbs for text in (proverb.text, proverb.variant) if text]
    found = duplicates([text for _, text in told])
    assert [(told[one], told[other]) for one, other, _ in found if told[one][0] != told[other][0]] == []


def test_every_variant_differs_in_a_content_word(proverbs: list[Proverb]) -> None:
    for proverb in proverbs:
        if proverb.variant:
            assert content_words(proverb.text) != content_words(proverb.variant), proverb


def test_texts_are_plain_sentences(proverbs: list[Proverb]) -> None:
    for proverb in proverbs:
        for text in filter(None, (proverb.text, proverb.variant)):
            assert re.fullmatch(r"[A-Z][A-Za-z ,;'-]+[.?]", text), text
            assert re.search(r"\s[,;.]|,[^ ]", text) is None, text


def test_every_proverb_on_gender_can_be_swapped(proverbs: list[Proverb]) -> None:
    swapped = [swap_gender(proverb.text) for proverb in of("gender", proverbs)]
    for proverb, text in zip(of("gender", proverbs), swapped, strict=True):
        assert proverb_key(text) != proverb_key(proverb.text)
    assert len(set(swapped)) == len(swapped)
    assert not set(swapped) & {proverb.text for proverb in proverbs}


def test_words_that_keep_their_capital_are_listed(proverbs: list[Proverb]) -> None:
    texts = [text for proverb in proverbs for text in (proverb.text, proverb.variant) if text]
    inside = {word.removesuffix("'s") for text in texts for word in re.findall(r"(?<= )[A-Z][\w']*", text)}
    inside -= {"I", "I'll"}
    assert {word.casefold() for word in inside} <= names()
    small = {word for text in texts for word in re.findall(r"(?<= )[a-z]+", text)}
    assert not small & names()


def test_a_name_at_the_beginning_stays_as_it_is(proverbs: list[Proverb]) -> None:
    asked = {question("why", text) for proverb in proverbs for text in (proverb.text, proverb.variant) if text}
    assert "Why is it said that Rome wasn't built in a day?" in asked
    assert "Why is it said that Moscow was not built all at once?" in asked
    assert "Why is it said that man proposes, God disposes?" in asked
    # Names that only a list of somebody else may have.
    assert question("why", "Christmas comes but once a year.") == "Why is it said that Christmas comes but once a year?"


def test_the_list_is_sorted(proverbs: list[Proverb]) -> None:
    keys = [
        (TOPICS.index(proverb.topics[0]), proverb.origin != ENGLISH, proverb.origin, proverb.text.casefold())
        for proverb in proverbs
    ]
    assert keys == sorted(keys)


def test_the_readme_tells_the_numbers(proverbs: list[Proverb]) -> None:
    readme = " ".join(packaged_proverbs().with_name("README.md").read_text(encoding="utf-8").split())
    english = sum(proverb.origin == ENGLISH for proverb in proverbs)
    origins = len({proverb.origin for proverb in proverbs}) - 1
    head = f"{len(proverbs)} proverbs: {english} English ones and {len(proverbs) - english} of {origins} other origins"
    assert head in readme
    for topic in TOPICS:
        chosen = of(topic, proverbs)
        changes = Counter(proverb.change for proverb in chosen if proverb.variant)
        numbers = [len(chosen), sum(changes.values())]
        numbers += [changes[name] for name in ("number", "animal", "object", "wording", "neutral")]
        assert f"| {topic} | {' | '.join(map(str, numbers))} |" in readme
    men, women, both = (
        sum(direction_of(proverb.text) == way for proverb in of("gender", proverbs)) for way in DIRECTIONS
    )
    assert f"{men} speak of men, {women} of women and {both} of both" in readme
    assert women >= 90  # enough for half of 100 pairs, though people reject some


def test_every_proverb_on_gender_has_a_sound_control(proverbs: list[Proverb]) -> None:
    texts = {proverb_key(proverb.text) for proverb in proverbs}
    for proverb in of("gender", proverbs):
        assert proverb.change == CONTROL, proverb
        assert control_problem(proverb.text, swap_gender(proverb.text), proverb.variant, texts) is None, proverb
        assert genders(proverb.variant) == genders(proverb.text), proverb
        assert not re.search(r"\ba [aeio]|\ban [^aeihou]", proverb.variant), proverb  # "a unit", "an hour"
