"""Orders of options: rotations, the mean over them, and the vote."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.ways.options import OptionScore
from tashika.evaluate.ways.orders import combined, first_place, rotated, voted


def scores(*values: float) -> list[OptionScore]:
    return [OptionScore(value, 1, 1, False, None) for value in values]


@given(st.integers(1, 8), st.integers(0, 20))
def test_a_rotation_and_its_places(count: int, order: int) -> None:
    options = [f"option {place}" for place in range(count)]
    shown = rotated(options, order)
    assert sorted(shown) == sorted(options)
    assert [options[first_place(place, order, count)] for place in range(count)] == list(shown)


def test_over_all_orders_each_option_stands_under_each_letter_once() -> None:
    columns = list(zip(*(rotated("abcd", order) for order in range(4)), strict=True))
    assert all(sorted(column) == list("abcd") for column in columns)


def test_the_mean_of_probabilities_by_hand() -> None:
    """Two options. First order: A .8, B .2. Second: A (the second option) .06, B (the first) .04: .6 and .4."""
    found = combined([scores(math.log(0.8), math.log(0.2)), scores(math.log(0.06), math.log(0.04))])
    assert [math.exp(one.log_likelihood) for one in found] == pytest.approx([(0.8 + 0.4) / 2, (0.2 + 0.6) / 2])


def test_a_liking_for_a_letter_cancels() -> None:
    """The first option is twice as likely by content, and A nine times as likely by letter."""
    content, letter = [2.0, 1.0, 1.0], [9.0, 1.0, 1.0]
    by_order = []
    for order in range(3):
        weights = [content[(place + order) % 3] * letter[place] for place in range(3)]
        by_order.append(scores(*(math.log(weight) for weight in weights)))
    values = [one.log_likelihood for one in combined(by_order)]
    assert values.index(max(values)) == 0
    assert values[1] < values[0]


def test_one_order_stays_as_it_is_and_a_problem_stays_a_problem() -> None:
    one = scores(-1.0, -2.0)
    assert combined([one]) == one
    broken = [OptionScore(math.nan, 0, 1, False, "too long"), *scores(-1.0)]
    assert {score.problem for score in combined([one, broken])} == {"too long"}


@pytest.mark.parametrize(
    ("choices", "expected"),
    [([1, 2, 2, 0], 2), ([3, 1, 1, 3], 3), ([None, 2, None, None], 2), ([None, None], None), ([], None)],
)
def test_the_vote(choices: list[int | None], expected: int | None) -> None:
    assert voted(choices) == expected
