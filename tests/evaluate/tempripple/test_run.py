"""TempRIPPLE through tiny models and endpoints: scores against single sequences, resuming, norms, answers in words."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.llm import Llm
from tashika.core.models import load_model
from tashika.core.workspace import Workspace
from tashika.evaluate import systems
from tashika.evaluate.metrics import ReleaseInfo
from tashika.evaluate.systems import How, System
from tashika.evaluate.tempripple import recipe
from tashika.evaluate.tempripple import run as tempripple_run
from tashika.evaluate.tempripple.metrics_model import Coverage, Share
from tashika.evaluate.tempripple.predictions import PREDICTIONS
from tashika.evaluate.tempripple.questions import in_order, read_release
from tashika.evaluate.tempripple.run import Run, announced_cost, evaluate_model
from tashika.evaluate.tempripple.settings import EvaluateSettings, Way

CITIES = ["Paris", "Berlin", "Tbilisi", "City of Light"]
# Fact, task, hop, place, text, the right option. The tiny models read 48 tokens, so all is short.
ROWS = [
    ("P36 Q142", "new", 0, 1, "The capital of France is", 0),
    ("P36 Q142", "old", 0, 2, "France's capital was", 1),
    ("P36 Q142", "related_new", 1, 1, "Where was Ada born? In", 3),
    ("P36 Q183", "new", 0, 1, "The capital of Germany is", 1),
    ("P36 Q183", "related_old", 2, 2, "Where was Zola born? In", 2),
    ("P19 Q1", "new", 0, 1, "Ada was born in", 2),
    ("P19 Q1", "old", 0, 2, "Ada Lovelace was born in", 0),
]
CONTEXT = {"P36 Q142": "Paris is the capital.", "P36 Q183": "Berlin's the capital.", "P19 Q1": "Ada was born."}


def _question(number: int) -> dict[str, Any]:
    fact, task, hop, place, text, answer = ROWS[number]
    relation, subject = fact.split()
    return {
        "item_id": f"q{number}",
        "task": task,
        "hop": hop,
        "place": place,
        "subject": subject,
        "relation": relation,
        "last_relation": "P19" if hop else relation,
        "text": text,
        "context": CONTEXT[fact],
        "options": CITIES,
        "answer": answer,
    }


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A working directory with a small release."""
    folder = tmp_path / "work" / "tempripple" / "release"
    history = [{"relation": "P36", "years": 4.0}, {"relation": "P36", "years": 6.0}, {"relation": "P19", "years": 1.0}]
    for name, rows in {"questions": [_question(number) for number in range(len(ROWS))], "history": history}.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / name / f"{name}.parquet")
    (folder / "release.json").write_text(json.dumps({"version": "0.1.0", "digest": "d" * 64, "simulated": False}))
    return Workspace(tmp_path / "work", "tempripple")


CPU = How("cpu")


def settings(**values: Any) -> EvaluateSettings:
    short = {"draws": 20, "chunk": 1, "format": {"question": "{question}", "cue": ">"}}
    return EvaluateSettings.model_validate({**short, **values})


def a_run(
    workspace: Workspace,
    name: str,
    way: Way,
    limit: int | None = None,
    *,
    how: How = CPU,
    endpoint: str | None = None,
    **values: Any,
) -> Run:
    system = System.local(name, how, workspace) if endpoint is None else System.chat(name, endpoint)
    return Run.of(workspace, read_release(workspace.release), system, way, settings(**values), limit)


def predictions(run: Run) -> dict[tuple[str, bool], dict[str, Any]]:
    table = pq.read_table(run.folder / "predictions.parquet")
    assert table.schema.equals(PREDICTIONS)
    return {(row["item_id"], row["with_context"]): row for row in table.to_pylist()}


