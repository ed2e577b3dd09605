"""Names for annotators: pseudonyms for people, plain names for simulated annotators.

A pseudonym is a salted digest of server and account. The salt lies in the workspace, so that the same person keeps
one name there, and whoever sees a published judgment without the salt cannot tell the account.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tashika.annotation.labelstudio.account import write_private_json
from tashika.core.annotators import SIMULATED
from tashika.core.errors import InputError
from tashika.core.files import read_json

_SIMULATED = re.compile(rf"({SIMULATED}[1-9]\d*)@example\.com")


@dataclass(frozen=True)
class Person:
    """Who judged."""

    name: str
    simulated: bool


def simulated_email(name: str) -> str:
    """The e-mail address of a simulated annotator's account; example.com belongs to nobody."""
    return f"{name}@example.com"


def simulated_accounts(users: Mapping[int, str]) -> dict[int, str]:
    """The accounts of simulated annotators among those of a server: e-mail addresses by number."""
    return {number: email for number, email in users.items() if _SIMULATED.fullmatch(email)}


def read_salt(directory: Path) -> bytes:
    """The workspace's salt, made at the first call and readable by this user alone."""
    path = directory / "salt.json"
    if not path.exists():
        write_private_json(path, {"salt": secrets.token_hex(16)})
    try:
        return bytes.fromhex(read_json(path)["salt"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "this is no salt", where=str(path), hint="Restore it; without it people get new names."
        ) from error


def name_people(users: Mapping[int, str], server: str, salt: bytes) -> dict[int, Person]:
    """Names every account of a server.

    Args:
        users: The e-mail address of each account, by its number.
        server: The server's identity.
        salt: The workspace's.
    """
    return {number: _name(number, email, server, salt) for number, email in users.items()}


def _name(number: int, email: str, server: str, salt: bytes) -> Person:
    simulated = _SIMULATED.fullmatch(email)
    if simulated:
        return Person(simulated[1], True)
    return Person("annotator-" + hmac.digest(salt, f"{server}/{number}".encode(), "sha256").hex()[:10], False)
