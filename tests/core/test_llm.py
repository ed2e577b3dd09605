from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.core.errors import ConfigError, InputError, OutsideError, TashikaError
from tashika.core.files import write_json
from tashika.core.llm import KEY_VARIABLE, Cost, Llm, LlmSettings, NoReplyError, Question, Reply, Traffic
from tashika.core.services import free_port

QUESTION = Question("Say yes.", max_tokens=5, stop="\n")


def settings(**values: Any) -> LlmSettings:
    return LlmSettings(url="", model="m", timeout=5.0, **values)


def completion(text: str) -> dict[str, Any]:
    return {"id": "1", "object": "text_completion", "created": 0, "model": "m", "choices": [{"index": 0, "text": text}]}


def chat(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [{"message": message}]}


@pytest.fixture
def llm(httpserver: HTTPServer, tmp_path: Path) -> Llm:
    return Llm(settings(), httpserver.url_for("/v1"), tmp_path, sleep=lambda _seconds: None)


def test_a_completion_is_asked_for_once(httpserver: HTTPServer, llm: Llm) -> None:
    httpserver.expect_oneshot_request("/v1/completions", method="POST").respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"
    assert llm.ask(QUESTION) == " yes"
    sent = json.loads(httpserver.log[0][0].data)
    assert sent.pop("prompt") == "Say yes."
    assert sent == {"model": "m", "max_tokens": 5, "stop": ["\n"], "temperature": 0.8, "top_p": 0.95, "seed": 0}


def test_the_same_question_a_second_time_is_another_request(httpserver: HTTPServer, llm: Llm) -> None:
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    llm.ask(QUESTION)
    llm.ask(Question("Say yes.", max_tokens=5, stop="\n", number=1))
    assert [json.loads(request.data)["seed"] for request, _ in httpserver.log] == [0, 1]


