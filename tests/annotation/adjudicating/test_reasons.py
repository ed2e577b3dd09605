"""Why an item is undecided."""

from __future__ import annotations

from typing import Any

import pytest

from tashika.annotation.adjudicating.reasons import Open, Reason, advice, describe, why
from tashika.annotation.adjudicating.statements import Statement, Statements
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.rules import IN_WORDS
from tests.annotation.adjudicating.forms import FORMS


def votes(*labels: str) -> tuple[Statement, ...]:
    return tuple(Statement(f"p{number}", label, None, None, False) for number, label in enumerate(labels))


UNANIMOUS, WEIGHTED = (f"{IN_WORDS[name]}, minimum 2" for name in ("unanimous", "weighted"))


def verdict(
    cast: int = 0, *, tie: bool = False, adjudicator: str | None = None, rule: str = "strict majority, minimum 2"
) -> dict[str, Any]:
    counts = {"votes_cast": cast, "votes_for": cast // 2, "votes_against": cast - cast // 2}
    return {**counts, "tie": tie, "adjudicator": adjudicator, "rule": rule}


@pytest.mark.parametrize(
    ("form", "row", "said", "reason", "detail"),
    [
        ("one", verdict(), Statements(), Reason.NOBODY, "nobody has answered"),
        ("one", verdict(), Statements((), 3), Reason.SKIPPED, "whoever met it skipped it: 3 skipped"),
        (
            "one", verdict(), Statements((), 1, 2), Reason.UNSOUND,
            "no answer is sound: 1 skipped, 2 gave an answer with problems",
        ),
        ("vote", verdict(), Statements(votes("odd")), Reason.NEITHER, "no vote counts for or against: 1 voted"),
        ("vote", verdict(1), Statements(votes("yes"), 2), Reason.TOO_FEW, "1 of 2 votes needed"),
        ("vote", verdict(2, tie=True), Statements(votes("yes", "no")), Reason.TIE, "a tie among 2 votes"),
        (
            "vote", verdict(3), Statements(votes("yes", "no", "no")), Reason.NO_MAJORITY,
            "1 for, 2 against: strict majority, minimum 2",
        ),
        ("one", verdict(3), Statements(votes("a", "b", "b")), Reason.NO_MAJORITY, "no majority among 3 votes"),
        (
            "vote", verdict(2, tie=True, rule=UNANIMOUS), Statements(votes("yes", "no")), Reason.NOT_UNANIMOUS,
            f"1 for, 1 against: {UNANIMOUS}",
        ),
        (
            "vote", verdict(2, tie=True, rule=WEIGHTED), Statements(votes("yes", "no")), Reason.EQUALLY_LIKELY,
            "equally likely answers among 2 votes",
        ),
        (
            "one", verdict(3, rule=WEIGHTED), Statements(votes("a", "b", "c")), Reason.NOT_LIKELY,
            "no answer likelier than not among 3 votes",
        ),
        (
            "one", verdict(3, adjudicator="Ada"), Statements(votes("a")), Reason.LEFT_OPEN,
            "an adjudicator left it open",
        ),
    ],
)  # fmt: skip
def test_the_first_reason_that_applies_is_given(
    form: str, row: dict[str, Any], said: Statements, reason: Reason, detail: str
) -> None:
    assert why(FORMS[form], row, said, 2) == (reason, detail)


def still_open(form: str, reason: Reason, awaited: int = 0) -> Open:
    return Open(FORMS[form], "i", reason, "", Statements(), awaited)


def test_reasons_are_counted_and_what_to_do_is_said() -> None:
    items = [still_open("vote", Reason.TIE), still_open("vote", Reason.TIE), still_open("vote", Reason.NOBODY, 3)]
    assert describe(items) == (
        "3 undecided (nobody has answered: 1, a tie: 2); 1 of them waits for people who have not answered yet"
    )
    settings = AnnotateSettings(kinds={"k": KindSettings()})
    lines = advice(items, settings, "s.toml")
    assert [line.partition(":")[0] for line in lines] == [
        "wait for people", "ask one person more", "decide in Label Studio, with the votes in sight",
        "decide in a table",
    ]  # fmt: skip
    assert "`tie_breaker = true` in [annotate.kinds.k]" in lines[1]
    breaking = AnnotateSettings(kinds={"k": KindSettings(tie_breaker=True)})
    assert "`tashika annotate push s.toml` offers the items" in advice(items[:1], breaking, "s.toml")[0]
    assert len(advice([still_open("one", Reason.TIE)], settings, "s")) == 2
