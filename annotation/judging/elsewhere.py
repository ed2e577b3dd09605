"""Votes that a server does not have, but another one had, or a project that is gone: nobody is asked for them again.

An item that has enough of them is not brought to people any more; of another one as many people are asked as are
missing. Answers that were put back by `restore` are there, and are none of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.accounts import read_restored, write_restored
from tashika.annotation.judging.columns import Column, compute, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.stopping import Asked, asked
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.ties import Ties, find_ties
from tashika.annotation.votes.vote import latest_statements
from tashika.annotation.words.responses import FROM_FILE
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Elsewhere:
    """What people have said of the items of a page in projects that a server does not have.

    Attributes:
        people: How many have voted on an item there and not here; items without any are left out.
        finished: Those of the items that need no more votes, so that people are not asked about them.
        tasks: Of each of these the server, the project and the task of one of its votes.
    """

    people: Mapping[str, int] = field(default_factory=dict)
    finished: frozenset[str] = frozenset()
    tasks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields a row of `pushed.PUSHED` for each item that is finished: it was asked, and its votes are counted."""
        for item_id, place in sorted(self.tasks.items()):
            yield {"item_id": item_id, **place}

    def wanted_here(self, workspace: Workspace, page: Page, settings: AnnotateSettings) -> tuple[Asked, Ties]:
        """How many answers the server shall want of each item, and of which one more: see `stopping.adapt`."""
        plan, ties = asked(workspace, page, settings), find_ties(workspace, page, settings)
        if not self.people:
            return plan, ties
        people = self.people
        wanted = {
            item: max(count + (item in ties.answers) - people[item], 1) if item in people else count
            for item, count in plan.wanted.items()
        }
        answers = {item: max(count - people.get(item, 0), 0) for item, count in plan.answers.items()}
        tied = {item: count for item, count in ties.answers.items() if item not in people}
        return replace(plan, wanted=wanted, answers=answers), replace(ties, answers=tied)


NOWHERE = Elsewhere()
"""Nothing was said elsewhere."""


def votes_elsewhere(
    workspace: Workspace, page: Page, settings: AnnotateSettings, identity: str, projects: Sequence[Project]
) -> Elsewhere:
    """What people have said of a page's items elsewhere; nothing where everybody was to be asked again.

    Programs answer again at no cost, and nobody was asked what came from a file: their votes are none of these.

    Args:
        workspace: The judgments.
        page: The kind, or its part.
        settings: How many people an item.
        identity: The server's.
        projects: The page's projects on it.
    """
    restored = read_restored(workspace.annotation, identity)
    if page.training or not shards(workspace) or page.name in restored.asked_again:
        return NOWHERE
    judgments = having(read_judgments(workspace), "kind", page.kind)
    judgments = judgments.filter(_by_people(judgments))
    here = _is_here(judgments, identity, projects, restored.origins.get(page.name, ()))
    if compute.all(here).as_py() is not False:  # of no judgments at all it is null
        return NOWHERE
    plan, ties = asked(workspace, page, settings), find_ties(workspace, page, settings)
    votes = latest_statements(judgments)
    voters = Counter(strings(votes, "item_id"))
    at_home = {(row["item_id"], row["annotator"]) for row in _pairs(judgments.filter(here))}
    away = Counter(row["item_id"] for row in _pairs(votes) if (row["item_id"], row["annotator"]) not in at_home)
    wanted = {item: count for item, count in plan.wanted.items() if away.get(item) and item not in plan.gold}
    finished = frozenset(
        item
        for item, count in wanted.items()
        if (item in plan.closed or voters[item] >= count + (item in ties.answers))
    )
    return Elsewhere({item: away[item] for item in wanted}, finished, _tasks(judgments, finished))


def ask_again(workspace: Workspace, identity: str, names: Sequence[str]) -> None:
    """Keeps that people are asked again on this server what they have said elsewhere, in projects of these names."""
    known = read_restored(workspace.annotation, identity)
    write_restored(workspace.annotation, identity, replace(known, asked_again=sorted({*known.asked_again, *names})))


def _by_people(judgments: pa.Table) -> Column:
    from_server = compute.invert(compute.starts_with(judgments["server"], FROM_FILE))
    by_people: Column = compute.and_(compute.invert(judgments["simulated"]), from_server)
    return by_people


def _is_here(judgments: pa.Table, identity: str, projects: Sequence[Project], restored: Sequence[str]) -> Column:
    numbers = pa.array([project.project_id for project in projects], pa.int64())
    in_projects = compute.is_in(compute.cast(judgments["project_id"], pa.int64()), value_set=numbers)
    on_server = compute.and_(compute.equal(judgments["server"], identity), in_projects)
    here: Column = compute.or_(on_server, compute.is_in(judgments["server"], value_set=pa.array(restored, pa.string())))
    return here


def _pairs(judgments: pa.Table) -> list[dict[str, Any]]:
    """Who has said something of what, each once."""
    names = ["item_id", "annotator"]
    rows: list[dict[str, Any]] = judgments.select(names).group_by(names).aggregate([]).to_pylist()
    return rows


def _tasks(judgments: pa.Table, items: frozenset[str]) -> dict[str, Mapping[str, Any]]:
    kept = judgments.filter(compute.is_in(judgments["item_id"], value_set=pa.array(sorted(items), pa.string())))
    rows = kept.select(["item_id", "server", "project_id", "task_id"]).to_pylist()
    return {row.pop("item_id"): row for row in rows}
