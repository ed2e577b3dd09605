"""The labelling pages, the sample and the settings."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.judging.sampling import draw
from tashika.annotation.labelling import pages_of
from tashika.annotation.myriadlama.pages import (
    alias_data,
    check_template,
    plausible_alias,
    plausible_template,
    template_data,
)
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.draws import chance
from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import load_section, validated

MANUAL = "The capital of [X] is [Y]."


def test_what_comes_from_outside_is_escaped(samples: ModuleType) -> None:
    row = samples.alias("Q1", "<b>label</b>", "<script>alert(1)</script>")
    data = alias_data(row, [])
    assert "<script" not in data["alias_html"]
    assert "<b>label" not in data["entity_html"]
    template = {**samples.templates()[0], "text": "[X] <img src=x> [Y]", "example": "a <i> b"}
    shown = template_data(template, [])
    assert "<img" not in shown["template_html"]
    assert shown["example_html"] == "a &lt;i&gt; b"


def test_a_paraphrase_is_shown_with_its_manual_template(samples: ModuleType) -> None:
    parent = samples.template(MANUAL, "P36")
    row = samples.template("[X] has the capital [Y].", "P36", MANUAL)
    assert "paraphrase of: </span>" in template_data(row, [parent])["origin_html"]
    assert "</span>The capital of" in template_data(row, [parent])["origin_html"]
    assert template_data(parent, [])["origin_html"].startswith('<span class="said-en">A person wrote it.</span>')
    assert "capital" in template_data(parent, [])["description_html"]


def test_an_entity_without_a_wikidata_id_gets_no_link(samples: ModuleType) -> None:
    assert "href" in alias_data(samples.alias("Q42", "a", "b"), [])["entity_html"]
    assert "href" not in alias_data(samples.alias("local:1", "a", "b"), [])["entity_html"]


@pytest.mark.parametrize(
    ("text", "plausible"),
    [
        ("The capital city of [X] is called [Y].", True),
        ("Which capital does [X] have? [Y]", True),
        ("[Y] became capital of [X]", False),  # no end
        ("[X] plays football in [Y].", False),  # shares no word
        ("The capital of [X] is [X].", False),
        ("capital [X][Y].", False),  # too short
        ("The capital of [X] " + "very " * 25 + "is [Y].", False),
        ("Answer: the capital of [X] is [Y].", False),
        ("The capital of [X] is {[Y]}.", False),
    ],
)
def test_the_rule_that_stands_in_for_a_person(samples: ModuleType, text: str, plausible: bool) -> None:
    parent = samples.template(MANUAL, "P36")
    assert plausible_template(samples.template(text, "P36", MANUAL), [parent]) is plausible
    assert plausible_template({**parent, "text": "?"}, [])  # a manual one always is


def test_aliases_of_one_character_or_digits_are_implausible(samples: ModuleType) -> None:
    judgments = [plausible_alias(samples.alias("Q1", "a", text), []) for text in ("UK", "X", "1867", "U2", " a ")]
    assert judgments == [True, False, False, True, False]


@given(st.text(alphabet="[]XY ab.", max_size=20))
def test_a_template_is_checked_for_both_slots_once(text: str) -> None:
    assert (check_template(text) is None) == (text.count("[X]") == text.count("[Y]") == 1)


ids = st.lists(st.text("0123456789abcdef", min_size=4, max_size=4), unique=True, max_size=30)


@given(ids, st.integers(0, 20), st.randoms())
def test_a_sample_does_not_depend_on_the_order_and_grows_in_place(
    items: list[str], sample: int, random: object
) -> None:
    drawn = draw(items, sample, 7)
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert draw(shuffled, sample, 7) == drawn
    assert len(drawn) == min(sample, len(items))
    assert set(drawn) <= set(draw(items, sample + 1, 7))
    # An item that is added pushes out one of the drawn at most.
    assert len(set(drawn) - set(draw([*items, "new"], sample, 7))) <= 1


def test_another_seed_draws_another_sample_and_chances_are_uniform() -> None:
    items = [f"{number:04x}" for number in range(1_000)]
    assert draw(items, 50, 1) != draw(items, 50, 2)
    assert draw(items, None, 1) == items
    assert sum(chance(1, item) for item in items) / 1_000 == pytest.approx(0.5, abs=0.03)


def test_the_packaged_settings_have_pages() -> None:
    settings = load_section("myriadlama", "annotate", AnnotateSettings)
    assert [page.kind for page in pages_of("myriadlama", settings)] == ["template", "alias"]
    assert settings.kinds["template"].mode == "all"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"minimum_votes": 4}, "only 3 people judge"),
        ({"annotators": 0}, "annotators"),
        ({"kinds": {"alias": {"mode": "audit"}}}, "goes with mode"),
        ({"kinds": {"alias": {"mode": "all", "sample": 3}}}, "goes with mode"),
        ({"kinds": {"alias": {"mode": "some"}}}, "mode"),
        ({"simulation": {"error_rates": [1.5]}}, "error_rates"),
        ({"people": 3}, "people"),
    ],
)
def test_settings_that_make_no_sense_are_refused(content: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        validated(AnnotateSettings, content, "file [annotate]")


def test_the_minimum_is_set_against_the_people_of_the_kinds_alone() -> None:
    content = {"annotators": 1, "minimum_votes": 2, "kinds": {"alias": {"annotators": 3}}}
    assert validated(AnnotateSettings, content, "file [annotate]").people("alias") == 3


def test_a_kind_of_mode_none_is_not_judged() -> None:
    content = {"kinds": {"alias": {"mode": "none"}, "template": {"annotators": 2}}}
    settings = validated(AnnotateSettings, content, "file [annotate]")
    assert [page.kind for page in pages_of("myriadlama", settings)] == ["template"]


def test_kinds_without_a_page_are_refused() -> None:
    with pytest.raises(ConfigError, match="no 'fact' items"):
        pages_of("myriadlama", AnnotateSettings(kinds={"fact": KindSettings()}))
    with pytest.raises(ConfigError, match="no kind"):
        pages_of("myriadlama", AnnotateSettings())
    with pytest.raises(InputError, match="no suite"):
        pages_of("nosuch", AnnotateSettings())
