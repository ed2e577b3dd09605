"""Which items people judge: all of a kind, or a sample that grows without being drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

from tashika.core.draws import order_key


def draw(item_ids: Sequence[str], sample: int | None, seed: int) -> list[str]:
    """Draws the items that people judge.

    Items are ordered by a digest of seed and id, so that the sample does not depend on the order of the table, and
    an item that is added or removed leaves the relative order of the others as it was.

    Args:
        item_ids: The items of the kind.
        sample: How many to draw; None for all.
        seed: Draws another sample.

    Returns:
        The ids, sorted.
    """
    if sample is None or sample >= len(item_ids):
        return sorted(item_ids)
    return sorted(sorted(item_ids, key=lambda item_id: order_key(seed, item_id))[:sample])
