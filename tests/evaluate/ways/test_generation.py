"""Asking an endpoint: against real servers that behave, and that do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Barrier, Event, Lock
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.core.errors import ConfigError, InputError, OutsideError, TashikaError
from tashika.core.llm import Cost, Llm, LlmSettings, NoReplyError, Question, Reply
from tashika.core.services import free_port
from tashika.evaluate.ways.generation import ALIKE_FAILURES, Endpoint, Unparsable, ask_all, cost

Body = dict[str, Any]
Said = str | tuple[int, Any]
"""What the server says: a completion's text, or a status and a body."""


class Server:
    """An OpenAI-compatible endpoint that says to each prompt what the test's function says."""

    def __init__(self, server: HTTPServer, say: Callable[[str, int], Said]) -> None:
        self.url = server.url_for("/v1")
        self.prompts: list[str] = []
        self._say = say
        server.clear()
        server.expect_request("/v1/completions").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        body: Body = json.loads(request.data)
        self.prompts.append(body["prompt"])
        said = self._say(body["prompt"], body["seed"])
        status, content = said if isinstance(said, tuple) else (200, {"choices": [{"text": said}]})
        return Response(json.dumps(content), status=status, content_type="application/json")


@pytest.fixture(scope="module")
def running() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        yield server


@pytest.fixture
def serve(running: HTTPServer) -> Callable[[Callable[[str, int], Said]], Server]:
    return lambda say: Server(running, say)


Serve = Callable[[Callable[[str, int], Said]], Server]


def endpoint(url: str, cache: Path, **values: Any) -> Endpoint:
    return Endpoint(Llm(LlmSettings(model="m", timeout=30.0, **values), url, cache, sleep=lambda _seconds: None))


def ask(*prompts: str, number: int = 0) -> list[Question]:
    return [Question(prompt, max_tokens=8, number=number) for prompt in prompts]


def refused(reason: str) -> Said:
    return 400, {"error": {"message": reason}}


def integer(text: str) -> int:
    if not text.strip().isdigit():
        raise Unparsable(f"expected one integer, found {text!r}")
    return int(text)


def test_answers_stand_in_the_order_of_the_questions_and_equal_ones_are_asked_once(
    serve: Serve, tmp_path: Path
) -> None:
    first_waits = Event()

    def say(prompt: str, _seed: int) -> Said:
        if prompt == "slow":
            first_waits.wait(30)
        else:
            first_waits.set()
        return f" {prompt}!"

    server = serve(say)
    answers = ask_all(endpoint(server.url, tmp_path), ask("slow", "a", "b", "a", "slow"), str.strip)
    assert [answer.value for answer in answers] == ["slow!", "a!", "b!", "a!", "slow!"]
    assert [answer.reply for answer in answers][:2] == [" slow!", " a!"]
    assert sorted(server.prompts) == ["a", "b", "slow"]


def test_as_many_requests_are_under_way_as_the_settings_say(serve: Serve, tmp_path: Path) -> None:
    together, lock = Barrier(3), Lock()
    under_way, most = 0, 0

    def say(_prompt: str, _seed: int) -> Said:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait(30)  # passes only when three have come
        with lock:
            under_way -= 1
        return "1"

    server = serve(say)
    answers = ask_all(endpoint(server.url, tmp_path, concurrency=3), ask(*"abcdefghi"), integer)
    assert [answer.value for answer in answers] == [1] * 9
    assert most == 3


def test_what_cannot_be_read_is_asked_again_with_another_seed(serve: Serve, tmp_path: Path) -> None:
    said = {("a", 0): "8/10", ("a", 1): "I would say 8.", ("a", 2): " 8\n", ("b", 0): "3", ("c", 0): "", ("c", 1): "x"}
    server = serve(lambda prompt, seed: said.get((prompt, seed), "never"))
    a, b, c = ask_all(endpoint(server.url, tmp_path), ask("a", "b", "c"), integer, attempts=3)
    assert (a.value, a.asked, a.reply, a.problem, a.question.number) == (8, 3, " 8\n", None, 2)
    assert (b.value, b.asked) == (3, 1)
    assert (c.value, c.asked, c.reply) == (None, 3, "never")
    assert c.problem == "unparsable after 3 attempts: expected one integer, found 'never'"
    assert len(server.prompts) == 3 + 1 + 3


def test_a_second_attempt_is_never_another_questions_first(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _prompt, seed: "prose" if seed == 0 else str(seed))
    questions = [*ask("a"), *ask("a", number=1)]
    answers = ask_all(endpoint(server.url, tmp_path), questions, integer, attempts=2)
    assert [answer.value for answer in answers] == [2, 1]  # not 1 and 1: five samples must be five


def test_each_question_may_have_a_reading_of_its_own(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _prompt, _seed: "7")
    answers = ask_all(endpoint(server.url, tmp_path), ask("a", "a"), [integer, lambda text: 10 * integer(text)])
    assert [answer.value for answer in answers] == [7, 70]
    assert server.prompts == ["a"]
    with pytest.raises(ValueError, match="1 parsers for 2 questions"):
        ask_all(endpoint(server.url, tmp_path), ask("a", "a"), [integer])


