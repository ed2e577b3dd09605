"""The items that people do not agree on, with what they said: the most contested first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.annotation.adjudicating.listing import notes_in_words, shown_items, votes_in_words
from tashika.annotation.adjudicating.reasons import Open
from tashika.annotation.adjudicating.statements import Statements, answer_words, statements_by_item
from tashika.annotation.judging.columns import having, strings
from tashika.annotation.judging.questionnaires import voted
from tashika.annotation.labelling import ChoicePage, FormPage, Page
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Contested:
    """An item on which people differ.

    Attributes:
        kind: Its kind.
        item_id: The item.
        shown: What its page shows, as plain text by column.
        votes: What people said and how often.
        notes: The corrections and notes that they left.
        decision: What it comes to; None before the votes are counted.
        why: Why it is undecided, or which rule decided.
        differing: The share of votes that differ from the most frequent answer.
    """

    kind: str
    item_id: str
    shown: Mapping[str, str]
    votes: str
    notes: Sequence[str]
    decision: str | None
    why: str
    differing: float


def find_contested(
    workspace: Workspace,
    pages: Sequence[Page],
    judgments: pa.Table,
    verdicts: pa.Table | None,
    still_open: Sequence[Open],
) -> list[Contested]:
    """The items with votes that differ, those with the least agreement first; questions of known answer are none.

    Args:
        workspace: Where the items lie.
        pages: The kinds; without choices nothing can differ.
        judgments: Rows of `records.JUDGMENT`.
        verdicts: Rows of `records.VERDICT`; None before the first count.
        still_open: The undecided items, with the reasons.
    """
    decided = {row["item_id"]: row for row in verdicts.to_pylist()} if verdicts is not None else {}
    reasons = {entry.item_id: entry.detail for entry in still_open}
    result = []
    for page in pages:
        if not isinstance(page, ChoicePage):
            continue
        of_kind = having(judgments, "kind", page.kind)
        said = statements_by_item(page, of_kind, strings(voted(page, workspace.read_items(page.kind)), "item_id"))
        differing = {item: share for item, entry in said.items() if (share := differing_share(page, entry)) > 0}
        shown = shown_items(workspace, [page], differing)
        result += [
            _contested(page, item, said[item], shown[item], share, decided.get(item, {}), reasons)
            for item, share in differing.items()
        ]
    return sorted(result, key=lambda entry: (-entry.differing, entry.kind, entry.item_id))


def _contested(
    page: Page,
    item_id: str,
    said: Statements,
    shown: Mapping[str, str],
    share: float,
    verdict: Mapping[str, Any],
    reasons: Mapping[str, str],
) -> Contested:
    return Contested(
        kind=page.kind,
        item_id=item_id,
        shown=shown,
        votes=votes_in_words(page, said),
        notes=notes_in_words(page, said),
        decision=_decision(page, verdict),
        why=reasons.get(item_id, str(verdict.get("rule", ""))),  # an adjudicator may be there under his or her name
        differing=share,
    )


def _decision(page: Page, verdict: Mapping[str, Any]) -> str | None:
    """The decision, with what the item is where people say that."""
    if isinstance(page, FormPage) and verdict.get("text"):
        return f"{verdict['decision']} as {' + '.join(page.parts(verdict['text']))}"
    return verdict.get("decision")


def differing_share(page: Page, said: Statements) -> float:
    """The share of votes that differ from the most frequent answer; 0 where all agree or nobody voted."""
    answers = Counter(answer_words(page, vote) for vote in said.votes if vote.counts)
    return 1 - max(answers.values()) / answers.total() if answers else 0.0
