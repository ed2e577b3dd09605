"""What a choice changes: another rule than the majority, or people whose votes do not count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import compute, strings
from tashika.core.counts import counted
from tashika.core.errors import InputError


def compare_verdicts(before: pa.Table, after: pa.Table) -> dict[str, Any]:
    """How two counts of the votes on the same items differ, before adjudication.

    Args:
        before: Rows of `records.VERDICT`, sorted by item.
        after: Rows on the same items, sorted by item.

    Returns:
        `items`, `changed` of them, and `by`: how many changed in which way, such as "accepted to rejected", or "another
        text" where the decision is the same and the label, or the correction, is not.
    """
    old, new = before["decision"].combine_chunks(), after["decision"].combine_chunks()
    moved = compute.not_equal(old, new)
    ways = compute.binary_join_element_wise(old.filter(moved), new.filter(moved), " to ")
    by = {row["values"]: row["counts"] for row in compute.value_counts(ways).to_pylist()}
    texts = [compute.fill_null(table["text"], "").combine_chunks() for table in (before, after)]
    reworded = compute.sum(compute.and_(compute.invert(moved), compute.not_equal(*texts))).as_py() or 0
    if reworded:
        by["another text"] = reworded
    ordered = dict(sorted(by.items(), key=lambda pair: (-pair[1], pair[0])))
    return {"items": before.num_rows, "changed": sum(by.values()), "by": ordered}


def describe_changes(changes: Mapping[str, Any]) -> str:
    """Such as "4 of 500 verdicts (accepted to rejected 3, rejected to undecided 1)"."""
    ways = ", ".join(f"{way} {count:,}" for way, count in changes["by"].items())
    return f"{changes['changed']:,} of {counted(changes['items'], 'verdict')}" + (f" ({ways})" if ways else "")


def check_names(names: Collection[str], judgments: pa.Table) -> None:
    """Whether somebody who shall be left out has judged anything.

    Raises:
        InputError: A name is nobody's.
    """
    known = sorted(set(strings(judgments, "annotator")))
    for name in sorted(names):
        if name not in known:
            shown = ", ".join(known[:20]) + (f" and {counted(len(known) - 20, 'other')}" if len(known) > 20 else "")
            raise InputError(
                f"nobody called {name!r} has judged anything here", where="--leave-out", hint=f"Annotators: {shown}."
            )


def without_people(judgments: pa.Table, names: Collection[str]) -> pa.Table:
    """The judgments of all others."""
    if not names:
        return judgments
    theirs = compute.is_in(judgments["annotator"], value_set=pa.array(sorted(names), pa.string()))
    return judgments.filter(compute.invert(theirs))
