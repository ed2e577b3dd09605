"""MyriadLAMA's models side by side: prompt by prompt, with the relations as clusters.

Which pairs and templates a model can be asked depends on its tokenizer and its kind, so models are compared on the
prompts that all of them answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

FILE: Final = "predictions.parquet"
MEASURES: Final = (
    Measure("acc@1", "Acc@1"),
    Measure("acc@10", "Acc@10"),
    Measure("mrr", "MRR", scale="plain"),
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
    table = read_table(folder / FILE, columns=["item_id", "relation", "rank", "top_probability", "problem"])
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
    return Units(table["item_id"], values, table["relation"], table["relation"])


def _sample(metrics: MyriadLamaMetrics) -> str:
    """What was drawn, in words; empty for everything."""
    limits = metrics.sampling.limits.model_dump()
    drawn = [f"{count:,} {name}" for name, count in limits.items() if count is not None]
    return "" if metrics.sampling.whole else " with ".join(drawn) or "a drawn sample"


def _labels(workspace: Workspace) -> dict[str, str]:
    """The relations' names, from the release's templates; by their ids."""
    file = workspace.release / "templates" / "templates.parquet"
    if not file.is_file():
        return {}
    rows = read_table(file, columns=["relation", "relation_label"]).to_pylist()
    return dict(sorted({str(row["relation"]): f"{row['relation']} {row['relation_label']}" for row in rows}.items()))
