"""Which of two texts people prefer, added up: who wins how often, and strengths that fit all comparisons.

An item is one comparison: what more than half of its voters prefer. So the intervals are over items, and an item that
many people judged counts no more than one that few did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.labelling import PreferencePage
from tashika.annotation.votes.agreement import wilson_interval

_STEPS = 10_000
_CLOSE = 1e-10


@dataclass(frozen=True)
class Comparisons:
    """Who was preferred to whom.

    Attributes:
        names: Of what is compared, sorted.
        wins: How often the first was preferred to the second, shape (names, names).
        same: How often neither was, symmetric, shape (names, names).
    """

    names: Sequence[str]
    wins: NDArray[np.int64]
    same: NDArray[np.int64]


def compare(page: PreferencePage, items: pa.Table, answers: Iterable[Mapping[str, Any]]) -> Comparisons:
    """Reads decided preferences as comparisons of systems, or of the columns where the page names no systems.

    Args:
        page: The page.
        items: The items, with the columns of the systems; one that compares a system with itself is left out.
        answers: Rows of `records.ANSWER`; those without a label are left out.
    """
    decided = {row["item_id"]: row["label"] for row in answers if row["label"] is not None}
    columns = page.systems or page.between
    pairs: list[tuple[str, str, str]] = []
    for row in items.select(["item_id", *(page.systems or ())]).to_pylist():
        if row["item_id"] in decided:
            first, second = (str(row[column]) for column in columns) if page.systems else columns
            if first != second:
                pairs.append((first, second, decided[row["item_id"]]))
    names = sorted(
        {name for first, second, _ in pairs for name in (first, second)} | set(() if page.systems else columns)
    )
    place = {name: number for number, name in enumerate(names)}
    wins, same = (np.zeros((len(names), len(names)), dtype=np.int64) for _ in range(2))
    for first, second, label in pairs:
        left, right = place[first], place[second]
        if label == page.between[0]:
            wins[left, right] += 1
        elif label == page.between[1]:
            wins[right, left] += 1
        else:
            same[left, right] += 1
            same[right, left] += 1
    return Comparisons(names, wins, same)


def bradley_terry(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strengths by which one is preferred to another with the probability strength / (sum of both strengths).

    Source: D. R. Hunter, MM algorithms for generalized Bradley-Terry models, 2004, section 2.

    Args:
        points: How often the first was preferred to the second, shape (names, names); half a point is half a win.

    Returns:
        Strengths of sum 1, shape (names,).

    Raises:
        ValueError: They are not defined, see `undefined_because`.
    """
    if undefined_because(points) is not None:
        raise ValueError(undefined_because(points))
    won = points.sum(axis=1)
    games = points + points.T
    strengths: NDArray[np.float64] = np.full(len(points), 1.0 / len(points))
    for _ in range(_STEPS):
        together = strengths[:, None] + strengths[None, :]
        better: NDArray[np.float64] = won / (games / together).sum(axis=1)
        better /= better.sum()
        if np.abs(better - strengths).max() < _CLOSE:
            return better
        strengths = better
    return strengths


def undefined_because(points: NDArray[np.float64], names: Sequence[str] = ()) -> str | None:
    """Why there are no strengths, or None.

    They exist if, however one parts the names in two groups, somebody of each has beaten somebody of the other (Ford
    1957; Hunter's assumption 1): the directed graph of the wins is strongly connected.

    Args:
        points: See `bradley_terry`.
        names: For the words; by default numbers.
    """
    from scipy.sparse.csgraph import connected_components

    if len(points) < 2 or not points.any():
        return "nothing was preferred to anything"
    shown = list(names) or [f"number {number + 1}" for number in range(len(points))]
    beaten = [shown[place] for place in np.flatnonzero(points.sum(axis=0) == 0)]
    if beaten:
        return f"{', '.join(beaten)} never lost"
    winless = [shown[place] for place in np.flatnonzero(points.sum(axis=1) == 0)]
    if winless:
        return f"{', '.join(winless)} never won"
    parts, _ = connected_components(points > 0, directed=True, connection="strong")
    return None if parts == 1 else "some of them never lost to some others, or were never compared with them"


def preference_summary(comparisons: Comparisons, *, systems: bool) -> dict[str, Any]:
    """What the card says of preferences.

    Returns:
        `of`, whether systems or columns are compared; `entries` by name, with `wins`, `losses`, `same`, the `rate` of
        wins among wins and losses with its `interval` (Wilson, 95 %), and the Bradley-Terry `strength` (of sum 1;
        neither counts as half a win for both); and the `reason` why there are no strengths, else None.
    """
    points = comparisons.wins + comparisons.same / 2
    reason = undefined_because(points, comparisons.names)
    strengths = np.full(len(points), np.nan) if reason else bradley_terry(points)
    entries = {}
    for place, name in enumerate(comparisons.names):
        wins, losses = int(comparisons.wins[place].sum()), int(comparisons.wins[:, place].sum())
        entries[name] = {
            "wins": wins,
            "losses": losses,
            "same": int(comparisons.same[place].sum()),
            "rate": round(wins / (wins + losses), 6) if wins + losses else None,
            "interval": [round(end, 6) for end in wilson_interval(wins, wins + losses)],
            "strength": None if reason else round(float(strengths[place]), 6),
        }
    return {"of": "systems" if systems else "columns", "entries": entries, "reason": reason}
