"""What the votes leave open goes through a real Label Studio to an adjudicator and back, for every form of page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.adjudicating.pages import BECAUSE, adjudication_page
from tashika.annotation.adjudicating.panel import PANEL
from tashika.annotation.adjudicating.pull import pull_adjudications
from tashika.annotation.adjudicating.push import push_adjudication
from tashika.annotation.command import app
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AdjudicationSettings, AnnotateSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.votes import PEOPLE, judge
from tests.annotation.custom.samples import KINDS, settings_of
from tests.studio import Studio


class Adjudicator:
    """A person with an account of their own, who answers through the server's interface."""

    def __init__(self, studio: Studio, email: str) -> None:
        self.token = open_account(studio.address, studio.server.invitation(), email, exists=False)
        self.studio = studio

    def tasks(self, page: Page) -> dict[str, dict[str, Any]]:
        """The tasks of a kind's adjudication project by item."""
        project = self.studio.server.project(adjudication_page(page).title)
        assert project is not None
        with self.studio.api(self.token) as api:
            reply = api.get("/api/tasks/", params={"project": project.project_id, "fields": "all", "page_size": 100})
            return {task["data"]["item_id"]: task for task in reply.json()["tasks"]}

    def answer(self, page: Page, task: Mapping[str, Any], skip: bool = False, **values: Any) -> int:
        """Answers a task with lists of choices or texts by control; gives the annotation's number."""
        body = {"result": self._result(page, values), "was_cancelled": skip}
        with self.studio.api(self.token) as api:
            reply = api.post(f"/api/tasks/{task['id']}/annotations/", json=body)
        assert reply.status_code == 201, reply.text
        return int(reply.json()["id"])

    def change(self, page: Page, annotation: int, skip: bool = False, **values: Any) -> None:
        """Answers anew."""
        body = {"result": self._result(page, values), "was_cancelled": skip}
        with self.studio.api(self.token) as api:
            assert api.patch(f"/api/annotations/{annotation}/", json=body).status_code == 200

    def _result(self, page: Page, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        types = dict(page.controls)
        parts = []
        for name, value in values.items():
            field = "choices" if types[name] == "choices" else "text"
            said = {field: [value] if isinstance(value, str) else value}
            parts.append({"from_name": name, "to_name": page.target, "type": types[name], "value": said})
        return parts


@pytest.fixture
def ada(fresh_studio: Studio) -> Iterator[Adjudicator]:
    """An account that is gone after the test: where people have accounts nothing is simulated."""
    email = "adjudicator@example.org"
    yield Adjudicator(fresh_studio, email)
    for number, name in fresh_studio.server.users().items():
        if name == email:
            fresh_studio.server.delete_account(number)


@pytest.fixture
def settings(six: CustomSuite) -> AnnotateSettings:
    return settings_of(six)


@pytest.fixture
def pages(settings: AnnotateSettings) -> dict[str, Page]:
    return {page.kind: page for page in pages_of("riddles", settings)}


def decided(work: Workspace, pages: Mapping[str, Page], settings: AnnotateSettings) -> dict[str, dict[str, Any]]:
    """The verdicts by item after a count of the votes."""
    count_votes(work, list(pages.values()), settings)
    return {row["item_id"]: row for row in work.read_verdicts().to_pylist()}


def test_every_form_goes_to_an_adjudicator_and_back(
    fresh_studio: Studio, ada: Adjudicator, work: Workspace, pages: dict[str, Page], settings: AnnotateSettings
) -> None:
    """Each kind: an undecided item, one that everybody agrees on, and one on which answers are still awaited."""
    corrected = {"label": "sound", "text": "a <b>better</b> riddle", "note": "see & compare"}
    ids = {
        "riddle": judge(work, "riddle", [[corrected, "unsound", None], ["sound"] * 3, ["sound"]]),
        "pair": judge(work, "pair", [["entails", "neutral", "contradicts"], ["neutral"] * 3, ["neutral"]]),
        "topic": judge(work, "topic", [["art", "sport", None], ["art"] * 3, ["art"]]),
        "quality": judge(work, "quality", [["1", None, None], ["5"] * 3, ["3"]]),
        "duel": judge(work, "duel", [["left_text", "other", "same"], ["other"] * 3, ["other"]]),
        "saying": judge(work, "saying", [["so", None, None], ["a", "b", "c"], ["d"]], field="text"),
    }
    count_votes(work, list(pages.values()), settings)
    assert push_adjudication(fresh_studio.server, work, list(pages.values()), settings) == len(KINDS)
    assert push_adjudication(fresh_studio.server, work, list(pages.values()), settings) == 0
    tasks = {kind: ada.tasks(pages[kind]) for kind in KINDS}
    assert {kind: list(found) for kind, found in tasks.items()} == {kind: [ids[kind][0]] for kind in KINDS}
    assert not any(name in json.dumps(tasks, ensure_ascii=False) for name in PEOPLE)
    shown = tasks["riddle"][ids["riddle"][0]]["data"][PANEL]
    assert "a &lt;b&gt;better&lt;/b&gt; riddle" in shown
    assert "see &amp; compare" in shown
    duel = tasks["duel"][ids["duel"][0]]["data"]
    side = "left" if duel["left"] == "two" else "right"  # the column `other` has the text "two"
    assert "left_text" not in json.dumps(duel)

    def answer(kind: str, **values: Any) -> int:
        return ada.answer(pages[kind], tasks[kind][ids[kind][0]], **values)

    riddle = answer("riddle", verdict="sound", correction="the best riddle", note="sure")
    answer("pair", answer="It contradicts")
    answer("topic", answer=["art", "science"])
    answer("quality", answer="4")
    answer("duel", answer=side)
    saying = answer("saying", answer="the final text")
    pulled = pull_adjudications(fresh_studio.server, work, list(pages.values()))
    assert (pulled.new, pulled.withdrawn, dict(pulled.problems)) == (6, 0, {})
    assert pull_adjudications(fresh_studio.server, work, list(pages.values())).new == 0

    verdicts = decided(work, pages, settings)
    mine = {kind: verdicts[ids[kind][0]] for kind in KINDS}
    assert {kind: (row["decision"], row["text"]) for kind, row in mine.items()} == {
        "riddle": ("accepted", "the best riddle"), "pair": ("accepted", "contradicts"),
        "topic": ("accepted", "science\nart"), "quality": ("accepted", "4"), "duel": ("accepted", "other"),
        "saying": ("accepted", "the final text"),
    }  # fmt: skip
    assert {row["rule"] for row in mine.values()} == {"adjudicated"}
    assert all(str(row["adjudicator"]).startswith("annotator-") for row in mine.values())
    answers = {row["item_id"]: row for row in work.read_answers().to_pylist()}
    assert answers[ids["saying"][0]]["texts"] == ["the final text"]
    assert answers[ids["duel"][0]]["label"] == "other"

    ada.change(pages["riddle"], riddle, verdict="odd")
    ada.change(pages["saying"], saying, skip=True)
    pulled = pull_adjudications(fresh_studio.server, work, list(pages.values()))
    assert (pulled.new, pulled.withdrawn) == (1, 1)
    verdicts = decided(work, pages, settings)
    assert (verdicts[ids["riddle"][0]]["decision"], verdicts[ids["riddle"][0]]["rule"]) == ("undecided", "adjudicated")
    assert verdicts[ids["saying"][0]]["adjudicator"] is None
    notes = [row["note"] for row in read_adjudications(work) if row["kind"] == "riddle"]
    assert notes == ["sure", None]


def test_the_commands_bring_an_item_to_an_adjudicator_and_the_decision_back(
    fresh_studio: Studio, ada: Adjudicator, custom: ModuleType, tmp_path: Path
) -> None:
    suite = custom.one_kind(tmp_path / "suite", 'form = "label"\nlabels = ["a", "b", "c"]\n')
    work = Workspace(tmp_path / "work", "riddles")
    custom.write(work, "riddle", [custom.item("riddle", "one")])
    (page,) = suite.load("annotation")

    def run(*words: str) -> str:
        server = ["--url", fresh_studio.address.url, "--token", fresh_studio.address.token]
        options = ["--work", str(work.root), *([] if words[0] in {"vote", "undecided"} else server)]
        result = CliRunner().invoke(app, [words[0], str(suite.path), *words[1:], *options])
        assert result.exit_code == 0, result.output
        return result.output

    run("push")
    (item,) = judge(work, "riddle", [["a", "b", "c"]])
    assert "riddle: 1 undecided (a tie: 1)" in run("vote")
    assert "would push riddle: 1 undecided" in run("adjudicate", "--push", "--dry-run")
    assert "pull" in run("adjudicate", "--push")
    assert "riddle: 1 of 1 item waits for an adjudicator" in run("status")
    number = ada.answer(page, ada.tasks(page)[item], answer="b")
    assert "pulled 1 new decision of adjudicators" in run("pull")
    assert "riddle: 0 of 1 item waits for an adjudicator" in run("status")
    assert "undecided" not in run("vote").replace("riddle undecided 0", "")
    (verdict,) = work.read_verdicts().to_pylist()
    assert (verdict["decision"], verdict["text"], verdict["rule"]) == ("accepted", "b", "adjudicated")
    with fresh_studio.api() as api:
        assert api.delete(f"/api/annotations/{number}/").status_code == 204
    assert "0 new decisions of adjudicators; 1 taken back" in run("pull")
    assert "pulled 0 new decisions of adjudicators\n" in run("pull")
    assert "1 undecided" in run("vote")


def test_accepted_items_are_audited_and_what_is_decided_since_stays(
    fresh_studio: Studio, ada: Adjudicator, work: Workspace, pages: dict[str, Page], settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    settings = settings.model_copy(update={"adjudication": AdjudicationSettings(audit=1.0)})
    only = {kind: pages[kind] for kind in ("riddle", "pair")}
    riddles = judge(work, "riddle", [["sound"] * 3, ["sound"] * 3, ["unsound"] * 3])
    pairs = judge(work, "pair", [["neutral"] * 3, ["entails", "neutral", None], ["entails"] * 3])
    decided(work, only, settings)
    judge(work, "pair", [["neutral"], [], []])
    with pytest.raises(InputError, match=r"have come since the votes were counted\n.*annotate vote"):
        push_adjudication(fresh_studio.server, work, list(only.values()), settings)
    decided(work, only, settings)
    assert push_adjudication(fresh_studio.server, work, list(only.values()), settings) == 5
    tasks = {**ada.tasks(pages["riddle"]), **ada.tasks(pages["pair"])}
    because = {item: task["data"][BECAUSE] for item, task in tasks.items()}
    assert because == {**dict.fromkeys([*riddles[:2], pairs[0], pairs[2]], "audit"), pairs[1]: "undecided"}

    ada.answer(pages["riddle"], tasks[riddles[0]], verdict="unsound")
    ada.answer(pages["riddle"], tasks[riddles[1]], verdict="sound", correction="a new text")
    ada.answer(pages["pair"], tasks[pairs[0]], answer="It follows")
    ada.answer(pages["pair"], tasks[pairs[1]])  # an empty result is no decision
    capsys.readouterr()
    pulled = pull_adjudications(fresh_studio.server, work, list(only.values()))
    assert (pulled.new, dict(pulled.problems)) == (3, {"empty result": 1})
    assert "1 answer is no decision: empty result" in capsys.readouterr().err
    verdicts = decided(work, only, settings)
    assert [verdicts[item]["decision"] for item in riddles] == ["rejected", "accepted", "rejected"]
    assert [verdicts[item]["text"] for item in pairs] == ["entails", None, "entails"]
    summary = read_json(work.annotation / "validation.json")
    assert {kind: (each["audit"]["overturned"], each["audit"]["audited"]) for kind, each in summary.items()} == {
        "riddle": (1, 2),
        "pair": (1, 1),
    }
    assert push_adjudication(fresh_studio.server, work, list(only.values()), settings) == 0
