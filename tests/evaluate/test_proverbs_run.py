"""The suite through endpoints that misbehave on purpose and through tiny models: parsed, refused, missing, resumed."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Lock
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer

from tashika.core import llm
from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.models import load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.options import Choice, score_options
from tashika.evaluate.proverbs_questions import read_release
from tashika.evaluate.proverbs_run import Run, evaluate_model, told_cost
from tashika.evaluate.proverbs_settings import EvaluateSettings, Way
from tashika.evaluate.proverbs_types import ANSWERS, TESTS

world = runpy.run_path(str(Path(__file__).with_name("proverbs_world.py")))
FIVE, STATEMENTS, Wire = world["FIVE"], world["STATEMENTS"], world["Wire"]
make_judge, write_release = world["make_judge"], world["write_release"]
Said = str | bytes | tuple[int, str]
LABELS = ("entailment", "neutral", "contradiction")
Serve = Callable[[Callable[[str, int], Said]], Any]


@pytest.fixture
def serve(chat_server: HTTPServer) -> Serve:
    return lambda say: Wire(chat_server, say)


@pytest.fixture(scope="session")
def judge(tiny_model: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_judge(tmp_path_factory.mktemp("judge"), tiny_model("bert"), LABELS)


@pytest.fixture(autouse=True)
def _never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two attempts at a broken reply nothing waits."""
    retried = llm.retried
    monkeypatch.setattr(llm, "retried", lambda call, *, where, sleep: retried(call, where=where, sleep=lambda _: None))


@pytest.fixture
def a_run(tmp_path: Path, judge: str) -> Callable[..., Run]:
    """A run on one pair a topic, at an endpoint or on this machine."""

    def make(model: str = "m", endpoint: str | None = None, **values: Any) -> Run:
        workspace = Workspace(tmp_path / "work", "proverbs")
        if not workspace.release.exists():
            write_release(workspace.release)
        limit, told = values.pop("limit", None), values.pop("judge", judge)
        settings = EvaluateSettings.model_validate({"judge": told, "llm": {"concurrency": 1}, **values})
        way = Way(endpoint, "cpu", "fp32")
        return Run.of(workspace, read_release(workspace.release), model, way, settings, told, limit)

    return make


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


def test_an_endpoint_that_behaves(a_run: Callable[..., Run], serve: Serve) -> None:
    wire = serve(good)
    run = a_run(endpoint=wire.url)
    content = evaluate_model(run)
    found = answers(run)
    assert len(found) == 3 * 2 * 5
    for (topic, side, place), row in found.items():
        assert row["answer"] == STATEMENTS[place - 1]
        assert row["score"] == (2 * place if side == "proverb" else 5)
        assert row["question"] == f"Why is it said that {topic} 0 is {'old' if side == 'proverb' else 'new'}?"
        assert 0 <= row["consistency"] <= 1
        assert (row["answer_asked"], row["score_asked"]) == (1, 1)
        assert row["answer_problem"] is row["score_problem"] is row["consistency_problem"] is None
    tests = pq.read_table(run.folder / "tests.parquet")
    assert tests.schema.equals(TESTS)
    assert {row["consistency"] for row in tests.to_pylist()} == {"score", "text"}
    assert all(row["p"] == 1 and not row["error"] for row in tests.to_pylist() if row["consistency"] == "text")
    assert len(wire.for_statements) == 6
    assert len(wire.for_scores) == 30
    assert {prompt for prompt, _ in wire.for_statements} == {
        run.settings.answer.filled(question.slots) for question in run.questions
    }
    assert content["cost"]["asked"]["statements"]["requests"] == 6
    assert content["cost"]["asked"]["scores"]["requests"] == 30
    assert content["scoring"]["asking"] == "five"
    assert content["scoring"]["scoring"] == "reply"
    assert content["judge"]["method"] == "sequence classifier"
    assert content["model"]["endpoint"] == wire.url
    assert set(content["seconds"]) == {"statements", "scores", "consistencies", "tests"}


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
    assert content["coverage"]["answers"] == 25
    assert content["errors"]["wisdom"]["score"]["tested"] == 0
    assert content["errors"]["gender"]["score"]["tested"] == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("8/10", "a score out of another number"),
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
    assert content["coverage"]["scores"] == 29
    assert content["coverage"]["score_problems"] == {f"unparsable after 3 attempts: {reason}": 1}


