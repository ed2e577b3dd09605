from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.tempripple.properties import Articles, Properties, read_properties
from tashika.builders.tempripple.records import History, Moment, StableFact, Tenure, Value
from tashika.builders.tempripple.wording import (
    display_text,
    named,
    names_on,
    ordinal,
    reasoning,
    related_text,
    shown_date,
    statement,
    statement_of,
    tenure_phrase,
    tenure_text,
)
from tashika.core.settings import packaged


@pytest.fixture(scope="module")
def properties() -> Properties:
    return read_properties(packaged("tempripple_properties.toml"))


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (1, "most recent"),
        (2, "previous"),
        (3, "third most recent"),
        (4, "fourth most recent"),
        (12, "twelfth most recent"),
        (20, "twentieth most recent"),
        (21, "twenty-first most recent"),
        (40, "fortieth most recent"),
        (99, "ninety-ninth most recent"),
        (101, "101st most recent"),
        (111, "111th most recent"),
        (122, "122nd most recent"),
        (1013, "1013th most recent"),
    ],
)
def test_ordinals(place: int, text: str) -> None:
    assert ordinal(place) == text


def test_places_begin_with_one() -> None:
    with pytest.raises(ValueError, match="found 0"):
        ordinal(0)


def test_no_two_places_have_the_same_ordinal() -> None:
    assert len({ordinal(place) for place in range(1, 1500)}) == 1499


@pytest.mark.parametrize(
    "label",
    [
        "United States of America", "United Kingdom", "Netherlands", "Kingdom of the Netherlands", "Philippines",
        "Czech Republic", "Democratic Republic of the Congo", "United Arab Emirates", "European Union", "Holy See",
        "Marshall Islands", "Isle of Man", "State of Palestine", "Democratic Party", "Liberal Party of Canada",
        "Christian Social Union of Bavaria", "Australian Greens", "International Court of Justice",
        "University of Oxford", "Massachusetts Institute of Technology", "Pittsburgh Steelers", "Miami Heat",
        "White House", "Bank of England",
    ],
)  # fmt: skip
def test_names_with_an_article(properties: Properties, label: str) -> None:
    assert named(label, properties.articles) == f"the {label}"


@pytest.mark.parametrize(
    "label",
    [
        "France", "Ivory Coast", "Vatican City", "Hong Kong", "New York City", "Trinidad and Tobago", "Everton FC",
        "1. FC Union Berlin", "Harvard University", "Bank of America", "Emirates", "Barack Obama", "Howard Hawks",
        "Alonzo Church", "The Hague", "The New York Times", "Union", "Harvard Law School",
    ],
)  # fmt: skip
def test_names_without(properties: Properties, label: str) -> None:
    assert named(label, properties.articles) == label


def test_questions_on_a_tenure_are_in_the_present_for_the_newest_alone(properties: Properties) -> None:
    head, team = properties.changing["P35"], properties.changing["P54"]
    newest = tenure_phrase(head, "United States of America", 1, properties.articles)
    assert newest == "the most recent head of state of the United States of America"
    assert tenure_text(head, newest, 1) == f"Who is {newest}?"
    older = tenure_phrase(team, "Lewis Hamilton", 2, properties.articles)
    assert tenure_text(team, older, 2) == "What was the previous sports team of Lewis Hamilton?"


def test_nested_questions(properties: Properties) -> None:
    phrase, stable = "the previous head of state of France", properties.stable
    spouse, language, code = stable["P26"], stable["P103"], stable["P218"]
    assert related_text(phrase, [spouse]) == "Who is the spouse of the previous head of state of France?"
    assert (
        related_text(phrase, [spouse, language, code])
        == "What is the ISO 639-1 code of the native language of the spouse of the previous head of state of France?"
    )
    assert related_text(phrase, [stable["P569"], spouse]) is None


def test_a_slot_in_a_name_is_not_filled(properties: Properties) -> None:
    phrase = tenure_phrase(properties.changing["P286"], "{subject} F.C.", 1, properties.articles)
    assert related_text(phrase, [properties.stable["P26"]]) == (
        "Who is the spouse of the most recent head coach of {subject} F.C.?"
    )


