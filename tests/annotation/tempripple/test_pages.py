"""TempRIPPLE's labelling pages: what they show, what a correction must be, and the rule of the simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.labelling import pages_of
from tashika.annotation.markup import large, wikidata_link
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.tempripple.pages import (
    PAGES,
    check_question,
    fact_data,
    plausible_fact,
    plausible_question,
    question_data,
)
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.workspace import Workspace

HISTORY = [
    {"object_label": "Sanae Takaichi", "start": "2025-10-21", "end": None},
    {"object_label": "Shigeru Ishiba", "start": "2024-10-01", "end": "2025-10-21"},
]
CONTEXT = "The most recent head of government of Japan is Sanae Takaichi."


def fact(**values: Any) -> dict[str, Any]:
    payload = {
        "subject": "Q17",
        "relation": "P6",
        "object": "Q235",
        "subject_label": "Japan",
        "relation_label": "head of government",
        "object_label": "Sanae Takaichi",
        "start": "2025-10-21",
        "statement": CONTEXT,
        "history": HISTORY,
        "window": "2025-01-01..2025-12-31",
        "history_from": "2015-01-01",
    }
    return item_row("tempripple", "fact", ("Q17", "P6"), {**payload, **values}, builder="tempripple", version="1")


def question(**values: Any) -> dict[str, Any]:
    payload = {
        "task": "related_old",
        "hop": 1,
        "place": 2,
        "subject": "Q17",
        "relation": "P6",
        "last_relation": "P69",
        "text": "Which university was attended by the previous head of government of Japan?",
        "context": CONTEXT,
        "options": ["Oxford", "Keio University", "Bologna", "Ulm"],
        "answer": 1,
        "answers": ["Keio University"],
        "reasoning": "Japan, head of government, previous: Shigeru Ishiba\nHe, educated at: Keio University",
        "option_set": "other-facts",
        "lure": None,
        "counterpart": "none",
        "certainty": "certain",
    }
    return item_row("tempripple", "question", ("q",), {**payload, **values}, builder="tempripple", version="1")


ROWS = {"fact": fact, "question": question}


def test_the_pages_are_found_in_the_order_in_which_people_are_asked() -> None:
    kinds = {"question": KindSettings(mode="audit", sample=120), "fact": KindSettings()}
    assert [page.kind for page in pages_of("tempripple", AnnotateSettings(kinds=kinds))] == ["fact", "question"]
    # Only questions can be corrected; a fact is so or not.
    assert [page.text_control for page in PAGES] == [None, "correction"]


def test_a_fact_is_shown_with_its_history_and_links() -> None:
    data = fact_data(fact(), [])
    cells = ElementTree.fromstring(data["history_html"])
    shown = [["".join(cell.itertext()) for cell in row] for row in cells]
    assert shown == [
        ["head of government", "from開始", "to終了"],
        ["Sanae Takaichi", "2025-10-21", "open継続中"],
        ["Shigeru Ishiba", "2024-10-01", "2025-10-21"],
    ]
    for name, page in (("subject", "Q17"), ("relation", "Property:P6"), ("object", "Q235")):
        assert f'href="https://www.wikidata.org/wiki/{page}"' in data[f"{name}_html"]
    assert CONTEXT in data["statement_html"]


def test_a_question_is_shown_with_the_right_option_marked() -> None:
    data = question_data(question(), [])
    rows = [["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(data["options_html"])]
    assert rows == [
        ["A", "Oxford", ""],
        ["B", "Keio University", "right正解"],
        ["C", "Bologna", ""],
        ["D", "Ulm", ""],
    ]
    assert data["context_html"] == CONTEXT
    assert data["reasoning_html"].count("<br>") == 1
    assert question_data(question(answers=["A & B", "C"]), [])["answers_html"] == "A &amp; B; C"


EVIL = '<script>alert("1")</script><b>&amp;'


def test_what_comes_from_outside_is_escaped() -> None:
    history = [{"object_label": EVIL, "start": EVIL, "end": EVIL}]
    labels = ("subject_label", "relation_label", "object_label")
    names = ("subject", "relation", "object", *labels, "statement", "window", "history_from")
    pages = [
        fact_data(fact(history=history, **dict.fromkeys(names, EVIL)), []),
        question_data(
            question(
                options=[EVIL] * 4,
                answers=[EVIL],
                **dict.fromkeys(("text", "context", "reasoning", "subject", "relation"), EVIL),
            ),
            [],
        ),
    ]
    for data in pages:
        shown = {name: text for name, text in data.items() if name.endswith("_html")}
        assert len(shown) >= 5
        for text in shown.values():
            assert "<script" not in text
            assert "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;" in text


def test_a_link_leads_to_pages_of_wikidata_alone() -> None:
    assert wikidata_link("Q42").startswith('<a href="https://www.wikidata.org/wiki/Q42" target="_blank" rel="nore')
    assert ">P6 (Wikidata)<" in wikidata_link("Property:P6")
    assert [wikidata_link(page) for page in ("local:1", "Q0", "Q1/../x", "Ｑ1")] == ["local:1", "Q0", "Q1/../x", "Ｑ1"]
    assert large("a < b").count("&lt;") == 1


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("Who was the previous head of government of Japan?", True),
        ("Who is it?", True),
        ("Who was the previous head of government of Japan", False),
        ("Who was it? I wonder.", False),
        ("Who was\nthe previous one?", False),
        ("Who was the previous one?\n", False),
        ("Who was\u2028the previous one?", False),
        ("Who else?", False),
        ("Who is " + "the spouse of " * 19 + "her?", True),  # 60 words
        ("Who is " + "the spouse of " * 19 + "her now?", False),
        ("", False),
        ("?", False),
    ],
)
def test_a_correction_is_one_line_with_a_question_mark(text: str, sound: bool) -> None:
    assert (check_question(text) is None) is sound


@given(st.text(alphabet="ab? \n\r\t", max_size=20))
def test_what_a_check_takes_is_one_line(text: str) -> None:
    if check_question(text) is None:
        assert len(text.splitlines()) == 1
        assert text[-1] == "?"
        assert len(text.split()) >= 3


@pytest.mark.parametrize(
    ("values", "plausible"),
    [
        ({}, True),
        ({"statement": CONTEXT[:-1]}, False),
        ({"statement": "Sanae Takaichi leads it."}, False),  # does not name the subject
        ({"statement": "Japan."}, False),
        ({"object_label": "Japan"}, False),
        ({"object_label": "Q235", "statement": CONTEXT.replace("Sanae Takaichi", "Q235")}, False),
        ({"history": []}, False),
        ({"history": HISTORY[1:]}, False),
        ({"start": "2025"}, False),
    ],
)
def test_the_rule_that_stands_in_for_a_person_who_judges_a_fact(values: dict[str, Any], plausible: bool) -> None:
    assert plausible_fact(fact(**values), []) is plausible


@pytest.mark.parametrize(
    ("values", "plausible"),
    [
        ({}, True),
        ({"answers": ["Keio University", "Tokyo University"]}, True),
        ({"text": "which university was attended by the previous head of government of Japan?"}, False),
        ({"text": "Which university was attended by the the previous head of government of Japan?"}, False),
        ({"text": "Which university was attended by {subject}?"}, False),
        ({"text": "Which university was attended by Q318?"}, False),
        ({"text": "Which university was attended by  Shigeru Ishiba?"}, False),
        ({"text": "Is Keio University what he attended?"}, False),
        ({"text": "Which university was attended by him"}, False),
        ({"text": "Who?"}, False),
        ({"options": ["Oxford", "Keio University", "Oxford", "Ulm"]}, False),
        ({"options": ["Oxford", "Keio University", " ", "Ulm"]}, False),
        ({"answer": 0}, False),
        ({"answer": 7}, False),
        ({"answers": ["Keio University", "Ulm"]}, False),  # two options are right
        ({"answers": ["Bonn"]}, False),
        # A part of a word is not the answer: Rome in Romero.
        (
            {
                "text": "Where was Romero born then?",
                "answers": ["Rome"],
                "options": ["Rome", "a", "b", "c"],
                "answer": 0,
            },
            True,
        ),
    ],
)
def test_the_rule_that_stands_in_for_a_person_who_judges_a_question(values: dict[str, Any], plausible: bool) -> None:
    assert plausible_question(question(**values), []) is plausible


def test_the_server_takes_the_pages_and_the_votes_on_them(fresh_studio: Any, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "work", "tempripple")
    good, bad = question(), {**question(answer=0), "item_id": "0" * 32}
    write_rows(workspace.item_file("fact"), [fact()], item_schema("tempripple", "fact"))
    write_rows(workspace.item_file("question"), [good, bad], item_schema("tempripple", "question"))
    settings = AnnotateSettings(
        kinds={"fact": KindSettings(), "question": KindSettings()},
        simulation=SimulationSettings(error_rates=(0.0, 0.0, 0.0), skip_rate=0.0),
    )
    push(fresh_studio.server, workspace, PAGES, settings, dry=False)
    simulate(fresh_studio.address, workspace, PAGES, settings)
    pull(fresh_studio.server, workspace, PAGES)
    count_votes(workspace, PAGES, settings)
    decided = {row["item_id"]: row["decision"] for row in workspace.read_verdicts().to_pylist()}
    assert decided == {fact()["item_id"]: "accepted", good["item_id"]: "accepted", bad["item_id"]: "rejected"}
