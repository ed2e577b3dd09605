"""A lost server from the copies of the pulls: projects, tasks, accounts, and everybody's answers under the same names.

Of the projects of a kind come back that of each part, the training and that of the adjudicators.

An answer gets a new number on its new server. What it was before goes with it as the number that Label Studio keeps of
imported answers (`import_id`), so the next pull knows it again and adds nothing. Accounts get new numbers too; their
names of before are kept in the workspace, see `accounts`. Interrupted, it is completed by the next run.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.adjudicating.pages import adjudication_name, adjudication_page, not_adjudicated
from tashika.annotation.adjudicating.push import ADJUDICATORS
from tashika.annotation.gold.trained import read_trained
from tashika.annotation.judging.accounts import name_accounts, read_restored, write_restored
from tashika.annotation.judging.backups import OTHER_PROJECT, Manifest, copies, folder, item_of, tasks_of
from tashika.annotation.judging.columns import compute, having, strings
from tashika.annotation.judging.judgments import keys_of, number_of, number_of_answer, read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.people import simulated_accounts, simulated_email
from tashika.annotation.judging.pull import key_of
from tashika.annotation.judging.questionnaires import by_project, of_part
from tashika.annotation.judging.roster import read_roster
from tashika.annotation.judging.stopping import people_at_first
from tashika.annotation.judging.validation import read_time
from tashika.annotation.labelling import Page, TextPage, WordsPage
from tashika.annotation.labelstudio.account import Address, write_private_json
from tashika.annotation.labelstudio.client import NewTask, Project, Server
from tashika.annotation.labelstudio.exporting import Export
from tashika.annotation.labelstudio.signup import open_account, password_for
from tashika.annotation.settings import AnnotateSettings
from tashika.core.annotators import SIMULATED
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_json
from tashika.core.progress import bar, say
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

_TASKS_AN_IMPORT = 500
_NOBODY = "example.org"
"""The domain of the addresses that stand in for unknown ones; it belongs to nobody."""


@dataclass(frozen=True)
class Target:
    """A project of a suite that may be lost.

    Attributes:
        page: Its page.
        name: What it is called in files.
        people: People a task.
        items: Those of which an answer was taken over.
        judges: Whether its answers are judgments, of which every version counts as one of its own.
    """

    page: Page
    name: str
    people: int
    items: Set[str]
    judges: bool


@dataclass(frozen=True)
class Copy:
    """A copy of a project, and where it is from.

    Attributes:
        path: The file.
        server: The identity of the server.
        users: The e-mail address of each account that is known, by its number.
        judged: The numbers of its answers, as far as they were judgments; of a copy without a manifest only these are
            taken, since the authors of the others are unknown.
        left_out: The numbers of accounts whose answers were taken out of the workspace again: simulated annotators.
        tasks: The names of the tasks that are taken from it: those that no later copy has.
        judges: See `Target`.
    """

    path: Path
    server: str
    users: Mapping[int, str]
    judged: Set[int] | None = None
    left_out: Set[int] = frozenset()
    tasks: Set[str] = frozenset()
    judges: bool = True


@dataclass(frozen=True)
class Lost:
    """What shall be put back of a project.

    Attributes:
        target: The project.
        copies: The copies of its project, and of others of the same title, that have something of it.
        project: The project that is there already; None if there is none.
        idle: Its tasks without answers, by name: their numbers.
        todo: The names of the tasks whose answers are not there.
        answers: How many answers these have.
        foreign: How many answers and drafts the project has that are in no copy.
        open: How many tasks of the copies had no answer.
    """

    target: Target
    copies: Sequence[Copy]
    project: Project | None
    idle: Mapping[str, Sequence[int]]
    todo: Set[str]
    answers: int
    foreign: int
    open: int


def restore(
    address: Address, workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, *, dry: bool = False
) -> int:
    """Puts back what the pulls had of every project.

    Args:
        address: The server; a new one, or one from which projects or tasks were deleted.
        workspace: Where the copies lie.
        pages: The kinds and the trainings.
        settings: People an item.
        dry: Only say what would be done.

    Returns:
        How many answers were put back.

    Raises:
        InputError: Nothing was pulled, or the server has answers in these projects that no copy has.
        OutsideError: The server failed; the next run resumes from there.
    """
    server = Server(address)
    with alone(workspace.annotation):
        identity = server.identity()
        losses = [_look(server, workspace, target, identity) for target in _targets(workspace, pages, settings)]
        losses = [lost for lost in losses if lost.copies]
        if not losses:
            hint = "Only what was pulled can be restored; "
            hint += f"`tashika annotate push {workspace.arguments}` starts from the beginning."
            raise InputError("there is no copy of a project of this suite", where=str(folder(workspace)), hint=hint)
        for lost in losses:
            _refuse_answers(server, lost)
            say(
                f"{'would put' if dry else 'putting'} back {counted(lost.answers, 'answer')} to "
                f"{lost.target.name} items"
            )
        if dry:
            return 0
        numbers = _open_accounts(server, address, workspace, identity, losses)
        for lost in losses:
            if lost.todo:
                _put_back(server, lost, numbers)
                _report_open(workspace, lost)
                _report_unpulled(workspace, lost)
            known = read_restored(workspace.annotation, identity)
            servers = [copy.server for copy in lost.copies]
            write_restored(workspace.annotation, identity, known.with_project(lost.target.name, servers))
        return sum(lost.answers for lost in losses)


def _targets(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings) -> list[Target]:
    """The projects that people answer: of each page or part, and of the adjudicators of each kind."""
    judged, trained = _judged(workspace), read_trained(workspace)
    adjudicated = [row for row in read_adjudications(workspace) if row["server"] is not None]
    targets = []
    for page in by_project(workspace, pages):
        items = judged.get(page.kind, set())
        if page.training:
            items = {str(row["item_id"]) for row in trained if row["kind"] == page.kind}
        elif page.part is not None:
            items = items & set(strings(of_part(page, workspace.read_items(page.kind)), "item_id"))
        targets.append(Target(page, page.name, people_at_first(page, settings), items, not page.training))
    for page in pages:
        if not page.training and not not_adjudicated(page):
            items = {str(row["item_id"]) for row in adjudicated if row["kind"] == page.kind}
            shown = adjudication_page(page, settings.language)
            targets.append(Target(shown, adjudication_name(page), ADJUDICATORS, items, judges=False))
    return targets


def _judged(workspace: Workspace) -> dict[str, set[str]]:
    """The items of each kind with judgments that were not withdrawn."""
    items: dict[str, set[str]] = {}
    if shards(workspace):
        judgments = read_judgments(workspace)
        sound = judgments.filter(compute.is_null(judgments["problem"]))
        for kind, item_id in zip(strings(sound, "kind"), strings(sound, "item_id"), strict=True):
            items.setdefault(kind, set()).add(item_id)
    return items


def _look(server: Server, workspace: Workspace, target: Target, identity: str) -> Lost:
    """Sets the copies of a project against what the server has."""
    project = server.project(target.page.title)
    there = _copies(workspace, target, identity)
    number_names = {number: name for copy in there for name, _, number in _answers(copy)}
    idle: dict[str, list[int]] = {}
    answered: set[str] = set()
    foreign = 0
    exported = Export(server, project.project_id, target.name).chunks() if project and project.tasks else (b"[]",)
    for task in json.loads(b"".join(exported)):
        strange = [
            entry
            for entry in task["annotations"]
            if entry.get("import_id") not in number_names
            and _number(entry, identity, target.judges) not in number_names
        ]
        foreign += len(strange) + len(task.get("drafts") or ())
        if task["annotations"]:
            answered.add(name_of(task))
        else:
            idle.setdefault(name_of(task), []).append(int(task["id"]))
    todo = set(number_names.values()) - answered
    answers = sum(name in todo for name in number_names.values())
    unanswered = set().union(*(copy.tasks for copy in there)) - set(number_names.values())
    return Lost(target, there, project, idle, todo, answers, foreign, len(unanswered))


def _copies(workspace: Workspace, target: Target, identity: str) -> list[Copy]:
    """The copies that have the last state of some task of the project, or of another project of its title.

    Where somebody deleted tasks between two pulls, the answers to them are in the earlier copy.
    """
    other = re.compile(re.escape(target.name + OTHER_PROJECT) + r"\d+(?=-)")
    names = {match[0] for path in folder(workspace).glob("*.json.gz") if (match := other.match(path.name))}
    kept = []
    for name in (target.name, *sorted(names)):
        seen: set[str] = set()
        for path, manifest in reversed(copies(workspace, name)):
            there = {name_of(task) for task in tasks_of(path)}
            if there - seen:
                copy = _copy(workspace, path, manifest, identity)
                kept.append(replace(copy, tasks=there - seen, judges=target.judges))
            seen |= there
            if target.items <= seen:
                break
    return kept


def _copy(workspace: Workspace, path: Path, manifest: Manifest | None, identity: str) -> Copy:
    """A copy with its manifest; without one, its server is that of its answers among the judgments."""
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    if manifest:
        programs = simulated_accounts(manifest.users).keys()
        forgotten = not compute.any(judgments["simulated"]).as_py()
        return Copy(path, manifest.server, manifest.users, left_out=programs if forgotten else frozenset())
    numbers = {entry["id"] for task in tasks_of(path) for entry in task["annotations"]}
    servers = Counter(row["server"] for row in judgments.to_pylist() if row["annotation_id"] in numbers)
    server = servers.most_common(1)[0][0] if servers else identity
    judged = having(judgments, "server", server)["annotation_id"].to_pylist()
    return Copy(path, server, {}, judged=numbers.intersection(judged))


def name_of(task: Mapping[str, Any]) -> str:
    """What a task is known by: its item, or for others a digest of what they show."""
    return item_of(task) or "data " + hash_value(task.get("data"))


def _answers(copy: Copy) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yields each answer of a copy that can be put back, with its task's name and the number that it keeps for ever."""
    for task in tasks_of(copy.path):
        name = name_of(task)
        if name in copy.tasks:
            for annotation, number in _answers_of(task, copy):
                yield name, annotation, number


