"""Scores of two systems on a small release, as the evaluation leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tashika.core.custom.suite import CustomSuite
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.metrics import compute
from tashika.evaluate.custom.metrics_model import Asking, CustomMetrics, Sampling
from tashika.evaluate.custom.predictions import chosen, prediction_table
from tashika.evaluate.custom.prompts import Prompter
from tashika.evaluate.custom.questions import read_release
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo, write_metrics
from tests.evaluate.custom.toys import DIGEST, MOOD_ROWS, MOODS, RIDDLE_ROWS, RIDDLES, release_of, suite_of


def write_scores(suite: CustomSuite, workspace: Workspace, name: str, places: Sequence[int | None]) -> None:
    """Writes what a system chose, and its numbers; None is a reply that cannot be read."""
    form = suite.file.evaluate
    assert form is not None
    release = read_release(suite, workspace.release)
    asked = [Prompter(form).asked(item) for item in release.items]
    found: list[dict[str, Any]] = []
    for row, place in zip(asked, places, strict=True):
        unread = {"problem": "unparsable after 1 attempt: prose", "reply": "Who knows?", "correct": False}
        found.append(unread if place is None else chosen(row, place))
    table = prediction_table(asked, found)
    folder = workspace.evaluate / name
    folder.mkdir(parents=True)
    pq.write_table(table, folder / "predictions.parquet")
    metrics = CustomMetrics(
        **dict(compute(table, release.items, form, in_words=False, itself=False)),
        model=SystemInfo(name=name, kind="causal", revision="rev-7", dtype="fp32", device="cpu", note=None),
        release=ReleaseInfo(version="0.1.0", digest=DIGEST, simulated=False),
        asking=Asking(task=form.task, in_words=False, settings={"task": form.task}, examples=[]),
        sampling=Sampling(whole=True, limit=None, seed=0, drawn=len(asked), of=len(asked), untargeted={}),
        resamples=form.resamples,
        versions={"tashika": "0.1.0"},
    )
    write_metrics(folder / "metrics.json", metrics)


def riddle_scores(folder: Path) -> tuple[CustomSuite, Workspace]:
    """Two systems that chose among options."""
    suite = suite_of(folder / "suite", RIDDLES)
    workspace = release_of(suite, folder / "work", RIDDLE_ROWS)
    write_scores(suite, workspace, "good", [0, 1, 0, 0])
    write_scores(suite, workspace, "poor", [1, 0, 0, None])
    return suite, workspace


def mood_scores(folder: Path) -> tuple[CustomSuite, Workspace]:
    """Two systems that gave labels."""
    suite = suite_of(folder / "suite", MOODS)
    workspace = release_of(suite, folder / "work", MOOD_ROWS)
    write_scores(suite, workspace, "good", [0, 1, 2, 1])
    write_scores(suite, workspace, "poor", [0, 0, None, 0])
    return suite, workspace
