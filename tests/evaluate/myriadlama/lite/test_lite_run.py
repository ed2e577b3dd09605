"""`tashika evaluate myriadlama --lite`, from the command line to the files and the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError, MissingStageError
from tashika.evaluate.command import report
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS
from tashika.evaluate.myriadlama.lite.lite_run import lite_work
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tests.evaluate.myriadlama.lite.test_plan_run import metrics_of


def with_lite(work: Path, every: int) -> pa.Table:
    """Gives the release a lite set: the first of every so many prompts."""
    release = work / "myriadlama" / "release"
    prompts = work_list(read_release(release))
    rows = prompts.identity(prompts.stretch(0, len(prompts)))
    names = ("item_id", "pair", "template_id", "subject_alias_id")
    table = pa.table({name: pa.array(rows[name].to_pylist()[::every]) for name in names})
    (release / "lite").mkdir()
    pq.write_table(table, release / "lite" / "lite.parquet")
    return table


def everything(work: WorkList) -> list[str]:
    ids: list[str] = work.identity(work.stretch(0, len(work)))["item_id"].to_pylist()
    return ids


def test_the_work_list_is_the_list(work: Path) -> None:
    table = with_lite(work, 3)
    release = read_release(work / "myriadlama" / "release")
    whole = work_list(release)
    lite = lite_work(whole, release)
    assert everything(lite) == table["item_id"].to_pylist() == everything(whole)[::3]
    answers = dict(zip(whole.pair_number.tolist(), range(len(whole.pair_number)), strict=True))
    facts: dict[int, set[str]] = {}
    for pair, value in zip(whole.fact_pair.tolist(), whole.fact_object, strict=True):
        facts.setdefault(pair, set()).add(value)
    for row, pair in enumerate(lite.pair_number.tolist()):
        own = {value for at, value in zip(lite.fact_pair.tolist(), lite.fact_object, strict=True) if at == row}
        assert own == facts[answers[pair]]


def test_a_lite_set_of_another_release_is_refused(work: Path) -> None:
    table = with_lite(work, 5)
    file = work / "myriadlama" / "release" / "lite" / "lite.parquet"
    strange = pa.array(["f" * 32, *table["template_id"].to_pylist()[1:]])
    pq.write_table(table.set_column(2, "template_id", strange), file)
    release = read_release(work / "myriadlama" / "release")
    with pytest.raises(InputError, match=f"template_id {'f' * 32}, which the release does not have"):
        lite_work(work_list(release), release)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_model_is_scored_on_the_lite_set_once(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], family: str, monkeypatch: Any
) -> None:
    table = with_lite(work, 2)
    shown = run("--model", tiny_model(family), "--lite").stdout
    assert "the whole release from its lite set" in shown
    assert f"the lite set: {table.num_rows} of" in shown
    scores = metrics_of(work, "*-lite")
    assert set(scores["intervals"]) == set(NUMBERS)
    assert scores["acc@1"] == scores["intervals"]["acc@1"]["point"]
    assert scores["lite"]["prompts"]["asked"] == scores["n_prompts"]
    assert scores["sampling"]["prompts"]["drawn"] == table.num_rows
    [file] = (work / "myriadlama" / "evaluate").glob("*-lite/predictions.parquet")
    assert pq.read_table(file)["item_id"].to_pylist() == table["item_id"].to_pylist()
    result = CliRunner().invoke(report, ["myriadlama", "--work", str(work)])
    assert result.exit_code == 0, result.output
    page = Path(result.stdout.strip()).read_text()
    assert ", lite set" in page
    assert "was scored on the lite set, which is the same for every model:" in page

    monkeypatch.setattr("tashika.evaluate.myriadlama.recipe.load_model", lambda *_, **__: pytest.fail("loaded again"))
    run("--model", tiny_model(family), "--lite")


@pytest.mark.slow
def test_a_lite_set_of_everything_gives_the_full_run(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    with_lite(work, 1)
    run("--model", tiny_model("bert"))
    run("--model", tiny_model("bert"), "--lite")
    lite = metrics_of(work, "*-lite")
    [full] = [
        json.loads(file.read_text())
        for file in (work / "myriadlama" / "evaluate").glob("*/metrics.json")
        if "-lite" not in file.parent.name
    ]
    assert lite["single_token"] == full["single_token"]
    for number in ("acc@1", "acc@10", "mrr", "consist@1", "overconf@1"):
        assert lite[number] == pytest.approx(full[number], abs=1e-5)
        assert lite["intervals"][number]["half_width"] == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_candidates_are_ranked_on_the_lite_set(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    table = with_lite(work, 6)
    run("--model", tiny_model("llama"), "--lite", "--answers", "candidates")
    [folder] = (work / "myriadlama" / "evaluate" / "candidates").glob("*-lite")
    scores = json.loads((folder / "metrics.json").read_text())
    assert scores["sampling"]["prompts"]["drawn"] == table.num_rows
    assert pq.read_table(folder / "predictions.parquet")["item_id"].to_pylist() == table["item_id"].to_pylist()


def test_a_dry_run_says_what_would_be_asked(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    table = with_lite(work, 4)
    shown = run("--model", tiny_model("bert"), "--lite", "--dry-run")
    assert f"would be asked the lite set, {table.num_rows} of" in shown.stderr
    assert not (work / "myriadlama" / "evaluate").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--lite", "--plan"], InputError),
        (["--lite", "--limit", "3"], InputError),
        (["--lite", "--limit-templates", "3"], InputError),
        (["--plan", "--answers", "candidates"], InputError),
        (["--lite"], MissingStageError),
        (["--lite", "--answers", "candidates"], MissingStageError),
    ],
)
def test_what_does_not_go_together_is_refused(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str], arguments: list[str], error: type[Exception]
) -> None:
    run("--model", tiny_model("bert"), *arguments, expect=error)
    assert not (work / "myriadlama" / "evaluate").exists()
