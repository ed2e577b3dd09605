"""What letters do: models that choose by letter alone, by content alone, and at random."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from tashika.evaluate.tempripple.bias import letter_bias


def table(choices: list[list[int | None] | None], answers: list[int], context: bool = False) -> pa.Table:
    return pa.table(
        {
            "choices": pa.array(choices, pa.list_(pa.int32())),
            "answer": pa.array(answers, pa.int32()),
            "with_context": [context] * len(answers),
        }
    )


def test_always_a() -> None:
    """In order r the letter A is the option at place r: a model that says A chooses each option once."""
    found = letter_bias(table([[0, 1, 2, 3]] * 5, [0, 1, 2, 3, 3]), 4)
    assert found is not None
    assert found.letters["without"] == [20, 0, 0, 0]
    assert found.right["without"] == [5, 5, 5, 5]
    assert found.agreed["without"] == 0.0
    assert found.pull["without"] == pytest.approx(0.75)
    assert found.by_order["without"] == [0.2, 0.2, 0.2, 0.4]
    assert found.by_order["with"] == [None] * 4
    assert found.pull["with"] is None


def test_by_content_alone() -> None:
    found = letter_bias(table([[2] * 4, [0] * 4], [2, 1]), 4)
    assert found is not None
    assert found.letters["without"] == [2, 2, 2, 2]
    assert found.pull["without"] == 0.0
    assert found.agreed["without"] == 1.0
    assert found.by_order["without"] == [0.5] * 4


def test_letters_by_a_naive_loop_with_missing_answers() -> None:
    draw = random.Random(3)
    choices: list[list[int | None] | None] = [[draw.choice([0, 1, 2, 3, None]) for _ in range(4)] for _ in range(60)]
    found = letter_bias(table(choices, [draw.randrange(4) for _ in choices], context=True), 4)
    assert found is not None
    letters = [0] * 4
    for row in choices:
        for order, place in enumerate(row or []):
            if place is not None:
                shown = [(order + at) % 4 for at in range(4)]  # the options from left to right in this order
                letters[shown.index(place)] += 1
    assert found.letters["with"] == letters
    whole = [row for row in choices if row and None not in row]
    assert found.agreed["with"] == pytest.approx(sum(len(set(row)) == 1 for row in whole) / len(whole))


def test_one_order_or_none_has_no_bias_to_tell() -> None:
    assert letter_bias(table([[1], [2]], [1, 1]), 4) is None
    assert letter_bias(table([None, None], [1, 1]), 4) is None
    assert letter_bias(pa.table({"answer": [1]}), 4) is None
