"""Adjudications that a page no longer has the answer of, since its suite file was changed: they do not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.labelling import FormPage, Page, RatingPage, VotePage
from tashika.annotation.votes.vote import ACCEPTED
from tashika.core.counts import counted
from tashika.core.workspace import Workspace

Decisions = list[dict[str, Any]]


def part_lost(adjudications: Iterable[dict[str, Any]], pages: Sequence[Page]) -> tuple[Decisions, Decisions]:
    """Parts adjudications into those that stand and those whose answer the page has lost.

    Args:
        adjudications: Oldest first, of any kind; those of other kinds than the pages' stand.
        pages: The pages as they are now.
    """
    by_kind = {page.kind: page for page in pages}
    standing, lost = Decisions(), Decisions()
    for row in adjudications:
        page = by_kind.get(row["kind"])
        (lost if page is not None and lost_answer(page, row) else standing).append(row)
    return standing, lost


def lost_answer(page: Page, row: Mapping[str, Any]) -> str | None:
    """What an adjudication names that the page does not have; None where it has all of it."""
    text = row["text"]
    if row["decision"] != ACCEPTED:
        return None
    if isinstance(page, RatingPage):
        points = {str(page.value(label)) for label in page.labels}
        return None if text in points else f"point {text}"
    if isinstance(page, FormPage):
        return next((part for part in page.parts(text or "") if part not in page.labels), None)
    return text if isinstance(page, VotePage) and not page.text_control else None


def lost_lines(workspace: Workspace, pages: Sequence[Page]) -> list[str]:
    """How many adjudications name what the page no longer has, a line a kind; only the last on an item counts."""
    last = {row["item_id"]: row for row in read_adjudications(workspace)}
    lines = []
    for page in pages:
        named = [lost_answer(page, row) for row in last.values() if row["kind"] == page.kind]
        lost = [name for name in named if name is not None]
        if lost:
            count = counted(len(lost), "adjudication names", "adjudications name")
            names = ", ".join(sorted({repr(name[:80]) for name in lost})[:3])
            lines.append(
                f"{page.kind}: {count} {names}, which is no answer of this page any more: not counted; restore the "
                "name in the suite file, or have these items adjudicated again"
            )
    return lines
