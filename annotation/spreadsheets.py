"""Tables that people open in a spreadsheet: readable there whatever their language, and run by nobody."""

from __future__ import annotations

from typing import Final

ENCODING: Final = "utf-8-sig"
"""UTF-8 with a byte order mark, without which spreadsheets misread what is not ASCII."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def no_formula(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: one that would be gets an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULA) else text
