"""Preferences added up: wins, and Bradley-Terry strengths where they are defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.annotation.labelling import NEITHER, PreferencePage
from tashika.annotation.votes.preferences import bradley_terry, compare, preference_summary, undefined_because


def page_of(systems: tuple[str, str] | None) -> PreferencePage:
    labels = ("x", "y", "same")
    return PreferencePage(
        suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {},
        choices=dict.fromkeys(("left", "right", "same"), NEITHER), labels=labels, between=("x", "y"), systems=systems,
    )  # fmt: skip


def answers(*labels: str | None) -> list[dict[str, Any]]:
    return [{"item_id": str(place), "label": label} for place, label in enumerate(labels)]


def test_two_are_as_strong_as_their_wins() -> None:
    # With two, the strengths are the shares of the wins: 3 of 4 and 1 of 4.
    assert bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]])) == pytest.approx([0.75, 0.25], abs=1e-6)


def test_three_have_strengths_whose_expected_wins_are_those_that_were_seen() -> None:
    points = np.array([[0.0, 8.0, 5.0], [2.0, 0.0, 7.0], [1.0, 3.0, 0.0]])
    strengths = bradley_terry(points)
    games = points + points.T
    chances = strengths[:, None] / (strengths[:, None] + strengths[None, :])
    # The equations of the maximum: what each is expected to win is what it won.
    assert (games * chances).sum(axis=1) == pytest.approx(points.sum(axis=1), abs=1e-6)
    assert strengths.sum() == pytest.approx(1.0)


def test_strengths_that_were_put_in_come_out() -> None:
    strengths = np.array([0.5, 0.3, 0.2])
    points = 100 * strengths[:, None] / (strengths[:, None] + strengths[None, :])
    np.fill_diagonal(points, 0.0)
    assert bradley_terry(points) == pytest.approx(strengths, abs=1e-6)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[0, 2], [0, 0]], "A never lost"),
        ([[0, 1, 1], [1, 0, 1], [0, 0, 0]], "C never won"),
        ([[0, 0], [0, 0]], "nothing was preferred"),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], "never compared"),
    ],
)
def test_where_strengths_are_not_defined_it_says_why(points: list[list[int]], words: str) -> None:
    reason = undefined_because(np.array(points, dtype=float), ["A", "B", "C", "D"][: len(points)])
    assert reason is not None
    assert words in reason
    with pytest.raises(ValueError, match=r"never|nothing"):
        bradley_terry(np.array(points, dtype=float))


def test_systems_are_compared_whatever_column_they_stand_in() -> None:
    items = pa.table(
        {
            "item_id": ["0", "1", "2", "3", "4", "5"],
            "by_x": ["S", "T", "S", "S", "T", "S"],
            "by_y": ["T", "S", "S", "T", "S", "T"],
        }
    )
    comparisons = compare(page_of(("by_x", "by_y")), items, answers("x", "y", "x", "same", "x", None))
    summary = preference_summary(comparisons, systems=True)
    # S beat T twice (items 0 and 1) and lost once (4); item 2 compares S with itself, item 5 is undecided.
    assert list(summary["entries"]) == ["S", "T"]
    first = summary["entries"]["S"]
    assert (first["wins"], first["losses"], first["same"]) == (2, 1, 1)
    assert first["rate"] == pytest.approx(2 / 3, abs=1e-6)
    assert first["strength"] == pytest.approx(2.5 / 4, abs=1e-5)
    assert summary["reason"] is None


def test_without_systems_the_columns_are_compared() -> None:
    items = pa.table({"item_id": ["0", "1"]})
    summary = preference_summary(compare(page_of(None), items, answers("x", "x")), systems=False)
    assert (summary["of"], summary["reason"]) == ("columns", "x never lost")
    assert summary["entries"]["x"]["rate"] == 1.0
    assert summary["entries"]["x"]["strength"] is None
    # Wilson: 2 of 2, z² = 3.8415; low = 2 / (2 + z²).
    assert summary["entries"]["x"]["interval"] == pytest.approx([2 / (2 + 3.841459), 1.0], abs=1e-5)
