"""Exports in pages: whole, in order, and round what the server cannot export."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.projects import pushed_items
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.exporting import Export
from tashika.annotation.settings import AnnotateSettings
from tashika.core.errors import OutsideError
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio


class Fake:
    """A server with 1,200 tasks, of which it cannot export some; it refuses to export many at once."""

    def __init__(self, httpserver: HTTPServer, broken: set[int], *, fails: bool = False) -> None:
        self.tasks, self.broken, self.fails = list(range(5, 1_205)), broken, fails
        self.most = 0
        httpserver.expect_request("/api/tasks/").respond_with_handler(self.list)
        httpserver.expect_request("/api/projects/3/export").respond_with_handler(self.export)
        self.server = Server(Address(httpserver.url_for("").rstrip("/"), "0" * 40))

    def list(self, request: Request) -> Response:
        after = json.loads(request.args["query"])["filters"]["items"][0]["value"]
        there = [number for number in self.tasks if number > after]
        tasks = [{"id": number} for number in there[: int(request.args["page_size"])]]
        content = {"tasks": tasks, "total": len(there), "total_annotations": 0, "total_predictions": 0}
        return Response(json.dumps(content), content_type="application/json")

    def export(self, request: Request) -> Response:
        numbers = {int(number) for number in request.args.getlist("ids[]")}
        self.most = max(self.most, len(numbers))
        if self.fails or numbers & self.broken:
            return Response("{}", status=500, content_type="application/json")
        tasks = [{"id": number, "annotations": []} for number in self.tasks if number in numbers]
        return Response(json.dumps(tasks), content_type="application/json")


def exported(export: Export) -> list[int]:
    return [task["id"] for task in json.loads(b"".join(export.chunks()))]


def test_all_tasks_come_in_pages_but_those_that_cannot_be_exported(httpserver: HTTPServer) -> None:
    fake = Fake(httpserver, broken={5, 700, 1_204})
    export = Export(fake.server, 3, "fact")
    assert exported(export) == [number for number in fake.tasks if number not in fake.broken]
    assert export.unreadable == [5, 700, 1_204]
    assert fake.most == 500


def test_an_empty_project(httpserver: HTTPServer) -> None:
    fake = Fake(httpserver, broken=set())
    fake.tasks = []
    assert exported(Export(fake.server, 3, "fact")) == []


def test_a_server_that_cannot_export_at_all_is_no_fault_of_the_tasks(httpserver: HTTPServer) -> None:
    fake = Fake(httpserver, broken=set(), fails=True)
    with pytest.raises(OutsideError, match="the server failed with status 500"):
        exported(Export(fake.server, 3, "fact"))


def test_half_a_surrogate_leaves_all_other_answers_readable(
    fresh_studio: Studio,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server, page = fresh_studio.server, pages[0]
    push(server, workspace, [page], settings, dry=False)
    tasks = sorted(tasks[0] for tasks in items_of(fresh_studio, page).values())
    answer(fresh_studio, None, tasks[0], choose("valid"))
    pull(server, workspace, [page], settings)
    half: list[dict[str, Any]] = [
        {"from_name": "correction", "to_name": "template", "type": "textarea", "value": {"text": ["\ud800"]}}
    ]
    with fresh_studio.api() as api:
        for task in (tasks[0], tasks[2]):
            body = json.dumps({"result": [*choose("valid"), *half]})
            headers = {"Content-Type": "application/json"}
            assert api.post(f"/api/tasks/{task}/annotations/", content=body, headers=headers).status_code in {201, 500}
    answer(fresh_studio, None, tasks[1], choose("valid"))
    capsys.readouterr()
    assert dict(pull(server, workspace, [page], settings)) == {"": 1}
    said = " ".join(capsys.readouterr().err.split())
    assert f"the server cannot export 2 tasks ({tasks[0]}, {tasks[2]};" in said
    assert "deleted on the server" not in said
    assert read_judgments(workspace)["problem"].to_pylist() == [None, None]


def test_half_a_surrogate_in_what_a_task_shows_stops_no_command(
    fresh_studio: Studio,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server, page = fresh_studio.server, pages[0]
    push(server, workspace, [page], settings, dry=False)
    tasks = sorted(tasks[0] for tasks in items_of(fresh_studio, page).values())
    answer(fresh_studio, None, tasks[0], choose("valid"))
    project = server.project(page.title)
    assert project is not None
    headers = {"Content-Type": "application/json"}
    with fresh_studio.api() as api:
        data = api.get(f"/api/tasks/{tasks[3]}/").json()["data"]
        body = json.dumps([{"data": {**data, "item_id": "\ud800"}}])
        path = f"/api/projects/{project.project_id}/import"
        assert api.post(path, content=body, headers=headers).status_code == 201
        body = json.dumps({"data": {**data, "template_html": "\ud800"}})
        assert api.patch(f"/api/tasks/{tasks[3]}/", content=body, headers=headers).status_code == 500  # and it is kept
    capsys.readouterr()
    push(server, workspace, [page], settings, dry=False)
    said = " ".join(capsys.readouterr().err.split())
    assert f"the server cannot show 2 tasks ({tasks[3]}, " in said
    assert "1 task was deleted on the server since the last push or cannot be read, and put back now" in said
    listed = list(server.tasks(project.project_id))
    assert [task.task_id for task in listed if not task.readable] == [tasks[3], tasks[-1] + 1]
    assert {task.item_id for task in listed if task.readable} == set(pushed_items(workspace, page, server.identity()))
    assert {task.task_id for task in listed if task.users} == {tasks[0]}
    assert dict(pull(server, workspace, [page], settings)) == {"": 1}
