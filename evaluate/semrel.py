"""`tashika evaluate semrel`."""

from __future__ import annotations


def command() -> None:
    """Score models and people on semantic relations."""
