"""How far the judging is: what the server has, and what was pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from rich.box import SIMPLE
from rich.table import Table

from tashika.annotation.client import Server
from tashika.annotation.columns import having, strings
from tashika.annotation.judgments import read_judgments, shards
from tashika.annotation.labelling import Page
from tashika.annotation.people import Person, name_people, read_salt
from tashika.annotation.sampling import draw
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.vote import latest_votes
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Progress:
    """How far one kind is.

    Attributes:
        tasks: How many there are.
        answers: Answers given; on the server with skips, as pulled without.
        complete: Tasks with as many answers as people wanted.
        people: Who touched how many, skips included.
    """

    tasks: int = 0
    answers: int = 0
    complete: int = 0
    people: Mapping[str, int] = field(default_factory=dict)


def on_server(server: Server, page: Page, annotators: int, names: Mapping[int, Person]) -> Progress:
    """What the server has of a kind."""
    project = server.project(page.title)
    if project is None:
        return Progress()
    tasks = list(server.tasks(project.project_id))
    people = Counter(names[user].name if user in names else "unknown" for task in tasks for user in task.users)
    complete = sum(len(task.users) >= annotators for task in tasks)
    return Progress(len(tasks), sum(len(task.users) for task in tasks), complete, people)


def as_pulled(judgments: pa.Table, page: Page, annotators: int) -> Progress:
    """What was pulled of a kind and is a vote."""
    votes = latest_votes(having(judgments, "kind", page.kind))
    _, an_item = np.unique(votes["item_id"].to_numpy(zero_copy_only=False), return_counts=True)
    people = Counter(strings(votes, "annotator"))
    return Progress(len(an_item), votes.num_rows, int((an_item >= annotators).sum()), people)


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
    live: dict[str, Progress | None] = dict.fromkeys((page.kind for page in pages), None)
    if server is not None:
        names = name_people(server.users(), server.identity(), read_salt(workspace.annotation))
        live = {page.kind: on_server(server, page, settings.annotators, names) for page in pages}
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    pulled = {page.kind: as_pulled(judgments, page, settings.annotators) for page in pages}
    return [_kinds(workspace, pages, settings, live, pulled), _people(pages, live, pulled)]


def _kinds(
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    live: Mapping[str, Progress | None],
    pulled: Mapping[str, Progress],
) -> Table:
    table = Table(title=f"{workspace.suite}: {settings.annotators} people an item", box=SIMPLE, pad_edge=False)
    table.add_column("kind", no_wrap=True)
    for heading in ("items", "to judge", "pushed", "answered", "complete", "coverage", "votes"):
        table.add_column(heading, justify="right", no_wrap=True)
    for page in pages:
        item_ids = strings(workspace.read_items(page.kind), "item_id")
        wanted = len(draw(item_ids, settings.kinds[page.kind].sample, settings.seed))
        here, there = pulled[page.kind], live[page.kind]
        complete = (there or here).complete
        coverage = f"{min(complete / wanted, 1.0):.0%}" if wanted else "–"
        server = ("–", "–") if there is None else (f"{there.tasks:,}", f"{there.answers:,}")
        counts = (f"{len(item_ids):,}", f"{wanted:,}", *server, f"{complete:,}", coverage, f"{here.answers:,}")
        table.add_row(page.kind, *counts)
    return table


def _people(pages: Sequence[Page], live: Mapping[str, Progress | None], pulled: Mapping[str, Progress]) -> Table:
    source = {page.kind: live[page.kind] or pulled[page.kind] for page in pages}
    table = Table("annotator", box=SIMPLE, title="who did how many" + ("" if any(live.values()) else " (as pulled)"))
    for page in pages:
        table.add_column(page.kind, justify="right")
    for name in sorted({name for progress in source.values() for name in progress.people}):
        table.add_row(name, *(f"{source[page.kind].people.get(name, 0):,}" for page in pages))
    return table
