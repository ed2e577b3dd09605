"""Spread and place of a pair beside each other: constant sets, shifts, the choice of a test, a toy simulation."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tashika.evaluate.proverbs import metrics
from tashika.evaluate.proverbs.metrics_more import Differences
from tashika.evaluate.proverbs.pair_tests import TestSettings, Verdict, compared
from tests.evaluate.proverbs.simulation import answers_of_pairs, toy_pairs

PAPER = TestSettings(constant="count")
EIGHTS, NINES = [8.0] * 5, [9.0] * 5
WIDER = ([5.0] * 5, [1.0, 10, 1, 10, 1])


def test_two_constant_sets_are_no_error_of_spread_and_the_papers_row_keeps_them() -> None:
    """[8] x 5 against [9] x 5: exact p 2 / 252 by Siegel and Tukey, 1 by every test of spread alone."""
    row = compared(EIGHTS, NINES, TestSettings())
    assert row["p"] == row["ranksum_p"] == row["both_p"] == pytest.approx(2 / 252)
    assert row["ansari_p"] == row["centred_p"] == row["brown_forsythe_p"] == 1
    assert (row["error"], row["paper_error"], row["constant"]) == (False, True, "both")
    assert row["verdict"] == "two constants"
    assert (row["mean_effect"], row["mean_low"], row["width_effect"]) == (1, None, 0)
    assert (row["delta_effect"], row["delta_high"]) == (1, 1)
    assert compared(EIGHTS, NINES, PAPER)["error"] is True


@pytest.mark.parametrize(
    ("x", "y", "constant", "verdict"),
    [
        (EIGHTS, EIGHTS, "both", "same constant"),
        (*WIDER, "proverb", "spread"),
        (WIDER[1], WIDER[0], "variant", "spread"),
        ([1, 2, 3, 2, 1], [9, 10, 8, 9, 10], "neither", "location"),
        ([8, 7, 9, 8, 6], [8, 7, 9, 8, 6], "neither", "alike"),
        ([2, 3, 2, 2, 2], [5, 9, 4, 10, 1], "neither", "alike"),
    ],
)
def test_what_a_pair_comes_to(x: list[float], y: list[float], constant: str, verdict: Verdict) -> None:
    row = compared(x, y, TestSettings())
    assert (row["constant"], row["verdict"]) == (constant, verdict)


def test_a_large_shift_hides_a_spread_from_the_plain_test() -> None:
    """Ranked from both ends, two samples far apart hold as many low ranks each, however wide one is."""
    row = compared([1, 1, 1, 1, 2], [5, 9, 7, 10, 6], TestSettings())
    assert row["p"] > 0.9
    assert row["centred_p"] < 0.2
    assert row["ranksum_p"] == pytest.approx(2 / 252)
    assert row["verdict"] == "location"


@pytest.mark.parametrize(
    ("spread", "column"),
    [
        ("siegel-tukey-centred", "centred_p"),
        ("ansari-bradley", "ansari_p"),
        ("brown-forsythe", "brown_forsythe_p"),
    ],
)
def test_another_test_may_decide(spread: str, column: str) -> None:
    how = TestSettings.model_validate({"spread": spread})
    row = compared([5, 5, 6, 5, 5], [1, 10, 4, 9, 2], how)
    assert row["p"] == row[column]
    assert row["error"] == (row[column] < 0.05)
    assert row["method"] == spread
    assert row["paper_error"] == (compared([5, 5, 6, 5, 5], [1, 10, 4, 9, 2], PAPER)["p"] < 0.05)


def test_the_papers_p_by_another_implementation() -> None:
    assert compared(EIGHTS, NINES, TestSettings(constant="count", method="PMCMRplus"))["error"] is False
    row = compared(EIGHTS, NINES, TestSettings(constant="count", method="DescTools"))
    assert row["p"] == pytest.approx(0.004, abs=5e-4)


def test_a_level_is_a_setting() -> None:
    assert compared(*WIDER, TestSettings(level=0.01))["error"] is True
    row = compared(*WIDER, TestSettings(level=0.005))
    assert (row["p"], row["problem"]) == (None, "5 and 5 of 5 and 5 values can give no p below 0.005")
    for level in (0, 1, 5):
        with pytest.raises(ValidationError):
            TestSettings(level=level)


def test_pairs_without_spread_are_no_part_of_holms_family() -> None:
    pairs = [(EIGHTS, NINES)] * 6 + [WIDER] * 6
    answers = answers_of_pairs([([int(v) for v in x], [int(v) for v in y]) for x, y in pairs])
    rows = [row for row in metrics.tests(answers).to_pylist() if row["consistency"] == "score"]
    assert [row["holm_p"] for row in rows[:6]] == [None] * 6
    assert rows[6]["holm_p"] == pytest.approx(6 * 2 / 252)
    counted = [row for row in metrics.tests(answers, PAPER).to_pylist() if row["consistency"] == "score"]
    assert [row["holm_p"] for row in counted] == pytest.approx([12 * 2 / 252] * 12)


def differences(sigma: float, how: TestSettings) -> Differences:
    answers = answers_of_pairs(toy_pairs(sigma))
    numbers = metrics.compute_numbers(answers, metrics.tests(answers, how), how).differences
    assert numbers is not None
    return numbers["all"]["score"]


@pytest.mark.parametrize(
    ("sigma", "paper", "without", "errors", "centred", "place"),
    [(0.05, 56, 50, 6, 0, 66), (0.2, 25, 19, 6, 0, 52), (0.4, 8, 2, 6, 0, 45)],
)
def test_the_toy_simulation_of_the_readme(
    sigma: float, paper: int, without: int, errors: int, centred: int, place: int
) -> None:
    """Both questions of a pair have one spread, so every error is a false one."""
    cell = differences(sigma, TestSettings())
    assert (cell.paper_errors, cell.paper_without_spread) == (paper, without)
    assert (cell.errors, cell.centred, cell.location) == (errors, centred, place)
    assert cell.no_spread == cell.two_constants + sum(x == y for x, y in toy_pairs(sigma) if len({*x, *y}) == 1)
    by_paper = differences(sigma, PAPER)
    assert by_paper.errors == by_paper.paper_errors == paper


def test_counts_and_effects_by_hand() -> None:
    pairs = [([8] * 5, [9] * 5), ([8] * 5, [8] * 5), ([5] * 5, [1, 10, 1, 10, 1]), ([1, 2, 3, 2, 1], [9, 10, 8, 9, 10])]
    answers = answers_of_pairs(pairs)
    numbers = metrics.compute_numbers(answers, metrics.tests(answers)).differences
    assert numbers is not None
    cell = numbers["gender"]["score"]
    assert (cell.tested, cell.paper_errors, cell.paper_without_spread, cell.errors) == (4, 2, 1, 1)
    assert (cell.no_spread, cell.two_constants, cell.one_side) == (2, 1, 1)
    assert (cell.spread_only, cell.location_only, cell.spread_and_location) == (1, 1, 0)
    assert cell.location == 2
    assert cell.mean is not None
    assert cell.mean.value == pytest.approx((1 + 0 - 0.4 + 7.4) / 4)
    assert cell.mean_distance is not None
    assert cell.mean_distance.value == pytest.approx((1 + 0 + 0.4 + 7.4) / 4)
    assert cell.delta is not None
    assert cell.delta.value == pytest.approx((1 + 0 - 0.2 + 1) / 4)
    assert cell.width is not None
    assert cell.width.value == pytest.approx((0 + 0 + 3.6 + 0) / 4)  # 0.6 and 0.6 in the last
    assert cell.width_ratio is not None
    assert cell.width_ratio.value == pytest.approx((3.6 + 0.6) / 0.6)
    assert numbers["gender"]["text"].tested == 0
    assert numbers["gender"]["text"].mean is None
