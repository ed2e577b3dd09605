"""The suite through an endpoint and through tiny models: asked, scored, judged, costed, resumed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event, Lock
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.models import load_model
from tashika.evaluate.proverbs import steps
from tashika.evaluate.proverbs.answers import Outcome
from tashika.evaluate.proverbs.costs import describe_cost
from tashika.evaluate.proverbs.records import TESTS
from tashika.evaluate.proverbs.run import Run, evaluate_model
from tashika.evaluate.ways.options import Choice, score_options
from tests.evaluate.proverbs.world import (
    LABELS,
    SMALL,
    STATEMENTS,
    Said,
    Wire,
    answers,
    good,
    is_about,
    make_judge,
    pair_row,
    write_release,
)

Serve = Callable[[Callable[[str, int], Said]], Wire]


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
        run.settings.answer.filled(run.settings.slots(question.pair.topic, question.text)) for question in run.questions
    }
    assert content.cost.asked.statements.requests == 6
    assert content.cost.asked.scores.requests == 30
    assert content.scoring.asking == "five"
    assert content.scoring.scoring == "reply"
    assert content.judge.method == "sequence classifier"
    assert content.model.endpoint == wire.url
    assert set(content.seconds) == {"judge", "statements", "scores", "consistencies", "crosses", "tests"}


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
    assert content.cost.asked.statements.requests == len(wire.for_statements)
    assert content.cost.estimate.statements.requests == 3 * 30


def test_what_statements_one_by_one_still_cost_after_an_interruption(a_run: Callable[..., Run], serve: Serve) -> None:
    """Before, in the middle and at the end; by hand where the first question's five replies have arrived, all alike."""

    def say(prompt: str, seed: int) -> Said:
        if len(wire.for_statements) > stops[0]:
            return (401, "no")
        return STATEMENTS[0] if seed < 5 else STATEMENTS[seed % 5]

    stops = [5]
    wire = serve(say)
    run = a_run(endpoint=wire.url, asking="one", attempts=3, answer={"prompt": "{QUESTION} One sentence."})
    assert "statements, at most 90 requests" in describe_cost(run)
    with pytest.raises(ConfigError):
        evaluate_model(run)
    assert "statements, at most 83 requests" in describe_cost(run)  # 25 x 3, and 4 x 2 that repeat the first
    stops[0] = 10**6
    before = len(wire.for_statements)
    content = evaluate_model(run)
    assert content.coverage.answers == 30
    assert len(wire.for_statements) - before == 25 + 6 * 4
    assert "statements, nothing to ask" in describe_cost(run)


def test_a_place_that_waits_may_take_anothers_statement(a_run: Callable[..., Run], serve: Serve) -> None:
    """The reply to the first place fails: each of the other four may have to be asked for once more."""

    def say(prompt: str, seed: int) -> Said:
        return b"half" if seed == 0 and is_about(prompt, "gender", "old") else STATEMENTS[seed % 5]

    wire = serve(say)
    run = a_run(endpoint=wire.url, asking="one", attempts=2, answer={"prompt": "{QUESTION} One sentence."})
    with pytest.raises(OutsideError, match="1 of 30"):
        evaluate_model(run)
    assert "statements, at most 6 requests" in describe_cost(run)  # the one twice, and 4 once


KILLED = """
import sys
from pathlib import Path
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs.questions import read_release
from tashika.evaluate.proverbs.run import Run, evaluate_model
from tashika.evaluate.proverbs.settings import EvaluateSettings
from tashika.evaluate.systems import How, System
work, url, judge = sys.argv[1:]
workspace = Workspace(Path(work), "proverbs")
settings = EvaluateSettings.model_validate({"judge": judge, "weak_judge": True, "llm": {"concurrency": 1}})
release, system = read_release(workspace.release), System.chat("m", url)
evaluate_model(Run.of(workspace, release, system, How("cpu", "fp32"), settings, judge))
"""


