"""The prediction table by itself: other norms, and what is counted."""

from __future__ import annotations

import pyarrow as pa

from tashika.evaluate.tempripple.metrics_model import Coverage
from tashika.evaluate.tempripple.predictions import PREDICTIONS, coverage, normalised


def test_another_norm_by_hand() -> None:
    names = ("item_id", "task", "hop", "place", "subject", "relation", "last_relation", "with_context", "answer")
    row = dict(zip(names, ("q", "new", 0, 1, "Q1", "P6", "P6", False, 1), strict=True))
    row |= {"chosen": 0, "correct": False, "scores": [-4.0, -6.0, -5.0], "tokens": [1, 3, 2], "characters": [3, 4, 20]}
    long = {**row, "item_id": "r", "chosen": None, "correct": None, "problem": "too long", "scores": [-1.0, None, -2.0]}
    table = pa.Table.from_pylist([row, long], schema=PREDICTIONS)
    for norm, chosen in (("none", 0), ("token", 1), ("character", 2)):
        found = normalised(table, norm).to_pylist()  # type: ignore[arg-type]
        assert (found[0]["chosen"], found[0]["correct"]) == (chosen, chosen == 1)
        assert (found[1]["chosen"], found[1]["correct"], found[1]["problem"]) == (None, None, "too long")
    assert coverage(table) == Coverage(asked=2, answered=1, problems={"too long": 1})