def test_a_chat_model_gets_the_instruction_apart(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat("yes"))
    llm = Llm(settings(api="chat"), httpserver.url_for("/v1"), tmp_path)
    assert llm.ask(Question("Are you?", max_tokens=5, system="Be brief.")) == "yes"
    assert json.loads(httpserver.log[0][0].data)["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Are you?"},
    ]


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
    httpserver: HTTPServer, llm: Llm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    llm.ask(QUESTION)
    assert httpserver.log[0][0].headers["Authorization"] == "Bearer sk-secret"
    assert all("sk-secret" not in path.read_text() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(httpserver: HTTPServer, llm: Llm, status: int) -> None:
    httpserver.expect_oneshot_request("/v1/completions").respond_with_json(
        {"error": {"message": "busy"}}, status=status
    )
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"


def test_the_half_line_at_the_end_of_a_reply_that_was_cut_off_is_dropped(httpserver: HTTPServer, llm: Llm) -> None:
    reply = completion("[X] is [Y].\n[X] is cal")
    reply["choices"][0]["finish_reason"] = "length"
    httpserver.expect_request("/v1/completions").respond_with_json(reply)
    assert llm.ask(QUESTION) == "[X] is [Y]."
    assert llm.reply(QUESTION) == llm.kept(QUESTION) == Reply("[X] is [Y].\n[X] is cal", cut_off=True)
    assert len(httpserver.log) == 1


def test_a_reply_from_an_older_cache_counts_as_whole(llm: Llm) -> None:
    assert llm.kept(QUESTION) is None
    request = llm.request(QUESTION)
    write_json(llm.cache.path(request), {"request": request, "reply": "yes\nno"})
    assert llm.reply(QUESTION) == Reply("yes\nno")


def test_a_reply_that_is_no_text_is_asked_for_again(httpserver: HTTPServer, llm: Llm) -> None:
    httpserver.expect_oneshot_request("/v1/completions").respond_with_data(b"\xff\xfe", content_type="application/json")
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"


def test_429_for_ever(httpserver: HTTPServer, llm: Llm, tmp_path: Path) -> None:
    httpserver.expect_request("/v1/completions").respond_with_json({"error": {"message": "slow down"}}, status=429)
    with pytest.raises(OutsideError, match=r"status 429: .*gave up after 5 attempts"):
        llm.ask(QUESTION)
    assert not list(tmp_path.rglob("*.json"))


def test_half_a_json_is_asked_for_again(httpserver: HTTPServer, llm: Llm) -> None:
    half = json.dumps(completion(" yes"))[:40]
    httpserver.expect_oneshot_request("/v1/completions").respond_with_data(half, content_type="application/json")
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"


def test_a_connection_that_breaks_off_is_tried_again(httpserver: HTTPServer, llm: Llm) -> None:
    def cut_short(_request: Request) -> Response:
        return Response('{"choi', headers={"Content-Length": "500"}, content_type="application/json")

    httpserver.expect_oneshot_request("/v1/completions").respond_with_handler(cut_short)
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"


@pytest.mark.parametrize(
    ("body", "status", "error", "message"),
    [
        ("<html>Welcome to nginx</html>", 200, OutsideError, "answers with a web page"),
        ('{"object": "list"}', 200, OutsideError, "not a completion"),
        ('{"choices": []}', 200, NoReplyError, "not a completion"),
        ('{"choices": ["yes"]}', 200, NoReplyError, "not a completion"),
        ('{"choices": [{"text": ["yes"]}]}', 200, NoReplyError, "not a completion"),
        ("[]", 200, NoReplyError, "not a completion"),
        ('{"error": {"message": "bad key"}}', 401, ConfigError, f"Set {KEY_VARIABLE}"),
        ('{"error": {"message": "no such model"}}', 404, ConfigError, "no such model\n.*Check the model's name"),
        ('{"error": {"message": "no credit"}}', 402, OutsideError, "requires payment .*no credit"),
        ('{"error": {"message": "context too long"}}', 400, InputError, "refuses the request .*context too long"),
    ],
)
def test_what_cannot_pass_is_said_at_once(
    httpserver: HTTPServer, llm: Llm, body: str, status: int, error: type[TashikaError], message: str
) -> None:
    kind = "text/html" if body.startswith("<") else "application/json"
    httpserver.expect_request("/v1/completions").respond_with_data(body, status=status, content_type=kind)
    with pytest.raises(error, match=message):
        llm.ask(QUESTION)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ('{"choices": [{"te', 200, "cut short"),
        ('{"error": {"message": "CUDA assert"}}', 500, "status 500: .*CUDA assert"),
    ],
)
def test_what_is_spoilt_each_time_may_be_the_questions_fault(
    httpserver: HTTPServer, llm: Llm, body: str, status: int, message: str
) -> None:
    httpserver.expect_request("/v1/completions").respond_with_data(body, status=status, content_type="application/json")
    with pytest.raises(NoReplyError, match=f"{message}.*gave up after 5 attempts"):
        llm.reply(QUESTION)
    assert len(httpserver.log) == 5
    assert llm.kept(QUESTION) is None


@pytest.mark.parametrize(("status", "after"), [(503, None), (500, "1")])
def test_a_server_that_is_overloaded_for_ever_is_not_the_questions_fault(
    httpserver: HTTPServer, llm: Llm, status: int, after: str | None
) -> None:
    headers = {"Retry-After": after} if after else {}
    httpserver.expect_request("/v1/completions").respond_with_data("{}", status=status, headers=headers)
    with pytest.raises(OutsideError, match=f"status {status}") as caught:
        llm.reply(QUESTION)
    assert not isinstance(caught.value, NoReplyError)


def test_one_that_was_stopped_asks_nothing_more(httpserver: HTTPServer, llm: Llm) -> None:
    llm.stop()
    with pytest.raises(OutsideError, match="no more is asked"):
        llm.reply(QUESTION)
    assert not httpserver.log


