"""TempRIPPLE's models side by side: question by question, without and with the new fact, with the facts as clusters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.files import read_table
from tashika.core.suites.tempripple.words import BETWEEN, CONTEXT_LINE, CUE, INSTRUCTION, QUESTION_LINE
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units
from tashika.evaluate.tempripple.answers import TASKS
from tashika.evaluate.tempripple.metrics_model import RippleMetrics

FILE: Final = "predictions.parquet"
MEASURES: Final = (
    Measure("without", "Accuracy without the new fact", unit="without"),
    Measure("with", "Accuracy with the new fact", unit="with"),
    Measure("change", "What the new fact changes", unit="both", better=None),
)
TASKS_OF_RELEASE: Final = {"without": "tempripple", "with": "tempripple_context"}
"""Measure -> task in the release's `eval.yaml`."""
_NAMES: Final = ("new", "related to new", "old", "related to old")


def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each model made of its questions."""
    return Sides(
        MEASURES,
        [_system(folder) for folder in folders],
        clusters="changing facts",
        groups="tasks",
        items="questions",
        group_names=dict(zip(TASKS, _NAMES, strict=True)),
    )


def _system(folder: Path) -> SystemSide:
    metrics = read_metrics(folder / "metrics.json", RippleMetrics)
    columns = ["item_id", "task", "subject", "relation", "with_context", "correct"]
    table = read_table(folder / FILE, columns=columns)
    settings = {"options of a question": metrics.statistics.options}
    sampling = metrics.sampling
    sample = "" if sampling.whole else f"{sampling.facts.drawn:,} of {sampling.facts.of:,} facts"
    return SystemSide(_units(table), settings, sample, tasks=TASKS_OF_RELEASE if _as_the_tasks_ask(metrics) else {})


def _as_the_tasks_ask(metrics: RippleMetrics) -> bool:
    """Whether it was asked for letters, in one order of the options and in the words of the release's `eval.yaml`."""
    scoring = metrics.scoring
    words = {"context": CONTEXT_LINE, "question": QUESTION_LINE, "between": BETWEEN, "cue": CUE}
    asked = (scoring.orders, scoring.system, scoring.format, scoring.attempts)
    return scoring.options in {"chat", "generate"} and asked == (1, INSTRUCTION, words, 1)


def _units(table: pa.Table) -> dict[str, Units]:
    """The questions without the new fact, those with it, and those in both ways with the difference of the two."""
    asks: Any = pc
    sides = {}
    for name, rows in (("without", asks.invert(table["with_context"])), ("with", table["with_context"])):
        part = table.filter(rows)
        sides[name] = Units(part["item_id"], {name: _right(part)}, _facts(part), part["task"])
    before, after = sides["without"], sides["with"]
    place = np.asarray(asks.fill_null(asks.index_in(before.ids, value_set=asks.unique(after.ids)), -1))
    both = place >= 0
    change = after.values["with"][place[both]] - before.values["without"][both]
    kept = pa.array(np.flatnonzero(both))
    sides["both"] = Units(
        before.ids.take(kept), {"change": change}, before.clusters.take(kept), before.groups.take(kept)
    )
    return sides


def _right(table: pa.Table) -> Any:
    """(n,) 1 for right, 0 for wrong, NaN for no answer."""
    return np.array([np.nan if right is None else float(right) for right in table["correct"].to_pylist()])


def _facts(table: pa.Table) -> Any:
    """(n,) the changing fact that a question is about: subject and property."""
    asks: Any = pc
    return asks.binary_join_element_wise(table["subject"], table["relation"], " ")
