"""The main score of each model of a suite, computed once and kept in `evaluate/main-scores.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tashika.core.files import read_json, write_json
from tashika.core.stages import Stage
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.systems import scored_folders
from tashika.evaluate.reporting.results_out import Score, ScoredModel, scored_models
from tashika.evaluate.statistics.inference import wilson_interval

FILE: Final = "main-scores.json"


def main_scores(workspace: Workspace) -> Mapping[str, Any]:
    """The first measure of the suite for each model that has a number for it.

    Args:
        workspace: The suite's folders.

    Returns:
        `models`, a list of a model's `folder`, `model`, `measure`, `scale`, `better`, `value`, `low`, `high`, `method`,
        `asked`, `answered`, `sample` and `resamples`; and `remarks` on what was left out.

    Raises:
        InputError: A system's file is broken.
    """
    comparison = suite_named(workspace.suite).load("evaluate").comparison
    folders = scored_folders(workspace)
    if comparison is None or not folders:
        return {"models": [], "remarks": []}
    tables = [folder / name for folder in folders for name in ("metrics.json", *comparison.files)]
    target = workspace.evaluate / FILE
    # Suites read their rows' names and clusters from the release.
    inputs = [*tables, workspace.release / "release.json"]
    stage = Stage("main-scores", workspace.evaluate, inputs, {"layout": 2}, [target])

    def work() -> dict[str, int]:
        models, remarks = scored_models(workspace, main_only=True)
        rows = [_row(model, model.scores[0]) for model in models if model.scores]
        write_json(target, {"models": rows, "remarks": remarks})
        return {"models": len(rows)}

    if stage.manifest() is None:
        stage.run(work, what=f"{workspace.suite}, main scores")
    content: Mapping[str, Any] = read_json(target)
    return content


def _row(model: ScoredModel, score: Score) -> dict[str, Any]:
    interval, method = score.interval, f"bootstrap over {model.clusters or 'items'}"
    flat = interval is None or interval.low == interval.high
    if flat and score.share is not None:
        # All answers alike leave a bootstrap nothing to draw: Wilson's interval knows that there were few.
        interval, method = wilson_interval(score.value * score.answered, score.answered), "Wilson"
    return {
        "folder": model.folder,
        "model": model.system.name,
        "measure": score.measure.title,
        "scale": score.measure.scale,
        "better": score.measure.better,
        "value": score.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "method": method if interval else None,
        "asked": score.asked,
        "answered": score.answered,
        "sample": model.sample,
        "resamples": model.resamples,
    }