def test_an_endpoint_that_is_down(tmp_path: Path) -> None:
    llm = Llm(settings(), f"http://127.0.0.1:{free_port()}/v1", tmp_path, sleep=lambda _seconds: None)
    with pytest.raises(OutsideError, match="the endpoint is down"):
        llm.ask(QUESTION)


def test_cost_is_told_before_anything_is_sent() -> None:
    # 8 characters / 4 + 1 = 3 tokens sent and 5 received, each a million times over for the price.
    assert QUESTION.cost == Cost(1, 3, 5)
    told = (QUESTION.cost * 1_000_000).describe(settings(price_in=10.0, price_out=30.0))
    assert "1,000,000 requests" in told
    assert "180.00" in told


def test_the_requests_are_counted(httpserver: HTTPServer, llm: Llm) -> None:
    """An attempt that failed was sent; a reply that is kept was not."""
    assert llm.traffic.describe() == ""
    httpserver.expect_oneshot_request("/v1/completions").respond_with_json({"error": {"message": "busy"}}, status=503)
    httpserver.expect_request("/v1/completions").respond_with_json(completion(" yes"))
    llm.ask(QUESTION)
    llm.ask(QUESTION)
    assert llm.traffic.describe().startswith("requests: 2 sent, 1 answered (")


def test_the_rate_counts_from_the_first_request() -> None:
    now = iter([100.0, 110.0, 130.0])  # the first request, and both times that it is told
    traffic = Traffic(lambda: next(now))
    traffic.send()
    traffic.send()
    assert traffic.describe() == "requests: 2 sent, 0 answered"
    for _ in range(4):
        traffic.receive()
    assert traffic.describe() == "requests: 2 sent, 4 answered (8.0 a minute)"


def test_key_and_login_of_an_address_are_sent_apart_and_shown_nowhere(httpserver: HTTPServer, tmp_path: Path) -> None:
    address = httpserver.url_for("/v1").replace("http://", "http://me:SECRET@") + "?apikey=SECRET"
    llm = Llm(settings(), address, tmp_path, sleep=lambda _seconds: None)
    httpserver.expect_oneshot_request(
        "/v1/completions", headers={"Authorization": "Basic bWU6U0VDUkVU"}, query_string="apikey=SECRET"
    ).respond_with_json(completion(" yes"))
    assert llm.ask(QUESTION) == " yes"
    httpserver.expect_request("/v1/completions").respond_with_data("no", status=404)
    with pytest.raises(ConfigError) as caught:
        llm.ask(Question("Say no.", max_tokens=5))
    assert "SECRET" not in str(caught.value)
    assert not [path for path in tmp_path.rglob("*.json") if "SECRET" in path.read_text()]


@pytest.mark.parametrize("escape", [r"\ud83d", r"\ude00", r"\ude00\ud83d"])
def test_half_a_character_of_a_reply_is_mended_and_the_reply_kept(
    httpserver: HTTPServer, llm: Llm, escape: str
) -> None:
    body = json.dumps(completion("yes ESCAPE!")).replace("ESCAPE", escape)
    httpserver.expect_oneshot_request("/v1/completions").respond_with_data(body, content_type="application/json")
    mended = "yes " + "\ufffd" * escape.count("u") + "!"
    assert llm.ask(QUESTION) == mended
    assert llm.ask(QUESTION) == mended


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, "9" * 5_000])
def test_a_reply_that_no_reader_takes_is_an_error_of_this_question(httpserver: HTTPServer, llm: Llm, text: str) -> None:
    body = json.dumps(completion("x"))[:-1] + f', "beside": {text}}}'
    httpserver.expect_request("/v1/completions").respond_with_data(body, content_type="application/json")
    with pytest.raises(NoReplyError, match="not whole JSON"):
        llm.ask(QUESTION)


def test_a_key_that_no_header_takes_is_an_error(llm: Llm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "SECRÉT")
    with pytest.raises(ConfigError, match="beyond ASCII as its character 5"):
        llm.ask(QUESTION)
