"""The numbers on proverbs: pairs that can be counted by hand, missing values, and tables that contradict themselves."""

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from tashika.core.errors import InputError
from tashika.evaluate.proverbs import metrics
from tashika.evaluate.proverbs.pair_tests import TestSettings
from tashika.evaluate.proverbs.records import ANSWERS, TESTS

ALIKE = ([8, 7, 9, 8, 6], [8, 7, 9, 8, 6])
WIDER = ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1])  # p = 2 / 252
NEARLY = ([8, 8, 8, 8, 8], [7, 9, 7, 9, 8])  # p = 12 / 252
HIGHER = ([1, 2, 3, 2, 1], [9, 10, 8, 9, 10])
TC = ([0.5, 0.6, 0.7, 0.8, 0.9], [0.55, 0.65, 0.75, 0.85, 0.95])


def pair(
    item: str, topic: str, scores: Sequence[Sequence[int | None]], values: Sequence[Sequence[float | None]] = TC
) -> list[dict[str, Any]]:
    """Ten rows; None is missing."""
    rows = []
    for side, mine, tc in zip(("proverb", "variant"), scores, values, strict=True):
        for place, (score, value) in enumerate(zip(mine, tc, strict=True), 1):
            row = {"item_id": item, "topic": topic, "side": side, "question": f"{side}?", "place": place}
            row |= {"answer": "words", "answer_asked": 1, "score": score, "score_asked": 1 if score else 3}
            row |= {"score_problem": None if score else "no number", "consistency": value}
            rows.append(row | {"consistency_problem": None if value is not None else "too long"})
    return rows


def table(*pairs: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([row for rows in pairs for row in rows], schema=ANSWERS)


@pytest.fixture
def answers() -> pa.Table:
    return table(
        pair("s1", "society", ([8, 7, None, None, None], [8, 7, 9, 8, 6])),
        pair("w1", "wisdom", ([None] * 5, [None] * 5), ([None] * 5, [None] * 5)),
        pair("g2", "gender", WIDER),
        pair("g1", "gender", ALIKE),
        pair("g3", "gender", NEARLY),
    )


def measure(*arguments: Any, **options: Any) -> dict[str, Any]:
    """The numbers as `metrics.json` has them."""
    return metrics.compute_numbers(*arguments, **options).model_dump(mode="json", exclude_unset=True)


def found_of(answers: pa.Table) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["item_id"], row["consistency"]): row for row in metrics.tests(answers).to_pylist()}


def test_two_rows_a_pair_by_consistency_topic_and_pair(answers: pa.Table) -> None:
    found = metrics.tests(answers)
    assert found.schema == TESTS
    assert found["item_id"].to_pylist() == ["g1", "g2", "g3", "w1", "s1"] * 2
    assert found["consistency"].to_pylist() == ["score"] * 5 + ["text"] * 5


def test_the_order_of_the_answers_does_not_matter(answers: pa.Table) -> None:
    assert metrics.tests(answers.take(list(range(answers.num_rows))[::-1])).equals(metrics.tests(answers))


def test_one_pair_by_hand(answers: pa.Table) -> None:
    row = found_of(answers)["g2", "score"]
    assert row["p"] == pytest.approx(2 / 252)
    assert row["error"] is True
    assert row["method"] == "exact"
    assert row["statistic"] == 40  # 5 6 7 10 9 … are in the middle: ranks 6 to 10
    assert row["holm_p"] == pytest.approx(3 * 2 / 252)  # of the three that were tested
    assert (row["median"], row["variant_median"]) == (5, 1)
    assert (row["deviation"], row["variant_deviation"]) == (0, pytest.approx(24.3**0.5))
    assert found_of(answers)["g1", "score"]["p"] == 1
    assert found_of(answers)["g3", "score"]["error"] is True


def test_location_alone_is_found_by_the_rank_sum(answers: pa.Table) -> None:
    row = found_of(table(pair("g1", "gender", HIGHER)))["g1", "score"]
    assert row["ranksum_p"] == pytest.approx(2 / 252)
    assert row["wilcoxon_p"] == 0.0625
    assert row["error"] is False


def test_too_few_values_are_not_tested(answers: pa.Table) -> None:
    row = found_of(answers)["s1", "score"]
    assert (row["n"], row["variant_n"]) == (2, 5)
    assert row["p"] is row["error"] is row["method"] is row["holm_p"] is row["ranksum_p"] is None
    assert row["problem"] == "2 and 5 of 5 and 5 values can give no p below 0.05"
    assert row["median"] == 7.5
    row = found_of(answers)["w1", "score"]
    assert row["median"] is row["deviation"] is None


