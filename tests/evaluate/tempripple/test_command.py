"""`tashika evaluate tempripple`, from the command line to the files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer

from tashika.evaluate.tempripple import recipe
from tashika.evaluate.tempripple.predictions import PREDICTIONS
from tests.hostile import KINDS_OF_BREAKS, Trap, assert_refused, broken_model, edit, roomy_copy

CONFIG = """[evaluate]
options = "text"
norm = "token"
draws = 20
[evaluate.format]
question = "{question}"
cue = ">"
[evaluate.llm]
concurrency = 1
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A working directory with a release of eight questions on two facts."""
    folder = tmp_path / "work" / "tempripple" / "release"
    rows = [
        {
            "item_id": f"{subject}-{task}",
            "task": task,
            "hop": int(task.startswith("related")),
            "place": 1 if task.endswith("new") else 2,
            "subject": subject,
            "relation": "P36",
            "last_relation": "P19" if task.startswith("related") else "P36",
            "text": f"The capital of {name}?" if task == "new" else f"{name}, {task}?",
            "context": f"{name} is in Berlin.",
            "options": ["Paris", "Berlin", "Tbilisi", "London"],
            "answer": place,
        }
        for subject, name in (("Q142", "France"), ("Q183", "Germany"))
        for place, task in enumerate(("new", "related_new", "old", "related_old"))
    ]
    tables: dict[str, list[dict[str, Any]]] = {"questions": rows, "history": [{"relation": "P36", "years": 4.0}]}
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(table), folder / name / f"{name}.parquet")
    (folder / "release.json").write_text(json.dumps({"version": "0.1.0", "digest": "d" * 64, "simulated": True}))
    return tmp_path / "work"


@pytest.fixture
def evaluate(work: Path, tmp_path: Path, tashika: Callable[..., Any]) -> Callable[..., Any]:
    """Runs the command with small settings, which lie in `config.toml`."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    return lambda *arguments: tashika("evaluate", "tempripple", *arguments, "--work", work, "--config", config)


def _metrics(work: Path) -> dict[str, Any]:
    found = [json.loads(path.read_text()) for path in (work / "tempripple" / "evaluate").glob("*/metrics.json")]
    return {f"{one['scoring']['options']} {one['scoring']['norm']}": one for one in found}


@pytest.mark.slow
def test_models_are_scored_and_shown(
    evaluate: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    llama, gpt2 = tiny_model("llama"), tiny_model("gpt2")
    ran = evaluate("--model", llama, "--model", gpt2, "--device", "cpu")
    assert ran.code == 0, ran.err
    for word in (
        Path(llama).name,
        Path(gpt2).name,
        "likelihood of the text, by token",
        "related_old",
        "chance is 0.25",
    ):
        assert word in ran.out
    assert "simulated" in ran.out
    folders = list((work / "tempripple" / "evaluate").iterdir())
    assert len(folders) == 2
    for folder in folders:
        table = pq.read_table(folder / "predictions.parquet")
        assert table.schema.equals(PREDICTIONS)
        assert table.num_rows == 16
        cells = json.loads((folder / "metrics.json").read_text())["cells"]
        assert {(cell["task"], cell["hop"]) for cell in cells} == {
            ("new", 0),
            ("old", 0),
            ("related_new", 1),
            ("related_old", 1),
        }
    monkeypatch.setattr(recipe, "load_model", lambda *_, **__: pytest.fail("loaded again"))
    again = evaluate("--model", llama, "--norm", "character")
    assert "taking the likelihoods of" in again.err
    assert set(_metrics(work)) == {"text token", "text character"}


def test_options_go_before_settings(evaluate: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]) -> None:
    ran = evaluate("--model", tiny_model("llama"), "--options", "letter", "--limit", 1)
    assert ran.code == 0, ran.err
    assert "a sample: 1 of 2 facts, 4 of 8 questions (seed 0)" in ran.out
    assert "likelihood of the letter" in ran.out
    assert set(_metrics(work)) == {"letter none"}  # the settings' norm is for texts


def test_a_dry_run_loads_nothing_sends_nothing_and_leaves_nothing(
    evaluate: Callable[..., Any],
    work: Path,
    tiny_model: Callable[[str], str],
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recipe, "load_model", lambda *_, **__: pytest.fail("loaded"))
    ran = evaluate("--model", tiny_model("llama"), "--dry-run")
    assert ran.code == 0
    assert "8 questions on 2 facts" in ran.err
    assert "16 prompts" in ran.err
    ran = evaluate("--model", "m", "--endpoint", httpserver.url_for("/v1"), "--dry-run")
    assert ran.code == 0
    assert "in 4 orders of the options" in ran.err
    assert "at most 64 requests to m" in ran.err
    assert httpserver.log == []
    assert not (work / "tempripple" / "evaluate").exists()


