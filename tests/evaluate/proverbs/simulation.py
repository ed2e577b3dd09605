"""A toy of a model that scores its answers: both questions of a pair with one spread, around places of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tashika.evaluate.proverbs.records import ANSWERS

Scores = tuple[list[int], list[int]]


def toy_pairs(sigma: float, *, shift: float = 0.8, pairs: int = 100, seed: int = 17) -> list[Scores]:
    """Scores of pairs whose two questions have one spread and two places.

    Args:
        sigma: Standard deviation of a question's scores before they are rounded.
        shift: Of the two questions' places around each other.
        pairs: How many.
        seed: Of the draws.
    """
    random = np.random.default_rng(seed)
    made = []
    for place in random.normal(8, 0.5, pairs):
        sides = place + random.normal(0, shift, 2)
        made.append(
            [np.clip(np.round(side + random.normal(0, sigma, 5)), 1, 10).astype(int).tolist() for side in sides]
        )
    return [(first, second) for first, second in made]


def answers_of_pairs(pairs: list[Scores], **columns: list[Any]) -> pa.Table:
    """Answers of pairs on gender with these scores, without TC; further columns by pair."""
    rows = []
    for number, sides in enumerate(pairs):
        more = {name: values[number] for name, values in columns.items()}
        for side, scores in zip(("proverb", "variant"), sides, strict=True):
            for place, score in enumerate(scores, 1):
                row: dict[str, Any] = {
                    "item_id": f"{number:03}",
                    "topic": "gender",
                    "side": side,
                    "question": f"{side}?",
                }
                row |= {"place": place, "answer": "words", "answer_asked": 1, "score": score, "score_asked": 1}
                rows.append({**row, "consistency_problem": "no judge", **more})
    return pa.Table.from_pylist(rows, schema=ANSWERS)
