"""Scores of twelve made-up predictions of MyriadLAMA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.belief import SinglePrompt, belief
from tashika.evaluate.myriadlama.by_template import Wording, template_scores
from tashika.evaluate.myriadlama.pooling import pooled_of
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tests.evaluate.pages import ReportToys

DIGEST = "d1" * 32
COUNTS = {"templates": 6, "manual_templates": 3, "unique_triples": 1234, "derived_triples": 77, "pairs": 5}


def predictions() -> pa.Table:
    """Two relations, two pairs and three templates each; one prompt is left out."""
    rows = [
        {
            "item_id": f"{relation}-{template}-s{pair}",
            "relation": relation,
            "pair": pair,
            "template_id": f"{relation}-{template}",
            "subject_alias_id": f"s{pair}",
            "rank": 1 + (pair + template) % 3,
            "top_word": ("Tokyo", "Kyoto")[template % 2],
            "top_probability": 0.1 + 0.2 * template,
            "top_10_probability": 0.3 + 0.2 * template,
            "problem": None,
        }
        for relation, pairs in (("P36", (0, 1)), ("P19", (2, 3)))
        for pair in pairs
        for template in range(3)
    ]
    unanswered = dict.fromkeys(("rank", "top_word", "top_probability", "top_10_probability"))
    rows[-1] |= {**unanswered, "problem": "no object of one <token>"}
    return pa.Table.from_pylist(rows)


def metrics_of(name: str, note: str | None = None) -> dict[str, Any]:
    """The `metrics.json` of a model."""
    answered = Predictions.from_table(predictions().select(COLUMNS))
    scores = belief(answered, draws=50, bins=2, single=SinglePrompt({"P36-0"}, {"s0", "s1"}))
    wordings = {"P36-0": Wording("The <capital> of [X] is [Y].", "manual"), "P36-1": Wording("[X]: [Y]", "paraphrase")}
    templates = template_scores(answered, wordings)
    drawn = {"drawn": 4, "of": 4}
    return {
        **scores.model_dump(mode="json"),
        "model": {
            "name": name,
            "kind": "masked",
            "revision": "rev-7",
            "dtype": "float32",
            "device": "cpu",
            "note": note,
        },
        "release": {"version": "0.1.0", "digest": DIGEST, "simulated": False},
        "versions": {"tashika": "0.1.0"},
        "sampling": {
            "whole": True,
            "seed": 0,
            "limits": {"pairs": None, "templates": None, "aliases": None},
            "pairs": drawn,
            "templates": drawn,
            "prompts": drawn,
        },
        "single_token": {name: {"kept": 3, "of": 5} for name in ("objects", "facts", "pairs")},
        "precision": None,
        "pooled": pooled_of(answered, resamples=50).model_dump(mode="json"),
        "templates": {name: [row.model_dump(mode="json") for row in rows] for name, rows in templates.items()},
    }


def toy_pages(folder: Path) -> Workspace:
    """A working directory with the scores of two models and the labels of their release."""
    workspace = Workspace(folder, "myriadlama")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny", "knows only the demo's world"))
    write_json(workspace.evaluate / "other" / "metrics.json", metrics_of("other"))
    for name in ("tiny", "other"):
        pq.write_table(predictions(), workspace.evaluate / name / "predictions.parquet")
    write_json(
        workspace.release / "release.json",
        {"suite": "myriadlama", "version": "0.1.0", "digest": DIGEST, "counts": COUNTS, "simulated": False},
    )
    (workspace.release / "templates").mkdir()
    labels = pa.table({"relation": ["P36", "P19"], "relation_label": ["capital", "place of birth"]})
    pq.write_table(labels, workspace.release / "templates" / "templates.parquet")
    return workspace


REPORT = ReportToys("myriadlama", toy_pages, lacks="consist@1")
