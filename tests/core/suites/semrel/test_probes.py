"""Articles, and how a target fills a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.suites.semrel.probes import article, articles_of, probe_text, prompt_problem, read_mass_nouns

AN = "apple uncle umbrella urn ulcer usher uninvited hour heir honest owl x eye"
A = "dog unit university user european ewe one horse house uterus ufo u year"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *((word, "an") for word in AN.split()),
        *((word, "a") for word in A.split()),
    ],
)
def test_the_article_follows_the_sound(word: str, expected: str) -> None:
    assert article(word) == expected


@pytest.mark.parametrize(
    ("prompt", "target", "expected"),
    [
        ("[DET] [W] is a kind of [V]", "dog", "a dog is a kind of"),
        ("[DET] [W] is a kind of [V]", "hour", "an hour is a kind of"),
        ("[DET] [W] is a kind of [V]", "salt", "salt is a kind of"),
        ("parts of [DET] [W] include [DET] [V]", "bird", "parts of a bird include"),
        ("[DET] [W], such as [DET] [V]", "bird", "a bird, such as"),
        ("the word [W] means the word  [V]", "salt", "the word salt means the word"),
    ],
)
def test_a_probe_ends_where_the_blank_begins(prompt: str, target: str, expected: str) -> None:
    assert probe_text(prompt, target, {"salt"}) == expected


@pytest.mark.parametrize(
    ("prompt", "target", "expected"),
    [
        ("[DET] [W] is a kind of [V]", "mother", "the mother is a kind of"),  # the authors' own example
        ("[DET] [W] is [DET] [V]", "hedge", "the hedge is the"),
        ("[DET] [W] is [DET] [V]", "salt", "the salt is the"),  # mass nouns have it too
        ("the most well-known [W] is  [DET] [V]", "owl", "the most well-known owl is the"),
        ("the word [W] means the word [V]", "owl", "the word owl means the word"),
    ],
)
def test_the_published_people_read_the_before_both(prompt: str, target: str, expected: str) -> None:
    assert probe_text(prompt, target, {"salt"}, "the") == expected


def test_auto_is_the_article_that_people_read() -> None:
    assert articles_of("auto", of_responses=True) == "the"
    assert articles_of("auto", of_responses=False) == "by_sound"
    assert articles_of("by_sound", of_responses=True) == "by_sound"
    assert articles_of("the", of_responses=False) == "the"


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1))
def test_no_slot_and_no_space_is_left(target: str) -> None:
    text = probe_text("without [DET] [W], there is no [DET] [V]", target, ())
    assert "[" not in text
    assert text == " ".join(text.split())
    assert target in text.replace(",", "").split()


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("a kind of [V]", r"no \[W\]"),
        ("[W] is a kind of", r"0 times \[V\]"),
        ("[W] is [V] or [V]", r"2 times \[V\]"),
        ("[V] is what [W] is", "not at the end"),
        ("[W] is a kind of [V].", "not at the end"),
        ("[X] and [W] are [V]", r"found \[X\]"),
        ("[DET] small [W] is [V]", r"\[DET\] stands elsewhere"),
    ],
)
def test_a_prompt_of_another_form_is_told(prompt: str, message: str) -> None:
    assert prompt_problem(prompt)
    with pytest.raises(InputError, match=message):
        probe_text(prompt, "dog", ())


def test_the_packaged_list_has_mass_nouns_and_plurals(tmp_path: Path) -> None:
    found = read_mass_nouns()
    assert {"water", "furniture", "scissors", "german"} <= found
    assert not {"dog", "apple"} & found
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no word"):
        read_mass_nouns(tmp_path / "empty.txt")
