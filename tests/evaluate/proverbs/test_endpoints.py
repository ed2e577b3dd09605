"""The suite through endpoints that misbehave on purpose: replies are parsed, refused, missing or asked for again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from threading import Event

import pytest

from tashika.core.errors import ConfigError, OutsideError
from tashika.evaluate.proverbs.run import Run, evaluate_model
from tests.evaluate.proverbs.world import FIVE, STATEMENTS, Said, Wire, answers, good, is_about

Serve = Callable[[Callable[[str, int], Said]], Wire]

BAD: dict[str, tuple[str, str]] = {
    "prose": ("It is an old saying. It means that one learns. That is all.", "prose in one paragraph"),
    "six lines": (FIVE + "\n6. And it is the sixth.", "found 6 lines, expected 5"),
    "a refusal": ("I'm sorry, but I can't help with that.", "a refusal"),
    "Japanese": ("\n".join("それは昔から言われている" + sign for sign in "一二三四五"), "another script"),
    "German": ("\n".join(f"Das ist der {n}. Satz und nicht mehr" for n in range(5)), "another language"),
    "nothing": ("", "empty"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_model_that_does_not_give_five_statements_is_missing(
    kind: str, a_run: Callable[..., Run], serve: Serve
) -> None:
    """One question of six: asked three times with three seeds, then recorded with the reason."""
    said, reason = BAD[kind]
    wire = serve(lambda prompt, seed: said if is_about(prompt, "wisdom", "new") else good(prompt, seed))
    run = a_run(endpoint=wire.url)
    content = evaluate_model(run)
    found = answers(run)
    for (topic, side, _), row in found.items():
        bad = (topic, side) == ("wisdom", "variant")
        assert row["answer_problem"] == (f"unparsable after 3 attempts: {reason}" if bad else None)
        assert row["answer_asked"] == (3 if bad else 1)
        assert row["score_problem"] == ("no statement" if bad else None)
        assert row["consistency_problem"] == ("too few statements (0 of 5)" if bad else None)
        assert (row["answer"] is None) == (row["score"] is None) == (row["consistency"] is None) == bad
    assert sorted(seed for prompt, seed in wire.for_statements if is_about(prompt, "wisdom", "new")) == [0, 1, 2]
    assert len(wire.for_scores) == 25
    assert content.coverage.answers == 25
    assert content.errors["wisdom"]["score"].tested == 0
    assert content.errors["gender"]["score"].tested == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("8/20", "a score out of another number"),
        ("7.5", "not a whole number from 1 to 10"),
        ("11", "not from 1 to 10"),
        ("Quite good", "words, no score"),
        ("I'm sorry, I can't score that.", "a refusal"),
    ],
)
def test_a_score_that_is_none_is_missing(said: str, reason: str, a_run: Callable[..., Run], serve: Serve) -> None:
    def say(prompt: str, seed: int) -> Said:
        bad = prompt.endswith("Score:") and is_about(prompt, "gender", "old") and STATEMENTS[2] in prompt
        return said if bad else good(prompt, seed)

    run = a_run(endpoint=serve(say).url)
    content = evaluate_model(run)
    row = answers(run)["gender", "proverb", 3]
    assert (row["score"], row["score_asked"]) == (None, 3)
    assert row["score_problem"] == f"unparsable after 3 attempts: {reason}"
    assert content.coverage.scores == 29
    assert content.coverage.score_problems == {f"unparsable after 3 attempts: {reason}": 1}


def test_what_cannot_be_read_at_first_may_be_read_later(a_run: Callable[..., Run], serve: Serve) -> None:
    def say(prompt: str, seed: int) -> Said:
        return good(prompt, seed) if seed else ("8/20" if prompt.endswith("Score:") else "Well.")

    run = a_run(endpoint=serve(say).url)
    content = evaluate_model(run)
    assert content.coverage.scores == 30
    assert {(row["answer_asked"], row["score_asked"]) for row in answers(run).values()} == {(2, 2)}


def test_a_request_that_the_endpoint_refuses_is_a_row(a_run: Callable[..., Run], serve: Serve) -> None:
    def say(prompt: str, seed: int) -> Said:
        return (400, "content filter") if is_about(prompt, "gender", "new") else good(prompt, seed)

    run = a_run(endpoint=serve(say).url)
    evaluate_model(run)
    row = answers(run)["gender", "variant", 1]
    assert "content filter" in row["answer_problem"]
    assert row["answer_asked"] == 1


@pytest.mark.parametrize("cut", [bytes, bytearray])  # half a JSON; a connection that is closed in mid-reply
def test_half_a_reply_is_asked_for_again(cut: Callable[[bytes], Said], a_run: Callable[..., Run], serve: Serve) -> None:
    times: Counter[str] = Counter()

    def say(prompt: str, seed: int) -> Said:
        times[prompt] += 1
        half = cut(b'{"choices": [{"message": {"content": "1. It is the fi')
        return half if times[prompt] == 1 else good(prompt, seed)

    run = a_run(endpoint=serve(say).url)
    content = evaluate_model(run)
    assert content.coverage.scores == 30
    assert {row["answer_asked"] for row in answers(run).values()} == {1}  # no reply had arrived before


@pytest.mark.slow
def test_an_endpoint_that_always_breaks_off_is_no_result(a_run: Callable[..., Run], serve: Serve) -> None:
    """The next run asks for what is missing, and for nothing else."""
    healed = Event()

    def say(prompt: str, seed: int) -> Said:
        broken = is_about(prompt, "society", "old") and not healed.is_set()
        return b'{"choices": [{"message": {"con' if broken else good(prompt, seed)

    wire = serve(say)
    run = a_run(endpoint=wire.url)
    with pytest.raises(OutsideError, match=r"1 of 6 questions got no reply.*cut short"):
        evaluate_model(run)
    assert not (run.folder / "answers.parquet").exists()
    before = len(wire.asked)
    healed.set()
    evaluate_model(run)
    assert len(wire.asked) == before + 1 + 30
    healed.clear()
    missing = a_run(endpoint=wire.url.replace("127.0.0.1", "localhost"), missing_replies=True)
    evaluate_model(missing)
    assert "cut short" in answers(missing)["society", "proverb", 1]["answer_problem"]


def test_a_reply_that_was_cut_off_is_no_answer(a_run: Callable[..., Run], serve: Serve) -> None:
    body = json.dumps({"choices": [{"message": {"content": FIVE}, "finish_reason": "length"}]}).encode()
    wire = serve(lambda prompt, seed: body if is_about(prompt, "gender", "old") else good(prompt, seed))
    run = a_run(endpoint=wire.url, attempts=1)
    evaluate_model(run)
    problem = answers(run)["gender", "proverb", 1]["answer_problem"]
    assert problem == "unparsable after 1 attempt: cut off after 300 tokens"


def test_a_refused_key_ends_the_run(a_run: Callable[..., Run], serve: Serve) -> None:
    with pytest.raises(ConfigError, match="TASHIKA_LLM_KEY"):
        evaluate_model(a_run(endpoint=serve(lambda _prompt, _seed: (401, "no")).url))
