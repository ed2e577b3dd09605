"""Forgets a person who has withdrawn consent: what he or she answered and decided, on the server and in the files.

Taken out are judgments, decisions of an adjudicator and answers to trainings, with drafts, pseudonyms and the address:
on the server, in the copies of the pulls, in the lists of people. What was counted of the judgments is removed before
these are. No copy is kept. An interrupted run is completed by the next one. What was published is beyond reach: it is
named, with what to do.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.adjudicating.decisions import ADJUDICATION, adjudication_file, read_recorded
from tashika.annotation.adjudicating.pages import adjudication_page, not_adjudicated
from tashika.annotation.gold.trained import read_trained, write_trained
from tashika.annotation.judging.accounts import joined_accounts, restored_file
from tashika.annotation.judging.backups import copies_of_all, manifest_file, read_manifest, tasks_of
from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.forget import derived_files, keep_in_shard
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.mixing import projects_of
from tashika.annotation.judging.returning import find_annotator
from tashika.annotation.judging.roster import Roster, read_roster, write_roster
from tashika.annotation.judging.same import read_same, write_same
from tashika.annotation.labelling import all_pages
from tashika.annotation.labelstudio.account import ADMIN, open_private, write_private_json
from tashika.annotation.labelstudio.client import Project, Server
from tashika.core.audit import read_audit, record, redact
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import read_json, replacing, write_rows
from tashika.core.progress import bar, say
from tashika.core.workspace import Workspace

_CONFIRM = "Add --yes to take it out. It cannot be brought back: no copy is kept."
_TASKS_AN_EXPORT = 500


@dataclass(frozen=True)
class Person:
    """Who shall be forgotten, as far as a suite knows.

    Attributes:
        names: The pseudonyms on all servers, and the name of an adjudicator.
        emails: The e-mail addresses, in small letters.
    """

    names: frozenset[str]
    emails: frozenset[str]

    def is_account(self, server: str, users: Mapping[int, str], directory: Path) -> set[int]:
        """Which accounts of a server are the person's."""
        named = joined_accounts(users, server, directory)
        return {
            number
            for number, email in users.items()
            if named[number].name in self.names or email.lower() in self.emails
        }


@dataclass(frozen=True)
class Left:
    """What a person left.

    Attributes:
        judgments: How many rows of judgments.
        decisions: How many decisions as an adjudicator.
        trained: How many answers in trainings.
        copies: The copies of the pulls with answers, drafts or the address.
        account: The number of the account on the server; None if there is none, or the server is left alone.
        projects: The projects of the suite on the server in which the account has answered.
        elsewhere: The titles of other projects on the server in which it has.
        derived: What was made of the judgments.
    """

    judgments: int
    decisions: int
    trained: int
    copies: Sequence[Path]
    account: int | None
    projects: Sequence[Project]
    elsewhere: Sequence[str]
    derived: Sequence[Path]

    def lines(self) -> list[str]:
        """What would be taken out."""
        lines = []
        if self.projects:
            named = ", ".join(f"{project.project_id} {project.title!r}" for project in self.projects)
            lines.append(f"server: the answers in {named}")
        if self.account is not None:
            lines.append(f"server: the account {self.account}" if not self.elsewhere else "server: no account")
        counts = ((self.judgments, "judgment"), (self.decisions, "decision"), (self.trained, "answer in trainings"))
        lines += [f"workspace: {counted(count, what)}" for count, what in counts if count]
        if self.copies:
            copies = counted(len(self.copies), "copy", "copies")
            lines.append(f"workspace: what {copies} of the pulls have of this person")
        if self.derived:
            lines.append(f"what was counted with these votes: {', '.join(path.name for path in self.derived)}")
        return lines


