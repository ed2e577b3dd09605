"""Every check on a release of TempRIPPLE that fails just this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json
from tashika.exports.checks import GENERIC, Check, Problem, ReleaseFiles, message_of, run_checks
from tashika.exports.parquet import write_table
from tashika.exports.schema import configs_of, features
from tashika.exports.tempripple import checks
from tashika.exports.tempripple.checks import TEMPRIPPLE, is_question
from tests.exports.tempripple import samples as ripples

SUITE = "tempripple"
ALL = (*GENERIC, *TEMPRIPPLE)
Rows = list[dict[str, Any]]

"""The helper module beside this file, which conftest.py loads."""


class Draft:
    """A release to break: rows of each configuration that are written back, with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_json(folder / "release.json")
        self.rows: dict[str, Rows] = {
            name: pq.read_table(folder / name / f"{name}.parquet").to_pylist() for name in configs_of(SUITE)
        }

    def row(self, config: str, item: str) -> dict[str, Any]:
        return next(row for row in self.rows[config] if row["item_id"] == item)

    def written(self) -> ReleaseFiles:
        for name, rows in self.rows.items():
            path = self.folder / name / f"{name}.parquet"
            write_table(path, pa.Table.from_pylist(rows, schema=features(SUITE, name).arrow_schema), SUITE, name)
            self.record["files"][f"{name}/{name}.parquet"] = {"rows": len(rows), "sha256": hash_file(path)}
            self.record["counts"][configs_of(SUITE)[name].count] = len(rows)
        return ReleaseFiles(self.folder, self.record)


@pytest.fixture
def draft(ripple_release: Path) -> Draft:
    return Draft(ripple_release)


def failing(found: ReleaseFiles) -> dict[str, list[Problem]]:
    problems = {check.__name__: list(check(found)) for check in ALL}
    return {name: those for name, those in problems.items() if those}


def test_a_sound_release_passes_all(draft: Draft) -> None:
    assert failing(draft.written()) == {}


def question(draft: Draft, *key: str) -> dict[str, Any]:
    return draft.row("questions", ripples.question_id(*key))


def tenure(draft: Draft, value: str) -> dict[str, Any]:
    return draft.row("history", ripples.tenure_id(value))


def path(draft: Draft, *key: str) -> dict[str, Any]:
    return draft.row("related", ripples.related_id(*key))


def change(row: dict[str, Any], **values: Any) -> str:
    row.update(values)
    return str(row["item_id"])


# Each of these breaks a release in one way, and returns the id of the item that is broken.


def break_age(draft: Draft) -> str:
    """A new tenure that calls itself old, and that nothing hangs on which would know better."""
    row = tenure(draft, "Q533861")
    for name in ("questions", "related"):
        draft.rows[name] = [other for other in draft.rows[name] if other["history_id"] != row["item_id"]]
    return change(row, age="old")


def branch(draft: Draft) -> str:
    """A hop that goes on from one of several objects."""
    change(path(draft, "Q318", "P69"), objects=["Q1321", "Q846"], object_labels=["Keio University", "Kobe University"])
    change(question(draft, "Q318", "P69"), answers=["Keio University", "Kobe University"])
    return str(path(draft, "Q318", "P69", "P112")["item_id"])


def jump(draft: Draft) -> str:
    """A hop that goes on from what the one before does not lead to."""
    change(path(draft, "Q318", "P69"), objects=["Q846"])
    return str(path(draft, "Q318", "P69", "P112")["item_id"])


