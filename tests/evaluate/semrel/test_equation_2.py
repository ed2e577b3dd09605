"""The three readings of equation 2: by hand, against a naive loop, and against pandas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.confusability import Probe, Relata, alpha_matrix, probe_alphas, target_sums
from tashika.evaluate.semrel.equation_2 import EQUATION_2, Equation2, attainable, read_alphas

HYP, HPO, ANT = (RELATIONS.index(name) for name in ("hypernymy", "hyponymy", "antonymy"))

RELATA: Relata = {
    ("niece", "hypernymy"): {"relative", "kin"},
    ("niece", "antonymy"): {"nephew"},
    ("bird", "hypernymy"): {"animal"},
    ("bird", "hyponymy"): {"robin", "owl", "hen", "duck"},
}
PROBES = [Probe("niece", "hypernymy"), Probe("bird", "hypernymy"), Probe("bird", "hyponymy")]
LISTS = [["relative", "nephew", "girl"], ["animal"], ["robin", "animal"]]


def alphas_of(reading: Equation2, probes: Any = PROBES, lists: Any = LISTS, relata: Relata = RELATA) -> Any:
    plain = probe_alphas(probes, lists, relata)
    alphas = read_alphas(reading, plain, probes, [len(words) for words in lists], relata)
    return alpha_matrix(target_sums(probes, alphas))


def test_the_readings_by_hand() -> None:
    # niece: relative is first of 3 (3/4), kin is missing: alpha(HYP) = 3/8; nephew is second (1/2): alpha(ANT) = 1/2.
    # bird for HYP: animal is first of 1 (1/2). The bird has no antonym.
    assert alphas_of("with_relata")[HYP, ANT] == pytest.approx(1 / 2)  # niece alone
    assert alphas_of("printed")[HYP, ANT] == pytest.approx(1 / 4)  # (1/2 + 0) / 2
    assert alphas_of("with_relata")[HYP, HYP] == pytest.approx((3 / 8 + 1 / 2) / 2)
    assert alphas_of("printed")[HYP, HYP] == pytest.approx((3 / 8 + 1 / 2) / 2)
    # Attainable with 3 words: two relata (3/4 + 2/4) / 2 = 5/8, one 3/4; with 1 word one relatum 1/2.
    assert alphas_of("attainable")[HYP, ANT] == pytest.approx((1 / 2) / (3 / 4))
    assert alphas_of("attainable")[HYP, HYP] == pytest.approx(((3 / 8) / (5 / 8) + 1) / 2)
    # Two words for four hyponyms: (2/3 + 1/3) / 4 = 1/4 at most. robin first: (2/3) / 4 = 1/6 of that, 2/3.
    assert alphas_of("with_relata")[HPO, HPO] == pytest.approx(1 / 6)
    assert alphas_of("attainable")[HPO, HPO] == pytest.approx(2 / 3)


def test_relations_without_any_relata_are_zero_as_printed_and_unknown_otherwise() -> None:
    assert math.isnan(alphas_of("with_relata")[HPO, ANT])
    assert math.isnan(alphas_of("attainable")[HPO, ANT])
    assert alphas_of("printed")[HPO, ANT] == 0
    assert np.isnan(alphas_of("printed")[ANT]).all()  # nobody was asked about antonymy


def test_a_target_without_relata_of_what_was_asked_takes_part_in_no_reading() -> None:
    probes, lists = [*PROBES, Probe("stone", "hypernymy")], [*LISTS, ["nephew"]]
    for reading in EQUATION_2:
        np.testing.assert_array_equal(alphas_of(reading, probes, lists), alphas_of(reading))


def test_a_list_that_holds_all_it_can_has_the_share_1_and_an_empty_one_0() -> None:
    probes = [Probe("bird", "hyponymy"), Probe("niece", "hypernymy")]
    assert alphas_of("attainable", probes, [["owl", "hen"], ["kin", "relative", "girl"]])[HPO, HPO] == pytest.approx(1)
    assert alphas_of("attainable", probes, [["owl", "hen"], ["kin", "relative", "girl"]])[HYP, HYP] == pytest.approx(1)
    assert alphas_of("attainable", probes, [[], []])[HPO, HPO] == 0
    assert attainable([Probe("bird", "hyponymy")], [0], RELATA).tolist() == [[0.0] * 6]


targets, words = st.sampled_from("tuv"), st.sampled_from("abcdef")
relations = st.sampled_from(RELATIONS)
asked = st.lists(
    st.tuples(st.builds(Probe, targets, relations), st.lists(words, unique=True, min_size=1, max_size=6)),
    min_size=1,
    max_size=15,
)
relata_of = st.dictionaries(st.tuples(targets, relations), st.frozensets(words, max_size=5), max_size=15)


def naive(reading: str, answered: list[tuple[Probe, list[str]]], relata: Relata, r: str, s: str) -> float:
    """Equations 1 and 2 as a loop that shares nothing with the code under test."""
    total, number = 0.0, 0
    for probe, given_words in answered:
        own, others = relata.get((probe.target, r)), relata.get((probe.target, s))
        if probe.relation != r or not own:
            continue
        if not others:
            number += reading == "printed"
            continue
        length = len(given_words)
        alpha = sum((length - given_words.index(w)) / (length + 1) for w in others if w in given_words) / len(others)
        if reading == "attainable":
            alpha /= sum((length - place) / (length + 1) for place in range(min(length, len(others)))) / len(others)
        total += alpha
        number += 1
    return total / number if number else math.nan


@given(asked, relata_of)
def test_every_reading_is_that_of_a_naive_loop(answered: list[tuple[Probe, list[str]]], relata: Relata) -> None:
    probes, lists = [probe for probe, _ in answered], [given_words for _, given_words in answered]
    for reading in EQUATION_2:
        expected = [[naive(reading, answered, relata, r, s) for s in RELATIONS] for r in RELATIONS]
        np.testing.assert_allclose(alphas_of(reading, probes, lists, relata), expected, atol=1e-12)


@given(asked, relata_of)
def test_what_the_readings_have_to_do_with_each_other(answered: list[tuple[Probe, list[str]]], relata: Relata) -> None:
    probes, lists = [probe for probe, _ in answered], [given_words for _, given_words in answered]
    ours, printed, shares = (alphas_of(reading, probes, lists, relata) for reading in EQUATION_2)
    known = ~np.isnan(ours)
    assert (printed[known] <= ours[known] + 1e-12).all()  # the same sum over as many probes or more
    np.testing.assert_allclose(np.diagonal(printed), np.diagonal(ours))  # who is asked for r has r-relata
    assert (shares[known] >= ours[known] - 1e-12).all()
    assert (shares[known] <= 1 + 1e-12).all()


def test_the_printed_reading_is_a_mean_of_pandas() -> None:
    """The same lists in a long table: a row a probe and relation, whose score is 0 where there are no relata."""
    rows = []
    for number, (probe, given_words) in enumerate(zip(PROBES, LISTS, strict=True)):
        for s in RELATIONS:
            relata = sorted(RELATA.get((probe.target, s), ()))
            ranks = pd.Series({word: rank for rank, word in enumerate(given_words, start=1)}).reindex(relata)
            scores = ((len(given_words) + 1 - ranks) / (len(given_words) + 1)).fillna(0.0)
            rows.append((number, probe.relation, s, scores.mean() if relata else math.nan))
    table = pd.DataFrame(rows, columns=["probe", "r", "s", "alpha"])
    ours = table.groupby(["r", "s"])["alpha"].mean()  # leaves NaN out
    printed = table.fillna(0.0).groupby(["r", "s"])["alpha"].mean()
    for r in ("hypernymy", "hyponymy"):
        for s in RELATIONS:
            i, j = RELATIONS.index(r), RELATIONS.index(s)
            assert alphas_of("printed")[i, j] == pytest.approx(printed[r, s])
            assert alphas_of("with_relata")[i, j] == pytest.approx(ours[r, s], nan_ok=True)
