"""Consistency: how often two prompts for the same fact get the same answer (section 3.3, equation 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tashika.evaluate.myriadlama.predictions import Codes

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """Unordered pairs of prompts in each group: those with the same answer, and all."""

    agreeing: npt.NDArray[Any]
    possible: npt.NDArray[Any]

    def share(self) -> Floats:
        """The share that agrees; zero where no two prompts can be compared."""
        share: Floats = self.agreeing / np.maximum(self.possible, 1)
        return share

    def added(self, groups: npt.NDArray[np.integer[Any]], number: int) -> Agreement:
        """Adds groups up to `number` larger groups."""
        return Agreement(
            np.bincount(groups, self.agreeing, minlength=number), np.bincount(groups, self.possible, minlength=number)
        )


def agreement_within(groups: npt.NDArray[np.integer[Any]], answers: Codes, number: int) -> Agreement:
    """Counts agreeing pairs of prompts by the sizes c of equal answers, as the sum of c(c-1)/2.

    Args:
        groups: (n,) the group of each prompt, below `number`.
        answers: (n,) the number of its answer.
        number: How many groups there are.
    """
    width = np.int64(answers.max()) + 1
    keys = groups.astype(np.int64) * width + answers
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    same = np.diff(starts, append=len(keys))
    sizes = np.bincount(groups, minlength=number)
    return Agreement(
        np.bincount(keys[starts] // width, same * (same - 1) / 2, minlength=number), sizes * (sizes - 1) / 2
    )
