"""`tashika evaluate`, `report` and `models`, from the command line to the files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from typer.testing import CliRunner

from tashika.core.errors import InputError, MissingStageError
from tashika.evaluate.command import report
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tests.hostile import KINDS_OF_BREAKS, Trap, assert_refused, broken_model


def _folder(work: Path, name: str) -> Path:
    """The one folder of a model's scores: its name, and for a local model a part of its revision."""
    [found] = (work / "myriadlama" / "evaluate").glob(f"{name}*")
    return found


def _metrics(work: Path, name: str) -> Any:
    return json.loads((_folder(work, name) / "metrics.json").read_text())


@pytest.mark.slow
def test_a_masked_and_a_causal_model_are_scored_once(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bert, llama = tiny_model("bert"), tiny_model("llama")
    shown = run("--model", bert, "--model", llama).stdout
    for word in (
        "consist@1",
        "overconf@10, equation 6",
        "overconf@10, mass of ten",
        "one-token objects",
        "left out",
        "blank is not at the end",
    ):
        assert word in shown
    masked, causal = _metrics(work, Path(bert).name), _metrics(work, Path(llama).name)
    assert (masked["model"]["kind"], causal["model"]["kind"]) == ("masked", "causal")
    assert masked["model"]["revision"].startswith("sha256:")
    assert masked["release"] == {"version": "0.1.0", "digest": "d" * 64, "simulated": True}
    assert set(masked["fluctuation"]) == {"acc@1", "acc@10", "mrr"}
    assert masked["sampling"]["whole"] is True
    assert causal["coverage"]["left_out"]["blank is not at the end"] > 0
    table = pq.read_table(_folder(work, Path(bert).name) / "predictions.parquet")
    assert table.schema.names == PREDICTION.names
    assert masked["n_prompts"] + sum(masked["coverage"]["left_out"].values()) == table.num_rows

    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded again"))
    run("--model", bert, "--model", llama)


@pytest.mark.slow
def test_other_settings_of_the_scores_do_not_ask_the_model_again(
    run: Callable[..., Any], work: Path, tmp_path: Path, tiny_model: Callable[[str], str], monkeypatch: Any
) -> None:
    bert = tiny_model("bert")
    run("--model", bert)
    config = tmp_path / "config.toml"
    config.write_text(config.read_text().replace("draws = 20", "draws = 30"))
    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded again"))
    run("--model", bert)
    assert _metrics(work, Path(bert).name)["settings"]["draws"] == 30


def test_a_sample_is_stated(run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]) -> None:
    bert = tiny_model("bert")
    shown = run("--model", bert, "--limit", "3", "--limit-templates", "2", "--limit-aliases", "1").stdout
    assert "a sample: 3 of 6 pairs, 6 of" in shown
    found = _metrics(work, Path(bert).name)["sampling"]
    assert found["limits"] == {"pairs": 3, "templates": 2, "aliases": 1}
    assert found["prompts"]["drawn"] == 6


