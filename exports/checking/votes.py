"""Checks of what people said: released items without a verdict, and with too few votes."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tashika.exports.arrow import compute as pc
from tashika.exports.checking.examined import Examined
from tashika.exports.checks import RECORD_FILE, Problem
from tashika.exports.validation import KindValidation


def items_have_a_verdict(examined: Examined) -> Iterator[Problem]:
    """Every released item of a kind that people judge whole has a verdict."""
    for kind, entry, items in _judged(examined):
        if entry.mode == "all":
            for item in items.filter(pc.invert(items.column("judged"))).column("item_id").to_pylist():
                yield Problem(RECORD_FILE, item, f"a released {kind} without a verdict")


def items_have_enough_votes(examined: Examined) -> Iterator[Problem]:
    """Every released item that people judged has as many votes as a verdict needs."""
    for kind, entry, items in _judged(examined):
        few = pc.and_(items.column("judged"), pc.less(items.column("votes"), entry.minimum_votes))
        for row in items.filter(few).to_pylist():
            found = f"a released {kind} with {row['votes']} of {entry.minimum_votes} votes"
            yield Problem(RECORD_FILE, row["item_id"], found)


def _judged(examined: Examined) -> Iterator[tuple[str, KindValidation, pa.Table]]:
    """The kinds that people judged, with the released items: whether each has a verdict, and its votes."""
    if examined.verdicts is None:
        return
    known = examined.verdicts.column("item_id").combine_chunks()
    votes = examined.verdicts.column("votes_cast").combine_chunks()
    for kind, entry in examined.draft.plan.validation.items():
        items = examined.draft.plan.items.get(kind)
        if items is None or entry.form == "words":
            continue
        ids = items.column("item_id").combine_chunks()
        places = pc.index_in(ids, value_set=known)
        counted = pc.fill_null(votes.take(places), 0)
        yield kind, entry, pa.table({"item_id": ids, "judged": pc.is_valid(places), "votes": counted})