def test_what_cannot_be_read_at_first_may_be_read_later(a_run: Callable[..., Run], serve: Serve) -> None:
    def say(prompt: str, seed: int) -> Said:
        return good(prompt, seed) if seed else ("8/10" if prompt.endswith("Score:") else "Well.")

    run = a_run(endpoint=serve(say).url)
    content = evaluate_model(run)
    assert content["coverage"]["scores"] == 30
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
    assert content["coverage"]["scores"] == 30
    assert {row["answer_asked"] for row in answers(run).values()} == {1}  # no reply had arrived before


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


def test_statements_one_by_one_differ(a_run: Callable[..., Run], serve: Serve) -> None:
    """Each place has a number, and a repeated statement is asked for again with another."""

    def say(prompt: str, seed: int) -> Said:
        if prompt.endswith("Score:"):
            return good(prompt, seed)
        if is_about(prompt, "gender", "old"):
            return STATEMENTS[0]
        return STATEMENTS[seed % 5] if seed >= 5 or seed < 2 else STATEMENTS[0]

    wire = serve(say)
    run = a_run(endpoint=wire.url, asking="one", attempts=3, answer={"prompt": "{QUESTION} One sentence."})
    content = evaluate_model(run)
    found = answers(run)
    assert [found["wisdom", "variant", place]["answer"] for place in range(1, 6)] == list(STATEMENTS)
    assert [found["wisdom", "variant", place]["answer_asked"] for place in range(1, 6)] == [1, 1, 2, 2, 2]
    same = [found["gender", "proverb", place] for place in range(1, 6)]
    assert [row["answer"] for row in same] == [STATEMENTS[0], None, None, None, None]
    repeated = "unparsable after 3 attempts: the statement stands at another place already"
    assert {row["answer_problem"] for row in same[1:]} == {repeated}
    assert {row["consistency_problem"] for row in same} == {"too few statements (1 of 5)"}
    seeds = sorted(seed for prompt, seed in wire.for_statements if is_about(prompt, "gender", "old"))
    assert seeds == [0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14]
    assert content["cost"]["asked"]["statements"]["requests"] == len(wire.for_statements)
    assert content["cost"]["estimate"]["statements"]["requests"] == 3 * 30


def test_what_statements_one_by_one_still_cost_after_an_interruption(a_run: Callable[..., Run], serve: Serve) -> None:
    """Before, in the middle and at the end; by hand where the first question's five replies have arrived, all alike."""

    def say(prompt: str, seed: int) -> Said:
        if len(wire.for_statements) > stops[0]:
            return (401, "no")
        return STATEMENTS[0] if seed < 5 else STATEMENTS[seed % 5]

    stops = [5]
    wire = serve(say)
    run = a_run(endpoint=wire.url, asking="one", attempts=3, answer={"prompt": "{QUESTION} One sentence."})
    assert "statements, at most 90 requests" in told_cost(run)
    with pytest.raises(ConfigError):
        evaluate_model(run)
    assert "statements, at most 83 requests" in told_cost(run)  # 25 x 3, and 4 x 2 that repeat the first
    stops[0] = 10**6
    before = len(wire.for_statements)
    content = evaluate_model(run)
    assert content["coverage"]["answers"] == 30
    assert len(wire.for_statements) - before == 25 + 6 * 4
    assert "statements, nothing to ask" in told_cost(run)


