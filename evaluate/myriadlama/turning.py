"""Where the order of models turns: by one prompt a pair one is better, over many prompts the other (section 4.2).

Two models are compared on the prompts that both answered. A draw takes one template a relation, the same for both;
aliases are averaged. The share of draws in which one is above the other says how much the order depends on the choice
of templates: 0 and 1 say not at all, one half says that it is a matter of the draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.files import read_table
from tashika.evaluate.myriadlama.fluctuation import draw_slots
from tashika.evaluate.statistics.inference import Floats


@dataclass(frozen=True)
class Turn:
    """Two models, on the prompts that both answered.

    Attributes:
        one: The place of the first in the list of models.
        other: The place of the second.
        prompts: Prompts that both answered.
        one_accuracy: Acc@1 of the first over these prompts.
        other_accuracy: Of the second.
        above: The share of draws in which the first is above the second.
        below: In which it is below; the rest are ties.
    """

    one: int
    other: int
    prompts: int
    one_accuracy: float
    other_accuracy: float
    above: float
    below: float


def turns_of(files: Sequence[Path], draws: int, seed: int) -> list[Turn]:
    """Every two models, as far as they answered the same prompts.

    Args:
        files: Predictions, a file a model.
        draws: Of one template a relation.
        seed: Of the draws.
    """
    cells = [read_cells(file) for file in files]
    found = [
        _turn(one, other, cells[one], cells[other], draws, seed) for one, other in combinations(range(len(files)), 2)
    ]
    return [turn for turn in found if turn]


def read_cells(file: Path) -> pa.Table:
    """Prompts answered and answered right by pair and template, from one model's predictions."""
    table = read_table(file, columns=["relation", "pair", "template_id", "rank"])
    table = table.filter(pc.is_valid(table["rank"]))
    columns: dict[str, Any] = {name: table[name].cast(pa.string()) for name in ("relation", "template_id")}
    columns |= {"pair": table["pair"], "hit": pc.equal(table["rank"], pa.scalar(1, pa.int32())).cast(pa.int32())}
    keys = ["relation", "template_id", "pair"]
    return pa.table(columns).group_by(keys).aggregate([("hit", "sum"), ("hit", "count")])


def _turn(one: int, other: int, first: pa.Table, second: pa.Table, draws: int, seed: int) -> Turn | None:
    """The comparison of two models; None where no prompt was answered by both."""
    keys = ["relation", "template_id", "pair"]
    both = first.join(second, keys, join_type="inner", left_suffix="", right_suffix="_other")
    if both.num_rows == 0:
        return None
    both = both.sort_by([(key, "ascending") for key in keys])
    hits = [_floats(both[name]) for name in ("hit_sum", "hit_sum_other")]
    counts = [_floats(both[name]) for name in ("hit_count", "hit_count_other")]
    relation, slot = _places(both)
    shape = (int(relation.max()) + 1, int(slot.max()) + 1)

    def added(values: Any) -> Floats:
        total = np.zeros(shape)
        np.add.at(total, (relation, slot), values)
        return total

    pairs = added(np.ones(len(slot)))
    scores = [added(hit / count) for hit, count in zip(hits, counts, strict=True)]
    slots = draw_slots(pairs > 0, draws, seed)
    rows = np.arange(shape[0])
    ahead = scores[0][rows, slots].sum(axis=1) - scores[1][rows, slots].sum(axis=1)
    accuracy = [float(hit.sum() / count.sum()) for hit, count in zip(hits, counts, strict=True)]
    return Turn(
        one=one,
        other=other,
        prompts=int(min(count.sum() for count in counts)),
        one_accuracy=accuracy[0],
        other_accuracy=accuracy[1],
        above=float((ahead > 1e-9).mean()),
        below=float((ahead < -1e-9).mean()),
    )


def _floats(column: Any) -> Floats:
    values: Floats = column.to_numpy().astype(np.float64)
    return values


def _places(table: pa.Table) -> tuple[Any, Any]:
    """The number of each row's relation, and of its template among those of the relation; rows are sorted by both."""
    relation, template = (np.asarray(table[name].to_pylist(), dtype=object) for name in ("relation", "template_id"))
    new_relation = np.concatenate([[True], relation[1:] != relation[:-1]])
    new_template = new_relation | np.concatenate([[True], template[1:] != template[:-1]])
    number = np.cumsum(new_relation) - 1
    template_number = np.cumsum(new_template) - 1
    return number, template_number - template_number[np.flatnonzero(new_relation)][number]
