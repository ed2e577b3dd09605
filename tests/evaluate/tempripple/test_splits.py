"""Numbers by kind of question against pandas and loops that share nothing with the code, and small cases by hand."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from tashika.evaluate.tempripple.facets import Facets, since_cutoff, stretch
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tashika.evaluate.tempripple.splits import Era

FEW = MeasureSettings(resamples=50)
HOPS = {"new": [0], "related_new": [1, 2], "old": [0], "related_old": [1, 2]}


def drawn(seed: int) -> tuple[pd.DataFrame, dict[str, Facets]]:
    """Six subjects with three tenures; answers, lures and facets are drawn, and some have no answer."""
    chance, rows, facets = random.Random(seed), list[dict[str, Any]](), dict[str, Facets]()
    for subject in range(6):
        for place in (1, 2, 3):
            age = "new" if place == 1 else "old"
            for hop, copies in ((0, 1), (1, 3), (2, 3)):
                for copy in range(copies):
                    item = f"{subject}-{place}-{hop}-{copy}"
                    lure = chance.choice([None, 0, 1, 3])
                    side, sure = chance.choice(["same", "differs", "none"]), chance.choice(["certain", "likely"])
                    facets[item] = Facets("mixed", lure, side, sure, f"2025-{subject + 2:02}-01")
                    for context in (False, True):
                        chosen = chance.choice([0, 1, 2, 2, 2, 3, None])
                        row = {"item_id": item, "task": f"related_{age}" if hop else age, "hop": hop, "place": place}
                        row |= {"subject": f"Q{subject}", "relation": "P6", "last_relation": "P6", "answer": 2}
                        row |= {
                            "with_context": context,
                            "chosen": chosen,
                            "problem": None if chosen is not None else "no",
                        }
                        rows.append({**row, "correct": None if chosen is None else chosen == 2})
    return pd.DataFrame(rows).astype({"chosen": "Int64", "correct": "boolean"}), facets


def numbers(table: pd.DataFrame, facets: dict[str, Facets], era: Era = Era(date(2025, 4, 1), 3)) -> dict[str, Any]:  # noqa: B008
    plain = pa.Table.from_pandas(table, preserve_index=False)
    splits = compute_numbers(plain, {}, FEW, facets, era).splits
    assert splits is not None
    return splits.model_dump(mode="json")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_accuracy_by_split_is_that_of_pandas(seed: int) -> None:
    table, facets = drawn(seed)
    found = numbers(table, facets)
    table["counterpart"] = [facets[item].counterpart for item in table["item_id"]]
    table["certainty"] = [facets[item].certainty for item in table["item_id"]]
    months = [int(facets[item].began[5:7]) for item in table["item_id"]]
    table["began"] = [["2025-01..2025-03", "2025-04..2025-06", "2025-07..2025-09"][(m - 1) // 3] for m in months]
    table["cutoff"] = ["after" if m > 4 else "before" for m in months]
    seen = 0
    for row in found["scores"]:
        some = table[(table[row["split"]] == row["value"]) & (table["task"] == row["task"])]
        some = some[some["with_context"] == row["with_context"]]
        some = some if row["hop"] is None else some[some["hop"] == row["hop"]]
        known = some[some["correct"].notna()]
        assert (row["n"], row["answered"]) == (len(some), len(known))
        mean = known["correct"].astype(float).mean() if len(known) else None
        assert row["accuracy"] == (None if mean is None else pytest.approx(mean))
        if row["interval"]:
            assert row["interval"]["low"] <= row["accuracy"] <= row["interval"]["high"]
        seen += 1
    assert seen > 80
    assert {row["split"] for row in found["scores"]} == {"counterpart", "certainty", "began", "cutoff"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_given_hop_0_is_that_of_naive_loops(seed: int) -> None:
    table, facets = drawn(seed)
    found = numbers(table, facets)
    rows = table.to_dict("records")
    assert len(found["given"]) == 4 * 2 * 3 * 2  # values, tasks, hops with all, conditions
    for given in found["given"]:
        counts = {True: [0, 0], False: [0, 0]}
        for row in rows:
            if row["task"] != given["task"] or row["with_context"] != given["with_context"] or pd.isna(row["chosen"]):
                continue
            if given["hop"] not in {None, row["hop"]} or given["value"] not in {
                "all",
                facets[row["item_id"]].counterpart,
            }:
                continue
            for other in rows:
                alike = all(other[name] == row[name] for name in ("subject", "place", "with_context"))
                if alike and other["hop"] == 0 and not pd.isna(other["chosen"]):
                    counts[other["chosen"] == 2][0] += 1
                    counts[other["chosen"] == 2][1] += int(row["chosen"] == 2)
        assert [given["after_right"], given["right_after_right"]] == counts[True]
        assert [given["after_wrong"], given["right_after_wrong"]] == counts[False]
        if counts[True][0]:
            assert given["share"] == pytest.approx(counts[True][1] / counts[True][0])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_lures_are_those_of_pandas_and_their_test_is_scipys(seed: int) -> None:
    table, facets = drawn(seed)
    found = numbers(table, facets)
    table["lure"] = pd.array([facets[item].lure for item in table["item_id"]], dtype="Int64")
    offered = table[table["lure"].notna()]
    for row in found["lures"]:
        some = offered[(offered["task"] == row["task"]) & (offered["with_context"] == row["with_context"])]
        some = some if row["hop"] is None else some[some["hop"] == row["hop"]]
        known = some[some["chosen"].notna()]
        lured, right = int((known["chosen"] == known["lure"]).sum()), int((known["chosen"] == 2).sum())
        assert [row[name] for name in ("offered", "answered", "correct", "lured")] == [
            len(some),
            len(known),
            right,
            lured,
        ]
        assert row["rate"] == pytest.approx(lured / len(known))
        wrong = len(known) - right
        assert row["of_wrong"] == (pytest.approx(lured / wrong) if wrong else None)
    for test in found["lure_tests"]:
        some = offered[offered["task"] == test["task"]]
        some = some if test["hop"] is None else some[some["hop"] == test["hop"]]
        wide = some[some["chosen"].notna()].assign(took=lambda frame: frame["chosen"] == frame["lure"])
        wide = wide.pivot_table(index="item_id", columns="with_context", values="took", aggfunc="first").dropna()
        into = int((~wide[False].astype(bool) & wide[True].astype(bool)).sum())
        out_of = int((wide[False].astype(bool) & ~wide[True].astype(bool)).sum())
        assert (test["both"], test["into"], test["out_of"]) == (len(wide), into, out_of)
        assert test["delta"] == pytest.approx((into - out_of) / len(wide))
        assert test["p"] == pytest.approx(binomtest(into, into + out_of).pvalue if into + out_of else 1.0)
        assert test["p_holm"] >= test["p"]


def test_a_release_that_says_nothing_has_no_splits() -> None:
    table, _ = drawn(1)
    found = numbers(table, {}, Era())
    assert (found["scores"], found["lures"], found["lure_tests"], found["option_sets"]) == ([], [], [], [])
    assert {row["value"] for row in found["given"]} == {"all"}  # what hop 0 says is in the predictions


@pytest.mark.parametrize(
    ("began", "cutoff", "expected"),
    [
        ("2025-03-01", "2024-12-31", "after"),
        ("2025-03-01", "2025-03-01", "before"),
        ("2025-03-02", "2025-03-01", "after"),
        ("2025", "2024-12-31", "after"),
        ("2025", "2025-06-30", "unclear"),
        ("2025-07", "2025-06-30", "after"),
        ("2025-06", "2025-06-30", "unclear"),
        ("2025-05", "2025-06-30", "before"),
        ("", "2025-06-30", ""),
    ],
)
def test_what_a_model_cannot_know(began: str, cutoff: str, expected: str) -> None:
    assert since_cutoff(began, date.fromisoformat(cutoff)) == expected
    assert since_cutoff(began, None) == ""


@pytest.mark.parametrize(
    ("began", "months", "expected"),
    [
        ("2025-05-07", 3, "2025-04..2025-06"),
        ("2025-12", 3, "2025-10..2025-12"),
        ("2025-01-01", 1, "2025-01..2025-01"),
        ("2025-08-31", 12, "2025-01..2025-12"),
        ("2025", 3, "unclear"),
        ("", 3, ""),
    ],
)
def test_stretches_of_the_window(began: str, months: int, expected: str) -> None:
    assert stretch(began, months) == expected
