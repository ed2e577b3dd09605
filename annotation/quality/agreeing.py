"""How far people agree, with intervals: on a kind, on groups of its items, and two people with each other.

Krippendorff's alpha for a kind and its groups, Cohen's kappa for pairs; both ordinal for ratings. Of several labels the
alpha is the mean over labels, and two people agree if they took the same labels. Texts have neither.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tashika.annotation.judging.columns import Column
from tashika.annotation.labelling import LabelsPage, RatingPage, TextPage
from tashika.annotation.quality.resampling import RESAMPLES, Statistic, interval
from tashika.annotation.votes.agreement import Counts, Weights, kappas, nominal_alphas, ordinal_alphas
from tashika.annotation.votes.forms import FormBallot
from tashika.annotation.votes.rules import Votes
from tashika.annotation.votes.summaries import rounded
from tashika.annotation.votes.vote import Ballot

MOST_GROUPS: Final = 200
MOST_PAIRS: Final = 200
"""More are counted and left out: those with the fewest items."""


def agreement_with_intervals(ballot: Ballot | FormBallot, groups: Column | None) -> dict[str, Any]:
    """The part of a kind's summary about agreement that `summaries.agreement` has not.

    Args:
        ballot: The votes, of which no item has more for being contested; see `pairwise.votes_compared`.
        groups: The group of each of the ballot's items; None for no groups.

    Returns:
        `interval`, that of Krippendorff's alpha over all items; `groups` by name and `pairs` of annotators, each with
        its coefficient, its `interval` and the `items` that it is taken over; how many of both are left out; and how
        many `resamples` the intervals (95 %, percentiles) come from.
    """
    if isinstance(ballot, FormBallot) and isinstance(ballot.page, TextPage):
        return {}
    rows, statistic = _alpha_of(ballot)
    twice = _twice(ballot)
    summary: dict[str, Any] = {"resamples": RESAMPLES, "interval": interval(rows[twice], statistic)}
    if groups is not None:
        by_name = _by_group(rows, statistic, twice, groups)
        summary |= {"groups": by_name[0], "groups_left_out": by_name[1]}
    ordinal = isinstance(ballot, FormBallot) and isinstance(ballot.page, RatingPage)
    pairs, left = pair_kappas(ballot.answers(), ordinal=ordinal)
    return {**summary, "pairs": pairs, "pairs_left_out": left}


def alpha(ballot: Ballot | FormBallot) -> float | None:
    """Krippendorff's alpha of a kind; None where it is not defined."""
    if isinstance(ballot, FormBallot) and isinstance(ballot.page, TextPage):
        return None
    rows, statistic = _alpha_of(ballot)
    return _at(rows, statistic)


def _twice(ballot: Ballot | FormBallot) -> NDArray[np.bool_]:
    """Which items have two votes or more."""
    cast = np.bincount(ballot.items, minlength=len(ballot.item_ids))
    return np.asarray(cast >= 2, dtype=bool)


def _at(rows: Counts, statistic: Statistic) -> float | None:
    return rounded(float(statistic(rows, np.ones((1, len(rows)), dtype=np.int64))[0]))


def _alpha_of(ballot: Ballot | FormBallot) -> tuple[Counts, Statistic]:
    """What alpha takes of each item, and alpha."""
    counts = ballot.counts()
    if isinstance(ballot, FormBallot) and isinstance(ballot.page, LabelsPage):
        return np.concatenate([counts, ballot.cast[:, None]], axis=1), _mean_alphas
    return counts, ordinal_alphas if isinstance(ballot, FormBallot) and isinstance(ballot.page, RatingPage) else (
        nominal_alphas
    )


def _mean_alphas(rows: Counts, weights: Weights) -> NDArray[np.float64]:
    """The mean over labels, without those that everybody or nobody took; the last column counts the votes."""
    cast = rows[:, -1]
    values = np.stack(
        [
            nominal_alphas(np.stack([rows[:, label], cast - rows[:, label]], axis=1), weights)
            for label in range(rows.shape[1] - 1)
        ]
    )
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    counts = known.sum(axis=0)
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full(len(sums), math.nan), where=counts > 0)
    return means


def _by_group(
    rows: Counts, statistic: Statistic, twice: NDArray[np.bool_], groups: Column
) -> tuple[dict[str, dict[str, Any]], int]:
    """Alpha of each group, sorted by name, and how many groups are left out."""
    names, places = np.unique(np.asarray([str(name) for name in groups.to_pylist()]), return_inverse=True)
    sizes = np.bincount(places[twice], minlength=len(names))
    largest = sorted(np.argsort(-sizes, kind="stable")[:MOST_GROUPS].tolist())
    by_name = {}
    for number in largest:
        members = rows[twice & (places == number)]
        entry = {
            "items": len(members),
            "krippendorff_alpha": _at(members, statistic),
            "interval": interval(members, statistic),
        }
        by_name[str(names[number])] = entry
    return by_name, len(names) - len(largest)


def pair_kappas(votes: Votes, *, ordinal: bool = False) -> tuple[list[dict[str, Any]], int]:
    """Cohen's kappa of every two people who share items.

    Args:
        votes: Sorted by item; one vote a person and item.
        ordinal: Whether the answers are points of a scale.

    Returns:
        `annotators` (two names, in the order of the alphabet), `kappa`, its `interval`, `items` that both answered and
        `same`, the share on which they said the same; most items first. And how many pairs are left out.
    """
    first, second = _paired(votes)
    low = np.minimum(votes.people[first], votes.people[second])
    high = np.maximum(votes.people[first], votes.people[second])
    swapped = votes.people[first] > votes.people[second]
    answers = np.stack([votes.labels[first], votes.labels[second]], axis=1)
    answers[swapped] = answers[swapped][:, ::-1]
    codes, starts, sizes = np.unique(low * max(len(votes.names), 1) + high, return_inverse=True, return_counts=True)
    order = np.argsort(starts, kind="stable")
    parts = np.split(answers[order], np.cumsum(sizes)[:-1])
    largest = np.argsort(-sizes, kind="stable")[:MOST_PAIRS]

    def statistic(rows: Counts, weights: Weights) -> NDArray[np.float64]:
        return kappas(rows, weights, ordinal=ordinal)

    entries = [
        {
            "annotators": [votes.names[int(place)] for place in divmod(int(codes[number]), len(votes.names))],
            "kappa": _at(parts[number], statistic),
            "interval": interval(parts[number], statistic),
            "items": int(sizes[number]),
            "same": round(float((parts[number][:, 0] == parts[number][:, 1]).mean()), 6),
        }
        for number in largest
    ]
    return entries, len(codes) - len(entries)


def _paired(votes: Votes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every two votes on the same item, as positions; votes are sorted by item."""
    most = int(np.bincount(votes.items).max(initial=0)) if len(votes.items) else 0
    pairs = [
        np.flatnonzero(votes.items[apart:] == votes.items[:-apart]).astype(np.int64) + offset
        for apart in range(1, most)
        for offset in (0, apart)
    ]
    nothing = [np.zeros(0, dtype=np.int64)]
    return np.concatenate([*nothing, *pairs[::2]]), np.concatenate([*nothing, *pairs[1::2]])
