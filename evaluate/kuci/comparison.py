"""KUCI's systems side by side: the published set's questions, with their contexts (the antecedents) as clusters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tashika.core.files import read_table
from tashika.core.suites.kuci.words import CUE, INSTRUCTION, JOINT, RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.artefacts import is_baseline
from tashika.evaluate.kuci.metrics_model import KuciMetrics
from tashika.evaluate.kuci.questions import KuciQuestion, KuciRelease, question_file, read_release
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

FILE: Final = "predictions.parquet"
TASK: Final = "kuci"
"""In the release's `eval.yaml`."""
MEASURES: Final = (Measure("accuracy", "Accuracy"),)


def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each system made of the questions; of several training runs the share that is right."""
    scores = [read_metrics(folder / "metrics.json", KuciMetrics) for folder in folders]
    release = read_release(workspace.release) if (workspace.release / question_file("both", "test")).is_file() else None
    systems = [_system(folder, metrics, release) for folder, metrics in zip(folders, scores, strict=True)]
    statistics = scores[0].statistics
    return Sides(
        MEASURES,
        systems,
        clusters="pairs of core events" if release and release.imported else "antecedents",
        groups="relations",
        items="questions",
        group_names={relation: relation for relation in RELATIONS},
        resamples=statistics.resamples,
        seed=statistics.seed,
    )


def _system(folder: Path, metrics: KuciMetrics, release: KuciRelease | None) -> SystemSide:
    if "both" not in metrics.sets:
        return SystemSide(problem="it was not asked the published set")
    if release is None or metrics.release is None or metrics.release.digest != release.digest:
        return SystemSide(problem="the release that it was scored on does not lie here")
    questions = {question.item_id: question for question in release.part("both", metrics.split)}
    sampling = metrics.sampling
    sample = "" if sampling.whole else f"{sampling.limit:,} questions"
    return SystemSide(
        {"items": _units(folder, questions)},
        {"part": metrics.split},
        sample,
        is_baseline(metrics),
        tasks={"accuracy": TASK} if _as_the_task_asks(metrics) else {},
    )


def _as_the_task_asks(metrics: KuciMetrics) -> bool:
    """Whether it was asked about the test part for letters, once and in the words of the release's `eval.yaml`."""
    scoring = metrics.scoring
    asked = (metrics.split, scoring.how, scoring.system, scoring.format, scoring.attempts)
    return asked == ("test", "chat", INSTRUCTION, {"joint": JOINT, "cue": CUE}, 1)


def _units(folder: Path, questions: dict[str, KuciQuestion]) -> Units:
    rows = read_table(folder / FILE, columns=["item_id", "set", "correct"]).to_pylist()
    right: dict[str, list[float]] = {}
    for row in rows:
        if row["set"] == "both" and row["item_id"] in questions:
            runs = right.setdefault(str(row["item_id"]), [])
            runs += [] if row["correct"] is None else [float(row["correct"])]
    asked = [questions[item] for item in right]
    values: Any = np.array([np.mean(runs) if runs else np.nan for runs in right.values()])
    return Units(
        list(right),
        {"accuracy": values},
        [question.cluster for question in asked],
        [question.relation for question in asked] if any(question.relation for question in asked) else None,
    )
