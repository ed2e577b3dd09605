"""The verdicts on items whose answer a curator knows: by the file of gold questions, and not by votes.

An item whose answer stands in a column of the user's own suite (`gold`) gets none: it is there to check people only.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa

from tashika.annotation.judging.questionnaires import eligible_items
from tashika.annotation.labelling import Page, Row, TextPage, WordsPage
from tashika.annotation.votes.single import decided_by

RULE: Final = "gold"
"""The rule of such a verdict, which nobody adjudicates, whatever it decides."""


def known_decisions(page: Page, items: pa.Table) -> list[dict[str, Any]]:
    """What the file says of the items of a kind, as decisions: item_id, kind, decision and text.

    Args:
        page: The page. Where people answer in words nothing is decided.
        items: All items of the kind.
    """
    if not page.gold or isinstance(page, WordsPage):
        return []
    rows = eligible_items(page, items).to_pylist()
    return [
        {"item_id": row["item_id"], "kind": page.kind, **_decision(page, page.gold[row["item_id"]].answer)}
        for row in rows
        if row["item_id"] in page.gold and not _in_column(page, row)
    ]


def _in_column(page: Page, row: Row) -> bool:
    return page.gold_column is not None and row[page.gold_column] not in (None, "")


def _decision(page: Page, answer: str) -> dict[str, Any]:
    decision, text = decided_by(page, answer, answer if isinstance(page, TextPage) else None)
    return {"decision": decision, "text": text}


def known_verdicts(page: Page, items: pa.Table) -> list[dict[str, Any]]:
    """Rows of `records.VERDICT` for these items: without votes, and with the rule `RULE`."""
    no_votes = {"votes_for": 0, "votes_against": 0, "votes_cast": 0, "tie": False}
    return [{**decision, **no_votes, "rule": RULE} for decision in known_decisions(page, items)]
