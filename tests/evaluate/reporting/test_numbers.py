"""How shares look: percent, and counts with Wilson's interval where there are few answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.reporting.numbers import FEW, interval_of, share_of, with_interval
from tashika.evaluate.statistics.inference import Interval


@pytest.mark.parametrize(
    ("share", "trials", "shown"),
    [
        (1.0, 5, "5 of 5 (57% to 100%)"),  # 5 / (5 + 1.96 squared) = .566
        (0.0, 10, "0 of 10 (0% to 28%)"),  # 1.96 squared / (10 + 1.96 squared) = .278
        (0.5, 100, "50.0% (40.4% to 59.6%)"),  # half the width: 1.96 * sqrt(.25 / 100 + .0096 / 100) / 1.0384
        (None, 5, "–"),
        (None, 0, "–"),
    ],
)
def test_a_share_of_few_answers_is_a_count_with_an_interval(share: float | None, trials: int, shown: str) -> None:
    assert with_interval(share, trials) == shown


def test_the_number_alone_is_a_count_or_a_percentage() -> None:
    assert share_of(1.0, 5) == "5 of 5"
    assert share_of(28 / 29, FEW - 1) == "28 of 29"
    assert share_of(0.5, FEW) == "50.0%"
    assert share_of(None, FEW) == "–"
    assert share_of(0.5, 0) == "–"


def test_draws_without_any_width_are_no_certainty() -> None:
    assert interval_of(0.5, 10, Interval(0.25, 0.75)) == Interval(0.25, 0.75)
    wilson = interval_of(1.0, 5, Interval(1.0, 1.0))
    assert wilson is not None
    assert (round(wilson.low, 3), wilson.high) == (0.566, 1.0)
    assert interval_of(None, 5) is None


@given(st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_an_interval_has_a_width_and_holds_the_share(counts: tuple[int, int]) -> None:
    right, trials = counts
    ends = interval_of(right / trials, trials)
    assert ends is not None
    assert 0 <= ends.low <= right / trials <= ends.high <= 1
    assert ends.low < ends.high
