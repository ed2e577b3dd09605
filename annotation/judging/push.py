"""Items to the server: every item once, however often this is run and wherever it was cut off.

Label Studio takes the same task twice without a word. So each task carries its item's id, and before anything is
imported the tasks that are there are read and set against the items that should be. What others imported meanwhile, or
the server did after a client had given up, is found by the number of tasks afterwards, and settled: see `settle`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import pyarrow as pa

from tashika.annotation.gold.everybody import open_to_everybody
from tashika.annotation.judging.accounts import read_restored
from tashika.annotation.judging.afresh import REFUSED, Again, refuse_to_ask_again
from tashika.annotation.judging.columns import compute, flat, strings
from tashika.annotation.judging.elsewhere import NOWHERE, Elsewhere, votes_elsewhere
from tashika.annotation.judging.elsewhere import ask_again as keep_asking_again
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.order import LISTED, Ordering
from tashika.annotation.judging.projects import (
    doubled,
    find_projects,
    is_page_changed,
    pushed_digests,
    pushed_items,
    pushed_projects,
    remove_doubled,
    remove_other_projects,
)
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.judging.questionnaires import (
    by_project,
    gold_questions,
    of_part,
    refuse_other_parts,
    to_judge,
    who_may_answer,
)
from tashika.annotation.judging.stopping import adapt, people_at_first, refuse_rule
from tashika.annotation.judging.tabs import show_texts
from tashika.annotation.labelling import Page, Row, TextPage, WordsPage
from tashika.annotation.labelstudio.client import NewTask, Project, Server, Task
from tashika.annotation.labelstudio.digests import digest_of
from tashika.annotation.settings import AnnotateSettings
from tashika.core.counts import counted, listed
from tashika.core.errors import OutsideError
from tashika.core.progress import bar, say
from tashika.core.workspace import Workspace

TASKS_AN_IMPORT = 1_000


@dataclass(frozen=True)
class Plan:
    """What a push would do with one project.

    Attributes:
        items: How many items of the kind, or of its part, there are.
        wanted: The ids of those that people shall judge, sorted.
        missing: Those of them that have no task yet, in the order in which they are imported.
        strangers: Tasks whose item is not wanted (any more); they are left as they are.
        doubled: Tasks of items that have an older one, from two pushes at the same moment or an import by other means.
        tasks: All that the server has.
        elsewhere: Votes on other servers, for which nobody is asked.
        left_out: How many of `wanted` have no task and get none, since they were judged elsewhere.
    """

    page: Page
    project: Project | None
    items: int
    wanted: Sequence[str]
    missing: Sequence[str]
    strangers: int
    doubled: Sequence[Task]
    tasks: Sequence[Task] = ()
    elsewhere: Elsewhere = NOWHERE
    left_out: int = 0

    @property
    def renamed(self) -> str | None:
        """What the project is called, where that is not the page's title."""
        return self.project.title if self.project and self.project.title != self.page.title else None


def families(table: pa.Table, item_ids: Sequence[str]) -> Iterator[tuple[Row, list[Row]]]:
    """Yields each item with those of its parents that are of the same kind, in the order of `item_ids`."""
    for start in range(0, len(item_ids), TASKS_AN_IMPORT):
        rows = _rows(table, item_ids[start : start + TASKS_AN_IMPORT])
        parents = _rows(table, sorted({parent for row in rows for parent in row["parents"]}))
        known = {row["item_id"]: row for row in parents}
        for row in rows:
            yield row, [known[parent] for parent in row["parents"] if parent in known]


def _rows(table: pa.Table, item_ids: Sequence[str]) -> list[Row]:
    """The rows of these items, in this order; ids that the table does not have are left out."""
    numbers = compute.index_in(pa.array(item_ids, pa.string()), value_set=flat(table, "item_id"))
    return cast(list[Row], table.take(compute.drop_null(numbers)).to_pylist())


