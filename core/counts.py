"""Counts in words, singular where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_PLURALS: Final = {"person": "people"}


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """The count with its noun: "1 item", "2,000 items", "0 people".

    Args:
        count: How many.
        noun: What stands behind one, such as "new judgment" or "item is".
        plural: What stands behind any other number; by default the last word of `noun` in the plural.
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {plural or _plural(noun)}"


def listed(values: Sequence[object], most: int = 5) -> str:
    """The first of some values, such as the numbers of tasks: "3, 5, 8", and an ellipsis if there are more."""
    return ", ".join(map(str, values[:most])) + (" …" if len(values) > most else "")


def _plural(noun: str) -> str:
    before, space, last = noun.rpartition(" ")
    return f"{before}{space}{_PLURALS.get(last, f'{last}s')}"
