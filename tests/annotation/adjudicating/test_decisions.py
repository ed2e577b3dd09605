"""Decisions of a named person: what is read, what is refused, and what it does to a verdict."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from tashika.annotation.adjudicating.decision_file import Recorded, adjudicate, read_decisions
from tashika.annotation.adjudicating.decisions import (
    ADJUDICATION,
    WITHDRAWN,
    adjudication_file,
    append_adjudications,
    overrule,
    read_adjudications,
    twice_lines,
)
from tashika.annotation.labelling import LabelPage, LabelsPage, Page, RatingPage
from tashika.annotation.myriadlama.pages import PAGES
from tashika.core.errors import InputError
from tashika.core.files import write_rows
from tashika.core.records import VERDICT
from tashika.core.workspace import Workspace

KINDS: dict[str, Page] = {"t1": PAGES[0], "t2": PAGES[0], "a1": PAGES[1]}
HEAD = "item_id,decision,text,name\n"


def csv_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "decisions.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"decisions.csv:1: found the columns \(none\)"),
        ("item,decision\nt1,accepted\n", "expected item_id, decision, text, name"),
        (HEAD, "no decisions"),
        (HEAD + "t1,accepted,,Ada\nzz,accepted,,Ada\n", r"decisions.csv:3: there is no item 'zz'"),
        (HEAD + "t1,yes,,Ada\n", "found the decision 'yes'; expected accepted, rejected, undecided"),
        (HEAD + "t1,accepted,, \n", "name of the adjudicator is missing"),
        (HEAD + "t1,accepted,only [X],Ada\n", "exactly once: 'only"),
        (HEAD + "a1,accepted,other,Ada\n", "no text here"),
        (HEAD + "t1,accepted,Ada\n", "expected 4 fields"),
        (HEAD + "t1,accepted,,Ada,more\n", "expected 4 fields"),
        (HEAD + "t1,accepted,,Ada\nt2,rejected,,Ada\nt1,rejected,,Ada\n", r"csv:4: the item t1 is decided in line 2"),
    ],
)
def test_a_wrong_file_names_the_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(read_decisions(csv_file(tmp_path, text), KINDS))


def test_every_wrong_line_is_named_at_once(tmp_path: Path) -> None:
    text = HEAD + "t1,yes,,Ada\nt1,accepted,,Ada\nzz,accepted,,Ada\nt1,accepted,,\n"
    with pytest.raises(InputError) as raised:
        list(read_decisions(csv_file(tmp_path, text), KINDS))
    wrong = str(raised.value).splitlines()
    assert [line.partition(".csv:")[2].partition(":")[0] for line in wrong[:3]] == ["2", "4", "5"]
    assert "--name" in wrong[3]
    many = HEAD + "zz,accepted,,Ada\n" * 25
    with pytest.raises(InputError, match="and 5 lines more"):
        list(read_decisions(csv_file(tmp_path, many), KINDS))


def test_a_missing_file_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_decisions(tmp_path / "none.csv", KINDS))
    path = tmp_path / "binary.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        list(read_decisions(path, KINDS))


def test_a_file_is_recorded_once_and_a_change_of_mind_is_added(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    path = csv_file(tmp_path, HEAD + 't1,accepted,"In [Y], [X] was born.",Ada\na1,rejected,,Ada\n')
    assert adjudicate(workspace, path, KINDS) == Recorded(2, 0)
    assert adjudicate(workspace, path, KINDS) == Recorded(0, 0)
    assert adjudicate(workspace, csv_file(tmp_path, HEAD + "a1,accepted,,Grace\n"), KINDS).new == 1
    assert [row["adjudicator"] for row in read_adjudications(workspace)] == ["Ada", "Ada", "Grace"]


def test_a_rehearsal_records_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    path = csv_file(tmp_path, HEAD + "t1,rejected,,Ada\na1,,,\n")
    assert adjudicate(workspace, path, KINDS, dry=True) == Recorded(1, 1)
    assert read_adjudications(workspace) == []


def test_a_broken_file_records_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    with pytest.raises(InputError):
        adjudicate(workspace, csv_file(tmp_path, HEAD + "t1,accepted,,Ada\nt2,perhaps,,Ada\n"), KINDS)
    assert read_adjudications(workspace) == []


def test_the_last_decision_wins_and_the_votes_stay_visible(samples: ModuleType) -> None:
    verdicts = samples.verdict_table(
        {"item_id": "t1", "decision": "undecided", "votes_for": 1, "votes_against": 1, "votes_cast": 2, "tie": True},
        {"item_id": "t2", "decision": "accepted", "votes_for": 2, "votes_cast": 2},
    )
    decisions: list[dict[str, Any]] = [
        {"item_id": "t1", "kind": "template", "decision": "rejected", "text": None, "adjudicator": "Ada"},
        {"item_id": "t1", "kind": "template", "decision": "accepted", "text": "[X] [Y]", "adjudicator": "Grace"},
        {"item_id": "a1", "kind": "alias", "decision": "rejected", "text": None, "adjudicator": "Ada"},
    ]
    alias, first, second = overrule(verdicts, decisions).to_pylist()
    assert (first["decision"], first["text"], first["adjudicator"]) == ("accepted", "[X] [Y]", "Grace")
    assert (first["rule"], first["tie"], first["votes_cast"]) == ("adjudicated", True, 2)
    assert (second["decision"], second["adjudicator"]) == ("accepted", None)
    assert (alias["kind"], alias["decision"], alias["votes_cast"]) == ("alias", "rejected", 0)
    assert overrule(verdicts, []).schema == VERDICT


LABELLED: dict[str, Any] = {
    "suite": "s", "title": "t", "summary": "", "task_data": lambda _row, _parents: {}, "choices": {},
}  # fmt: skip
FORMS: dict[str, Page] = {
    "one": LabelPage(**LABELLED, kind="k", labels=("a", "b")),
    "several": LabelsPage(**LABELLED, kind="k", labels=("a", "b", "c")),
    "rating": RatingPage(**LABELLED, kind="k", labels=("bad", "fair", "good")),
}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("one,accepted,b,Ada", "b"),
        ("one,rejected,,Ada", None),
        ("several,accepted,c|a,Ada", "a\nc"),
        ("rating,accepted,good,Ada", "3"),
    ],
)
def test_what_an_item_is_may_be_adjudicated(tmp_path: Path, line: str, text: str | None) -> None:
    (row,) = read_decisions(csv_file(tmp_path, f"{HEAD}{line}\n"), FORMS)
    assert row is not None
    assert row["text"] == text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("one,accepted,,Ada", "expected one of 'a', 'b'"),
        ("one,accepted,c,Ada", "found the text 'c'; expected one of 'a', 'b'"),
        ("several,accepted,a|d,Ada", "found the text 'd'; expected one or more of 'a', 'b', 'c'"),
        ("rating,accepted,3,Ada", "expected one of 'bad', 'fair', 'good'"),
        ("one,undecided,a,Ada", "only what is accepted has one"),
    ],
)
def test_what_is_no_label_of_the_page_is_refused(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(read_decisions(csv_file(tmp_path, f"{HEAD}{line}\n"), FORMS))


def test_other_columns_and_lines_without_a_decision_are_left_out(tmp_path: Path) -> None:
    text = "reason,item_id,shown,decision,text,name\na tie,t1,x,accepted,,\na tie,t2,x,,,\n"
    first, second = read_decisions(csv_file(tmp_path, text), KINDS, "Ada")
    assert first is not None
    assert (first["item_id"], first["adjudicator"], second) == ("t1", "Ada", None)
    with pytest.raises(InputError, match="each once"):
        list(read_decisions(csv_file(tmp_path, "item_id,decision,text,name,name\n"), KINDS))


def test_decisions_of_earlier_versions_are_read(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    row = {"item_id": "t1", "kind": "template", "decision": "accepted", "text": None, "adjudicator": "Ada"}
    earlier = pa.schema(list(ADJUDICATION)[:6])
    write_rows(adjudication_file(workspace), [{**row, "recorded_at": datetime(2024, 6, 17, tzinfo=UTC)}], earlier)
    (found,) = read_adjudications(workspace)
    assert (found["adjudicator"], found["server"], found["audit"]) == ("Ada", None, None)
    append_adjudications(workspace, [{**row, "item_id": "t2"}])
    assert [each["item_id"] for each in read_adjudications(workspace)] == ["t1", "t2"]
    write_rows(adjudication_file(workspace), [], pa.schema(list(ADJUDICATION)[:2]))
    with pytest.raises(InputError, match="found the columns item_id, kind"):
        read_adjudications(workspace)


def test_what_was_taken_back_does_not_count_and_leaves_the_others(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    row = {"item_id": "t1", "kind": "template", "decision": "accepted", "text": None, "adjudicator": "Ada"}
    of_server = {**row, "adjudicator": "annotator-1", "server": "ls", "annotation_id": 7, "decision": "rejected"}
    append_adjudications(workspace, [row, of_server, {**of_server, "decision": WITHDRAWN}])
    assert [each["adjudicator"] for each in read_adjudications(workspace)] == ["Ada"]
    append_adjudications(workspace, [of_server])
    assert [each["decision"] for each in read_adjudications(workspace)] == ["accepted", "rejected"]


def test_who_decides_what_another_has_decided_is_said_to(workspace: Workspace) -> None:
    def decide(item: str, decision: str, name: str, text: str | None = None) -> None:
        row = {"item_id": item, "kind": "template", "decision": decision, "text": text, "adjudicator": name}
        append_adjudications(workspace, [row])

    decide("t1", "accepted", "Ada")
    decide("t1", "rejected", "Ada")  # who changes his or her mind
    decide("t2", "accepted", "Ada")
    decide("t2", "accepted", "Grace")  # of one mind
    assert twice_lines(workspace) == []
    decide("t1", "accepted", "Grace", "[X] is [Y].")
    (line,) = twice_lines(workspace)
    assert line == (
        "1 item was decided by several adjudicators and not alike; the last one counts: "
        "t1: Ada rejected, then Grace accepted ('[X] is [Y].')"
    )
    decide("t1", "accepted", "Ada", "[X] is [Y].")
    assert twice_lines(workspace) == []
