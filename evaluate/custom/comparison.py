"""Systems of a suite file side by side: question by question, each standing for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import TashikaError
from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.metrics_model import CustomMetrics
from tashika.evaluate.custom.questions import read_release
from tashika.evaluate.custom.tasks.names import TRAINING
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

PREDICTIONS_FILE: Final = "predictions.parquet"
MAY_DIFFER: Final = frozenset({"way", "norm", "max_tokens", "temperature", *TRAINING})
"""Settings by which systems that are compared may differ: how a model of its kind is asked."""


def read(suite: CustomSuite, workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each system made of the questions: right or wrong, or a judge's score.

    Args:
        suite: The suite file.
        workspace: Its folders.
        folders: Those of the systems.
    """
    scores = [read_metrics(folder / "metrics.json", CustomMetrics) for folder in folders]
    first = scores[0]
    scored = first.measure == "mean score"
    measure = Measure("score", "Mean score", scale="plain") if scored else Measure("accuracy", "Accuracy")
    column, groups = _groups(suite, workspace, first)
    systems = [
        replace(_system(folder, metrics, measure, groups), tasks=_tasks(suite, metrics))
        for folder, metrics in zip(folders, scores, strict=True)
    ]
    return Sides(
        [measure], systems, groups=column, items="questions", resamples=first.resamples, seed=first.sampling.seed
    )


def _system(folder: Path, metrics: CustomMetrics, measure: Measure, groups: Mapping[str, str]) -> SystemSide:
    asking, sampling = metrics.asking, metrics.sampling
    settings: dict[str, Any] = {key: value for key, value in asking.settings.items() if key not in MAY_DIFFER}
    settings |= {"task": asking.task}
    settings |= {"judge": f"{asking.judge.name} ({asking.judge.revision[:12]})"} if asking.judge else {}
    sample = "" if sampling.whole else f"{sampling.drawn:,} of {sampling.of:,} items"
    column = "score" if measure.key == "score" else "correct"
    rows = read_table(folder / PREDICTIONS_FILE, columns=["item_id", column]).to_pylist()
    values = np.array([np.nan if row[column] is None else float(row[column]) for row in rows], dtype=np.float64)
    ids = [str(row["item_id"]) for row in rows]
    named = [groups.get(item, "(empty)") for item in ids] if groups else None
    return SystemSide({"items": Units(ids, {measure.key: values}, groups=named)}, settings, sample)


def _tasks(suite: CustomSuite, metrics: CustomMetrics) -> dict[str, str]:
    """The task of the release's `eval.yaml`, where models answer in words."""
    return {"accuracy": suite.name} if metrics.asking.in_words and not metrics.asking.tuned else {}


def _groups(suite: CustomSuite, workspace: Workspace, metrics: CustomMetrics) -> tuple[str, dict[str, str]]:
    """The first column of `by`, and its value of each item; none where the release is not the one that was scored."""
    form = suite.file.evaluate
    if form is None or not form.by or not (workspace.release / "release.json").is_file():
        return "groups", {}
    try:
        release = read_release(suite, workspace.release)
    except TashikaError:  # of another version of the file: numbers by group are left away
        return "groups", {}
    if metrics.release is None or metrics.release.digest != release.digest:
        return "groups", {}
    column = form.by[0]
    return column, {item.item_id: _group(item.row.get(column)) for item in release.items}


def _group(value: Any) -> str:
    """A value of a column as a group; an item of several values is in a group of its own."""
    values = value if isinstance(value, list) else [value]
    return ", ".join("(empty)" if each is None else str(each) for each in values) or "(empty)"
