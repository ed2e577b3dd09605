"""The page that asks for words: what it shows, what it takes, and what simulated people type."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from tashika.annotation.judging.push import push, task_of
from tashika.annotation.judging.simulate import Actor, bodies, simulate, statements
from tashika.annotation.judging.validation import read_answer
from tashika.annotation.labelling import Page, WordsPage
from tashika.annotation.semrel.pages import PAGES, check_answers, probe_data, simulated_words
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.core.workspace import Workspace

(PAGE,) = PAGES
USERS = {2: "somebody"}


def typed(*lines: Any, **fields: Any) -> dict[str, Any]:
    part = {"from_name": "answers", "to_name": "probe", "type": "textarea", "value": {"text": list(lines)}}
    return {**part, **fields}


def annotation(result: Any, **fields: Any) -> dict[str, Any]:
    return {"id": 1, "completed_by": 2, "updated_by": 2, "was_cancelled": False, "result": result, **fields}


def test_the_page_shows_what_its_tasks_hold_and_asks_for_words(semrel: ModuleType) -> None:
    data = task_of(PAGE, semrel.probe("dog"), [])
    root = ElementTree.fromstring(PAGE.xml)
    values = [tag.attrib.get("value", "") for tag in root.iter()]
    assert {value.removeprefix("$") for value in values if value.startswith("$")} <= set(data)
    assert root.find(".//Choices") is None
    area, _note = root.iter("TextArea")
    assert (area.attrib["name"], area.attrib["required"]) == (PAGE.text_control, "true")
    assert PAGE.target in {tag.attrib.get("name") for tag in root.iter()}
    assert isinstance(PAGE, WordsPage)
    assert len(PAGE.title + ", questionnaire 9999") <= 50
    assert "skip it" in PAGE.instructions


def test_the_blank_follows_the_text_and_what_comes_from_outside_is_escaped(semrel: ModuleType) -> None:
    shown = probe_data(semrel.probe("dog", text="a <b>dog</b> is a kind of "), [])["text_html"]
    root = ElementTree.fromstring(shown.replace("&nbsp;", "_"))
    assert "".join(root.itertext()) == "a <b>dog</b> is a kind of _"


def test_a_control_question_looks_like_any_other(semrel: ModuleType) -> None:
    probe, control = semrel.probe("dog"), semrel.probe("day", known=["sunday"])
    assert set(task_of(PAGE, probe, [])) == set(task_of(PAGE, control, []))
    assert "sunday" not in str(task_of(PAGE, control, []))


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([], "empty result"),
        ([typed("")], "no words"),
        ([typed()], "no words"),
        ([typed(" \n ")], "no words"),
        ([typed("?!\n...")], "answers without a letter"),
        ([typed("word " * 399)], "answers of more than 10 words or 200 characters"),
        ([typed("word " * 500)], "text too long"),
        ([typed("word\n" * 300)], "people with more than 20 answers to a probe"),
        ([typed("animal"), typed("pet")], "control answered twice"),
        ([typed("animal", from_name="correction")], "unknown control"),
        ([{"from_name": "verdict", "type": "choices", "value": {"choices": ["valid"]}}], "unknown control"),
        ([typed("animal", from_name=["answers"])], "unknown control"),
        ([typed("animal", origin="prediction")], "untouched prediction"),
    ],
)
def test_what_is_no_answer_says_why(result: Any, problem: str) -> None:
    assert read_answer(annotation(result), PAGE, USERS).problem == problem


def test_an_answer_for_somebody_else_is_none() -> None:
    assert read_answer(annotation([typed("animal")], updated_by=3), PAGE, USERS).problem == "saved by another account"
    assert read_answer(annotation([typed("animal")], completed_by=9), PAGE, USERS).problem == "unknown annotator"


def test_words_are_taken_as_they_were_typed_and_in_their_order() -> None:
    for lines in (["Animal\npet\n\n--"], ["Animal", "pet", None, "", "--"]):
        answer = read_answer(annotation([typed(*lines)]), PAGE, USERS)
        assert (answer.label, answer.problem) == (None, None)
        assert str(answer.text).split() == ["Animal", "pet", "--"]
    assert check_answers("Animal\n--") is None
    assert read_answer(annotation([], was_cancelled=True), PAGE, USERS).skipped


def test_simulated_words_are_relata_or_with_the_error_rate_another_targets(
    probes: Workspace, semrel: ModuleType
) -> None:
    draw, dog = simulated_words(probes), semrel.probe("dog")
    names = [f"simulated-{number}" for number in range(400)]
    right = [word for name in names for word in draw(dog, name, 0.0, 7) or ()]
    wrong = [word for name in names for word in draw(dog, name, 1.0, 7) or ()]
    assert set(right) == {"animal", "canine"}
    assert set(wrong) == {"feline", "flower"}
    mixed = [draw(dog, name, 0.2, 7) or [] for name in names]
    assert all(1 <= len(words) == len(set(words)) <= 3 for words in mixed)
    assert (draw(dog, names[1], 0.2, 7) or []) == mixed[1]  # whatever was drawn before
    assert 0.1 < sum(words[0] in wrong for words in mixed) / 400 < 0.3
    assert draw(semrel.probe("", known=["Sunday"]), "simulated-1", 0.0, 7) == ["Sunday"]
    assert draw(semrel.probe("thing"), "simulated-1", 0.0, 7) is None


def test_what_simulated_people_send_is_what_the_page_would_send(probes: Workspace) -> None:
    items: list[Any] = probes.read_items("probe")["item_id"].to_pylist()
    sayings = statements(probes, PAGE, items, SimulationSettings(seed=7, skip_rate=0.0))
    said = [sayings[item](Actor("simulated-1", 0.0, 1, "t")) for item in items]
    for _, body in bodies(PAGE, list(enumerate(said))):
        assert read_answer(annotation(body["result"]), PAGE, USERS).problem is None
    assert list(bodies(PAGE, [(1, None)])) == [(1, {"result": [], "was_cancelled": True})]


def test_the_server_takes_the_questionnaires_and_the_words(
    fresh_studio: Any, probes: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tashika.annotation.judging.pull import pull
    from tashika.annotation.votes.verdicts import count_votes
    from tashika.core.files import read_json, read_table
    from tashika.core.records import RESPONSE

    class Lemmas:
        version = "3.0"

        def lemma(self, word: str) -> str:
            return word

    monkeypatch.setattr("tashika.annotation.semrel.pages.open_wordnet", Lemmas)
    settings = AnnotateSettings(
        annotators=2,
        kinds={"probe": KindSettings()},
        simulation=SimulationSettings(seed=7, error_rates=(0.0, 0.0), skip_rate=0.0),
    )
    pages: list[Page] = [PAGE]
    for said in ("3 probe-1 items: 3 new", "2 probe-2 items: 0 new, 2 already there"):
        push(fresh_studio.server, probes, pages, settings, dry=False)
        assert said in capsys.readouterr().err
    project = fresh_studio.server.project("Tashika semrel probe, questionnaire 2")
    assert project is not None
    # Else the button Submit stays grey, whatever is typed.
    address = f"{fresh_studio.address.url}/api/projects/{project.project_id}/"
    headers = {"Authorization": f"Token {fresh_studio.address.token}"}
    assert httpx.get(address, headers=headers).json()["enable_empty_annotation"] is True
    assert simulate(fresh_studio.address, probes, pages, settings) == 5 * 2
    assert pull(fresh_studio.server, probes, pages) == {"": 10}
    count_votes(probes, pages, settings)
    rows = read_table(probes.annotation / "responses.parquet", RESPONSE).to_pylist()
    assert {row["annotator"] for row in rows} == {f"simulated-{number}" for number in (1, 2, 3, 4)}
    assert {row["answer"] for row in rows} <= {"animal", "canine", "feline"}
    summary = read_json(probes.annotation / "validation.json")["probe"]
    assert (summary["judged"], summary["votes"], summary["careless"], summary["simulated"]) == (4, 8, {}, True)
    assert [person["name"] for person in summary["simulation"]["annotators"]] == [
        f"simulated-{n}" for n in (1, 2, 3, 4)
    ]
