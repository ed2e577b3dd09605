from __future__ import annotations

import json
import re
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.errors import InputError, OutsideError
from tashika.core.services import free_port

EMPTY: dict[str, Any] = {"head": {"vars": []}, "results": {"bindings": []}}
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


def test_waits_until_the_date_that_the_server_names(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits
) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    httpserver.expect_oneshot_request("/query").respond_with_data(status=503, headers={"Retry-After": at})
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    endpoint.select("SELECT 1")
    assert waits[0] == pytest.approx(300, abs=30)


def test_a_busy_server_that_names_no_time_is_left_alone_for_a_minute(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits
) -> None:
    httpserver.expect_oneshot_request("/query").respond_with_data(status=429)
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    endpoint.select("SELECT 1")
    assert waits == [60.0]


def test_a_server_that_wants_hours_is_told_to_the_user(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits
) -> None:
    httpserver.expect_request("/query").respond_with_data(status=429, headers={"Retry-After": "86400"})
    with pytest.raises(OutsideError, match="asks to wait 86400 s"):
        endpoint.select("SELECT 1")
    assert waits == []


def test_a_batch_that_is_too_much_is_asked_in_halves(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits
) -> None:
    """An engine that runs out of time above two terms: status 200 and half a JSON."""

    def answer(request: Request) -> Response:
        terms = re.findall(r"wd:(Q\d+)", request.form["query"].split("VALUES")[1])
        if len(terms) > 2:
            return Response('{"results": {"bindings": [', content_type=JSON_TYPE)
        rows = [{"s": {"type": "literal", "value": term}} for term in terms]
        return Response(json.dumps({"results": {"bindings": rows}}), content_type=JSON_TYPE)

    httpserver.expect_request("/query").respond_with_handler(answer)
    terms = [f"wd:Q{number}" for number in range(1, 8)]
    found = endpoint.select_batches(lambda values: f"SELECT ?s WHERE {{ VALUES ?s {{ {values} }} }}", terms, size=7)
    assert [row["s"][0] for rows in found for row in rows] == [f"Q{number}" for number in range(1, 8)]
    assert waits == []


def _up_to_two_terms(request: Request, too_much: Response) -> Response:
    """An engine that answers two terms at once, and more than two with something else."""
    terms = re.findall(r"wd:(Q\d+)", request.form["query"].split("VALUES")[1])
    if len(terms) > 2:
        return too_much
    rows = [{"s": {"type": "literal", "value": term}} for term in terms]
    return Response(json.dumps({"results": {"bindings": rows}}), content_type=JSON_TYPE)


def _values(terms: str) -> str:
    return f"SELECT ?s WHERE {{ VALUES ?s {{ {terms} }} }}"


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_batch_that_a_proxy_gives_up_on_is_asked_in_halves(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits, status: int
) -> None:
    httpserver.expect_request("/query").respond_with_handler(lambda r: _up_to_two_terms(r, Response("", status)))
    terms = [f"wd:Q{number}" for number in range(1, 5)]
    found = list(endpoint.select_batches(_values, terms, size=4))
    assert [row["s"][0] for rows in found for row in rows] == ["Q1", "Q2", "Q3", "Q4"]
    assert len(httpserver.log) == 5 + 2  # the first may have been a passing fault
    assert len(waits) == 4


def test_a_single_term_that_a_proxy_gives_up_on_is_told(httpserver: HTTPServer, endpoint: SparqlEndpoint) -> None:
    httpserver.expect_request("/query").respond_with_data(status=504)
    with pytest.raises(OutsideError, match="status 504; gave up after 5 attempts"):
        list(endpoint.select_batches(_values, ["wd:Q1", "wd:Q2"], size=2))
    assert len(httpserver.log) == 10


@pytest.mark.parametrize(
    ("status", "headers"), [(503, {"Retry-After": "0"}), (429, {"Retry-After": "0"}), (504, {"Retry-After": "9999"})]
)
def test_who_asks_to_be_left_alone_is_not_asked_in_halves(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, status: int, headers: dict[str, str]
) -> None:
    httpserver.expect_request("/query").respond_with_data(status=status, headers=headers)
    with pytest.raises(OutsideError, match=f"status {status}"):
        list(endpoint.select_batches(_values, ["wd:Q1", "wd:Q2"], size=2))
    assert len(httpserver.log) == (1 if status == 504 else 5)


