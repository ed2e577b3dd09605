"""Kinds in several projects, and who may answer which."""

from __future__ import annotations

from types import ModuleType

import pytest

from tashika.annotation.labelling import Page
from tashika.annotation.questionnaires import by_project, crews, of_part, to_judge
from tashika.annotation.semrel import PAGES
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.status import status_tables
from tashika.core.errors import MissingStageError
from tashika.core.workspace import Workspace

SETTINGS = AnnotateSettings(kinds={"probe": KindSettings()})


def test_a_questionnaire_is_a_project(probes: Workspace) -> None:
    parts = by_project(probes, PAGES)
    assert [page.title for page in parts] == [f"Tashika semrel probe, questionnaire {number}" for number in (1, 2)]
    assert [page.name for page in parts] == ["probe-1", "probe-2"]
    assert by_project(probes, parts) == parts
    table = probes.read_items("probe")
    assert [of_part(page, table).num_rows for page in parts] == [3, 2]
    assert sorted(item for page in parts for item in to_judge(page, table, SETTINGS)) == sorted(
        table["item_id"].to_pylist()
    )
    audit = AnnotateSettings(kinds={"probe": KindSettings(mode="audit", sample=3)})
    assert sum(len(to_judge(page, table, audit)) for page in parts) == 3


def test_a_kind_in_one_project_stays_so(workspace: Workspace, pages: list[Page]) -> None:
    assert by_project(workspace, pages) == pages
    assert crews(workspace, pages) == [(0, pages)]


def test_without_items_there_are_no_questionnaires(tmp_path: object, probes: Workspace) -> None:
    probes.item_file("probe").unlink()
    with pytest.raises(MissingStageError, match="build semrel"):
        by_project(probes, PAGES)


def test_nobody_meets_a_target_and_relation_twice(probes: Workspace, semrel: ModuleType) -> None:
    rows = [
        semrel.probe("dog", 0),
        semrel.probe("dog", 1),  # meets 1
        semrel.probe("cat", 0, questionnaire=3),
        semrel.probe("cat", 1, questionnaire=4),  # meets 3
        semrel.probe("dog", 0, "antonymy", questionnaire=4),
        *(semrel.probe("", 0, "control", known=["Sunday"], questionnaire=number) for number in (1, 2, 3, 4)),
    ]
    semrel.write(probes, rows)
    found = [(crew, [page.part for page in parts]) for crew, parts in crews(probes, by_project(probes, PAGES))]
    assert found == [(0, [1, 3]), (1, [2, 4])]


def test_status_has_a_row_a_questionnaire(probes: Workspace) -> None:
    kinds, _ = status_tables(probes, PAGES, SETTINGS, None)
    assert list(kinds.columns[0].cells) == ["probe-1", "probe-2"]
    assert list(kinds.columns[1].cells) == ["3", "2"]
