"""Scores on the toy release of KUCI: the choices are drawn from seeded chances, and no model made them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.metrics import MeasureSettings, measure
from tashika.evaluate.kuci.metrics_model import EpochScore, KuciMetrics, Sampling, Scoring, Training
from tashika.evaluate.kuci.predictions import PREDICTIONS
from tashika.evaluate.kuci.questions import KuciRelease, read_release
from tashika.evaluate.kuci.settings import Method
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo, write_metrics
from tashika.evaluate.ways.names import Show
from tests.evaluate.kuci.toys import a_workspace
from tests.evaluate.pages import ReportToys


def write_scores(
    workspace: Workspace,
    folder: str,
    name: str,
    how: Method = "fine-tuned",
    show: Show = "both",
    chance: float = 0.8,
    seeds: Sequence[int] = (0, 1),
) -> None:
    """Writes predictions drawn from a chance, and the numbers on them."""
    release = read_release(workspace.release)
    table = _choices(release, chance, seeds, np.random.default_rng(len(folder)))
    questions = {conditions: release.part(conditions, "test") for conditions in release.sets}
    target = workspace.evaluate / folder
    target.mkdir(parents=True)
    pq.write_table(table, target / "predictions.parquet")
    metrics = KuciMetrics(
        **dict(measure(table, questions, release.markers, MeasureSettings(resamples=100))),
        model=SystemInfo(name=name, kind="masked", revision="rev-7", dtype="fp32", device="cpu", note=None),
        release=ReleaseInfo(version="0.1.0", digest=release.digest, simulated=False),
        scoring=Scoring(how=how, show=show, norm="none"),
        split="test",
        seeds=list(seeds),
        sampling=Sampling(whole=True, limit=None, seed=0, drawn={}, of={}),
        training=[_training(seed, show) for seed in seeds] if how == "fine-tuned" else [],
        versions={"tashika": "0.1.0"},
    )
    write_metrics(target / "metrics.json", metrics)


def _choices(release: KuciRelease, chance: float, seeds: Sequence[int], random: np.random.Generator) -> pa.Table:
    rows = [
        {
            "item_id": question.item_id,
            "split": "test",
            "set": conditions,
            "answer": question.answer,
            "choice": (choice := question.answer if random.random() < chance else (question.answer + 1) % 4),
            "correct": choice == question.answer,
            "scores": None,
            "problem": None,
            "seed": seed,
        }
        for conditions in release.sets
        for seed in seeds
        for question in release.part(conditions, "test")
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


def _training(seed: int, show: Show) -> Training:
    epoch = EpochScore(loss=1.0, accuracy=0.5, validation_loss=1.1, validation_accuracy=0.4)
    counts = dict.fromkeys(("truncated", "too_long", "test_truncated", "test_too_long"), 0)
    return Training(set="both", seed=seed, show=show, best_epoch=1, epochs=[epoch], **counts)


def toy_pages(folder: Path) -> Workspace:
    """A working directory with scores of two models, two baselines, people and a build's funnel."""
    workspace = a_workspace(folder)
    write_scores(workspace, "encoder", "encoder")
    write_scores(workspace, "encoder-options", "encoder, options only", show="options", chance=0.25)
    write_scores(workspace, "causal", "causal", how="zero-shot", chance=0.5, seeds=(0,))
    write_scores(workspace, "baseline-bag", "bag of words, options only", how="baseline", chance=0.25, seeds=(0,))
    steps = [["relations found", 900], ["reliable", 400], ["basic", 200], ["no repetition", 150]]
    reasons = {"basic": {"the antecedent holds no basic event": 80, "the consequent holds no basic event": 120}}
    text = {"sentences": 3400, "failures": 2, "reasons": {"empty line": 2}}
    write_json(workspace.items / "funnel.json", {"text": text, "steps": steps, "reasons": reasons, "borrowed": 17})
    human = {"questions": 100, "people": 5, "accuracy": 0.93, "interval": [0.86, 0.97], "ties": 2, "simulated": False}
    write_json(workspace.annotation / "validation.json", {"question": {"human": human}})
    return workspace


REPORT = ReportToys("kuci", toy_pages, lacks="differences")
