"""`tashika evaluate kuci` through tiny models and an endpoint: every way to a choice, resuming, what is refused."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from typer.testing import CliRunner

from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.models import load_model
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.evaluate.command import app
from tashika.evaluate.kuci.answers import read_reply
from tashika.evaluate.kuci.asking import BASELINES
from tashika.evaluate.kuci.predictions import PREDICTIONS
from tashika.evaluate.kuci.questions import read_release
from tashika.evaluate.kuci.run import Run, evaluate_system
from tashika.evaluate.kuci.settings import EvaluateSettings, Way
from tashika.evaluate.systems import How, System
from tashika.evaluate.ways.generation import Unparsable
from tests.evaluate.kuci.toys import EVENTS, SPLITS, a_workspace
from tests.hostile import KINDS_OF_BREAKS, Trap, assert_refused, broken_model

SHORT = {"training": {"epochs": 1, "batch": 2, "seeds": [0]}, "resamples": 50}
OPTIONS = ("ご飯を食べる", "傘を差す", "水を飲む", "電気をつける")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "work")


@pytest.fixture
def run(workspace: Workspace, tmp_path: Path) -> Callable[..., Any]:
    """Runs the command with small settings."""
    config = tmp_path / "kuci.toml"
    config.write_text("[evaluate]\nresamples = 50\n[evaluate.training]\nepochs = 1\nbatch = 2\nseeds = [0]\n")

    def call(*arguments: str, expect: type[BaseException] | None = None) -> Any:
        line = ["kuci", *arguments, "--work", str(workspace.root), "--config", str(config)]
        result = CliRunner().invoke(app, line)
        if expect is None:
            assert result.exit_code == 0, result.output + str(result.exception)
        else:
            assert isinstance(result.exception, expect)
        return result

    return call


def metrics(workspace: Workspace) -> dict[str, Any]:
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in workspace.evaluate.glob("*/metrics.json")
    }


def a_run(workspace: Workspace, name: str, way: Way, endpoint: str | None = None, **values: Any) -> Run:
    """A run on the published set."""
    settings = EvaluateSettings.model_validate({**SHORT, **values})
    system = System.chat(name, endpoint) if endpoint else System.local(name, How("cpu"), workspace)
    return Run.of(workspace, read_release(workspace.release), system, way, settings, ["both"])


def test_the_packaged_settings_are_the_published_ones() -> None:
    settings = load_section("kuci", "evaluate", EvaluateSettings)
    assert settings.model_copy(update={"llm": EvaluateSettings().llm}) == EvaluateSettings()


@pytest.mark.slow
def test_an_encoder_is_fine_tuned_on_every_set_whole_and_on_options_alone(
    workspace: Workspace, run: Callable[..., Any], toy_encoder: Path
) -> None:
    printed = run("--model", str(toy_encoder), "--device", "cpu", "--seeds", "3", "--seeds", "4").stdout
    found = metrics(workspace)
    assert {content["model"]["kind"] for content in found.values()} == {"baseline", "masked"}
    assert len(found) == len(BASELINES) + 2
    shows = {
        content["scoring"]["show"]: content for content in found.values() if content["scoring"]["how"] != "baseline"
    }
    for content in shows.values():
        assert set(content["sets"]) == {"both", "without_similarity", "without_length"}
        assert [run["seed"] for run in content["sets"]["both"]["by_seed"]] == content["seeds"] == [3, 4]
        assert [(row["set"], row["seed"]) for row in content["training"]][:2] == [("both", 3), ("both", 4)]
        assert content["sets"]["both"]["questions"] == len(SPLITS["test"])
        assert [row["set"] for row in content["differences"]] == ["without_similarity", "without_length"]
        assert {"tashika", "torch", "transformers"} <= set(content["versions"])
    assert shows["options"]["model"]["name"].endswith(", options only")
    assert "options only" in printed
    assert not list(workspace.evaluate.rglob("weights.pt"))


@pytest.mark.slow
def test_a_second_run_does_nothing_and_another_seed_only_itself(
    workspace: Workspace, run: Callable[..., Any], toy_encoder: Path
) -> None:
    line = ("--model", str(toy_encoder), "--device", "cpu", "--set", "both", "--no-artefact-check")
    run(*line)
    before = {path: path.stat().st_mtime_ns for path in workspace.evaluate.rglob("parts/*.parquet")}
    repeated = run(*line).stderr
    assert "epoch 1" not in repeated
    assert "baselines: nothing to do" in repeated
    assert "baseline 1:" not in repeated
    again = run(*line, "--seeds", "0", "--seeds", "1").stderr
    assert again.count("epoch 1:") == 1
    assert (
        before.items()
        <= {path: path.stat().st_mtime_ns for path in workspace.evaluate.rglob("parts/*.parquet")}.items()
    )
    [content] = [content for content in metrics(workspace).values() if content["scoring"]["how"] == "fine-tuned"]
    assert content["sets"]["both"]["runs"] == 2


@pytest.mark.slow
def test_options_alone_are_all_that_the_check_sees(workspace: Workspace, toy_encoder: Path) -> None:
    way = Way("fine-tuned", show="options")
    first = pq.read_table(_predicted(workspace, toy_encoder, way))
    for split in SPLITS:
        file = workspace.release / "questions" / f"{split}.parquet"
        table = pq.read_table(file)
        contexts = [f"{context}あ" for context in table["context"].to_pylist()]
        pq.write_table(table.set_column(table.column_names.index("context"), "context", [contexts]), file)
    second = pq.read_table(_predicted(workspace, toy_encoder, way))
    assert first["scores"].to_pylist() == second["scores"].to_pylist()


def _predicted(workspace: Workspace, encoder: Path, way: Way) -> Path:
    run = a_run(workspace, str(encoder), way)
    evaluate_system(run)
    return run.folder / "predictions.parquet"


def _alone(loaded: Any, text: str, option: str) -> tuple[float, int]:
    """The log-likelihood of an option as one whole string with all its logits, and its tokens."""
    before, whole = (loaded.tokenizer(one)["input_ids"] for one in (text, text + option))
    seam = next(at for at, token in enumerate([*before, None]) if token != whole[at])
    with torch.no_grad():
        logits = loaded.model(input_ids=torch.tensor([whole])).logits[0].double()
    chance = torch.log_softmax(logits, dim=-1)
    return sum(chance[at - 1, whole[at]].item() for at in range(seam, len(whole))), len(whole) - seam


@pytest.mark.slow
def test_a_causal_model_reads_on_without_a_space(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    """Byte tokens of Japanese are three a character, and the tiny model reads 48: only short questions fit."""
    run = a_run(workspace, tiny_model("gpt2"), Way("zero-shot", norm="token"))
    evaluate_system(run)
    table, loaded = pq.read_table(run.folder / "predictions.parquet"), load_model(tiny_model("gpt2"), device="cpu")
    assert table.schema.equals(PREDICTIONS)
    scored = 0
    for row, question in zip(table.to_pylist(), run.questions("both"), strict=True):
        if row["problem"]:
            assert (row["choice"], row["correct"], row["problem"]) == (None, None, "too long")
            continue
        scored += 1
        alone = [_alone(loaded, f"{question.context}、", option) for option in question.options]
        assert row["scores"] == pytest.approx([value / tokens for value, tokens in alone], abs=1e-3)
    assert scored


def test_the_norm_changes_scores_and_the_folder(workspace: Workspace, tiny_model: Callable[[str], str]) -> None:
    runs = [a_run(workspace, tiny_model("gpt2"), Way("zero-shot", norm=norm)) for norm in ("none", "character")]
    assert len({run.folder for run in runs}) == 2
    whole, each = (_scores(run) for run in runs)
    for question, sums, means in zip(runs[0].questions("both"), whole, each, strict=True):
        if sums:
            assert means == pytest.approx(
                [value / len(option) for value, option in zip(sums, question.options, strict=True)], rel=1e-4
            )


def _scores(run: Run) -> list[Any]:
    evaluate_system(run)
    found: list[Any] = pq.read_table(run.folder / "predictions.parquet")["scores"].to_pylist()
    return found


def _right(prompt: str) -> str:
    """The letter of the option that follows from the context."""
    answer = next(consequent for context, consequent, *_ in EVENTS if prompt.startswith(context))
    [letter] = re.findall(rf"^([A-D])\. {answer}$", prompt, re.MULTILINE)
    return str(letter)


def test_a_chat_model_answers_with_letters(workspace: Workspace, run: Callable[..., Any], chat: Any) -> None:
    served = chat(lambda prompt: f"答え：{_right(prompt)}")
    printed = run("--model", "m", "--endpoint", served.url, "--set", "both").stdout
    [content] = [content for content in metrics(workspace).values() if content["scoring"]["how"] == "chat"]
    assert content["sets"]["both"]["accuracy"] == 1.0
    assert content["model"]["kind"] == "chat"
    assert "1.000 [" in printed
    asked = served.asked[0]["messages"]
    assert "記号" in asked[0]["content"]
    assert asked[1]["content"].endswith("答え:")
    assert len(served.asked) == len(SPLITS["test"])
    run("--model", "m", "--endpoint", served.url, "--set", "both")
    assert len(served.asked) == len(SPLITS["test"])


def test_replies_that_are_no_answer_are_counted_apart(workspace: Workspace, chat: Any) -> None:
    served = chat(lambda prompt: "わかりません" if prompt.startswith("眠い") else _right(prompt))
    run = a_run(workspace, "m", Way("chat"), served.url)
    score = evaluate_system(run).sets["both"]
    assert (score.n, score.answered, score.accuracy) == (6, 5, 1.0)
    assert list(score.problems.values()) == [1]


@pytest.mark.usefixtures("never_waits")
def test_an_endpoint_that_fails_leaves_no_scores(workspace: Workspace, chat: Any) -> None:
    served = chat(lambda prompt: (500, "broken") if prompt.startswith("眠い") else _right(prompt))
    llm = {"concurrency": 1}
    run = a_run(workspace, "m", Way("chat"), served.url, llm=llm)
    with pytest.raises(OutsideError, match="1 of 6 questions got no reply"):
        evaluate_system(run)
    assert not (run.folder / "metrics.json").exists()
    kept = a_run(workspace, "m", Way("chat"), served.url, llm=llm, missing_replies=True)
    assert evaluate_system(kept).sets["both"].answered == 5


def test_baselines_need_no_model(workspace: Workspace, run: Callable[..., Any]) -> None:
    assert "artefact check: " in run().stdout
    found = metrics(workspace)
    assert len(found) == len(BASELINES)
    parts = {name: content["all_parts"] for name, content in found.items()}
    asked = {name: set(content["by_part"]["both"]) for name, content in found.items()}
    assert asked.pop("baseline-bag-of-words") == {"train", "test"}  # it chooses its penalty by the validation part
    assert all(splits == {"train", "validation", "test"} for splits in asked.values())
    whole = [one for part in read_release(workspace.release).sets["both"].values() for one in part]
    right = sum(max(range(4), key=lambda at: len(one.options[at])) == one.answer for one in whole)
    told = parts["baseline-longest-option"]["both"]
    assert (told["questions"], told["correct"]) == (len(EVENTS), right)
    longest = pq.read_table(workspace.evaluate / "baseline-longest-option" / "predictions.parquet").to_pylist()
    test = {
        (name, question.item_id): question
        for name, parts in read_release(workspace.release).sets.items()
        for question in parts["test"]
    }
    assert len(longest) == len(test)
    for row in longest:
        options = test[row["set"], row["item_id"]].options
        assert len(options[row["choice"]]) == max(map(len, options))


def test_a_limit_draws_from_every_part_and_says_so(workspace: Workspace, run: Callable[..., Any]) -> None:
    assert "a sample: at most 3 questions" in run("--limit", "3").stdout
    sampling = metrics(workspace)["baseline-longest-option-3-questions"]["sampling"]
    assert sampling["drawn"] == {"both": 3, "without_similarity": 3, "without_length": 3}
    assert (sampling["of"]["both"], sampling["whole"]) == (6, False)


def test_a_dry_run_writes_and_sends_nothing(
    workspace: Workspace, run: Callable[..., Any], toy_encoder: Path, chat: Any
) -> None:
    assert "fine-tuned 3 times" in run("--model", str(toy_encoder), "--dry-run").stderr
    served = chat(_right)
    assert "at most 18 requests to m" in run("--model", "m", "--endpoint", served.url, "--dry-run").stderr
    assert served.asked == []
    assert not workspace.evaluate.exists()


def test_a_release_without_ablations_is_scored_on_what_it_has(tmp_path: Path, run: Callable[..., Any]) -> None:
    workspace = a_workspace(tmp_path / "other", ["both"])
    result = CliRunner().invoke(app, ["kuci", "--work", str(workspace.root)])
    assert result.exit_code == 0
    assert "without_similarity and without_length" in result.stderr
    refused = CliRunner().invoke(app, ["kuci", "--work", str(workspace.root), "--set", "without_length"])
    assert isinstance(refused.exception, InputError)


@pytest.mark.parametrize("option", [("--norm", "token"), ("--dtype", "fp16")])
def test_options_that_fine_tuning_does_not_know(
    option: tuple[str, str], run: Callable[..., Any], toy_encoder: Path
) -> None:
    run("--model", str(toy_encoder), *option, expect=InputError)


@pytest.mark.parametrize("option", [("--norm", "token"), ("--device", "cpu"), ("--dtype", "fp32")])
def test_options_that_an_endpoint_does_not_know(option: tuple[str, str], run: Callable[..., Any]) -> None:
    assert option[0] in str(
        run("--model", "m", "--endpoint", "http://localhost/v1", *option, expect=InputError).exception
    )


def test_a_setting_that_nobody_knows(workspace: Workspace, tmp_path: Path) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text("[evaluate.training]\nepoch = 3\n")
    result = CliRunner().invoke(app, ["kuci", "--work", str(workspace.root), "--config", str(config)])
    assert isinstance(result.exception, ConfigError)
    assert "epoch" in str(result.exception)


@pytest.mark.parametrize(
    "reply", ["B", "Ｂ", "答え: B", "答え：Ｂ", "正解は B です。", "B。", "(B)", "傘を差す", "**B**", "答えはBです"]
)
def test_replies_that_name_an_option(reply: str) -> None:
    assert read_reply(reply, OPTIONS) == 1


@pytest.mark.parametrize("reply", ["", "E", "AとB", "B か C です。", "傘", "答え:", "たぶんBだと思います。"])
def test_replies_that_name_none(reply: str) -> None:
    with pytest.raises(Unparsable):
        read_reply(reply, OPTIONS)


def test_broken_models_are_refused(
    workspace: Workspace,
    tmp_path: Path,
    tashika: Callable[..., Any],
    toy_encoder: Path,
    tiny_model: Callable[[str], str],
    trap: Trap,
) -> None:
    """In one test, since the baselines before them take their time and are scored once a workspace."""
    config = tmp_path / "kuci.toml"
    config.write_text("[evaluate]\nresamples = 5\n")
    where = ("--set", "both", "--device", "cpu", "--work", workspace.root, "--config", config)
    for good, how in itertools.product((str(toy_encoder), tiny_model("llama")), KINDS_OF_BREAKS):
        model = broken_model(good, tmp_path / Path(good).name / how, how, trap)
        ran = tashika("evaluate", "kuci", "--model", model, *where)
        assert_refused(ran.code, ran.err, model, trap)
