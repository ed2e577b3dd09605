"""The undecided items as a list and as a table that is filled in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.annotation.adjudicating.showing import shortened, shown_text
from tashika.annotation.command import app
from tashika.annotation.labelling import VotePage
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.forms import FORMS
from tests.annotation.adjudicating.votes import PEOPLE, judge
from tests.annotation.custom.samples import page_of, settings_of


def showing(data: dict[str, Any], form: str = "vote") -> str:
    return shown_text(FORMS[form], data)


def test_an_item_is_shown_by_its_plain_columns_and_else_without_tags() -> None:
    assert showing({"item_id": "i", "suite": "s", "text": " one\n two "}) == "one two"
    both = {
        "a": "x < y",
        "a_html": "<b>x &lt; y</b>",
        "only_html": "1 &lt; 2<br>and <i>3</i>",
        "n": None,
        "l": ["p", "q"],
    }
    assert showing(both) == "a: x < y · only: 1 < 2 and 3 · l: p; q"
    sides = FORMS["preference"].sides("i")  # type: ignore[attr-defined]
    data = {"item_id": "i", "left": "L", "left_html": "L", "right": "R"}
    assert showing(data, "preference") == f"{sides['left']}: L · {sides['right']}: R"
    assert shortened("abcdef", 4) == "abc…"


def run(suite: CustomSuite, work: Workspace, *words: str) -> Any:
    return CliRunner().invoke(app, [words[0], str(suite.path), *words[1:], "--work", str(work.root)])


def test_the_list_says_why_and_the_table_is_filled_in_and_read_back(
    six: CustomSuite, work: Workspace, tmp_path: Path
) -> None:
    settings = settings_of(six)
    noted = {"label": "sound", "text": "=1+1", "note": "hm [bold]"}
    ids = judge(work, "riddle", [[noted, "unsound", None], ["sound"], ["sound"] * 3])
    pairs = judge(work, "pair", [["entails", "neutral"], [None, None, None], ["neutral"] * 3])
    pages = [page_of(six, "riddle"), page_of(six, "pair")]
    for kind in ("topic", "quality", "duel", "saying"):
        judge(work, kind, [["?"], ["?"], ["?"]])
    assert isinstance(run(six, work, "undecided").exception, Exception)  # nothing is counted yet
    count_votes(
        work, [page_of(six, kind) for kind in ("riddle", "pair", "topic", "quality", "duel", "saying")], settings
    )

    shown = run(six, work, "undecided", "--limit", "3").output
    assert f"pair {pairs[0]}: a tie among 2 votes; waits for 1 more" in shown
    assert "entails 1 · neutral 1" in shown
    assert "riddle: 2 undecided (fewer votes than needed: 1, a tie: 1)" in shown
    assert "more; --limit shows more" in shown
    assert not any(name in shown for name in PEOPLE)

    path = tmp_path / "open.csv"
    assert run(six, work, "undecided", "--csv", str(path)).exit_code == 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["item_id"]: row for row in csv.DictReader(file)}
    assert {item for item in rows if item in {*ids, *pairs}} == {ids[0], ids[1], pairs[0], pairs[1]}
    assert rows[ids[0]]["notes"] == "correction: =1+1\nnote: hm [bold]"
    assert rows[ids[0]]["shown"].startswith("text: riddle ")
    assert rows[pairs[0]]["choices"] == "accepted, and in text one of: entails, neutral, contradicts"
    with pytest.raises(InputError, match="no decisions"):
        raise run(six, work, "adjudicate", str(path)).exception
    rows[ids[0]] |= {"decision": "accepted", "text": "a riddle"}
    rows[pairs[0]] |= {"decision": "accepted", "text": "neutral"}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[ids[0]]))
        writer.writeheader()
        writer.writerows(rows.values())
    with pytest.raises(InputError, match="2 of its lines are filled in"):
        raise run(six, work, "undecided", "--csv", str(path)).exception
    assert (
        "would record 2 new decisions" in run(six, work, "adjudicate", str(path), "--name", "Ada", "--dry-run").output
    )
    with pytest.raises(InputError, match="name of the adjudicator is missing"):
        raise run(six, work, "adjudicate", str(path)).exception
    assert run(six, work, "adjudicate", str(path), "--name", "Ada").exit_code == 0
    count_votes(work, [*pages], settings)
    verdicts = {row["item_id"]: row for row in work.read_verdicts().to_pylist()}
    assert [(verdicts[item]["text"], verdicts[item]["adjudicator"]) for item in (ids[0], pairs[0])] == [
        ("a riddle", "Ada"),
        ("neutral", "Ada"),
    ]


def test_votes_that_were_left_out_are_not_shown_as_if_they_counted(six: CustomSuite, work: Workspace) -> None:
    judge(work, "riddle", [["sound", "sound", "unsound"], ["unsound"] * 3, ["sound"] * 3])
    count_votes(work, [page_of(six, "riddle")], settings_of(six), leave_out=[PEOPLE[0]])
    listed = run(six, work, "undecided").output
    assert f"riddle: counted and shown without {PEOPLE[0]}" in listed
    assert "a tie among 2 votes" in listed
    assert "sound 1 · unsound 1" in listed
    assert "waits for" not in listed  # the server has that person's answer all the same


def test_cells_are_no_formulas(six: CustomSuite, work: Workspace, custom: Any, tmp_path: Path) -> None:
    one = custom.one_kind(tmp_path / "one", 'show = ["text"]')
    custom.write(work, "riddle", [custom.item("riddle", '=HYPERLINK("http://x")')])
    judge(work, "riddle", [[None]])
    count_votes(work, one.load("annotation"), settings_of(one))
    path = tmp_path / "open.csv"
    assert run(one, work, "undecided", "--csv", str(path)).exit_code == 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["shown"] == """'=HYPERLINK("http://x")"""
    assert row["choices"] == "accepted, rejected or undecided"
    assert isinstance(one.load("annotation")[0], VotePage)


@pytest.mark.parametrize("words", [(), ("x.csv", "--push")])
def test_adjudicate_needs_a_file_or_a_push(six: CustomSuite, work: Workspace, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"found (neither|both).*\n.*--push"):
        raise run(six, work, "adjudicate", *words).exception