def _alone(loaded: Any, text: str, option: str) -> tuple[float, int]:
    """The log-likelihood of an option as one whole string with all its logits, and its tokens."""
    before, whole = (loaded.tokenizer(one)["input_ids"] for one in (text, f"{text} {option}"))
    seam = next(at for at, token in enumerate([*before, None]) if token != whole[at])
    with torch.no_grad():
        logits = loaded.model(input_ids=torch.tensor([whole])).logits[0].double()
    chance = torch.log_softmax(logits, dim=-1)
    return sum(chance[at - 1, whole[at]].item() for at in range(seam, len(whole))), len(whole) - seam


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_scores_equal_whole_strings_one_at_a_time(
    family: str, workspace: Workspace, tiny_model: Callable[[str], str]
) -> None:
    run = a_run(workspace, tiny_model(family), Way("text", "token"))
    content = evaluate_model(run)
    found, loaded = predictions(run), load_model(tiny_model(family), device="cpu")
    assert len(found) == 2 * len(ROWS)
    scored = 0
    for number, (fact, _task, _hop, _place, text, answer) in enumerate(ROWS):
        for with_context in (False, True):
            row = found[f"q{number}", with_context]
            prompt = (f"{CONTEXT[fact]}\n" if with_context else "") + f"{text}\n>"
            alone = [_alone(loaded, prompt, option) for option in CITIES]
            if row["problem"]:
                assert (row["problem"], row["chosen"], row["correct"]) == ("too long", None, None)
                continue
            scored += 1
            assert row["scores"] == pytest.approx([value for value, _ in alone], abs=1e-4)
            assert row["tokens"] == [tokens for _, tokens in alone]
            assert row["characters"] == [5, 6, 7, 13]
            by_token = [value / tokens for value, tokens in alone]
            assert row["chosen"] == by_token.index(max(by_token))
            assert row["correct"] == (row["chosen"] == answer)
            assert row["reply"] is None
    assert scored >= 10
    assert content.coverage.answered == scored
    assert sum(content.coverage.problems.values()) == 2 * len(ROWS) - scored