def _answers_of(task: Mapping[str, Any], copy: Copy) -> Iterator[tuple[dict[str, Any], int]]:
    """The answers of a task with a known author, in a format that the server imports."""
    for annotation in task["annotations"]:
        result, author = annotation.get("result"), annotation.get("completed_by")
        is_list = isinstance(result, list) and all(isinstance(part, dict) for part in result)
        is_wanted = author not in copy.left_out and (copy.judged is None or annotation["id"] in copy.judged)
        if is_list and isinstance(author, int) and is_wanted:
            yield annotation, _number(annotation, copy.server, copy.judges)


def _number(annotation: Mapping[str, Any], server: str, judges: bool) -> int:
    """The number of an answer: its own of before, if it has been put back already.

    A judgment that somebody has changed since is another one; any other answer stays the same.
    """
    before = annotation.get("import_id")
    if isinstance(before, int) and not (judges and annotation.get("updated_by")):
        return before
    if not judges:
        return number_of_answer(server, annotation["id"])
    time = read_time(annotation)
    return number_of(key_of({"server": server, "annotation_id": annotation["id"], "created_at": time}))


def _refuse_answers(server: Server, lost: Lost) -> None:
    """Refuses to mix what was lost with what people have answered since."""
    if lost.foreign and lost.todo and lost.project:
        raise InputError(
            f"expected no answers in project {lost.project.project_id} {lost.project.title!r}, found {lost.foreign:,} "
            "answers and drafts that no copy has",
            where=f"{server.shown}/projects/{lost.project.project_id}/data",
            hint="If it is the server that was pulled from, pull first. Else restore to another one: `tashika annotate "
            "serve --data OTHER`.",
        )