def plan(
    server: Server,
    page: Page,
    settings: AnnotateSettings,
    table: pa.Table,
    project: Project | None,
    elsewhere: Elsewhere = NOWHERE,
) -> Plan:
    """Sets the items that people shall judge against the tasks that the server has.

    Args:
        server: Where the project is.
        page: The kind, or its part.
        settings: The samples.
        table: The items of the kind.
        project: The page's; None if there is none yet.
        elsewhere: Votes on other servers.
    """
    in_training = {item_id for item_id, known in page.gold.items() if known.trains}
    item_ids = [item_id for item_id in strings(of_part(page, table), "item_id")
                if (item_id in in_training) == page.training]  # fmt: skip
    wanted = to_judge(page, table, settings)
    tasks = list(server.tasks(project.project_id)) if project and project.tasks else []
    there = Counter(task.item_id for task in tasks)
    wanted_set = set(wanted)
    missing = [item_id for item_id in wanted if item_id not in there and item_id not in elsewhere.finished]
    known = strings(gold_questions(page, table), "item_id")
    if elsewhere.finished and not there and not set(missing).difference(known):
        missing = []  # known answers check people who judge other items, and there are none
    return Plan(
        page=page,
        project=project,
        items=len(item_ids),
        wanted=wanted,
        missing=missing,
        strangers=sum(count for item_id, count in there.items() if item_id not in wanted_set),
        doubled=doubled(tasks, wanted),
        tasks=tasks,
        elsewhere=elsewhere,
        left_out=len(wanted_set - there.keys() - set(missing)),
    )


def _plan(server: Server, workspace: Workspace, page: Page, settings: AnnotateSettings, identity: str) -> Plan:
    """As `plan`, with the page's project and what was said elsewhere."""
    projects = find_projects(server, workspace, page, identity)
    elsewhere = votes_elsewhere(workspace, page, settings, identity, projects)
    return plan(server, page, settings, workspace.read_items(page.kind), next(iter(projects), None), elsewhere)


def _refuse_known(page: Page, table: pa.Table) -> None:
    """Refuses gold questions whose known answer is no answer to the page."""
    for row in gold_questions(page, table).to_pylist():
        page.known_answer(row)


def push(
    server: Server,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    *,
    dry: bool,
    ordering: Ordering = LISTED,
    again: Again = REFUSED,
) -> None:
    """Brings every kind of item to the server, and offers ties that were pulled to one person more.

    Args:
        server: Where to.
        workspace: Where the items lie.
        pages: The kinds, in the order in which people are asked.
        settings: The samples and the number of people an item.
        dry: Only say what would be done.
        ordering: In which order new items come.
        again: Whether people may be asked again what they judged in projects that are not there.

    Raises:
        MissingStageError: The items have not been built.
        InputError: The known answer of a gold question is no answer to the page, or people have judged the items on
            another server, or in a project that is gone, and `again` does not say what to do.
        OutsideError: The server failed; what arrived is found again by the next push.
    """
    for page in pages:
        refuse_rule(page, settings)
        _refuse_known(page, workspace.read_items(page.kind))
    of_kinds, pages = pages, by_project(workspace, pages)
    identity = server.identity()
    if dry:
        refuse_to_ask_again(server, workspace, pages, identity, again)
        for page in pages:
            say(f"would push {_summary(_plan(server, workspace, page, settings, identity))}")
        refuse_other_parts(server, of_kinds)
        return
    with alone(workspace.annotation):
        refuse_other_parts(server, of_kinds)
        refuse_to_ask_again(server, workspace, pages, identity, again)
        if again.everything:
            keep_asking_again(workspace, identity, [page.name for page in pages])
        for page in pages:
            _push_page(server, workspace, page, settings, ordering, identity)
        for line in who_may_answer(workspace, pages):
            say(line)