def test_a_reply_that_was_cut_off_is_no_answer_unless_it_may_be(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _prompt, _seed: (200, {"choices": [{"text": "1", "finish_reason": "length"}]}))
    model = endpoint(server.url, tmp_path)
    (strict,), (lenient,) = (ask_all(model, ask("a"), integer, whole=whole) for whole in (True, False))
    assert (strict.value, strict.reply) == (None, "1")
    assert strict.problem == "unparsable after 1 attempt: cut off after 8 tokens"
    assert (lenient.value, lenient.problem) == (1, None)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (refused("maximum context length is 4096 tokens"), "refuses the request .400.: .*maximum context length"),
        ((200, {"object": "list"}), "not a completion"),
        ((500, {"error": {"message": "assertion failed"}}), "status 500: .*assertion failed.*gave up after 5"),
    ],
)
def test_one_question_that_fails_is_a_row(serve: Serve, tmp_path: Path, said: Said, problem: str) -> None:
    server = serve(lambda prompt, _seed: said if prompt == "bad" else "1")
    good, bad, last = ask_all(endpoint(server.url, tmp_path), ask("good", "bad", "last"), integer, attempts=3)
    assert (good.value, last.value, bad.value, bad.reply) == (1, 1, None, None)
    assert bad.asked == 1
    assert bad.problem
    assert re.search(problem, bad.problem)


def test_the_last_reply_is_told_when_the_next_attempt_fails(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _prompt, seed: refused("content filter") if seed else "prose")
    (answer,) = ask_all(endpoint(server.url, tmp_path), ask("a"), integer, attempts=3)
    assert (answer.reply, answer.asked) == ("prose", 2)
    assert "content filter" in (answer.problem or "")


def test_a_wrong_setting_ends_the_run_and_different_refusals_do_not(serve: Serve, tmp_path: Path) -> None:
    questions = ask(*map(str, range(ALIKE_FAILURES + 5)))
    server = serve(lambda _prompt, _seed: refused("max_tokens is not supported"))
    with pytest.raises(InputError, match=rf"max_tokens is not supported; {ALIKE_FAILURES} questions in a row"):
        ask_all(endpoint(server.url, tmp_path), questions, integer)
    server = serve(lambda prompt, _seed: refused(f"{prompt}0000 tokens are too many"))
    assert all(answer.problem for answer in ask_all(endpoint(server.url, tmp_path), questions, integer))
    # Once something was answered, refusals in the same words are the questions' own (a content filter's, say).
    server = serve(lambda prompt, _seed: "1" if prompt == "0" else refused("filtered"))
    answers = ask_all(endpoint(server.url, tmp_path, concurrency=1), questions, integer)
    assert [answer.value for answer in answers] == [1] + [None] * (len(questions) - 1)


def test_an_endpoint_that_fails_at_one_question_after_the_other_ends_the_run(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda prompt, _seed: "1" if prompt == "0" else (200, {"broken": prompt}))
    with pytest.raises(NoReplyError, match=f"{ALIKE_FAILURES} questions in a row"):
        ask_all(endpoint(server.url, tmp_path, concurrency=1), ask(*map(str, range(99))), integer)
    assert len(server.prompts) < 99


def test_a_refused_key_ends_the_run(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda _prompt, _seed: (401, {"error": {"message": "bad key"}}))
    with pytest.raises(ConfigError, match="TASHIKA_LLM_KEY"):
        ask_all(endpoint(server.url, tmp_path, concurrency=1), ask(*map(str, range(99))), integer)
    assert len(server.prompts) < 99


def test_an_endpoint_that_is_down_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="the endpoint is down") as caught:
        ask_all(endpoint(f"http://127.0.0.1:{free_port()}/v1", tmp_path), ask("a", "b"), integer)
    assert "What has arrived is kept" in str(caught.value)


def test_what_arrived_before_the_end_is_not_asked_for_again(serve: Serve, tmp_path: Path) -> None:
    """The second question ends the run while the first is under way: its reply still arrives and is kept."""
    sent, ended = Event(), Event()

    def say(prompt: str, _seed: int) -> Said:
        if prompt == "fatal":
            sent.wait(30)
            return 401, {}
        sent.set()
        ended.wait(30)
        return "1"

    server = serve(say)
    llm = Llm(LlmSettings(model="m", concurrency=2), server.url, tmp_path)
    stop = llm.stop
    llm.stop = lambda: (stop(), ended.set())[0]  # type: ignore[method-assign]
    questions = ask("under way", "fatal", "c", "d")
    with pytest.raises(ConfigError):
        ask_all(Endpoint(llm), questions, integer)
    assert "under way" in server.prompts
    server = serve(lambda _prompt, _seed: "2")
    answers = ask_all(endpoint(server.url, tmp_path), questions, integer)
    assert answers[0].value == 1
    assert "under way" not in server.prompts


