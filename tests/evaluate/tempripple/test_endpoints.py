"""TempRIPPLE at endpoints: answers in words, replies that fail or are slow, and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest

from tashika.core.errors import ConfigError, OutsideError
from tashika.core.llm import Llm
from tashika.core.workspace import Workspace
from tashika.evaluate import systems
from tashika.evaluate.tempripple.metrics_model import Coverage
from tashika.evaluate.tempripple.questions import in_order
from tashika.evaluate.tempripple.run import announced_cost, evaluate_model
from tashika.evaluate.tempripple.settings import Way
from tests.evaluate.tempripple.runs import CONTEXT, ROWS, a_run, a_workspace, predictions

Said = str | tuple[int, str]
Serve = Callable[[Callable[[str], Said]], Any]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "work")


@pytest.fixture
def serve(chat: Serve, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """See `conftest.Chat`; nobody waits before another attempt."""
    monkeypatch.setattr(systems, "Llm", partial(Llm, sleep=lambda _seconds: None))
    return chat


def number_of(prompt: str) -> int:
    return next(number for number, row in enumerate(ROWS) if f"{row[4]}\nA." in prompt)


def is_with_context(prompt: str) -> bool:
    return any(prompt.startswith(context) for context in CONTEXT.values())


def right(prompt: str) -> str:
    return "ABCD"[ROWS[number_of(prompt)][5]]


def test_an_endpoint_that_answers_well(workspace: Workspace, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASHIKA_LLM_KEY", "secret-key")
    forms = ["{}", "{}.", "({})", "Answer: {}", "**{}**", "{})", "[{}]"]
    chat = serve(lambda prompt: forms[number_of(prompt)].format(right(prompt)))
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url)
    content = evaluate_model(run)
    assert chat.keys == {"Bearer secret-key"}
    assert {(body["model"], body["temperature"]) for body in chat.asked} == {("m", 0.0)}
    assert len(chat.asked) == 2 * len(ROWS)
    system, user = chat.asked[0]["messages"]
    assert (system["role"], system["content"]) == ("system", run.settings.system)
    assert user["content"].endswith("\nA. Paris\nB. Berlin\nC. Tbilisi\nD. City of Light\n>")
    found = predictions(run)
    for number, row in enumerate(ROWS):
        for with_context in (False, True):
            one = found[f"q{number}", with_context]
            assert (one["chosen"], one["correct"], one["problem"], one["scores"]) == (row[5], True, None, None)
            assert one["reply"] == forms[number].format("ABCD"[row[5]])
    assert {cell.accuracy for cell in content.cells} == {1.0}
    assert content.model.kind == "chat"
    assert content.model.endpoint == chat.url
    assert "secret-key" not in "".join(path.read_text() for path in run.folder.glob("*.json"))


def test_replies_that_are_no_answer_are_counted_apart(workspace: Workspace, serve: Serve) -> None:
    """By hand: of the three new facts, without context one is right and one refused, with context all are A."""
    said = {0: "A", 1: "A and B", 2: "The answer is D.", 3: "I cannot tell.", 4: "", 5: "B) Berlin", 6: "E"}
    chat = serve(lambda prompt: "A" if is_with_context(prompt) else said[number_of(prompt)])
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url)
    content = evaluate_model(run)
    found = predictions(run)
    once = "unparsable after 1 attempt: "
    reasons = {1: "two letters", 2: "prose", 3: "prose", 4: "empty", 6: "no such letter"}
    for number in range(len(ROWS)):
        row = found[f"q{number}", False]
        assert row["problem"] == (once + reasons[number] if number in reasons else None)
        assert row["reply"] == said[number]
        assert (row["chosen"] is None) == (row["correct"] is None) == (number in reasons)
    assert content.coverage.asked == 14
    assert content.coverage.answered == 9
    assert content.coverage.problems == {
        once + "prose": 2,
        once + "two letters": 1,
        once + "empty": 1,
        once + "no such letter": 1,
    }
    cells = {(cell.task, cell.with_context): cell for cell in content.cells}
    without, with_context = cells["new", False], cells["new", True]
    assert (without.n, without.answered, without.accuracy) == (3, 2, 0.5)  # q0 right, q5 wrong
    assert (with_context.n, with_context.answered) == (3, 3)
    assert with_context.accuracy == pytest.approx(1 / 3)


def test_what_is_no_answer_may_be_asked_again(workspace: Workspace, serve: Serve) -> None:
    times: Counter[str] = Counter()

    def say(prompt: str) -> str:
        times[prompt] += 1
        return "Well, B" if times[prompt] == 1 else "B"

    chat = serve(say)
    content = evaluate_model(a_run(workspace, "m", Way("chat"), endpoint=chat.url, attempts=2))
    assert content.coverage == Coverage(asked=14, answered=14, problems={})
    assert len(chat.asked) == 28


def test_an_endpoint_that_fails_at_times(workspace: Workspace, serve: Serve) -> None:
    """A status 500 once is asked again. One that stays is no answer of the model's: the next run asks for it."""
    times: Counter[str] = Counter()
    healed = Event()

    def say(prompt: str) -> Said:
        times[prompt] += 1
        broken = number_of(prompt) == 2 and not is_with_context(prompt) and not healed.is_set()
        return (500, "assertion failed") if broken or times[prompt] == 1 else right(prompt)

    chat = serve(say)
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url)
    with pytest.raises(OutsideError, match=r"1 of 14 questions got no reply.*status 500"):
        evaluate_model(run)
    before = len(chat.asked)
    healed.set()
    content = evaluate_model(run)
    assert len(chat.asked) == before + 1
    assert content.coverage == Coverage(asked=14, answered=14, problems={})
    assert {cell.accuracy for cell in content.cells} == {1.0}


