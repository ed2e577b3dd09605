"""What a plan or the lite set saved, in words."""

from __future__ import annotations

from typing import Any

from tashika.evaluate.myriadlama.lite.intervals import NUMBERS
from tashika.evaluate.myriadlama.lite.saving import saving
from tashika.evaluate.myriadlama.metrics import (
    AskedOf,
    DesignSize,
    EstimatedNumber,
    FrameSize,
    LiteMetrics,
    MyriadLamaMetrics,
    PlanMetrics,
)
from tests.evaluate.myriadlama.toy_scores import metrics_of

NARROW = {number: EstimatedNumber(point=0.5, low=0.49, high=0.51, half_width=0.01) for number in NUMBERS}
WIDE = NARROW | {"mrr range": EstimatedNumber(point=0.1, low=0.0787, high=0.1213, half_width=0.0213)}


def scores(**changes: Any) -> MyriadLamaMetrics:
    return MyriadLamaMetrics.model_validate(metrics_of("tiny")).model_copy(update=changes)


def test_a_plan_says_what_it_saved_and_what_came_out_too_wide() -> None:
    size = DesignSize(pairs=10, templates=8, aliases=2, pairs_by_relation={"P1": 10}, prompts=250)
    plan = PlanMetrics(
        half_width=0.02,
        confidence=0.95,
        chosen=size,
        of=FrameSize(pairs=40, templates=8, prompts=1000),
        predicted_half_widths={},
        pilot=size,
        prompts=AskedOf(asked=250, of=1000),
    )
    narrow = saving(scores(plan=plan, intervals=NARROW))
    assert "250 of 1,000 prompts were asked (25.0%" in narrow
    assert "every number is known within 0.02" in narrow
    wide = saving(scores(plan=plan, intervals=WIDE))
    assert "Wider than the 0.02 that was asked for came out: mrr range 0.0213." in wide


def test_the_lite_set_says_how_wide_it_came_out_and_what_it_could_not_ask() -> None:
    lite = LiteMetrics(prompts=AskedOf(asked=80, of=1000), relations=AskedOf(asked=4, of=4))
    text = saving(scores(lite=lite, intervals=WIDE))
    assert text == (
        "80 of 1,000 prompts that it can answer were asked (8.0%); the widest interval is that of mrr range, "
        "± 0.0213 at 95 %."
    )
    lite = lite.model_copy(update={"relations": AskedOf(asked=3, of=4)})
    assert "none of these of 1 of 4 relations" in saving(scores(lite=lite, intervals=WIDE))


def test_a_full_run_saved_nothing() -> None:
    assert saving(scores()) == ""
