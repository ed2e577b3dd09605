"""Which accepted items are drawn to check the votes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.adjudicating.choosing import choose_items, draw_audit
from tashika.annotation.adjudicating.reasons import find_open
from tashika.annotation.labelling import Known, pages_of
from tashika.annotation.settings import AdjudicationSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.votes import judge
from tests.annotation.custom.samples import settings_of

ITEMS = st.sets(st.text("abc", min_size=1, max_size=4), max_size=20)


def audited(*items: str) -> list[dict[str, Any]]:
    return [{"item_id": item, "audit": True} for item in items]


@given(ITEMS, st.floats(0.0, 1.0), st.integers(0, 9))
def test_the_share_is_drawn_once_however_often_one_asks(items: set[str], share: float, seed: int) -> None:
    drawn = draw_audit(items, [], share, seed)
    assert len(drawn) == math.ceil(share * len(items))
    assert draw_audit(items - set(drawn), audited(*drawn), share, seed) == []
    assert draw_audit(sorted(items, reverse=True), [], share, seed) == drawn


def test_adjudications_of_undecided_items_are_no_audit() -> None:
    undecided: list[dict[str, Any]] = [{"item_id": "a", "audit": False}, {"item_id": "b", "audit": None}]
    assert draw_audit({"c", "d"}, undecided, 1.0, 0) == ["c", "d"]
    assert draw_audit({"c", "d"}, [], 0.0, 0) == []


def test_gold_questions_are_neither_audited_nor_open(six: CustomSuite, work: Workspace) -> None:
    settings = settings_of(six).model_copy(update={"adjudication": AdjudicationSettings(audit=1.0)})
    (page,) = (page for page in pages_of("riddles", settings) if page.kind == "riddle")
    known, unknown, voted_on = judge(work, "riddle", [["unsound"] * 3, ["sound"] * 3, ["sound"] * 3])
    page = replace(page, gold={known: Known("sound"), unknown: Known("odd")})
    count_votes(work, [page], settings)
    verdicts = work.read_verdicts()
    assert {row["item_id"]: row["decision"] for row in verdicts.to_pylist()} == {
        known: "accepted", unknown: "undecided", voted_on: "accepted",
    }  # fmt: skip
    assert list(choose_items(work, page, settings, verdicts, waiting=True)) == [voted_on]
    assert find_open(work, [page], settings, verdicts) == []


def test_an_item_that_was_taken_from_people_early_waits_for_nobody(six: CustomSuite, work: Workspace) -> None:
    """By the rule `unanimous` the first two already leave it open for good; the third is never asked."""
    plain = settings_of(six)
    settings = plain.model_copy(update={"stop_early": True, "rule": "unanimous"})
    (page,) = (page for page in pages_of("riddles", plain) if page.kind == "riddle")
    split, *_ = judge(work, "riddle", [["sound", "unsound"], ["sound"] * 3, ["sound"]])
    count_votes(work, [page], settings)
    verdicts = work.read_verdicts()
    awaited = {each.item_id: each.awaited for each in find_open(work, [page], settings, verdicts)}
    assert (awaited[split], sum(awaited.values())) == (0, 2)
    assert list(choose_items(work, page, settings, verdicts, waiting=False)) == [split]
    asked_of_all = settings.model_copy(update={"stop_early": False})
    assert choose_items(work, page, asked_of_all, verdicts, waiting=False) == {}
