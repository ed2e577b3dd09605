"""What an adjudicator overturns."""

from __future__ import annotations

from typing import Any

import pytest

from tashika.annotation.adjudicating.audit import audit_lines, audit_summary, is_overturned
from tests.annotation.adjudicating.forms import FORMS


def decision(text: str | None, said: str = "accepted", **values: Any) -> dict[str, Any]:
    return {"item_id": "i", "decision": said, "text": text, "audit": True, "simulated": False, **values}


@pytest.mark.parametrize(
    ("form", "voted", "decided", "overturned"),
    [
        ("one", "a", decision("a"), False),
        ("one", "a", decision("b"), True),
        ("one", "a", decision(None, "rejected"), True),
        ("several", "a\nb", decision("a\nb"), False),
        ("several", "a\nb", decision("a"), True),
        ("rating", "2.5", decision("3"), False),
        ("rating", "2", decision("3"), True),
        ("vote", None, decision("a correction"), False),
        ("vote", None, decision(None, "undecided"), True),
    ],
)
def test_another_decision_overturns(form: str, voted: str | None, decided: dict[str, Any], overturned: bool) -> None:
    assert is_overturned(FORMS[form], voted, decided) is overturned


def test_the_share_has_an_interval_and_is_of_what_the_votes_accept_today() -> None:
    verdicts: list[dict[str, Any]] = [{"item_id": f"i{n}", "decision": "accepted", "text": "a"} for n in range(10)]
    verdicts.append({"item_id": "lost", "decision": "undecided", "text": None})
    last = [decision("b" if n == 0 else "a", item_id=f"i{n}") for n in range(10)]
    unaudited = [decision("b", item_id="lost"), decision("b", item_id="i9", audit=False)]
    audit = audit_summary(FORMS["one"], verdicts, [decision("b", item_id="i3"), *last, *unaudited])["audit"]
    assert (audit["audited"], audit["overturned"], audit["share"]) == (9, 1, 0.111111)
    # Wilson, 1 of 9: (1/9 + 1.92/9 -+ 1.96 sqrt((1/9)(8/9)/9 + 0.96/81)) / (1 + 3.84/9)
    assert audit["interval"] == pytest.approx([0.0199, 0.4350], abs=1e-4)
    assert audit_summary(FORMS["one"], verdicts, unaudited) == {}
    assert audit_summary(FORMS["text"], verdicts, last) == {}
    (line,) = audit_lines({"k": {"audit": audit}, "other": {}}, ["k", "other"])
    assert line.startswith("k: the adjudicator overturned 1 of 9 audited items")
    assert "11.1% (2.0% to 43.5%)" in line
    (line,) = audit_lines({"k": {"audit": {**audit, "simulated": True}}}, ["k"])
    assert "a simulated adjudicator" in line
