"""What a lower precision changes: some of the prompts are asked again in float32, and the predictions compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tashika.evaluate.engine.model import NOT_A_NUMBER, PROBLEMS
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.myriadlama.metrics import Difference, PrecisionCheck, TwoCounts, TwoPrecisions
from tashika.evaluate.myriadlama.recipe import PromptRecipe

_STRETCHES: Final = 20
_COLUMNS: Final = ["rank", "probability", "top_token", "problem"]
Stretches = Sequence[tuple[int, int]]


def stretches(total: int, prompts: int) -> Stretches:
    """About so many prompts, in short stretches spread evenly over all of them."""
    if prompts >= total:
        return [(0, total)]
    count = min(_STRETCHES, prompts)
    size = prompts // count
    starts = np.linspace(0, total - size, count).astype(int).tolist()
    return [(start, start + size) for start in starts]


def agreement(
    recipe: PromptRecipe, predictions: Path, chosen: Stretches, advance: Advance = lambda _: None
) -> PrecisionCheck:
    """Compares predictions with those of the same model in float32, on its device.

    Args:
        recipe: How the predictions were made.
        predictions: Their file, one row a prompt in the order of the work list.
        chosen: See `stretches`.
        advance: Called with the number of prompts done.
    """
    exact = replace(recipe, dtype="fp32").make(recipe.device)
    tables = [exact.score(start, stop, advance) for start, stop in chosen]
    return compared(rows_of(predictions, chosen), pa.concat_tables(tables).select(_COLUMNS))


def compared(lower: pa.Table, exact: pa.Table) -> PrecisionCheck:
    """How far two tables of predictions of the same prompts agree, over those that both answered.

    Args:
        lower: At the run's precision.
        exact: In float32.
    """
    lost = TwoCounts(lower=_not_numbers(lower), fp32=_not_numbers(exact))
    both = pc.and_(pc.is_null(lower["problem"]), pc.is_null(exact["problem"]))
    low, full = ({name: _array(table.filter(both)[name]) for name in _COLUMNS[:-1]} for table in (lower, exact))
    count = len(low["rank"])
    if count == 0:
        return PrecisionCheck(prompts=0, not_a_number=lost, ranks_equal=None, top_tokens_equal=None)
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.abs(np.log(low["probability"]) - np.log(full["probability"]))
    off = off[np.isfinite(off)]  # a probability may be too small for float32
    return PrecisionCheck(
        prompts=count,
        not_a_number=lost,
        ranks_equal=float(np.mean(low["rank"] == full["rank"])),
        top_tokens_equal=float(np.mean(low["top_token"] == full["top_token"])),
        acc_at_1=TwoPrecisions(lower=float(np.mean(low["rank"] == 1)), fp32=float(np.mean(full["rank"] == 1))),
        acc_at_10=TwoPrecisions(lower=float(np.mean(low["rank"] <= 10)), fp32=float(np.mean(full["rank"] <= 10))),
        log_probability_off=Difference(mean=float(off.mean()), max=float(off.max())) if len(off) else None,
    )


def _not_numbers(table: pa.Table) -> int:
    """Prompts whose output was not a number."""
    return int(table["problem"].to_pylist().count(PROBLEMS[NOT_A_NUMBER]))


def rows_of(file: Path, chosen: Stretches) -> pa.Table:
    """Some stretches of rows of a Parquet file; only the row groups that hold them are read."""
    parts = []
    with pq.ParquetFile(file) as parquet:
        sizes = [parquet.metadata.row_group(place).num_rows for place in range(parquet.num_row_groups)]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        for start, stop in chosen:
            first = int(np.searchsorted(begins, start, side="right")) - 1
            last = int(np.searchsorted(begins, stop, side="left"))
            table = parquet.read_row_groups(list(range(first, last)), columns=_COLUMNS)
            parts.append(table.slice(start - int(begins[first]), stop - start))
    return pa.concat_tables(parts)


def _array(column: Any) -> Any:
    return column.to_numpy()