@pytest.mark.slow
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
    assert content.coverage.scores == 30
    before = {path: path.read_bytes() for path in run.folder.rglob("*.parquet")}
    assert len(before) == 6
    evaluate_model(run)
    assert len(wire.asked) == 37
    for path in [*before, run.folder / "metrics.json"]:
        path.unlink()
    evaluate_model(run)  # from the kept replies, to the byte
    assert len(wire.asked) == 37
    assert {path: path.read_bytes() for path in run.folder.rglob("*.parquet")} == before


def test_a_classifier_at_chance_is_refused_before_anything_is_asked(a_run: Callable[..., Run], serve: Serve) -> None:
    """The tests' judge has random weights; they let it go on, and the numbers say that they did."""
    wire = serve(good)
    run = a_run(endpoint=wire.url, weak_judge=False)
    with pytest.raises(InputError, match=r"no better than chance|turned round") as caught:
        evaluate_model(run)
    assert "--weak-judge" in str(caught.value.hint)
    assert wire.asked == []
    check = evaluate_model(a_run(endpoint=wire.url)).judge_check
    assert check is not None
    assert check.went_on
    assert (check.pairs, check.language) == (48, "en")


def test_a_release_in_another_language_than_the_settings_is_refused(a_run: Callable[..., Run], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is in 'en'; the settings have language = 'ja'") as caught:
        a_run(endpoint="http://127.0.0.1:1/v1", language="ja")
    assert "configs/proverbs-ja.toml" in str(caught.value.hint)
    texts = {
        "question": "「猫に小判」とはどういう意味ですか。",
        "variant_question": "「豚に真珠」とはどういう意味ですか。",
    }
    work = tmp_path / "japanese"
    write_release(work / "proverbs" / "release", rows=[{**pair_row("wisdom", 0), **texts}])
    with pytest.raises(InputError, match="is in 'ja'; the settings have language = 'en'"):
        a_run(endpoint="http://127.0.0.1:1/v1", work=work)


def test_japanese_questions_up_to_numbers(a_run: Callable[..., Run], serve: Serve, tmp_path: Path) -> None:
    statements = [f"値打ちは見る人によって変わる、その{n}。" for n in "一二三四五"]
    wire = serve(lambda prompt, _: "**8点**" if prompt.endswith("点：") else "\n".join(statements))
    texts = {
        "question": "「猫に小判」とはどういう意味ですか。",
        "variant_question": "「豚に真珠」とはどういう意味ですか。",
    }
    work = tmp_path / "japanese"
    write_release(work / "proverbs" / "release", rows=[{**pair_row("wisdom", 0), **texts}])
    prompts = {
        "answer": {"prompt": "{TOPIC}について{COUNT}個。\n質問：{QUESTION}\n文："},
        "score": {"prompt": "質問：{QUESTION}\n答え：{ANSWER}\n点："},
    }
    content = evaluate_model(a_run(endpoint=wire.url, work=work, language="ja", **prompts))
    assert (content.coverage.answers, content.coverage.scores) == (10, 10)
    assert {prompt.partition("\n")[0] for prompt, _ in wire.asked if prompt.endswith("文：")} == {"知恵について5個。"}
    assert content.judge_check is not None
    assert content.judge_check.language == "ja"
    assert content.cross is not None
    assert content.cross["wisdom"].pairs == 1


def test_another_number_of_answers_and_a_temperature_of_scores(a_run: Callable[..., Run], serve: Serve) -> None:
    said = "\n".join(STATEMENTS[:4])
    wire = serve(lambda prompt, seed: good(prompt, seed) if prompt.endswith("Score:") else said)
    run = a_run(endpoint=wire.url, answers=4, score={"temperature": 0.0}, llm={"concurrency": 1, "temperature": 0.7})
    assert [run.llm(prompt).temperature for prompt in (run.settings.answer, run.settings.score)] == [0.7, 0.0]
    content = evaluate_model(run)
    assert {place for _, _, place in answers(run)} == {1, 2, 3, 4}
    assert (len(wire.for_statements), len(wire.for_scores)) == (6, 24)
    assert all("Generate only four short sentences" in prompt for prompt, _ in wire.for_statements)
    assert (content.scoring.answers, content.scoring.score.temperature) == (4, 0.0)
    assert content.errors["gender"]["score"].tested == 1  # four and four can be below .05


def test_another_judge_asks_nothing_again(
    a_run: Callable[..., Run], serve: Serve, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    wire = serve(good)
    evaluate_model(a_run(endpoint=wire.url))
    other = make_judge(tmp_path / "other", tiny_model("bert"), ("not_entailment", "entailment"))
    run = a_run(endpoint=wire.url, judge=other)
    content = evaluate_model(run)
    assert len(wire.asked) == 36
    assert content.judge.label == "entailment"
    assert content.judge.labels == ["not_entailment", "entailment"]


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
    named = [replace(run, judge=path).folder.name for path in paths]
    assert len(set(named)) == 3
    assert named[2] == f"{run.folder.name}-by-nli"
    assert all(name.startswith(f"{run.folder.name}-by-nli-") for name in named[:2])
    settings = run.settings.model_copy(update={"judge": "nli"})
    assert replace(run, judge=paths[2], settings=settings).folder == run.folder
    assert replace(run, judge=paths[0], settings=settings).folder.name == named[0]


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
    asked = [
        len(run.settings.answer.filled(run.settings.slots(question.pair.topic, question.text))) // 4 + 1
        for question in run.questions
    ]
    scored = [
        len(run.settings.score.filled(run.settings.slots(one.pair.topic, one.text, ""))) // 4 + 1
        for one in run.questions
    ]
    tokens_in = 2 * sum(asked), 2 * (5 * sum(scored) + 6 * 300)
    first = describe_cost(run)
    assert f"statements, at most 12 requests to m, about {tokens_in[0]:,} tokens sent and 3,600 received" in first
    assert f"scores, at most 60 requests to m, about {tokens_in[1]:,} tokens sent and 480 received" in first
    assert f"together at most 72 requests to m, about {sum(tokens_in):,} tokens sent and 4,080 received" in first
    assert wire.asked == []
    content = evaluate_model(run)
    assert first in told[0]
    assert content.cost.estimate.statements.model_dump() == {
        "requests": 12,
        "tokens_in": tokens_in[0],
        "tokens_out": 3600,
    }
    spent, most = content.cost.asked.scores.model_dump(), content.cost.estimate.scores.model_dump()
    assert all(spent[name] < most[name] for name in most)
    assert "statements, nothing to ask; scores, nothing to ask" in describe_cost(run)


@pytest.mark.slow
def test_two_endpoints_with_models_of_one_name_do_not_share_replies(a_run: Callable[..., Run], serve: Serve) -> None:
    wire = serve(good)
    evaluate_model(a_run(endpoint=wire.url))
    evaluate_model(a_run(endpoint=wire.url.replace("127.0.0.1", "localhost")))
    assert len(wire.asked) == 72


# --- models on this machine ---


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
    assert content.model.kind == "causal"


def test_prompts_that_a_model_cannot_take_are_not_counted_as_asked(
    a_run: Callable[..., Run], tiny_model: Callable[[str], str]
) -> None:
    prompt = {**SMALL["answer"], "prompt": "{QUESTION}" + " word" * 5000}
    content = evaluate_model(a_run(tiny_model("llama"), **{**SMALL, "answer": prompt}))
    assert content.coverage.answers == 0
    assert content.cost.asked.statements.model_dump() == {"requests": 0, "tokens_in": 0, "tokens_out": 0}


@pytest.mark.slow
def test_the_likeliest_score_is_that_of_the_whole_integer(
    a_run: Callable[..., Run], serve: Serve, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against one choice at a time; the statements are put where a model's own would lie."""
    said = [Outcome(word, None, 1, word) for word in ("a", "is", "London", "Paris", "Ada")]
    monkeypatch.setattr(steps, "ask_statements", lambda *_: said * 6)
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
    assert content.scoring.scoring == "likelihood"
    assert content.cost.asked.scores.requests == 0
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
    assert content.judge.method == "yes/no likelihood of a causal language model"
    assert content.coverage.consistencies == 30


def test_a_masked_model_is_refused(a_run: Callable[..., Run], tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="masked model"):
        a_run(tiny_model("bert"))
