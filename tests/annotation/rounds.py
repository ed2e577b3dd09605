"""One person's way through a page: guidelines, an answer, a slip corrected, a note, a skip, another language."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.labelling import ChoicePage, FormPage, LabelsPage, Page
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.settings import AnnotateSettings
from tashika.core.workspace import Workspace
from tests.curator import Curator

NOTE = "A note, with 12 in it."
WORDS = ("animal", "canine", "feline", "thing")


def walk(curator: Curator, server: Server, workspace: Workspace, page: Page, settings: AnnotateSettings) -> None:
    """Goes through a project of four items or more, and checks that what was answered arrives.

    Raises:
        AssertionError: Something is not as a person needs it.
    """
    push(server, workspace, [page], settings, dry=False)
    project = server.project(page.title)
    assert project is not None
    name = f"{page.suite}-{page.kind}"
    listed = curator.list_tasks(project.project_id)
    curator.photograph(f"{name}-list")
    assert not re.search(r"<\w|_html|item_id|said-", listed)
    expect(curator.label_all()).to_be_visible()
    curator.photograph(f"{name}-guidelines-{page.look.language}")
    before = curator.task["item_id"]
    curator.press("1")  # behind the guidelines nothing is decided
    curator.close_guidelines()
    assert (curator.task["item_id"], curator.chosen) == (before, [])
    curator.photograph(f"{name}-{page.look.language}")
    expected = [_slip(curator, page), _noted(curator, page), _skipped(curator)]
    other = page.with_look(type(page.look)("ja" if page.look.language == "en" else "en"))
    push(server, workspace, [other], settings, dry=False)
    expected.append(_in_the_other_language(curator, other, project.project_id, name))
    pull(server, workspace, [other])
    rows: dict[str, dict[str, Any]] = {row["item_id"]: row for row in read_judgments(workspace).to_pylist()}
    arrived = [(item, *(rows[item][column] for column in ("label", "text", "note"))) for item, *_ in expected]
    assert arrived == expected
    assert [rows[item]["skipped"] for item, *_ in expected] == [False, False, True, False]
    assert [row["problem"] for row in rows.values()] == [None] * 4


Expected = tuple[str, str | None, str | None, str | None]
"""An item, and the label, the text and the note that should be recorded of it."""


def _slip(curator: Curator, page: Page) -> Expected:
    _answer(curator, page, 0)
    curator.go("ArrowLeft")
    data = curator.task
    if isinstance(page, LabelsPage):
        curator.finish("1", "2", "Enter")
    elif isinstance(page, ChoicePage):
        curator.finish(*(["2"] if page.decides else ["2", "Enter"]))
    else:
        curator.write("e", WORDS[1])
        curator.finish("Control+Enter")
    return data["item_id"], *_recorded(page, 1, data), None


def _noted(curator: Curator, page: Page) -> Expected:
    data = curator.task
    curator.write("n", NOTE)
    curator.press("Escape")
    _answer(curator, page, 0)
    return data["item_id"], *_recorded(page, 0, data), NOTE


def _skipped(curator: Curator) -> Expected:
    item = curator.task["item_id"]
    curator.finish("Control+Space")
    return item, None, None, None


def _in_the_other_language(curator: Curator, page: Page, project: int, name: str) -> Expected:
    guidelines = curator.open(project)
    expect(guidelines).to_be_visible()
    curator.photograph(f"{name}-guidelines-{page.look.language}")
    curator.close_guidelines()
    expect(curator.page.locator(f".tashika.{page.look.language}")).to_be_visible()
    curator.photograph(f"{name}-{page.look.language}")
    curator.on_a_phone()
    curator.photograph(f"{name}-{page.look.language}-phone")
    assert curator.too_wide() == []
    curator.on_a_phone(False)
    data = curator.task
    _answer(curator, page, 0)
    return data["item_id"], *_recorded(page, 0, data), None


def _answer(curator: Curator, page: Page, place: int) -> None:
    """Answers with the choice of a place, or with a word, as fast as the page allows."""
    if isinstance(page, ChoicePage):
        curator.finish(*([str(place + 1)] if page.decides else [str(place + 1), "Enter"]))
    else:
        curator.write("e", WORDS[place])
        curator.finish("Control+Enter")


def _recorded(page: Page, place: int, data: dict[str, Any]) -> tuple[str | None, str | None]:
    if not isinstance(page, ChoicePage):
        return None, WORDS[place]
    choice = list(page.choices)[place]
    return page.label_of(choice, data) if isinstance(page, FormPage) else choice, None