def forget_person(
    server: Server | None, workspace: Workspace, text: str, *, yes: bool = False, dry: bool = False
) -> None:
    """Takes out what a person answered and decided, and the names by which the person is known.

    Args:
        server: Where the person answered; None to leave the server alone.
        workspace: Where the judgments lie.
        text: A pseudonym, an e-mail address, the name of an invitation, or that of an adjudicator.
        yes: Whether that is meant.
        dry: Only say what would be done.

    Raises:
        InputError: Nobody is known by it, or neither `yes` nor `dry` is given.
        OutsideError: The server failed; the next run resumes from there.
    """
    with nullcontext() if dry or not yes else alone(workspace.annotation):
        person = _who(workspace, text)
        left = _look(server, workspace, person)
        for line in left.lines():
            say(f"{'takes' if yes and not dry else 'would take'} out {line}")
        for title in left.elsewhere:
            say(f"the account has answers in {title!r} too, and stays: forget the person in that suite")
        if not dry and not yes:
            raise InputError("nothing has been taken out yet", where=str(workspace.annotation), hint=_CONFIRM)
        released = _release_lines(workspace)
        if not dry:
            _take_out(server, workspace, person, left)
        after = () if dry else _after(workspace, left)
        for line in (*after, *released):
            say(line)


def _who(workspace: Workspace, text: str) -> Person:
    """The person whom a text names.

    Raises:
        InputError: Nobody is known by it.
    """
    roster, same = read_roster(workspace.root), read_same(workspace.annotation)
    deciding = {row["adjudicator"] for row in read_recorded(workspace)}
    try:
        names = same.all_names(find_annotator(workspace, roster, text, "NAME"))
    except InputError:
        if text not in deciding:
            raise
        names = {text}
    everybody = _accounts(workspace, roster)
    emails = {
        users[number].lower()
        for server, users in everybody.items()
        for number, person in joined_accounts(users, server, workspace.annotation).items()
        if person.name in names and not person.simulated and users[number]
    }
    if ADMIN in emails:
        hint = "Make another account for who runs the server, or use `vote --leave-out` to count without these answers."
        raise InputError("the administrator's account of the server is not forgotten", where="NAME", hint=hint)
    return Person(frozenset(names), frozenset(emails))


def _accounts(workspace: Workspace, roster: Roster) -> dict[str, dict[int, str]]:
    """The addresses of all accounts that are known, by number, by server."""
    known = {server: dict(users) for server, users in roster.accounts.items()}
    for path in copies_of_all(workspace):
        manifest = read_manifest(path)
        if manifest is not None:
            known.setdefault(manifest.server, {}).update(manifest.users)
    return known


def _look(server: Server | None, workspace: Workspace, person: Person) -> Left:
    """Finds what a person left, and changes nothing."""
    judgments = read_judgments(workspace)["annotator"].to_pylist() if shards(workspace) else []
    account: int | None = None
    projects: list[Project] = []
    elsewhere: list[Project] = []
    if server is not None:
        users = server.users()
        numbers = person.is_account(server.identity(), users, workspace.annotation)
        account = min(numbers, default=None)
        of_suite = {project.project_id for project in _suite_projects(server, workspace)}
        for project in server.projects() if numbers else ():
            if any(numbers & task.users for task in server.tasks(project.project_id)):
                (projects if project.project_id in of_suite else elsewhere).append(project)
    return Left(
        sum(name in person.names for name in judgments),
        sum(row["adjudicator"] in person.names for row in read_recorded(workspace)),
        sum(row["annotator"] in person.names for row in read_trained(workspace)),
        [path for path in copies_of_all(workspace) if _is_in_copy(workspace, path, person)],
        account,
        projects,
        [project.title for project in elsewhere],
        derived_files(workspace) if person.names.intersection(judgments) else [],
    )


def _suite_projects(server: Server, workspace: Workspace) -> Iterator[Project]:
    """The suite's projects on a server, its trainings and those of the adjudicators."""
    yield from (project for _, project in projects_of(server, workspace))
    titles = {adjudication_page(page).title for page in all_pages(workspace.suite) if not not_adjudicated(page)}
    yield from (project for project in server.projects() if project.title in titles)


def _take_out(server: Server | None, workspace: Workspace, person: Person, left: Left) -> None:
    """The server first, since a pull would bring its answers back; the judgments, by which copies are read, last."""
    if server is not None:
        _clear_server(server, workspace, person, left)
    for path in left.derived:
        path.unlink(missing_ok=True)
    (workspace.annotation / "report.html").unlink(missing_ok=True)
    for path in left.copies:
        _clear_copy(workspace, path, person)
    decisions = read_recorded(workspace)
    if left.decisions:
        kept = [row for row in decisions if row["adjudicator"] not in person.names]
        write_rows(adjudication_file(workspace), kept, ADJUDICATION)
    if left.trained:
        write_trained(workspace, [row for row in read_trained(workspace) if row["annotator"] not in person.names])
    for path in shards(workspace):
        keep_in_shard(path, lambda table: compute.invert(_said_by(table, person.names)))
    _clear_lists(workspace, person)
    counts = {"judgments": left.judgments, "decisions": left.decisions, "copies": len(left.copies)}
    redact(workspace.base, person.names)
    record(workspace.base, "annotate-forget", counts)


