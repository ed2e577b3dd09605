"""One system's number, by hand and by naive loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.evaluate.statistics.inference import Floats
from tashika.evaluate.statistics.single import estimate

NAN = float("nan")


def table(*rows: tuple[float, ...]) -> Floats:
    return np.asarray(rows, dtype=np.float64)


def test_a_mean_over_items_that_count() -> None:
    number = estimate(table((1,), (0,), (NAN,), (1,)), resamples=200, seed=0)
    assert number is not None
    assert number.value == pytest.approx(2 / 3)
    assert number.clusters == 4
    assert number.interval is not None
    assert 0 <= number.interval.low < number.value < number.interval.high <= 1


def test_the_mean_of_cells_is_not_that_of_items() -> None:
    # the columns' means are 1 and 1/4: a mean over the items would be 2/5
    values = table((1, NAN), (NAN, 1), (NAN, 0), (NAN, 0), (NAN, 0))
    number = estimate(values, cells=lambda means: means, resamples=50, seed=0)
    assert number is not None
    assert number.value == pytest.approx(5 / 8)


def test_one_cluster_has_no_interval() -> None:
    number = estimate(table((1,), (0,)), np.array([0, 0]), resamples=50, seed=0)
    assert number is not None
    assert (number.value, number.interval, number.clusters) == (0.5, None, 1)


@pytest.mark.parametrize("values", [np.empty((0, 1)), table((NAN,), (NAN,))])
def test_nothing_that_counts_has_no_number(values: Floats) -> None:
    assert estimate(values, resamples=50, seed=0) is None


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=2, max_size=30))
@settings(deadline=None, max_examples=40)
def test_clusters_do_not_change_the_value(rows: list[tuple[bool, int]]) -> None:
    codes = np.unique([cluster for _, cluster in rows], return_inverse=True)[1]
    number = estimate(table(*((float(right),) for right, _ in rows)), codes, resamples=20, seed=1)
    assert number is not None
    assert number.value == pytest.approx(sum(right for right, _ in rows) / len(rows))
    assert number.clusters == len({cluster for _, cluster in rows})
