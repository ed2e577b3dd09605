"""Verdicts and their summary as the annotation room writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VOTES: Mapping[str, tuple[int, int]] = {"accepted": (3, 0), "rejected": (1, 2), "undecided": (1, 1)}
"""Decision -> votes for and against."""


def verdict_row(
    item: str,
    kind: str,
    decision: str = "accepted",
    text: str | None = None,
    *,
    rule: str = "strict majority",
    votes: Mapping[str, tuple[int, int]] = VOTES,
) -> dict[str, Any]:
    """One verdict; `text` is a correction."""
    votes_for, votes_against = votes[decision]
    return {
        "item_id": item, "kind": kind, "decision": decision, "text": text, "votes_for": votes_for,
        "votes_against": votes_against, "votes_cast": votes_for + votes_against, "rule": rule,
        "tie": decision == "undecided", "adjudicator": None,
    }  # fmt: skip


def entry(items: int, annotators: int, /, **changes: Any) -> dict[str, Any]:
    """The summary of a kind whose items people have all accepted."""
    return {
        "form": "votes", "mode": "all", "items": items, "judged": items, "accepted": items, "rejected": 0,
        "undecided": 0, "ties": 0, "adjudicated": 0, "corrected": 0, "annotators": annotators, "people": annotators,
        "votes": items * annotators, "minimum_votes": 2, "rule": "strict majority, minimum 2",
        "acceptance_rate": 1.0, "acceptance_interval": [0.6, 1.0],
        "agreement": {"krippendorff_alpha": 0.7, "fleiss_kappa": 0.69, "percent": 0.9}, "problems": {},
        "simulated": False, "simulation": None, **changes,
    }  # fmt: skip
