"""Which consequents may be a question's wrong options in each set, and in which bin each of them is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.questions.consequents import SCALE, Ints, Pair, Pool
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.core.suites.kuci.words import OPTIONS, Conditions

Mask = npt.NDArray[np.bool_]

NAMES: Final = ("low", "middle", "high")
"""The bins, by similarity with the answer."""

NO_VECTOR: Final = "no word of the consequent has a vector"
EMPTY: Final = "the consequent names no event of its own"
TOO_FEW: Final = "fewer than three candidates"
OTHER_FORM: Final = "fewer than three candidates of the answer's form"
AKIN: Final = "fewer than three candidates that are surely wrong"
UNBALANCED: Final = "no wrong options with which all texts are used alike"


@dataclass(frozen=True)
class Picked:
    """Three wrong options: their places in the pool, and their cosines with the answer."""

    places: tuple[int, ...]
    similarities: tuple[float, ...]


def picked(places: Iterable[int], cosines: Iterable[float]) -> Picked:
    """Wrong options whose cosines are in units of 1/SCALE²."""
    return Picked(tuple(map(int, places)), tuple(float(one) / SCALE**2 for one in cosines))


def meeting(
    cosines: npt.NDArray[np.float32], lengths: Ints, answer: int, settings: QuestionSettings
) -> dict[Conditions, Mask]:
    """Which consequents meet the conditions of each set.

    Args:
        cosines: With the answer, in units of 1/SCALE².
        lengths: In words.
        answer: The answer's, in words.
        settings: The conditions.
    """
    low, high = _bounds(settings.similarity)
    similar = (cosines >= low) & (cosines <= high)
    ratios = lengths / answer
    fits = (ratios >= settings.length[0]) & (ratios <= settings.length[1])
    return {"both": similar & fits, "without_similarity": fits, "without_length": similar.copy()}


def surely_wrong(pair: Pair, pool: Pool, settings: QuestionSettings) -> Mask:
    """Which consequents are no right answers to a pair, as far as their kinship can say."""
    everywhere = np.arange(len(pool))
    if settings.kinship == 1:
        return np.ones(everywhere.size, dtype=bool)
    wrong: Mask = pool.kinship([pair], everywhere)[0] <= settings.kinship * SCALE**2
    return wrong


def lack(masks: Iterable[Mask], same: Mask, sure: Mask) -> str:
    """Why a pair has no question; empty if each set has enough candidates for it.

    Args:
        masks: The candidates of each set, of any form and kinship.
        same: Which consequents have the answer's form.
        sure: Which ones are surely wrong.
    """
    sets = list(masks)
    for reason, which in ((TOO_FEW, np.ones_like(same)), (OTHER_FORM, same), (AKIN, same & sure)):
        if min(np.count_nonzero(mask & which) for mask in sets) < OPTIONS - 1:
            return reason
    return ""


def bin_numbers(cosines: Ints, settings: QuestionSettings) -> Ints:
    """The bin of each candidate, 0 for the lowest.

    Of equal count means that their sizes differ by one at most, the lower ones being the larger; equal cosines are told
    apart by the candidates' order.
    """
    if settings.bins == "widths":
        low, high = _bounds(settings.similarity)
        return np.minimum((cosines - low) * len(NAMES) // max(high - low, 1), len(NAMES) - 1)
    count = cosines.size
    ranks = cosines * count + np.arange(count)  # all different, in the order of the cosines
    starts = [(count + 2) // 3, count - count // 3]
    parted = np.partition(ranks, starts)
    numbers: Ints = (ranks >= parted[starts[0]]).astype(np.int64) + (ranks >= parted[starts[1]])
    return numbers


def _bounds(similarity: tuple[float, float]) -> tuple[int, int]:
    """A range of cosines in units of 1/SCALE², whole numbers."""
    return math.ceil(similarity[0] * SCALE**2 - 1e-3), math.floor(similarity[1] * SCALE**2 + 1e-3)
