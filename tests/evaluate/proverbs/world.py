"""A release of a few proverbs, judges with labels to choose, and an endpoint that also breaks off in mid-reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.core.records import item_id
from tashika.core.suites.proverbs.words import TOPICS
from tashika.evaluate.proverbs.records import ANSWERS
from tashika.evaluate.proverbs.run import Run

Said = str | bytes | tuple[int, str]
"""A completion's text, a body as it goes over the wire, or a status and a message. A bytearray is a body that ends long
before its length is reached: the connection is closed in mid-reply."""

STATEMENTS = tuple(f"It is the {word} thing to know." for word in ("first", "second", "third", "fourth", "fifth"))
LABELS = ("entailment", "neutral", "contradiction")
FIVE = "\n".join(f"{number}. {one}" for number, one in enumerate(STATEMENTS, 1))

SMALL: dict[str, Any] = {
    "answer": {"prompt": "{QUESTION}", "max_tokens": 4, "stop": "\n"},
    "score": {"prompt": "{QUESTION}{ANSWER}", "max_tokens": 2},
    "llm": {"api": "completions"},
}


def pair_row(topic: str, number: int) -> dict[str, Any]:
    """A pair of the release; one in a topic is told from another by its number."""
    words = (f"{topic} {number} is old", f"{topic} {number} is new")
    return {
        "item_id": item_id("proverbs", "pair", *words),
        "topic": topic,
        "proverb": words[0],
        "variant": words[1],
        "question": f"Why is it said that {words[0]}?",
        "variant_question": f"Why is it said that {words[1]}?",
    }


def write_release(folder: Path, pairs: int = 1, rows: list[dict[str, Any]] | None = None) -> Path:
    """Writes a release with so many pairs a topic."""
    rows = [pair_row(topic, number) for topic in TOPICS for number in range(pairs)] if rows is None else rows
    (folder / "pairs").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "pairs" / "test.parquet")
    (folder / "release.json").write_text(json.dumps({"version": "0.1.0", "digest": "d" * 64, "simulated": True}))
    return folder


def make_judge(folder: Path, tokenizer: str, labels: tuple[str, ...]) -> str:
    """A tiny random classifier with these labels, and a tokenizer of another tiny model."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, set_seed

    wrapped: Any = AutoTokenizer.from_pretrained(tokenizer)
    wrapped.model_max_length = 400
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}
    set_seed(1)
    config = BertConfig(vocab_size=len(wrapped), max_position_embeddings=400, **shape, **names)  # type: ignore[arg-type]
    BertForSequenceClassification(config).save_pretrained(folder)
    wrapped.save_pretrained(folder)
    return str(folder)


def answers(run: Run) -> dict[tuple[str, str, int], dict[str, Any]]:
    """By topic, side and place."""
    table = pq.read_table(run.folder / "answers.parquet")
    assert table.schema.equals(ANSWERS)
    return {(row["topic"], row["side"], row["place"]): row for row in table.to_pylist()}


def is_about(prompt: str, topic: str, word: str) -> bool:
    return f"{topic} 0 is {word}?" in prompt


def good(prompt: str, _seed: int) -> Said:
    """Five statements; the score is the statement's place, for the variant 5 to all."""
    if not prompt.endswith("Score:"):
        return FIVE
    place = next(number for number, one in enumerate(STATEMENTS, 1) if one in prompt)
    return str(2 * place) if "is old?" in prompt else "5"


def judge_info(model: str, revision: str = "rev", *, classifier: bool = True) -> dict[str, Any]:
    """What `metrics.json` says of a judge."""
    method = "sequence classifier" if classifier else "yes/no likelihood of a causal language model"
    return {
        "method": method,
        "model": model,
        "revision": revision,
        "dtype": "float32",
        "device": "cpu",
        "note": None,
    }


def metrics_of(name: str, judge: Mapping[str, Any], answers: pa.Table, revision: str = "rev-7") -> dict[str, Any]:
    """The `metrics.json` of a model with these answers."""
    from tashika.evaluate.proverbs.metrics import compute_numbers, tests

    cost = {"requests": 30, "tokens_in": 4321, "tokens_out": 60}
    prompt = {"prompt": "{QUESTION}", "max_tokens": 8, "stop": "", "api": None}
    return {
        **compute_numbers(answers, tests(answers)).model_dump(mode="json", exclude_unset=True),
        "model": {
            "name": name,
            "kind": "causal",
            "revision": revision,
            "dtype": "fp32",
            "device": "cpu",
            "note": None,
        },
        "release": {"version": "0.1.0", "digest": "d1", "simulated": False},
        "judge": dict(judge),
        "sampling": {"whole": False, "seed": 3, "limit": 2, "pairs": {"drawn": 3, "of": 1234}},
        "scoring": {
            "asking": "five",
            "scoring": "reply",
            "answer": prompt,
            "score": prompt,
            "attempts": 4,
            "missing_replies": False,
            "reader": 2,
            "sampling": {"temperature": 0.8, "seed": 7},
        },
        "seconds": {"statements": 12.34},
        "cost": {which: {"statements": cost, "scores": cost} for which in ("estimate", "asked")},
        "versions": {"tashika": "0.1.0"},
    }


class Wire:
    """A chat endpoint that says what a function makes of a prompt and its seed, whole or not."""

    def __init__(self, server: HTTPServer, say: Callable[[str, int], Said]) -> None:
        self.url = server.url_for("/v1")
        self.asked: list[tuple[str, int]] = []
        self._say, self._lock = say, Lock()
        server.clear()
        server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    @property
    def for_statements(self) -> list[tuple[str, int]]:
        """The requests with the first prompt."""
        return [one for one in self.asked if not one[0].endswith("Score:")]

    @property
    def for_scores(self) -> list[tuple[str, int]]:
        """The requests with the second prompt."""
        return [one for one in self.asked if one[0].endswith("Score:")]

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        prompt, seed = body["messages"][-1]["content"], body["seed"]
        with self._lock:
            self.asked.append((prompt, seed))
        said = self._say(prompt, seed)
        if isinstance(said, bytes):
            return Response(said, content_type="application/json")
        if isinstance(said, bytearray):
            return Response(bytes(said), headers={"Content-Length": "9999"}, content_type="application/json")
        status, text = said if isinstance(said, tuple) else (200, said)
        content = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        shown: Any = content if status == 200 else {"error": {"message": text}}
        return Response(json.dumps(shown), status=status, content_type="application/json")