def _push_page(
    server: Server, workspace: Workspace, page: Page, settings: AnnotateSettings, ordering: Ordering, identity: str
) -> None:
    """Brings the items of one project to the server."""
    table = workspace.read_items(page.kind)
    planned = _plan(server, workspace, page, settings, identity)
    _report_unreadable(page, planned)
    _report_deleted(workspace, page, identity, planned)
    if not page.training:  # which goes by the order of its file
        arranged = ordering.arrange(page, table, planned.missing, partial(families, table))
        planned = replace(planned, missing=arranged)
    project = _project(server, page, settings, planned)
    if planned.project and planned.project.annotators != project.annotators:
        planned = replace(planned, tasks=())  # the server has changed how many people each is asked of
    _report_shared(workspace, page, identity, planned)
    if planned.project and is_page_changed(workspace, page, identity, planned.project):
        say(
            f"{page.name}: the page had been changed in Label Studio since the last push: answers on it that were not "
            "pulled before this push cannot be distinguished from others; look at the latest ones"
        )
    project, tasks = settle(server, project, planned, _import(server, project, planned, table))
    tasks = as_pushed(workspace, page, identity, tasks)
    there = {task.item_id for task in tasks}
    judged = [row for row in planned.elsewhere.rows() if row["item_id"] not in there]
    write_pushed(workspace, page.name, identity, project.project_id, tasks, judged, digest_of(page.xml))
    for row, parents in families(table, planned.wanted[:1]):
        show_texts(server, project.project_id, task_of(page, row, parents))
    say(f"{_summary(planned)}; {server.shown}/projects/{project.project_id}/data")
    open_to_everybody(server, tasks, set(strings(gold_questions(page, table), "item_id")))
    for line in adapt(server, page, tasks, *planned.elsewhere.wanted_here(workspace, page, settings)):
        say(line)


def _summary(planned: Plan) -> str:
    there = len(planned.wanted) - len(planned.missing) - planned.left_out
    text = (
        f"{counted(len(planned.wanted), f'{planned.page.name} item')}: {len(planned.missing):,} new, {there:,} "
        "already there"
    )
    if len(planned.wanted) < planned.items:
        text += f" (a sample of {planned.items:,})"
    if planned.left_out:
        text += f"; {planned.left_out:,} left out, since they have enough votes from elsewhere"
    if planned.strangers:
        others = counted(planned.strangers, "task of another item is", "tasks of other items are")
        text += f"; {others} left unchanged"
    if planned.doubled:
        text += f"; {counted(len(planned.doubled), 'task')} more than items"
    return text


def _report_unreadable(page: Page, planned: Plan) -> None:
    """Says which tasks cannot be read; items that these were of have no task else, and are imported again."""
    unreadable = [task.task_id for task in planned.tasks if not task.readable]
    if unreadable:
        say(
            f"{page.name}: the server cannot show {counted(len(unreadable), 'task')} ({listed(unreadable)}; half a "
            "character in the data?); delete them in Label Studio: people cannot open them either"
        )


def _report_deleted(workspace: Workspace, page: Page, identity: str, planned: Plan) -> None:
    """Says if tasks that the last push has kept are gone: they are imported again."""
    gone = set(planned.missing) & pushed_items(workspace, page, identity) if planned.project else set()
    broken = "" if all(task.readable for task in planned.tasks) else " or cannot be read"
    if gone:
        say(
            f"{page.name}: {counted(len(gone), 'task was', 'tasks were')} deleted on the server since the last "
            f"push{broken}, and put back now; judgments that were pulled of them still count"
        )


def _report_shared(workspace: Workspace, page: Page, identity: str, planned: Plan) -> None:
    """Says if somebody else's project is used, which has the same title."""
    project = planned.project
    if project is None or not planned.tasks or page.name in read_restored(workspace.annotation, identity).origins:
        return
    if project.project_id not in pushed_projects(workspace, page, identity):
        say(
            f"{page.name}: project {project.project_id} {project.title!r} was there before anything was pushed from "
            "this working directory, and is shared with whoever made it; a Label Studio of your own keeps them apart"
        )


def settle(server: Server, project: Project, planned: Plan, imported: Sequence[Task]) -> tuple[Project, list[Task]]:
    """Sees to one task an item in one project, whoever else pushed meanwhile.

    Everybody who pushes does this after the imports, and by the same rules: the oldest project and the oldest task
    stay. So whoever is last finds all tasks that were imported before, and leaves one an item. A project that was there
    before stays whoever else has one of its title.

    Args:
        server: Where the project is.
        project: The one into which was imported.
        planned: What was there before.
        imported: What this push has added.

    Returns:
        The project that stays, and its tasks.
    """
    page, tasks = planned.page, [*planned.tasks, *imported]
    titled = server.projects_titled(page.title) or [project]
    kept = next((each for each in titled if planned.project and each.project_id == project.project_id), titled[0])
    others = [each for each in titled if each.project_id != kept.project_id]
    if kept.project_id != project.project_id or kept.tasks != len(tasks):
        tasks = list(server.tasks(kept.project_id))
    later = doubled(tasks, planned.wanted)
    removed = remove_doubled(server, kept, later, page.name) if later else set()
    tasks = [task for task in tasks if task.task_id not in removed]
    remove_other_projects(server, page.name, kept, others, {task.item_id for task in tasks})
    return kept, tasks


