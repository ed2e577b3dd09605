"""Wrong options by which every text is used alike: once as an answer to three times as a wrong option.

A text that is a wrong option more often than another is wrong more often. Drawn at random, the wrong options of a
question are rather those that are drawn often, so the option that its part uses least is the answer in half of the
questions, and whoever counts need not read. Here each text is a wrong option exactly three times as often as it is an
answer. So whatever is known of a text, it is the answer in a quarter of the questions that show it, and what a text
alone is like (its length, its style, how likely it is) is on average the same for answers and for wrong options.

This is an assignment problem: a question has three places, one of each bin, and a text has three uses for each
question that it answers. A place that gets no other text takes a use of the question's own answer, at a price above
all others; so the assignment of the least cost leaves as few places empty as there can be. Questions with empty places
are left out, those with the least freedom first, and the rest is assigned anew, until none is empty.

What a candidate costs is its kinship with the answer in steps (`groups`), then its digest with the question: of the
assignments of wrong options that are hardly right one is drawn, which depends on the texts alone. All sums are whole
numbers below 2^53, exact in float64, and two assignments hardly ever cost the same: the result is the same on any
machine and with any solver. Few texts are candidates of a place, so the costs are a sparse matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from tashika.builders.kuci.questions.even import WRONG, Draft, Ints, clash

Bins = npt.NDArray[np.int8]

_EMPTY: Final = 2**36
"""The price of an empty place, above any number of 31 bits; times questions and the question's own rank."""
_NEVER: Final = 2.0**50
_STEP: Final = 8
"""Of the questions that must be left out, one in so many goes before the rest is assigned anew."""


Regroup = Callable[[npt.NDArray[np.bool_]], Bins]
"""Says in which bin each text is for each question, once some questions are left out with their answers."""


def able(bins: Bins) -> npt.NDArray[np.bool_]:
    """Which questions have a candidate in each bin.

    Args:
        bins: The bin of each text for each question; -1 for no candidate. (questions, texts)
    """
    return _candidates(bins) > 0


def balanced(draft: Draft, prices: Ints, regroup: Regroup | None = None) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Chooses wrong options so that each text is one three times as often as it is an answer.

    Args:
        draft: The questions; its picks are not read.
        prices: Of each text for each question, 31 bits: (questions, texts).
        regroup: Divides the candidates that are left anew; without it they stay in their bins.

    Returns:
        Which questions have wrong options; and those, by bin: (questions, 3), of any number for the others.
    """
    kept = np.ones(len(draft.answers), dtype=bool)
    picks = np.zeros((len(draft.answers), WRONG), dtype=np.int64)
    bins, barred = draft.bins, np.zeros(draft.bins.shape, dtype=bool)
    while kept.any():
        numbers = np.flatnonzero(kept)
        some, empty = _assigned(draft.answers[numbers], np.where(barred, -1, bins)[numbers], prices[numbers])
        if empty.any():
            kept[numbers[_weakest(draft.answers[numbers], bins[numbers], empty)]] = False
            bins = regroup(kept) if regroup else bins
            continue
        picks[numbers] = some
        clashes = numbers[clash(draft.events[some])]
        if not clashes.size:
            return kept, picks
        for question in clashes:  # the dearest of its wrong options is not for it
            barred[question, max(picks[question], key=lambda text: prices[question, text])] = True
    return kept, picks


def _assigned(answers: Ints, bins: Bins, prices: Ints) -> tuple[Ints, Ints]:
    """The assignment of the least cost: each question's wrong options by bin, and how many of its places are empty."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    count = len(answers)
    candidate = bins[:, answers]
    asking, used = np.nonzero(candidate >= 0)  # by question, then by whose answer it would use
    each = np.arange(count)
    empty = _EMPTY * (count + _freedom(answers, bins).argsort(kind="stable").argsort(kind="stable"))
    rows = np.concatenate(
        [np.repeat(WRONG * asking + candidate[asking, used], WRONG), np.repeat(np.arange(WRONG * count), WRONG)]
    )
    columns = np.concatenate(
        [
            (WRONG * used[:, None] + np.arange(WRONG)).ravel(),
            (WRONG * np.repeat(each, WRONG)[:, None] + np.arange(WRONG)).ravel(),
        ]
    )
    costs = np.concatenate([np.repeat(prices[asking, answers[used]] + 1, WRONG), np.repeat(empty, WRONG * WRONG)])
    size = WRONG * count
    matrix = csr_array((costs.astype(np.float64), (rows, columns)), shape=(size, size))
    places, taken = min_weight_full_bipartite_matching(matrix)
    users = (taken[np.argsort(places)] // WRONG).reshape(count, WRONG)
    return answers[users], (users == each[:, None]).sum(axis=1)


def _weakest(answers: Ints, bins: Bins, empty: Ints) -> Ints:
    """Which questions are left out next: of those with the most empty places, those with the least freedom."""
    order = np.lexsort((np.arange(len(answers)), _freedom(answers, bins), -empty))
    most = np.count_nonzero(empty == empty.max())
    weakest: Ints = order[: -(-most // _STEP)]
    return weakest


def _freedom(answers: Ints, bins: Bins) -> Ints:
    """How easily each question finds wrong options, and its answer uses: the scarcest of them first, then their sum."""
    among = bins[:, answers]
    gives, takes = (among >= 0).sum(axis=0), (among >= 0).sum(axis=1)
    scarce = np.minimum(_candidates(among), gives // WRONG)
    freedom: Ints = scarce * (2 * len(answers) + 1) + gives + takes
    return freedom


def _candidates(bins: Bins) -> Ints:
    """The candidates of each question in the bin that has fewest."""
    counts: Ints = np.stack([(bins == place).sum(axis=1) for place in range(WRONG)]).min(axis=0)
    return counts
