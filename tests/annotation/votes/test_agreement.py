"""The coefficients, against published numbers and against what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from tashika.annotation.votes.agreement import (
    cohen_kappa,
    count_matrix,
    fleiss_kappa,
    krippendorff_alpha,
    ordinal_alpha,
    percent_agreement,
    wilson_interval,
)

# Krippendorff 2011, section C: four observers, twelve units, five values, missing ones as 0.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)
# Fleiss' worked example: ten subjects, fourteen raters, five categories.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

matrices = arrays(np.int64, st.tuples(st.integers(0, 12), st.integers(1, 4)), elements=st.integers(0, 5))


def test_krippendorff_alpha_of_the_four_by_twelve_example() -> None:
    observers, units = np.nonzero(KRIPPENDORFF)
    counts = count_matrix(units, KRIPPENDORFF[observers, units] - 1, 12, 5)
    assert krippendorff_alpha(counts) == pytest.approx(0.743421, abs=1e-6)
    assert ordinal_alpha(counts) == pytest.approx(0.815, abs=5e-4)


def test_ordinal_alpha_is_undefined_where_nothing_differs() -> None:
    assert math.isnan(ordinal_alpha([[3, 0], [2, 0]]))
    assert math.isnan(ordinal_alpha(np.zeros((0, 3))))
    assert math.isnan(ordinal_alpha([[1, 0], [0, 1]]))  # nobody judged twice
    assert ordinal_alpha([[2, 0, 0], [0, 0, 3]]) == pytest.approx(1.0)


def test_fleiss_kappa_of_the_worked_example() -> None:
    assert fleiss_kappa(FLEISS) == pytest.approx(0.209931, abs=1e-6)


@pytest.mark.parametrize(("table", "kappa"), [([[20, 5], [10, 15]], 0.4), ([[45, 15], [25, 15]], 0.130435)])
def test_cohen_kappa_of_the_worked_examples(table: list[list[int]], kappa: float) -> None:
    assert cohen_kappa(table) == pytest.approx(kappa, abs=1e-6)


def test_percent_agreement_by_hand() -> None:
    # 3 of 3 pairs, 1 of 3 pairs, and an item with one judgment, which has no pair.
    assert percent_agreement([[3, 0], [2, 1], [0, 1]]) == pytest.approx((1 + 1 / 3) / 2)


def test_wilson_interval_by_hand() -> None:
    # 8 of 10: (0.8 + 0.19207 ± 1.95996 * sqrt(0.016 + 0.0096036)) / 1.384146
    low, high = wilson_interval(8, 10)
    assert (low, high) == pytest.approx((0.490162, 0.943318), abs=1e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_what_is_not_defined_is_nan() -> None:
    assert math.isnan(krippendorff_alpha([[3, 0], [3, 0]]))
    assert math.isnan(fleiss_kappa([[3, 0], [3, 0]]))
    assert math.isnan(cohen_kappa([[4, 0], [0, 0]]))
    assert math.isnan(percent_agreement([[1, 0]]))
    assert math.isnan(krippendorff_alpha(np.zeros((0, 2))))


def test_unequal_numbers_of_judgments_have_no_fleiss_kappa() -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([[2, 1], [2, 0]])


@given(matrices)
def test_alpha_and_percent_do_not_exceed_one_nor_depend_on_the_order(counts: NDArray[np.int64]) -> None:
    alpha, percent = krippendorff_alpha(counts), percent_agreement(counts)
    assert math.isnan(alpha) or alpha <= 1 + 1e-12
    assert math.isnan(percent) or 0 <= percent <= 1
    np.testing.assert_allclose(krippendorff_alpha(counts[::-1, ::-1]), alpha)


@given(st.lists(st.integers(0, 2), min_size=2, max_size=20), st.integers(2, 5))
def test_full_agreement_on_two_categories_is_one(labels: list[int], raters: int) -> None:
    labels = [0, 1, *labels]
    counts = np.eye(3, dtype=np.int64)[labels] * raters
    assert krippendorff_alpha(counts) == pytest.approx(1.0)
    assert fleiss_kappa(counts) == pytest.approx(1.0)
    assert percent_agreement(counts) == 1.0


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_wilson_interval_holds_the_share_and_mirrors(successes: int, failures: int) -> None:
    trials = successes + failures
    low, high = wilson_interval(successes, trials)
    assert 0 <= low <= (successes / trials if trials else 0) <= high <= 1
    assert wilson_interval(failures, trials) == pytest.approx((1 - high, 1 - low))
