"""Cohen's kappa of the first two people who judged an item, with its interval: over all items, by group, by part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.box import SIMPLE
from rich.table import Table

from tashika.annotation.judging.columns import Column, compute
from tashika.annotation.quality.resampling import interval
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.agreement import Counts, Weights, cohen_kappa, kappas
from tashika.annotation.votes.forms import FormBallot
from tashika.annotation.votes.vote import Ballot, annotators_of
from tashika.core.annotators import Annotators

ALL = "all"
MOST_SHOWN = 12
"""Of more groups the table in the terminal shows only all together; `validation.json` has them."""
NO_PAIRS = "no item was judged twice"
ALL_THE_SAME = "everybody said the same of every item"


Said = TypeVar("Said", Ballot, FormBallot)


def votes_compared(settings: AnnotateSettings, kind: str) -> int | None:
    """How many votes of each item, the first ones, coefficients of agreement may take; None for all.

    Where items are taken from people as soon as they are decided, or more people are asked about those that are not,
    the others have more votes the less people agree.
    """
    if settings.stops:
        return settings.minimum_votes
    return settings.people(kind) if kind in settings.kinds and settings.kinds[kind].tie_breaker else None


def first_votes(ballot: Said, judgments: pa.Table, count: int) -> Said:
    """The ballot with the votes of the first `count` people to vote on each item.

    Who was asked later, because the first were split, was asked about those items alone: coefficients of agreement
    over all votes would count the split items more heavily than the others.

    Args:
        ballot: The votes.
        judgments: The rows of `records.JUDGMENT` that they come from. The annotation's number decides who was first; it
            stays when a person changes an answer.
        count: How many people an item.
    """
    sound = judgments.filter(compute.and_(compute.is_null(judgments["problem"]), compute.invert(judgments["skipped"])))
    first = sound.select(["item_id", "annotator", "annotation_id"]).group_by(["item_id", "annotator"])
    oldest = first.aggregate([("annotation_id", "min")])
    who = ballot.votes.select(["item_id", "annotator"]).append_column("row", pa.array(np.arange(len(ballot.items))))
    dated = who.join(oldest, ["item_id", "annotator"]).sort_by(
        [("item_id", "ascending"), ("annotation_id_min", "ascending"), ("annotator", "ascending")]
    )
    items = ballot.items[dated["row"].to_numpy()]
    starts = np.flatnonzero(np.r_[True, items[1:] != items[:-1]]) if len(items) else np.zeros(0, dtype=np.int64)
    place = np.arange(len(items)) - np.repeat(starts, np.diff(np.r_[starts, len(items)]))
    kept = np.sort(dated["row"].to_numpy()[place < count])
    votes, items = ballot.votes.take(pa.array(kept)), ballot.items[kept]
    if isinstance(ballot, FormBallot):
        return replace(ballot, votes=votes, items=items, taken=ballot.taken[kept])
    return replace(ballot, votes=votes, items=items, labels=ballot.labels[kept])


def cohen_by(first_two: Ballot, groups: Column) -> dict[str, dict[str, Any]]:
    """Cohen's kappa over all items and by group.

    If two people judged everything, the one whose name comes first in the alphabet is the first rater. If more people
    share the work, who of an item's two is the first rater means nothing. Then each item counts twice, once in either
    order: the confusion matrix is symmetric, both raters have the pooled shares of the choices, and the coefficient is
    what is also called Scott's pi over pairs of people. One rule holds for all groups of a kind.

    Args:
        first_two: The votes of the first two people on each item, see `first_votes`.
        groups: The group of each of the ballot's items.

    Returns:
        By group, "all" first: `kappa`, None where it is not defined; its `interval` (95 %, percentiles over resampled
        items), None where one of the two says the same of every item (`constant`), which makes kappa 0; `items`, those
        with two votes; `annotators`, who share them, and `people`, those of them that are no programs; `symmetric`,
        whether each item counted in both orders; `reason`, why there is no kappa, else None.
    """
    firsts, seconds, items = _pairs(first_two)
    symmetric = _annotators(first_two, firsts, seconds).total > 2
    group_of = np.asarray(groups.to_pylist(), dtype=object)
    kappas = {}
    for group in (ALL, *sorted({str(name) for name in group_of})):
        in_group = np.ones(len(items), dtype=bool) if group == ALL else group_of[items] == group
        kappas[group] = _entry(first_two, firsts[in_group], seconds[in_group], symmetric)
    return kappas


def cohen_parts(first_two: Ballot, columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    """Cohen's kappa by the values of several columns together, such as of detected errors alone, by topic.

    Args:
        first_two: As for `cohen_by`, whose rule for the order of two people holds here too.
        columns: Of the ballot's items, by name; the last one's values are also taken together, as "all".

    Returns:
        For each combination that occurs, sorted: the values by name, and what `cohen_by` gives for a group.
    """
    firsts, seconds, items = _pairs(first_two)
    symmetric = _annotators(first_two, firsts, seconds).total > 2
    values = list(zip(*(column.to_pylist() for column in columns.values()), strict=True))
    parts: dict[tuple[Any, ...], list[int]] = {}
    for place, item in enumerate(items.tolist()):
        *before, last = values[item]
        for name in (ALL, last):
            parts.setdefault((*before, name), []).append(place)
    return [
        {
            **dict(zip(columns, part, strict=True)),
            **_entry(first_two, firsts[parts[part]], seconds[parts[part]], symmetric),
        }
        for part in sorted(parts, key=lambda part: tuple(map(str, part)))
    ]


def _pairs(ballot: Ballot) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The two votes of each item that has two, as positions in the ballot, and their item; votes are sorted by item."""
    counts = np.bincount(ballot.items, minlength=len(ballot.item_ids))
    if counts.size and counts.max() > 2:
        raise ValueError("expected the votes of two people an item at most")
    firsts = np.flatnonzero(np.r_[ballot.items[1:] == ballot.items[:-1], False]) if len(ballot.items) else ballot.items
    return firsts.astype(np.int64), (firsts + 1).astype(np.int64), ballot.items[firsts]


