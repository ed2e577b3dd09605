"""Answers that are not about what was pushed, or that nobody gave: held, named, and counted once they are accepted."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.pushed import pushed_file
from tashika.annotation.judging.validation import IMPORTED, ITEM_MOVED, PAGE_CHANGED, TASK_CHANGED
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import NewTask, Project
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.options import Accepted
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio

pytestmark = pytest.mark.usefixtures("no_accounts_left")

Said = pytest.CaptureFixture[str]


@pytest.fixture
def page(pages: list[Page]) -> Page:
    return pages[0]


@pytest.fixture
def project(fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings) -> Project:
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    made = fresh_studio.server.project(page.title)
    assert made is not None
    return made


def lines(capsys: Said) -> str:
    return " ".join(capsys.readouterr().err.split())


def data_of(studio: Studio, task: int) -> dict[str, Any]:
    with studio.api() as api:
        data: dict[str, Any] = api.get(f"/api/tasks/{task}/").json()["data"]
        return data


def change(studio: Studio, task: int, **fields: str) -> None:
    """Changes what a task shows, as any account may."""
    with studio.api() as api:
        body = {"data": {**data_of(studio, task), **fields}}
        assert api.patch(f"/api/tasks/{task}/", json=body).status_code == 200


def votes(workspace: Workspace, page: Page, settings: AnnotateSettings) -> int:
    count_votes(workspace, [page], settings)
    return sum(row["votes_cast"] for row in workspace.read_verdicts().to_pylist())


def test_answers_that_somebody_imports_in_the_names_of_others(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    task = min(items_of(fresh_studio, page).values())[0]
    honest = open_account(fresh_studio.address, server.invitation(), "ada@example.org", exists=False)
    hostile = open_account(fresh_studio.address, server.invitation(), "mallory@example.org", exists=False)
    answer(fresh_studio, honest, task, choose("valid"))
    ada = next(number for number, email in server.users().items() if email == "ada@example.org")
    data = data_of(fresh_studio, task)
    forged = [{"data": data, "annotations": [{"completed_by": ada, "result": choose("invalid")}]}]
    with fresh_studio.api(hostile) as api:
        assert api.post(f"/api/projects/{project.project_id}/import", json=forged).status_code == 201
    assert dict(pull(server, workspace, [page], settings)) == {"": 1, IMPORTED: 1}
    said = lines(capsys)
    assert "1 kept but not voted: imported in the person's name" in said
    assert "nobody saved these answers" in said
    assert votes(workspace, page, settings) == 1
    assert pull(server, workspace, [page], settings).total() == 0
    pull(server, workspace, [page], settings, frozenset({Accepted.IMPORTED}))
    assert "1 that was held counts now, as accepted" in lines(capsys)
    assert sorted(map(str, read_judgments(workspace)["problem"].to_pylist())) == ["None", "None"]

    # What an earlier version pulled looks alike: it counts, is named, and can be taken out.
    assert pull(server, workspace, [page], settings).total() == 0
    (imported,) = (row for row in read_judgments(workspace).to_pylist() if row["label"] == "invalid")
    assert f"1 task has answers that nobody saved and that count ({imported['task_id']}): accepted before, or" in lines(
        capsys
    )
    server.delete_annotation(imported["annotation_id"])
    pull(server, workspace, [page], settings)
    assert "nobody saved" not in lines(capsys)
    assert votes(workspace, page, settings) == 1


def test_answers_to_a_task_that_was_changed(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    first, second, third = (tasks[0] for tasks in sorted(items_of(fresh_studio, page).values())[:3])
    before = data_of(fresh_studio, first)["template_html"]
    answer(fresh_studio, None, third, choose("valid"))
    assert dict(pull(server, workspace, [page], settings)) == {"": 1}
    change(fresh_studio, first, template_html="the contrary")
    change(fresh_studio, second, item_id=data_of(fresh_studio, first)["item_id"])
    change(fresh_studio, third, template_html="what was judged before stays judged")
    for task in (first, second):
        answer(fresh_studio, None, task, choose("valid"))
    capsys.readouterr()
    assert dict(pull(server, workspace, [page], settings)) == {TASK_CHANGED: 1, ITEM_MOVED: 1}
    said = lines(capsys)
    assert f"2 tasks show something else than was pushed ({first}, {third}): answers since are held" in said
    assert f"1 task shows another item than was pushed ({second}): their answers are held" in said
    assert "--accept tasks` counts the answers" in said
    assert votes(workspace, page, settings) == 1

    change(fresh_studio, first, template_html=before)  # which does not make the answer one to what was pushed
    assert pull(server, workspace, [page], settings).total() == 0
    assert votes(workspace, page, settings) == 1
    pull(server, workspace, [page], settings, frozenset({Accepted.TASKS}))
    assert votes(workspace, page, settings) == 2
    capsys.readouterr()
    assert pull(server, workspace, [page], settings).total() == 0
    assert "something else than was pushed" not in lines(capsys)


def test_answers_on_a_page_that_was_turned_round(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    tasks = [tasks[0] for tasks in sorted(items_of(fresh_studio, page).values())]
    xml = page.xml.replace("</View>", "<Header value='Is this sentence BAD?'/></View>")
    server.update_project(project, page.headline, xml, page.instructions, project.annotators)
    answer(fresh_studio, None, tasks[0], choose("valid"))
    assert dict(pull(server, workspace, [page], settings)) == {PAGE_CHANGED: 1}
    said = lines(capsys)
    assert f"the page of project {project.project_id} is not the suite's" in said
    assert "--accept page` counts those that were given on it" in said
    push(server, workspace, [page], settings, dry=False)
    assert "the page had been changed in Label Studio since the last push" in lines(capsys)
    push(server, workspace, [page], settings, dry=False)
    assert "the page had been changed" not in lines(capsys)
    answer(fresh_studio, None, tasks[1], choose("valid"))
    assert dict(pull(server, workspace, [page], settings)) == {"": 1}
    assert votes(workspace, page, settings) == 1
    pull(server, workspace, [page], settings, frozenset({Accepted.PAGE}))
    assert votes(workspace, page, settings) == 2


def test_a_task_that_somebody_adds_with_an_item_of_ours(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project
) -> None:
    server = fresh_studio.server
    data = data_of(fresh_studio, min(items_of(fresh_studio, page).values())[0])
    same, other = server.import_tasks(
        project.project_id, [NewTask(data), NewTask({**data, "template_html": "the contrary"})]
    )
    for task in (same, other):
        answer(fresh_studio, None, task, choose("valid"))
    assert dict(pull(server, workspace, [page], settings)) == {"": 1, TASK_CHANGED: 1}


def test_a_workspace_of_an_earlier_version_counts_and_is_told(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    path = pushed_file(workspace, page.name)
    pq.write_table(pq.read_table(path).drop_columns(["shown", "page"]), path)
    first, second = (tasks[0] for tasks in sorted(items_of(fresh_studio, page).values())[:2])
    change(fresh_studio, first, template_html="as an earlier version put it")
    for task in (first, second):
        answer(fresh_studio, None, task, choose("valid"))
    assert dict(pull(server, workspace, [page], settings)) == {"": 2}
    assert f"1 task shows something else than its item would today ({first})" in lines(capsys)
    push(server, workspace, [page], settings, dry=False)
    capsys.readouterr()
    pull(server, workspace, [page], settings)
    assert "something else" not in lines(capsys)
    change(fresh_studio, first, template_html="changed since the push")
    push(server, workspace, [page], settings, dry=False)
    assert f"1 task shows something else than was pushed ({first})" in lines(capsys)
