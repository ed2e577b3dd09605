"""What people find of a question's options: counts, subsets, and people's accuracy on them, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.evaluate.kuci.fits import ALONE, SUBSETS, WITHOUT, findings, is_judged, people_by_subset, several_of
from tashika.evaluate.kuci.metrics import MeasureSettings, Row, score
from tashika.evaluate.kuci.questions import KuciQuestion, read_release
from tests.evaluate.kuci.toys import a_workspace, judge


@pytest.fixture
def questions(tmp_path: Path) -> tuple[KuciQuestion, ...]:
    workspace = a_workspace(tmp_path)
    judge(workspace)
    return read_release(workspace.release).part("both", "test")


def test_a_release_of_before_has_questions_that_nobody_judged(tmp_path: Path) -> None:
    old = read_release(a_workspace(tmp_path).release).part("both", "test")
    assert {(one.more_than_one, one.fitting, one.people) for one in old} == {("not judged", (), "not asked")}
    assert not is_judged(old)


def test_findings_are_counted(questions: tuple[KuciQuestion, ...]) -> None:
    found = findings(questions)
    assert found[:7] == (6, 5, 2, 1, 1, 0, 1)
    assert found.decided == 4
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.1500, 0.8500), abs=1e-4)  # Wilson of 2 of 4


def test_questions_that_nobody_judged_are_not_taken_out_and_prove_nothing(questions: tuple[KuciQuestion, ...]) -> None:
    members = {name: [one.item_id for one in questions if belongs(one)] for name, belongs in SUBSETS.items()}
    assert members == {WITHOUT: ["both-6", "both-9", "both-10", "both-11"], ALONE: ["both-6"]}


def test_people_are_measured_on_the_same_parts(questions: tuple[KuciQuestion, ...]) -> None:
    shares = {name: (share.questions, share.accuracy) for name, share in people_by_subset(questions).items()}
    assert shares == {"all": (5, 0.4), WITHOUT: (3, pytest.approx(1 / 3)), ALONE: (1, 1.0)}
    nobody = [one._replace(people="not asked") for one in questions]
    assert people_by_subset(nobody)["all"] == (0, None, None)


def test_a_score_has_the_parts_as_well(questions: tuple[KuciQuestion, ...]) -> None:
    """Two runs: the first is right everywhere, the second in the question 6 alone."""
    rows = [Row(one, 0, one.answer, None) for one in questions]
    rows += [Row(one, 1, one.answer if one.item_id == "both-6" else (one.answer + 1) % 4, None) for one in questions]
    parts = score(rows, {}, MeasureSettings(resamples=10)).by_fit
    assert {name: (part.questions, part.accuracy) for name, part in parts.items()} == {
        WITHOUT: (4, 5 / 8),
        ALONE: (1, 1.0),
    }
    unjudged = [row._replace(question=row.question._replace(more_than_one="not judged")) for row in rows]
    assert score(unjudged, {}, MeasureSettings(resamples=10)).by_fit == {}


def test_questions_with_several_right_options_are_shown(questions: tuple[KuciQuestion, ...]) -> None:
    (shown,) = several_of(questions, 1)
    assert shown["context"] == "朝が来れば"
    assert [(option["right"], option["fits"]) for option in shown["options"]] == [
        (False, False), (False, True), (False, False), (True, True),
    ]  # fmt: skip
