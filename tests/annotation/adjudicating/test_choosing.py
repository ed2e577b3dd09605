"""Which accepted items are drawn to check the votes."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.adjudicating.choosing import draw_audit

ITEMS = st.sets(st.text("abc", min_size=1, max_size=4), max_size=20)


def audited(*items: str) -> list[dict[str, Any]]:
    return [{"item_id": item, "audit": True} for item in items]


@given(ITEMS, st.floats(0.0, 1.0), st.integers(0, 9))
def test_the_share_is_drawn_once_however_often_one_asks(items: set[str], share: float, seed: int) -> None:
    drawn = draw_audit(items, [], share, seed)
    assert len(drawn) == math.ceil(share * len(items))
    assert draw_audit(items - set(drawn), audited(*drawn), share, seed) == []
    assert draw_audit(sorted(items, reverse=True), [], share, seed) == drawn


def test_adjudications_of_undecided_items_are_no_audit() -> None:
    undecided: list[dict[str, Any]] = [{"item_id": "a", "audit": False}, {"item_id": "b", "audit": None}]
    assert draw_audit({"c", "d"}, undecided, 1.0, 0) == ["c", "d"]
    assert draw_audit({"c", "d"}, [], 0.0, 0) == []