def _said_by(table: pa.Table, names: Collection[str]) -> Any:
    return compute.is_in(table["annotator"], value_set=pa.array(sorted(names), pa.string()))


def _clear_server(server: Server, workspace: Workspace, person: Person, left: Left) -> None:
    """Deletes the answers one by one, and the account, with which the drafts go."""
    users = server.users()
    numbers = person.is_account(server.identity(), users, workspace.annotation)
    for project in left.projects:
        tasks = [task.task_id for task in server.tasks(project.project_id) if task.users & numbers]
        with bar(f"forgetting answers in project {project.project_id} (tasks)", len(tasks)) as advance:
            for start in range(0, len(tasks), _TASKS_AN_EXPORT):
                part = tasks[start : start + _TASKS_AN_EXPORT]
                for task in json.loads(b"".join(server.export(project.project_id, part))):
                    for entry in task["annotations"]:
                        if entry.get("completed_by") in numbers:
                            server.delete_annotation(int(entry["id"]))
                advance(len(part))
    for number in numbers if not left.elsewhere else ():
        server.delete_account(number)


def _is_in_copy(workspace: Workspace, path: Path, person: Person) -> bool:
    """Whether a copy has an answer or a draft of a person, or its manifest the address."""
    manifest = read_manifest(path)
    if manifest and person.is_account(manifest.server, manifest.users, workspace.annotation):
        return True
    is_theirs = _judge_of(workspace, path, person)
    return any(
        any(map(is_theirs, task["annotations"])) or any(map(is_theirs, task.get("drafts") or ()))
        for task in tasks_of(path)
    )


def _judge_of(workspace: Workspace, path: Path, person: Person) -> Any:
    """What says of an answer or a draft of a copy whether it is the person's; without a manifest by the judgments."""
    manifest = read_manifest(path)
    numbers = person.is_account(manifest.server, manifest.users, workspace.annotation) if manifest else set()
    judged: set[int] = set()
    if manifest is None and shards(workspace):
        table = read_judgments(workspace)
        judged = {row["annotation_id"] for row in table.filter(_said_by(table, person.names)).to_pylist()}

    def is_theirs(entry: Mapping[str, Any]) -> bool:
        author = entry.get("completed_by", entry.get("user"))
        return (
            author in numbers
            or str(author).lower() in person.emails
            or ("completed_by" in entry and entry.get("id") in judged)
        )

    return is_theirs


def _clear_copy(workspace: Workspace, path: Path, person: Person) -> None:
    """Writes a copy anew without a person, under the name that its new content gives it."""
    is_theirs = _judge_of(workspace, path, person)
    manifest = read_manifest(path)
    content = path.with_name(f".{path.name}.forgetting")
    content.unlink(missing_ok=True)
    digest = hashlib.sha256()
    with replacing(content) as temporary, open_private(temporary) as raw, gzip.open(raw, "wb", 6) as file:
        for chunk in _json_list(_without(task, is_theirs) for task in tasks_of(path)):
            digest.update(chunk)
            file.write(chunk)
    stem = path.name.removesuffix(".json.gz").rpartition("-")[0]
    anew = path.with_name(f"{stem}-{digest.hexdigest()[:16]}.json.gz")
    if manifest is not None:
        numbers = person.is_account(manifest.server, manifest.users, workspace.annotation)
        users = {number: email for number, email in manifest.users.items() if number not in numbers}
        write_private_json(manifest_file(anew), asdict(replace(manifest, users=users)))
    content.rename(anew)
    if anew != path:
        path.unlink()
        manifest_file(path).unlink(missing_ok=True)


def _without(task: dict[str, Any], is_theirs: Any) -> dict[str, Any]:
    lists = [name for name in ("annotations", "drafts") if name in task]
    return {**task, **{name: [entry for entry in task[name] or () if not is_theirs(entry)] for name in lists}}


