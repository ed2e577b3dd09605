"""Suite files in a real browser: each form from the list of tasks to the judgments, a training, an adjudication."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner

from tashika.annotation.adjudicating.pages import adjudication_page
from tashika.annotation.command import app
from tashika.annotation.gold.trained import read_trained
from tashika.annotation.labelling import pages_of, training_title
from tashika.core.custom.suite import CustomSuite
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.votes import PEOPLE, judge
from tests.annotation.gold.samples import write_gold
from tests.annotation.rounds import walk
from tests.curator import Curator
from tests.studio import Studio

TEXTS = (
    "What has keys and opens no lock? – A piano.",
    "What gets wetter the more it dries? – A towel.",
    "What has a neck and no head? – A bottle.",
    "What runs and has no legs? – A river.",
)
FORMS = ("pair", "topic", "quality", "duel", "saying", "verdict")


@pytest.mark.parametrize("kind", FORMS)
def test_a_person_goes_through_a_page_that_was_made(
    curator: Curator, fresh_studio: Studio, custom: ModuleType, tmp_path: Path, kind: str
) -> None:
    kinds = {**custom.SIX, "verdict": (custom.COLUMNS, "")}
    rest = "[annotate]\nannotators = 1\nminimum_votes = 1\n"
    suite = custom.open_text(tmp_path / "suite", custom.suite_text({kind: kinds[kind]}, rest=rest))
    settings = custom.settings_of(suite)
    workspace = Workspace(tmp_path / "work", suite.name)
    custom.write(workspace, kind, [custom.item(kind, text) for text in TEXTS])
    (page,) = pages_of(suite.name, settings)
    walk(curator, fresh_studio.server, workspace, page, settings)


Run = Callable[..., str]
SETTINGS = """
[annotate]
annotators = 1
minimum_votes = 1

[annotate.gold]
file = "gold.csv"
training = 2
"""


def commands(studio: Studio, suite: CustomSuite, work: Workspace) -> Run:
    """Runs a command of `annotate` on the suite."""

    def run(*words: str) -> str:
        server = [] if words[0] == "vote" else ["--url", studio.address.url, "--token", studio.address.token]
        result = CliRunner().invoke(app, [words[0], str(suite.path), *words[1:], "--work", str(work.root), *server])
        assert result.exit_code == 0, result.output
        return result.output

    return run


def open_project(curator: Curator, studio: Studio, title: str) -> str:
    """Opens a project by its list, and gives the texts of the list."""
    project = studio.server.project(title)
    assert project is not None
    listed = curator.list_tasks(project.project_id)
    expect(curator.label_all()).to_be_visible()
    return listed


def test_a_training_says_at_once_whether_an_answer_is_right_and_why(
    curator: Curator, fresh_studio: Studio, custom: ModuleType, tmp_path: Path
) -> None:
    items = [custom.item("pair", text) for text in TEXTS]
    lines = [[item["item_id"], "It follows", f"since <b> {place}"] for place, item in enumerate(items)]
    suite = custom.open_text(tmp_path / "suite", custom.suite_text({"pair": custom.SIX["pair"]}, rest=SETTINGS))
    write_gold(tmp_path / "suite" / "gold.csv", lines)
    work = Workspace(tmp_path / "work", suite.name)
    custom.write(work, "pair", items)
    (page,) = pages_of(suite.name, custom.settings_of(suite))
    run = commands(fresh_studio, suite, work)
    run("push")
    listed = open_project(curator, fresh_studio, training_title(page.title))
    assert TEXTS[0] in listed
    assert "since" not in listed
    expect(curator.guidelines).to_contain_text("1 to 3 to choose, Enter to submit")
    curator.close_guidelines()
    feedback = curator.page.locator(".tashika-training-feedback:visible")
    expect(feedback).to_have_count(0)
    curator.press("2")
    expect(feedback).to_have_text(["Not right: the answer is “It follows”.\nsince <b> 0"])
    curator.press("3", "1")  # the first answer stays, and nothing is sent
    assert (curator.task["item_id"], curator.chosen) == (items[0]["item_id"], ["choice-2", "choice-1"])
    curator.photograph("training-wrong-en")
    curator.finish("Enter")
    curator.press("1")
    expect(feedback).to_have_text(["Right.\nsince <b> 1"])
    curator.press("2")  # and there is nothing to take again
    assert curator.chosen == ["choice-1"]
    curator.photograph("training-right-en")
    curator.finish("Enter")
    assert "2 of 2 answered, 1 right at first, 2 in the end" in run("pull")
    trained = {row["item_id"]: (row["first"], row["last"]) for row in read_trained(work)}
    assert trained == {items[0]["item_id"]: (False, True), items[1]["item_id"]: (True, True)}


def test_an_adjudicator_sees_votes_without_names_and_decides_by_key(
    curator: Curator, fresh_studio: Studio, custom: ModuleType, tmp_path: Path
) -> None:
    rest = '[annotate]\nlanguage = "ja"\n'
    suite = custom.open_text(tmp_path / "suite", custom.suite_text({"pair": custom.SIX["pair"]}, rest=rest))
    work = Workspace(tmp_path / "work", suite.name)
    custom.write(work, "pair", [custom.item("pair", TEXTS[0])])
    (page,) = pages_of(suite.name, custom.settings_of(suite))
    run = commands(fresh_studio, suite, work)
    run("push")
    judge(work, "pair", [[{"label": "entails", "note": "See <b>keys</b>."}, "neutral", "neutral", "contradicts"]])
    assert "1 undecided" in run("vote")
    run("adjudicate", "--push")
    listed = open_project(curator, fresh_studio, adjudication_page(page).title)
    assert TEXTS[0] in listed
    assert "undecided" not in listed
    curator.close_guidelines()
    shown = curator.page.locator(".tashika").inner_text()
    assert "票数: Neither 2 · It contradicts 1 · It follows 1" in shown
    assert "See <b>keys</b>." in shown
    assert not any(name in curator.page.content() for name in PEOPLE)
    curator.photograph("adjudication-ja")
    curator.finish("3")
    assert "pulled 1 new decision of adjudicators" in run("pull")
    run("vote")
    (verdict,) = work.read_verdicts().to_pylist()
    assert (verdict["decision"], verdict["text"], verdict["rule"]) == ("accepted", "contradicts", "adjudicated")
