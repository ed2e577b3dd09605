"""Candidates of a language model: how a reply is read, when enough is enough, and what an item records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.custom.generate import Generation, llm_settings, read_reply
from tashika.builders.custom.rows import RawRow, Source
from tashika.core.custom.build_form import Generate
from tashika.core.errors import InputError
from tashika.core.llm import Llm


def form(**changes: Any) -> Generate:
    return Generate.model_validate(
        {"seeds": "s.csv", "prompt": "About {{ topic }}:", "column": "text", "api": "chat", "concurrency": 2, **changes}
    )


@pytest.mark.parametrize(
    ("changes", "reply", "expected"),
    [
        ({}, "1. One?\n\n - Two?\n", [({"text": "One?"}, None), ({"text": "Two?"}, None)]),
        ({}, "  ", [({}, "the reply is empty")]),
        ({"read": "json", "column": None}, '{"text": "One?"}', [({"text": "One?"}, None)]),
        (
            {"read": "json", "column": None},
            'Sure!\n```json\n[{"text": "One?"}, 7]\n```',
            [({"text": "One?"}, None), ({}, "found a JSON int in the reply, expected an object")],
        ),
        ({"read": "json", "column": None}, "{text: One}", [({}, "the reply is no JSON")]),
        ({"read": "json", "column": None}, "[]", [({}, "the reply holds no candidate")]),
        (
            {"read": "pattern", "column": None, "pattern": r"Q: (?P<text>.+)\nA: (?P<answer>.+)"},
            "Q: Why?\nA: So.\nQ: How?\nA: Thus.",
            [({"text": "Why?", "answer": "So."}, None), ({"text": "How?", "answer": "Thus."}, None)],
        ),
        (
            {"read": "pattern", "column": None, "pattern": r"Q: (?P<text>.+)"},
            "No.",
            [({}, "the reply holds no candidate")],
        ),
    ],
)
def test_how_a_reply_is_read(changes: dict[str, Any], reply: str, expected: list[Any]) -> None:
    assert list(read_reply(reply, form(**changes))) == expected


class Server:
    """An endpoint whose replies depend on the prompt and on how often it was asked (the seed of the sampling)."""

    def __init__(self, httpserver: HTTPServer, replies: dict[str, list[str]]) -> None:
        self.replies, self.asked = replies, []  # type: tuple[dict[str, list[str]], list[str]]
        self.url = httpserver.url_for("/v1")
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        prompt = body["messages"][-1]["content"]
        self.asked.append(prompt)
        text = self.replies[prompt][body["seed"] % 10]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return Response(
            json.dumps({"id": "1", "object": "chat.completion", "choices": [choice]}), mimetype="application/json"
        )


def generate(server: Server, folder: Path, seeds: list[dict[str, str]], **changes: Any) -> list[RawRow]:
    chosen = form(**changes)
    llm = Llm(llm_settings(chosen, server.url, "tiny"), server.url, folder)
    table = Source(
        (RawRow(f"s.csv:{line}", seed) for line, seed in enumerate(seeds, start=2)), "s.csv", "abc", texts=True
    )
    return list(Generation(chosen, table, llm).source().rows)


def test_as_many_requests_as_it_takes_and_no_more(httpserver: HTTPServer, tmp_path: Path) -> None:
    server = Server(httpserver, {"About tea:": ["One?\nOne?", "Two?\nThree?", "Four?"], "About sun:": ["A?\nB?\nC?"]})
    seeds = [{"topic": "tea"}, {"topic": "sun"}]
    rows = generate(server, tmp_path, seeds, wanted=2, keep=["topic"])
    found = [(row.where, row.values["topic"], row.values["text"], row.refused) for row in rows]
    assert found == [
        ("s.csv:2", "tea", "One?", None),
        ("s.csv:2", "tea", "One?", "repeats another candidate of its seed"),
        ("s.csv:2", "tea", "Two?", None),
        ("s.csv:3", "sun", "A?", None),
        ("s.csv:3", "sun", "B?", None),
    ]
    assert sorted(server.asked) == ["About sun:", "About tea:", "About tea:"]
    assert rows[0].generation is not None
    assert rows[0].generation["model"] == "tiny"
    again = generate(server, tmp_path, seeds, wanted=2, keep=["topic"])
    assert again == rows
    assert len(server.asked) == 3  # replies are kept


def test_each_reply_fills_a_column(httpserver: HTTPServer, tmp_path: Path) -> None:
    server = Server(httpserver, {"About tea:": [" Hot. ", "Green."], "About sun:": ["Bright.", "Bright."]})
    changes = {"read": "whole", "column": None, "into": ["first", "second"], "keep": ["topic"]}
    one, other = generate(server, tmp_path, [{"topic": "tea"}, {"topic": "sun"}], **changes)
    assert dict(one.values) == {"topic": "tea", "first": "Hot.", "second": "Green."}
    assert other.refused == "two replies are the same"


def test_the_cost_is_known_before_anything_is_sent(tmp_path: Path) -> None:
    chosen = form(wanted=2, rounds=3, max_tokens=10)
    llm = Llm(llm_settings(chosen, "http://127.0.0.1:1/v1", None), "http://127.0.0.1:1/v1", tmp_path)
    seeds = Source(iter([RawRow("s.csv:2", {"topic": "tea"})] * 2), "s.csv", None)
    cost = Generation(chosen, seeds, llm).cost()
    assert (cost.requests, cost.tokens_out) == (6, 60)


def test_a_seed_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    llm = Llm(llm_settings(form(), "http://127.0.0.1:1/v1", None), "http://127.0.0.1:1/v1", tmp_path)

    def of(seed: dict[str, str], **changes: Any) -> list[RawRow]:
        return list(
            Generation(form(**changes), Source(iter([RawRow("s.csv:2", seed)]), "s.csv", None), llm).source().rows
        )

    with pytest.raises(InputError, match=r"s.csv:2, generate.prompt: .*'topic' is undefined"):
        of({"theme": "tea"})
    with pytest.raises(InputError, match=r"s.csv:2: the seed table has no column 'level' to keep; it has topic"):
        of({"topic": "tea"}, keep=["level"])


def test_a_template_cannot_reach_code(tmp_path: Path) -> None:
    llm = Llm(llm_settings(form(), "http://127.0.0.1:1/v1", None), "http://127.0.0.1:1/v1", tmp_path)
    hostile = form(prompt="{{ topic.__class__.__mro__ }}")
    rows = Generation(hostile, Source(iter([RawRow("s.csv:2", {"topic": "tea"})]), "s.csv", None), llm).source().rows
    with pytest.raises(InputError, match="unsafe"):
        list(rows)
