"""Counts in words."""

from __future__ import annotations

import pytest

from tashika.core.counts import counted


@pytest.mark.parametrize(
    ("count", "words"),
    [
        ((0, "item"), "0 items"),
        ((1, "item"), "1 item"),
        ((2000, "new judgment"), "2,000 new judgments"),
        ((1, "person"), "1 person"),
        ((3, "person"), "3 people"),
        ((1, "item is", "items are"), "1 item is"),
        ((2, "item is", "items are"), "2 items are"),
    ],
)
def test_what_is_counted_is_singular_where_there_is_one(count: tuple[int, str], words: str) -> None:
    assert counted(*count) == words
