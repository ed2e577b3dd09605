"""Kinds in several projects, and who may answer which."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tashika.annotation.judging.questionnaires import by_project, crews, of_part, to_judge, who_may_answer
from tashika.annotation.judging.status import status_tables
from tashika.annotation.labelling import Page, words_pages
from tashika.annotation.semrel.pages import PAGES
from tashika.annotation.settings import AnnotateSettings, KindSettings
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
    ids: list[Any] = table["item_id"].to_pylist()
    assert sorted(item for page in parts for item in to_judge(page, table, SETTINGS)) == sorted(ids)
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
    found = [
        (crew, [page.part for page in words_pages(parts)]) for crew, parts in crews(probes, by_project(probes, PAGES))
    ]
    assert found == [(0, [1, 3]), (1, [2, 4])]


def of_crews(workspace: Workspace) -> list[list[int | None]]:
    return [[page.part for page in words_pages(parts)] for _, parts in crews(workspace, by_project(workspace, PAGES))]


def write_pairs(workspace: Workspace, semrel: ModuleType, pairs: dict[str, tuple[int, ...]]) -> None:
    rows = [semrel.probe(target, 0, questionnaire=part) for target, parts in pairs.items() for part in parts]
    semrel.write(workspace, rows)


def test_there_are_no_more_crews_than_a_target_has_prompts_if_that_can_be(
    probes: Workspace, semrel: ModuleType
) -> None:
    # Taken in order, 1 and 2 would go together, and then neither 3 nor 4 with anything: three crews.
    write_pairs(probes, semrel, {"dog": (2, 3), "cat": (1, 4), "rose": (3, 4)})
    assert of_crews(probes) == [[1, 3], [2, 4]]


def test_questionnaires_that_were_dealt_otherwise_go_to_the_first_crew_that_suits(
    probes: Workspace, semrel: ModuleType
) -> None:
    write_pairs(probes, semrel, {"dog": (1, 3), "cat": (1, 4), "rose": (2, 5)})
    assert of_crews(probes) == [[1, 2], [3, 4, 5]]


pairs_of_parts = st.dictionaries(
    st.sampled_from("abcdefg"), st.sets(st.integers(1, 9), min_size=1, max_size=4).map(tuple), min_size=1
)


@given(pairs=pairs_of_parts)
@hypothesis_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_crews_hold_every_questionnaire_and_meet_nothing_twice(
    pairs: dict[str, tuple[int, ...]], probes: Workspace, semrel: ModuleType
) -> None:
    write_pairs(probes, semrel, pairs)
    found = of_crews(probes)
    assert sorted(part for crew in found for part in crew if part) == sorted({p for ps in pairs.values() for p in ps})
    assert all(len(set(crew) & set(parts)) <= 1 for crew in found for parts in pairs.values())


def test_who_may_answer_what_is_one_line_if_everybody_gets_one(probes: Workspace, semrel: ModuleType) -> None:
    assert who_may_answer(probes, by_project(probes, PAGES)) == ["each person may answer one of the 2 questionnaires"]
    write_pairs(probes, semrel, {"dog": (1, 2), "cat": (3, 4)})
    lines = ["one person may answer questionnaire 1, 3", "one person may answer questionnaire 2, 4"]
    assert who_may_answer(probes, by_project(probes, PAGES)) == lines
    write_pairs(probes, semrel, {"dog": (1,)})
    assert who_may_answer(probes, by_project(probes, PAGES)) == ["one person may answer questionnaire 1"]


def test_who_may_answer_is_not_told_of_kinds_in_one_project(workspace: Workspace, pages: list[Page]) -> None:
    assert who_may_answer(workspace, pages) == []


def test_status_has_a_row_a_questionnaire(probes: Workspace) -> None:
    kinds, _ = status_tables(probes, PAGES, SETTINGS, None)
    assert list(kinds.columns[0].cells) == ["probe-1", "probe-2"]
    assert list(kinds.columns[1].cells) == ["3", "2"]
