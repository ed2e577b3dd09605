"""Gender or mere rewording, by hand: pairs beside controls, the two directions, groups of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.evaluate.proverbs import metrics
from tashika.evaluate.proverbs.metrics_model import ProverbNumbers
from tashika.evaluate.proverbs.metrics_more import ControlNumbers
from tashika.evaluate.proverbs.pair_tests import TestSettings
from tests.evaluate.proverbs.simulation import Scores, answers_of_pairs

WIDER: Scores = ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1])
ALIKE: Scores = ([8, 7, 9, 8, 6], [8, 7, 9, 8, 6])
LOWER: Scores = ([8, 7, 9, 8, 8], [6, 5, 7, 6, 6])


def answers_of(*rows: tuple[str, str, str, Scores], **more: list[Any]) -> pa.Table:
    """Answers of (proverb, change, direction, scores)."""
    names = ("proverb", "change", "direction")
    columns: dict[str, list[Any]] = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return answers_of_pairs([row[3] for row in rows], **columns, **more)


def numbers_of(answers: pa.Table) -> ProverbNumbers:
    return metrics.compute_numbers(answers, metrics.tests(answers))


def controls_of(answers: pa.Table) -> ControlNumbers:
    controls = numbers_of(answers).controls
    assert controls is not None
    return controls


FOUR = (
    ("a", "gender", "man-first", WIDER),
    ("a", "neutral", "man-first", ALIKE),
    ("b", "gender", "man-first", LOWER),
    ("b", "neutral", "man-first", ALIKE),
    ("c", "gender", "woman-first", WIDER),
    ("c", "neutral", "woman-first", WIDER),
    ("d", "gender", "woman-first", LOWER),
)


def test_difference_in_differences_by_hand() -> None:
    controls = controls_of(answers_of(*FOUR))
    assert (controls.pairs, controls.controls) == (4, 3)
    cell = controls.cells["all"]["score"]
    assert (cell.proverbs, cell.errors, cell.control_errors) == (3, 2, 1)  # d has no control
    assert cell.errors_apart is not None
    assert cell.errors_apart.value == pytest.approx(1 / 3)
    assert cell.errors_p == 1  # one proverb differs
    assert cell.distance is not None
    assert cell.distance.value == pytest.approx((0.4 + 2 + 0.4) / 3)
    assert cell.control_distance is not None
    assert cell.control_distance.value == pytest.approx(0.4 / 3)
    assert cell.distance_apart is not None
    assert cell.distance_apart.value == pytest.approx(2.4 / 3)
    assert cell.women is not None
    assert cell.women.value == pytest.approx((-0.4 - 2 - (-0.4 + 0.4)) / 3)  # the last is turned round, and alike
    men = controls.cells["man-first"]["score"]
    assert (men.proverbs, men.errors, men.control_errors) == (2, 1, 0)
    assert "both" not in controls.cells


def test_controls_are_in_no_topics_count() -> None:
    with_controls = numbers_of(answers_of(*FOUR))
    without = numbers_of(answers_of(*(row for row in FOUR if row[1] == "gender")))
    assert with_controls.errors == without.errors
    assert with_controls.medians == without.medians
    assert with_controls.histograms == without.histograms
    assert with_controls.differences == without.differences
    assert with_controls.pairs == without.pairs == 4
    assert with_controls.coverage.wanted == 70  # they are asked about, and cost


def test_crossover_by_hand() -> None:
    """Men first: -0.4 and -2; women first the same. So the change does all of it, and gender nothing."""
    cross = controls_of(answers_of(*FOUR)).crossover["score"]
    assert cross.man_first is not None
    assert cross.man_first.value == pytest.approx(-1.2)
    assert cross.women is not None
    assert cross.women.value == pytest.approx(0)
    assert cross.change is not None
    assert cross.change.value == pytest.approx(-1.2)


def test_a_model_that_scores_women_lower_is_told_from_one_that_scores_changed_proverbs_lower() -> None:
    """40 proverbs, half of women: once each changed proverb scores a point less, once whatever speaks of women does."""
    random = np.random.default_rng(11)
    ways = ["man-first", "woman-first"] * 20

    def scores(level: float) -> list[int]:
        return [int(value) for value in np.clip(np.round(level + random.normal(0, 0.7, 5)), 1, 10)]

    def made(*, change: float, women: float) -> ControlNumbers:
        rows: list[tuple[str, str, str, Scores]] = []
        for number, way in enumerate(ways):
            own, other = (0.0, women) if way == "man-first" else (women, 0.0)
            first = scores(8 - own)
            rows.append((str(number), "gender", way, (first, scores(8 - change - other))))
            rows.append((str(number), "neutral", way, (first, scores(8 - change - own))))
        return controls_of(answers_of(*rows))

    reworded, gendered = made(change=1, women=0), made(change=0, women=1)
    for numbers, low, high in ((reworded, -0.5, 0.5), (gendered, -1.6, -0.6)):
        women, crossed = numbers.cells["all"]["score"].women, numbers.crossover["score"].women
        assert women is not None
        assert crossed is not None
        assert low < women.value < high
        assert low < crossed.value < high
        for estimate in (women, crossed):
            assert estimate.interval is not None
            assert (estimate.interval.low < 0 < estimate.interval.high) == (numbers is reworded)
    change = reworded.crossover["score"].change
    assert change is not None
    assert change.value == pytest.approx(-1, abs=0.3)
    gone = reworded.cells["all"]["score"].distance_apart
    assert gone is not None
    assert gone.interval is not None
    assert gone.interval.low < 0 < gone.interval.high


def test_the_interval_is_that_of_a_naive_bootstrap() -> None:
    random = np.random.default_rng(2)
    rows: list[tuple[str, str, str, Scores]] = []
    values = []
    for number in range(30):
        first, second, third = ([int(v) for v in random.integers(3, 10, 5)] for _ in range(3))
        rows += [
            (str(number), "gender", "man-first", (first, second)),
            (str(number), "neutral", "man-first", (first, third)),
        ]
        values.append(abs(np.mean(second) - np.mean(first)) - abs(np.mean(third) - np.mean(first)))
    estimate = controls_of(answers_of(*rows)).cells["all"]["score"].distance_apart
    assert estimate is not None
    assert estimate.interval is not None
    means = [np.mean(random.choice(values, 30)) for _ in range(4000)]
    assert estimate.value == pytest.approx(np.mean(values))
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
        tuple(np.quantile(means, [0.025, 0.975])), abs=0.08
    )


def test_no_pair_on_gender_and_tables_of_earlier_versions() -> None:
    answers = answers_of_pairs([WIDER, ALIKE])  # neither proverb nor direction
    controls = controls_of(answers)
    assert (controls.pairs, controls.controls, controls.cells["all"]["score"].proverbs) == (2, 0, 0)
    topic = answers.schema.get_field_index("topic")
    society = answers.set_column(topic, answers.schema.field(topic), pa.array(["society"] * answers.num_rows))
    assert numbers_of(society).controls is None


# --- groups ---


def test_groups_by_hand() -> None:
    rows = [("a", "gender", "man-first", WIDER), ("b", "gender", "woman-first", ALIKE), ("c", "gender", "both", LOWER)]
    more: dict[str, list[Any]] = {
        "origin": ["English", "Zulu", None, None],
        "maker": ["swap", "swap", "swap", "written"],
        "form": ["why", "why", "mean", "why"],
        "variant_origin": [None, "English", None, None],
    }
    numbers = numbers_of(answers_of(*rows, ("a", "neutral", "man-first", WIDER), **more))
    groups = numbers.groups
    assert groups is not None
    assert {
        column: {value: kinds["score"].pairs for value, kinds in values.items()} for column, values in groups.items()
    } == {
        "direction": {"both": 1, "man-first": 1, "woman-first": 1},
        "change": {"gender": 3},
        "form": {"why": 2, "mean": 1},
        "maker": {"swap": 3},
        "region": {"Western": 1, "not named": 1, "other, variant Western": 1},
        "origin": {"English": 1, "Zulu": 1, "not named": 1},
    }
    cell = groups["direction"]["man-first"]["score"]
    assert (cell.tested, cell.errors, cell.share, cell.no_spread) == (1, 1, 1.0, 0)
    assert cell.level is not None
    assert (cell.level.value, cell.level.interval) == (5, None)
    assert numbers.regions is not None
    contrast = numbers.regions["score"]
    assert (contrast.western, contrast.other) == (1, 1)
    assert contrast.errors is not None
    assert contrast.errors.value == -1
    assert contrast.level is not None
    assert contrast.level.value == 3
    assert numbers.regions["text"].errors is None


def test_which_origins_are_western_is_a_setting() -> None:
    rows = [("a", "gender", "man-first", WIDER), ("b", "gender", "man-first", ALIKE)]
    answers = answers_of(*rows, origin=["English", "Zulu"])
    how = TestSettings(western=("Zulu",))
    numbers = metrics.compute_numbers(answers, metrics.tests(answers, how), how)
    assert numbers.groups is not None
    assert numbers.groups["region"]["Western"]["score"].errors == 0
    assert numbers.regions is not None
    assert numbers.regions["score"].errors is not None
    assert numbers.regions["score"].errors.value == 1
