"""Scores of TempRIPPLE on answers that are drawn from seeded chances, and no model gave."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tests.evaluate.pages import ReportToys

DIGEST = "d1" * 32
YEARS = {"P6": 6.7, "P54": 2.3}
LABELS = {"P6": "head of government", "P54": "member of sports team"}
SAMPLING = {
    "whole": True,
    "seed": 0,
    "limit": None,
    "facts": {"drawn": 12, "of": 12},
    "questions": {"drawn": 60, "of": 60},
}
COUNTS = {"facts": 1234, "history": 5678, "related": 91011, "related_hop_1": 7, "questions": 22}


def drawn_answers(name: str) -> pa.Table:
    """Twelve subjects, one new and two old tenures each, up to two hops; the chance is high on new facts in context."""
    random, rows = np.random.default_rng(zlib.crc32(name.encode())), list[dict[str, Any]]()
    for subject in range(12):
        for task, hop, place in [
            ("new", 0, 1),
            ("related_new", 1, 1),
            ("related_new", 2, 1),
            ("old", 0, 2),
            ("old", 0, 3),
        ]:
            key = f"{subject}-{task}-{hop}-{place}"
            relation = "P54" if subject % 2 else "P6"
            for context in (False, True):
                chance = 0.98 if context and task == "new" else 0.35
                right, asked = random.random() < chance, {"item_id": key, "task": task, "hop": hop, "place": place}
                asked |= {"subject": f"Q{subject}", "relation": relation, "last_relation": "P26" if hop else relation}
                asked |= {"with_context": context, "answer": 2, "chosen": 2 if right else 0, "correct": bool(right)}
                rows.append({**asked, "problem": None})
    rows[-1] |= {"chosen": None, "correct": None, "problem": "names no <option>"}
    return pa.Table.from_pylist(rows)


def numbers_of(answers: pa.Table, resamples: int) -> dict[str, Any]:
    """What `metrics.json` says of answers."""
    return compute_numbers(answers, YEARS, MeasureSettings(resamples=resamples)).model_dump(mode="json")


def metrics_of(name: str, options: str = "text", norm: str = "character", **beside: Any) -> dict[str, Any]:
    """The `metrics.json` of a model."""
    model = {"name": name, "kind": "causal", "revision": "rev-7", "dtype": "float32", "device": "cpu", "note": None}
    return {
        **numbers_of(drawn_answers(name), resamples=100),
        "model": model,
        "release": {"version": "0.1.0", "digest": DIGEST, "simulated": False},
        "scoring": {"options": options, "norm": norm, "format": {"context": "{context}", "cue": "My answer:"}},
        "sampling": SAMPLING,
        "coverage": {"asked": 120, "answered": 119, "problems": {"names no <option>": 1}},
        "versions": {"tashika": "0.1.0"},
        **beside,
    }


def toy_pages(folder: Path) -> Workspace:
    """A working directory with the scores of two models and the tables of their release that the page uses."""
    workspace = Workspace(folder, "tempripple")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    write_json(workspace.evaluate / "other" / "metrics.json", metrics_of("other", "chat", "none"))
    for name in ("tiny", "other"):
        pq.write_table(drawn_answers(name), workspace.evaluate / name / "predictions.parquet")
    release = {"suite": "tempripple", "version": "0.1.0", "digest": DIGEST, "counts": COUNTS, "simulated": False}
    write_json(workspace.release / "release.json", release)
    tables: dict[str, dict[str, list[Any]]] = {
        "facts": {"relation": list(LABELS), "relation_label": list(LABELS.values())},
        "related": {"relation": ["P26", "P26"], "relation_label": ["spouse", "spouse"]},
        "history": {"relation": ["P6", "P6", "P54"], "subject": ["Q1", "Q1", "Q3"], "years": [2.0, 5.5, 2.25]},
    }
    for name, columns in tables.items():
        (workspace.release / name).mkdir()
        pq.write_table(pa.table(columns), workspace.release / name / f"{name}.parquet")
    return workspace


REPORT = ReportToys("tempripple", toy_pages, lacks="hops")