def as_pushed(workspace: Workspace, page: Page, identity: str, tasks: Sequence[Task]) -> list[Task]:
    """The tasks with the digest of what they showed when they were pushed from here, and a line on those that changed.

    What a task shows that nobody pushed from here, or an earlier version did, is taken as it is.
    """
    pushed = pushed_digests(workspace, page, identity)
    changed = [task.task_id for task in tasks if task.readable and pushed.get(task.task_id, task.shown) != task.shown]
    if changed:
        say(
            f"{page.name}: {counted(len(changed), 'task shows', 'tasks show')} something else than was pushed "
            f"({listed(changed)}): answers to such tasks are held at a pull; delete them in Label Studio, and the next "
            "push puts them back as they were"
        )
    return [replace(task, shown=pushed.get(task.task_id, task.shown)) for task in tasks]


def _project(server: Server, page: Page, settings: AnnotateSettings, planned: Plan) -> Project:
    xml, instructions, annotators = page.xml, page.instructions, people_at_first(page, settings)
    project = planned.project
    if project is None:
        made = server.create_project(
            page.title, page.headline, xml, instructions, annotators, words=isinstance(page, WordsPage | TextPage)
        )
        oldest = server.project(page.title) or made
        if oldest.project_id != made.project_id:  # somebody else made one since we looked
            server.delete_project(made.project_id)
        return oldest
    if planned.renamed:
        server.rename_project(project.project_id, page.title)
        say(f"{page.name}: project {project.project_id} was called {planned.renamed!r}; it has its title back")
    if not is_up_to_date(project, page, annotators):
        words = isinstance(page, WordsPage | TextPage)
        server.update_project(project, page.headline, xml, instructions, annotators, words=words)
        say(f"{page.name}: brought the page and the settings of project {project.project_id} up to date")
        return replace(project, xml=xml, instructions=instructions, annotators=annotators, summary=page.headline)
    return project


def is_up_to_date(project: Project, page: Page, annotators: int) -> bool:
    """Whether a project has what its page says, and asks so many people an item."""
    there = (project.summary.strip(), project.xml.strip(), project.instructions.strip(), project.annotators)
    return there == (page.headline.strip(), page.xml.strip(), page.instructions.strip(), annotators)


def _import(server: Server, project: Project, planned: Plan, table: pa.Table) -> list[Task]:
    missing = planned.missing
    imported: list[Task] = []
    if not missing:
        return imported
    with bar(f"pushing {planned.page.name} items", len(missing)) as advance:
        for start in range(0, len(missing), TASKS_AN_IMPORT):
            chosen = families(table, missing[start : start + TASKS_AN_IMPORT])
            tasks = [NewTask(task_of(planned.page, row, parents)) for row, parents in chosen]
            try:
                numbers = server.import_tasks(project.project_id, tasks)
            except OutsideError as error:
                hint = f"{error.hint or ''}\n  Then push again: it looks first at what arrived, and imports the rest."
                raise OutsideError(error.message, where=error.where, hint=hint.strip()) from error
            imported += [
                Task(number, task.data["item_id"], frozenset(), project.annotators, digest_of(dict(task.data)))
                for number, task in zip(numbers, tasks, strict=True)
            ]
            advance(len(tasks))
    return imported


def task_of(page: Page, row: Row, parents: Sequence[Row]) -> dict[str, Any]:
    """The data of an item's task: what the page shows, and the id that leads back to the item."""
    return {**page.task_data(row, parents), "item_id": row["item_id"], "suite": page.suite, "kind": page.kind}
