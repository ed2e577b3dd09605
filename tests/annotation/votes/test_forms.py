"""What people say an item is, by hand-computed examples."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.annotation.labelling import NEITHER, FormPage, LabelPage, LabelsPage, RatingPage, TextPage
from tashika.annotation.votes.forms import answers_of, collect_form, decide_form, put_in, rule_of, verdicts_of

LABELS = ("a", "b", "c")
POINTS = ("1", "2", "3", "4", "5")


def page_of(form: type[FormPage], labels: tuple[str, ...]) -> FormPage:
    return form(
        suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {},
        choices=dict.fromkeys(labels, NEITHER), labels=labels,
    )  # fmt: skip


ONE = page_of(LabelPage, LABELS)
SEVERAL = page_of(LabelsPage, LABELS)
RATING = page_of(RatingPage, POINTS)
TEXT = TextPage(suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {}, text_control="answer")


def counted(
    samples: ModuleType, page: FormPage | TextPage, said: Sequence[str], minimum: int = 2
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The verdict on one item and its answer."""
    field = "text" if isinstance(page, TextPage) else "label"
    rows = [
        samples.judgment("i", f"p{place}", None, kind="k", annotation_id=place) | {field: each}
        for place, each in enumerate(said)
    ]
    ballot = collect_form(page, pa.array(["i"], pa.string()), samples.judgment_table(*rows))
    decided = decide_form(ballot, minimum)
    (verdict,) = verdicts_of(ballot, decided, minimum).to_pylist()
    (answer,) = put_in(answers_of(ballot, decided), [], {"k": page}).to_pylist()
    return verdict, answer


@pytest.mark.parametrize(
    ("said", "label", "tie", "votes"),
    [
        ("aab", "a", False, (2, 1, 3)),
        ("abc", None, True, (1, 2, 3)),
        ("ab", None, True, (1, 1, 2)),
        ("aabc", None, False, (2, 2, 4)),  # the most, but no more than half
        ("aabb", None, True, (2, 2, 4)),
        ("c", None, False, (1, 0, 1)),  # too few
        ("", None, False, (0, 0, 0)),
    ],
)
def test_a_label_needs_more_than_half(
    samples: ModuleType, said: str, label: str | None, tie: bool, votes: tuple[int, int, int]
) -> None:
    verdict, answer = counted(samples, ONE, said)
    assert (verdict["decision"], verdict["text"]) == ("accepted" if label else "undecided", label)
    assert (verdict["votes_for"], verdict["votes_against"], verdict["votes_cast"]) == votes
    assert verdict["tie"] is tie
    assert answer["label"] == label
    assert answer["votes"] == [said.count(each) for each in LABELS]
    assert (answer["labels"], answer["texts"], answer["median"]) == ([], [], None)


@pytest.mark.parametrize(
    ("said", "labels", "tie", "votes_for"),
    [
        (["a", "a\nb", "a\nb"], ["a", "b"], False, 2),
        (["a", "b", "c"], [], False, 0),  # nobody said that there is none, so that is undecided
        (["a", "a\nb"], [], True, 1),  # b has exactly half
        (["a\nc", "a\nc", "c"], ["a", "c"], False, 2),
        (["a", "a"], ["a"], False, 2),
        (["a\nb"], [], False, 1),
    ],
)
def test_each_of_several_labels_needs_more_than_half(
    samples: ModuleType, said: list[str], labels: list[str], tie: bool, votes_for: int
) -> None:
    verdict, answer = counted(samples, SEVERAL, said)
    assert answer["labels"] == labels
    assert answer["label"] is None
    assert verdict["text"] == ("\n".join(labels) or None)
    assert verdict["tie"] is tie
    assert verdict["votes_for"] == votes_for
    assert verdict["votes_for"] + verdict["votes_against"] == len(said)


@pytest.mark.parametrize(
    ("said", "median", "mean", "spread", "votes_for"),
    [
        ("124", 2.0, 7 / 3, np.std([1, 2, 4]), 1),
        ("2255", 3.5, 3.5, 1.5, 0),  # nobody said what lies in the middle
        ("3333", 3.0, 3.0, 0.0, 4),
        ("15", 3.0, 3.0, 2.0, 0),
        ("5", None, None, None, 1),
    ],
)
def test_a_rating_is_the_median(
    samples: ModuleType, said: str, median: float | None, mean: float | None, spread: float | None, votes_for: int
) -> None:
    verdict, answer = counted(samples, RATING, said)
    assert (answer["median"], answer["mean"], answer["spread"]) == pytest.approx((median, mean, spread), abs=1e-6)
    assert verdict["text"] == (None if median is None else f"{median:g}")
    assert (verdict["votes_for"], verdict["tie"]) == (votes_for, False)
    assert verdict["rule"] == "median, minimum 2"


def test_texts_are_collected_in_the_order_of_the_names(samples: ModuleType) -> None:
    verdict, answer = counted(samples, TEXT, ["b", "a", ""])
    assert answer["texts"] == ["b", "a", ""]
    assert (verdict["decision"], verdict["text"], verdict["votes_for"]) == ("accepted", None, 3)
    verdict, answer = counted(samples, TEXT, ["b"])
    assert (verdict["decision"], answer["texts"], answer["votes"]) == ("undecided", ["b"], [])
    assert rule_of(TEXT) == "none: texts are collected"


def test_labels_that_the_page_does_not_have_do_not_count(samples: ModuleType) -> None:
    assert counted(samples, ONE, ["a", "a", "gone", "gone"])[1]["votes"] == [2, 0, 0]
    assert counted(samples, SEVERAL, ["a", "a\ngone"])[1]["votes"] == [1, 0, 0]


def decision(text: str | None, said: str = "accepted") -> dict[str, Any]:
    return {"item_id": "i", "kind": "k", "decision": said, "text": text, "adjudicator": "Ada"}


@pytest.mark.parametrize(
    ("page", "said", "adjudicated", "expected"),
    [
        (ONE, ["a", "b"], decision("c"), {"label": "c", "votes": [1, 1, 0]}),
        (ONE, ["a", "a"], decision(None, "rejected"), {"label": None, "votes": [2, 0, 0]}),
        (SEVERAL, ["a", "b"], decision("b\nc"), {"labels": ["b", "c"]}),
        (RATING, ["1", "2"], decision("5"), {"median": 5.0, "mean": 1.5, "spread": 0.5}),
        (TEXT, ["x", "y"], decision("z"), {"texts": ["z"]}),
        (TEXT, ["x", "y"], decision(None), {"texts": ["x", "y"]}),
    ],
)
def test_an_adjudication_wins_and_the_votes_stay_visible(
    samples: ModuleType,
    page: FormPage | TextPage,
    said: list[str],
    adjudicated: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    answer = counted(samples, page, said)[1]
    (row,) = put_in([answer], [decision("old"), adjudicated], {"k": page}).to_pylist()
    assert {key: row[key] for key in expected} == expected


def test_an_item_that_nobody_judged_gets_its_answer_from_the_adjudicator() -> None:
    (row,) = put_in([], [decision("b")], {"k": ONE}).to_pylist()
    assert (row["label"], row["votes"], row["texts"]) == ("b", [0, 0, 0], [])
    assert put_in([], [decision("b")], {"other": ONE}).num_rows == 0
