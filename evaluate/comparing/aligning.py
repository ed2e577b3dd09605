"""The items that all systems have in common, and what each made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tashika.core.errors import InputError
from tashika.evaluate.statistics.inference import Floats
from tashika.evaluate.suite import Measure, Regroup, Units

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Common:
    """What some systems made of the items that count for all of them; n items.

    Attributes:
        values: Of each system, (n, columns).
        clusters: (n,) numbers of the items' clusters, from 0 without a gap; None where each item stands for itself.
        groups: (n,) places in `group_ids`.
        group_ids: The groups' ids, sorted.
        left_out: Of each system, how many items count for it and not for all.
        asked: Of each system, how many items it was asked.
    """

    values: Sequence[Floats]
    clusters: Codes | None
    groups: Codes | None
    group_ids: Sequence[str]
    left_out: Sequence[int]
    asked: Sequence[int]

    def __len__(self) -> int:
        return len(self.values[0])

    def regrouped(self, regroup: Regroup) -> Common:
        """The same of larger items, each with the cluster and group of one of its own."""
        values, rows = regroup(self.values)
        clusters = None if self.clusters is None else _dense(self.clusters[rows])
        groups = None if self.groups is None else self.groups[rows]
        return Common(
            [_columns(table) for table in values], clusters, groups, self.group_ids, self.left_out, self.asked
        )

    def of_group(self, group: int) -> Common:
        """The items of one group alone."""
        assert self.groups is not None
        rows = self.groups == group
        clusters = None if self.clusters is None else _dense(self.clusters[rows])
        return Common([table[rows] for table in self.values], clusters, None, (), self.left_out, self.asked)


class Aligned:
    """Items of one sort, with the place of each in every system's table.

    Args:
        units: What each system made of them. The first one that says clusters says them for all.
        names: The systems, for errors.

    Raises:
        InputError: A system has an item twice.
    """

    def __init__(self, units: Sequence[Units], names: Sequence[str]) -> None:
        self.units = units
        tables = [_ids(table.ids) for table in units]
        for ids, name in zip(tables, names, strict=True):
            _require_once(ids, name)
        whole: Any = next((place for place, table in enumerate(units) if table.clusters is not None), 0)
        base = tables[whole]
        asks: Any = pc  # its stubs want types that a chunked array does not give
        places = [np.asarray(asks.fill_null(asks.index_in(base, value_set=ids), -1)) for ids in tables]
        order = np.asarray(asks.sort_indices(base))  # so that the order of rows decides nothing
        kept = order[np.all([place[order] >= 0 for place in places], axis=0)]
        self.places: list[Codes] = [place[kept].astype(np.int64) for place in places]
        self._rows, self._whole = kept, units[whole]

    def common(self, measure: Measure) -> Common:
        """The items that count for all systems.

        Args:
            measure: By which.
        """
        tables = [_columns(table.values[measure.key]) for table in self.units]
        values = [table[place] for table, place in zip(tables, self.places, strict=True)]
        known = np.all([~np.isnan(table) for table in values], axis=0)  # (n, columns)
        counted = known.any(axis=1)
        shown = [np.where(known, table, np.nan)[counted] for table in values]
        own = [int((~np.isnan(table)).any(axis=1).sum()) for table in tables]
        groups, ids = _coded(self._whole.groups, self._rows[counted])
        clusters, _ = _coded(self._whole.clusters, self._rows[counted])
        common = Common(
            shown,
            clusters,
            groups,
            ids,
            [count - int(counted.sum()) for count in own],
            [len(table) for table in tables],
        )
        return common if measure.regroup is None else common.regrouped(measure.regroup)


def _ids(ids: Any) -> Any:
    array = ids if isinstance(ids, pa.Array | pa.ChunkedArray) else pa.array(list(ids), pa.string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _require_once(ids: Any, name: str) -> None:
    asks: Any = pc
    if len(asks.unique(ids)) == len(ids):
        return
    counted = asks.value_counts(ids).to_pylist()
    twice = next(row for row in counted if row["counts"] > 1)
    raise InputError(
        f"the item {twice['values']} stands {twice['counts']} times, expected each item once",
        where=name,
        hint="Score it again, or take a log of one run.",
    )


def _columns(values: Floats) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def _coded(names: Any, rows: Codes) -> tuple[Codes | None, list[str]]:
    """Numbers of the names of some rows, by the sorted names, and these."""
    if names is None:
        return None, []
    array: Any = names if isinstance(names, pa.Array | pa.ChunkedArray) else pa.array(list(names), pa.string())
    taken = array.take(pa.array(rows)).cast(pa.string()).dictionary_encode()
    coded: Any = taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
    words = [str(word) for word in coded.dictionary.to_pylist()]
    order = sorted(range(len(words)), key=words.__getitem__)
    number = np.empty(len(words), dtype=np.int64)
    number[order] = np.arange(len(words))
    return number[np.asarray(coded.indices)], [words[place] for place in order]


def _dense(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
