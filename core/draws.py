"""Draws that depend on a seed and on content alone: the same on every machine, whatever else is drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Item = TypeVar("Item")


def shuffled(ids: Iterable[str], seed: int) -> npt.NDArray[np.int64]:
    """A number for each id that depends on nothing but the id and the seed."""
    import numpy as np

    digests = (hashlib.sha256(f"{seed}:{one}".encode()).digest()[:7] for one in ids)
    return np.asarray([int.from_bytes(digest) for digest in digests], dtype=np.int64)


def drawn_order(ids: Sequence[str], seed: int) -> list[int]:
    """Places of ids in an order that depends on the seed and each id alone: the first n are a sample of n."""
    numbers = shuffled(ids, seed)
    return sorted(range(len(ids)), key=lambda place: (int(numbers[place]), place))


def order_key(seed: int, *parts: str) -> bytes:
    """A place in an order that depends on the seed and the content alone."""
    return hashlib.sha256("\x1f".join([str(seed), *parts]).encode()).digest()


def chance(seed: int, *parts: str) -> float:
    """A number in [0, 1), uniform over contents and the same at every call."""
    return int.from_bytes(order_key(seed, *parts)[:7]) / 2**56


class Draw:
    """Numbers that look random and depend on the seed and a name alone, on any machine and Python.

    Args:
        seed: Of the build.
        name: Such as the question's id.
    """

    def __init__(self, seed: int, name: str) -> None:
        self._base = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=32)
        self._block = 0
        self._numbers: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1. Of 64 bits, so that no remainder is favoured by more than one in 10^12."""
        if not self._numbers:
            digest = self._base.copy()
            digest.update(self._block.to_bytes(8, "big"))
            self._block += 1
            block = digest.digest()
            self._numbers = [int.from_bytes(block[start : start + 8], "big") for start in range(0, 32, 8)]
        return self._numbers.pop() % bound

    def shuffled(self, values: Sequence[Item]) -> Iterator[Item]:
        """Yields each value once, in any order with the same probability.

        Fisher and Yates, with only the exchanged places kept: who takes three of a million does not copy the million.
        """
        moved: dict[int, int] = {}
        for first in range(len(values)):
            place = first + self.below(len(values) - first)
            yield values[moved.get(place, place)]
            moved[place] = moved.pop(first, first)
