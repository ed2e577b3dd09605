from __future__ import annotations

import socket
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.errors import InputError, OutsideError
from tashika.core.services import free_port

EMPTY = {"head": {"vars": []}, "results": {"bindings": []}}
JSON_TYPE = "application/sparql-results+json"


class Waits(list[float]):
    """Stands in for `time.sleep` and remembers what it was asked for."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def endpoint(httpserver: HTTPServer, tmp_path: Path, waits: Waits) -> SparqlEndpoint:
    return SparqlEndpoint(httpserver.url_for("/query"), cache=tmp_path, identity="test", sleep=waits)


def test_a_reply_is_asked_for_once(httpserver: HTTPServer, endpoint: SparqlEndpoint, tmp_path: Path) -> None:
    row = {"s": {"type": "literal", "value": "Paris", "xml:lang": "en"}}
    reply = {"head": {}, "results": {"bindings": [row]}}
    httpserver.expect_oneshot_request("/query", method="POST").respond_with_json(reply, content_type=JSON_TYPE)
    assert endpoint.select("SELECT 1") == [{"s": ("Paris", "en")}]
    again = SparqlEndpoint(httpserver.url_for("/query"), cache=tmp_path, identity="test")
    assert again.select("SELECT 1") == [{"s": ("Paris", "en")}]
    assert len(httpserver.log) == 1


def test_another_snapshot_is_another_question(httpserver: HTTPServer, endpoint: SparqlEndpoint, tmp_path: Path) -> None:
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    endpoint.select("SELECT 1")
    SparqlEndpoint(httpserver.url_for("/query"), cache=tmp_path, identity="newer").select("SELECT 1")
    assert len(httpserver.log) == 2


def test_says_who_asks(httpserver: HTTPServer, endpoint: SparqlEndpoint) -> None:
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    endpoint.select("SELECT 1")
    assert httpserver.log[0][0].headers["User-Agent"].startswith("tashika/")


def test_waits_as_long_as_the_server_asks(httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits) -> None:
    httpserver.expect_oneshot_request("/query").respond_with_data(status=429, headers={"Retry-After": "7"})
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    assert endpoint.select("SELECT 1") == []
    assert waits == [7.0]


def test_gives_up_after_five_attempts(httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits) -> None:
    httpserver.expect_request("/query").respond_with_data(status=503)
    with pytest.raises(OutsideError, match="status 503; gave up after 5 attempts"):
        endpoint.select("SELECT 1")
    assert waits == sorted(waits)
    assert len(waits) == 4


@pytest.mark.parametrize(
    "body", ['{"head": {"vars": ["s"]}, "results": {"bindings": [{"s"', '{"results": {"bindings": []}} timeout']
)
def test_half_a_json_is_asked_for_again(httpserver: HTTPServer, endpoint: SparqlEndpoint, body: str) -> None:
    httpserver.expect_oneshot_request("/query").respond_with_data(body, content_type=JSON_TYPE)
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    assert endpoint.select("SELECT 1") == []


def test_a_page_with_status_200_is_no_reply(httpserver: HTTPServer, endpoint: SparqlEndpoint, tmp_path: Path) -> None:
    page = "<html><body>Please respect our robot policy</body></html>"
    httpserver.expect_request("/query").respond_with_data(page, content_type="text/html")
    with pytest.raises(OutsideError, match="not SPARQL JSON"):
        endpoint.select("SELECT 1")
    assert not list(tmp_path.rglob("*.json")), "a failure must not be kept as a reply"


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (400, InputError, "refuses the query"),
        (401, InputError, "wants credentials"),
        (404, InputError, "no endpoint at this address"),
        (403, OutsideError, "status 403"),
    ],
)
def test_refusals_are_told_apart(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, status: int, error: type[Exception], message: str
) -> None:
    httpserver.expect_request("/query").respond_with_data("no", status=status)
    with pytest.raises(error, match=message):
        endpoint.select("SELECT 1")
    assert len(httpserver.log) == 1


def test_a_connection_that_breaks_off_is_tried_again(httpserver: HTTPServer, endpoint: SparqlEndpoint) -> None:
    def cut_short(_request: Request) -> Response:
        return Response('{"head"', headers={"Content-Length": "1000", "Connection": "close"}, content_type=JSON_TYPE)

    httpserver.expect_oneshot_request("/query").respond_with_handler(cut_short)
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    assert endpoint.select("SELECT 1") == []


def test_an_endpoint_that_is_down(tmp_path: Path) -> None:
    endpoint = SparqlEndpoint(f"http://127.0.0.1:{free_port()}/query", cache=tmp_path, identity="test")
    with pytest.raises(OutsideError, match="the endpoint is down") as caught:
        endpoint.select("SELECT 1")
    assert "snapshot that comes with Tashika" in str(caught.value)


def test_a_silent_endpoint_times_out(tmp_path: Path, waits: Waits) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/query"
        endpoint = SparqlEndpoint(url, cache=tmp_path, identity="test", timeout=1, sleep=waits)
        with pytest.raises(OutsideError, match="cut short"):
            endpoint.select("SELECT 1")