@pytest.mark.parametrize(("left", "right", "tested"), [(3, 5, True), (4, 4, True), (3, 4, False), (2, 5, False)])
def test_where_an_error_is_possible(left: int, right: int, tested: bool) -> None:
    scores = [[5, 6, 7, 8, 9][:n] + [None] * (5 - n) for n in (left, right)]
    row = found_of(table(pair("g1", "gender", scores)))["g1", "score"]
    assert (row["p"] is not None) == tested
    assert (row["problem"] is None) == tested
    assert row["wilcoxon_p"] is None  # a place has no partner


def test_errors_by_topic(answers: pa.Table) -> None:
    errors = measure(answers, metrics.tests(answers))["errors"]
    assert list(errors) == ["gender", "wisdom", "society", "all"]
    gender = errors["gender"]["score"]
    assert (gender["pairs"], gender["tested"], gender["errors"]) == (3, 3, 2)
    assert gender["share"] == pytest.approx(2 / 3)
    assert gender["interval"]["low"] == pytest.approx(0.207660, abs=5e-7)
    assert gender["errors_holm"] == 1  # 3 · 2 / 252 is below .05, 2 · 12 / 252 is not
    assert gender["smallest_p"] == pytest.approx(2 / 252)
    assert gender["holm_at_most"] == 3
    assert gender["wilcoxon"] == 0
    assert errors["wisdom"]["score"]["tested"] == 0
    assert errors["wisdom"]["score"]["share"] is errors["wisdom"]["score"]["interval"] is None
    assert errors["all"]["text"]["errors"] == 0


@pytest.mark.parametrize(("pairs", "left"), [(6, 6), (7, 0)])
def test_from_seven_pairs_on_holm_leaves_none(pairs: int, left: int) -> None:
    answers = table(*(pair(f"g{place}", "gender", WIDER) for place in range(pairs)))
    cell = measure(answers, metrics.tests(answers))["errors"]["gender"]["score"]
    assert cell["errors"] == pairs
    assert cell["errors_holm"] == cell["holm_at_most"] == left


def test_medians_and_their_direction(answers: pa.Table) -> None:
    cell = measure(answers, metrics.tests(answers))["medians"]["gender"]["score"]
    assert (cell["pairs"], cell["lower"], cell["same"], cell["higher"]) == (3, 1, 2, 0)
    assert cell["difference"] == pytest.approx(-4 / 3)
    assert cell["p"] == 1  # one difference
    medians = measure(answers, metrics.tests(answers))["medians"]
    assert medians["wisdom"]["score"]["p"] is None
    assert "holm_p" not in medians["all"]["score"]


def test_many_pairs_that_score_lower_are_found() -> None:
    lower = ([9, 8, 9, 8, 9], [7, 6, 7, 6, 7])
    answers = table(*(pair(f"g{place}", "gender", lower) for place in range(8)))
    cell = measure(answers, metrics.tests(answers))["medians"]["gender"]["score"]
    assert cell["p"] == pytest.approx(2 / 2**8)
    assert cell["holm_p"] == pytest.approx(4 / 2**8)  # scores and texts of one topic
    assert cell["difference"] == -2


def test_histograms_and_coverage(answers: pa.Table) -> None:
    told = measure(answers, metrics.tests(answers))
    assert told["histograms"]["gender"]["proverb"]["score"] == [0, 0, 0, 0, 5, 1, 1, 7, 1, 0]
    assert told["histograms"]["gender"]["variant"]["text"] == [0, 0, 0, 0, 0, 3, 3, 3, 3, 3]
    coverage = told["coverage"]
    assert (coverage["wanted"], coverage["answers"], coverage["scores"], coverage["consistencies"]) == (50, 50, 37, 40)
    assert coverage["score_problems"] == {"no number": 13}
    assert coverage["asked_again"] == {"answer": 0, "score": 13}
    assert len(coverage["not_tested"]["score"]) == 2
    json.dumps(told, allow_nan=False)


def test_no_answers_at_all() -> None:
    told = measure(table(), metrics.tests(table()))
    assert told["pairs"] == 0
    assert told["errors"]["all"]["score"]["share"] is None
    json.dumps(told, allow_nan=False)


def test_tables_that_contradict_themselves(answers: pa.Table) -> None:
    with pytest.raises(InputError, match="lacks the column 'score'"):
        metrics.tests(answers.drop_columns(["score"]))
    with pytest.raises(InputError, match="places"):
        metrics.tests(answers.slice(1))
    with pytest.raises(InputError, match="places"):
        metrics.tests(pa.concat_tables([answers, answers.slice(0, 1)]))
    with pytest.raises(ValueError, match="level"):
        metrics.tests(answers, TestSettings(level=5))
