"""`tashika evaluate myriadlama --plan`, from the command line to the files and the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError
from tashika.evaluate.command import report
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS


def metrics_of(work: Path, pattern: str) -> Any:
    [found] = (work / "myriadlama" / "evaluate").glob(f"{pattern}/metrics.json")
    return json.loads(found.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_plan_that_needs_everything_gives_the_full_run(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], family: str
) -> None:
    shown = run("--model", tiny_model(family), "--plan", "--pilot-pairs", "2").stdout
    assert "by plan" in shown
    assert "every number is known within 0.02" in shown
    planned = metrics_of(work, "*-plan-0.02")
    shutil.rmtree(work / "myriadlama" / "evaluate")
    run("--model", tiny_model(family))
    full = metrics_of(work, "*")
    for number in ("acc@1", "acc@10", "mrr", "consist@1", "overconf@1", "overconf@10"):
        assert planned[number] == pytest.approx(full[number], abs=1e-6)  # batches of other sizes
        assert planned["intervals"][number]["half_width"] == 0
    for measure in ("acc@1", "acc@10", "mrr"):
        for spread in ("range", "stdev", "lowest_possible"):
            expected = full["fluctuation"][measure][spread]
            assert planned["fluctuation"][measure][spread] == pytest.approx(expected, abs=1e-6)
    assert planned["sampling"]["whole"] is True
    assert planned["n_prompts"] == full["n_prompts"] == planned["plan"]["prompts"]["of"]
    assert planned["single_token"] == full["single_token"]


def test_a_wide_plan_is_content_with_its_pilot_and_is_made_once(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--model", tiny_model("bert"), "--plan", "--pilot-pairs", "2", "--half-width", "0.45")
    run(*arguments)
    found = metrics_of(work, "*-plan-0.45")
    chosen, pilot, prompts = (found["plan"][name] for name in ("chosen", "pilot", "prompts"))
    assert pilot["prompts"] <= prompts["asked"] < prompts["of"]
    for relation, asked in pilot["pairs_by_relation"].items():
        assert chosen["pairs_by_relation"][relation] >= asked
    assert set(found["intervals"]) == set(found["plan"]["predicted_half_widths"]) == set(NUMBERS)
    for one in found["intervals"].values():
        assert one["low"] <= one["point"] <= one["high"]
    [file] = (work / "myriadlama" / "evaluate").glob("*-plan-0.45/predictions.parquet")
    rows = pq.read_table(file)
    assert rows.num_rows == len(set(rows["item_id"].to_pylist())) == prompts["asked"]
    assert not list((work / "myriadlama").rglob("rest.parquet"))

    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded again"))
    run(*arguments)


@pytest.mark.slow
def test_plans_of_two_half_widths_share_a_pilot(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    arguments = ("--model", tiny_model("bert"), "--plan", "--pilot-pairs", "2", "--half-width")
    run(*arguments, "0.45")
    [pilot] = (work / "myriadlama" / "evaluate").glob("*-pilot/pilot.parquet")
    before = pilot.stat().st_mtime_ns
    shown = run(*arguments, "0.3")
    assert "nothing to do" in shown.stderr
    assert pilot.stat().st_mtime_ns == before


def test_a_dry_run_tells_the_price_of_the_pilot(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded"))
    shown = run("--model", tiny_model("bert"), "--plan", "--pilot-pairs", "2", "--dry-run")
    assert "the pilot would ask" in shown.stderr
    assert not (work / "myriadlama" / "evaluate").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--plan", "--half-width", "0"],
        ["--plan", "--half-width", "0.6"],
        ["--plan", "--pilot-pairs", "1"],
        ["--plan", "--limit", "3"],
        ["--half-width", "0.02"],
        ["--pilot-pairs", "4"],
    ],
)
def test_options_that_make_no_sense_are_refused(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], arguments: list[str]
) -> None:
    run("--model", tiny_model("bert"), *arguments, expect=InputError)
    assert not (work / "myriadlama" / "evaluate").exists()


@pytest.mark.slow
def test_the_report_shows_intervals_beside_a_full_run(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    run("--model", tiny_model("bert"))
    run("--model", tiny_model("bert"), "--plan", "--pilot-pairs", "2", "--half-width", "0.45")
    result = CliRunner().invoke(report, ["myriadlama", "--work", str(work)])
    assert result.exit_code == 0, result.output
    page = Path(result.stdout.strip()).read_text()
    found = metrics_of(work, "*-plan-0.45")
    low, high = (f"{found['intervals']['acc@10'][end]:.2%}" for end in ("low", "high"))
    assert f'<span class="interval">{low} to {high}</span>' in page
    assert "plan ±0.45" in page
    assert "was scored by a plan:" in page
    table_2 = page[page.index('id="scores"') : page.index('id="candidates"')]
    assert table_2.count('class="interval"') == len(NUMBERS)
