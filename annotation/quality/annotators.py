"""Each annotator: agreement with the others, speed, skips, untouched pre-fills, gold questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.validation import NOT_BY_THE_PERSON
from tashika.annotation.votes.rules import Votes, numbered_people
from tashika.annotation.words.controls import Checked

PART_OF_MEDIAN: Final = 3
"""An answer is too fast only if it took less than this part of the median time of its kind."""


def measure_annotators(
    votes: Votes | None,
    judgments: pa.Table,
    checked: Mapping[str, Checked],
    too_fast: float,
    left_out: Collection[str] = (),
) -> dict[str, dict[str, Any]]:
    """What is known of each person who touched items of a kind.

    Args:
        votes: What they said; None where people write, and nothing can be compared.
        judgments: Rows of `records.JUDGMENT` of the kind, gold questions among them.
        checked: How people did on the gold questions.
        too_fast: Seconds, see `settings.ControlSettings`.
        left_out: Whose votes do not count.

    Returns:
        By pseudonym: `simulated`; `touched`, items with an answer or a skip; `agreement`, the share of votes that
        equal what more than half of the others said of the item, over `compared` votes; `median_seconds` of answers;
        `prefilled`, the share of answers that are untouched predictions; `skipped`, the share of items passed over;
        `gold_answered` and `gold_missed`; `too_fast`, how many answers; `left_out`. Shares are None of nothing.
    """
    last = _last_of_each(judgments)
    names, people = numbered_people(last)
    skipped, prefilled, programs = (_flags(last, column) for column in ("skipped", "prefilled", "simulated"))
    seconds = np.asarray(last["seconds"].to_numpy(zero_copy_only=False), dtype=np.float64)
    answered = ~skipped
    timed = answered & ~np.isnan(seconds)
    fast = timed & (seconds < fast_limit(seconds[timed], too_fast))
    same, compared = ({}, {}) if votes is None else _with_the_rest(votes)
    touched, given, hasty, untouched, simulated = (
        np.bincount(people[mask], minlength=len(names)).tolist()
        for mask in (np.ones(len(people), dtype=bool), answered, fast, answered & prefilled, programs)
    )
    medians = _medians(people[timed], seconds[timed], len(names))
    measures = {}
    for place, name in enumerate(names):
        gold = checked.get(name, Checked())
        measures[name] = {
            "simulated": simulated[place] > 0,
            "touched": touched[place],
            "agreement": _share(same.get(name, 0), compared.get(name, 0)),
            "compared": compared.get(name, 0),
            "median_seconds": medians[place],
            "prefilled": _share(untouched[place], given[place]),
            "skipped": _share(touched[place] - given[place], touched[place]),
            "gold_answered": gold.answered,
            "gold_missed": gold.missed,
            "too_fast": hasty[place],
            "left_out": name in left_out,
        }
    return measures


def fast_limit(seconds: NDArray[np.float64], too_fast: float) -> float:
    """What took less is too fast: less than `too_fast`, and less than a third of the median.

    So where everybody answers in a second, as one may with one key an item, nobody is too fast.
    """
    return min(too_fast, float(np.median(seconds)) / PART_OF_MEDIAN) if len(seconds) else 0.0


def _last_of_each(judgments: pa.Table) -> pa.Table:
    """The last of what each person did with each item, sound or not, as far as the person did it."""
    strange = compute.is_in(judgments["problem"], value_set=pa.array(NOT_BY_THE_PERSON, pa.string()))
    own = judgments.filter(compute.invert(compute.fill_null(strange, False))).sort_by(
        [(name, "ascending") for name in ("item_id", "annotator", "created_at", "annotation_id")]
    )
    if not own.num_rows:
        return own
    item, person = own["item_id"].combine_chunks(), own["annotator"].combine_chunks()
    changes = compute.or_(compute.not_equal(item[:-1], item[1:]), compute.not_equal(person[:-1], person[1:]))
    return own.filter(pa.concat_arrays([changes, pa.array([True])]))


def _flags(table: pa.Table, column: str) -> NDArray[np.bool_]:
    return np.asarray(table[column].to_numpy(zero_copy_only=False), dtype=bool)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _medians(people: NDArray[np.int64], seconds: NDArray[np.float64], count: int) -> list[float | None]:
    order = np.argsort(people, kind="stable")
    parts = np.split(seconds[order], np.cumsum(np.bincount(people, minlength=count))[:-1]) if count else []
    return [round(float(np.median(part)), 3) if len(part) else None for part in parts]


def _with_the_rest(votes: Votes) -> tuple[dict[str, int], dict[str, int]]:
    """How many votes of each person equal what more than half of the others said, and of how many that is known."""
    same, known = compare_with_rest(votes)
    return tuple(  # type: ignore[return-value]
        dict(zip(votes.names, np.bincount(votes.people[mask], minlength=len(votes.names)).tolist(), strict=True))
        for mask in (same, known)
    )


def compare_with_rest(votes: Votes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sets each vote against those of the others on its item.

    Returns:
        Whether more than half of the others said the same, and whether more than half of them said the same thing at
        all; both of shape (votes,). It is never so where there are no others.
    """
    if not len(votes.items):
        nothing = np.zeros(0, dtype=bool)
        return nothing, nothing
    size = max(votes.n_labels, 1)
    cells, places, counts = np.unique(votes.items * size + votes.labels, return_inverse=True, return_counts=True)
    own = counts[places]
    others = np.bincount(votes.items, minlength=votes.n_items)[votes.items] - 1
    order = np.lexsort((-counts, cells // size))
    items = (cells // size)[order]
    starts = np.r_[True, items[1:] != items[:-1]]
    top, second = np.zeros(votes.n_items, dtype=np.int64), np.zeros(votes.n_items, dtype=np.int64)
    top[items[starts]] = counts[order][starts]
    after = np.r_[False, starts[:-1] & ~starts[1:]]
    second[items[after]] = counts[order][after]
    # Of the answers but one's own the most frequent; where one's own shares the first place, the second is as frequent.
    rival = np.where(own == top[votes.items], second[votes.items], top[votes.items])
    same = 2 * (own - 1) > others
    return same, same | (2 * rival > others)
