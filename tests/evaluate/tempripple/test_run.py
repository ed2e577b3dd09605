"""TempRIPPLE through tiny models: scores against single sequences, resuming, norms, several devices."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tashika.core.errors import InputError
from tashika.core.models import load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import ReleaseInfo
from tashika.evaluate.systems import How
from tashika.evaluate.tempripple import recipe
from tashika.evaluate.tempripple import run as tempripple_run
from tashika.evaluate.tempripple.metrics_model import Share
from tashika.evaluate.tempripple.questions import in_order
from tashika.evaluate.tempripple.run import evaluate_model
from tashika.evaluate.tempripple.settings import Way
from tashika.evaluate.ways.options import score_letters, score_options
from tests.evaluate.tempripple.runs import CITIES, CONTEXT, ROWS, a_run, a_workspace, predictions


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "work")


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

    def score(model: Any, questions: Any, *arguments: Any, **rest: Any) -> Any:
        seen.extend(questions)
        return score_letters(model, questions, *arguments, **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "score_letters", score)
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

    def until(chunks: int) -> Callable[..., Any]:
        def score(model: Any, choices: Any, **rest: Any) -> Any:
            nonlocal chunks
            if chunks == 0:
                raise KeyboardInterrupt
            chunks -= 1
            scored.update(choice.prompt() for choice in choices)
            return score_options(model, choices, **rest)

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
    monkeypatch.setattr(recipe, "score_options", score_options)
    whole = a_run(Workspace(tmp_path / "work", "tempripple"), tiny_model("llama"), Way("text", "token"), chunk=99)
    monkeypatch.setattr(tempripple_run, "_with_another_norm", lambda _run: None)
    evaluate_model(whole)
    for key, row in predictions(whole).items():
        if row["problem"] is None:
            assert predictions(run)[key]["scores"] == pytest.approx(row["scores"], abs=1e-4)


def test_parts_of_other_settings_are_not_used(
    workspace: Workspace, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Counter[str]()

    def once(*arguments: Any, **rest: Any) -> Any:
        calls.update(["call"])
        if calls.total() > 1:
            raise KeyboardInterrupt
        return score_options(*arguments, **rest)

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

WAYS: dict[str, tuple[Way, dict[str, Any]]] = {
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