def test_replies_may_be_missing_where_the_settings_say_so(workspace: Workspace, serve: Serve) -> None:
    def say(prompt: str) -> Said:
        broken = number_of(prompt) == 2 and not is_with_context(prompt)
        return (500, "assertion failed") if broken else right(prompt)

    run = a_run(workspace, "m", Way("chat"), endpoint=serve(say).url, missing_replies=True)
    content = evaluate_model(run)
    row = predictions(run)["q2", False]
    assert (row["chosen"], row["reply"]) == (None, None)
    assert "status 500" in row["problem"]
    assert content.coverage.answered == 13


def test_an_endpoint_that_is_slow_half_of_the_time(workspace: Workspace, serve: Serve) -> None:
    """What waits is answered after the rest, and stands where it belongs."""
    fast_done, fast = Event(), Counter[str]()

    def say(prompt: str) -> Said:
        if is_with_context(prompt):
            fast_done.wait(30)
            return "A"
        fast.update([prompt])
        if len(fast) == len(ROWS):
            fast_done.set()
        return "B"

    chat = serve(say)
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url, llm={"concurrency": 14})
    evaluate_model(run)
    assert {key: row["chosen"] for key, row in predictions(run).items()} == {
        (f"q{number}", with_context): 0 if with_context else 1
        for number in range(len(ROWS))
        for with_context in (False, True)
    }


def test_what_arrived_is_not_asked_for_again(workspace: Workspace, serve: Serve) -> None:
    def until_broken(prompt: str) -> Said:
        with lock:
            answered.append(prompt)
            return (401, "no credit") if len(answered) > 5 else right(prompt)

    answered: list[str] = []
    lock = Lock()
    chat = serve(until_broken)
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url, llm={"concurrency": 1})
    with pytest.raises(ConfigError, match="TASHIKA_LLM_KEY"):
        evaluate_model(run)
    before = answered[:5]
    assert not (run.folder / "predictions.parquet").exists()
    chat = serve(right)
    content = evaluate_model(run)
    now = [body["messages"][-1]["content"] for body in chat.asked]
    assert sorted(before + now) == sorted(set(before + now))
    assert len(before + now) == 14
    assert content.coverage.answered == 14
    evaluate_model(run)
    assert len(chat.asked) == 9


def test_two_endpoints_with_models_of_one_name_do_not_share_replies(workspace: Workspace, serve: Serve) -> None:
    chat = serve(lambda _prompt: "A")
    evaluate_model(a_run(workspace, "m", Way("chat"), endpoint=chat.url))
    other = a_run(workspace, "m", Way("chat"), endpoint=chat.url.replace("127.0.0.1", "localhost"))
    evaluate_model(other)
    assert len(chat.asked) == 28


def test_the_cost_is_told_before_anything_is_sent(
    workspace: Workspace, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = serve(right)
    prices = {"price_in": 1e6, "price_out": 1e6}
    run = a_run(workspace, "m", Way("chat"), endpoint=chat.url, llm=prices, max_tokens=3, attempts=2, system="")
    cost = announced_cost(run)
    lengths = [len(run.settings.format.lettered(row)) // 4 + 1 for row in in_order(run.questions)]
    assert (cost.requests, cost.tokens_in, cost.tokens_out) == (28, 2 * sum(lengths), 2 * 14 * 3)
    assert chat.asked == []
    evaluate_model(run)
    assert "at most 28 requests to m" in capsys.readouterr().err
    assert announced_cost(run).requests == 0
