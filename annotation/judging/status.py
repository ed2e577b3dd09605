"""How far the judging is: what the server has, and what was pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import pyarrow as pa
from rich.box import SIMPLE
from rich.table import Table

from tashika.annotation.judging.accounts import joined_accounts
from tashika.annotation.judging.columns import compute, flat, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.people import Person
from tashika.annotation.judging.projects import find_project
from tashika.annotation.judging.questionnaires import by_project, of_part, to_judge
from tashika.annotation.judging.stopping import asked
from tashika.annotation.labelling import Page, choice_pages
from tashika.annotation.labelstudio.client import Project, Server
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.ties import find_ties, tie_line
from tashika.annotation.votes.vote import latest_votes
from tashika.core.counts import counted
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Progress:
    """How far one project is.

    Attributes:
        tasks: How many there are.
        answered: Tasks with at least one answer.
        answers: Answers given; on the server with skips, as pulled without.
        complete: Tasks with as many answers as people wanted.
        people: Who touched how many, skips included.
        items: Those that have a task; as pulled those that are complete.
    """

    tasks: int = 0
    answered: int = 0
    answers: int = 0
    complete: int = 0
    people: Mapping[str, int] = field(default_factory=dict)
    items: Set[str] = frozenset()


def on_server(server: Server, project: Project | None, annotators: int, names: Mapping[int, Person]) -> Progress:
    """What the server has of a kind; nothing where there is no project of it."""
    if project is None:
        return Progress()
    tasks = list(server.tasks(project.project_id))
    people = Counter(names[user].name if user in names else "unknown" for task in tasks for user in task.users)
    complete = sum(len(task.users) >= min(annotators, task.wanted) for task in tasks)
    answers = [len(task.users) for task in tasks]
    items = {task.item_id for task in tasks}
    return Progress(len(tasks), sum(map(bool, answers)), sum(answers), complete, people, items)


def as_pulled(judgments: pa.Table, page: Page, annotators: int, closed: Set[str] = frozenset()) -> Progress:
    """What was pulled of a kind and is a vote, or an answer in words.

    Args:
        judgments: Rows of `records.JUDGMENT`.
        page: The kind.
        annotators: People an item.
        closed: Items that are complete with fewer, see `stopping.Asked`.
    """
    votes = latest_votes(having(judgments, "kind", page.kind))
    an_item = Counter(strings(votes, "item_id"))
    complete = {item_id for item_id, count in an_item.items() if count >= annotators or item_id in closed}
    people = Counter(strings(votes, "annotator"))
    return Progress(len(an_item), len(an_item), votes.num_rows, len(complete), people, complete)


def status_tables(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, server: Server | None
) -> list[Table]:
    """The tables of `tashika annotate status`.

    Args:
        workspace: Items and what was pulled.
        pages: The kinds.
        settings: People an item, and the samples.
        server: None if it cannot be reached; then its columns are empty.
    """
    pages = by_project(workspace, pages)
    live: dict[str, Progress | None] = dict.fromkeys((page.name for page in pages), None)
    if server is not None:
        identity = server.identity()
        names = joined_accounts(server.users(), identity, workspace.annotation)
        projects = {page.name: find_project(server, workspace, page, identity) for page in pages}
        live = {page.name: on_server(server, projects[page.name], settings.people(page.kind), names) for page in pages}
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    pulled = {}
    for page in pages:
        plan = asked(workspace, page, settings)
        pulled[page.name] = as_pulled(_of_project(judgments, page, workspace), page, plan.people, plan.closed)
    return [_kinds(workspace, pages, settings, live, pulled), _people(pages, live, pulled)]


def tie_lines(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, server: Server | None
) -> list[str]:
    """What waits for one person more, a line a project; see `status_tables`."""
    lines = []
    identity = server.identity() if server else ""
    for page in choice_pages(by_project(workspace, pages)):
        ties = find_ties(workspace, page, settings)
        project = find_project(server, workspace, page, identity) if server and ties.answers else None
        tasks = list(server.tasks(project.project_id)) if server and project else None
        lines.append(tie_line(page, ties, settings, tasks))
    return [line for line in lines if line]


def _of_project(judgments: pa.Table, page: Page, workspace: Workspace) -> pa.Table:
    """The judgments of the items of a project, which of a kind in one project are all of them."""
    if not page.only and page.name == page.kind:
        return judgments
    item_ids = flat(of_part(page, workspace.read_items(page.kind)), "item_id")
    return judgments.filter(compute.is_in(judgments["item_id"], value_set=item_ids))


def _kinds(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    live: Mapping[str, Progress | None],
    pulled: Mapping[str, Progress],
) -> Table:
    table = Table(title=f"{workspace.suite}: {_people_an_item(pages, settings)}", box=SIMPLE, padding=0)
    table.add_column("kind", no_wrap=True)
    for heading in ("items", "to judge", "pushed", "answered", "answers", "complete", "coverage", "votes"):
        table.add_column(heading, justify="right", no_wrap=True)
    for page in pages:
        items = workspace.read_items(page.kind)
        wanted = len(to_judge(page, items, settings))
        here, there = pulled[page.name], live[page.name]
        # What another server had is complete too, where this one has no task of it.
        complete = there.complete + len(here.items - there.items) if there is not None else here.complete
        coverage = f"{min(complete / wanted, 1.0):.0%}" if wanted else "–"
        server = ("–", "–", "–")
        if there is not None:
            server = (f"{there.tasks:,}", f"{there.answered:,}", f"{there.answers:,}")
        counts = (
            f"{of_part(page, items).num_rows:,}",
            f"{wanted:,}",
            *server,
            f"{complete:,}",
            coverage,
            f"{here.answers:,}",
        )
        table.add_row(page.name, *counts)
    return table


def _people_an_item(pages: Sequence[Page], settings: AnnotateSettings) -> str:
    """How many people judge an item, in words; by kind where that differs."""
    counts = {page.kind: settings.people(page.kind) for page in pages}
    if len(set(counts.values())) <= 1:
        return f"{counted(next(iter(counts.values()), settings.annotators), 'person')} an item"
    return ", ".join(f"{counted(count, 'person')} a {kind}" for kind, count in counts.items())


def _people(pages: Sequence[Page], live: Mapping[str, Progress | None], pulled: Mapping[str, Progress]) -> Table:
    source = {page.name: live[page.name] or pulled[page.name] for page in pages}
    kinds: dict[str, list[Progress]] = {}
    for page in pages:
        kinds.setdefault(page.kind, []).append(source[page.name])
    table = Table("annotator", box=SIMPLE, title="who did how many" + ("" if any(live.values()) else " (as pulled)"))
    for kind in kinds:
        table.add_column(kind, justify="right")
    for name in sorted({name for progress in source.values() for name in progress.people}):
        done = (sum(project.people.get(name, 0) for project in projects) for projects in kinds.values())
        table.add_row(name, *(f"{count:,}" for count in done))
    return table
