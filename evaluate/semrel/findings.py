"""What the paper found (section 4), as means of cells that can be computed, under each reading of equation 2."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tashika.core.suites.semrel.words import RELATIONS, Relation
from tashika.evaluate.semrel.confusability import SIZE

Flags = NDArray[np.bool_]

_ANTONYMY: Final[Relation] = "antonymy"
_OTHERS: Final[tuple[Relation, ...]] = tuple(relation for relation in RELATIONS if relation != _ANTONYMY)


class Finding(NamedTuple):
    """A sentence of section 4.

    Attributes:
        key: Its name in `metrics.json`.
        text: What the paper says.
        short: The same, to be read after the name of a model; with {people} for those that it is compared with.
        cells: (probe relation, answer relation) whose mean it is about.
    """

    key: str
    text: str
    short: str
    cells: tuple[tuple[Relation, Relation], ...]

    @property
    def flags(self) -> Flags:
        """(r, s) whether a cell is one of them."""
        flags = np.zeros((SIZE, SIZE), dtype=np.bool_)
        for asked, taken in self.cells:
            flags[RELATIONS.index(asked), RELATIONS.index(taken)] = True
        return flags


COLUMN: Final = "column"
ROW: Final = "row"

FINDINGS: Final = (
    Finding(
        "all",
        "People confuse relations less than models do (mean of all cells).",
        "confuses relations more than {people} do",
        tuple((r, s) for r in RELATIONS for s in RELATIONS if r != s),
    ),
    Finding(
        "synonymy",
        "People take synonymy for hypernymy and hyponymy; models do so more.",
        "takes synonymy for hypernymy and hyponymy more than {people} do",
        (("synonymy", "hypernymy"), ("synonymy", "hyponymy")),
    ),
    Finding(
        "taxonomy",
        "People take hypernymy and hyponymy for synonymy, rather often; models do so more.",
        "takes hypernymy and hyponymy for synonymy more than {people} do",
        (("hypernymy", "synonymy"), ("hyponymy", "synonymy")),
    ),
    Finding(
        COLUMN,
        "Models take other relations for antonymy (column of antonymy).",
        "takes other relations for antonymy more than {people} do",
        tuple((r, _ANTONYMY) for r in _OTHERS),
    ),
    Finding(
        ROW,
        "Models tell antonymy from other relations (row of antonymy is low).",
        "distinguishes antonymy better than other relations",
        tuple((_ANTONYMY, s) for s in _OTHERS),
    ),
)
