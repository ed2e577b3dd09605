"""The names of the accounts of a server, also of one to which a lost server was restored.

A pseudonym is made of server and account number. A restored server has another identity and other numbers, so what each
account was called before is kept in `restored.json`: names and numbers, nobody's address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tashika.annotation.judging.people import Person, name_people, read_salt
from tashika.annotation.judging.same import read_same
from tashika.annotation.labelstudio.account import write_private_json
from tashika.core.errors import InputError
from tashika.core.files import read_json


@dataclass(frozen=True)
class Restored:
    """What is known of a server to which another one was restored.

    Attributes:
        people: What the accounts were called before, by their number.
        origins: The servers whose answers it has, by the name of the project; only projects that are complete.
        asked_again: Projects, by name, in which people were to be asked again what they had said on other servers.
    """

    people: Mapping[int, str] = field(default_factory=dict)
    origins: Mapping[str, Sequence[str]] = field(default_factory=dict)
    asked_again: Sequence[str] = ()

    def with_project(self, name: str, servers: Sequence[str]) -> Restored:
        """As this, with one more project that is complete."""
        return replace(self, origins={**self.origins, name: sorted(set(servers) | set(self.origins.get(name, ())))})


def restored_file(directory: Path) -> Path:
    """Where it lies."""
    return directory / "restored.json"


def read_restored(directory: Path, server: str) -> Restored:
    """What is known of a server to which another one was restored; nothing of any other server.

    Raises:
        InputError: The file is damaged.
    """
    path = restored_file(directory)
    if not path.exists():
        return Restored()
    try:
        content = read_json(path).get(server, {"people": {}, "origins": {}})
        people = {int(number): str(name) for number, name in content["people"].items()}
        origins = {str(name): [str(server) for server in servers] for name, servers in content["origins"].items()}
        return Restored(people, origins, [str(name) for name in content.get("asked_again", ())])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "Run `tashika annotate restore` again after you have deleted it; that writes a new one."
        raise InputError("this is no list of restored accounts", where=str(path), hint=hint) from error


def write_restored(directory: Path, server: str, restored: Restored) -> None:
    """Keeps what is known of a server to which another one was restored."""
    path = restored_file(directory)
    content = read_json(path) if path.exists() else {}
    write_private_json(path, {**content, server: asdict(restored)})


def name_accounts(users: Mapping[int, str], server: str, directory: Path) -> dict[int, Person]:
    """Names every account of a server, as it was called before where it was restored.

    Args:
        users: The e-mail address of each account, by its number.
        server: The server's identity.
        directory: Where the workspace's salt lies.
    """
    named = name_people(users, server, read_salt(directory))
    before = read_restored(directory, server).people
    return {
        number: replace(person, name=before[number]) if number in before and not person.simulated else person
        for number, person in named.items()
    }


def joined_accounts(users: Mapping[int, str], server: str, directory: Path) -> dict[int, Person]:
    """As `name_accounts`, with the name that counts of who is known from another server, see `same`."""
    same = read_same(directory)
    named = name_accounts(users, server, directory)
    return {number: replace(person, name=same.name(person.name)) for number, person in named.items()}
