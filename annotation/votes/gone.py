"""Answers that a page no longer has, since its suite file was changed after people gave them: they are not counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.labelling import ChoicePage, FormPage, Page, TextPage, choice_pages, form_pages
from tashika.annotation.votes.vote import latest_statements
from tashika.core.counts import counted
from tashika.core.workspace import Workspace

GONE = "answer that the page no longer has"
"""How `validation.json` and the card call them, beside the problems of judgments."""

_NAMED = 3


def find_gone(page: ChoicePage | TextPage, judgments: pa.Table) -> pa.Table:
    """What people said last of an item, where that is no answer to the page any more.

    Args:
        page: The page as it is now.
        judgments: Rows of `records.JUDGMENT` of the page's kind.

    Returns:
        Rows of `records.JUDGMENT`. The label is null where the page asked for a text before.
    """
    said = latest_statements(judgments)
    return said.filter(_is_gone(page, said))


def without_gone(page: Page, judgments: pa.Table) -> pa.Table:
    """The judgments that the page still has the answer of, with those that were never an answer (skips, problems)."""
    if not isinstance(page, ChoicePage | TextPage):
        return judgments
    answered = compute.and_(compute.is_null(judgments["problem"]), compute.invert(judgments["skipped"]))
    return judgments.filter(compute.invert(compute.and_(answered, _is_gone(page, judgments))))


def _is_gone(page: ChoicePage | TextPage, judgments: pa.Table) -> Column:
    if isinstance(page, TextPage):
        missing: Column = compute.is_null(judgments["text"])
        return missing
    labels = [label for label in compute.unique(judgments["label"]).to_pylist() if label and not _lacking(page, label)]
    lacking: Column = compute.invert(compute.is_in(judgments["label"], value_set=pa.array(labels, pa.string())))
    return lacking


def _lacking(page: ChoicePage | TextPage, label: str) -> list[str]:
    """What a judgment names that the page does not have."""
    if isinstance(page, FormPage):
        return [part for part in page.parts(label) if part not in page.labels]
    return [] if isinstance(page, ChoicePage) and label in page.choices else [label]


def gone_lines(workspace: Workspace, pages: Sequence[Page]) -> list[str]:
    """How many judgments that were pulled are no answer any more, a line a kind; none for kinds without such."""
    if not shards(workspace):
        return []
    judgments = read_judgments(workspace)
    lines = []
    for page in [*choice_pages(pages), *form_pages(pages)]:
        gone = find_gone(page, having(judgments, "kind", page.kind))
        if gone.num_rows:
            lines.append(_line(page, gone))
    return lines


def _line(page: ChoicePage | TextPage, gone: pa.Table) -> str:
    named = Counter(name for label in gone["label"].to_pylist() if label for name in _lacking(page, label))
    names = [repr(name) for name, _ in sorted(named.items(), key=lambda pair: (-pair[1], pair[0]))]
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"{counted(len(names) - _NAMED, 'other')}"]
    words = " or ".join(names) or "a text"
    judgments = counted(gone.num_rows, "judgment says", "judgments say")
    return (
        f"{page.kind}: {judgments} {words}, which is no answer of this page any more: not counted; restore the name "
        "in the suite file (the words that a label is shown with may change), or have these items judged again"
    )
