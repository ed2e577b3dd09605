"""How often what a marker marks is a cause or a condition, as far as it was counted: markers differ.

The counts are of pairs that GiNZA's rules found in web sentences, held against what crowd workers had said of the same
clauses. A marker that was not counted has the figures of its relation. With one right and one wrong pair more than
were counted (Laplace's rule), so that no few pairs make certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from tashika.core.suites.kuci.words import Relation


class Counted(NamedTuple):
    """Pairs of a marker that were held against people's labels.

    Attributes:
        right: Those that people called a cause or condition, too.
        pairs: All of them.
    """

    right: int
    pairs: int

    @property
    def share(self) -> float:
        """The share that is right, by Laplace's rule."""
        return (self.right + 1) / (self.pairs + 2)


COUNTED: Final[Mapping[tuple[Relation, str], Counted]] = MappingProxyType(
    {
        ("cause", "から"): Counted(19, 21),
        ("cause", "タ形+ため"): Counted(22, 23),
        ("cause", "ので"): Counted(235, 308),
        ("condition", "〜ば"): Counted(65, 83),
        ("condition", ""): Counted(106, 147),  # たら, と
    }
)


def confidence(relation: Relation, marker: str) -> float:
    """The share of right pairs among those of a marker, from 0 to 1."""
    counted = COUNTED.get((relation, marker))
    if counted is None:
        same = [other for (kind, _), other in COUNTED.items() if kind == relation]
        counted = Counted(sum(other.right for other in same), sum(other.pairs for other in same))
    return round(counted.share, 3)
