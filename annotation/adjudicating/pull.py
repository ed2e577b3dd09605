"""The adjudicators' answers from Label Studio: checked as every judgment is, and recorded as decisions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tashika.annotation.adjudicating.decisions import (
    WITHDRAWN,
    append_adjudications,
    origin_of,
    read_recorded,
)
from tashika.annotation.adjudicating.pages import (
    AUDITED,
    BECAUSE,
    adjudication_name,
    adjudication_page,
    not_adjudicated,
)
from tashika.annotation.judging.accounts import name_accounts, read_restored
from tashika.annotation.judging.backups import annotations_of, copy_project, folder
from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.judgments import number_of_answer, read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.pull import Origin
from tashika.annotation.judging.same import read_same
from tashika.annotation.judging.validation import read_answer, read_time
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.votes.single import decided_by
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import read_json, write_json
from tashika.core.progress import say
from tashika.core.workspace import Workspace

PULLED: Final = "pulled.json"
"""When the last pull was, in `annotation/`."""

Key = tuple[str, int]
"""Server and annotation: one answer."""

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_STAMPED: Final = re.compile(r"\d{8}T\d{6}Z")
_NUMBERS: Final = ("server", "project_id", "task_id", "annotation_id")
_COMPARED: Final = ("decision", "text", "note", "adjudicator")


@dataclass
class Pulled:
    """What a pull brought.

    Attributes:
        new: Decisions, and changes of them.
        withdrawn: Decisions that were taken back: skipped since, or deleted.
        problems: Answers that are no decision, by what is wrong with them.
        own_vote: Decisions of somebody who had voted on the item.
    """

    new: int = 0
    withdrawn: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    own_vote: int = 0


def pull_adjudications(server: Server, workspace: Workspace, pages: Sequence[Page]) -> Pulled:
    """Fetches what adjudicators answered; kinds without an adjudication project are left out.

    Raises:
        OutsideError: The server failed, or what it sent is no export; then nothing is added.
    """
    result = Pulled()
    with alone(workspace.annotation):
        write_json(workspace.annotation / PULLED, {"at": datetime.now(UTC).isoformat(timespec="seconds")})
        exports = list(_exports(server, workspace, pages))
        if not exports:
            return result
        recorded = {origin: row for row in read_recorded(workspace) if (origin := origin_of(row)) is not None}
        origins = read_restored(workspace.annotation, exports[0][0].server).origins
        rows = []
        for project, backup in exports:
            moved = _moved(recorded, origins.get(adjudication_name(project.page), ()))
            rows += _changes(server, project, backup, recorded, moved, result)
        voted = _voters(workspace) if rows else set()
        same = read_same(workspace.annotation)
        result.own_vote = sum((row["item_id"], same.name(row["adjudicator"])) in voted for row in rows)
        result.withdrawn = sum(row["decision"] == WITHDRAWN for row in rows)
        result.new = append_adjudications(workspace, rows) - result.withdrawn
    _report(result, workspace)
    return result


def last_pull(workspace: Workspace) -> datetime | None:
    """When answers were last pulled: as written down, or else as the newest copy is named; None if never."""
    path = workspace.annotation / PULLED
    if path.exists():
        try:
            return datetime.fromisoformat(str(read_json(path)["at"])).astimezone(UTC)
        except (InputError, KeyError, TypeError, ValueError):
            pass  # the copies' names say it as well, though only when something new had come
    stamps = [path.name.split("-")[-2] for path in folder(workspace).glob("*-*-*.json.gz")]
    times = [datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC) for stamp in stamps if _STAMPED.fullmatch(stamp)]
    return max(times, default=None)


def _exports(server: Server, workspace: Workspace, pages: Sequence[Page]) -> Iterator[tuple[Origin, Path]]:
    shown = [adjudication_page(page) for page in pages if not not_adjudicated(page)]
    projects = [(page, project) for page in shown if (project := server.project(page.title)) is not None]
    if not projects:
        return
    identity = server.identity()
    users = server.users()
    people = name_accounts(users, identity, workspace.annotation)
    for page, project in projects:
        backup = copy_project(server, workspace, project, adjudication_name(page), identity, users)
        yield Origin(identity, project, page, people), backup


def _moved(recorded: Iterable[Key], servers: Sequence[str]) -> dict[int, Key]:
    """The answers of servers from which a project was restored, by the numbers that they keep there."""
    return {number_of_answer(*key): key for key in recorded if key[0] in servers}


def _key(annotation: Mapping[str, Any], origin: Origin, moved: Mapping[int, Key]) -> Key:
    """What an answer is known by: where it was given, though its project was restored to another server since."""
    number = annotation.get("import_id")
    here = (origin.server, int(annotation["id"]))
    return moved.get(number, here) if isinstance(number, int) else here


def _changes(
    server: Server,
    origin: Origin,
    backup: Path,
    recorded: Mapping[Key, dict[str, Any]],
    moved: Mapping[int, Key],
    result: Pulled,
) -> list[dict[str, Any]]:
    """What is to be recorded of a project, oldest first: new and changed decisions, and those that were taken back."""
    rows: list[tuple[datetime, dict[str, Any]]] = []
    there: set[Key] = set()
    for task, annotation in annotations_of(backup):
        key = _key(annotation, origin, moved)
        there.add(key)
        if annotation.get("updated_by") is None and annotation.get("import_id") in moved:
            continue  # as it was before the restore
        row = _decision(task, annotation, origin, recorded.get(key), result)
        if row is not None:
            rows.append((read_time(annotation), row))
    rows.sort(key=lambda each: (each[0], each[1]["annotation_id"]))
    return [*_deleted(server, origin, there, recorded, set(moved.values())), *(row for _, row in rows)]


def _deleted(
    server: Server, origin: Origin, there: Set[Key], recorded: Mapping[Key, dict[str, Any]], moved: Set[Key]
) -> list[dict[str, Any]]:
    """Decisions whose answer was deleted from a task that is still there; with the task gone nobody took them back."""
    project = (origin.server, origin.project.project_id)
    gone = [
        (row, here)
        for key, row in recorded.items()
        for here in [(row["server"], row["project_id"]) == project]
        if key not in there
        and row["decision"] != WITHDRAWN
        and (here or (key in moved and row["kind"] == origin.page.kind))
    ]
    tasks = list(server.tasks(origin.project.project_id)) if gone else []
    numbers, items = {task.task_id for task in tasks}, {task.item_id for task in tasks}
    return [
        {**row, "decision": WITHDRAWN, "text": None, "note": None}
        for row, here in gone
        if (row["task_id"] in numbers if here else row["item_id"] in items)
    ]


def _decision(
    task: Mapping[str, Any],
    annotation: Mapping[str, Any],
    origin: Origin,
    before: Mapping[str, Any] | None,
    result: Pulled,
) -> dict[str, Any] | None:
    """The row of an answer that is not recorded already; None where there is nothing to record.

    One that was put back by a restore (`before`) keeps the numbers that it has among what is recorded.
    """
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    answer = read_answer(annotation, origin.page, origin.people, data)
    problem = answer.problem or (None if data.get("item_id") else "task without an item")
    if problem:
        result.problems[problem] += 1
        return None
    person = origin.people[annotation["completed_by"]]
    if answer.skipped and (before is None or before["decision"] == WITHDRAWN):
        return None
    decision, text = (WITHDRAWN, None) if answer.skipped else decided_by(origin.page, answer.label, answer.text)
    row = {
        "item_id": str(data["item_id"]),
        "kind": origin.page.kind,
        "decision": decision,
        "text": text,
        "adjudicator": person.name,
        "note": answer.note,
        "audit": data.get(BECAUSE) == AUDITED,
        "simulated": person.simulated,
        "server": origin.server,
        "project_id": origin.project.project_id,
        "task_id": int(task["id"]),
        "annotation_id": int(annotation["id"]),
        **({name: before[name] for name in _NUMBERS} if before is not None else {}),
    }
    if before is not None and all(before[name] == row[name] for name in _COMPARED):
        return None
    return row


def _voters(workspace: Workspace) -> set[tuple[str, str]]:
    """Who has voted on what: pairs of an item and an annotator."""
    if not shards(workspace):
        return set()
    judgments = read_judgments(workspace)
    sound = judgments.filter(compute.is_null(judgments["problem"]))
    pairs = sound.select(["item_id", "annotator"]).group_by(["item_id", "annotator"]).aggregate([])
    return {(row["item_id"], row["annotator"]) for row in pairs.to_pylist()}


def _report(result: Pulled, workspace: Workspace) -> None:
    line = f"pulled {counted(result.new, 'new decision')} of adjudicators"
    line += f"; {result.withdrawn:,} taken back" if result.withdrawn else ""
    changed = result.new or result.withdrawn
    line += f"; `tashika annotate vote {workspace.argument}` puts them into the verdicts" if changed else ""
    say(line)
    if result.own_vote:
        say(f"  {result.own_vote:,} of them by somebody who had voted on the item")
    for problem, count in sorted(result.problems.items()):
        say(f"  {counted(count, 'answer is', 'answers are')} no decision: {problem}")
