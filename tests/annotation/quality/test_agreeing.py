"""Agreement of kinds, groups and pairs, with intervals that resample items."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tashika.annotation.labelling import AGAINST, FOR, NEITHER, FormPage, LabelsPage, RatingPage, TextPage
from tashika.annotation.quality.agreeing import agreement_with_intervals, alpha, pair_kappas
from tashika.annotation.quality.resampling import distinct, interval
from tashika.annotation.votes.agreement import cohen_kappa, kappas, nominal_alphas, ordinal_alphas
from tashika.annotation.votes.forms import FormBallot, collect_form
from tashika.annotation.votes.rules import Votes
from tashika.annotation.votes.vote import Ballot, collect

WORDS = {"v": "valid", "i": "invalid"}
CHOICES = {"valid": FOR, "invalid": AGAINST}


def ballot_of(samples: ModuleType, said: list[str]) -> Ballot:
    rows = [
        samples.judgment(f"i{item:03}", f"p{person}", WORDS[letter])
        for item, letters in enumerate(said)
        for person, letter in enumerate(letters)
        if letter != "-"
    ]
    items = pa.array([f"i{number:03}" for number in range(len(said))], pa.string())
    return collect(items, samples.judgment_table(*rows), CHOICES)


def form_ballot(samples: ModuleType, form: type[FormPage], labels: str, said: list[list[str]]) -> FormBallot:
    page = form(
        suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {},
        choices=dict.fromkeys(labels, NEITHER), labels=tuple(labels),
    )  # fmt: skip
    rows = [
        samples.judgment(f"i{item}", f"p{person}", each, kind="k")
        for item, people in enumerate(said)
        for person, each in enumerate(people)
    ]
    items = pa.array([f"i{number}" for number in range(len(said))], pa.string())
    return collect_form(page, items, samples.judgment_table(*rows))


def test_alpha_and_its_interval_by_group(samples: ModuleType) -> None:
    # x agrees on everything, y on nothing: 2 disagreeing pairs an item, and (8² - 4² - 4²) / 7 by chance.
    ballot = ballot_of(samples, ["vv", "ii", "vv", "ii", "vi", "iv", "vi", "iv", "v"])
    measures = agreement_with_intervals(ballot, pa.array([*"xxxxyyyyy"]))
    assert list(measures["groups"]) == ["x", "y"]
    assert measures["groups"]["x"] == {"items": 4, "krippendorff_alpha": 1.0, "interval": [1.0, 1.0]}
    assert measures["groups"]["y"]["items"] == 4  # one vote says nothing
    assert measures["groups"]["y"]["krippendorff_alpha"] == pytest.approx(1 - 8 / (32 / 7))
    low, high = measures["interval"]
    assert low < alpha(ballot) < high
    assert (measures["resamples"], measures["groups_left_out"], measures["pairs_left_out"]) == (1000, 0, 0)
    assert agreement_with_intervals(ballot, pa.array([*"xxxxyyyyy"])) == measures  # the seed is fixed


def test_pairs_are_the_two_names_with_what_both_answered(samples: ModuleType) -> None:
    # p0 and p1: Cohen's [[2, 1], [0, 1]]: 3/4 observed, 3/4 · 1/2 + 1/4 · 1/2 = 1/2 by chance.
    said = ["vv-", "vv-", "vi-", "ii-", "v-v"]
    found, left = pair_kappas(ballot_of(samples, said).answers())
    assert left == 0
    assert [(entry["annotators"], entry["items"], entry["same"]) for entry in found] == [
        (["p0", "p1"], 4, 0.75),
        (["p0", "p2"], 1, 1.0),
    ]
    assert found[0]["kappa"] == 0.5
    assert (found[1]["kappa"], found[1]["interval"]) == (None, None)


def test_the_interval_of_a_share_is_that_of_the_binomial_quantiles() -> None:
    """Of 40 of 100 the resampled share is binomial: its quantiles at 2.5 and 97.5 % are 0.31 and 0.50."""
    rows = np.repeat([1, 0], [40, 60])[:, None].astype(np.int64)

    def share(patterns: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(weights @ patterns[:, 0] / weights.sum(axis=1), dtype=np.float64)

    ends = interval(rows, share)
    assert ends == pytest.approx([0.31, 0.50], abs=0.011)


def test_no_interval_where_there_is_nothing_to_resample() -> None:
    assert interval(np.zeros((0, 2), dtype=np.int64), nominal_alphas) is None
    assert interval(np.array([[1, 1]]), nominal_alphas) is None
    assert interval(np.array([[2, 0]] * 9), nominal_alphas) is None  # never defined
    assert interval(np.array([[2, 0], [0, 2]]), nominal_alphas) == [1.0, 1.0]  # half of the resamples


def test_labels_are_averaged_and_ratings_are_ordinal(samples: ModuleType) -> None:
    # Both took a of the first two and nobody of the third, so its alpha is 1; of b they agree on the third alone.
    several = form_ballot(samples, LabelsPage, "ab", [["a\nb", "a"], ["a", "a\nb"], ["b", "b"]])
    b_alone = nominal_alphas(np.array([[1, 1], [1, 1], [2, 0]]), np.ones((1, 3), dtype=np.int64))[0]
    assert alpha(several) == pytest.approx((1 + b_alone) / 2, abs=1e-6)
    (pair,) = agreement_with_intervals(several, None)["pairs"]
    assert (pair["same"], pair["items"]) == (round(1 / 3, 6), 3)
    rating = form_ballot(samples, RatingPage, "123", [["1", "2"], ["3", "3"], ["1", "1"], ["2", "3"]])
    assert alpha(rating) == pytest.approx(
        float(ordinal_alphas(rating.counts(), np.ones((1, 4), dtype=np.int64))[0]), abs=1e-6
    )
    # Cohen 1968 by hand: squared distances observed 1 + 0 + 0 + 1 of 4; by chance over {1, 3, 1, 2} x {2, 3, 1, 3}.
    (pair,) = agreement_with_intervals(rating, None)["pairs"]
    chance = np.mean([(one - other) ** 2 for one in (1, 3, 1, 2) for other in (2, 3, 1, 3)])
    assert pair["kappa"] == pytest.approx(1 - 0.5 / chance, abs=1e-6)


def test_texts_have_no_agreement(samples: ModuleType) -> None:
    page = TextPage(
        suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {}, text_control="answer"
    )
    ballot = collect_form(page, pa.array(["i"]), samples.judgment_table(samples.judgment("i", "a", None, text="x")))
    assert agreement_with_intervals(ballot, None) == {}
    assert alpha(ballot) is None


pairs_of_answers = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20)


@given(pairs_of_answers)
def test_a_kappa_of_pairs_is_that_of_their_table(answers: list[tuple[int, int]]) -> None:
    confusion = np.zeros((3, 3), dtype=np.int64)
    np.add.at(confusion, tuple(np.array(answers).T), 1)
    coefficients = kappas(np.array(answers), np.ones((1, len(answers)), dtype=np.int64))
    np.testing.assert_allclose(coefficients, [cohen_kappa(confusion)], atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 1)), max_size=30))
def test_every_two_votes_on_an_item_are_one_pair(rows: list[tuple[int, int, int]]) -> None:
    said = sorted({(item, person): label for item, person, label in rows}.items())
    items, people, labels = (
        np.array(column, dtype=np.int64)
        for column in ([key[0] for key, _ in said], [key[1] for key, _ in said], [label for _, label in said])
    )
    found, _ = pair_kappas(Votes(items, people, labels, ["a", "b", "c", "d"], 5, 2))
    shared: dict[Any, int] = {}
    for (item, person), _ in said:
        for (other_item, other), _ in said:
            if item == other_item and person < other:
                pair = ("abcd"[person], "abcd"[other])
                shared[pair] = shared.get(pair, 0) + 1
    assert {tuple(entry["annotators"]): entry["items"] for entry in found} == shared


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30))
def test_patterns_count_every_row(rows: list[list[int]]) -> None:
    patterns, counts = distinct(np.array(rows))
    assert sorted(np.repeat(patterns, counts, axis=0).tolist()) == sorted(rows)
    assert len({tuple(pattern) for pattern in patterns.tolist()}) == len(patterns)


def test_wide_patterns_are_told_apart_too() -> None:
    rows = np.zeros((3, 80), dtype=np.int64)
    rows[1, 79] = 1
    patterns, counts = distinct(rows)
    assert (len(patterns), sorted(counts.tolist())) == (2, [1, 2])
