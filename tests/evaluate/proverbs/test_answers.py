"""The consistency of statements by hand: which text is the premise, and what a question without a statement has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tashika.evaluate.proverbs.answers import consistencies
from tashika.evaluate.ways.entailment import Encoded, Pair


class ByLength:
    """A judge that is surer the longer the hypothesis and the shorter the premise: the two are told apart."""

    longest = 1000

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        return [{"input_ids": [0], "lengths": [len(premise), len(hypothesis)]} for premise, hypothesis in pairs]

    def score(self, batch: Sequence[Encoded]) -> npt.NDArray[np.float64]:
        return np.asarray([(10 * one["lengths"][1] + one["lengths"][0]) / 100 for one in batch])

    def describe(self) -> dict[str, Any]:
        return {}


def test_a_statement_is_the_hypothesis_and_the_others_are_its_premises() -> None:
    """By hand, texts of 1, 2, 3, 4 and 5 letters: of the first, .10 and the mean of the others' .02 .03 .04 .05."""
    texts = ["a", "aa", "aaa", "aaaa", "aaaaa"]
    found = consistencies(ByLength(), [texts, [*texts[:4], None]], batch_tokens=100)
    assert [one.value for one in found[:5]] == pytest.approx([0.135, 0.2325, 0.33, 0.4275, 0.525])
    assert [(one.value, one.problem) for one in found[5:]] == [(None, "too few statements (4 of 5)")] * 5
