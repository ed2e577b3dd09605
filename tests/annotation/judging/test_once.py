"""One task an item, whoever pushes, and whatever happens between a client and the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.errors import OutsideError
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.proxy import CUT, LATE, PASS, REFUSE, REPEAT, proxy_to
from tests.studio import Studio

Rule = Callable[[int, str, str], str]


def once(action: str, method: str, part: str) -> Rule:
    """Does something with the first such request, and hands on all others."""
    left = [action]

    def rule(_number: int, asked: str, path: str) -> str:
        return left.pop() if left and asked == method and part in path else PASS

    return rule


def through(url: str, studio: Studio) -> Server:
    return Server(Address(url, studio.address.token))


def counts(studio: Studio, page: Page) -> set[int]:
    """How many tasks items have."""
    return {len(tasks) for tasks in items_of(studio, page).values()}


@pytest.fixture
def page(pages: list[Page]) -> Page:
    return pages[0]


@pytest.mark.parametrize("action", [REPEAT, CUT, REFUSE])
@pytest.mark.parametrize(("method", "part"), [("POST", "/import"), ("POST", "/api/projects")])
def test_a_request_that_is_repeated_or_cut_off(
    fresh_studio: Studio,
    workspace: Workspace,
    page: Page,
    settings: AnnotateSettings,
    action: str,
    method: str,
    part: str,
) -> None:
    with proxy_to(fresh_studio.address.url, once(action, method, part)) as proxy:
        server = through(proxy.url, fresh_studio)
        if action == REPEAT:
            push(server, workspace, [page], settings, dry=False)
        else:
            with pytest.raises(OutsideError):
                push(server, workspace, [page], settings, dry=False)
            push(server, workspace, [page], settings, dry=False)
    assert len(items_of(fresh_studio, page)) == 12
    assert counts(fresh_studio, page) == {1}
    assert len(fresh_studio.server.projects_titled(page.title)) == 1


def test_an_import_that_the_server_finishes_after_its_client_was_killed_and_pushed_again(
    fresh_studio: Studio,
    workspace: Workspace,
    page: Page,
    settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with proxy_to(fresh_studio.address.url, once(LATE, "POST", "/import")) as proxy:
        server = through(proxy.url, fresh_studio)
        with pytest.raises(OutsideError):
            push(server, workspace, [page], settings, dry=False)
        push(server, workspace, [page], settings, dry=False)
        assert proxy.let_go() == 1
        assert counts(fresh_studio, page) == {2}
        _, later = sorted(next(iter(items_of(fresh_studio, page).values())))
        answer(fresh_studio, None, later, choose("valid"))
        pull(server, workspace, [page], settings)
    said = " ".join(capsys.readouterr().err.split())
    assert "deleted 11 tasks of items that had one already" in said
    assert "1 more task of such items has answers and stays" in said
    tasks = items_of(fresh_studio, page)
    assert sorted(len(each) for each in tasks.values()) == [1] * 11 + [2]
    assert later in {number for each in tasks.values() for number in each}


def test_two_people_who_push_at_the_same_moment(
    fresh_studio: Studio, tmp_path: Path, page: Page, settings: AnnotateSettings, samples: ModuleType
) -> None:
    meet = threading.Barrier(2)
    look, send = threading.Semaphore(2), threading.Semaphore(2)

    def rule(_number: int, method: str, path: str) -> str:
        # Both look for the project before either makes one, and both import before either looks what came of it.
        first_look = method == "GET" and "/api/projects" in path and "title=" in path and look.acquire(blocking=False)
        first_import = (
            method == "POST" and path.split("?", maxsplit=1)[0].endswith("/import") and send.acquire(blocking=False)
        )
        if first_look or first_import:
            meet.wait(timeout=60)
        return PASS

    workspaces = [Workspace(tmp_path / name, "myriadlama") for name in ("one", "two")]
    for workspace in workspaces:
        samples.write_items(workspace, "template", samples.templates())
    with proxy_to(fresh_studio.address.url, rule) as proxy, ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(push, through(proxy.url, fresh_studio), workspace, [page], settings, dry=False)
            for workspace in workspaces
        ]
        for job in jobs:
            job.result()
        made = sum(1 for method, path in proxy.log if method == "POST" and path.rstrip("/") == "/api/projects")
    assert made == 2
    assert len(fresh_studio.server.projects_titled(page.title)) == 1
    assert len(items_of(fresh_studio, page)) == 12
    assert counts(fresh_studio, page) == {1}


def test_a_second_workspace_with_other_items_leaves_the_first_ones_alone(
    fresh_studio: Studio,
    workspace: Workspace,
    tmp_path: Path,
    page: Page,
    settings: AnnotateSettings,
    samples: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = samples.templates()
    other = Workspace(tmp_path / "other", "myriadlama")
    samples.write_items(other, "template", [samples.template("[X] was born, and grew up, in [Y].", "P19"), *rows[:3]])
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    push(fresh_studio.server, other, [page], settings, dry=False)
    assert "4 template items: 1 new, 3 already there" in capsys.readouterr().err
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    assert "1 task of another item is left unchanged" in capsys.readouterr().err
    assert len(items_of(fresh_studio, page)) == 13
    assert counts(fresh_studio, page) == {1}


def test_an_answered_second_project_stays_and_is_pulled(
    fresh_studio: Studio,
    workspace: Workspace,
    page: Page,
    settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = fresh_studio.server
    push(server, workspace, [page], settings, dry=False)
    second = server.create_project(page.title, page.summary, page.xml, page.instructions, 3)
    oldest = server.project(page.title)
    assert oldest is not None
    assert oldest.project_id < second.project_id
    from tashika.annotation.judging.push import families, task_of
    from tashika.annotation.labelstudio.client import NewTask

    table = workspace.read_items("template")
    ids = [str(item) for item in table["item_id"].to_pylist()]
    (task,) = server.import_tasks(second.project_id, [NewTask(task_of(page, *one)) for one in families(table, ids[:1])])
    answer(fresh_studio, None, task, choose("valid"))
    push(server, workspace, [page], settings, dry=False)
    assert "has the same title and answers" in " ".join(capsys.readouterr().err.split())
    assert pull(server, workspace, [page], settings).total() == 1
    with fresh_studio.api() as api:
        for entry in api.get(f"/api/tasks/{task}/annotations/").json():
            api.delete(f"/api/annotations/{entry['id']}/")
    push(server, workspace, [page], settings, dry=False)
    assert [each.project_id for each in server.projects_titled(page.title)] == [oldest.project_id]


@pytest.mark.parametrize("action", [CUT, REFUSE])
def test_a_push_that_is_cut_off_while_it_asks_more_people_and_one_with_other_settings(
    fresh_studio: Studio, workspace: Workspace, tmp_path: Path, page: Page, samples: ModuleType, action: str
) -> None:
    asks_more = AnnotateSettings(annotators=3, adaptive=True, stop_early=True, kinds={"template": KindSettings()})
    asks_two = AnnotateSettings(annotators=2, kinds={"template": KindSettings()})
    other = Workspace(tmp_path / "other", "myriadlama")
    samples.write_items(other, "template", samples.templates())
    push(fresh_studio.server, workspace, [page], asks_more, dry=False)
    ids = sorted(items_of(fresh_studio, page))
    here = {"server": fresh_studio.server.identity(), "project_id": fresh_studio.server.projects()[0].project_id}
    append_judgments(
        workspace,
        [
            samples.judgment(item, name, label, annotation_id=10 * place + number, **here)
            for place, item in enumerate(ids)
            for number, (name, label) in enumerate((("ada", "valid"), ("emmy", "invalid" if place < 3 else "valid")))
        ],
    )

    def wanted() -> list[int]:
        project = fresh_studio.server.project(page.title)
        assert project is not None
        tasks = sorted(fresh_studio.server.tasks(project.project_id), key=lambda task: task.item_id)
        assert [task.item_id for task in tasks] == ids
        return [task.wanted for task in tasks]

    assert wanted() == [2] * 12
    with proxy_to(fresh_studio.address.url, once(action, "PATCH", "/api/tasks/")) as proxy, pytest.raises(OutsideError):
        push(through(proxy.url, fresh_studio), workspace, [page], asks_more, dry=False)
    for _ in range(2):
        push(fresh_studio.server, workspace, [page], asks_more, dry=False)
        assert wanted() == [3] * 3 + [2] * 9
        push(fresh_studio.server, other, [page], AnnotateSettings(kinds={"template": KindSettings()}), dry=False)
        assert wanted() == [3] * 12
        push(fresh_studio.server, other, [page], asks_two, dry=False)
        assert wanted() == [2] * 12
