"""Brackets and quotation marks of Japanese text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

BRACKETS: Final = dict(zip("「『（(【〈《“〔［[", "」』）)】〉》”〕］]", strict=True))
"""Opening and closing ones."""

CLOSING: Final = frozenset(BRACKETS.values())


def is_torn(surfaces: Iterable[str]) -> bool:
    """Whether a bracket lacks its other one: ...と言う」と答えた."""
    opened: list[str] = []
    for surface in surfaces:
        if surface in BRACKETS:
            opened.append(BRACKETS[surface])
        elif surface in CLOSING and (not opened or opened.pop() != surface):
            return True
    return bool(opened)
