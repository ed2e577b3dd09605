"""`tashika build semrel`."""

from __future__ import annotations


def command() -> None:
    """Build probes of semantic relations."""
