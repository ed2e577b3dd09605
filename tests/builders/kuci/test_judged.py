"""Questions as items that people judge option by option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.kuci.judged import build_judged
from tashika.builders.kuci.settings import JudgedSettings
from tashika.core.files import write_rows
from tashika.core.records import item_schema
from tashika.core.workspace import Workspace
from tests.exports.kuci import samples


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path, "kuci")
    write_rows(workspace.item_file("question"), samples.question_rows(), item_schema("kuci", "question"))
    return workspace


def test_the_test_part_of_the_published_set_is_judged(workspace: Workspace) -> None:
    build_judged(workspace, JudgedSettings())
    rows = {row["question"]: row for row in workspace.read_items("fit").to_pylist()}
    assert set(rows) == {samples.question_row(number)["item_id"] for number in (27, 28, 29)}
    question, row = samples.question_row(29), rows[samples.question_row(29)["item_id"]]
    names = ("context", "options", "answer", "relation", "split")
    assert [row[name] for name in names] == [question[name] for name in names]
    assert row["parents"] == [question["item_id"]]


def test_other_parts_may_be_judged_and_what_is_done_is_not_done_again(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = JudgedSettings(splits=("validation", "test"))
    build_judged(workspace, settings)
    assert workspace.read_items("fit").num_rows == 6
    build_judged(workspace, settings)
    assert "nothing to do" in capsys.readouterr().err