def test_a_dry_run_loads_nothing_and_leaves_nothing(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded"))
    run("--model", tiny_model("llama"), "--dry-run")
    assert not (work / "myriadlama" / "evaluate").exists()


def test_what_is_wrong_is_said_before_anything_is_written(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    run("--model", "./no/such/model", expect=InputError)
    run("--model", tiny_model("bert"), "--device", "abacus", expect=InputError)
    run("--model", tiny_model("bert"), "--dtype", "int3", expect=InputError)
    shutil.rmtree(work / "myriadlama" / "release")
    run("--model", tiny_model("bert"), expect=MissingStageError)
    assert not list(work.rglob("predictions.parquet"))


def test_the_note_of_a_model_travels_to_its_scores(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    prepared = work / "models" / "tiny-bert"
    shutil.copytree(tiny_model("bert"), prepared)
    (prepared / "tashika.json").write_text(json.dumps({"note": "knows only the demo's world"}))
    assert "knows only the demo's world" in run("--model", "tiny-bert").stdout
    assert _metrics(work, "tiny-bert")["model"]["note"] == "knows only the demo's world"


@pytest.mark.slow
def test_the_report_is_written_and_named(run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]) -> None:
    run("--model", tiny_model("bert"))
    result = CliRunner().invoke(report, ["myriadlama", "--work", str(work)])
    assert result.exit_code == 0, result.output
    page = Path(result.stdout.strip())
    assert page.is_file()
    assert page.name == "report.html"


def test_a_lower_precision_says_what_it_changed(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    bert = tiny_model("bert")
    assert "bf16 against fp32 on" in run("--model", bert, "--dtype", "bf16").stdout
    found = _metrics(work, Path(bert).name)
    assert (found["model"]["dtype"], found["precision"]["prompts"]) == ("bf16", found["n_prompts"])
    assert 0.5 < found["precision"]["ranks_equal"] <= 1
    CliRunner().invoke(report, ["myriadlama", "--work", str(work)])
    assert "It ran in bf16. Of" in (work / "myriadlama" / "evaluate" / "report.html").read_text(encoding="utf-8")


def _predictions(work: Path, model: str) -> bytes:
    """The bytes of the predictions, which are then removed with all that lies beside them."""
    folder = _folder(work, Path(model).name)
    written = (folder / "predictions.parquet").read_bytes()
    shutil.rmtree(folder)
    return written


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.SHARD_PROMPTS", {"masked": 12, "causal": 12})


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "llama"])
@pytest.mark.usefixtures("small_shards")
def test_two_devices_write_the_bytes_of_one_process(
    family: str, run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    model = tiny_model(family)
    run("--model", model, "--device", "cpu")
    single = _predictions(work, model)
    run("--model", model, "--device", "cpu,cpu")
    assert _predictions(work, model) == single


@pytest.mark.parametrize("family", ["bert", "llama"])
@pytest.mark.usefixtures("ray", "small_shards")
def test_a_cluster_writes_the_bytes_of_one_process(
    family: str, run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    model = tiny_model(family)
    run("--model", model, "--device", "cpu")
    single = _predictions(work, model)
    run("--model", model, "--engine", "ray")
    assert _predictions(work, model) == single


def test_another_number_of_devices_is_the_same_run(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bert = tiny_model("bert")
    run("--model", bert, "--device", "cpu,cpu")
    assert _metrics(work, Path(bert).name)["model"]["device"] == "cpu"
    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded again"))
    run("--model", bert, "--device", "cpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one here")
@pytest.mark.parametrize("device", ["cuda:all", "cpu,cuda", "cpu,,"])
def test_devices_that_are_not_there_are_refused(
    device: str, run: Callable[..., Any], tiny_model: Callable[[str], str]
) -> None:
    run("--model", tiny_model("bert"), "--device", device, expect=InputError)


@pytest.mark.parametrize("how", KINDS_OF_BREAKS)
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_broken_model_is_refused(
    work: Path,
    tmp_path: Path,
    tashika: Callable[..., Any],
    tiny_model: Callable[[str], str],
    trap: Trap,
    family: str,
    how: str,
) -> None:
    model = broken_model(tiny_model(family), tmp_path / "model", how, trap)
    ran = tashika("evaluate", "myriadlama", "--model", model, "--device", "cpu", "--work", work)
    assert_refused(ran.code, ran.err, model, trap)


def test_a_broken_model_is_refused_on_several_devices(
    work: Path, tmp_path: Path, tashika: Callable[..., Any], tiny_model: Callable[[str], str], trap: Trap
) -> None:
    model = broken_model(tiny_model("bert"), tmp_path / "model", "bin with code", trap)
    ran = tashika("evaluate", "myriadlama", "--model", model, "--device", "cpu,cpu", "--work", work)
    assert_refused(ran.code, ran.err, model, trap)
