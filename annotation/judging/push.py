"""Items to the server: every item once, however often this is run and wherever it was cut off.

Label Studio takes the same task twice without a word. So each task carries its item's id, and before anything is
imported the tasks that are there are read and set against the items that should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from tashika.annotation.judging.columns import compute, flat, strings
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.judging.questionnaires import by_project, gold_questions, of_part, to_judge, who_may_answer
from tashika.annotation.labelling import Page, Row, TextPage, WordsPage
from tashika.annotation.labelstudio.client import Project, Server
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.ties import find_ties, offer
from tashika.core.errors import OutsideError
from tashika.core.progress import bar, say
from tashika.core.workspace import Workspace

TASKS_AN_IMPORT = 500


@dataclass(frozen=True)
class Plan:
    """What a push would do with one project.

    Attributes:
        items: How many items of the kind, or of its part, there are.
        wanted: The ids of those that people shall judge, sorted.
        missing: Those of them that have no task yet, in the order in which they are imported.
        strangers: Tasks whose item is not wanted (any more); they are left as they are.
        doubled: Items with more than one task, from an import by other means.
    """

    page: Page
    project: Project | None
    items: int
    wanted: Sequence[str]
    missing: Sequence[str]
    strangers: int
    doubled: int


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


def plan(server: Server, page: Page, settings: AnnotateSettings, table: pa.Table) -> Plan:
    """Sets the items that people shall judge against the tasks that the server has.

    Raises:
        InputError: The known answer of a gold question is no answer to the page.
    """
    for row in gold_questions(page, table).to_pylist():
        page.known(row)
    item_ids = strings(of_part(page, table), "item_id")
    wanted = to_judge(page, table, settings)
    project = server.project(page.title)
    there = Counter(task.item_id for task in server.tasks(project.project_id)) if project else Counter()
    wanted_set = set(wanted)
    return Plan(
        page=page,
        project=project,
        items=len(item_ids),
        wanted=wanted,
        missing=[item_id for item_id in wanted if item_id not in there],
        strangers=sum(count for item_id, count in there.items() if item_id not in wanted_set),
        doubled=sum(there[item_id] > 1 for item_id in wanted),
    )


def push(server: Server, workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, *, dry: bool) -> None:
    """Brings every kind of item to the server, and offers ties that were pulled to one person more.

    Args:
        server: Where to.
        workspace: Where the items lie.
        pages: The kinds, in the order in which people are asked.
        settings: The samples and the number of people an item.
        dry: Only say what would be done.

    Raises:
        MissingStageError: The items have not been built.
        OutsideError: The server failed; what arrived is found again by the next push.
    """
    pages = by_project(workspace, pages)
    if dry:
        for page in pages:
            say(f"would push {_summary(plan(server, page, settings, workspace.read_items(page.kind)))}")
        return
    with alone(workspace.annotation):
        identity = server.identity()
        for page in pages:
            table = workspace.read_items(page.kind)
            planned = plan(server, page, settings, table)
            project = _project(server, page, settings, planned.project)
            _import(server, project, planned, table)
            tasks = list(server.tasks(project.project_id))
            write_pushed(workspace, page.name, identity, project.project_id, tasks)
            say(f"{_summary(planned)}; {server.url}/projects/{project.project_id}/data")
            opened = offer(server, tasks, find_ties(workspace, page, settings))
            if opened:
                say(f"{page.name}: {opened:,} undecided items are now offered to one person more")
        for line in who_may_answer(workspace, pages):
            say(line)


def _summary(planned: Plan) -> str:
    there = len(planned.wanted) - len(planned.missing)
    text = f"{len(planned.wanted):,} {planned.page.name} items: {len(planned.missing):,} new, {there:,} already there"
    if len(planned.wanted) < planned.items:
        text += f" (a sample of {planned.items:,})"
    if planned.strangers:
        text += f"; {planned.strangers:,} tasks of other items are left as they are"
    if planned.doubled:
        text += f"; {planned.doubled:,} items have more than one task, imported by other means"
    return text


def _project(server: Server, page: Page, settings: AnnotateSettings, project: Project | None) -> Project:
    xml, instructions, annotators = page.xml, page.instructions, settings.people(page.kind)
    if project is None:
        return server.create_project(
            page.title, page.headline, xml, instructions, annotators, words=isinstance(page, WordsPage | TextPage)
        )
    if (project.xml.strip(), project.instructions.strip(), project.annotators) != (
        xml.strip(),
        instructions.strip(),
        annotators,
    ):
        server.update_project(project, xml, instructions, annotators, words=isinstance(page, WordsPage | TextPage))
        say(f"{page.name}: brought the page and the settings of project {project.project_id} up to date")
    return project


def _import(server: Server, project: Project, planned: Plan, table: pa.Table) -> None:
    missing = planned.missing
    if not missing:
        return
    with bar(f"pushing {planned.page.name} items", len(missing)) as advance:
        for start in range(0, len(missing), TASKS_AN_IMPORT):
            chosen = families(table, missing[start : start + TASKS_AN_IMPORT])
            data = [task_of(planned.page, row, parents) for row, parents in chosen]
            try:
                server.import_tasks(project.project_id, data)
            except OutsideError as error:
                hint = f"{error.hint or ''}\n  Then push again: it looks first at what arrived, and imports the rest."
                raise OutsideError(error.message, where=error.where, hint=hint.strip()) from error
            advance(len(data))


def task_of(page: Page, row: Row, parents: Sequence[Row]) -> dict[str, Any]:
    """The data of an item's task: what the page shows, and the id that leads back to the item."""
    return {**page.task_data(row, parents), "item_id": row["item_id"], "suite": page.suite, "kind": page.kind}
