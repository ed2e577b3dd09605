"""What a person is told when the server is down, refuses, or talks nonsense."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer

from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import NewTask, Server
from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.core.services import free_port

PROJECT = {"id": 1, "title": "wanted", "label_config": "<View/>", "maximum_annotations": 3, "expert_instruction": ""}


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    return Server(Address(httpserver.url_for("").rstrip("/"), "0" * 40))


@pytest.fixture(autouse=True)
def _no_waiting_between_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("label_studio_sdk.core.http_client.time.sleep", lambda _seconds: None)


def test_a_server_that_is_down_says_how_to_start_it() -> None:
    with pytest.raises(OutsideError, match=r"no Label Studio server answers\n.*tashika annotate serve"):
        Server(Address(f"http://127.0.0.1:{free_port()}", "0" * 40)).users()


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, InputError, "refused the token"),
        (403, InputError, "refused the token"),
        (404, InputError, "no such page"),
        (429, OutsideError, "fewer requests"),
        (500, OutsideError, "failed with status 500: it broke"),
        (502, OutsideError, "failed with status 502"),
        (409, OutsideError, "refused the request with status 409"),
    ],
)
def test_a_status_that_is_no_success_is_told(
    httpserver: HTTPServer, server: Server, status: int, kind: type[TashikaError], words: str
) -> None:
    httpserver.expect_request("/api/users/").respond_with_json({"detail": "it broke"}, status=status)
    with pytest.raises(kind, match=words):
        server.users()
    httpserver.expect_request("/api/invite").respond_with_json({"detail": "it broke"}, status=status)
    with pytest.raises(kind, match=words):
        server.invitation()


@pytest.mark.parametrize("body", ["<!doctype html><title>Log in</title>", '[{"id": 1, "ema', ""])
def test_html_and_half_a_json_with_status_200_are_told(httpserver: HTTPServer, server: Server, body: str) -> None:
    httpserver.expect_request("/api/users/").respond_with_data(body, content_type="text/html")
    httpserver.expect_request("/api/invite").respond_with_data(body, content_type="text/html")
    with pytest.raises(OutsideError, match="expected JSON from the server"):
        server.users()
    with pytest.raises(OutsideError, match="expected JSON from the server"):
        server.invitation()


@pytest.mark.parametrize("body", [{}, {"tasks": 3}, [], {"tasks": [{"id": 1}]}, {"tasks": [{"id": "x", "data": {}}]}])
def test_json_of_another_shape_is_told(httpserver: HTTPServer, server: Server, body: object) -> None:
    httpserver.expect_request("/api/tasks/").respond_with_json(body)
    with pytest.raises(OutsideError, match="answer"):
        list(server.tasks(1))


def test_a_refused_import_is_not_sent_again(httpserver: HTTPServer, server: Server) -> None:
    httpserver.expect_request("/api/projects/1/import").respond_with_json({"detail": "busy"}, status=503)
    with pytest.raises(OutsideError, match="status 503: busy"):
        server.import_tasks(1, [NewTask({"text": "a"})])
    assert len(httpserver.log) == 1


def test_of_two_projects_of_one_title_everybody_takes_the_oldest(httpserver: HTTPServer, server: Server) -> None:
    found = {"count": 2, "next": None, "previous": None, "results": [{**PROJECT, "id": 2}, PROJECT]}
    for _ in range(2):
        httpserver.expect_ordered_request("/api/projects/").respond_with_json(found)
        httpserver.expect_ordered_request("/api/projects/").respond_with_json({"detail": "Invalid page."}, status=404)
    oldest = server.project("wanted")
    assert oldest is not None
    assert oldest.project_id == 1
    assert server.project("want") is None


def test_a_server_that_gives_the_same_page_for_ever_is_stopped(httpserver: HTTPServer, server: Server) -> None:
    tasks = [{"id": 1, "data": {"item_id": "i"}, "annotators": [], "cancelled_annotations": 0}]
    httpserver.expect_request("/api/tasks/").respond_with_json({"tasks": tasks, "total": 1})
    with pytest.raises(OutsideError, match="record 1 comes twice"):
        list(server.tasks(1))


def test_an_export_that_the_server_refuses_is_told(httpserver: HTTPServer, server: Server) -> None:
    httpserver.expect_request("/api/projects/1/export").respond_with_json({"detail": "gone"}, status=404)
    with pytest.raises(InputError, match="status 404"):
        list(server.export(1))


def test_no_error_shows_the_token(httpserver: HTTPServer) -> None:
    address = Address(httpserver.url_for("").rstrip("/"), "5ecre7" * 7)
    httpserver.expect_request("/api/users/").respond_with_json({"detail": "no"}, status=401)
    with pytest.raises(InputError) as caught:
        Server(address).users()
    assert "5ecre7" not in str(caught.value)
    assert "5ecre7" not in repr(address)
