"""Which project of the server is a page's, whatever happened to it: renamed, deleted, or made twice at the same moment.

A project that was pushed from here is known by its number, which the last push has kept, whatever it is called now. Any
other is found by its title, which is the same for everybody who pushes a suite, and of several the oldest is the one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import get_args

import pyarrow as pa

from tashika.annotation.judging.columns import compute, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.pushed import pushed_file, read_pushed_file
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server, Task
from tashika.annotation.labelstudio.digests import digest_of
from tashika.annotation.options import Language
from tashika.core.counts import counted
from tashika.core.progress import say
from tashika.core.workspace import Workspace

_TASKS_AN_EXPORT = 500


def find_projects(server: Server, workspace: Workspace, page: Page, identity: str) -> list[Project]:
    """The projects of a page, the one that people shall use first.

    Args:
        server: Where to look.
        workspace: What was pushed from here.
        page: The page.
        identity: The server's.

    Returns:
        The projects that were pushed from here, whatever their titles, and then all others with the page's title, the
        oldest first.
    """
    titled = server.projects_titled(page.title)
    there = {project.project_id for project in titled}
    own = pushed_projects(workspace, page, identity)
    numbered = (server.project_numbered(number) for number in own if number not in there)
    projects = [*titled, *(project for project in numbered if project)]
    return sorted(projects, key=lambda project: (project.project_id not in own, project.project_id))


def find_project(server: Server, workspace: Workspace, page: Page, identity: str) -> Project | None:
    """The project of a page that people shall use, see `find_projects`; None if there is none."""
    return next(iter(find_projects(server, workspace, page, identity)), None)


def pushed_projects(workspace: Workspace, page: Page, identity: str) -> list[int]:
    """The numbers of the projects on this server that the last push has kept."""
    numbers: list[int] = compute.unique(_kept(workspace, page, identity)["project_id"]).to_pylist()
    return sorted(numbers)


def pushed_items(workspace: Workspace, page: Page, identity: str) -> set[str]:
    """The items on this server that the last push has kept."""
    return set(strings(_kept(workspace, page, identity), "item_id"))


def pushed_digests(workspace: Workspace, page: Page, identity: str) -> dict[int, str]:
    """What each task on this server showed when it was pushed, by its number: digests, see `digests.digest_of`."""
    kept = _kept(workspace, page, identity)
    rows = kept.select(["task_id", "shown"]).to_pylist()
    return {row["task_id"]: row["shown"] for row in rows if row["shown"]}


def is_page_changed(workspace: Workspace, page: Page, identity: str, project: Project) -> bool:
    """Whether a project's page is another one than the last push has kept; false where it has kept none."""
    kept = set(compute.drop_null(_kept(workspace, page, identity)["page"]).to_pylist())
    known = kept | {digest_of(xml) for xml in in_all_languages(page)}
    return bool(kept) and digest_of(project.xml) not in known


def in_all_languages(page: Page) -> set[str]:
    """The page's markup in each language: which one it has is the push's to say."""
    looks = (replace(page.look, language=language) for language in get_args(Language))
    return {page.xml.strip(), *(page.with_look(look).xml.strip() for look in looks)}


def _kept(workspace: Workspace, page: Page, identity: str) -> pa.Table:
    """What the last push has kept of this server: rows of `pushed.PUSHED`."""
    return having(read_pushed_file(pushed_file(workspace, page.name)), "server", identity)


def pulled_from(workspace: Workspace, identity: str, projects: Sequence[int]) -> int:
    """How many judgments were pulled from these projects."""
    if not shards(workspace) or not projects:
        return 0
    numbers = having(read_judgments(workspace), "server", identity)["project_id"].to_pylist()
    return sum(number in set(projects) for number in numbers)


def doubled(tasks: Sequence[Task], item_ids: Sequence[str]) -> list[Task]:
    """Those of the tasks whose item has an older task: of one item the lowest number stays, whoever looks."""
    wanted = set(item_ids)
    seen: set[str] = set()
    later = []
    for task in sorted(tasks, key=lambda task: task.task_id):
        if task.item_id in seen and task.item_id in wanted:
            later.append(task)
        seen.add(task.item_id)
    return later


def remove_doubled(server: Server, project: Project, tasks: Sequence[Task], name: str) -> set[int]:
    """Deletes tasks that nobody has answered or begun; the others stay, and their votes count once a person.

    Returns:
        The numbers of those that were deleted.
    """
    idle = [task.task_id for task in tasks if not task.users]
    removed: set[int] = set()
    for start in range(0, len(idle), _TASKS_AN_EXPORT):
        # Looked at once more, with everybody's drafts: somebody may have begun since the list was read.
        for task_id in untouched(server, project.project_id, idle[start : start + _TASKS_AN_EXPORT]):
            server.delete_task(task_id)
            removed.add(task_id)
    if removed:
        doubles = counted(len(removed), "task of an item", "tasks of items")
        say(f"{name}: deleted {doubles} that had one already; nobody had answered there")
    left = len(tasks) - len(removed)
    if left:
        answered = counted(
            left, "more task of such items has answers and stays", "more tasks of such items have answers and stay"
        )
        say(f"{name}: {answered}; a person's votes on an item count once")
    return removed


def untouched(server: Server, project_id: int, task_ids: Sequence[int]) -> list[int]:
    """Those of the tasks without an answer and without a draft, whoever's."""
    exported = json.loads(b"".join(server.export(project_id, task_ids)))
    return [int(task["id"]) for task in exported if not task.get("annotations") and not task.get("drafts")]


def remove_other_projects(
    server: Server, name: str, kept: Project, others: Sequence[Project], item_ids: Set[str]
) -> None:
    """Deletes younger projects of the title if nobody has answered there and all their items have a task in `kept`.

    Args:
        server: Where they are.
        name: The project's name in files.
        kept: The oldest.
        others: The younger ones.
        item_ids: The items of the oldest.
    """
    for other in others:
        if other.project_id > kept.project_id and _is_idle(server, other, item_ids):
            server.delete_project(other.project_id)
            say(f"{name}: project {other.project_id}, made at the same moment, is deleted; it had no answers")
        else:
            say(
                f"{name}: project {other.project_id} has the same title and answers or tasks of its own; a pull takes "
                f"its answers too. Have people use project {kept.project_id}, and rename the other when it is done"
            )


def _is_idle(server: Server, project: Project, item_ids: Set[str]) -> bool:
    """Whether a project has no answer and no draft, and no item but these."""
    tasks = list(server.tasks(project.project_id)) if project.tasks else []
    if any(task.item_id not in item_ids or task.users for task in tasks):
        return False
    numbers = [task.task_id for task in tasks]
    parts = (numbers[start : start + _TASKS_AN_EXPORT] for start in range(0, len(numbers), _TASKS_AN_EXPORT))
    return all(len(untouched(server, project.project_id, part)) == len(part) for part in parts)