def _report_open(workspace: Workspace, lost: Lost) -> None:
    """Says what becomes of an adjudicator's tasks that nobody had decided; a push brings those of other projects."""
    if lost.open and not lost.target.judges and not lost.target.page.training:
        still_open = counted(lost.open, "item that nobody had decided is", "items that nobody had decided are")
        say(
            f"{lost.target.name}: {still_open} not put back; "
            f"`tashika annotate adjudicate {workspace.argument} --push` brings those that are still open"
        )


def _report_unpulled(workspace: Workspace, lost: Lost) -> None:
    """Says if a copy has answers that are no judgments: its pull was cut off before it had taken them over."""
    if not lost.target.judges:
        return
    judged = set(map(number_of, keys_of(read_judgments(workspace)))) if shards(workspace) else set()
    answers = (answer for copy in lost.copies for answer in _answers(copy))
    unpulled = sum(name in lost.todo and number not in judged for name, _, number in answers)
    if unpulled:
        say(
            f"{lost.target.name}: {counted(unpulled, 'answer is', 'answers are')} of a pull that was cut off; the next "
            f"pull holds what it does not know as imported, and `tashika annotate pull {workspace.arguments} --accept "
            "imported` counts it"
        )


def _put_back(server: Server, lost: Lost, numbers: Mapping[tuple[str, int], int]) -> None:
    """Imports the tasks of the copies, one an item, with their answers."""
    page = lost.target.page
    project = lost.project or server.create_project(
        page.title,
        page.headline,
        page.xml,
        page.instructions,
        lost.target.people,
        words=isinstance(page, WordsPage | TextPage),
    )
    with bar(f"restoring {lost.target.name} answers", lost.answers) as advance:
        for batch in _batches(_tasks(lost, numbers)):
            for name, _ in batch:
                for task_id in lost.idle.get(name, ()):
                    server.delete_task(task_id)
            server.import_tasks(project.project_id, [task for _, task in batch])
            advance(sum(len(task.annotations) for _, task in batch))


def _batches(tasks: Iterable[tuple[str, NewTask]]) -> Iterator[list[tuple[str, NewTask]]]:
    batch: list[tuple[str, NewTask]] = []
    for task in tasks:
        batch.append(task)
        if len(batch) == _TASKS_AN_IMPORT:
            yield batch
            batch = []
    if batch:
        yield batch


