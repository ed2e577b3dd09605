"""How often an adjudicator overturns what the votes accepted: an estimate of the error of the votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tashika.annotation.labelling import FormPage, Page, RatingPage, TextPage
from tashika.annotation.votes.agreement import wilson_interval
from tashika.annotation.votes.vote import ACCEPTED
from tashika.core.counts import counted

_HALF_A_POINT = 0.5


def audit_summary(
    page: Page, verdicts: Iterable[Mapping[str, Any]], adjudications: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """What `validation.json` says of the audit of a kind.

    Only what the votes accept counts, also today: an item that lost votes since it was drawn does not. Decisions of
    simulated adjudicators count, and are stated.

    Args:
        page: The kind's page; texts are collected, so there is nothing to overturn.
        verdicts: Rows of `records.VERDICT` of the kind, as the votes have it.
        adjudications: Of the kind, oldest first; those of audits count.

    Returns:
        `audit` with the items that were `audited`, those `overturned`, their `share`, its `interval` (Wilson, 95 %),
        and whether the adjudicator is `simulated`; nothing where nothing was audited.
    """
    if isinstance(page, TextPage):
        return {}
    accepted = {row["item_id"]: row["text"] for row in verdicts if row["decision"] == ACCEPTED}
    last = {row["item_id"]: row for row in adjudications}
    audited = [row for item_id, row in last.items() if row["audit"] and item_id in accepted]
    if not audited:
        return {}
    overturned = sum(is_overturned(page, accepted[row["item_id"]], row) for row in audited)
    return {
        "audit": {
            "audited": len(audited),
            "overturned": overturned,
            "share": round(overturned / len(audited), 6),
            "interval": [round(end, 6) for end in wilson_interval(overturned, len(audited))],
            "simulated": any(row["simulated"] for row in audited),
        }
    }


def is_overturned(page: Page, text: str | None, decision: Mapping[str, Any]) -> bool:
    """Whether a decision is another than what the votes accepted.

    A correction of an accepted item's text is no other decision; a point within half a point of the median is none.

    Args:
        page: The kind's page.
        text: Of the verdict: the label, the labels joined, or the median.
        decision: An adjudication.
    """
    if decision["decision"] != ACCEPTED:
        return True
    if isinstance(page, RatingPage):
        return abs(float(decision["text"]) - float(str(text))) > _HALF_A_POINT
    return isinstance(page, FormPage) and decision["text"] != text


def audit_lines(summary: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    """Yields what audits came to, a line a kind that was audited.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to describe.
    """
    for kind in kinds:
        audit = summary.get(kind, {}).get("audit")
        if audit:
            low, high = audit["interval"]
            who = "a simulated adjudicator" if audit["simulated"] else "the adjudicator"
            yield (
                f"{kind}: {who} overturned {audit['overturned']:,} of "
                f"{counted(audit['audited'], 'audited item')} that the "
                f"votes had accepted: {audit['share']:.1%} ({low:.1%} to {high:.1%}), an estimate of the votes' error"
            )
