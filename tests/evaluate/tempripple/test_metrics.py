"""TempRIPPLE's numbers: a table small enough to count by hand, properties, and tables that contradict themselves."""

import json
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.evaluate.statistics.inference import cluster_bootstrap
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers

SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("task", pa.dictionary(pa.int8(), pa.string())),
        ("hop", pa.int32()),
        ("place", pa.int32()),
        ("subject", pa.string()),
        ("relation", pa.string()),
        ("last_relation", pa.string()),
        ("with_context", pa.bool_()),
        ("chosen", pa.int32()),
        ("answer", pa.int32()),
        ("correct", pa.bool_()),
        ("problem", pa.string()),
    ]
)
FEW = MeasureSettings(resamples=200)


def question(
    item: str, task: str, hop: int, outcome: str, subject: str = "Q1", relation: str = "P6", last: str | None = None
) -> list[dict[str, Any]]:
    """Two rows, without and with context; an outcome is r(ight), w(rong), u(nparsable), or - for not asked."""
    rows = []
    for context, letter in enumerate(outcome):
        if letter == "-":
            continue
        row = {"item_id": item, "task": task, "hop": hop, "place": 1 if "new" in task else 2, "subject": subject}
        row |= {"relation": relation, "last_relation": last or relation, "with_context": bool(context), "answer": 1}
        answered = {"chosen": 1 if letter == "r" else 3, "correct": letter == "r", "problem": None}
        rows.append(row | (answered if letter in "rw" else {"chosen": None, "correct": None, "problem": "unparsable"}))
    return rows


def measure(*arguments: Any) -> dict[str, Any]:
    """The numbers as `metrics.json` has them."""
    return compute_numbers(*arguments).model_dump(mode="json")


