"""Who was invited under which name, and which account is whose: a file that never leaves the machine.

Label Studio's community edition has one link for everybody, and checks no e-mail address. So each person is asked to
sign up with an address that was noted beside the name: the person's own, or one that stands for the name and receives
no mail. The server holds the accounts of all suites, so the file lies in the working directory, beside the suites.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from tashika.annotation.labelstudio.account import write_private_json
from tashika.core.errors import InputError
from tashika.core.files import read_json

NO_MAIL = "annotate.invalid"
"""The domain of addresses that stand for a name; `.invalid` belongs to nobody (RFC 2606)."""

_ADDRESS = re.compile(r"[^\s@<>,;:\"'()]+@[^\s@<>,;:\"'()]+\.[^\s@<>,;:\"'()]+")


@dataclass(frozen=True)
class Invited:
    """A person who was invited.

    Attributes:
        name: As the invitation addresses the person.
        email: What the person signs up with, in small letters.
        parts: The parts that are the person's, by suite; no entry for all.
    """

    name: str
    email: str
    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def gets_mail(self) -> bool:
        """Whether the address is the person's own."""
        return not self.email.endswith(f"@{NO_MAIL}")


@dataclass(frozen=True)
class Roster:
    """What is known of people.

    Attributes:
        invited: Who was invited by name, in order.
        accounts: The e-mail address of every account that was seen on a server, by its number, by server; the server
            that was seen last is the last.
    """

    invited: tuple[Invited, ...] = ()
    accounts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def named(self, email: str) -> Invited | None:
        """Who was invited under an address."""
        return next((person for person in self.invited if person.email == email.lower()), None)


def roster_file(work: Path) -> Path:
    """Where the file lies."""
    return work / "people.json"


def read_roster(work: Path) -> Roster:
    """What is known of people; nothing where there is no file.

    Raises:
        InputError: The file is broken.
    """
    path = roster_file(work)
    if not path.exists():
        return Roster()
    content = read_json(path)
    try:
        invited = tuple(Invited(**person) for person in content["invited"])
        accounts = {
            str(server): {int(number): str(email) for number, email in known.items()}
            for server, known in content["accounts"].items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "Restore it, or remove it and invite people by name again; no answer is lost."
        raise InputError("this is no list of people", where=str(path), hint=hint) from error
    return Roster(invited, accounts)


def write_roster(work: Path, roster: Roster) -> None:
    """Writes the file, which nobody else on the machine can read."""
    work.mkdir(parents=True, exist_ok=True)
    content: dict[str, Any] = {"invited": [asdict(person) for person in roster.invited], "accounts": roster.accounts}
    write_private_json(roster_file(work), content)


def see_accounts(roster: Roster, server: str, users: Mapping[int, str]) -> Roster:
    """The roster with the accounts that a server has now, as the last of the servers.

    Accounts that it had before stay, for their answers' sake.
    """
    others = {name: known for name, known in roster.accounts.items() if name != server}
    return replace(roster, accounts={**others, server: {**roster.accounts.get(server, {}), **users}})


def invite(roster: Roster, texts: Iterable[str], suite: str | None = None, parts: Sequence[int] = ()) -> Roster:
    """The roster with more people in it; who is invited again keeps what is not said anew.

    Args:
        roster: Who was invited before.
        texts: A name, an e-mail address, or both as `Anna Kern <anna@example.org>`.
        suite: The suite that `parts` are of.
        parts: Which parts are theirs; empty to leave that as it is.

    Raises:
        InputError: A text is neither, or the address is another person's.
    """
    for text in texts:
        name, email = parse_person(text)
        before = next((person for person in roster.invited if person.name == name), None)
        email = email or (before.email if before else _address_for(name, roster))
        other = roster.named(email)
        if other and other.name != name:
            raise InputError(
                f"{email} belongs to {other.name}", where=repr(text), hint="Give each person an address of their own."
            )
        assigned = {**(before.parts if before else {}), **({suite: list(parts)} if suite and parts else {})}
        person = Invited(name, email, assigned)
        others = [person if known.name == name else known for known in roster.invited]
        roster = replace(roster, invited=tuple(others if before else [*others, person]))
    return roster


def parse_person(text: str) -> tuple[str, str]:
    """The name and the e-mail address, which may be empty, that a text names.

    Raises:
        InputError: It names nobody.
    """
    name, email = parseaddr(text) if "@" in text else (text, "")
    name, email = " ".join(name.split()), email.lower()
    problem = bool(email) and not _ADDRESS.fullmatch(email)
    problem = problem or any(bracket in name for bracket in "<>") or ("@" in text and not email)
    if problem or not (name or email) or any(ord(letter) < 32 for letter in name):
        hint = "Give a name, an e-mail address, or both as 'Anna Kern <anna@example.org>'."
        raise InputError(f"expected a person, found {text!r}", where="NAME", hint=hint)
    return name or email, email


def _address_for(name: str, roster: Roster) -> str:
    """An address that stands for a name, unlike those of others; a name without Latin letters gets a number."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:40] or "person"
    taken = {person.email for person in roster.invited}
    number, address = 1, f"{stem}@{NO_MAIL}"
    while address in taken:
        number += 1
        address = f"{stem}-{number}@{NO_MAIL}"
    return address
