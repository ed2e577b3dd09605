"""From an export to judgments, with a server that says what the test wants."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.pull import pull
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server
from tashika.core.errors import InputError, OutsideError
from tashika.core.workspace import Workspace

USERS = [{"id": 2, "email": "ada@example.org"}, {"id": 3, "email": "simulated-1@example.com"}]


def annotation(number: int, user: int = 2, **fields: Any) -> dict[str, Any]:
    part = {"from_name": "verdict", "to_name": "template", "type": "choices", "value": {"choices": ["valid"]}}
    return {
        "id": number,
        "completed_by": user,
        "updated_by": user,
        "result": [part],
        "was_cancelled": False,
        "updated_at": "2026-01-02T03:04:05.000001Z",
        "lead_time": 1.5,
        **fields,
    }


def task(number: int, item: str | None, *annotations: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "data": {"item_id": item} if item else {}, "annotations": list(annotations)}


@pytest.fixture
def template_page(pages: list[Page]) -> list[Page]:
    return pages[:1]


@pytest.fixture
def server(httpserver: HTTPServer, template_page: list[Page]) -> Server:
    project = {"id": 1, "title": template_page[0].title, "label_config": template_page[0].xml, "maximum_annotations": 3}
    page = {"count": 1, "next": None, "previous": None, "results": [project]}
    nothing: dict[str, Any] = {"count": 0, "next": None, "previous": None, "results": []}

    def projects(request: Request) -> Response:
        first = request.args.get("title") == template_page[0].title and request.args.get("page", "1") == "1"
        return Response(json.dumps(page if first else nothing), content_type="application/json")

    httpserver.expect_request("/api/projects/").respond_with_handler(projects)
    httpserver.expect_request("/api/users/").respond_with_json(USERS)
    organization = {"id": 1, "title": "o", "created_at": "2026-01-01T00:00:00Z"}
    httpserver.expect_request("/api/organizations/").respond_with_json([organization])
    return Server(Address(httpserver.url_for("").rstrip("/"), "0" * 40))


def exporting(httpserver: HTTPServer, body: Any) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    httpserver.expect_oneshot_request("/api/projects/1/export").respond_with_data(data)
    listed = sorted(task["id"] for task in body) if isinstance(body, list) else [7]

    def numbers(request: Request) -> Response:
        after = json.loads(request.args["query"])["filters"]["items"][0]["value"]
        tasks = [{"id": number} for number in listed if number > after]
        content = {"tasks": tasks, "total": len(tasks), "total_annotations": 0, "total_predictions": 0}
        return Response(json.dumps(content), content_type="application/json")

    httpserver.expect_request("/api/tasks/").respond_with_handler(numbers)


def test_judgments_are_read_once_and_an_edited_answer_is_a_new_one(
    httpserver: HTTPServer, server: Server, workspace: Workspace, template_page: list[Page]
) -> None:
    first = [task(7, "i", annotation(1), annotation(2, user=3)), task(8, "j")]
    for _ in range(2):
        exporting(httpserver, first)
    edited = annotation(1, updated_at="2026-01-02T03:04:06.000001Z")
    exporting(httpserver, [task(7, "i", edited, annotation(2, user=3)), task(8, "j")])
    assert pull(server, workspace, template_page).total() == 2
    assert pull(server, workspace, template_page).total() == 0
    assert pull(server, workspace, template_page).total() == 1
    table = read_judgments(workspace)
    assert (len(shards(workspace)), table.num_rows) == (2, 3)
    assert table["annotation_id"].to_pylist() == [1, 2, 1]
    assert table["simulated"].to_pylist() == [False, True, False]
    ada, simulated, again = table["annotator"].to_pylist()
    assert simulated == "simulated-1"
    assert ada == again
    assert "ada" not in str(ada)


def test_the_raw_export_is_kept_once(
    httpserver: HTTPServer, server: Server, workspace: Workspace, template_page: list[Page]
) -> None:
    body = [task(7, "i", annotation(1))]
    for _ in range(2):
        exporting(httpserver, body)
        pull(server, workspace, template_page)
    (backup,) = (workspace.annotation / "backups").glob("*.json.gz")
    assert json.loads(gzip.decompress(backup.read_bytes())) == body


def test_bad_answers_are_kept_and_counted(
    httpserver: HTTPServer, server: Server, workspace: Workspace, template_page: list[Page]
) -> None:
    answers = [annotation(1), annotation(2, result=[]), annotation(3, user=99), annotation(4, completed_by={"id": 2})]
    exporting(httpserver, [task(7, "i", *answers), task(8, None, annotation(5))])
    seen = pull(server, workspace, template_page)
    assert dict(seen) == {"": 1, "empty result": 1, "unknown annotator": 2, "task without an item": 1}
    assert read_judgments(workspace).num_rows == 5


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>Log in</title>",
        json.dumps([task(7, "i", annotation(1))]).encode()[:-40],
        b'{"detail": "later"}',
        b'[{"id": 1}]',
        b'[{"id": 1, "annotations": [{"completed_by": 2}]}]',
        b"",
    ],
)
def test_what_is_no_export_adds_nothing_and_leaves_no_copy(
    httpserver: HTTPServer, server: Server, workspace: Workspace, template_page: list[Page], body: bytes
) -> None:
    exporting(httpserver, body)
    with pytest.raises(OutsideError, match=r"Nothing was taken over"):
        pull(server, workspace, template_page)
    assert shards(workspace) == []
    assert list((workspace.annotation / "backups").iterdir()) == []


def test_a_kind_that_was_never_pushed_says_so(server: Server, workspace: Workspace, pages: list[Page]) -> None:
    with pytest.raises(InputError, match=r"no project 'Tashika myriadlama alias'\n.*annotate push myriadlama"):
        pull(server, workspace, pages[1:])


def test_a_change_that_is_older_than_what_it_changes_tells_of_the_servers_clock(
    httpserver: HTTPServer,
    server: Server,
    workspace: Workspace,
    template_page: list[Page],
    capsys: pytest.CaptureFixture[str],
) -> None:
    exporting(httpserver, [task(7, "i", annotation(1))])
    pull(server, workspace, template_page)
    exporting(httpserver, [task(7, "i", annotation(1, updated_at="2026-01-02T03:04:04.000001Z"))])
    pull(server, workspace, template_page)
    assert "1 of these is older than what it changes, by the server's clock" in capsys.readouterr().err
