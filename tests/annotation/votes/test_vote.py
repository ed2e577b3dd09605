"""Votes and verdicts, by hand and by what must always hold."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.votes.vote import collect, decide, latest_votes, normalise

CHOICES = {"valid": FOR, "invalid": AGAINST}


def decided(table: pa.Table, items: list[str], minimum: int = 2, originals: list[str] | None = None) -> list[Any]:
    ballot = collect(pa.array(items, pa.string()), table, CHOICES)
    return decide(ballot, "template", minimum, pa.array(originals) if originals else None).to_pylist()


@pytest.mark.parametrize(
    ("labels", "decision", "tie"),
    [
        (["valid", "valid", "invalid"], "accepted", False),
        (["invalid", "valid", "invalid"], "rejected", False),
        (["valid", "invalid"], "undecided", True),
        (["valid", "valid", "invalid", "invalid"], "undecided", True),
        (["valid"], "undecided", False),
        ([], "undecided", False),
    ],
)
def test_a_strict_majority_decides(samples: ModuleType, labels: list[str], decision: str, tie: bool) -> None:
    rows = [samples.judgment("i", f"p{number}", label) for number, label in enumerate(labels)]
    (verdict,) = decided(samples.judgment_table(*rows), ["i"])
    assert (verdict["decision"], verdict["tie"]) == (decision, tie)
    assert verdict["votes_cast"] == len(labels)
    assert verdict["votes_for"] == labels.count("valid")


def test_the_latest_vote_of_a_person_counts(samples: ModuleType) -> None:
    table = samples.judgment_table(
        samples.judgment("i", "a", "valid", annotation_id=9),
        samples.judgment("i", "a", "invalid", annotation_id=1),
        samples.judgment("i", "b", "valid", annotation_id=2),
    )
    (verdict,) = decided(table, ["i"])
    assert (verdict["votes_for"], verdict["votes_against"]) == (2, 0)


def test_a_later_skip_takes_a_vote_back_and_a_broken_answer_does_not(samples: ModuleType) -> None:
    table = samples.judgment_table(
        samples.judgment("i", "a", "valid", annotation_id=1),
        samples.judgment("i", "a", None, skipped=True, annotation_id=2),
        samples.judgment("i", "b", "valid", annotation_id=1),
        samples.judgment("i", "b", None, problem="empty result", annotation_id=2),
    )
    assert latest_votes(table)["annotator"].to_pylist() == ["b"]


def test_judgments_with_a_problem_or_of_other_items_do_not_vote(samples: ModuleType) -> None:
    table = samples.judgment_table(
        samples.judgment("i", "a", "invalid", problem="unknown annotator"),
        samples.judgment("other", "a", "invalid"),
        samples.judgment("i", "b", "valid"),
    )
    (verdict,) = decided(table, ["i"], minimum=1)
    assert (verdict["votes_for"], verdict["votes_cast"], verdict["decision"]) == (1, 1, "accepted")


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([("valid", "A  b."), ("valid", " A b. "), ("valid", None)], "A b."),  # two of three supporters
        ([("valid", "A b."), ("valid", None), ("invalid", "A b.")], None),  # who is against has no say
        ([("valid", "A b."), ("valid", "C d."), ("valid", None)], None),
        ([("valid", "A b."), ("valid", "A b."), ("valid", "C."), ("valid", "C.")], None),  # half is no majority
        ([("valid", "Cafe\u0301."), ("valid", "Caf\u00e9.")], "Caf\u00e9."),
        ([("valid", "As it was."), ("valid", "As it  was.")], None),  # no change
        ([("invalid", "A b."), ("invalid", "A b.")], None),  # a rejected item has no text
    ],
)
def test_a_correction_needs_most_supporters_and_two(
    samples: ModuleType, answers: list[tuple[str, str | None]], text: str | None
) -> None:
    rows = [samples.judgment("i", f"p{n}", label, text=typed) for n, (label, typed) in enumerate(answers)]
    (verdict,) = decided(samples.judgment_table(*rows), ["i"], originals=["As it was."])
    assert verdict["text"] == text


def test_normalising_trims_collapses_and_composes() -> None:
    assert normalise(pa.array(["  a \t\n b ", "e\u0301", None])).to_pylist() == ["a b", "\u00e9", None]


votes = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("pqrs"), st.sampled_from(["valid", "invalid"])))


@given(votes, st.integers(1, 3), st.randoms())
def test_verdicts_agree_with_a_slow_count_whatever_the_order(
    samples: ModuleType, given_votes: list[tuple[str, str, str]], minimum: int, random: Any
) -> None:
    rows = [samples.judgment(i, p, label, annotation_id=n) for n, (i, p, label) in enumerate(given_votes)]
    last = {(item, person): label for item, person, label in given_votes}
    random.shuffle(rows)
    for verdict in decided(samples.judgment_table(*rows), ["c", "a", "b"], minimum):
        count = Counter(label for (item, _), label in last.items() if item == verdict["item_id"])
        cast, in_favour = count.total(), count["valid"]
        expected = "undecided" if cast < minimum or 2 * in_favour == cast else None
        assert verdict["decision"] == (expected or ("accepted" if 2 * in_favour > cast else "rejected"))
        assert (verdict["votes_for"], verdict["votes_cast"]) == (in_favour, cast)
        assert verdict["tie"] == (cast > 0 and 2 * in_favour == cast)
