"""People who come back on another server: known by their e-mail addresses, or by the word of whoever holds the work.

A server that was lost takes its accounts with it, and people sign up anew. Their addresses are known from the copies of
the pulls and from `people.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tashika.annotation.judging.accounts import name_accounts
from tashika.annotation.judging.backups import folder, read_manifest
from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.people import read_salt
from tashika.annotation.judging.roster import Roster, read_roster
from tashika.annotation.judging.same import Same, address_digest, read_same, write_same
from tashika.annotation.judging.who import who_did_what
from tashika.core.audit import record
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.workspace import Workspace


def recognise(workspace: Workspace, server: str, users: Mapping[int, str]) -> None:
    """Joins the accounts of a server with those of the same address on servers that judgments were pulled from.

    The caller holds the lock of the folder.

    Args:
        workspace: Where the judgments lie.
        server: The server's identity.
        users: The e-mail address of each of its accounts, by number.
    """
    before = read_same(workspace.annotation)
    same = before
    for earlier in _earlier_servers(workspace, server):
        if earlier not in same.servers:
            same = _seen(workspace, same, earlier, _addresses_on(workspace, earlier))
    same = _seen(workspace, same, server, users)
    write_same(workspace.annotation, same)
    judged = set(strings(read_judgments(workspace), "annotator")) if shards(workspace) else set()
    joined = sum(name in judged for other, name in same.names.items() if other not in before.names)
    if joined:
        say(
            f"{counted(joined, 'account has', 'accounts have')} the address of somebody who is known from another "
            f"server: one person, whose last answer counts (`tashika annotate people {workspace.arguments}`)"
        )


def _seen(workspace: Workspace, same: Same, server: str, users: Mapping[int, str]) -> Same:
    """With the accounts of a server: who has an address that is known already is that person."""
    salt = read_salt(workspace.annotation)
    for number, person in sorted(name_accounts(users, server, workspace.annotation).items()):
        if person.simulated or not users[number]:
            continue
        digest = address_digest(users[number], salt)
        known = same.addresses.get(digest)
        if known is None:
            same = replace(same, addresses={**same.addresses, digest: person.name})
        elif same.name(known) != same.name(person.name) and not {known, person.name} & {*same.apart}:
            same = same.joined(known, person.name)
    return replace(same, servers=sorted({*same.servers, server}))


def _earlier_servers(workspace: Workspace, server: str) -> list[str]:
    """The other servers that judgments came from, in the order in which people answered there."""
    if not shards(workspace):
        return []
    table = read_judgments(workspace).sort_by("created_at")
    return [name for name in dict.fromkeys(strings(table, "server")) if name != server]


def _addresses_on(workspace: Workspace, server: str) -> dict[int, str]:
    """The addresses of the accounts that a server had, as far as they were kept."""
    users = dict(read_roster(workspace.root).accounts.get(server, {}))
    for path in sorted(folder(workspace).glob("*.json.gz")):
        manifest = read_manifest(path)
        if manifest is not None and manifest.server == server:
            users |= manifest.users
    return users


def join(workspace: Workspace, first: str, second: str) -> None:
    """Records that two annotators are one person: the last answer of the two counts, under the first one's name.

    Args:
        workspace: Where the judgments lie.
        first: A pseudonym, a name that somebody was invited by, or an e-mail address.
        second: Likewise.

    Raises:
        InputError: One of them is nobody, or both are the same annotator already.
    """
    with alone(workspace.annotation):
        same, roster = read_same(workspace.annotation), read_roster(workspace.root)
        names = [find_annotator(workspace, roster, text, "--same") for text in (first, second)]
        if same.name(names[0]) == same.name(names[1]):
            raise InputError(f"{first} and {second} are one annotator already, {names[0]}", where="--same")
        write_same(workspace.annotation, same.joined(*names))
        record(workspace.base, "annotate-people-same", people=names)
    say(f"{names[1]} is {names[0]} from now on; `tashika annotate vote {workspace.arguments}` counts the votes again")


def part(workspace: Workspace, pseudonym: str) -> None:
    """Records that an annotator is nobody else, though the address or `join` says so.

    Raises:
        InputError: The pseudonym is joined with no other.
    """
    with alone(workspace.annotation):
        same = read_same(workspace.annotation)
        if pseudonym not in {*same.names, *same.names.values()}:
            joined = ", ".join(f"{name} (counted as {known})" for name, known in same.names.items()) or "nobody"
            raise InputError(f"{pseudonym!r} is joined with nobody", where="--apart", hint=f"Joined are: {joined}.")
        write_same(workspace.annotation, same.parted(pseudonym))
        record(workspace.base, "annotate-people-apart", people=[pseudonym])
    say(f"{pseudonym} stands alone; `tashika annotate vote {workspace.arguments}` counts the votes again")


def find_annotator(workspace: Workspace, roster: Roster, text: str, where: str) -> str:
    """The pseudonym of a person who is named by it, by an invitation, or by an e-mail address.

    Raises:
        InputError: It is nobody's, or that of several people.
    """
    judged = strings(read_judgments(workspace), "annotator") if shards(workspace) else []
    known = read_same(workspace.annotation)
    if known.name(text) in judged or text in known.names:
        return known.name(text)
    digest = address_digest(text, read_salt(workspace.annotation))
    if digest in known.addresses or text in known.addresses.values():
        return known.name(known.addresses.get(digest, text))
    wanted = text.casefold()
    people = [person for person in who_did_what(workspace, roster) if person.annotator]
    names = {person.annotator for person in people if wanted in (person.name.casefold(), person.email.casefold())}
    names |= {person.annotator for person in people if person.annotator == text}
    if len(names) != 1:
        shown = ", ".join(sorted(f"{person.annotator} ({person.shown})" for person in people)[:20])
        message = f"{text!r} is {'several people' if names else 'nobody here'}"
        raise InputError(message, where=where, hint=f"Give a pseudonym. Known are: {shown or 'nobody'}.")
    return names.pop()