def test_what_the_numbers_rest_on_is_stated(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    content = evaluate_model(a_run(workspace, tiny_model("llama"), Way("text", "character"), draws=30))
    assert content.model.kind == "causal"
    assert content.release == ReleaseInfo(version="0.1.0", digest="d" * 64, simulated=False)
    assert (content.scoring.options, content.scoring.norm) == ("text", "character")
    assert content.sampling.whole is True
    assert {"tashika", "torch", "transformers"} <= set(content.versions)
    assert content.statistics.resamples == 30
    assert content.by_relation["P36"].mean_years == 5.0
    assert content.chance == 0.25


def test_letters_are_scored_behind_the_listed_options(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    run = a_run(workspace, tiny_model("gpt2"), Way("letter"))
    seen: list[Any] = []
    original = recipe.score_letters
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "score_letters", lambda *a, **k: (seen.extend(a[1]), original(*a, **k))[1])
        evaluate_model(run)
    texts = {run.settings.format.lettered(row) for row in in_order(run.questions)}
    alone = "Ada was born in\nA. Paris\nB. Berlin\nC. Tbilisi\nD. City of Light\n>"
    assert {alone, f"Ada was born.\n{alone}"} <= texts
    assert len(seen) == 2 * len(ROWS)
    for row in predictions(run).values():
        assert (row["problem"], row["characters"]) == (None, [1] * 4)
        assert row["scores"][row["chosen"]] == max(row["scores"])


def test_another_norm_asks_the_model_nothing(
    workspace: Workspace, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = {norm: a_run(workspace, tiny_model("llama"), Way("text", norm)) for norm in ("none", "token", "character")}
    assert len({run.folder for run in runs.values()}) == 3
    evaluate_model(runs["none"])
    monkeypatch.setattr(recipe, "load_model", lambda *_, **__: pytest.fail("loaded again"))
    for norm, run in runs.items():
        content = evaluate_model(run)
        assert content.scoring.norm == norm
        for row in predictions(run).values():
            if row["problem"] is None:
                by = {"none": [1] * 4, "token": row["tokens"], "character": [5, 6, 7, 13]}[norm]
                values = [score / size for score, size in zip(row["scores"], by, strict=True)]
                assert row["chosen"] == values.index(max(values))
                assert row["correct"] == (row["chosen"] == row["answer"])


def test_an_interrupted_run_goes_on_with_what_is_missing(
    workspace: Workspace, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = a_run(workspace, tiny_model("llama"), Way("text"))
    scored: Counter[str] = Counter()
    original = recipe.score_options

    def until(chunks: int) -> Callable[..., Any]:
        def score(model: Any, choices: Any, **rest: Any) -> Any:
            nonlocal chunks
            if chunks == 0:
                raise KeyboardInterrupt
            chunks -= 1
            scored.update(choice.prompt() for choice in choices)
            return original(model, choices, **rest)

        return score

    monkeypatch.setattr(recipe, "score_options", until(3))
    with pytest.raises(KeyboardInterrupt):
        evaluate_model(run)
    assert scored.total() == 6  # three chunks of a question in both conditions
    assert len(list((run.folder / "shards").rglob("part-*.parquet"))) == 3
    assert not (run.folder / "predictions.parquet").exists()
    monkeypatch.setattr(recipe, "score_options", until(99))
    evaluate_model(run)
    assert len(scored) == scored.total() == 2 * len(ROWS)  # each once, over both runs
    assert not list((run.folder / "shards").rglob("*.parquet"))

    # Scored apart, as here, or all together: the same numbers but for the last bits.
    monkeypatch.setattr(recipe, "score_options", original)
    whole = a_run(Workspace(tmp_path / "work", "tempripple"), tiny_model("llama"), Way("text", "token"), chunk=99)
    monkeypatch.setattr(tempripple_run, "_with_another_norm", lambda _run: None)
    evaluate_model(whole)
    for key, row in predictions(whole).items():
        if row["problem"] is None:
            assert predictions(run)[key]["scores"] == pytest.approx(row["scores"], abs=1e-4)


def test_parts_of_other_settings_are_not_used(
    workspace: Workspace, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = recipe.score_options, Counter[str]()

    def once(*arguments: Any, **rest: Any) -> Any:
        calls.update(["call"])
        if calls.total() > 1:
            raise KeyboardInterrupt
        return original(*arguments, **rest)

    with monkeypatch.context() as patch:
        patch.setattr(recipe, "score_options", once)
        with pytest.raises(KeyboardInterrupt):  # after the first chunk
            evaluate_model(a_run(workspace, tiny_model("llama"), Way("text")))
    assert len(list(workspace.evaluate.rglob("part-*.parquet"))) == 1
    run = a_run(workspace, tiny_model("llama"), Way("text"), format={"question": "{question}", "cue": "!"})
    evaluate_model(run)
    loaded = load_model(tiny_model("llama"), device="cpu")
    row = predictions(run)["q5", False]
    expected = [_alone(loaded, "Ada was born in\n!", option)[0] for option in CITIES]
    assert row["scores"] == pytest.approx(expected, abs=1e-4)


def test_a_finished_run_is_not_done_again(
    workspace: Workspace, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = evaluate_model(a_run(workspace, tiny_model("llama"), Way("letter")))
    monkeypatch.setattr(recipe, "load_model", lambda *_, **__: pytest.fail("loaded again"))
    assert evaluate_model(a_run(workspace, tiny_model("llama"), Way("letter"), chunk=7)) == first
    again = evaluate_model(a_run(workspace, tiny_model("llama"), Way("letter"), draws=25))
    assert again.statistics.resamples == 25


def test_a_sample_is_stated_and_lies_apart(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    run = a_run(workspace, tiny_model("llama"), Way("text"), limit=2)
    content = evaluate_model(run)
    kept = {row["item_id"] for row in predictions(run).values()}
    # Shares of P36 and P19: 4/3 and 2/3 of a fact, so one each; all questions on a fact or none.
    assert kept in ({"q0", "q1", "q2", "q5", "q6"}, {"q3", "q4", "q5", "q6"})
    assert content.sampling.facts == Share(drawn=2, of=3)
    assert content.sampling.questions == Share(drawn=len(kept), of=7)
    assert (content.sampling.whole, content.sampling.limit) == (False, 2)
    assert run.folder != a_run(workspace, tiny_model("llama"), Way("text")).folder
    assert content.by_relation["P36"].mean_years == 5.0  # of the whole release


def test_runs_that_differ_lie_apart(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    llama = tiny_model("llama")
    runs = [
        *(a_run(workspace, llama, Way("text", norm)) for norm in ("none", "token", "character")),
        a_run(workspace, llama, Way("letter")),
        a_run(workspace, llama, Way("generate")),
        a_run(workspace, llama, Way("letter"), limit=1),
        a_run(workspace, llama, Way("letter"), how=How("cpu", "bf16")),
        a_run(workspace, tiny_model("gpt2"), Way("letter")),
        a_run(workspace, llama, Way("chat"), endpoint="http://localhost:1/v1"),
        a_run(workspace, llama, Way("chat"), endpoint="http://localhost:2/v1"),
        a_run(workspace, "a:b", Way("chat"), endpoint="http://localhost:1/v1"),
        a_run(workspace, "a/b", Way("chat"), endpoint="http://localhost:1/v1"),
        a_run(workspace, "a--b", Way("chat"), endpoint="http://localhost:1/v1"),
    ]
    assert len({run.folder for run in runs}) == len(runs)
    assert len({run.stage().fingerprint() for run in runs}) == len(runs)
    assert all(run.folder.parent == workspace.evaluate for run in runs)


def test_a_masked_model_and_a_missing_one_are_refused(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="masked model") as caught:
        a_run(workspace, tiny_model("bert"), Way("text"))
    assert "--endpoint" in (caught.value.hint or "")
    with pytest.raises(InputError, match="no such folder"):
        a_run(workspace, "/nowhere/model", Way("text"))
    with pytest.raises(InputError, match="unknown dtype"):
        a_run(workspace, tiny_model("llama"), Way("text"), how=How("cpu", "int4"))


def test_a_model_on_this_machine_may_answer_in_words(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    run = a_run(workspace, tiny_model("gpt2"), Way("generate"), max_tokens=2, system="")
    content = evaluate_model(run)
    rows = predictions(run).values()
    assert {row["scores"] for row in rows} == {None}
    assert all(row["problem"] for row in rows if row["chosen"] is None)
    assert content.scoring.max_tokens == 2


# --- several devices ---

WAYS = {
    "text": (Way("text", "token"), {}),
    "letter": (Way("letter"), {}),
    "generate": (Way("generate"), {"max_tokens": 3, "llm": {"temperature": 1.0}}),
}


def bytes_of(work: Path, workspace: Workspace, name: str, options: str, how: How) -> bytes:
    """The predictions of a run in a working directory of its own, with the same release."""
    shutil.copytree(workspace.release, work / "tempripple" / "release")
    way, values = WAYS[options]
    run = a_run(Workspace(work, "tempripple"), name, way, how=how, **values)
    evaluate_model(run)
    return (run.folder / "predictions.parquet").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("options", WAYS)
def test_two_devices_write_the_same_bytes_as_one(
    options: str, workspace: Workspace, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    llama = tiny_model("llama")
    one = bytes_of(tmp_path / "one", workspace, llama, options, How("cpu"))
    assert bytes_of(tmp_path / "two", workspace, llama, options, How("cpu,cpu")) == one


@pytest.mark.parametrize("options", ["text", "generate"])
def test_a_ray_cluster_writes_the_same_bytes_as_one_process(
    options: str, ray: Any, workspace: Workspace, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    gpt2 = tiny_model("gpt2")
    one = bytes_of(tmp_path / "one", workspace, gpt2, options, How("cpu"))
    assert bytes_of(tmp_path / "ray", workspace, gpt2, options, How("cpu", engine="ray")) == one


# --- endpoints ---


Said = str | tuple[int, str]


Serve = Callable[[Callable[[str], Said]], Any]


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
    assert (with_context.n, with_context.answered, with_context.accuracy) == (3, 3, pytest.approx(1 / 3))


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