def test_halving_is_told_once_a_size(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    cut = '{"results": {"bindings": ['
    httpserver.expect_request("/query").respond_with_handler(
        lambda request: _up_to_two_terms(request, Response(cut, content_type=JSON_TYPE))
    )
    terms = [f"wd:Q{number}" for number in range(1, 41)]
    list(endpoint.select_batches(_values, terms, size=8))
    told = capfd.readouterr().err.splitlines()
    assert [re.findall(r"asked for (\d+) at once", line) for line in told] == [["8"], ["4"]]
    assert "cut short" in told[0]


def test_long_waits_are_told(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    httpserver.expect_oneshot_request("/query").respond_with_data(status=429)
    httpserver.expect_oneshot_request("/query").respond_with_data(status=429, headers={"Retry-After": "5"})
    httpserver.expect_request("/query").respond_with_json(EMPTY, content_type=JSON_TYPE)
    endpoint.select("SELECT 1")
    (told,) = capfd.readouterr().err.splitlines()
    assert told == f"{httpserver.url_for('/query')}: status 429; asked to wait 60 s"


def test_a_long_wait_that_nobody_asked_for_is_told(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    httpserver.expect_request("/query").respond_with_data(status=502)
    with pytest.raises(OutsideError):
        endpoint.select("SELECT 1")
    (told,) = capfd.readouterr().err.splitlines()  # of 1, 2, 4 and 8 seconds
    assert told.endswith("status 502; trying again in 8 s")


def test_gives_up_after_five_attempts(httpserver: HTTPServer, endpoint: SparqlEndpoint, waits: Waits) -> None:
    httpserver.expect_request("/query").respond_with_data(status=502)
    with pytest.raises(OutsideError, match="status 502; gave up after 5 attempts"):
        endpoint.select("SELECT 1")
    assert waits == sorted(waits)
    assert len(waits) == 4


def test_half_a_character_in_a_label_is_named(httpserver: HTTPServer, endpoint: SparqlEndpoint) -> None:
    reply = {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "ab\ud800c"}}]}}
    httpserver.expect_request("/query").respond_with_data(json.dumps(reply), content_type=JSON_TYPE)
    with pytest.raises(OutsideError, match=r"half a character \(a lone surrogate\) in .*ab"):
        endpoint.select("SELECT ?x { ?s ?p ?x }")


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
        (401, InputError, "requires credentials"),
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


@pytest.mark.slow
def test_a_silent_endpoint_times_out(tmp_path: Path, waits: Waits) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/query"
        endpoint = SparqlEndpoint(url, cache=tmp_path, identity="test", timeout=1, sleep=waits)
        with pytest.raises(OutsideError, match="cut short"):
            endpoint.select("SELECT 1")


def test_a_login_in_the_address_is_sent_and_shown_nowhere(httpserver: HTTPServer, tmp_path: Path) -> None:
    address = httpserver.url_for("/query").replace("http://", "http://me:SECRET@") + "?apikey=SECRET"
    endpoint = SparqlEndpoint(address, cache=tmp_path, identity="test")
    httpserver.expect_oneshot_request(
        "/query", headers={"Authorization": "Basic bWU6U0VDUkVU"}, query_string="apikey=SECRET"
    ).respond_with_json(EMPTY, content_type=JSON_TYPE)
    assert endpoint.select("SELECT 1") == []
    httpserver.expect_request("/query").respond_with_data("no", status=401)
    with pytest.raises(InputError) as caught:
        endpoint.select("SELECT 2")
    assert "SECRET" not in str(caught.value)
    assert not [path for path in tmp_path.rglob("*.json") if "SECRET" in path.read_text()]


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, "9" * 5_000])
def test_a_reply_that_no_reader_takes_is_a_failure_outside(
    httpserver: HTTPServer, endpoint: SparqlEndpoint, text: str
) -> None:
    body = json.dumps(EMPTY)[:-1] + f', "beside": {text}}}'
    httpserver.expect_request("/query").respond_with_data(body, content_type=JSON_TYPE)
    with pytest.raises(OutsideError, match="is nested too deeply or has a number of thousands of digits"):
        endpoint.select("SELECT 1")
