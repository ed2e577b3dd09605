"""The words of pages: both languages say the same things, and every page can be dressed in each."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from tashika.annotation.custom.markup import page_words as made_words
from tashika.annotation.labelling import ChoicePage, Page, all_pages
from tashika.annotation.wording.guidelines import keys_line
from tashika.annotation.wording.words import Look, page_words, shared_words

SUITES = ("kuci", "myriadlama", "proverbs", "semrel", "tempripple")
PAGES = list(itertools.chain.from_iterable(map(all_pages, SUITES)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.suite}-{page.kind}")
def test_both_languages_have_the_same_words(page: Page) -> None:
    words = page_words(f"tashika.annotation.{page.suite}", page.kind)
    assert words is not None
    assert set(words.en.page) == set(words.ja.page)
    for spoken in (words.en, words.ja):
        explained = set(spoken.guidelines.choices)
        known = set(page.choices) if isinstance(page, ChoicePage) else set()
        assert set(spoken.choices) <= known
        assert explained in (known, set())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.suite}-{page.kind}")
def test_the_language_changes_what_is_shown_and_not_what_an_answer_holds(page: Page) -> None:
    held = []
    for language in ("en", "ja"):
        root = ElementTree.fromstring(page.with_look(Look(language)).xml)
        choices = [choice.attrib for choice in root.iter("Choice")]
        held.append([choice.get("alias", choice["value"]) for choice in choices])
        assert not [value for tag in root.iter() for value in tag.attrib.values() if value.startswith("@")]
    assert held[0] == held[1]


def test_shared_words_are_there_in_both_languages() -> None:
    assert set(shared_words("en")) == set(shared_words("ja"))


def test_a_page_without_a_note_or_one_key_says_so() -> None:
    (alias,) = (page for page in PAGES if page.kind == "alias")
    assert alias.decides
    plain = alias.with_look(Look(note=False, one_key=False))
    assert not plain.decides
    assert "<TextArea" not in plain.xml
    assert 'className="tashika en"' in plain.xml
    assert "Enter to submit" in plain.instructions
    assert ("note", "textarea") in plain.controls  # an answer with a note from before remains one


def test_keys_are_named_by_what_the_page_has() -> None:
    line = keys_line(Look(note=False), 3, decides=True, writes=False)
    assert line.startswith("Keys: 1 to 3: the answer is submitted")
    assert "note" not in line
    assert "1 or 2 to choose" in keys_line(Look(), 2, decides=False, writes=True)
    assert "choose" not in keys_line(Look(), 0, decides=False, writes=True)


def test_pages_that_are_made_have_their_words_in_both_languages() -> None:
    assert set(made_words("en")) == set(made_words("ja"))