def test_ctrl_c_keeps_what_arrived(serve: Serve, tmp_path: Path) -> None:
    def interrupted(_text: str) -> int:
        raise KeyboardInterrupt

    server = serve(lambda _prompt, _seed: "1")
    prompts = [f"{number:02}" for number in range(50)]
    with pytest.raises(KeyboardInterrupt):
        ask_all(endpoint(server.url, tmp_path, concurrency=1), ask(*prompts), interrupted)
    assert 1 <= len(server.prompts) < 50
    assert [answer.value for answer in ask_all(endpoint(server.url, tmp_path), ask(*prompts), integer)] == [1] * 50
    assert sorted(server.prompts) == prompts  # each once, over both runs
    ask_all(endpoint(server.url, tmp_path), ask(*prompts), integer)
    assert len(server.prompts) == 50


KILLED = """
import sys
from pathlib import Path
from tashika.core.llm import Llm, LlmSettings, Question
from tashika.evaluate.ways.generation import Endpoint, ask_all
llm = Llm(LlmSettings(model="m", concurrency=1), sys.argv[1], Path(sys.argv[2]))
ask_all(Endpoint(llm), [Question(prompt, max_tokens=8) for prompt in "abcdef"], str)
"""


def test_a_killed_run_resumes_where_it_stopped(serve: Serve, tmp_path: Path) -> None:
    reached, killed = Event(), Event()

    def say(prompt: str, _seed: int) -> Said:
        if prompt == "d" and not killed.is_set():
            reached.set()
            killed.wait(60)
        return "1"

    server = serve(say)
    process = subprocess.Popen([sys.executable, "-c", KILLED, server.url, str(tmp_path)], stderr=subprocess.DEVNULL)
    try:
        assert reached.wait(60)
    finally:
        process.kill()
        process.wait()
    killed.set()
    assert server.prompts == list("abcd")
    answers = ask_all(endpoint(server.url, tmp_path, concurrency=1), ask(*"abcdef"), integer)
    assert [answer.value for answer in answers] == [1] * 6
    assert server.prompts == [*"abcd", *"def"]


def test_the_cost_is_told_first_and_counts_what_is_left(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []

    def say(prompt: str, seed: int) -> Said:
        told.append(capsys.readouterr().err)
        return "prose" if (prompt, seed) == ("b", 0) else "1"

    server = serve(say)
    model = endpoint(server.url, tmp_path, concurrency=1, price_in=1e6, price_out=2e6)
    # A prompt of one character counts as one token (1 // 4 + 1), its reply as eight: 17 at these prices.
    assert cost(model, ask("a", "a"), integer, attempts=3) == Cost(3, 3, 24)
    ask_all(model, ask("a"), integer, attempts=3, title="scores")
    assert "scores: 1 questions, at most 3 requests to m, about 3 tokens sent and 24 received" in told[0]
    assert "at most 51.00 at the stated prices" in told[0]
    # b's first reply is here and cannot be read: one more attempt may come. c may need two.
    ask_all(model, ask("b"), integer, attempts=1)
    assert cost(model, ask("a", "b", "c"), integer, attempts=2) == Cost(3, 3, 24)
    capsys.readouterr()
    ask_all(model, ask("a"), integer, title="scores")
    assert "scores: 1 questions, 1 have arrived before, nothing is left to ask" in capsys.readouterr().err


def test_what_the_answers_depend_on_leaves_out_prices_and_patience(tmp_path: Path) -> None:
    described = endpoint("http://x", tmp_path, api="chat", temperature=0.0, price_in=3.0).describe()
    assert described["model"] == "m"
    assert (described["asked"], described["api"], described["temperature"]) == ("endpoint", "chat", 0.0)
    assert not {"price_in", "price_out", "timeout", "concurrency"} & set(described)


class Backwards:
    """Answers in memory, the last question first."""

    settings = LlmSettings(model="m")

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def request(self, question: Question) -> dict[str, Any]:
        return {"prompt": question.prompt, "number": question.number}

    def kept(self, _question: Question) -> None:
        return None

    def replies(self, questions: Sequence[Question]) -> Iterator[tuple[int, Reply | TashikaError]]:
        self.questions.extend(questions)
        for place, question in reversed(list(enumerate(questions))):
            yield place, Reply(f"{question.prompt}{question.number}")

    def note(self) -> str:
        return ""

    def describe(self) -> dict[str, Any]:
        return {}


@given(prompts=st.lists(st.sampled_from("abc")), attempts=st.integers(1, 3), tries=st.integers(1, 4))
def test_any_questions_in_any_order(prompts: list[str], attempts: int, tries: int) -> None:
    """Every question gets its own reply, from the attempt that can be read first, and none is asked twice."""

    def parse(text: str) -> str:
        if int(text[1:]) < tries - 1:
            raise Unparsable("too early")
        return text

    generator = Backwards()
    answers = ask_all(generator, ask(*prompts), parse, attempts=attempts)
    assert [answer.question.prompt for answer in answers] == prompts
    for prompt, answer in zip(prompts, answers, strict=True):
        assert answer.value == (f"{prompt}{tries - 1}" if tries <= attempts else None)
        assert answer.asked == min(tries, attempts)
    assert len(generator.questions) == len(set(prompts)) * min(tries, attempts)
