"""`tashika evaluate proverbs`, from the command line to the files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer

from tashika.core.errors import InputError
from tashika.core.records import item_schema
from tashika.core.settings import load_section, packaged
from tashika.evaluate.proverbs.settings import AnswerPrompt, EvaluateSettings, ScorePrompt
from tashika.evaluate.ways.entailment import load_judge
from tests.evaluate.proverbs import world
from tests.hostile import KINDS_OF_BREAKS, Trap, assert_refused, broken_model, roomy_copy


@pytest.fixture
def work(tmp_path: Path) -> Path:
    world.write_release(tmp_path / "work" / "proverbs" / "release", pairs=2)
    return tmp_path / "work"


@pytest.fixture
def evaluate(
    work: Path, tmp_path: Path, tashika: Callable[..., Any], tiny_model: Callable[[str], str]
) -> Callable[..., Any]:
    """Runs the command with a tiny judge."""
    judge = world.make_judge(tmp_path / "judge", tiny_model("bert"), ("entailment", "not_entailment"))
    config = tmp_path / "config.toml"
    config.write_text(
        f'[evaluate]\njudge = "{judge}"\nweak_judge = true\nattempts = 1\n[evaluate.llm]\nconcurrency = 1\n'
    )
    return lambda *arguments: tashika("evaluate", "proverbs", *arguments, "--work", work, "--config", config)


def good(prompt: str, _seed: int) -> str:
    """Statements alike for all; scores that spread for the proverb of gender and are 5 for its variant."""
    if not prompt.endswith("Score:"):
        return world.FIVE
    places = {one: place for place, one in enumerate(world.STATEMENTS, 1)}
    spread = {1: "1", 2: "10", 3: "1", 4: "10", 5: "1"}
    place = next(place for one, place in places.items() if one in prompt)
    return spread[place] if "gender" in prompt and "is old?" in prompt else "5"


def test_a_model_is_asked_and_shown_and_its_errors_become_checks(
    evaluate: Callable[..., Any], work: Path, chat_server: HTTPServer
) -> None:
    """1 10 1 10 1 against five times 5: p is .0079365 by the reference table, an error."""
    wire = world.Wire(chat_server, good)
    ran = evaluate("--model", "m", "--endpoint", wire.url)
    assert ran.code == 0, ran.err
    for word in ("gender", "score", "after Holm", "sequence classifier", "12 requests", "60 requests", "simulated"):
        assert word in ran.out
    assert "statements, at most 12 requests to m" in ran.err
    [folder] = [path for path in (work / "proverbs" / "evaluate").iterdir() if path.is_dir()]
    errors = json.loads((folder / "metrics.json").read_text())["errors"]
    assert {topic: cell["score"]["errors"] for topic, cell in errors.items()} == {
        "gender": 2,
        "wisdom": 0,
        "society": 0,
        "all": 2,
    }
    ran = evaluate("--checks")
    assert ran.code == 0, ran.err
    table = pq.read_table(work / "proverbs" / "items" / "check.parquet")
    assert table.schema.equals(item_schema("proverbs", "check"))
    rows = table.to_pylist()
    assert [sum(row["detected"] is said for row in rows) for said in (True, False)] == [2, 2]
    assert {round(row["p"], 7) for row in rows if row["detected"]} == {0.0079365}
    assert len(wire.asked) == 72
    ran = evaluate("--stereotypes")
    assert ran.code == 0, ran.err
    rows = pq.read_table(work / "proverbs" / "items" / "stereotype.parquet").to_pylist()
    assert [row["side"] for row in rows].count("proverb") == 2  # both pairs on gender, one answer to either question
    assert len(rows) == 4


def test_a_limit_draws_pairs(evaluate: Callable[..., Any], work: Path, chat_server: HTTPServer) -> None:
    wire = world.Wire(chat_server, good)
    ran = evaluate("--model", "m", "--endpoint", wire.url, "--limit", 1)
    assert ran.code == 0, ran.err
    assert "a sample: 3 of 6 pairs (seed 0)" in ran.out
    assert len(wire.asked) == 36
    assert [path.name.endswith("1-pairs") for path in (work / "proverbs" / "evaluate").iterdir()] == [True]


def test_what_is_missing_is_told(evaluate: Callable[..., Any], chat_server: HTTPServer) -> None:
    ran = evaluate("--model", "m", "--endpoint", world.Wire(chat_server, lambda _p, _s: "I'm sorry, no.").url)
    assert ran.code == 0, ran.err
    assert "missing answers: 60 of 60 (60 unparsable after 1 attempt: a refusal)" in ran.out
    assert "missing scores: 60 of 60 (60 no statement)" in ran.out


def test_a_dry_run_loads_nothing_sends_nothing_and_leaves_nothing(
    evaluate: Callable[..., Any], work: Path, chat_server: HTTPServer, tiny_model: Callable[[str], str]
) -> None:
    wire = world.Wire(chat_server, good)
    ran = evaluate("--model", "m", "--endpoint", wire.url, "--dry-run")
    assert ran.code == 0
    for told in ("6 pairs, 12 questions", "statements, at most 12", "scores, at most 60", "together at most 72"):
        assert told in ran.err
    ran = evaluate("--model", tiny_model("llama"), "--device", "cpu", "--dry-run")
    assert "(fp32 on cpu): 6 pairs" in ran.err
    assert wire.asked == []
    assert not (work / "proverbs" / "evaluate").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no model is named"),
        (("--checks",), "no model was scored yet"),
        (("--model", "m", "--endpoint", "localhost"), "expected an address"),
        (("--model", "m", "--endpoint", "http://localhost/v1", "--judge", "smollm2"), "has not been prepared"),
        (("--model", "m", "--endpoint", "http://localhost/v1", "--limit", "0"), "greater than or equal to 1"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    evaluate: Callable[..., Any], arguments: tuple[str, ...], message: str
) -> None:
    ran = evaluate(*arguments)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[evaluate]\nasks = 1\n", "asks"),
        ('[evaluate]\nasking = "two"\n', "asking"),
        ('[evaluate.answer]\nprompt = "Say five."\n', "the prompt needs the slot {QUESTION}"),
        ('[evaluate.score]\nprompt = "{QUESTION}"\n', "the prompt needs the slot {ANSWER}"),
        ('[evaluate.llm]\nmodel = "x"\n', "the model with --model"),
        ('[evaluate]\nasking = "one"\n[evaluate.llm]\ntemperature = 0.0\n', "temperature of answers above 0"),
    ],
)
def test_wrong_settings_are_named(
    text: str, message: str, work: Path, tmp_path: Path, tashika: Callable[..., Any]
) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text(text)
    ran = tashika("evaluate", "proverbs", "--model", "x", "--work", work, "--config", config)
    assert ran.code == 2
    assert message in ran.err


def test_the_packaged_settings_are_the_published_ones() -> None:
    settings = load_section("proverbs", "evaluate", EvaluateSettings)
    assert settings.answer == AnswerPrompt()
    assert settings.score == ScorePrompt()
    assert settings == EvaluateSettings.model_validate({"llm": {"concurrency": 4}})
    assert load_section("proverbs", "evaluate", EvaluateSettings, packaged("proverbs-demo.toml")).asking == "one"


@pytest.mark.parametrize("how", KINDS_OF_BREAKS)
@pytest.mark.parametrize("role", ["model", "causal judge"])
def test_a_broken_model_or_judge_is_refused(
    evaluate: Callable[..., Any],
    tmp_path: Path,
    tiny_model: Callable[[str], str],
    trap: Trap,
    role: str,
    how: str,
) -> None:
    broken = broken_model(roomy_copy(tiny_model("llama"), tmp_path / "roomy"), tmp_path / "model", how, trap)
    asked = ("--model", broken) if role == "model" else ("--model", tiny_model("llama"), "--judge", broken)
    ran = evaluate(*asked, "--device", "cpu", "--limit", 1)
    assert_refused(ran.code, ran.err, broken, trap)


@pytest.mark.parametrize("how", KINDS_OF_BREAKS)
def test_a_broken_classifier_is_refused(tmp_path: Path, judge: str, trap: Trap, how: str) -> None:
    broken = broken_model(judge, tmp_path / "model", how, trap)
    with pytest.raises(InputError) as caught:
        load_judge(str(broken), device="cpu")
    assert_refused(caught.value.exit_code, f"error: {caught.value}", broken, trap)
