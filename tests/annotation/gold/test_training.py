"""The page of a training, made from the kind's own, and what people's answers to it come to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from label_studio_sdk.label_interface.interface import LabelInterface

from tashika.annotation.gold.trained import TRAINED, read_tries, trained_file, training_lines
from tashika.annotation.gold.training import (
    RETRY,
    REVEAL,
    answers_at_once,
    feedback_name,
    training_page,
    training_pages,
)
from tashika.annotation.judging.push import task_of
from tashika.annotation.kuci.pages import CAUSE
from tashika.annotation.kuci.pages import PAGES as KUCI
from tashika.annotation.labelling import ChoicePage, Known, Page, training_title
from tashika.annotation.myriadlama.pages import PAGES as MYRIADLAMA
from tashika.annotation.proverbs.pages import PAGES as PROVERBS
from tashika.annotation.semrel.pages import PAGES as SEMREL
from tashika.annotation.tempripple.pages import PAGES as TEMPRIPPLE
from tashika.annotation.wording.words import Look
from tashika.core.files import write_rows
from tashika.core.workspace import Workspace
from tests.annotation.custom import samples
from tests.annotation.custom.samples import page_of
from tests.annotation.gold.samples import KNOWN, gold_suite

EVERY: list[Page] = [*MYRIADLAMA, *TEMPRIPPLE, *SEMREL, *PROVERBS, *KUCI]


@pytest.mark.parametrize("page", EVERY, ids=lambda page: f"{page.suite}-{page.kind}")
def test_every_published_page_becomes_one_of_a_training(page: Page) -> None:
    training = training_page(page)
    LabelInterface(training.xml)
    root = ElementTree.fromstring(training.xml)
    shown = {element.get("value") for element in root.iter("HyperText")}
    if answers_at_once(page):
        assert isinstance(page, ChoicePage)
        assert {f"${feedback_name(place)}" for place in range(len(page.choices))} <= shown
        assert len(list(root.iter("Choice"))) == 2 * len(page.choices)
    else:
        assert f"${feedback_name(0)}" in shown
    assert (training.title, training.name) == (training_title(page.title), f"{page.kind}-training")
    assert training.target == page.target
    matching_page = page.for_project(training.title)
    assert matching_page is not None
    assert (matching_page.training, matching_page.name) == (True, training.name)


def test_a_training_speaks_the_language_of_its_page_and_waits_for_the_reader() -> None:
    page = KUCI[0].with_look(Look("ja"))
    assert 'className="tashika ja decides"' in page.xml
    training = training_page(page)
    root = ElementTree.fromstring(training.xml)
    assert root.find(".//Header").get("value", "").startswith("練習")  # type: ignore[union-attr]
    classes = {name for element in root.iter() for name in element.get("className", "").split()}
    assert "ja" in classes
    assert "decides" not in classes
    assert "1か2 で選ぶ、Enter で送信" in training.instructions


def test_a_long_heading_ends_in_a_digest() -> None:
    assert training_title("Tashika kuci pair") == "Tashika kuci pair training"
    titles = {training_title("x" * 49 + end) for end in "ab"}
    assert len(titles) == 2
    assert all(len(title) == 50 and title.endswith(" training") for title in titles)


def trained(tmp_path: Path, kind: str) -> tuple[Page, dict[str, Any], dict[str, Any]]:
    """A page of a training, an item of it, and the data of its task."""
    page = page_of(gold_suite(tmp_path / "suite"), kind)
    row = samples.item(kind, "x")
    page = replace(page, gold={row["item_id"]: Known(KNOWN[kind], "since <b>", trains=True)})
    (training,) = training_pages([page])
    return training, row, task_of(training, row, [])


def test_a_task_says_of_each_choice_whether_it_is_right_and_why(tmp_path: Path) -> None:
    page, _, data = trained(tmp_path, "pair")
    assert isinstance(page, ChoicePage)
    assert list(page.choices) == ["It follows", "Neither", "It contradicts"]
    right, wrong = data[feedback_name(0)], data[feedback_name(1)]
    assert "tashika-right" in right
    assert "Right.\nsince &lt;b&gt;" in right
    assert "tashika-wrong" in wrong
    assert "Not right: the answer is “It follows”.\nsince &lt;b&gt;" in wrong


def test_the_sides_of_a_preference_are_those_of_the_task(tmp_path: Path) -> None:
    page, _, data = trained(tmp_path, "duel")
    side = "left" if data["left"] == "two" else "right"  # the column `other` holds "two", and is preferred
    assert isinstance(page, ChoicePage)
    places = {choice: data[feedback_name(place)] for place, choice in enumerate(page.choices)}
    assert {choice for choice, text in places.items() if "tashika-right" in text} == {side}


def test_several_labels_and_texts_are_shown_on_demand(tmp_path: Path) -> None:
    _, _, labels = trained(tmp_path, "topic")
    assert "The answer is “sport, art”.\nsince &lt;b&gt;" in labels[feedback_name(0)]
    page, _, text = trained(tmp_path / "other", "saying")
    assert not answers_at_once(page)
    assert "The answer is “a stitch in time”." in text[feedback_name(0)]


def test_a_choice_with_a_comma_can_be_followed() -> None:
    page = replace(KUCI[0], markup=KUCI[0].xml.replace(CAUSE, "a, b"), choices={"a, b": 1, "c": -1})
    page = replace(page, markup=str(page.markup).replace("その他の関係、もしくは関係がない", "c"))
    conditions = [view.get("whenChoiceValue") for view in ElementTree.fromstring(training_page(page).xml).iter("View")]
    assert {"choice-1", "choice-2"} <= set(conditions)


def test_an_item_that_was_answered_twice_counts_once(tmp_path: Path) -> None:
    page, row, _ = trained(tmp_path, "pair")
    work = Workspace(tmp_path / "work", page.suite)
    tried = {"item_id": row["item_id"], "kind": "pair", "annotator": "a", "simulated": False, "server": "ls"}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    tries = [
        {**tried, "first": right, "last": right, "seconds": None, "created_at": start + timedelta(minutes=minute)}
        for minute, right in ((5, True), (0, False))
    ]
    write_rows(trained_file(work), tries, TRAINED)
    assert training_lines(work, [page]) == ["training of pair: a: 1 of 1 answered, 0 right at first, 1 in the end"]


def part(name: str, *choices: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": list(choices)}}


def typed(text: str) -> dict[str, Any]:
    return {"from_name": "answer", "to_name": "t", "type": "textarea", "value": {"text": [text]}}


@pytest.mark.parametrize(
    ("kind", "parts", "first", "last"),
    [
        ("pair", [part("answer", "choice-1")], "entails", "entails"),
        ("pair", [part("answer", "choice-2"), part(RETRY, "choice-1")], "neutral", "entails"),
        ("pair", [part("answer", "choice-9")], None, None),
        ("pair", [part(RETRY, "choice-1")], None, "entails"),
        ("riddle", [part("verdict", "choice-2"), part(RETRY, "choice-3")], "unsound", "odd"),
        ("quality", [part("answer", "choice-5"), part(RETRY, "choice-4")], "5", "4"),
        ("topic", [part("answer", "art", "sport"), part(REVEAL, "choice-1")], "sport\nart", "sport\nart"),
        ("saying", [typed("A stitch"), part(REVEAL, "choice-1")], "A stitch", "A stitch"),
    ],
)
def test_the_first_and_the_last_answer_are_read(
    tmp_path: Path, kind: str, parts: list[Any], first: str | None, last: str | None
) -> None:
    page, _, data = trained(tmp_path, kind)
    annotation = {"id": 1, "completed_by": 2, "was_cancelled": False, "result": parts}
    tries = read_tries(annotation, page, {2: "somebody"}, data)
    said = [answer.label if kind != "saying" else answer.text for answer in tries]
    assert said == [first, last]
