"""People's answers from the server: backed up as they are, checked one by one, and added to the judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.accounts import Restored, name_accounts, read_restored
from tashika.annotation.judging.backups import OTHER_PROJECT, copy_project, manifest_file, read_manifest, tasks_of
from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.judgments import (
    WITHDRAWN,
    Key,
    Stored,
    append_judgments,
    keys_of,
    number_of,
    read_stored,
    shards,
)
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.people import Person
from tashika.annotation.judging.projects import find_projects, pulled_from, pushed_projects
from tashika.annotation.judging.questionnaires import by_project
from tashika.annotation.judging.returning import recognise
from tashika.annotation.judging.shown import Shown, hint_of
from tashika.annotation.judging.sight import Sight
from tashika.annotation.judging.validation import (
    HELD,
    IMPORTED,
    ITEM_MOVED,
    NOT_BY_THE_PERSON,
    read_answer,
    read_seconds,
    read_time,
)
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server
from tashika.annotation.options import Accepted
from tashika.annotation.settings import AnnotateSettings
from tashika.core.counts import counted, listed
from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say
from tashika.core.workspace import Workspace

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NOT_BY_CHOICE = {*NOT_BY_THE_PERSON, *HELD, ITEM_MOVED}
"""Problems that the person may have no part in."""
_STRANGER = Person("unknown", False)


@dataclass(frozen=True)
class Origin:
    """Where the judgments of one export come from.

    Attributes:
        server: The identity of the server.
        project: The project.
        page: Its page.
        people: The server's accounts, by number.
        shown: What its tasks should show; None where that is not compared.
        believes_imports: Whether answers count that nobody has saved.
    """

    server: str
    project: Project
    page: Page
    people: Mapping[int, Person]
    shown: Shown | None = None
    believes_imports: bool = False


def pull(
    server: Server,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings | None = None,
    accept: Set[Accepted] = frozenset(),
    *,
    drop_retracted: bool = False,
) -> Counter[str]:
    """Fetches all answers, adds the new ones, and withdraws those that were deleted on the server.

    Args:
        server: Where the answers are.
        workspace: Where they go.
        pages: The kinds.
        settings: How many people an item; None to say nothing of projects that ask another number.
        accept: What was held and shall count after all: answers to changed tasks, on a changed page, or imported.
        drop_retracted: Withdraw what was pulled of answers that were emptied since, and of tasks that were deleted.

    Returns:
        How many new judgments have which problem; sound ones under the empty string.

    Raises:
        InputError: Nothing was pushed to this server.
        OutsideError: The server failed, or what it sent is no export; then nothing is added.
    """
    pages = by_project(workspace, pages)
    with alone(workspace.annotation):
        identity = server.identity()
        users = server.users()
        people = name_accounts(users, identity, workspace.annotation)
        recognise(workspace, identity, users)
        projects = [pair for page in pages for pair in _projects(server, workspace, page, identity)]
        if not projects:
            raise InputError("no project of the suite is left on the server", where=server.url, hint=_lost(workspace))
        copies = []
        for page, project, name in projects:
            shown = Shown(workspace, page, project, identity, accept)
            origin = Origin(identity, project, page, people, shown, believes_imports=Accepted.IMPORTED in accept)
            copies.append((origin, copy_project(server, workspace, project, name, identity, users)))
        restored = read_restored(workspace.annotation, identity)
        gatherer = Gatherer(workspace, read_stored(workspace), restored, accept, drop_retracted=drop_retracted)
        added = append_judgments(
            workspace, (row for origin, backup in copies for row in _readable(gatherer, backup, origin))
        )
        for origin, _ in copies:
            if origin.shown:
                origin.shown.keep_accepted()
        for sight in gatherer.sights:
            sight.remove_doubled(server)
    gatherer.report(added)
    for sight in gatherer.sights:
        for line in sight.lines(workspace, settings):
            say(line)
    return gatherer.seen


def _lost(workspace: Workspace) -> str:
    return f"`tashika annotate restore {workspace.arguments}` puts back what was pulled."


def _projects(server: Server, workspace: Workspace, page: Page, identity: str) -> list[tuple[Page, Project, str]]:
    """The projects of a page, each with its name in files; none if it was there and is gone.

    Raises:
        InputError: It was never pushed to this server.
    """
    projects = find_projects(server, workspace, page, identity)
    numbers = pushed_projects(workspace, page, identity)
    if not projects and numbers:
        count = pulled_from(workspace, identity, numbers)
        say(
            f"{page.name}: project {numbers[-1]} {page.title!r} is gone from the server; "
            f"{counted(count, 'judgment of it is', 'judgments of it are')} "
            f"kept here. {_lost(workspace)}"
        )
    elif not projects:
        hint = f"Run `tashika annotate push {workspace.arguments}` first."
        if shards(workspace):
            hint = "If this is a new server in the place of a lost one, run "
            hint += f"`tashika annotate restore {workspace.arguments}`."
        raise InputError(f"the server has no project {page.title!r}", where=server.url, hint=hint)
    return [
        (page, project, page.name if place == 0 else f"{page.name}{OTHER_PROJECT}{project.project_id}")
        for place, project in enumerate(projects)
    ]


def _readable(gatherer: Gatherer, backup: Path, origin: Origin) -> Iterator[dict[str, Any]]:
    try:
        yield from gatherer.rows(backup, origin)
    except OutsideError:
        backup.unlink()  # what cannot be read would be no copy to fall back on
        manifest_file(backup).unlink(missing_ok=True)
        raise


class Gatherer:
    """Sets what a pull finds against what was pulled before.

    Attributes:
        seen: How many new judgments have which problem; sound ones under the empty string.
        sights: What each project looks like.
    """

    def __init__(
        self,
        workspace: Workspace,
        stored: Stored,
        restored: Restored,
        accept: Set[Accepted] = frozenset(),
        *,
        drop_retracted: bool = False,
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.sights: list[Sight] = []
        self._workspace, self._stored, self._restored = workspace, stored, restored
        self._keys, self._left = set(stored.keys), stored.left
        self._answers = {key[:2] for key in stored.keys}
        accepted = {problem for problem, name in HELD.items() if name in accept}
        self._released = {key for key, problem in stored.held.items() if problem in accepted}
        self._drops_retracted = drop_retracted
        self._standing = {key[:2]: key[2] for key in keys_of(stored.standing)}
        self._unsaved: set[int] = set()
        self._simulated = self._changed = self._withdrawn = self._returned = self._accepted = self._retracted = (
            self._earlier
        ) = 0

    def rows(self, backup: Path, origin: Origin) -> Iterator[dict[str, Any]]:
        """Yields what is new in a copy of a project: judgments, and notices of those that are gone or back."""
        sight = Sight(origin.page, origin.project, origin.people, origin.server, origin.shown)
        manifest = read_manifest(backup)
        sight.unreadable = frozenset(manifest.unreadable if manifest else ())
        moved = self._moved(origin)
        retracted: list[int] = []
        for task in tasks_of(backup):
            sight.add(task)
            held = origin.shown.problem(task) if origin.shown else None
            for annotation in task["annotations"]:
                if annotation.get("updated_by") is None and annotation.get("import_id") in moved:
                    continue  # as it was before the restore
                row = judgment(task, annotation, origin, held)
                if self._is_retracted(row):
                    retracted.append(row["annotation_id"])
                yield from self._row(row)
        self.sights.append(sight)
        self._retracted += len(retracted)
        yield from (self._notice(row, back=False) for row in _missing(self._stored.standing, origin, sight))
        if self._drops_retracted:
            yield from (
                self._notice(row, back=False) for row in _retracted(self._stored.standing, origin, sight, retracted)
            )
        for table, back in ((self._stored.standing, False), (self._stored.withdrawn, True)):
            for row in table.to_pylist() if moved else ():
                number = number_of(key_of(row))
                if _is_in_place(row, origin, sight) or row["item_id"] not in sight.items:
                    continue
                if number in moved and (number in sight.import_ids) == back:
                    yield self._notice(row, back=back)

    def _is_retracted(self, row: Mapping[str, Any]) -> bool:
        """Whether a person has made an answer that counts into one that is none."""
        by_the_person = row["problem"] is not None and row["problem"] not in _NOT_BY_CHOICE
        return by_the_person and (row["server"], row["annotation_id"]) in self._standing

    def _moved(self, origin: Origin) -> Set[int]:
        """The numbers of the answers on servers from which this project was restored."""
        servers = pa.array(self._restored.origins.get(origin.page.name, ()), pa.string())
        judgments = self._stored.judgments
        of_origin = compute.is_in(judgments["server"], value_set=servers)
        return {number_of(key) for key in keys_of(judgments.filter(of_origin))}

    def _row(self, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        key = key_of(row)
        if row["problem"] == IMPORTED and self._standing.get(key[:2]) == key[2]:
            self._unsaved.add(row["task_id"])  # which counts, since it was pulled as sound
        released = key in self._released and row["problem"] not in HELD
        is_back = key[:2] in self._left and row["problem"] is None
        if key in self._keys and not is_back and not released:
            return
        if released:
            self._accepted += 1
        elif key in self._keys:
            self._left -= {key[:2]}
            self._returned += 1
        else:
            self._keys.add(key)
            self.seen[row["problem"] or ""] += 1
            self._simulated += row["simulated"]
            self._changed += key[:2] in self._answers
            self._earlier += key[2] < self._standing.get(key[:2], key[2])
        yield row

    def _notice(self, row: dict[str, Any], *, back: bool) -> dict[str, Any]:
        """The row that says that an answer is gone, or back."""
        self._returned += back
        self._withdrawn += not back
        return {**row, "problem": None if back else WITHDRAWN}

    def report(self, added: int) -> None:
        """Says what was pulled."""
        new = added - self._withdrawn - self._returned - self._accepted
        note = f" ({self._simulated:,} of them simulated)" if self._simulated else ""
        say(
            f"pulled {counted(new, 'new judgment')}{note}, {counted(len(self._stored.keys), 'was', 'were')} here before"
        )
        if self._changed:
            say(
                f"  {counted(self._changed, 'of them changes', 'of them change')} an answer; each person's last "
                "one counts"
            )
        if self._earlier:
            changes = counted(self._earlier, "of these is", "of these are")
            say(
                f"  {changes} older than what it changes, by the server's clock, which was put back: what is later by "
                "that clock counts; have these people answer again"
            )
        if self._withdrawn:
            how = "deleted or emptied" if self._drops_retracted else "deleted"
            say(f"  {counted(self._withdrawn, 'was', 'were')} {how} on the server: kept, and not voted any more")
        if self._retracted and not self._drops_retracted:
            emptied = counted(self._retracted, "answer was emptied or spoilt", "answers were emptied or spoilt")
            say(
                f"  {emptied} by who gave it; what was said before still counts, unless "
                f"`tashika annotate pull {self._workspace.arguments} --drop-retracted` takes it out"
            )
        self._report_unsaved()
        if self._returned:
            back = counted(self._returned, "that was deleted is", "that were deleted are")
            say(f"  {back} back, to be counted again")
        if self._accepted:
            say(f"  {counted(self._accepted, 'that was held counts', 'that were held count')} now, as accepted")
        for problem, count in sorted(self.seen.items()):
            if problem:
                say(f"  {count:,} kept but not voted: {problem}")
                hint = hint_of(problem, self._workspace.arguments)
                if hint:
                    say(f"    {hint}")

    def _report_unsaved(self) -> None:
        """Names the tasks with answers that count though they would be held today."""
        if self._unsaved:
            tasks = counted(len(self._unsaved), "task has answers", "tasks have answers")
            say(
                f"  {tasks} that nobody saved and that count ({listed(sorted(self._unsaved), 20)}): accepted before, "
                "or pulled by an earlier version, which did not check; delete in Label Studio those that the people "
                "did not give, and the next pull takes them out of the votes"
            )


def key_of(row: Mapping[str, Any]) -> Key:
    """The key of a row of `records.JUDGMENT`."""
    return row["server"], row["annotation_id"], (row["created_at"] - _EPOCH) // _MICROSECOND


def _is_in_place(row: Mapping[str, Any], origin: Origin, sight: Sight) -> bool:
    """Whether an answer is of a task that is there, and so was not put back from a copy."""
    at = (row["server"], row["project_id"])
    return at == (origin.server, origin.project.project_id) and row["task_id"] in sight.tasks


def _missing(standing: pa.Table, origin: Origin, sight: Sight) -> list[dict[str, Any]]:
    """Answers that are gone from a task that is still there: with the task gone too, nobody has taken them back."""
    here = compute.and_(
        compute.equal(standing["server"], origin.server),
        compute.equal(standing["project_id"], origin.project.project_id),
    )
    on_tasks = compute.is_in(standing["task_id"], value_set=pa.array(sight.tasks, pa.int64()))
    there = compute.is_in(standing["annotation_id"], value_set=pa.array(sight.annotations, pa.int64()))
    rows: list[dict[str, Any]] = standing.filter(
        compute.and_(here, compute.and_(on_tasks, compute.invert(there)))
    ).to_pylist()
    return rows


def _retracted(standing: pa.Table, origin: Origin, sight: Sight, emptied: Sequence[int]) -> list[dict[str, Any]]:
    """Answers that the person has emptied since, and those to tasks that are gone."""
    here = compute.and_(
        compute.equal(standing["server"], origin.server),
        compute.equal(standing["project_id"], origin.project.project_id),
    )
    there = pa.array([*sight.tasks, *sight.unreadable], pa.int64())
    is_gone = compute.invert(compute.is_in(standing["task_id"], value_set=there))
    is_emptied = compute.is_in(standing["annotation_id"], value_set=pa.array(emptied, pa.int64()))
    rows: list[dict[str, Any]] = standing.filter(compute.and_(here, compute.or_(is_gone, is_emptied))).to_pylist()
    return rows


def judgment(
    task: Mapping[str, Any], annotation: Mapping[str, Any], origin: Origin, held: str | None = None
) -> dict[str, Any]:
    """One annotation as a row of `records.JUDGMENT`.

    Args:
        task: Its task.
        annotation: As the server exports it.
        origin: Where it comes from.
        held: Why answers to this task do not count; None if they do.
    """
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    if origin.believes_imports and annotation.get("updated_by") is None:
        annotation = {**annotation, "updated_by": annotation.get("completed_by")}
    answer = read_answer(annotation, origin.page, origin.people, data)
    item_id = data.get("item_id")
    author = annotation.get("completed_by")
    person = origin.people.get(author, _STRANGER) if isinstance(author, int) else _STRANGER
    return {
        "item_id": str(item_id or ""),
        "kind": origin.page.kind,
        "annotator": person.name,
        "label": answer.label,
        "text": answer.text,
        "seconds": read_seconds(annotation),
        "skipped": answer.skipped,
        "prefilled": answer.prefilled,
        "created_at": read_time(annotation),
        "problem": (answer.problem or held) if item_id else "task without an item",
        "simulated": person.simulated,
        "server": origin.server,
        "project_id": origin.project.project_id,
        "task_id": int(task["id"]),
        "annotation_id": int(annotation["id"]),
        "note": answer.note,
    }
