"""People's answers to questions: the most frequent one, ties, too few, and how often they are right."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.labelling import NEITHER
from tashika.annotation.votes.answers import accuracy_lines, count_answers, decide_answers, human_accuracy
from tashika.annotation.votes.vote import Ballot, collect

CHOICES = dict.fromkeys("1234", NEITHER)


def ballot(samples: ModuleType, said: dict[str, str], simulated: bool = False) -> Ballot:
    """The answers to each question, a digit a person."""
    rows = [
        samples.judgment(item, f"person {place}", digit, kind="question", simulated=simulated)
        for item, digits in said.items()
        for place, digit in enumerate(digits)
    ]
    return collect(pa.array(said, pa.string()), samples.judgment_table(*rows), CHOICES)


SAID = {"a": "11112", "b": "22213", "c": "11223", "d": "1", "e": "", "f": "21334"}
RIGHT = pa.array(["1", "1", "1", "1", "1", "3"], pa.string())


def test_the_most_frequent_answer_decides(samples: ModuleType) -> None:
    verdicts = decide_answers(ballot(samples, SAID), "question", 2, RIGHT).to_pylist()
    by_item = {
        row["item_id"]: (row["decision"], row["votes_for"], row["votes_against"], row["tie"]) for row in verdicts
    }
    assert by_item == {
        "a": ("accepted", 4, 1, False),
        "b": ("rejected", 1, 4, False),
        "c": ("undecided", 2, 3, True),
        "d": ("undecided", 1, 0, False),  # fewer than two
        "e": ("undecided", 0, 0, False),
        "f": ("accepted", 2, 3, False),  # two of five are most: no other answer has as many
    }
    assert {row["rule"] for row in verdicts} == {"the most frequent answer, minimum 2"}


def test_ties_and_too_few_answers_are_not_right_and_told_apart(samples: ModuleType) -> None:
    accuracy = human_accuracy(ballot(samples, SAID, simulated=True), RIGHT, 2)
    # Right: a and f of a, b, c, d, f. Single answers: 4 + 1 + 2 + 1 + 2 of 5 + 5 + 5 + 1 + 5.
    assert (accuracy["questions"], accuracy["accuracy"], accuracy["annotators"], accuracy["people"]) == (5, 0.4, 5, 0)
    assert accuracy["single"] == pytest.approx(10 / 21, abs=1e-6)
    assert (accuracy["ties"], accuracy["undecided"], accuracy["unanswered"], accuracy["simulated"]) == (1, 1, 1, True)
    # Wilson for 2 of 5: centre (2 + 1.9207) / 8.8415, half 1.96 · sqrt(0.24 · 5 + 0.9604) / 8.8415.
    assert accuracy["interval"] == [pytest.approx(0.1176, abs=1e-3), pytest.approx(0.7693, abs=1e-3)]
    (line,) = accuracy_lines({"question": {"human": accuracy}, "pair": {}}, ["pair", "question"])
    assert line.startswith(
        "question: 5 simulated annotators (programs) are right on 40.0% of 5 by their most frequent answer"
    )


def test_without_answers_there_is_no_accuracy(samples: ModuleType) -> None:
    accuracy = human_accuracy(ballot(samples, {"a": ""}), RIGHT[:1], 2)
    assert (accuracy["questions"], accuracy["accuracy"], accuracy["single"], accuracy["people"]) == (0, None, None, 0)
    assert list(accuracy_lines({"question": {"human": accuracy}}, ["question"])) == []
    assert decide_answers(ballot(samples, {}), "question", 2, RIGHT[:0]).num_rows == 0


def test_a_right_choice_that_the_page_lacks_is_an_error(samples: ModuleType) -> None:
    with pytest.raises(ValueError, match="none of 1, 2, 3, 4"):
        count_answers(ballot(samples, {"a": "1"}), pa.array(["5"]), 2)


@given(st.lists(st.text("1234", max_size=5), min_size=1, max_size=6), st.integers(1, 3), st.data())
def test_every_question_counts_once(samples: ModuleType, said: list[str], minimum: int, data: Any) -> None:
    asked = {f"{place}": digits for place, digits in enumerate(said)}
    right = pa.array(data.draw(st.lists(st.sampled_from("1234"), min_size=len(said), max_size=len(said))))
    accuracy = human_accuracy(ballot(samples, asked), right, minimum)
    verdicts = decide_answers(ballot(samples, asked), "question", minimum, right)["decision"].to_pylist()
    assert accuracy["questions"] + accuracy["unanswered"] == len(said)
    wrong = verdicts.count("rejected")
    assert verdicts.count("accepted") + wrong + accuracy["ties"] + accuracy["undecided"] == accuracy["questions"]
    if all(len(set(digits)) == 1 and digits[0] == one for digits, one in zip(said, right.to_pylist(), strict=True)):
        assert accuracy["single"] == 1.0
