"""What the letters of options do to a model's choice, where each question was asked in several orders of its options.

In order r the options are rotated by r places, so that over all orders each option stands under each letter once. A
model that chooses by content chooses each letter equally often then, whatever it knows (C. Zheng et al., Large Language
Models Are Not Robust Multiple Choice Selectors, 2024).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.evaluate.tempripple.answers import Codes, Flags
from tashika.evaluate.tempripple.splits_model import Bias

_CONDITIONS = ("without", "with")


def letter_bias(table: pa.Table, options: int) -> Bias | None:
    """What the letters did; None where no letters were chosen, or in one order alone.

    Args:
        table: Predictions, with the column `choices` or without.
        options: Of a question.
    """
    if "choices" not in table.column_names:
        return None
    kept = [row for row in table.select(["choices", "answer", "with_context"]).to_pylist() if row["choices"]]
    orders = max((len(row["choices"]) for row in kept), default=0)
    if orders < 2:
        return None
    chosen = np.asarray([[-1 if one is None else one for one in row["choices"]] for row in kept], dtype=np.int64)
    answer = np.asarray([row["answer"] for row in kept], dtype=np.int64)
    context = np.asarray([row["with_context"] for row in kept], dtype=np.bool_)
    parts = {name: _one(chosen, answer, context == bool(value), options) for value, name in enumerate(_CONDITIONS)}
    keys = ("letters", "right", "agreed", "by_order", "pull")
    return Bias(orders=orders, **{key: {name: part[key] for name, part in parts.items()} for key in keys})


def letters_of(places: Codes, options: int) -> Codes:
    """The letter, from 0, under which an option stood in each order, (n, orders).

    Args:
        places: (n, orders) the option's place in the first order.
        options: Of a question.
    """
    return np.asarray((places - np.arange(places.shape[1])) % options, dtype=np.int64)


def _one(chosen: Codes, answer: Codes, rows: Flags, options: int) -> dict[str, Any]:
    chosen, answer = chosen[rows], answer[rows]
    known = chosen >= 0
    counts = [
        np.bincount(letters_of(places, options)[known], minlength=options)
        for places in (chosen, np.broadcast_to(answer[:, None], chosen.shape))
    ]
    whole = known.all(axis=1)
    same = (chosen == chosen[:, :1]).all(axis=1)
    right = chosen == answer[:, None]
    return {
        "letters": counts[0].tolist(),
        "right": counts[1].tolist(),
        "agreed": float(same[whole].mean()) if whole.any() else None,
        "by_order": [
            float(right[known[:, order], order].mean()) if known[:, order].any() else None
            for order in range(chosen.shape[1])
        ],
        "pull": _distance(*counts),
    }


def _distance(chosen: NDArray[np.intp], right: NDArray[np.intp]) -> float | None:
    """Half the sum of the differences between two sets of shares: the total variation."""
    if not chosen.sum() or not right.sum():
        return None
    return float(np.abs(chosen / chosen.sum() - right / right.sum()).sum() / 2)