def test_a_dry_run_counts_the_prompts_of_control_conditions(
    evaluate: Callable[..., Any], tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.replace("[evaluate]\n", '[evaluate]\nconditions = ["unrelated"]\n', 1))
    ran = evaluate("--model", tiny_model("llama"), "--options", "text", "--dry-run")
    assert ran.code == 0, ran.err
    assert "and 1 more condition (unrelated): 24 prompts" in ran.err  # 8 questions in 2 + 1 conditions


def test_a_chat_model_is_shown_with_what_it_did_not_answer(
    evaluate: Callable[..., Any], work: Path, httpserver: HTTPServer
) -> None:
    content = {"choices": [{"message": {"content": "It is Berlin, I think."}, "finish_reason": "stop"}]}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(content)
    ran = evaluate("--model", "m", "--endpoint", httpserver.url_for("/v1"))
    assert ran.code == 0, ran.err
    assert "no answer: 16 of 16 (16 unparsable after 1 attempt: prose)" in ran.out
    assert "at most 64 requests to m" in ran.err
    assert {cell["accuracy"] for cell in _metrics(work)["chat none"]["cells"]} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--endpoint", "http://localhost/v1", "--options", "letter"), "found --options beside --endpoint"),
        (("--endpoint", "http://localhost/v1", "--norm", "token"), "found --norm beside --endpoint"),
        (("--endpoint", "http://localhost/v1", "--device", "cpu"), "found --device beside --endpoint"),
        (("--endpoint", "localhost"), "expected an address"),
        (("--options", "letter", "--norm", "token"), "found --norm token beside --options letter"),
        (("--options", "number"), "number"),
        (("--limit", "0"), "greater than or equal to 1"),
        (("--device", "tpu"), "tpu"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    evaluate: Callable[..., Any], tiny_model: Callable[[str], str], arguments: tuple[str, ...], message: str
) -> None:
    ran = evaluate("--model", tiny_model("llama"), *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_masked_model_is_refused_before_any_other_is_asked(
    evaluate: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    ran = evaluate("--model", tiny_model("llama"), "--model", tiny_model("bert"))
    assert ran.code == 2
    assert "masked model" in ran.err
    assert not (work / "tempripple" / "evaluate").exists()


def test_what_is_missing_is_named(
    work: Path, tmp_path: Path, tashika: Callable[..., Any], evaluate: Callable[..., Any]
) -> None:
    assert "has not been prepared" in evaluate("--model", "smollm2").err
    shutil.rmtree(work / "tempripple" / "release")
    ran = evaluate("--model", "x")
    assert ran.code == 2
    assert "tashika export tempripple" in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[evaluate]\nnorms = 1\n", "norms"),
        ('[evaluate]\nnorm = "word"\n', "norm"),
        ("[evaluate]\nchunk = -1\n", "chunk"),
        ('[evaluate.format]\nquestion = "Q:"\n', "question needs the slot {question}"),
        ('[evaluate.format]\ncontext = "given"\n', "context needs the slot {context}"),
        ('[evaluate.llm]\nurl = "http://x/v1"\n', "name the endpoint with --endpoint"),
        ('[evaluate.llm]\nmodel = "x"\n', "the model with --model"),
    ],
)
def test_wrong_settings_are_named(
    text: str, message: str, work: Path, tmp_path: Path, tashika: Callable[..., Any]
) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text(text)
    ran = tashika("evaluate", "tempripple", "--model", "x", "--work", work, "--config", config)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize("how", KINDS_OF_BREAKS)
@pytest.mark.parametrize("options", ["text", "letter", "generate"])
def test_a_broken_model_is_refused(
    evaluate: Callable[..., Any],
    tmp_path: Path,
    tiny_model: Callable[[str], str],
    trap: Trap,
    options: str,
    how: str,
) -> None:
    model = broken_model(roomy_copy(tiny_model("llama"), tmp_path / "roomy"), tmp_path / "model", how, trap)
    ran = evaluate("--model", model, "--options", options, "--device", "cpu")
    assert_refused(ran.code, ran.err, model, trap)


@pytest.mark.parametrize("template", ["{% for", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ 1 / 0 }}"])
def test_a_broken_chat_template_is_named(
    evaluate: Callable[..., Any], tmp_path: Path, tiny_model: Callable[[str], str], template: str
) -> None:
    model = shutil.copytree(tiny_model("llama"), tmp_path / "model")
    edit(model / "tokenizer_config.json", chat_template=template)
    ran = evaluate("--model", model, "--options", "generate", "--device", "cpu")
    assert ran.code == 2, ran.err
    assert "the chat template fails" in ran.err
