"""Which items a release takes: what the people's verdicts say of each, and the texts they corrected."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tashika.core.errors import InputError, MissingStageError
from tashika.core.workspace import Workspace
from tashika.exports.arrow import array
from tashika.exports.arrow import compute as pc

VERDICT_COLUMNS = ("decision", "text", "votes_for", "votes_cast")


def with_verdicts(items: pa.Table, verdicts: pa.Table) -> pa.Table:
    """Items with the columns of their verdicts: `decision`, `corrected`, `votes_for`, `votes_cast`.

    All four are null where an item has no verdict; `corrected` is also null where nobody corrected the text.
    """
    row = pc.index_in(items.column("item_id").combine_chunks(), value_set=verdicts.column("item_id").combine_chunks())
    taken = verdicts.select(list(VERDICT_COLUMNS)).take(row)
    for name in VERDICT_COLUMNS:
        items = items.append_column("corrected" if name == "text" else name, taken.column(name))
    return items


def chosen(items: pa.Table, mode: str) -> pa.Table:
    """The judged items that go into a release.

    Args:
        items: What `with_verdicts` returns.
        mode: `all`: only what was accepted. `audit`: all but what was rejected.
    """
    decision = items.column("decision")
    if mode == "all":
        return items.filter(pc.fill_null(pc.equal(decision, "accepted"), False))
    return items.filter(pc.invert(pc.fill_null(pc.equal(decision, "rejected"), False)))


def released(workspace: Workspace, items: pa.Table, kind: str, mode: str) -> pa.Table:
    """The judged items of a kind that a release cannot do without.

    Args:
        workspace: Where the verdicts lie.
        items: What `with_verdicts` returns.
        kind: The kind.
        mode: See `chosen`.

    Raises:
        MissingStageError: None of them has a verdict.
        InputError: None of them goes into the release.
    """
    counts = decisions(items)
    if counts.get("unjudged", 0) == items.num_rows:
        suite = workspace.argument
        raise MissingStageError(
            f"none of the {items.num_rows} {kind}s has a verdict",
            where=str(workspace.verdict_file),
            hint=f"Run `tashika annotate pull {suite}` and `tashika annotate vote {suite}` first.",
        )
    kept = chosen(items, mode)
    if kept.num_rows == 0:
        raise InputError(
            f"no {kind} was accepted: {counts}",
            where=str(workspace.verdict_file),
            hint=f"`tashika annotate status {workspace.argument}` shows who has judged what.",
        )
    return kept


def corrected(items: pa.Table) -> pa.Table:
    """The items with `text` as the people corrected it."""
    text = pc.coalesce(items.column("corrected"), items.column("text"))
    return items.set_column(items.schema.get_field_index("text"), "text", text)


def without_repeats(items: pa.Table, keys: list[str]) -> pa.Table:
    """Leaves out items whose corrected text another item has already; repeats that nobody corrected stay.

    Args:
        items: What `corrected` returns, with the columns `keys` that must differ from row to row.
        keys: Such as relation and text.
    """
    repaired = np.asarray(items.column("corrected").is_valid())
    order = np.argsort(repaired, kind="stable")  # uncorrected rows come first and keep their text
    ranked = items.take(array(order)).append_column("rank", array(np.arange(items.num_rows)))
    first = ranked.group_by(keys, use_threads=False).aggregate([("rank", "min")]).column("rank_min")
    keep = ~repaired
    keep[order[np.asarray(first)]] = True
    return items.filter(array(keep))


def decisions(items: pa.Table) -> dict[str, int]:
    """How many judged items were accepted, rejected, left undecided, or not judged."""
    counts = pc.value_counts(pc.fill_null(items.column("decision"), "unjudged")).to_pylist()
    return {str(entry["values"]): int(entry["counts"]) for entry in counts}
