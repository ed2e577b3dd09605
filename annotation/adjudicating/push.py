"""Items to an adjudicator: a second project a kind, whose page shows what people said and not who said it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from tashika.annotation.adjudicating.choosing import choose_items, counted_verdicts
from tashika.annotation.adjudicating.pages import (
    AUDITED,
    BECAUSE,
    UNDECIDED_BY_VOTE,
    adjudication_page,
    not_adjudicated,
)
from tashika.annotation.adjudicating.panel import PANEL, panel
from tashika.annotation.adjudicating.statements import statements_by_item
from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.push import TASKS_AN_IMPORT, families, is_up_to_date, task_of
from tashika.annotation.judging.tabs import show_texts
from tashika.annotation.labelling import Page, TextPage
from tashika.annotation.labelstudio.client import NewTask, Project, Server
from tashika.annotation.settings import AnnotateSettings
from tashika.core.counts import counted
from tashika.core.draws import order_key
from tashika.core.errors import InputError
from tashika.core.progress import bar, say
from tashika.core.workspace import Workspace

ADJUDICATORS: Final = 1
"""People a task."""


@dataclass(frozen=True)
class Plan:
    """What a push would do with the adjudication project of a kind.

    Attributes:
        page: The adjudication page.
        project: The project, if it is there.
        because: Why each item goes to an adjudicator, in the order of the project.
        missing: Those of the items that have no task yet.
        there: How many tasks there are.
    """

    page: Page
    project: Project | None
    because: Mapping[str, str]
    missing: Sequence[str]
    there: int

    def summary(self) -> str:
        """What is new, and of what sort."""
        sorts = Counter(self.because[item_id] for item_id in self.missing)
        line = (
            f"{self.page.kind}: {sorts[UNDECIDED_BY_VOTE]:,} undecided and {counted(sorts[AUDITED], 'accepted item')}"
        )
        return f"{line} for an adjudicator, {self.there:,} already there"


def push_adjudication(
    server: Server,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    *,
    waiting: bool = False,
    dry: bool = False,
) -> int:
    """Brings what the votes leave open, and a share of what they accept, to the adjudication projects; each item once.

    Args:
        server: Where to.
        workspace: Where items, judgments and verdicts lie.
        pages: The kinds; see `not_adjudicated` for those that are left out.
        settings: The share of accepted items, and its seed.
        waiting: Also undecided items on which answers are still awaited.
        dry: Only say what would be done.

    Returns:
        How many tasks are new.

    Raises:
        MissingStageError: No votes have been counted.
        InputError: Not all judgments are counted, or no kind can be adjudicated.
        OutsideError: The server failed; what arrived is found again by the next push.
    """
    verdicts = counted_verdicts(workspace)
    for page in pages:
        reason = not_adjudicated(page)
        if reason:
            say(f"{page.kind}: nothing for an adjudicator, since {reason}")
    pages = [page for page in pages if not not_adjudicated(page)]
    if not pages:
        raise InputError(f"no kind of {workspace.suite} can be adjudicated in Label Studio")
    with alone(workspace.annotation):
        pushed = 0
        for page in pages:
            because = choose_items(workspace, page, settings, verdicts, waiting=waiting)
            planned = _plan(server, page, because, settings)
            if dry:
                say(f"would push {planned.summary()}")
            else:
                pushed += _push(server, workspace, page, planned, settings)
        return pushed


def _plan(server: Server, page: Page, because: Mapping[str, str], settings: AnnotateSettings) -> Plan:
    """Audited items stand among undecided ones, in an order that names neither."""
    shown = adjudication_page(page, settings.language)
    project = server.project(shown.title)
    there = {task.item_id for task in server.tasks(project.project_id)} if project else set()
    ordered = sorted(because, key=lambda item_id: order_key(settings.seed, "adjudication", item_id))
    missing = [item_id for item_id in ordered if item_id not in there]
    return Plan(shown, project, {item_id: because[item_id] for item_id in ordered}, missing, len(there))


def _push(server: Server, workspace: Workspace, page: Page, planned: Plan, settings: AnnotateSettings) -> int:
    if planned.project is None and not planned.missing:
        say(f"{page.kind}: nothing for an adjudicator")
        return 0
    project = _project(server, planned)
    if planned.missing:
        _import(server, workspace, page, project, planned, settings)
    say(f"{planned.summary()}; {server.shown}/projects/{project.project_id}/data")
    return len(planned.missing)


def _import(
    server: Server, workspace: Workspace, page: Page, project: Project, planned: Plan, settings: AnnotateSettings
) -> None:
    table = workspace.read_items(page.kind)
    with bar(f"pushing {page.kind} items to adjudicate", len(planned.missing)) as advance:
        for start in range(0, len(planned.missing), TASKS_AN_IMPORT):
            data = _tasks(workspace, page, table, planned, planned.missing[start : start + TASKS_AN_IMPORT], settings)
            server.import_tasks(project.project_id, [NewTask(task) for task in data])
            show_texts(server, project.project_id, data[0], (BECAUSE,))
            advance(len(data))


def _project(server: Server, planned: Plan) -> Project:
    page, project = planned.page, planned.project
    words = isinstance(page, TextPage)
    if project is None:
        return server.create_project(page.title, page.headline, page.xml, page.instructions, ADJUDICATORS, words=words)
    if not is_up_to_date(project, page, ADJUDICATORS):
        server.update_project(project, page.headline, page.xml, page.instructions, ADJUDICATORS, words=words)
    return project


def _tasks(
    workspace: Workspace,
    page: Page,
    table: pa.Table,
    planned: Plan,
    item_ids: Sequence[str],
    settings: AnnotateSettings,
) -> list[dict[str, Any]]:
    statements = statements_by_item(page, having(read_judgments(workspace), "kind", page.kind), item_ids)
    return [
        {
            **task_of(page, row, parents),
            PANEL: panel(page, row["item_id"], statements[row["item_id"]], settings.seed, settings.language),
            BECAUSE: planned.because[row["item_id"]],
        }
        for row, parents in families(table, item_ids)
    ]


def waiting_lines(server: Server, pages: Sequence[Page]) -> list[str]:
    """How many items wait for an adjudicator in Label Studio, a line a kind that has an adjudication project."""
    lines = []
    for page in pages:
        project = None if not_adjudicated(page) else server.project(adjudication_page(page).title)
        if project is not None:
            tasks = list(server.tasks(project.project_id))
            waiting = sum(not task.users for task in tasks)
            where = f"{server.shown}/projects/{project.project_id}/data"
            lines.append(
                f"{page.kind}: {waiting:,} of {counted(len(tasks), 'item waits', 'items wait')} "
                f"for an adjudicator; {where}"
            )
    return lines
