"""Models on proverbs side by side: pair by pair, the pairs on one proverb being a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tashika.core.files import read_table
from tashika.core.suites.proverbs.words import CONTROL, TOPICS
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.proverbs.metrics_model import ProverbMetrics
from tashika.evaluate.proverbs.records import read_tests
from tashika.evaluate.suite import Measure, Sides, SystemSide, Units

ANSWERS_FILE: Final = "answers.parquet"
TESTS_FILE: Final = "tests.parquet"
MEASURES: Final = (
    Measure("score errors", "Pairs with an error in scores", better="lower"),
    Measure("text errors", "Pairs with an error in texts", better="lower"),
    Measure("score distance", "Distance of the median scores", better="lower", scale="plain"),
)


def read(workspace: Workspace, folders: Sequence[Path]) -> Sides:
    """What each model made of its pairs."""
    return Sides(
        MEASURES,
        [_system(folder) for folder in folders],
        clusters="proverbs",
        groups="topics",
        items="pairs",
        group_names={topic: topic for topic in TOPICS},
    )


def _system(folder: Path) -> SystemSide:
    metrics = read_metrics(folder / "metrics.json", ProverbMetrics)
    scoring, judge, sampling = metrics.scoring, metrics.judge, metrics.sampling
    settings = {
        "statements asked for": scoring.asking,
        "answers to a question": scoring.answers,
        "scores by": scoring.scoring,
        "prompt for statements": scoring.answer.prompt,
        "prompt for scores": scoring.score.prompt,
        "judge": f"{judge.model} ({judge.method}, {judge.revision[:12]}, {judge.dtype})",
        "test of spread": metrics.statistics.test,
        "two sets without spread": metrics.statistics.constant,
        "level": metrics.statistics.level,
    }
    return SystemSide(
        {"items": _units(folder)}, settings, "" if sampling.whole else f"{sampling.limit:,} pairs a topic"
    )


def _units(folder: Path) -> Units:
    # Controls are no pairs: they would count their proverbs twice.
    rows = [row for row in read_tests(folder / TESTS_FILE).to_pylist() if row["change"] != CONTROL]
    tests: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        tests.setdefault(str(row["item_id"]), {})[str(row["consistency"])] = row
    asked = read_table(folder / ANSWERS_FILE, columns=["item_id", "side", "question"]).to_pylist()
    proverbs = {str(row["item_id"]): str(row["question"]) for row in asked if row["side"] == "proverb"}
    pairs = list(tests.values())
    return Units(
        list(tests),
        {
            "score errors": np.array([_error(pair.get("score")) for pair in pairs]),
            "text errors": np.array([_error(pair.get("text")) for pair in pairs]),
            "score distance": np.array([_distance(pair.get("score")) for pair in pairs]),
        },
        [proverbs.get(item, item) for item in tests],
        [str(next(iter(pair.values()))["topic"]) for pair in pairs],
    )


def _error(test: Mapping[str, Any] | None) -> float:
    """Whether an error was detected; NaN where the pair was not tested."""
    return float(test["error"]) if test is not None and test["error"] is not None else np.nan


def _distance(test: Mapping[str, Any] | None) -> float:
    """How far the medians of the two questions' values are apart."""
    if test is None or test["median"] is None or test["variant_median"] is None:
        return np.nan
    return abs(float(test["variant_median"]) - float(test["median"]))
