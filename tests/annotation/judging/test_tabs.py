"""The first screen of annotators, on the real server: texts, unless people arranged it."""

from __future__ import annotations

from typing import Any

from tashika.annotation.judging.push import push
from tashika.annotation.judging.tabs import first_tab, is_untouched, show_texts
from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.core.workspace import Workspace
from tests.studio import Studio

FIELDS = ("text", "text_html", "item_id", "suite", "kind")


def hidden(tab: dict[str, Any]) -> set[str]:
    return {name.removeprefix("tasks:data.") for name in tab["hiddenColumns"]["explore"] if ":data." in name}


def test_html_what_is_ours_and_who_has_answered_are_hidden() -> None:
    tab = first_tab(FIELDS)
    assert hidden(tab) == {"text_html", "item_id", "suite", "kind"}
    assert "tasks:annotators" in tab["hiddenColumns"]["explore"]
    assert set(tab["hiddenColumns"]["explore"]) <= set(tab["hiddenColumns"]["labeling"])
    assert not is_untouched(tab)
    assert not is_untouched({})


def test_a_push_makes_the_tab_once_and_leaves_what_people_made_of_it(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], settings: AnnotateSettings
) -> None:
    server = fresh_studio.server
    push(server, workspace, pages[:1], settings, dry=False)
    project = server.project(pages[0].title)
    assert project is not None
    ((number, tab),) = server.tabs(project.project_id)
    shown = {"relation", "template", "example"}
    assert not hidden(tab) & shown
    assert {"template_html", "origin_html", "item_id"} <= hidden(tab)
    mine = {**tab, "title": "Mine", "hiddenColumns": {"explore": [], "labeling": []}}
    server.update_tab(number, mine)
    push(server, workspace, pages[:1], settings, dry=False)
    ((again, left),) = server.tabs(project.project_id)
    assert (again, left["title"], hidden(left)) == (number, "Mine", set())


def test_the_tab_that_label_studio_makes_by_itself_is_replaced_if_it_is_the_only_one(
    fresh_studio: Studio, pages: list[Page]
) -> None:
    server, page = fresh_studio.server, pages[0]
    project = server.create_project(page.title, page.summary, page.xml, page.instructions, 1)
    explore = [name for name in first_tab(())["hiddenColumns"]["explore"] if "annotators" not in name]
    itself = {"title": "Default", "hiddenColumns": {"explore": explore[:13], "labeling": explore}}
    server.create_tab(project.project_id, itself)
    show_texts(server, project.project_id, FIELDS)
    ((number, tab),) = server.tabs(project.project_id)
    assert hidden(tab) == {"text_html", "item_id", "suite", "kind"}
    server.update_tab(number, itself)
    server.create_tab(project.project_id, {**itself, "title": "Of a person"})
    show_texts(server, project.project_id, FIELDS)
    assert [hidden(tab) for _, tab in server.tabs(project.project_id)] == [set(), set()]
