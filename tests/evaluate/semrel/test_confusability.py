"""Equations 1 to 3: an example worked by hand, and what must hold of any answers."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.confusability import (
    Floats,
    Probe,
    Relata,
    alpha_matrix,
    confusability_matrix,
    probe_alphas,
    score,
    target_sums,
)

HYP, ANT = RELATIONS.index("hypernymy"), RELATIONS.index("antonymy")

# Three targets, two relations. The niece and the dog have relata of both, the hot one an antonym only.
RELATA: Relata = {
    ("niece", "hypernymy"): {"relative", "kin"},
    ("niece", "antonymy"): {"nephew"},
    ("dog", "hypernymy"): {"animal"},
    ("dog", "antonymy"): {"cat", "wolf"},
    ("hot", "antonymy"): {"cold"},
}
ASKED = [
    (Probe("niece", "hypernymy"), ["nephew", "relative", "aunt"]),
    (Probe("niece", "hypernymy"), ["kin"]),
    (Probe("dog", "hypernymy"), ["cat", "animal", "wolf", "pet"]),
    (Probe("niece", "antonymy"), ["nephew", "kin"]),
    (Probe("dog", "antonymy"), []),
    (Probe("hot", "antonymy"), ["warm", "cold"]),
]
PROBES, ANSWERS = [probe for probe, _ in ASKED], [words for _, words in ASKED]

# score(rank, |l|) = (|l| - rank + 1) / (|l| + 1)
# |l| = 3: 3/4, 2/4, 1/4.  |l| = 1: 1/2.  |l| = 4: 4/5, 3/5, 2/5, 1/5.  |l| = 2: 2/3, 1/3.
ALPHAS = [  # of hypernyms, of antonyms
    ((2 / 4 + 0) / 2, 3 / 4),  # relative is second, kin absent; nephew first
    ((0 + 1 / 2) / 2, 0),  # kin alone
    (3 / 5, (4 / 5 + 2 / 5) / 2),  # animal second; cat first, wolf third
    ((0 + 1 / 3) / 2, 2 / 3),  # kin second; nephew first
    (0, 0),  # nobody said anything
    (np.nan, 1 / 3),  # hot has no hypernyms; cold second
]
# Probes of hypernymy: hypernyms (1/4 + 1/4 + 3/5) / 3 = 11/30, antonyms (3/4 + 0 + 3/5) / 3 = 9/20.
# Probes of antonymy: hypernyms (1/6 + 0) / 2 = 1/12 (hot does not count), antonyms (2/3 + 0 + 1/3) / 3 = 1/3.
ALPHA = [[11 / 30, 9 / 20], [1 / 12, 1 / 3]]
# 9/20 over 11/30 is 27/22, cut at 1; 1/12 over 1/3 is 1/4.
CONFUSABILITY: list[list[float]] = [[1, 1], [1 / 4, 1]]


def confusability(probes: Sequence[Probe], answers: Sequence[Sequence[str]], relata: Relata) -> Floats:
    """Equations 1 to 3 in a row."""
    return confusability_matrix(alpha_matrix(target_sums(probes, probe_alphas(probes, answers, relata))))


def of_two(matrix: Floats) -> Floats:
    return matrix[..., [HYP, ANT]]


def test_each_probe_by_hand() -> None:
    np.testing.assert_allclose(of_two(probe_alphas(PROBES, ANSWERS, RELATA)), ALPHAS)


def test_matrices_by_hand() -> None:
    sums = target_sums(PROBES, probe_alphas(PROBES, ANSWERS, RELATA))
    alpha = alpha_matrix(sums)
    np.testing.assert_allclose(of_two(alpha)[[HYP, ANT]], ALPHA)
    np.testing.assert_allclose(of_two(confusability_matrix(alpha))[[HYP, ANT]], CONFUSABILITY)
    assert sums.targets == ["dog", "hot", "niece"]
    assert sums.probes.sum(axis=0)[ANT, HYP] == 2
    assert sums.probes.sum(axis=0)[ANT, ANT] == 3


def test_relations_that_nobody_asked_for_are_not_defined() -> None:
    matrix = confusability(PROBES, ANSWERS, RELATA)
    asked = np.zeros((6, 6), dtype=bool)
    asked[np.ix_([HYP, ANT], [HYP, ANT])] = True
    assert not np.isnan(matrix[asked]).any()
    assert np.isnan(matrix[~asked]).all()


def test_a_row_whose_own_relata_were_never_found_is_not_defined() -> None:
    matrix = confusability([Probe("niece", "hypernymy")], [["nephew"]], RELATA)
    assert np.isnan(matrix[HYP]).all()


def test_a_target_without_relata_of_what_is_asked_takes_no_part() -> None:
    probes, answers = [*PROBES, Probe("hot", "hypernymy")], [*ANSWERS, ["cold"]]
    np.testing.assert_array_equal(confusability(probes, answers, RELATA), confusability(PROBES, ANSWERS, RELATA))
    assert np.isnan(probe_alphas(probes, answers, RELATA)[-1]).all()


def test_an_empty_set_of_relata_is_none() -> None:
    with_empty = {**RELATA, ("hot", "hypernymy"): set()}
    np.testing.assert_array_equal(confusability(PROBES, ANSWERS, with_empty), confusability(PROBES, ANSWERS, RELATA))


def test_the_better_rank_of_a_word_that_stands_twice_counts() -> None:
    found = probe_alphas([Probe("hot", "antonymy")], [["cold", "warm", "cold"]], RELATA)
    assert found[0, ANT] == pytest.approx(3 / 4)


def test_a_word_of_two_relations_counts_for_both() -> None:
    relata = {("niece", "hypernymy"): {"girl"}, ("niece", "antonymy"): {"girl"}}
    found = probe_alphas([Probe("niece", "hypernymy")], [["girl"]], relata)
    assert found[0, HYP] == found[0, ANT] == pytest.approx(1 / 2)


def test_no_probes() -> None:
    assert np.isnan(confusability([], [], RELATA)).all()


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="2 probes and 1 lists"):
        probe_alphas(PROBES[:2], ANSWERS[:1], RELATA)
    with pytest.raises(ValueError, match=r"'hyp', expected one of hypernymy"):
        probe_alphas([Probe("niece", "hyp")], [[]], RELATA)


# What must hold of any answers ----------------------------------------------------------------------------------------

words = st.sampled_from([f"w{number}" for number in range(8)])
targets = st.sampled_from(["a", "b", "c"])
relations = st.sampled_from(RELATIONS)
relata_sets = st.dictionaries(st.tuples(targets, relations), st.frozensets(words, max_size=4))
asked = st.lists(st.tuples(st.builds(Probe, targets, relations), st.lists(words, unique=True, max_size=6)), max_size=20)


Pairs = list[tuple[Probe, list[str]]]


def split(pairs: Pairs) -> tuple[list[Probe], list[list[str]]]:
    return [probe for probe, _ in pairs], [given for _, given in pairs]


@given(asked, relata_sets)
def test_confusability_is_a_share_and_1_on_the_diagonal(pairs: Pairs, relata: Relata) -> None:
    matrix = confusability(*split(pairs), relata)
    known = matrix[~np.isnan(matrix)]
    assert ((known >= 0) & (known <= 1)).all()
    own = np.diagonal(matrix)
    assert (own[~np.isnan(own)] == 1).all()
    assert (np.isnan(matrix).all(axis=1) == np.isnan(own)).all()


@given(asked, relata_sets, st.randoms(use_true_random=False))
def test_the_order_of_probes_and_the_names_of_targets_do_not_matter(
    pairs: Pairs, relata: Relata, random: Random
) -> None:
    before = confusability(*split(pairs), relata)
    names = {"a": "c", "b": "a", "c": "b"}
    renamed = [(Probe(names[probe.target], probe.relation), given) for probe, given in pairs]
    random.shuffle(renamed)
    after = confusability(*split(renamed), {(names[target], r): each for (target, r), each in relata.items()})
    np.testing.assert_allclose(after, before)


@given(asked, relata_sets)
def test_strange_words_act_by_their_places_alone(pairs: Pairs, relata: Relata) -> None:
    """Another word that is nobody's relatum in the same place changes nothing."""
    probes, answers = split([(probe, ["strange", *given]) for probe, given in pairs])
    other = [["odd", *given[1:]] for given in answers]
    np.testing.assert_array_equal(confusability(probes, answers, relata), confusability(probes, other, relata))


@given(asked, relata_sets)
def test_every_probe_asked_twice_changes_nothing(pairs: Pairs, relata: Relata) -> None:
    np.testing.assert_allclose(confusability(*split(pairs + pairs), relata), confusability(*split(pairs), relata))


@given(st.integers(1, 50), st.data())
def test_a_word_in_the_list_scores_more_than_0_and_less_than_1_and_falls(length: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, length))
    assert 0 < score(rank, length) < 1
    assert rank == length or score(rank, length) > score(rank + 1, length)


@given(asked, relata_sets)
def test_alpha_is_what_the_equations_say_word_by_word(pairs: Pairs, relata: Relata) -> None:
    """The definitions, read aloud: no shared code but the score."""
    probes, answers = split(pairs)
    found = probe_alphas(probes, answers, relata)
    for row, (probe, given_words) in enumerate(pairs):
        for column, relation in enumerate(RELATIONS):
            mine = relata.get((probe.target, relation))
            if not mine or not relata.get(probe):
                assert np.isnan(found[row, column])
                continue
            scores = [
                score(given_words.index(word) + 1, len(given_words)) if word in given_words else 0 for word in mine
            ]
            assert found[row, column] == pytest.approx(sum(scores) / len(mine))