def _json_list(values: Iterator[Any]) -> Iterator[bytes]:
    start = b"["
    for value in values:
        yield start + json.dumps(value, ensure_ascii=False).encode()
        start = b","
    yield b"[]" if start == b"[" else b"]"


def _clear_lists(workspace: Workspace, person: Person) -> None:
    """Takes the person out of the lists of accounts and names; out of `people.json` where no other suite needs it."""
    same = read_same(workspace.annotation)
    names = {other: name for other, name in same.names.items() if not person.names & {other, name}}
    addresses = {digest: name for digest, name in same.addresses.items() if name not in person.names}
    write_same(workspace.annotation, replace(same, names=names, addresses=addresses))
    passwords = workspace.annotation / "restored-passwords.json"
    if passwords.exists():
        kept = {email: word for email, word in read_json(passwords).items() if email.lower() not in person.emails}
        write_private_json(passwords, kept)
    if restored_file(workspace.annotation).exists():
        content = read_json(restored_file(workspace.annotation))
        for known in content.values():
            known["people"] = {number: name for number, name in known["people"].items() if name not in person.names}
        write_private_json(restored_file(workspace.annotation), content)
    others = _suites_with(workspace, person)
    if others:
        say(f"people.json keeps name and address, since {', '.join(others)} may have judgments of this person")
        return
    roster = read_roster(workspace.root)
    accounts = {
        server: {number: email for number, email in users.items() if email.lower() not in person.emails}
        for server, users in roster.accounts.items()
    }
    invited = tuple(known for known in roster.invited if known.email not in person.emails)
    if (accounts, invited) != (roster.accounts, roster.invited):
        write_roster(workspace.root, Roster(invited, accounts))


def _suites_with(workspace: Workspace, person: Person) -> list[str]:
    """The other suites of the working directory in which the person has judged."""
    roster, suites = read_roster(workspace.root), []
    for path in sorted(workspace.root.glob("*/annotation/judgments")):
        other = Workspace(workspace.root, path.parent.parent.name)
        if other.suite == workspace.suite or not shards(other):
            continue
        judged = set(read_judgments(other)["annotator"].to_pylist())
        for server, users in _accounts(other, roster).items():
            theirs = {number: email for number, email in users.items() if email.lower() in person.emails}
            if judged & {known.name for known in joined_accounts(theirs, server, other.annotation).values()}:
                suites.append(other.suite)
                break
    return suites


def _after(workspace: Workspace, left: Left) -> list[str]:
    """What is to be done after the person was taken out."""
    lines = []
    if left.derived:
        lines.append(f"the verdicts are stale: `tashika annotate vote {workspace.arguments}` counts the other votes")
    if left.decisions:
        lines.append("items that this person decided are open again where the votes do not decide them")
    if left.account is None:
        lines.append("no account on a server was looked for or found; a pull from one that has it brings answers back")
    lines.append("files that were written elsewhere (`--csv`, `--out`, copies of the folder) are not known here")
    return lines


def _release_lines(workspace: Workspace) -> list[str]:
    """Releases that still have the person's votes, and what to do about them."""
    lines = []
    if (workspace.release / "release.json").exists():
        version = read_json(workspace.release / "release.json").get("version")
        lines.append(
            f"the release {version} in {workspace.release} still has single judgments or verdicts of this person: "
            f"after a vote, set a higher version and run `tashika export {workspace.arguments}`"
        )
    try:
        log = read_audit(workspace.base)
    except InputError as error:
        return [*lines, f"which versions were published is not known, since the log is damaged: {error}"]
    entries = [(entry["what"], entry.get("facts") or {}) for entry in log]
    withdrawn = {(facts["repo"], facts["tag"]) for what, facts in entries if what == "publish-withdraw"}
    for what, facts in entries:
        if what == "publish" and (facts["repo"], facts["tag"]) not in withdrawn:
            tag, repo = facts.get("tag"), facts.get("repo")
            command = f"tashika publish {workspace.arguments} --repo {repo} --withdraw {tag} --reason TEXT"
            lines.append(f"published as {tag} at {repo}, with these judgments: `{command}` withdraws it")
    return list(dict.fromkeys(lines))
