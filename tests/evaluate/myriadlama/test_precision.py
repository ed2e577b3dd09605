"""What a lower precision changes, told by asking again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.engine.shards import plan, write_predictions
from tashika.evaluate.myriadlama.metrics import TwoPrecisions
from tashika.evaluate.myriadlama.precision import agreement, compared, rows_of, stretches
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import read_release, work_list
from tashika.evaluate.myriadlama.recipe import PromptRecipe


def _table(rank: list[int | None], probability: list[float | None], top: list[int | None]) -> pa.Table:
    problem = [None if one is not None else "too long" for one in rank]
    return pa.table(
        {"rank": rank, "probability": probability, "top_token": top, "problem": pa.array(problem, pa.string())}
    )


def test_a_worked_example() -> None:
    lower = _table([1, 2, 30, 4, None], [0.5, 0.2, 0.1, 0.1, None], [7, 8, 9, 9, None])
    exact = _table([1, 1, 30, None, 2], [0.5, 0.4, 0.1, None, 0.3], [7, 5, 9, None, 1])
    found = compared(lower, exact)
    assert found.prompts == 3
    assert found.ranks_equal == pytest.approx(2 / 3)
    assert found.top_tokens_equal == pytest.approx(2 / 3)
    assert found.acc_at_1 == TwoPrecisions(lower=1 / 3, fp32=2 / 3)
    assert found.acc_at_10 == TwoPrecisions(lower=2 / 3, fp32=2 / 3)
    assert found.log_probability_off is not None
    assert found.log_probability_off.max == pytest.approx(np.log(2), rel=1e-5)
    assert found.log_probability_off.mean == pytest.approx(np.log(2) / 3, rel=1e-5)


def test_nothing_in_common_has_no_shares() -> None:
    assert compared(_table([None], [None], [None]), _table([1], [0.5], [3])).ranks_equal is None


@given(st.integers(1, 5_000), st.integers(1, 2_000))
def test_stretches_are_apart_and_as_many_as_asked(total: int, prompts: int) -> None:
    found = stretches(total, prompts)
    assert all(0 <= start < stop <= total for start, stop in found)
    places = [place for start, stop in found for place in range(start, stop)]
    assert len(places) == len(set(places))
    assert min(prompts, total) * 0.5 <= len(places) <= prompts


def test_reads_the_rows_that_are_wanted(tmp_path: Path) -> None:
    table = _table(list(range(1, 101)), [0.5] * 100, list(range(100)))
    pq.write_table(table, tmp_path / "predictions.parquet", row_group_size=7)
    found = rows_of(tmp_path / "predictions.parquet", [(0, 3), (6, 8), (40, 60), (99, 100)])
    assert found["top_token"].to_pylist() == [0, 1, 2, 6, 7, *range(40, 60), 99]


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_a_real_model(dtype: str, tiny_model: Callable[[str], str], release_folder: Path, tmp_path: Path) -> None:
    work = work_list(read_release(release_folder))
    recipe = PromptRecipe(tiny_model("bert"), "masked", "cpu", dtype, work)
    target = tmp_path / "predictions.parquet"
    write_predictions([recipe.scorer()], plan(target, "k" * 64, len(work), 20_000), target, PREDICTION, "test")
    found = agreement(recipe, target, stretches(len(work), 30))
    assert 10 < found.prompts <= 30
    assert found.log_probability_off is not None
    if dtype == "fp32":
        assert (found.ranks_equal, found.top_tokens_equal) == (1.0, 1.0)
        assert found.log_probability_off.max < 1e-4
    else:
        assert 0 < found.log_probability_off.mean < 0.2
