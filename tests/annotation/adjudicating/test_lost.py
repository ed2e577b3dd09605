"""Adjudications that name what a page no longer has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tashika.annotation.adjudicating.decisions import append_adjudications
from tashika.annotation.adjudicating.lost import lost_answer, lost_lines, part_lost
from tashika.core.workspace import Workspace
from tests.annotation.adjudicating.forms import FORMS


@pytest.mark.parametrize(
    ("form", "text", "lost"),
    [
        ("one", "a", None),
        ("one", "gone", "gone"),
        ("several", "a\nc", None),
        ("several", "a\ngone", "gone"),
        ("rating", "3", None),
        ("rating", "4", "point 4"),
        ("rating", "good", "point good"),
        ("preference", "mine", None),
        ("preference", "hers", "hers"),
        ("vote", None, None),
        ("vote", "a label of another form", "a label of another form"),
        ("correctable", "a correction", None),
        ("text", "words", None),
    ],
)
def test_what_the_page_does_not_have_is_lost(form: str, text: str | None, lost: str | None) -> None:
    assert lost_answer(FORMS[form], {"decision": "accepted", "text": text}) == lost
    assert lost_answer(FORMS[form], {"decision": "rejected", "text": text}) is None


def test_lost_adjudications_are_remarked_and_do_not_count(tmp_path: Path) -> None:
    workspace, page = Workspace(tmp_path, "s"), FORMS["one"]
    rows = [
        {"item_id": item, "kind": "k", "decision": "accepted", "text": text, "adjudicator": "Ada"}
        for item, text in (("i", "gone"), ("j", "gone"), ("j", "a"), ("l", "lost"))
    ]
    append_adjudications(workspace, rows)
    standing, lost = part_lost(rows, [page])
    assert [row["item_id"] for row in standing] == ["j"]
    assert len(lost) == 3
    assert part_lost(rows, [replace(page, kind="other")]) == (rows, [])
    (line,) = lost_lines(workspace, [page])
    assert line.startswith("k: 2 adjudications name 'gone', 'lost', which is no answer of this page any more")
    assert lost_lines(workspace, [replace(page, kind="other")]) == []
