"""What a pull says of a project that is as the settings want it: nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from tashika.annotation.judging.people import Person
from tashika.annotation.judging.sight import Sight
from tashika.annotation.labelling import Known, Page
from tashika.annotation.labelstudio.client import Project
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.wording.words import Look
from tashika.core.workspace import Workspace

PEOPLE: Mapping[int, Person] = {number: Person(f"annotator-{number}", False) for number in range(1, 9)}


def said(
    workspace: Workspace, page: Page, project: Project, settings: AnnotateSettings, answers: Mapping[str, int]
) -> list[str]:
    """The lines of a pull of tasks with so many answers each."""
    sight = Sight(page, project, PEOPLE, "ls-test")
    for number, (item, count) in enumerate(answers.items()):
        given: list[dict[str, Any]] = [{"id": 10 * number + place, "completed_by": place + 1} for place in range(count)]
        sight.add({"id": number, "data": {"item_id": item}, "annotations": given})
    return sight.lines(workspace, settings)


def test_contested_items_have_more_answers_than_the_project_asks_at_first(
    workspace: Workspace, pages: list[Page]
) -> None:
    page = pages[0]
    settings = AnnotateSettings(annotators=5, adaptive=True, kinds={"template": KindSettings()})
    project = Project(1, page.title, page.xml, 2, page.instructions)
    assert said(workspace, page, project, settings, {"a": 2, "b": 5}) == []
    (line,) = said(workspace, page, project, settings, {"a": 6})
    assert "1 item has answers of more than the 5 people asked" in line
    (line,) = said(workspace, page, replace(project, annotators=5), settings, {})
    assert "asks 5 people an item, the settings 2" in line


def test_everybody_answers_gold_questions(workspace: Workspace, pages: list[Page], samples: ModuleType) -> None:
    page = pages[0]
    settings = AnnotateSettings(annotators=3, kinds={"template": KindSettings()})
    item = str(workspace.read_items("template")["item_id"][0])
    project = Project(1, page.title, page.xml, 3, page.instructions)
    assert "more than the 3 people" in " ".join(said(workspace, page, project, settings, {item: 8}))
    golden = replace(page, gold={item: Known("valid")})
    assert said(workspace, golden, project, settings, {item: 8}) == []


def test_a_page_in_another_language_is_the_suites_too(workspace: Workspace, pages: list[Page]) -> None:
    """As after `push --language ja` beside settings that say English."""
    page = pages[0]
    settings = AnnotateSettings(annotators=3, kinds={"template": KindSettings()})
    japanese = page.with_look(Look("ja"))
    assert japanese.xml != page.xml
    assert said(workspace, page, Project(1, page.title, japanese.xml, 3, page.instructions), settings, {}) == []
    (line,) = said(workspace, page, Project(1, page.title, "<View/>", 3, page.instructions), settings, {})
    assert "is not the suite's" in line
