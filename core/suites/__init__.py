"""The suites: what one is, which there are, and a folder for each with its declaration and its words."""

from tashika.core.suites.columns import Column, Kind
from tashika.core.suites.papers import Paper
from tashika.core.suites.suite import PreparedModel, Rehearsal, Suite

__all__ = ["Column", "Kind", "Paper", "PreparedModel", "Rehearsal", "Suite"]
