"""What must hold of every suite, of this package or another: tested over all of them, the plugin's too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

import pytest

from tashika.annotation.labelling import AGAINST, FOR, ChoicePage, Page, VotePage
from tashika.builders.suite import Build
from tashika.core.records import ITEM_FIELDS
from tashika.core.settings import SECTIONS, read_toml
from tashika.core.suites import Column, Kind, Suite
from tashika.core.suites.columns import LISTS, arrow_fields
from tashika.core.suites.discovery import all_suites
from tashika.core.suites.suite import load_object, packaged_file
from tashika.evaluate.registry import prepared_models
from tashika.evaluate.suite import Evaluation
from tashika.exports.plan import SuiteExport
from tests.plugin import toys as riddles

SUITES = (*all_suites().values(), riddles.SUITE)
PAGES = [page for suite in SUITES for page in suite.load("annotation")]
MARKUP = '<script>alert("x")</script>'
VALUES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("myriadlama", "template"): {"text": f"[X] {MARKUP} [Y]", "origin": "manual"},
    ("proverbs", "check"): {"consistency": "score", "scores": [1, 2], "variant_scores": [3, None]},
    ("kuci", "question"): {"options": [MARKUP, "b", "c", "d"], "answer": 0},
    ("kuci", "fit"): {"options": [MARKUP, "b", "c", "d"], "answer": 0},
    ("riddles", "riddle"): {"options": [MARKUP, "b", "c"], "answer": 0},
    ("tempripple", "question"): {"options": [MARKUP, "b", "c", "d"], "answer": 0, "task": "new"},
}
"""What a made-up item must say where any value would not do."""


def made_up(suite: str, kind: Kind) -> dict[str, Any]:
    """An item whose every text is markup."""
    row = {name: _value(column) for name, column in kind.columns.items()}
    beside: dict[str, Any] = {"item_id": "0" * 32, "suite": suite, "kind": kind.name, "parents": [], "generation": None}
    return {**beside, **row, **VALUES.get((suite, kind.name), {})}


def _value(column: Column) -> Any:
    if column.of is not None:
        return [{name: _value(inner) for name, inner in column.of.items()}]
    if column.type in LISTS:
        return [MARKUP if column.type == "strings" else 1]
    return {"string": MARKUP, "bool": True}.get(column.type, 1)


@pytest.fixture(params=SUITES, ids=lambda suite: suite.name)
def suite(request: pytest.FixtureRequest) -> Suite:
    found: Suite = request.param
    return found


@pytest.fixture(params=PAGES, ids=lambda page: f"{page.suite}-{page.kind}")
def page(request: pytest.FixtureRequest) -> Page:
    found: Page = request.param
    return found


def _kind(page: Page) -> Kind:
    return next(suite for suite in SUITES if suite.name == page.suite).kind(page.kind)


def test_each_room_takes_an_object_of_its_kind(suite: Suite) -> None:
    assert isinstance(suite.load("builders"), Build)
    assert isinstance(suite.load("exports"), SuiteExport)
    assert isinstance(suite.load("evaluate"), Evaluation)
    pages = suite.load("annotation")
    assert pages
    assert all(isinstance(page, Page) and page.suite == suite.name for page in pages)


def test_rooms_speak_of_the_kinds_that_the_suite_declares(suite: Suite) -> None:
    declared = {kind.name for kind in suite.kinds}
    assert len(declared) == len(suite.kinds)
    assert {page.kind for page in suite.load("annotation")} <= declared
    assert set(suite.load("exports").kinds) <= declared
    assert set(read_toml(suite.config_file).get("annotate", {}).get("kinds", {})) <= declared


def test_columns_have_a_meaning_and_no_name_twice(suite: Suite) -> None:
    shared = {field.name for field in ITEM_FIELDS}
    for kind in suite.kinds:
        assert not shared & set(kind.columns), kind.name
        assert all(column.meaning for column in kind.columns.values()), kind.name


def test_a_column_of_a_release_is_of_the_type_that_its_kind_declares(suite: Suite) -> None:
    """By the configurations that are named like a kind, or its plural; others are made of several kinds."""
    configs = suite.load("exports").configs
    for kind in suite.kinds:
        for name in {kind.name, f"{kind.name}s"} & set(configs):
            released = configs[name].columns
            for column in set(released) & set(kind.columns):
                one, other = ({column: each[column]} for each in (released, kind.columns))
                assert arrow_fields(one)[0].type == arrow_fields(other)[0].type, f"{name}.{column}"


def test_a_release_can_be_read_by_its_card(suite: Suite) -> None:
    export = suite.load("exports")
    assert export.card.example in export.configs
    for name, config in export.configs.items():
        assert config.meaning, name
        assert config.splits, name
        assert "item_id" in config.columns, name
    counted = {row.key for row in export.card.counts}
    assert counted, "the card counts nothing"
    assert all((check.__doc__ or "").strip() for check in export.checks)


def test_the_published_settings_are_whole(suite: Suite) -> None:
    content = read_toml(suite.config_file)
    assert content.pop("suite", suite.name) == suite.name
    assert set(content) == set(SECTIONS)


def test_what_a_demo_and_models_name_is_there(suite: Suite) -> None:
    for model in suite.models:
        assert callable(load_object(model.prepare))
    if suite.rehearsal:
        assert packaged_file(suite.rehearsal.config).is_file()
        assert all(packaged_file(place).is_file() for place in suite.rehearsal.inputs)
        assert set(suite.rehearsal.models) <= set(prepared_models())


def test_a_page_shows_what_its_tasks_hold(page: Page) -> None:
    data = page.task_data(made_up(page.suite, _kind(page)), [])
    root = ElementTree.fromstring(page.xml)
    shown = {
        tag.attrib["value"].removeprefix("$") for tag in root.iter() if tag.attrib.get("value", "").startswith("$")
    }
    assert shown
    assert shown <= set(data)
    areas = [area.attrib["name"] for area in root.iter("TextArea")]
    assert areas == [name for name in (page.text_control, page.note_control) if name]
    assert page.target in {tag.attrib.get("name") for tag in root.iter()}
    assert 0 < len(page.title) <= 50
    assert page.instructions.strip()


def test_choices_on_the_page_are_those_that_count(page: Page) -> None:
    controls = list(ElementTree.fromstring(page.xml).iter("Choices"))
    if not isinstance(page, ChoicePage):
        assert controls == []
        return
    choices = [choice for control in controls for choice in control if control.attrib["name"] == page.choice_control]
    assert [choice.attrib.get("alias") or choice.attrib["value"] for choice in choices] == list(page.choices)
    keys = [choice.attrib["hotkey"] for choice in choices]
    assert len(set(keys)) == len(keys)
    if isinstance(page, VotePage):
        assert {FOR, AGAINST} <= set(page.choices.values())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def test_what_a_page_shows_as_markup_is_escaped(page: Page) -> None:
    data = page.task_data(made_up(page.suite, _kind(page)), [])
    marked = {tag.attrib["value"].removeprefix("$") for tag in ElementTree.fromstring(page.xml).iter("HyperText")}
    texts = [text for name in marked for text in _texts(data[name])]
    assert texts
    assert [text for text in texts if "<script" in text] == []