STRANGER = "f" * 32
OTHERS = ["Ulm", "Warsaw", "Bonn", "1912"]
BREAKS: list[tuple[str, Check, Callable[[Draft], str]]] = [
    ("no mark", checks.questions_are_questions, lambda d: change(question(d, "Q318"), text="Who was it.")),
    ("two", checks.texts_differ, lambda d: change(question(d, "Q2911"), text=question(d, "Q318")["text"].upper())),
    ("no fact", checks.questions_have_parents, lambda d: change(question(d, "Q318"), fact_id=STRANGER)),
    ("no tenure", checks.questions_have_parents, lambda d: change(question(d, "Q318"), history_id=STRANGER)),
    ("unknown", checks.questions_have_parents, lambda d: change(question(d, "Q318", "P69"), related_id=STRANGER)),
    ("hop lost", checks.questions_have_parents, lambda d: change(question(d, "Q318", "P69"), related_id=None)),
    ("place", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318"), place=3)),
    ("task", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318", "P69"), task="old")),
    ("hop", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318", "P69"), hop=2)),
    ("asked", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318"), last_relation="P35")),
    ("subject", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318"), subject="Q30")),
    ("relation", checks.questions_fit_their_parents, lambda d: change(question(d, "Q318", "P69"), relation="P35")),
    (
        "too many answers",
        checks.questions_fit_their_parents,
        lambda d: change(question(d, "Q318"), answers=["Shigeru Ishiba", "Taro Aso"]),
    ),
    (
        "too few answers",
        checks.questions_fit_their_parents,
        lambda d: change(question(d, "Q178629", "P1412"), answers=["Italian"]),
    ),
    (
        "answer of another",
        checks.questions_fit_their_parents,
        lambda d: change(question(d, "Q318", "P69"), answers=["Ulm"], answer=0, options=["Ulm", "Warsaw", "1912", "x"]),
    ),
    ("few", checks.options_differ, lambda d: change(question(d, "Q318"), options=["Ulm", "x", "Shigeru Ishiba"])),
    (
        "twice",
        checks.options_differ,
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "a", "A "]),
    ),
    (
        "blank",
        checks.options_differ,
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "a", " "]),
    ),
    (
        "wrong mark",
        checks.the_marked_option_is_right,
        lambda d: change(question(d, "Q318"), options=OTHERS),
    ),
    (
        "no mark at all",
        checks.the_marked_option_is_right,
        lambda d: change(question(d, "Q318"), answer=4, options=OTHERS),
    ),
    (
        "also right",
        checks.other_options_are_wrong,
        lambda d: change(question(d, "Q178629", "P1412"), options=["Ulm", "portuguese", "1912", "Italian"]),
    ),
    (
        "another tenure's",
        checks.other_options_are_wrong,
        lambda d: change(question(d, "Q235"), options=["Ulm", "Sanae Takaichi", "Fumio\u3000KISHIDA", "Warsaw"]),
    ),
    (
        "was right",
        checks.other_options_are_wrong,
        lambda d: change(path(d, "Q178629", "P1412"), also_true=["Ulm"]) and ripples.question_id("Q178629", "P1412"),
    ),
    ("context", checks.contexts_are_statements, lambda d: change(question(d, "Q318"), context="It is so.")),
    ("no root", checks.tenures_have_facts, lambda d: change(tenure(d, "Q2911"), subject="Q30")),
    ("object", checks.facts_are_newest_tenures, lambda d: change(d.rows["facts"][0], object="Q30")),
    ("start", checks.facts_are_newest_tenures, lambda d: change(d.rows["facts"][0], start="2025")),
    ("old 1", checks.places_are_in_order, break_age),
    ("backwards", checks.times_are_in_order, lambda d: change(tenure(d, "Q172721"), start="2025-03")),
    ("open", checks.times_are_in_order, lambda d: change(tenure(d, "Q318"), end=None)),
    ("overlap", checks.times_are_in_order, lambda d: change(tenure(d, "Q318"), end="2025-11")),
    ("negative", checks.times_are_in_order, lambda d: change(tenure(d, "Q318"), years=-0.5)),
    ("no number", checks.times_are_in_order, lambda d: change(tenure(d, "Q318"), years=float("nan"))),
    ("parent", checks.related_have_parents, lambda d: change(path(d, "Q318", "P69", "P112"), parent=STRANGER)),
    ("no parent", checks.related_have_parents, lambda d: change(path(d, "Q318", "P69", "P112"), parent=None)),
    ("age", checks.related_have_parents, lambda d: change(path(d, "Q318", "P69"), age="new")),
    (
        "other tenure",
        checks.related_have_parents,
        lambda d: change(path(d, "Q318", "P69", "P112"), parent=ripples.related_id("Q235", "P69")),
    ),
    ("branch", checks.related_have_parents, branch),
    ("jump", checks.related_have_parents, jump),
    (
        "root",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q172721", "P159"), path_subjects=["Q1", "Q172721"]),
    ),
    (
        "long",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q172721", "P159"), path_subject_labels=["Mercedes"]),
    ),
    (
        "another way",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q318", "P69", "P112"), path_relations=["P6", "P108", "P112"]),
    ),
    (
        "another name",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q318", "P69", "P112"), path_subject_labels=["Japan", "Aso", "Keio University"]),
    ),
    ("last name", checks.paths_lead_to_their_facts, lambda d: change(path(d, "Q172721", "P159"), subject_label="X")),
    ("back", checks.paths_lead_to_their_facts, lambda d: change(path(d, "Q318", "P69", "P112"), objects=["Q318"])),
    ("home", checks.paths_lead_to_their_facts, lambda d: change(path(d, "Q172721", "P159"), objects=["Q9673"])),
    (
        "object twice",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q178629", "P1412"), objects=["Q652", "Q652"]),
    ),
    (
        "detour",
        checks.paths_lead_to_their_facts,
        lambda d: change(path(d, "Q318", "P69", "P112"), path_subjects=["Q17", "Q235", "Q1321"]),
    ),
    ("no objects", checks.related_have_answers, lambda d: change(path(d, "Q172721", "P159"), objects=[])),
    (
        "labels",
        checks.related_have_answers,
        lambda d: change(path(d, "Q172721", "P159"), object_labels=["Brackley", "Brackley"]),
    ),
]


@pytest.mark.parametrize(("check", "damage"), [entry[1:] for entry in BREAKS], ids=[entry[0] for entry in BREAKS])
def test_a_broken_row_fails_its_check_alone(draft: Draft, check: Check, damage: Callable[[Draft], str]) -> None:
    item = damage(draft)
    found = draft.written()
    problems = failing(found)
    assert list(problems) == [check.__name__]  # type: ignore[attr-defined]
    assert {problem.item for problem in next(iter(problems.values()))} == {item}
    with pytest.raises(InputError) as caught:
        run_checks(found, ALL)
    assert caught.value.message.startswith(message_of(check))


def test_a_fact_that_stands_twice_fails_its_check(draft: Draft) -> None:
    draft.rows["facts"].append({**draft.rows["facts"][0], "item_id": STRANGER})
    assert "facts_differ" in failing(draft.written())


def test_a_hole_among_the_old_tenures_is_found_and_one_behind_the_new_is_none(draft: Draft) -> None:
    last = tenure(draft, "Q2911")
    change(last, place=4)
    problems = list(checks.places_are_in_order(draft.written()))
    assert [problem.item for problem in problems] == [last["item_id"]]
    change(tenure(draft, "Q318"), place=3)
    assert not list(checks.places_are_in_order(draft.written()))


def test_a_more_recent_tenure_that_is_over_before_an_older_one_starts_is_found(draft: Draft) -> None:
    older = tenure(draft, "Q2911")
    change(older, start="2025-10-22", end="2025-10")
    problems = list(checks.times_are_in_order(draft.written()))
    assert [problem.item for problem in problems] == [older["item_id"]]


def test_dates_that_cannot_be_compared_are_let_through(draft: Draft) -> None:
    change(tenure(draft, "Q172721"), start="-0044", end="2025-07")  # before Christ, and in the year of the next one
    assert failing(draft.written()) == {}


def test_every_check_has_a_message_and_a_break() -> None:
    assert set(TEMPRIPPLE) == {entry[1] for entry in BREAKS} | {checks.facts_differ}
    assert all(message_of(check).endswith(".") for check in TEMPRIPPLE)


@given(st.text(alphabet="aé? \n\r", max_size=8))
def test_a_question_is_one_line_with_a_mark_after_a_word(text: str) -> None:
    expected = text.endswith("?") and not text[:-1].endswith((" ", "\n", "\r")) and len(text) > 1
    expected = expected and "\n" not in text and "\r" not in text
    assert is_question(pa.array([text]))[0].as_py() is expected