def _annotators(ballot: Ballot, firsts: NDArray[np.int64], seconds: NDArray[np.int64]) -> Annotators:
    """Who gave these votes."""
    return annotators_of(ballot.votes.take(pa.array(np.concatenate([firsts, seconds]), pa.int64())))


def _entry(ballot: Ballot, firsts: NDArray[np.int64], seconds: NDArray[np.int64], symmetric: bool) -> dict[str, Any]:
    size = len(ballot.choices)
    confusion: Counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(confusion, (ballot.labels[firsts], ballot.labels[seconds]), 1)
    kappa = cohen_kappa(confusion + confusion.T if symmetric else confusion)
    missing = math.isnan(kappa)
    # Then kappa is 0 whatever the other says, in every resample too: an interval without width would look sure.
    constant = (
        not missing
        and not symmetric
        and bool((confusion.sum(axis=0) > 0).sum() == 1 or (confusion.sum(axis=1) > 0).sum() == 1)
    )
    annotators = _annotators(ballot, firsts, seconds)
    return {
        "kappa": None if missing else round(kappa, 6),
        "interval": None if missing or constant else _interval(ballot, firsts, seconds, symmetric),
        "constant": constant,
        "items": len(firsts),
        "annotators": annotators.total,
        "people": annotators.people,
        "simulated": annotators.simulated,
        "symmetric": symmetric,
        "reason": (ALL_THE_SAME if len(firsts) else NO_PAIRS) if missing else None,
    }


def _interval(
    ballot: Ballot, firsts: NDArray[np.int64], seconds: NDArray[np.int64], symmetric: bool
) -> list[float] | None:
    """The 95 % interval of the coefficient, by resampling items."""

    def statistic(rows: Counts, weights: Weights) -> NDArray[np.float64]:
        if symmetric:
            rows, weights = np.concatenate([rows, rows[:, ::-1]]), np.concatenate([weights, weights], axis=1)
        return kappas(rows, weights)

    return interval(np.stack([ballot.labels[firsts], ballot.labels[seconds]], axis=1).astype(np.int64), statistic)


def kappa_table(summary: Mapping[str, Any], kinds: Sequence[str]) -> Table | None:
    """Cohen's kappa by kind and, if there are few, group as a table for the terminal; None where no kind has any.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to show.
    """
    shown = [kind for kind in kinds if "cohen" in summary.get(kind, {})]
    if not shown:
        return None
    table = Table(title="Cohen's kappa of the two annotators asked first", box=SIMPLE, padding=0)
    table.add_column("kind", no_wrap=True)
    table.add_column("among", no_wrap=True)
    table.add_column("annotators", no_wrap=True)
    table.add_column("judged twice", justify="right")
    table.add_column("kappa", justify="right")
    for kind in shown:
        for group, entry in summary[kind]["cohen"].items():
            if group != ALL and len(summary[kind]["cohen"]) > MOST_SHOWN:
                continue
            kappa = f"– ({entry['reason']})" if entry["kappa"] is None else f"{entry['kappa']:.3f}"
            who = Annotators.of({"simulated": summary[kind]["simulated"], **entry}).description
            table.add_row(kind, group, who, f"{entry['items']:,}", kappa)
    return table