def _tasks(lost: Lost, numbers: Mapping[tuple[str, int], int]) -> Iterator[tuple[str, NewTask]]:
    """Yields the tasks that have answers to put back, each with its name: of an item with several tasks one."""
    ahead = Counter(
        name for copy in lost.copies for task in tasks_of(copy.path) if (name := name_of(task)) in copy.tasks
    )
    waiting: dict[str, list[dict[str, Any]]] = {}
    for copy in lost.copies:
        for task in tasks_of(copy.path):
            name = name_of(task)
            if name not in copy.tasks or name not in lost.todo:
                continue
            answers = waiting.pop(name, [])
            answers += [
                _imported(entry, number, numbers[copy.server, entry["completed_by"]])
                for entry, number in _answers_of(task, copy)
            ]
            ahead[name] -= 1
            if ahead[name]:
                waiting[name] = answers
            elif answers:
                yield name, NewTask(task["data"], answers)


def _imported(annotation: Mapping[str, Any], number: int, author: int) -> dict[str, Any]:
    """An answer in the format of an import."""
    return {
        "id": number,
        "completed_by": author,
        "result": annotation["result"],
        "was_cancelled": bool(annotation.get("was_cancelled")),
        "lead_time": annotation.get("lead_time"),
        "ground_truth": bool(annotation.get("ground_truth")),
    }


def _open_accounts(
    server: Server, address: Address, workspace: Workspace, identity: str, losses: Sequence[Lost]
) -> dict[tuple[str, int], int]:
    """Sees to an account for everybody who has answered, and keeps what each was called.

    Returns:
        The number of each account here, by the server that it was on and its number there.
    """
    users = {email: number for number, email in server.users().items()}
    known = read_restored(workspace.annotation, identity)
    names = dict(known.people)
    numbers: dict[tuple[str, int], int] = {}
    made: list[str] = []
    seen = read_roster(workspace.root).accounts
    for copy in (copy for lost in losses for copy in lost.copies):
        for author, name in _names(workspace, copy).items():
            if copy.server == identity and author in users.values():
                numbers[copy.server, author] = author
                continue
            email = copy.users.get(author) or seen.get(copy.server, {}).get(author) or _stand_in(name)
            if email not in users:
                # Before the account is there: an interrupted restore finds it made, and would not name its password.
                _keep_password(workspace, email, password_for(email, address.token))
                open_account(address, server.invitation(), email, exists=False)
                users = {email: number for number, email in server.users().items()}
                made.append(email)
            numbers[copy.server, author] = users[email]
            names[users[email]] = name
    write_restored(workspace.annotation, identity, replace(known, people=names))
    _announce_accounts(workspace, [email for email in made if not _is_simulated(email)])
    return numbers


def _names(workspace: Workspace, copy: Copy) -> dict[int, str]:
    """What each author of a copy is called: as in the judgments, and who is in none as any account would be."""
    judged = {}
    if shards(workspace):
        table = having(read_judgments(workspace), "server", copy.server)
        judged = dict(zip(table["annotation_id"].to_pylist(), strings(table, "annotator"), strict=True))
    authors = {entry["completed_by"]: entry["id"] for _, entry, _ in _answers(copy)}
    users = {author: copy.users.get(author, "") for author in authors}
    usual = name_accounts(users, copy.server, workspace.annotation)
    # An answer that names somebody else's account has been judged as nobody's.
    known = {author: judged.get(entry, "") for author, entry in authors.items()}
    return {author: known[author] if known[author].startswith(SIMULATED) else usual[author].name for author in authors}


def _stand_in(name: str) -> str:
    """The address of an account whose own is not known."""
    return simulated_email(name) if name.startswith(SIMULATED) else f"{name}@{_NOBODY}"


def _is_simulated(email: str) -> bool:
    """Whether the address is that of a simulated annotator's account."""
    return email == simulated_email(email.partition("@")[0])


def _password_file(workspace: Workspace) -> Path:
    return workspace.annotation / "restored-passwords.json"


def _keep_password(workspace: Workspace, email: str, password: str) -> None:
    """Keeps the password of a person's new account where only this user can read it."""
    if not _is_simulated(email):
        path = _password_file(workspace)
        write_private_json(path, {**(read_json(path) if path.exists() else {}), email: password})


def _announce_accounts(workspace: Workspace, people: Sequence[str]) -> None:
    """Says which accounts were made, and where their passwords lie."""
    if not people:
        return
    path = _password_file(workspace)
    unknown = sum(email.endswith("@" + _NOBODY) for email in people)
    made = counted(len(people), "account is", "accounts are")
    say(f"{made} new; the passwords lie in {path}, which only you can read")
    if unknown:
        say(f"  of {unknown:,} the address is not known: find out whose they were, or invite these people again")
