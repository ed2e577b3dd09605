"""Runs of TempRIPPLE on a release of seven short questions, by tiny models and endpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.workspace import Workspace
from tashika.evaluate.systems import How, System
from tashika.evaluate.tempripple.predictions import PREDICTIONS
from tashika.evaluate.tempripple.questions import read_release
from tashika.evaluate.tempripple.run import Run
from tashika.evaluate.tempripple.settings import EvaluateSettings, Way

CITIES = ["Paris", "Berlin", "Tbilisi", "City of Light"]
# Fact, task, hop, place, text, the right option. The tiny models read 48 tokens, so all is short.
ROWS = [
    ("P36 Q142", "new", 0, 1, "The capital of France is", 0),
    ("P36 Q142", "old", 0, 2, "France's capital was", 1),
    ("P36 Q142", "related_new", 1, 1, "Where was Ada born? In", 3),
    ("P36 Q183", "new", 0, 1, "The capital of Germany is", 1),
    ("P36 Q183", "related_old", 2, 2, "Where was Zola born? In", 2),
    ("P19 Q1", "new", 0, 1, "Ada was born in", 2),
    ("P19 Q1", "old", 0, 2, "Ada Lovelace was born in", 0),
]
CONTEXT = {"P36 Q142": "Paris is the capital.", "P36 Q183": "Berlin's the capital.", "P19 Q1": "Ada was born."}


def _question(number: int) -> dict[str, Any]:
    fact, task, hop, place, text, answer = ROWS[number]
    relation, subject = fact.split()
    return {
        "item_id": f"q{number}",
        "task": task,
        "hop": hop,
        "place": place,
        "subject": subject,
        "relation": relation,
        "last_relation": "P19" if hop else relation,
        "text": text,
        "context": CONTEXT[fact],
        "options": CITIES,
        "answer": answer,
    }


def a_workspace(work: Path) -> Workspace:
    """A working directory with a small release."""
    folder = work / "tempripple" / "release"
    history = [{"relation": "P36", "years": 4.0}, {"relation": "P36", "years": 6.0}, {"relation": "P19", "years": 1.0}]
    for name, rows in {"questions": [_question(number) for number in range(len(ROWS))], "history": history}.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / name / f"{name}.parquet")
    (folder / "release.json").write_text(json.dumps({"version": "0.1.0", "digest": "d" * 64, "simulated": False}))
    return Workspace(work, "tempripple")


CPU = How("cpu")


def settings(**values: Any) -> EvaluateSettings:
    short = {"draws": 20, "chunk": 1, "format": {"question": "{question}", "cue": ">"}}
    return EvaluateSettings.model_validate({**short, **values})


def a_run(
    workspace: Workspace,
    name: str,
    way: Way,
    limit: int | None = None,
    *,
    how: How = CPU,
    endpoint: str | None = None,
    **values: Any,
) -> Run:
    system = System.local(name, how, workspace) if endpoint is None else System.chat(name, endpoint)
    return Run.of(workspace, read_release(workspace.release), system, way, settings(**values), limit)


def predictions(run: Run) -> dict[tuple[str, bool], dict[str, Any]]:
    table = pq.read_table(run.folder / "predictions.parquet")
    assert table.schema.equals(PREDICTIONS)
    return {(row["item_id"], row["with_context"]): row for row in table.to_pylist()}