def table(*questions: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([row for rows in questions for row in rows], schema=SCHEMA)


def by_hand() -> pa.Table:
    """Six questions on new facts, four one hop further, two old ones; three subjects, two properties."""
    return table(
        question("n1", "new", 0, "wr", "Q1"),
        question("n2", "new", 0, "wr", "Q1"),
        question("n3", "new", 0, "rr", "Q2", "P54"),
        question("n4", "new", 0, "rw", "Q2", "P54"),
        question("n5", "new", 0, "ww", "Q3"),
        question("n6", "new", 0, "ur", "Q3"),
        question("r1", "related_new", 1, "rw", "Q1", last="P26"),
        question("r2", "related_new", 1, "ww", "Q2", "P54", last="P19"),
        question("r3", "related_new", 1, "wu", "Q2", "P54", last="P26"),
        question("r4", "related_new", 1, "-w", "Q3", last="P26"),
        question("o1", "old", 0, "rr", "Q1"),
        question("o2", "old", 0, "rr", "Q1"),
    )


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measure(by_hand(), {"P6": 6.7, "P54": 2.3}, FEW)


def cell(found: dict[str, Any], task: str, hop: int, context: bool) -> dict[str, Any]:
    return next(c for c in found["cells"] if (c["task"], c["hop"], c["with_context"]) == (task, hop, context))


def change(found: dict[str, Any], task: str, hop: int) -> dict[str, Any]:
    return next(c for c in found["contexts"] if (c["task"], c["hop"]) == (task, hop))


def test_accuracy_is_over_the_answered_and_the_unparsable_are_counted_apart(found: dict[str, Any]) -> None:
    without = cell(found, "new", 0, False)
    assert {key: without[key] for key in ("n", "answered", "unanswered", "correct", "subjects")} == {
        "n": 6,
        "answered": 5,
        "unanswered": 1,
        "correct": 2,
        "subjects": 3,
    }
    assert without["accuracy"] == pytest.approx(2 / 5)
    assert without["accuracy_all"] == pytest.approx(2 / 6)
    assert cell(found, "new", 0, True)["accuracy"] == pytest.approx(4 / 6)
    assert found["chance"] == 0.25
    assert (found["questions"], found["subjects"], found["n"], found["answered"]) == (12, 3, 23, 21)


def test_what_became_of_each_answer(found: dict[str, Any]) -> None:
    new = change(found, "new", 0)
    assert {key: new[key] for key in ("both", "retained", "lost", "gained", "missed")} == {
        "both": 5,
        "retained": 1,
        "lost": 1,
        "gained": 2,
        "missed": 1,
    }
    assert new["delta"] == pytest.approx(4 / 6 - 2 / 5)
    assert new["p"] == 1  # 1 against 2: twice (1 + 3) / 8
    assert new["p_mid"] == pytest.approx(0.625)  # less 3 / 8
    related = change(found, "related_new", 1)
    assert (related["both"], related["lost"], related["missed"]) == (2, 1, 1)
    old = change(found, "old", 0)
    assert (old["p"], old["delta"]) == (1, 0)


def test_a_hop_is_compared_with_the_hop_before_of_its_age_and_condition(found: dict[str, Any]) -> None:
    assert [(row["task"], row["hop"], row["with_context"]) for row in found["hops"]] == [
        ("related_new", 1, False),
        ("related_new", 1, True),
    ]
    assert found["hops"][1]["counts"] == [[4, 2], [0, 3]]
    assert found["hops"][1]["delta"] == pytest.approx(-4 / 6)
    # tables with margins 6 3 / 4 5: 15 of 126 as far out as this, and 6 of 126 of (1, 5) (3, 0) are at most as probable
    assert found["hops"][1]["p"] == pytest.approx((15 + 6) / 126)


def test_holm_counts_each_family_apart(found: dict[str, Any]) -> None:
    assert found["statistics"]["tests"] == {"contexts": 3, "hops": 2, "durations": 2}
    assert found["hops"][1]["p_holm"] == pytest.approx(2 * 21 / 126)


def test_the_correlation_with_durations(found: dict[str, Any]) -> None:
    rows = {(row["task"], row["with_context"]): row for row in found["durations"]}
    new = rows["new", True]
    # right 4 of 6; 3 of the 4 questions on P6 and 1 of the 2 on P54: phi = (3*1 - 1*1) / sqrt(4*2*4*2)
    assert new["r"] == pytest.approx((3 * 1 - 1 * 1) / 8)
    assert (new["n"], new["properties"], new["left_out"]) == (6, 2, 0)
    assert rows["old", True]["r"] is None  # all right, one property
    assert rows["old", True]["p_holm"] is None


def test_a_property_without_a_duration_is_left_out_of_the_correlation() -> None:
    rows = measure(by_hand(), {"P6": 6.7}, FEW)["durations"]
    new = next(row for row in rows if row["task"] == "new" and row["with_context"])
    assert (new["n"], new["left_out"], new["r"]) == (4, 2, None)


def test_intervals_are_those_of_a_bootstrap_over_subjects(found: dict[str, Any]) -> None:
    subjects, right = ["Q1", "Q1", "Q2", "Q2", "Q3", "Q3"], [1, 1, 1, 0, 0, 1]
    interval = cluster_bootstrap(subjects, right, np.ones(6), resamples=200)
    assert interval is not None
    low, high = interval
    assert cell(found, "new", 0, True)["interval"] == {"low": pytest.approx(low), "high": pytest.approx(high)}


def test_one_subject_gives_no_interval(found: dict[str, Any]) -> None:
    assert cell(found, "old", 0, True)["interval"] is None
    assert change(found, "old", 0)["interval"] is None


def test_the_interval_of_a_difference_is_paired() -> None:
    # every subject gains exactly one of its two answers, so the difference is .5 in every draw
    rows = [question(f"{s}{k}", "new", 0, "wr" if k else "rr", f"Q{s}") for s in range(5) for k in range(2)]
    found = measure(table(*rows), {}, FEW)
    assert change(found, "new", 0)["interval"] == {"low": pytest.approx(0.5), "high": pytest.approx(0.5)}


def test_accuracy_by_property_and_by_what_is_asked_for(found: dict[str, Any]) -> None:
    p54 = found["by_relation"]["P54"]
    assert (p54["mean_years"], p54["subjects"]) == (2.3, 1)
    assert p54["tasks"]["new"]["without"] == {"n": 2, "answered": 2, "correct": 2, "accuracy": 1}
    assert "old" not in p54["tasks"]
    assert found["by_last_relation"]["P26"]["related_new"]["with"]["n"] == 3
    assert set(found["by_last_relation"]) == {"P19", "P26"}


def test_problems_and_places(found: dict[str, Any]) -> None:
    assert found["problems"] == [{"problem": "unparsable", "without": 1, "with": 1}]
    assert found["places"]["right"] == [0, 12, 0, 0]
    assert found["places"]["with"] == [0, 6, 0, 5]


def test_a_model_that_never_answers() -> None:
    found = measure(table(question("a", "new", 0, "uu"), question("b", "related_new", 1, "uu")), {"P6": 1.0}, FEW)
    assert [c["accuracy"] for c in found["cells"]] == [None] * 4
    assert [c["accuracy_all"] for c in found["cells"]] == [0] * 4
    assert found["contexts"][0]["p"] is None
    assert found["hops"][0]["p"] is None
    assert found["durations"] == []


def test_one_condition_alone() -> None:
    found = measure(table(question("a", "new", 0, "-r"), question("b", "new", 0, "-w", "Q2")), {}, FEW)
    assert [c["with_context"] for c in found["cells"]] == [True]
    assert (found["contexts"][0]["p"], found["contexts"][0]["delta"]) == (None, None)


def test_a_hop_that_was_not_asked_is_not_compared_across() -> None:
    found = measure(table(question("a", "old", 0, "rr"), question("c", "related_old", 2, "rw")), {}, FEW)
    assert found["hops"] == []


QUESTIONS = st.lists(
    st.tuples(
        st.sampled_from([("new", 0), ("old", 0), ("related_new", 1), ("related_old", 2)]),
        st.sampled_from(["rr", "rw", "wr", "ww", "ur", "wu", "uu", "r-", "-w"]),
        st.sampled_from(["Q1", "Q2", "Q3"]),
        st.sampled_from(["P6", "P54"]),
    ),
    min_size=1,
    max_size=25,
)


@given(QUESTIONS, st.randoms())
def test_counts_add_up_the_order_is_nothing_and_json_takes_it(
    drawn: list[tuple[tuple[str, int], str, str, str]], random: Random
) -> None:
    rows = [
        row
        for place, ((task, hop), outcome, subject, relation) in enumerate(drawn)
        for row in question(f"i{place}", task, hop, outcome, subject, relation)
    ]
    settings = MeasureSettings(resamples=20)
    found = measure(pa.Table.from_pylist(rows, schema=SCHEMA), {"P6": 6.7, "P54": 2.3}, settings)
    random.shuffle(rows)
    assert measure(pa.Table.from_pylist(rows, schema=SCHEMA), {"P6": 6.7, "P54": 2.3}, settings) == found
    json.dumps(found, allow_nan=False)
    assert sum(c["n"] for c in found["cells"]) == len(rows)
    assert sum(c["unanswered"] for c in found["cells"]) == sum(p["without"] + p["with"] for p in found["problems"])
    for row in found["contexts"]:
        assert row["both"] == row["retained"] + row["lost"] + row["gained"] + row["missed"]
    for c in found["cells"]:
        assert c["accuracy"] is None or c["accuracy"] >= c["accuracy_all"]
        assert c["interval"] is None or 0 <= c["interval"]["low"] <= c["interval"]["high"] <= 1
    by_relation = [s for r in found["by_relation"].values() for t in r["tasks"].values() for s in t.values()]
    assert sum(score["n"] for score in by_relation) == len(rows)


def changed(column: str, value: object) -> pa.Table:
    rows = question("a", "new", 0, "rr")
    rows[0][column] = value
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (table(question("a", "new", 0, "rr")).drop_columns(["subject"]), "the column 'subject' is missing"),
        (SCHEMA.empty_table(), "there are none"),
        (changed("relation", None), "the column 'relation' has nulls"),
        (changed("task", "newer"), "the task 'newer' is unknown"),
        (changed("hop", 1), "hop 0 must be a task new or old"),
        (changed("hop", -1), "a hop is below 0"),
        (changed("correct", None), "'correct' must be null where there is a problem"),
        (changed("problem", "too long"), "'correct' must be null where there is a problem"),
        (changed("chosen", None), "'chosen' must be null"),
        (changed("chosen", 4), "a choice is not among 4 options"),
        (changed("answer", 4), "a right answer is not among 4 options"),
        (changed("correct", False), "'correct' does not say"),
        (changed("with_context", True), "a question stands twice in one condition"),
        (changed("task", "old"), "a question has two tasks or hops"),
    ],
)
def test_tables_that_contradict_themselves(broken: pa.Table, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure(broken, {})
