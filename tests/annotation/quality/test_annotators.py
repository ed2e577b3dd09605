"""What is measured of each annotator, by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.quality.annotators import compare_with_rest, fast_limit, measure_annotators
from tashika.annotation.quality.tables import annotator_table
from tashika.annotation.votes.rules import Votes
from tashika.annotation.votes.vote import collect
from tashika.annotation.words.controls import Checked

CHOICES = {"valid": FOR, "invalid": AGAINST}


def measured(samples: ModuleType, rows: list[dict[str, Any]], **values: Any) -> dict[str, dict[str, Any]]:
    table = samples.judgment_table(*rows)
    items = pa.array(sorted({row["item_id"] for row in rows}), pa.string())
    votes = collect(items, table, CHOICES).answers()
    return measure_annotators(votes, table, values.get("checked", {}), 2.0, values.get("left_out", ()))


def test_votes_are_set_against_those_of_the_others(samples: ModuleType) -> None:
    said = {"1": "vvi", "2": "vvv", "3": "vi-", "4": "vvii", "5": "v"}
    rows = [
        samples.judgment(item, person, "valid" if letter == "v" else "invalid")
        for item, letters in said.items()
        for person, letter in zip("abcd", letters, strict=False)
        if letter != "-"
    ]
    measures = measured(samples, rows)
    # 1: a and b face a split; c faces two v. 3: each faces the other. 4: of the others two say what one did not.
    # a agrees on 2 of {2, 3, 4}, b alike, c on 2 of {1, 2, 4}, d on 4 never. Nobody else was on 5.
    shares = {name: (entry["agreement"], entry["compared"]) for name, entry in measures.items()}
    third = round(1 / 3, 6)
    assert shares == {"a": (third, 3), "b": (third, 3), "c": (third, 3), "d": (0.0, 1)}
    assert {name: entry["touched"] for name, entry in measures.items()} == {"a": 5, "b": 4, "c": 3, "d": 1}


def test_skips_prefills_and_times(samples: ModuleType) -> None:
    rows = [
        samples.judgment("1", "a", "valid", seconds=9.0, annotation_id=1),
        samples.judgment("1", "a", None, skipped=True, annotation_id=2),  # taken back
        samples.judgment("2", "a", None, prefilled=True, problem="untouched prediction", seconds=1.0),
        samples.judgment("3", "a", "valid", seconds=6.0),
        samples.judgment("4", "a", "valid", seconds=8.0),
        samples.judgment("1", "b", "valid", seconds=7.0, simulated=True),
        samples.judgment("2", "b", "valid", seconds=1.9, simulated=True),
        samples.judgment("3", "b", "valid", simulated=True),
        samples.judgment("4", "a", None, problem="saved by another account", annotation_id=9),
    ]
    measures = measured(samples, rows, checked={"a": Checked(typed=3, wrong=1)}, left_out={"b"})
    assert measures["a"] == {
        "simulated": False,
        "touched": 4,
        "agreement": 1.0,
        "compared": 1,
        "median_seconds": 6.0,
        "prefilled": round(1 / 3, 6),
        "skipped": 0.25,
        "gold_answered": 3,
        "gold_missed": 1,
        "too_fast": 1,  # the median of 1, 6, 8, 7 and 1.9 is 6: less than 2 s is too fast, also at 1.9
        "left_out": False,
    }
    assert (measures["b"]["simulated"], measures["b"]["left_out"], measures["b"]["too_fast"]) == (True, True, 1)
    assert measures["b"]["median_seconds"] == pytest.approx(4.45)


@pytest.mark.parametrize(
    ("seconds", "too_fast", "limit"),
    [([9.0, 12.0, 30.0], 2.0, 2.0), ([0.9, 1.2, 1.5], 2.0, 0.4), ([9.0], 0.0, 0.0), ([], 2.0, 0.0)],
)
def test_nobody_is_too_fast_where_everybody_is_fast(seconds: list[float], too_fast: float, limit: float) -> None:
    assert fast_limit(np.array(seconds), too_fast) == pytest.approx(limit)


def test_people_who_write_are_measured_without_comparison(samples: ModuleType) -> None:
    rows = [samples.judgment("1", "a", None, text="x", seconds=3.0), samples.judgment("2", "a", None, skipped=True)]
    measures = measure_annotators(None, samples.judgment_table(*rows), {}, 2.0)
    assert (measures["a"]["agreement"], measures["a"]["compared"], measures["a"]["skipped"]) == (None, 0, 0.5)
    assert measure_annotators(None, samples.judgment_table(), {}, 2.0) == {}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=24))
def test_the_rest_is_compared_as_a_slow_count_does(rows: list[tuple[int, int]]) -> None:
    rows.sort(key=lambda row: row[0])
    items, labels = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    same, known = compare_with_rest(
        Votes(items, np.arange(len(rows)), labels, [str(i) for i in range(len(rows))], 4, 3)
    )
    for place, (item, label) in enumerate(rows):
        others = [other for number, (where, other) in enumerate(rows) if where == item and number != place]
        majority = [each for each in set(others) if 2 * others.count(each) > len(others)]
        assert known[place] == bool(majority)
        assert same[place] == (majority == [label])


def test_the_table_sums_up_over_kinds_and_names_who_is_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    entry: dict[str, Any] = {
        "simulated": True, "touched": 10, "agreement": 0.5, "compared": 8, "median_seconds": 4.0, "prefilled": 0.1,
        "skipped": 0.0, "gold_answered": 4, "gold_missed": 1, "too_fast": 2, "left_out": True,
    }  # fmt: skip
    other = {**entry, "agreement": 1.0, "gold_answered": 0, "gold_missed": 0, "median_seconds": None, "skipped": 1.0}
    summary = {"pair": {"by_annotator": {"a": entry, "simulated-1": entry}}, "check": {"by_annotator": {"a": other}}}
    table = annotator_table(summary, ["pair", "check", "none"])
    assert table is not None
    Console(width=160).print(table)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "a (simulated, left out) pair 10 50% of 8 4.0 10% 0% 1 of 4 2" in lines
    assert "check 10 100% of 8 – 10% 100% – 2" in lines
    assert "in all 20 75% of 16 – 10% 50% 1 of 4 4" in lines
    assert any(line.startswith("simulated-1 (left out) pair 10") for line in lines)
    assert annotator_table({}, ["pair"]) is None
