"""MyriadLAMA's models side by side: prompt by prompt, with the relations as clusters.

Which pairs and templates a model can be asked depends on its tokenizer and its kind, so models are compared on the
prompts that all of them answered. So is Consist@1: it is computed anew from these, pair by pair, since a pair agrees
more where fewer templates are asked. Its items are pairs; those with one prompt in common have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.myriadlama.consistency import Floats, agreement_within
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.statistics.paired import Codes
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

FILE: Final = "predictions.parquet"


def pair_consistency(tables: Sequence[Floats]) -> tuple[Sequence[Floats], Codes]:
    """Consist@1 of each pair over prompts that all systems answered, and one prompt of each pair.

    Args:
        tables: Of each system (n, 2): a number of the prompt's answer, and that of its pair, which is the same for all.
    """
    _, first, pair = np.unique(tables[0][:, 1], return_index=True, return_inverse=True)
    agreements = [agreement_within(pair, table[:, 0].astype(np.int32), len(first)) for table in tables]
    several = agreements[0].possible > 0
    return [agreement.share()[several] for agreement in agreements], first[several]


MEASURES: Final = (
    Measure("acc@1", "Acc@1"),
    Measure("acc@10", "Acc@10"),
    Measure("mrr", "MRR", scale="plain"),
    Measure("consist@1", "Consist@1", regroup=pair_consistency, items="subject-relation pairs"),
    Measure("overconf@1", "Overconf@1", better=None, scale="plain"),
)
"""Overconf@1, with the weights n_i / N of the bins, is the mean confidence less Acc@1, whatever the bins: a mean."""


def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each model made of its prompts."""
    return Sides(
        MEASURES,
        [_system(folder) for folder in folders],
        clusters="relations",
        groups="relations",
        items="prompts",
        group_names=_labels(workspace),
    )


def _system(folder: Path) -> SystemSide:
    metrics = read_metrics(folder / "metrics.json", MyriadLamaMetrics)
    if metrics.plan is not None:
        return SystemSide(problem="a plan drew its prompts with unequal chances, so their plain mean is not its score")
    columns = ["item_id", "relation", "pair", "rank", "top_probability", "problem"]
    answers = [name for name in ("top_word",) if name in pq.read_schema(folder / FILE).names]  # not in older files
    table = read_table(folder / FILE, columns=[*columns, *answers])
    return SystemSide({"items": _units(table)}, sample=_sample(metrics))


def _units(table: pa.Table) -> Units:
    asks: Any = pc
    scored = np.asarray(asks.is_null(table["problem"]))
    rank = np.where(scored, np.asarray(asks.fill_null(table["rank"], 0), dtype=np.float64), np.nan)
    confidence = np.asarray(asks.fill_null(table["top_probability"], 0), dtype=np.float64)
    right = np.where(scored, rank == 1, np.nan)
    values = {
        "acc@1": right,
        "acc@10": np.where(scored, rank <= 10, np.nan),
        "mrr": 1 / rank,
        "overconf@1": confidence - right,
    }
    if "top_word" in table.column_names:
        both = np.stack([_codes(table["top_word"]), table["pair"].to_numpy()], axis=1).astype(np.float64)
        values["consist@1"] = np.where(scored[:, None], both, np.nan)
    return Units(table["item_id"], values, table["relation"], table["relation"])


def _codes(words: Any) -> Floats:
    """(n,) a number for each word; NaN where there is none."""
    asks: Any = pc
    coded: Any = words.combine_chunks()
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
    codes: Floats = np.asarray(asks.fill_null(coded.indices.cast(pa.float64()), np.nan))
    return codes


def _sample(metrics: MyriadLamaMetrics) -> str:
    """What was drawn, in words; empty for everything."""
    if metrics.lite:
        return "the lite set, each of its prompts alike"
    return "" if metrics.sampling.whole else metrics.sampling.words or "a drawn sample"


def _labels(workspace: Workspace) -> dict[str, str]:
    """The relations' names, from the release's templates; by their ids."""
    file = workspace.release / "templates" / "templates.parquet"
    if not file.is_file():
        return {}
    rows = read_table(file, columns=["relation", "relation_label"]).to_pylist()
    return dict(sorted({str(row["relation"]): f"{row['relation']} {row['relation_label']}" for row in rows}.items()))