def test_a_place_that_waits_may_take_anothers_statement(a_run: Callable[..., Run], serve: Serve) -> None:
    """The reply to the first place fails: each of the other four may have to be asked for once more."""

    def say(prompt: str, seed: int) -> Said:
        return b"half" if seed == 0 and is_about(prompt, "gender", "old") else STATEMENTS[seed % 5]

    wire = serve(say)
    run = a_run(endpoint=wire.url, asking="one", attempts=2, answer={"prompt": "{QUESTION} One sentence."})
    with pytest.raises(OutsideError, match="1 of 30"):
        evaluate_model(run)
    assert "statements, at most 6 requests" in told_cost(run)  # the one twice, and 4 once


KILLED = """
import sys
from pathlib import Path
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs_questions import read_release
from tashika.evaluate.proverbs_run import Run, evaluate_model
from tashika.evaluate.proverbs_settings import EvaluateSettings, Way
work, url, judge = sys.argv[1:]
workspace = Workspace(Path(work), "proverbs")
settings = EvaluateSettings.model_validate({"judge": judge, "llm": {"concurrency": 1}})
way = Way(url, "cpu", "fp32")
evaluate_model(Run.of(workspace, read_release(workspace.release), "m", way, settings, judge))
"""


def test_a_killed_run_goes_on_where_it_was(a_run: Callable[..., Run], serve: Serve, judge: str) -> None:
    """Killed at the eleventh score: the statements' stage is done, ten scores are kept."""
    reached, killed = Event(), Event()

    def say(prompt: str, seed: int) -> Said:
        if len(wire.for_scores) == 11 and not killed.is_set():
            reached.set()
            killed.wait(60)
        return good(prompt, seed)

    wire = serve(say)
    run = a_run(endpoint=wire.url)
    line = [sys.executable, "-c", KILLED, str(run.workspace.root), wire.url, judge]
    process = subprocess.Popen(line, stderr=subprocess.DEVNULL)
    try:
        assert reached.wait(60)
    finally:
        process.kill()
        process.wait()
    killed.set()
    assert (len(wire.for_statements), len(wire.for_scores)) == (6, 11)
    content = evaluate_model(run)
    assert (len(wire.for_statements), len(wire.for_scores)) == (6, 31)  # the one under way was never answered
    assert content["coverage"]["scores"] == 30
    before = {path: path.read_bytes() for path in run.folder.rglob("*.parquet")}
    assert len(before) == 5
    evaluate_model(run)
    assert len(wire.asked) == 37
    for path in [*before, run.folder / "metrics.json"]:
        path.unlink()
    evaluate_model(run)  # from the kept replies, to the byte
    assert len(wire.asked) == 37
    assert {path: path.read_bytes() for path in run.folder.rglob("*.parquet")} == before


def test_another_judge_asks_nothing_again(
    a_run: Callable[..., Run], serve: Serve, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    wire = serve(good)
    evaluate_model(a_run(endpoint=wire.url))
    other = make_judge(tmp_path / "other", tiny_model("bert"), ("not_entailment", "entailment"))
    run = a_run(endpoint=wire.url, judge=other)
    content = evaluate_model(run)
    assert len(wire.asked) == 36
    assert content["judge"]["label"] == "entailment"
    assert content["judge"]["labels"] == ["not_entailment", "entailment"]


def test_judges_of_one_name_have_folders_of_their_own(
    a_run: Callable[..., Run], serve: Serve, judge: str, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    """One that `tashika models` made is told by its name alone, and so is that of the settings."""
    url = serve(good).url
    run = a_run(endpoint=url)
    ours = tmp_path / "work" / "models" / "nli"
    paths = [
        make_judge(tmp_path / "a" / "nli", tiny_model("bert"), LABELS),
        make_judge(tmp_path / "b" / "nli", tiny_model("bert"), LABELS[::-1]),
        make_judge(ours, tiny_model("bert"), LABELS),
    ]
    named = [run._replace(judge=path).folder.name for path in paths]
    assert len(set(named)) == 3
    assert named[2] == f"{run.folder.name}-by-nli"
    assert all(name.startswith(f"{run.folder.name}-by-nli-") for name in named[:2])
    settings = run.settings.model_copy(update={"judge": "nli"})
    assert run._replace(judge=paths[2], settings=settings).folder == run.folder
    assert run._replace(judge=paths[0], settings=settings).folder.name == named[0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("LABEL_0", "LABEL_1", "LABEL_2"), "labels have no names: LABEL_0, LABEL_1, LABEL_2"),
        (("LABEL_0", "LABEL_1"), "labels have no names"),
        (("positive", "negative"), "0 of the model's labels .positive, negative. mean entailment"),
    ],
)
def test_a_judge_whose_labels_do_not_tell_is_refused_before_anything_is_sent(
    labels: tuple[str, ...],
    message: str,
    a_run: Callable[..., Run],
    serve: Serve,
    tiny_model: Callable[[str], str],
    tmp_path: Path,
) -> None:
    wire = serve(good)
    folder = make_judge(tmp_path / "judge", tiny_model("bert"), labels)
    with pytest.raises(InputError, match=message):
        a_run(endpoint=wire.url, judge=folder)
    with pytest.raises(InputError, match="masked"):
        a_run(endpoint=wire.url, judge=tiny_model("bert"))
    assert wire.asked == []


