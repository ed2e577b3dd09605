"""The model of Dawid and Skene on their own data, and what must hold of it on any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tashika.annotation.votes.agreement import count_matrix
from tashika.annotation.votes.dawid_skene import DawidSkene, dawid_skene

# Dawid and Skene 1979, table 1: 45 patients, what five anaesthetists said of each; the first one said it three times.
ANAESTHETISTS = """
111 1 1 1 1   333 4 3 3 4   112 2 1 2 2   222 3 1 2 1   222 3 2 2 2   222 3 3 2 2   122 2 1 1 1   333 3 4 3 3
222 2 2 2 3   232 2 2 2 3   444 4 4 4 4   222 3 3 4 3   111 1 1 1 1   222 3 2 1 2   121 1 1 1 1   111 2 1 1 1
111 1 1 1 1   111 1 1 1 1   222 2 2 2 1   222 1 3 2 2   222 2 2 2 2   222 2 2 2 1   222 3 2 2 2   221 2 2 2 2
111 1 1 1 1   111 1 1 1 1   232 2 2 2 2   111 1 1 1 1   111 1 1 1 1   112 1 1 2 1   111 1 1 1 1   333 3 2 3 3
111 1 1 1 1   222 2 2 2 2   222 3 2 3 2   433 4 3 4 3   221 2 2 3 2   232 3 2 3 3   333 3 4 3 2   111 1 1 1 1
111 1 1 1 1   121 2 1 1 1   232 2 2 2 2   121 1 1 1 1   222 2 2 2 2
"""
MAJORITY = "132222132242121111222222112111131223233111212"
"""The most frequent answer of each patient; of the 12th, with three 2 and three 3, the lower one."""


def triples(text: str = ANAESTHETISTS) -> NDArray[np.int64]:
    """Patient, anaesthetist and answer of each observation, from 0."""
    words = text.split()
    rows = [
        (place // 5, place % 5, int(digit) - 1)
        for place, word in enumerate(words)
        for digit in word
    ]  # fmt: skip
    return np.array(rows, dtype=np.int64)


def fit(rows: NDArray[np.int64], shape: tuple[int, int, int]) -> DawidSkene:
    return dawid_skene(rows[:, 0], rows[:, 1], rows[:, 2], shape)


@pytest.fixture(scope="module")
def paper() -> DawidSkene:
    return fit(triples(), (45, 5, 4))


def test_the_priors_and_the_likelihood_of_the_paper(paper: DawidSkene) -> None:
    assert len(triples()) == 315
    np.testing.assert_allclose(paper.priors, [0.3996, 0.4220, 0.1118, 0.0667], atol=5e-5)
    assert paper.log_likelihood[-1] == pytest.approx(-192.8909, abs=5e-5)
    assert paper.converged


def test_the_error_rates_of_the_first_anaesthetist(paper: DawidSkene) -> None:
    expected = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    np.testing.assert_allclose(paper.error_rates[0], expected, atol=5e-3)


def test_the_posterior_leaves_doubt_about_three_patients_alone(paper: DawidSkene) -> None:
    doubtful = {int(patient) + 1: paper.posterior[patient] for patient in np.flatnonzero(paper.posterior.max(1) < 0.99)}
    assert list(doubtful) == [7, 35, 38]
    np.testing.assert_allclose(doubtful[7], [0.981, 0.019, 0, 0], atol=5e-4)
    np.testing.assert_allclose(doubtful[35], [0, 0.948, 0.052, 0], atol=5e-4)
    np.testing.assert_allclose(doubtful[38], [0, 0.021, 0.979, 0], atol=5e-4)


def test_majority_and_model_label_all_but_three_patients_alike(paper: DawidSkene) -> None:
    rows = triples()
    counts = count_matrix(rows[:, 0], rows[:, 2], 45, 4)
    most = counts.argmax(axis=1) + 1
    assert "".join(map(str, most)) == MAJORITY
    labels = paper.posterior.argmax(axis=1) + 1
    others = np.flatnonzero(most != labels)
    # Of the second five, of the 36th four of seven answers are a 3; the 12th is the tie.
    assert [(int(patient) + 1, int(most[patient]), int(labels[patient])) for patient in others] == [
        (2, 3, 4),
        (12, 2, 3),
        (36, 3, 4),
    ]


def test_nothing_comes_of_no_votes() -> None:
    estimate = fit(np.zeros((0, 3), dtype=np.int64), (3, 2, 2))
    assert np.isnan(estimate.posterior).all()
    assert np.isnan(estimate.priors).all()
    assert (estimate.converged, len(estimate.log_likelihood)) == (True, 0)


def test_one_person_is_taken_at_their_word() -> None:
    estimate = fit(np.array([(0, 0, 0), (1, 0, 1), (2, 0, 1)]), (4, 1, 2))
    np.testing.assert_allclose(estimate.posterior[:3], [[1, 0], [0, 1], [0, 1]])
    assert np.isnan(estimate.posterior[3]).all()  # nobody voted on it
    np.testing.assert_allclose(estimate.priors, [1 / 3, 2 / 3])


def test_one_class_is_certain() -> None:
    estimate = fit(np.array([(0, 0, 0), (0, 1, 0), (1, 1, 0)]), (2, 2, 1))
    np.testing.assert_allclose(estimate.posterior, [[1], [1]])
    assert estimate.log_likelihood[-1] == 0.0


def test_a_class_that_nobody_named_has_no_part() -> None:
    estimate = fit(np.array([(0, 0, 0), (0, 1, 0), (1, 0, 2), (1, 1, 2)]), (2, 2, 3))
    np.testing.assert_allclose(estimate.posterior, [[1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(estimate.priors, [0.5, 0, 0.5])
    assert np.isnan(estimate.error_rates[:, 1]).all()


def test_people_who_share_no_item_do_not_disturb_each_other() -> None:
    # 0, 1 and 2 judge items 0 to 2; 3, 4 and 5 judge items 3 to 5. In both groups the last one errs on the last item.
    rows = [(item, person, item % 2) for item in range(6) for person in range(3 * (item // 3), 3 * (item // 3) + 3)]
    rows = [(item, person, 1 - label if (item, person) in {(2, 2), (5, 5)} else label) for item, person, label in rows]
    estimate = fit(np.array(rows), (6, 6, 2))
    assert estimate.posterior.argmax(axis=1).tolist() == [0, 1, 0, 1, 0, 1]


votes_of_crowds = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=60
).map(lambda rows: np.array(rows, dtype=np.int64))


@given(votes_of_crowds)
def test_the_likelihood_never_falls_and_the_posteriors_add_up(rows: NDArray[np.int64]) -> None:
    estimate = fit(rows, (6, 4, 3))
    steps = estimate.log_likelihood
    assert (np.diff(steps) >= -1e-9 * np.maximum(np.abs(steps[:-1]), 1)).all()
    voted = np.isin(np.arange(6), rows[:, 0])
    np.testing.assert_allclose(estimate.posterior[voted].sum(axis=1), 1)
    assert np.isnan(estimate.posterior[~voted]).all()
    assert estimate.priors.sum() == pytest.approx(1)


@given(votes_of_crowds, st.permutations(range(3)), st.permutations(range(4)), st.permutations(range(6)))
def test_names_of_classes_people_and_items_do_not_matter(
    rows: NDArray[np.int64], classes: list[int], people: list[int], items: list[int]
) -> None:
    renamed = np.stack(
        [np.array(items)[rows[:, 0]], np.array(people)[rows[:, 1]], np.array(classes)[rows[:, 2]]], axis=1
    )
    one_step = fit(rows, (6, 4, 3))
    other = fit(renamed, (6, 4, 3))
    np.testing.assert_allclose(other.log_likelihood[:3], one_step.log_likelihood[:3], atol=1e-9)
    np.testing.assert_allclose(other.posterior[items][:, classes], one_step.posterior, atol=1e-6)
