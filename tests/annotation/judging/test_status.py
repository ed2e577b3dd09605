"""How far the judging is: items and answers are counted apart."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.status import as_pulled, on_server, status_tables
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server, Task
from tashika.annotation.settings import AnnotateSettings
from tashika.core.workspace import Workspace

PROJECT = Project(1, "a project", "<View/>", 3, "")


def server(*users: set[int]) -> Server:
    """One that has these people's answers, a set a task, in every project."""
    tasks = [Task(number, f"item {number}", frozenset(found), 3) for number, found in enumerate(users)]
    stand_in: Any = SimpleNamespace(
        projects_titled=lambda _title: [PROJECT],
        tasks=lambda _number: iter(tasks),
        users=dict,
        identity=lambda: "ls-test",
    )
    return cast(Server, stand_in)


def test_items_that_were_answered_are_counted_apart_from_answers(pages: list[Page], samples: ModuleType) -> None:
    progress = on_server(server({1, 2, 3}, {1}, set(), set()), PROJECT, 3, {})
    assert (progress.tasks, progress.answered, progress.answers, progress.complete) == (4, 2, 4, 1)
    said = [samples.judgment("a", "ada"), samples.judgment("a", "grace"), samples.judgment("b", "ada")]
    pulled = as_pulled(samples.judgment_table(*said), pages[0], 2)
    assert (pulled.tasks, pulled.answered, pulled.answers, pulled.complete) == (2, 2, 3, 1)
    stopped = as_pulled(samples.judgment_table(*said), pages[0], 3, closed=frozenset("ab"))
    assert stopped.complete == 2


def test_the_table_fits_a_terminal_of_80_columns(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds, _ = status_tables(workspace, pages, settings, server({1, 2, 3}, {1}, set(), set()))
    Console(width=80).print(kinds)
    (heads,) = [line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("kind")]
    headings = [str(column.header) for column in kinds.columns]
    assert headings[4:6] == ["answered", "answers"]
    assert heads.split() == " ".join(headings).split()
    assert [next(iter(column.cells)) for column in kinds.columns[3:6]] == ["4", "2", "4"]


def test_what_was_judged_on_a_server_that_is_lost_is_complete(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, samples: ModuleType
) -> None:
    ids = [*workspace.read_items("template")["item_id"].to_pylist()[:2], "item 0"]
    rows = [samples.judgment(item, name, server="ls-lost") for item in ids for name in ("ada", "ben", "cy")]
    append_judgments(workspace, rows)
    kinds, _ = status_tables(workspace, pages[:1], settings, server({1, 2, 3}, {1}, set(), set()))
    complete, coverage = [next(iter(column.cells)) for column in kinds.columns[6:8]]
    assert (complete, coverage) == ("3", "25%")  # item 0, which has a task here, and two that have none