def test_as_many_requests_are_under_way_as_the_settings_say(a_run: Callable[..., Run], serve: Serve) -> None:
    together, lock = Barrier(3), Lock()
    under_way, most = 0, 0

    def say(prompt: str, seed: int) -> Said:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait(30)  # passes only when three have come: 6 questions, then 30
        with lock:
            under_way -= 1
        return good(prompt, seed)

    evaluate_model(a_run(endpoint=serve(say).url, llm={"concurrency": 3}))
    assert most == 3


def test_both_prompts_are_costed_before_anything_is_sent(
    a_run: Callable[..., Run], serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: 6 questions and 30 scores, twice each at most; a reply of 300 and of 8 tokens at its longest."""
    told: list[str] = []

    def say(prompt: str, seed: int) -> Said:
        told.append(capsys.readouterr().err)
        return good(prompt, seed)

    wire = serve(say)
    run = a_run(endpoint=wire.url, attempts=2, llm={"concurrency": 1, "price_in": 1e6, "price_out": 1e6})
    asked = [len(run.settings.answer.filled(question.slots)) // 4 + 1 for question in run.questions]
    scored = [len(run.settings.score.filled({**one.slots, "ANSWER": ""})) // 4 + 1 for one in run.questions]
    tokens_in = 2 * sum(asked), 2 * (5 * sum(scored) + 6 * 300)
    first = told_cost(run)
    assert f"statements, at most 12 requests to m, about {tokens_in[0]:,} tokens sent and 3,600 received" in first
    assert f"scores, at most 60 requests to m, about {tokens_in[1]:,} tokens sent and 480 received" in first
    assert f"together at most 72 requests to m, about {sum(tokens_in):,} tokens sent and 4,080 received" in first
    assert wire.asked == []
    content = evaluate_model(run)
    assert first in told[0]
    assert content["cost"]["estimate"]["statements"] == {"requests": 12, "tokens_in": tokens_in[0], "tokens_out": 3600}
    spent, most = content["cost"]["asked"]["scores"], content["cost"]["estimate"]["scores"]
    assert all(spent[name] < most[name] for name in most)
    assert "statements, nothing to ask; scores, nothing to ask" in told_cost(run)


def test_two_endpoints_with_models_of_one_name_do_not_share_replies(a_run: Callable[..., Run], serve: Serve) -> None:
    wire = serve(good)
    evaluate_model(a_run(endpoint=wire.url))
    evaluate_model(a_run(endpoint=wire.url.replace("127.0.0.1", "localhost")))
    assert len(wire.asked) == 72


def test_a_refused_key_ends_the_run(a_run: Callable[..., Run], serve: Serve) -> None:
    with pytest.raises(ConfigError, match="TASHIKA_LLM_KEY"):
        evaluate_model(a_run(endpoint=serve(lambda _prompt, _seed: (401, "no")).url))


# --- models on this machine ---

SMALL = {
    "answer": {"prompt": "{QUESTION}", "max_tokens": 4, "stop": "\n"},
    "score": {"prompt": "{QUESTION}{ANSWER}", "max_tokens": 2},
    "llm": {"api": "completions"},
}


@pytest.mark.parametrize("asking", ["five", "one"])
def test_a_model_of_noise_gives_rows_with_problems(
    asking: str, a_run: Callable[..., Run], tiny_model: Callable[[str], str]
) -> None:
    run = a_run(tiny_model("llama"), asking=asking, attempts=2, **SMALL)
    content = evaluate_model(run)
    rows = answers(run).values()
    assert len(rows) == 30
    assert all((row["answer"] is None) == (row["answer_problem"] is not None) for row in rows)
    assert all((row["score"] is None) == (row["score_problem"] is not None) for row in rows)
    assert content["model"]["kind"] == "causal"


def test_prompts_that_a_model_cannot_take_are_not_counted_as_asked(
    a_run: Callable[..., Run], tiny_model: Callable[[str], str]
) -> None:
    prompt = {**SMALL["answer"], "prompt": "{QUESTION}" + " word" * 5000}
    content = evaluate_model(a_run(tiny_model("llama"), **{**SMALL, "answer": prompt}))
    assert content["coverage"]["answers"] == 0
    assert content["cost"]["asked"]["statements"] == {"requests": 0, "tokens_in": 0, "tokens_out": 0}


def test_the_likeliest_score_is_that_of_the_whole_integer(
    a_run: Callable[..., Run], serve: Serve, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against one choice at a time; the statements are put where a model's own would lie."""
    from tashika.evaluate import proverbs_run
    from tashika.evaluate.proverbs_answers import Outcome

    said = [Outcome(word, None, 1, word) for word in ("a", "is", "London", "Paris", "Ada")]
    monkeypatch.setattr(proverbs_run, "ask_statements", lambda *_: said * 6)
    folder = tiny_model("llama")
    run = a_run(folder, scoring="likelihood", limit=1, **{**SMALL, "score": {"prompt": "{ANSWER}? {QUESTION}"}})
    content = evaluate_model(run)
    loaded = load_model(folder, device="cpu")
    for row in answers(run).values():
        prompt = f"{row['answer']}? {row['question']}"
        [scores] = score_options(loaded, [Choice("", prompt, [f"{n}\n" for n in range(1, 11)])])
        problems = [one.problem for one in scores]
        if any(problems):
            assert (row["score"], row["score_problem"]) == (None, problems[0])
        else:
            assert row["score"] == 1 + int(np.argmax([one.log_likelihood for one in scores]))
    assert content["scoring"]["scoring"] == "likelihood"
    assert content["cost"]["asked"]["scores"]["requests"] == 0
    assert "1-pairs" in run.folder.name


def test_a_judge_may_be_the_packaged_way(
    a_run: Callable[..., Run], serve: Serve, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    """A causal model that knows yes and no, and is named as what it is."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, set_seed

    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_model("llama"))
    tokenizer.add_tokens(["Yes", "No"])
    tokenizer.model_max_length = 400
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    set_seed(1)
    config = LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=400, **shape)  # type: ignore[arg-type]
    LlamaForCausalLM(config).save_pretrained(tmp_path / "yes-no")
    tokenizer.save_pretrained(tmp_path / "yes-no")
    run = a_run(endpoint=serve(good).url, judge=str(tmp_path / "yes-no"))
    content = evaluate_model(run)
    assert content["judge"]["method"] == "yes/no likelihood of a causal language model"
    assert content["coverage"]["consistencies"] == 30


def test_a_masked_model_is_refused(a_run: Callable[..., Run], tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="masked model"):
        a_run(tiny_model("bert"))
