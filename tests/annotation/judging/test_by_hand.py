"""Projects that people change in Label Studio itself: found, told in a line, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.judging.forget import forget_simulated
from tashika.annotation.judging.judgments import WITHDRAWN, read_judgments, shards
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.judging.status import status_tables
from tashika.annotation.judging.watch import watch
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import NewTask, Project
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, SimulationSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.annotation.wording.words import Look
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio

pytestmark = pytest.mark.usefixtures("no_accounts_left")

Said = pytest.CaptureFixture[str]


@pytest.fixture
def page(pages: list[Page]) -> Page:
    return pages[0]


@pytest.fixture
def project(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, capsys: Said
) -> Project:
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    capsys.readouterr()
    made = fresh_studio.server.project(page.title)
    assert made is not None
    return made


def lines(capsys: Said) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_tasks_deleted_and_added(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    (first,), (second,) = sorted(items_of(fresh_studio, page).values())[:2]
    answer(fresh_studio, None, first, choose("valid"))
    pull(server, workspace, [page], settings)
    for task in (first, second):
        server.delete_task(task)
    data = {"text": "mine", "relation": "r", "relation_label": "l"}
    with fresh_studio.api() as api:
        example = api.get("/api/tasks/", params={"project": project.project_id}).json()["tasks"][0]["data"]
    (own,) = server.import_tasks(project.project_id, [NewTask({**example, **data, "item_id": ""})])
    answer(fresh_studio, None, own, choose("valid"))
    capsys.readouterr()
    assert dict(pull(server, workspace, [page], settings)) == {"task without an item": 1}
    said = lines(capsys)
    assert "the tasks of 2 items were deleted on the server" in said
    assert "1 task without an item was added by hand" in said
    assert read_judgments(workspace)["problem"].to_pylist() == [None, "task without an item"]
    push(server, workspace, [page], settings, dry=False)
    assert "2 tasks were deleted on the server since the last push, and put back now" in lines(capsys)
    assert sorted(map(len, items_of(fresh_studio, page).values())) == [1] * 13


def test_page_people_and_title_changed(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    japanese = page.with_look(Look(language="ja"))
    fresh_studio.server.update_project(
        project, japanese.headline, japanese.xml, japanese.instructions, project.annotators
    )
    pull(fresh_studio.server, workspace, [page], settings)
    assert "is not the suite's" not in lines(capsys)
    xml = page.xml.replace("</View>", "<Header value='by hand'/></View>")
    fresh_studio.server.update_project(project, page.headline, xml, page.instructions, 7)
    fresh_studio.server.rename_project(project.project_id, "Something else")
    pull(fresh_studio.server, workspace, [page], settings)
    said = lines(capsys)
    assert "was renamed to 'Something else'" in said
    assert "is not the suite's" in said
    assert "asks 7 people an item, the settings 3" in said
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    assert "it has its title back" in lines(capsys)
    pull(fresh_studio.server, workspace, [page], settings)
    assert lines(capsys).endswith("0 were here before")
    assert fresh_studio.server.project(page.title) == fresh_studio.server.project_numbered(project.project_id)


def test_another_language_is_another_page_and_another_summary(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    assert (project.summary, project.xml.strip()) == (page.headline, page.xml.strip())
    (task, *_) = sorted(each[0] for each in items_of(fresh_studio, page).values())
    answer(fresh_studio, None, task, choose("valid"))
    japanese = page.with_look(Look("ja"))
    push(server, workspace, [japanese], settings, dry=False)
    assert "brought the page" in lines(capsys)
    now = server.project(page.title)
    assert now is not None
    assert (now.summary, now.xml.strip()) == (japanese.headline, japanese.xml.strip())
    push(server, workspace, [japanese], settings, dry=False)
    assert "brought the page" not in lines(capsys)
    answer(fresh_studio, None, task, choose("invalid"))
    pull(server, workspace, [page], settings)
    assert read_judgments(workspace)["label"].to_pylist() == ["valid", "invalid"]  # values, not words of the page


def test_more_answers_than_asked_drafts_and_the_same_person_twice(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    tasks = [each[0] for each in sorted(items_of(fresh_studio, page).values())]
    for place in range(4):
        email = f"person-{place}@example.org"
        exists = email in server.users().values()
        token = open_account(fresh_studio.address, server.invitation(), email, exists=exists)
        answer(fresh_studio, token, tasks[0], choose("valid"))
    for label in ("valid", "invalid"):
        answer(fresh_studio, None, tasks[1], choose(label))
    with fresh_studio.api() as api:
        draft = {"result": choose("valid"), "lead_time": 1.0}
        assert api.post(f"/api/tasks/{tasks[2]}/drafts", json=draft).status_code == 201
    assert pull(server, workspace, [page], settings).total() == 6
    said = lines(capsys)
    assert "1 item has answers of more than the 3 people asked" in said
    assert "1 task was answered more than once by one person" in said
    assert "1 answer is a draft" in said
    count_votes(workspace, [page], settings)
    cast = {row["item_id"]: row["votes_cast"] for row in workspace.read_verdicts().to_pylist()}
    assert sorted(cast.values()) == [0] * 10 + [1, 4]


def test_an_account_that_was_deleted(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    task = min(items_of(fresh_studio, page).values())[0]
    token = open_account(fresh_studio.address, server.invitation(), "gone@example.org", exists=False)
    answer(fresh_studio, token, task, choose("valid"))
    number = next(number for number, email in server.users().items() if email == "gone@example.org")
    server.delete_account(number)
    seen = pull(server, workspace, [page], settings)
    assert seen.total() == seen["unknown annotator"]
    if seen:  # where the server keeps the answers of who is gone
        assert "1 answer is of accounts that the server does not have" in lines(capsys)


def test_answers_updated_and_deleted(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    tasks = [each[0] for each in sorted(items_of(fresh_studio, page).values())]
    kept, taken_back = (answer(fresh_studio, None, task, choose("valid")) for task in tasks[:2])
    pull(server, workspace, [page], settings)
    with fresh_studio.api() as api:
        assert api.patch(f"/api/annotations/{kept}/", json={"result": choose("invalid")}).status_code == 200
    server.delete_annotation(taken_back)
    capsys.readouterr()
    assert pull(server, workspace, [page], settings).total() == 1
    said = lines(capsys)
    assert "pulled 1 new judgment," in said
    assert "1 of them changes an answer" in said
    assert "1 was deleted on the server: kept, and not voted any more" in said
    by_number = {row["annotation_id"]: row["problem"] for row in read_judgments(workspace).to_pylist()}
    assert by_number == {kept: None, taken_back: WITHDRAWN}
    count = len(shards(workspace))
    assert pull(server, workspace, [page], settings).total() == 0
    assert len(shards(workspace)) == count
    count_votes(workspace, [page], settings)
    cast = {row["item_id"]: (row["votes_for"], row["votes_against"]) for row in workspace.read_verdicts().to_pylist()}
    assert sorted(cast.values()) == [(0, 0)] * 11 + [(0, 1)]


def test_a_project_that_was_deleted_before_anybody_answered_is_made_anew(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project
) -> None:
    fresh_studio.server.delete_project(project.project_id)
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    assert sorted(map(len, items_of(fresh_studio, page).values())) == [1] * 12


def test_answers_that_were_emptied_and_those_of_deleted_tasks_are_named_and_can_be_dropped(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    tasks = [each[0] for each in sorted(items_of(fresh_studio, page).values())]
    emptied, _, _ = (answer(fresh_studio, None, task, choose("valid")) for task in tasks[:3])
    pull(server, workspace, [page], settings)
    with fresh_studio.api() as api:
        assert api.patch(f"/api/annotations/{emptied}/", json={"result": []}).status_code == 200
    server.delete_task(tasks[1])
    capsys.readouterr()
    pull(server, workspace, [page], settings)
    said = lines(capsys)
    assert "1 answer was emptied or spoilt by who gave it; what was said before still counts" in said
    assert "the tasks of 1 item were deleted on the server" in said

    def cast() -> int:
        count_votes(workspace, [page], settings)
        return sum(row["votes_cast"] for row in workspace.read_verdicts().to_pylist())

    assert cast() == 3
    pull(server, workspace, [page], settings, drop_retracted=True)
    assert "2 were deleted or emptied on the server: kept, and not voted any more" in lines(capsys)
    assert cast() == 1
    pull(server, workspace, [page], settings)
    assert cast() == 1
    with fresh_studio.api() as api:
        assert api.patch(f"/api/annotations/{emptied}/", json={"result": choose("invalid")}).status_code == 200
    pull(server, workspace, [page], settings)
    assert cast() == 2


def test_an_answer_of_a_control_that_no_page_has_bars_no_other_change(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project, capsys: Said
) -> None:
    server = fresh_studio.server
    junk = [{**choose("valid")[0], "from_name": "junk"}]
    answer(fresh_studio, None, min(items_of(fresh_studio, page).values())[0], junk)
    more = settings.model_copy(update={"annotators": 4})
    push(server, workspace, [page], more, dry=False)
    assert "up to date" in lines(capsys)
    now = server.project(page.title)
    assert now is not None
    assert now.annotators == 4


def test_a_renamed_project_is_kept_though_another_has_its_title(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project
) -> None:
    server = fresh_studio.server
    server.rename_project(project.project_id, "Something else")
    other = server.create_project(page.title, page.headline, page.xml, page.instructions, 3)
    answer(fresh_studio, None, min(task.task_id for task in server.tasks(project.project_id)), choose("valid"))
    push(server, workspace, [page], settings, dry=False)
    assert pull(server, workspace, [page], settings).total() == 1
    assert [each.project_id for each in server.projects_titled(page.title)] == [project.project_id]
    assert server.project_numbered(other.project_id) is None  # empty, and younger


def test_status_simulate_and_watch_find_a_renamed_project(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project
) -> None:
    server = fresh_studio.server
    settings = settings.model_copy(update={"simulation": SimulationSettings(skip_rate=0.0)})
    server.rename_project(project.project_id, "Something else")
    assert simulate(fresh_studio.address, workspace, [page], settings) == 36
    kinds, _ = status_tables(workspace, [page], settings, server)
    counts = [next(iter(column.cells)) for column in kinds.columns[3:6]]
    assert counts == ["12", "12", "36"]
    now = watch(fresh_studio.address, workspace, [page], settings, until_complete=True)
    assert (now.complete, now.open) == (12, 0)
    assert forget_simulated(server, workspace, yes=True)
    assert not any(task.users for task in server.tasks(project.project_id))


def test_a_second_working_directory_is_told_that_it_shares_a_project(
    fresh_studio: Studio, workspace: Workspace, page: Page, settings: AnnotateSettings, project: Project,
    tmp_path: Path, samples: ModuleType, capsys: Said,
) -> None:  # fmt: skip
    other = Workspace(tmp_path / "other", "myriadlama")
    samples.write_items(other, "template", samples.templates())
    push(fresh_studio.server, other, [page], settings, dry=False)
    assert f"project {project.project_id} {page.title!r} was there before anything was pushed from" in lines(capsys)
    push(fresh_studio.server, other, [page], settings, dry=False)
    assert "was there before" not in lines(capsys)
