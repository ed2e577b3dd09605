"""Whether an answer is about what was pushed: whoever has an account may change tasks and pages in Label Studio.

A push keeps a digest of what each task shows and of the page, see `pushed`. A pull compares. What does not fit is held:
kept with a problem and not voted, until the curator accepts it by name (`annotate pull --accept`). To put the task or
the page right releases nothing that was answered before.

Tasks of earlier versions have no digest. They are compared with what their items show today, and where that differs,
which a new version of a suite's page may have done too, a line says so and they count. A task that nobody pushed from
here has no such excuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import Any

from tashika.annotation.judging.backups import item_of
from tashika.annotation.judging.columns import having, strings
from tashika.annotation.judging.projects import in_all_languages
from tashika.annotation.judging.push import families, task_of
from tashika.annotation.judging.pushed import PUSHED, pushed_file, read_pushed_file
from tashika.annotation.judging.questionnaires import of_part
from tashika.annotation.judging.validation import IMPORTED, ITEM_MOVED, PAGE_CHANGED, TASK_CHANGED
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project
from tashika.annotation.labelstudio.digests import digest_of
from tashika.annotation.options import Accepted
from tashika.core.counts import counted, listed
from tashika.core.files import write_rows
from tashika.core.workspace import Workspace


def hint_of(problem: str, suite: str) -> str | None:
    """What to do about answers with a problem; None where the problem says it."""
    pull, push = f"`tashika annotate pull {suite}", f"`tashika annotate push {suite}`"
    hints = {
        IMPORTED: "nobody saved these answers: have the people answer themselves. If you have imported them, "
        f"{pull} --accept imported` counts them",
        TASK_CHANGED: f"delete these tasks in Label Studio, and {push} puts them back as they were; if the change is "
        f"right, {pull} --accept tasks` counts the answers",
        PAGE_CHANGED: f"{push} puts the page right for later answers; if the change is right, {pull} --accept page` "
        "counts those that were given on it",
        ITEM_MOVED: f"delete these tasks in Label Studio, and {push} puts them back as they were",
    }
    return hints.get(problem)


class Shown:
    """What the tasks of a project show, set against what was pushed.

    Args:
        workspace: What was pushed, and the items.
        page: The project's page.
        project: The project as it is.
        identity: The server's.
        accept: What the curator accepts.
    """

    def __init__(
        self, workspace: Workspace, page: Page, project: Project, identity: str, accept: Set[Accepted] = frozenset()
    ) -> None:
        self._workspace, self._page, self._project, self._identity = workspace, page, project, identity
        self._accept = accept
        rows = having(read_pushed_file(pushed_file(workspace, page.name)), "server", identity).to_pylist()
        self._pushed = {row["task_id"]: row for row in rows}
        of_project = [row for row in rows if row["project_id"] == project.project_id]
        kept = {row["page"] for row in of_project if row["page"]}
        is_known = digest_of(project.xml) in kept | {digest_of(xml) for xml in in_all_languages(page)}
        differs = not is_known and bool(kept or not of_project)
        self.is_page_changed = differs and Accepted.PAGE not in accept
        self._new_page = digest_of(project.xml) if differs and Accepted.PAGE in accept else None
        self._new: dict[int, tuple[str, str]] = {}
        self._changed: list[int] = []
        self._moved: list[int] = []
        self._unlike: list[int] = []

    def problem(self, task: Mapping[str, Any]) -> str | None:
        """Why answers to an exported task do not count; None where it shows what was pushed."""
        return self._problem_of_task(task) or (PAGE_CHANGED if self.is_page_changed else None)

    def _problem_of_task(self, task: Mapping[str, Any]) -> str | None:
        number, item = task["id"], item_of(task)
        if not item:
            return None  # which is a problem of its own
        row = self._pushed.get(number)
        if row is not None and row["item_id"] != item:
            self._moved.append(number)
            return ITEM_MOVED
        shown = digest_of(task["data"])
        pushed = row["shown"] if row is not None else None
        expected = pushed or self._rendered.get(item, shown)
        if shown == expected:
            return None
        if row is not None and pushed is None:
            self._unlike.append(number)
            return None
        if Accepted.TASKS in self._accept:
            self._new[number] = (item, shown)
            return None
        self._changed.append(number)
        return TASK_CHANGED

    @cached_property
    def _rendered(self) -> Mapping[str, str]:
        """The digest of what each item would show if it were pushed now."""
        table = self._workspace.read_items(self._page.kind)
        item_ids = strings(of_part(self._page, table), "item_id")
        return {
            row["item_id"]: digest_of(task_of(self._page, row, parents)) for row, parents in families(table, item_ids)
        }

    def keep_accepted(self) -> None:
        """Keeps what was accepted beside what was pushed, so that later answers count too."""
        if not self._new and self._new_page is None:
            return
        path, number = pushed_file(self._workspace, self._page.name), self._project.project_id
        rows = read_pushed_file(path).to_pylist()
        for row in rows:
            if row["server"] == self._identity:
                row["shown"] = self._new.get(row["task_id"], (None, row["shown"]))[1]
                if self._new_page and row["project_id"] == number:
                    row["page"] = self._new_page
        if not rows or any(row["project_id"] == number for row in rows):  # a second project of the title has no list
            there = {row["task_id"] for row in rows}
            rows += [
                {"item_id": item, "server": self._identity, "project_id": number, "task_id": task, "shown": shown}
                for task, (item, shown) in self._new.items()
                if task not in there
            ]
        write_rows(path, sorted(rows, key=lambda row: (row["item_id"], row["task_id"])), PUSHED)

    def lines(self) -> list[str]:
        """Which tasks were changed on the server; a changed page is named anyway, see `sight`."""
        sorts = (
            (self._moved, "another item than was pushed", "their answers are held"),
            (self._changed, "something else than was pushed", "answers since are held"),
            (
                self._unlike,
                "something else than its item would today",
                "from an earlier version, or changed; they count",
            ),
        )
        return [f"{_named(tasks, what)}: {so}" for tasks, what, so in sorts if tasks]


def _named(tasks: Sequence[int], what: str) -> str:
    return f"{counted(len(tasks), 'task shows', 'tasks show')} {what} ({listed(tasks)})"