def test_every_packaged_wording_reads_well_in_the_form_of_the_paper(properties: Properties) -> None:
    for changing in properties.changing.values():
        assert re.fullmatch(r"(Who|What) is the most recent \w.*\bX\?", tenure_text(changing, tenure_phrase(
            changing, "X", 1, properties.articles), 1)), changing  # fmt: skip
    for stable in properties.stable.values():
        text = related_text("the X", [properties.stable["P26"], stable])
        assert text, stable.id
        assert re.fullmatch(r"(Who|What|Which|In which|On which) [^?']* the spouse of the X\?", text), stable.id
        assert not stable.noun or re.fullmatch(r"the \w[^?']* {subject}", stable.noun), stable.id


def test_statements(properties: Properties) -> None:
    moment = Moment(20000, 20000, "2024-10-04")
    history = History("Q9673", "P54", (Tenure("Q1", moment, moment), Tenure("Q2", moment, None)))
    labels = {"Q9673": "Aaron Rodgers", "Q1": "New York Jets", "Q2": "Pittsburgh Steelers"}
    team = properties.changing["P54"]
    assert statement_of(history, team, labels, properties.articles) == (
        "The most recent sports team of Aaron Rodgers is the Pittsburgh Steelers."
    )
    assert statement(team, "Kyle Walker", "Burnley F.C.", Articles()).endswith(" is Burnley F.C.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1946-06-14", "14 June 1946"),
        ("1946-06-04", "4 June 1946"),
        ("1946-06", "June 1946"),
        ("1946", "1946"),
        ("-0043-03-15", "15 March 44 BCE"),
        ("-0043", "44 BCE"),
        ("0000", "1 BCE"),
        ("0079-08-24", "24 August 79 CE"),
        ("0987", "987 CE"),
        ("12025", "12025 CE"),
        ("-13000", "13001 BCE"),
        ("yesterday", "yesterday"),
        ("1946-13", "1946-13"),
    ],
)
def test_dates(text: str, expected: str) -> None:
    assert shown_date(text) == expected


@given(st.integers(-20_000, 20_000), st.integers(-20_000, 20_000))
def test_no_two_years_look_alike(one: int, other: int) -> None:
    texts = [shown_date(f"{'-' if year < 0 else ''}{abs(year):04}") for year in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)


def test_what_readers_see() -> None:
    labels = {"Q1": " Jill  Biden", "Q2": " "}
    assert display_text(Value("Q1", "item"), labels) == "Jill Biden"
    assert display_text(Value("Q2", "item"), labels) is None
    assert display_text(Value("Q3", "item"), labels) is None
    assert display_text(Value("1946", "time"), labels) == "1946"
    assert display_text(Value("5", "quantity"), labels) == "5"
    assert display_text(Value("sl", "string"), labels) == "sl"


def test_the_way_in_words(properties: Properties) -> None:
    head, stable = properties.changing["P6"], properties.stable
    assert reasoning(head, 2, ["France", "François Bayrou"]) == (
        "France - head of government (previous) -> François Bayrou"
    )
    names = ["United States of America", "Joe Biden", "Jill Biden"]
    assert reasoning(head, 1, names, [stable["P26"], stable["P69"]], ["Villanova", "Delaware"]) == (
        "United States of America - head of government (most recent) -> Joe Biden"
        " - spouse -> Jill Biden - educated at -> Villanova; Delaware"
    )


def test_names_on_a_path() -> None:
    steps = (
        StableFact("Q6279", "P26", (Value("Q235349", "item"),)),
        StableFact("Q235349", "P103", (Value("Q1860", "item"),)),
    )
    labels = {"Q30": "United States", "Q6279": "Joe Biden", "Q235349": "Jill Biden"}
    assert names_on("Q30", "Q6279", steps, labels) == ["United States", "Joe Biden", "Jill Biden"]
    assert names_on("Q30", "Q6279", (), labels) == ["United States", "Joe Biden"]
    assert names_on("Q30", "Q6279", steps, {**labels, "Q235349": ""}) is None
