"""Rows of token ids of different lengths, in one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from tashika.evaluate.engine.arrays import Codes

Ids = npt.NDArray[np.int32]


def ranges(start: Codes, count: Codes) -> Codes:
    """`start[i], start[i] + 1, …` with `count[i]` numbers, for each i one after the other."""
    numbers = np.repeat(start - (np.cumsum(count) - count), count)
    numbers += np.arange(len(numbers))
    return numbers


@dataclass(frozen=True)
class Ragged:
    """Rows of different lengths, one after the other.

    Attributes:
        values: The ids of all rows.
        start: (rows,) where each begins in `values`.
        length: (rows,) how many it has.
    """

    values: Ids
    start: Codes
    length: Codes

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """From lists."""
        length = np.fromiter(map(len, rows), np.int64, len(rows))
        values = np.fromiter(chain.from_iterable(rows), np.int32, int(length.sum()))
        return cls(values, np.cumsum(length) - length, length)

    def take(self, rows: Codes) -> Ragged:
        """The rows at these places, copied together."""
        start, length = self.start[rows], self.length[rows]
        return Ragged(self.values.take(ranges(start, length)), np.cumsum(length) - length, length)

    def block(self, rows: Codes) -> Ids:
        """Rows of one and the same length, (rows, length)."""
        length = int(self.length[rows[0]])
        return self.values.take(self.start[rows][:, None] + np.arange(length))

    @classmethod
    def after_each_other(cls, parts: Sequence[Ragged]) -> Ragged:
        """The rows of all parts: those of the first, then those of the second, and so on."""
        shift = np.cumsum([0, *(len(part.values) for part in parts[:-1])])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.start + moved for part, moved in zip(parts, shift, strict=True)]),
            np.concatenate([part.length for part in parts]),
        )

    @classmethod
    def side_by_side(cls, parts: Sequence[tuple[Ragged, Codes]]) -> Ragged:
        """Rows made of one row of each part.

        Args:
            parts: Rows, and (n,) which of them.
        """
        first = np.cumsum([0, *(len(part.length) for part, _ in parts[:-1])])
        which = np.stack([rows + number for (_, rows), number in zip(parts, first, strict=True)], axis=1)
        pieces = cls.after_each_other([part for part, _ in parts]).take(which.ravel())
        length = pieces.length.reshape(which.shape).sum(axis=1)
        return cls(pieces.values, np.cumsum(length) - length, length)
