"""The table of single judgments: what is in it, under which names, and that others can count it again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.statements import released_name, statements_of
from tashika.annotation.votes.verdicts import count_votes
from tashika.annotation.votes.vote import collect, decide
from tashika.core.errors import MissingStageError
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

WORDS = {"v": "valid", "i": "invalid", "-": None}
NAMES = ("annotator-1", "annotator-2", "annotator-3", "annotator-4", "simulated-1")
LEAST = 2
SAID = st.tuples(st.integers(0, 4), st.sampled_from(NAMES), st.sampled_from("vi-"), st.booleans())
"""Item, person, answer, and whether the judgment has a problem."""


def judged(samples: ModuleType, item: str, person: str, said: str, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = samples.judgment(
        item, person, WORDS[said], skipped=said == "-", simulated=person.startswith("simulated"), **more
    )
    return row


def count_again(rows: list[dict[str, Any]], least: int) -> dict[str, str]:
    """A strict majority of what is released, as a reader of the card would count it."""
    cast: dict[str, Counter[str]] = {}
    for row in rows:
        if row["counted"] and row["counts_as"] in {"for", "against"}:
            cast.setdefault(row["item_id"], Counter())[row["counts_as"]] += 1
    decided = {}
    for item, votes in cast.items():
        accepted, rejected = (2 * votes[side] > votes.total() >= least for side in ("for", "against"))
        decided[item] = "accepted" if accepted else "rejected" if rejected else "undecided"
    return decided


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(NAMES), st.sampled_from("vi-"), st.booleans()), max_size=30)
)
def test_counting_the_table_again_gives_the_verdicts(
    tmp_path: Path, samples: ModuleType, pages: list[Page], said: list[tuple[int, str, str, bool]]
) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    items = [f"{number:032x}" for number in range(5)]
    rows = [
        judged(samples, items[item], person, word, problem="empty result" if faulty else None)
        for item, person, word, faulty in said
    ]
    judgments = pa.Table.from_pylist(rows, schema=JUDGMENT)
    page = next(page for page in pages if page.kind == "template")
    ballot = collect(pa.array(items[:4], pa.string()), judgments, page.choices)  # type: ignore[attr-defined]
    table = statements_of(workspace, page, ballot.item_ids, ballot.votes, judgments).to_pylist()
    verdicts = {row["item_id"]: row["decision"] for row in decide(ballot, "template", LEAST).to_pylist()}
    assert {**dict.fromkeys(items[:4], "undecided"), **count_again(table, LEAST)} == verdicts


def prepare(workspace: Workspace, samples: ModuleType) -> list[str]:
    ids: list[str] = [str(item) for item in workspace.read_items("template")["item_id"].to_pylist()[:2]]
    write_pushed(workspace, "template", "ls", 1, [Task(number, item, frozenset()) for number, item in enumerate(ids)])
    write_pushed(workspace, "alias", "ls", 2, [])
    rows = [judged(samples, ids[0], person, said) for person, said in zip(NAMES, "vviv-", strict=True)]
    rows += [judged(samples, ids[0], "annotator-3", "v"), judged(samples, "f" * 32, "annotator-1", "v")]
    rows[0] |= {"note": "I know him", "text": "typed", "seconds": 3.25}
    append_judgments(workspace, rows)
    return ids


def test_each_person_has_one_row_an_item_and_another_name(
    workspace: Workspace, samples: ModuleType, pages: list[Page], settings: AnnotateSettings
) -> None:
    ids = prepare(workspace, samples)
    count_votes(workspace, pages, settings)
    table = workspace.read_statements().to_pylist()
    assert {row["item_id"] for row in table} == {ids[0]}  # nobody is asked about the other one
    assert [row["annotator"] for row in sorted(table, key=lambda row: row["annotator"])] == sorted(NAMES)
    by_name = {row["annotator"]: row for row in table}
    assert by_name["annotator-3"]["choice"] == "valid"  # the later of two
    assert (by_name["simulated-1"]["skipped"], by_name["simulated-1"]["counted"]) == (True, False)
    assert by_name["simulated-1"]["released_as"] == "simulated-1"
    people = {row["released_as"] for row in table if not row["simulated"]}
    assert len(people) == 4
    assert all(name.startswith("person-") and name not in NAMES for name in people)
    assert "typed" not in str(table)
    assert "I know him" not in str(table)


def test_whose_votes_are_left_out_stays_visible(
    workspace: Workspace, samples: ModuleType, pages: list[Page], settings: AnnotateSettings
) -> None:
    prepare(workspace, samples)
    count_votes(workspace, pages, settings, leave_out=["annotator-2"])
    counted = {row["annotator"]: row["counted"] for row in workspace.read_statements().to_pylist()}
    assert counted["annotator-2"] is False
    assert counted["annotator-1"] is True


def test_a_released_name_needs_the_salt_and_differs_by_suite() -> None:
    name = released_name("annotator-1", "kuci", b"salt")
    assert name == released_name("annotator-1", "kuci", b"salt")
    assert name != released_name("annotator-1", "kuci", b"another")
    assert name != released_name("annotator-1", "semrel", b"salt")
    assert "annotator-1" not in name


def test_votes_of_an_earlier_version_are_to_be_counted_again(
    workspace: Workspace, samples: ModuleType, pages: list[Page], settings: AnnotateSettings
) -> None:
    assert workspace.read_statements().num_rows == 0
    prepare(workspace, samples)
    count_votes(workspace, pages, settings)
    workspace.statement_file.unlink()
    with pytest.raises(MissingStageError, match="no table of single judgments"):
        workspace.read_statements()
