"""Consistency between the two sides: by hand, by naive loops, and what a model that turns round is shown to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.proverbs.cross import CROSSES, cross_consistencies, cross_numbers, cross_table, pair_values
from tashika.evaluate.proverbs.questions import AskedQuestion, ProverbPair
from tashika.evaluate.proverbs.records import ANSWERS
from tashika.evaluate.ways.entailment import Encoded, Pair


class Says:
    """A judge that finds a hypothesis as likely as a table of (premise, hypothesis) says, else 0."""

    longest = 100

    def __init__(self, table: dict[Pair, float]) -> None:
        self.table = table
        self.pairs: list[Pair] = []

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        start = len(self.pairs)
        self.pairs += pairs
        return [{"input_ids": [start + place]} for place in range(len(pairs))]

    def score(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        return np.asarray([self.table.get(self.pairs[inputs["input_ids"][0]], 0.0) for inputs in batch])

    def describe(self) -> dict[str, Any]:
        return {}


def outcomes(judge: Says, *groups: Sequence[str | None]) -> list[float | None]:
    return [outcome.value for outcome in cross_consistencies(judge, groups, batch_tokens=100)]


def test_each_answer_is_the_hypothesis_and_the_other_sides_answers_the_premises() -> None:
    table = {("x", "a"): 1.0, ("y", "a"): 0.5, ("x", "b"): 0.2, ("a", "x"): 0.4, ("b", "y"): 0.8, ("a", "b"): 0.99}
    assert outcomes(Says(table), ["a", "b"], ["x", "y"]) == [0.75, 0.1, 0.2, 0.4]


def test_a_pair_that_lacks_an_answer_has_none_and_the_others_keep_theirs() -> None:
    judge = Says({("x", "a"): 1.0, ("x", "b"): 1.0, ("a", "x"): 0.5})
    found = cross_consistencies(judge, [["a", None], ["x", "y"], ["a", "b"], ["x", "x"]], batch_tokens=100)
    assert [outcome.problem for outcome in found[:4]] == ["too few statements (3 of 4 of the pair)"] * 4
    assert [outcome.value for outcome in found[4:]] == [1.0, 1.0, 0.25, 0.25]


TEXTS = st.lists(st.sampled_from("abcdef"), min_size=2, max_size=4)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_against_a_naive_loop(pairs: list[tuple[list[str], list[str]]], random: Any) -> None:
    table = {(one, other): random.random() for one in "abcdef" for other in "abcdef"}
    expected = []
    for one, other in pairs:
        for hypotheses, premises in ((one, other), (other, one)):
            expected += [np.mean([table[premise, hypothesis] for premise in premises]) for hypothesis in hypotheses]
    assert outcomes(Says(table), *[side for pair in pairs for side in pair]) == pytest.approx(expected)


def tables(
    pairs: dict[str, tuple[str, Sequence[float | None], Sequence[float | None], float]],
) -> tuple[pa.Table, pa.Table]:
    """Pair -> topic, cross of the proverb's answers, cross of the variant's, TC of all."""
    answers, crosses = list[dict[str, Any]](), list[dict[str, Any]]()
    for item, (topic, first, second, within) in pairs.items():
        for side, values in (("proverb", first), ("variant", second)):
            for place, value in enumerate(values, 1):
                key = {"item_id": item, "topic": topic, "side": side, "place": place}
                asked = {"question": f"{side} of {item[0]}?", "answer_asked": 1, "score_asked": 1}
                answers.append({**dict.fromkeys(ANSWERS.names), **key, **asked, "consistency": within})
                crosses.append({**key, "cross": value, "cross_problem": None})
    return pa.Table.from_pylist(answers, schema=ANSWERS), pa.Table.from_pylist(crosses, schema=CROSSES)


def test_the_numbers_of_a_few_pairs() -> None:
    made = tables(
        {
            "a": ("gender", [0.2, 0.4], [0.6, 0.8], 0.9),  # .3 and .7: .5, which is .4 below
            "b": ("gender", [0.9, 0.9], [0.9, 0.9], 0.5),  # .4 above
            "c": ("wisdom", [0.1, None], [0.3, 0.5], 0.5),  # lacks one
        }
    )
    numbers = cross_numbers(*made)
    assert list(numbers) == ["gender", "wisdom", "all"]
    gender, wisdom = numbers["gender"], numbers["wisdom"]
    assert (gender.pairs, gender.of, gender.lower) == (2, 2, 1)
    found = [
        cell.mean for cell in (gender.within, gender.cross, gender.to_proverb, gender.to_variant, gender.difference)
    ]
    assert found == pytest.approx([0.7, 0.7, 0.6, 0.8, 0.0])
    # Two pairs on two proverbs: a resample has either twice, or both.
    assert gender.difference.low == pytest.approx(-0.4)
    assert gender.difference.high == pytest.approx(0.4)
    assert (wisdom.pairs, wisdom.of, wisdom.cross.mean, wisdom.cross.low) == (0, 1, None, None)
    assert (numbers["all"].pairs, numbers["all"].of) == (2, 3)


def test_pairs_on_one_proverb_are_resampled_together() -> None:
    """Two pairs alike on one proverb are one cluster, and one cluster has no interval."""
    numbers = cross_numbers(*tables({"a1": ("gender", [0.2], [0.2], 0.9), "a2": ("gender", [0.4], [0.4], 0.9)}))
    assert numbers["gender"].cross.mean == pytest.approx(0.3)
    assert numbers["gender"].cross.low is None


def test_the_table_of_a_run_has_a_row_an_answer() -> None:
    pair = ProverbPair("p", "gender", "Why old?", "Why new?")
    questions = [AskedQuestion(pair, "proverb"), AskedQuestion(pair, "variant")]
    found = cross_consistencies(Says({("x", "a"): 1.0}), [["a", "b"], ["x", "y"]], batch_tokens=100)
    table = cross_table(questions, found)
    assert table.schema.equals(CROSSES)
    rows = [(row["side"], row["place"], row["cross"]) for row in table.to_pylist()]
    assert rows == [("proverb", 1, 0.5), ("proverb", 2, 0.0), ("variant", 1, 0.0), ("variant", 2, 0.0)]


def test_a_model_of_two_minds_is_inconsistent_between_the_sides_alone() -> None:
    """Five answers alike on each side, and the sides say opposite things: TC is 1 on both, and between them 0."""
    yes, no = [f"yes {n}" for n in range(5)], [f"no {n}" for n in range(5)]
    same = {(one, other): 1.0 for group in (yes, no) for one in group for other in group}
    crosses = outcomes(Says(same), yes, no)
    assert crosses == [0.0] * 10
    values = pair_values(*tables({"a": ("gender", crosses[:5], crosses[5:], 1.0)}))["a"]
    assert (values["within"], values["cross"]) == (1.0, 0.0)
