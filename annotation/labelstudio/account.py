"""Where the Label Studio server is, and the token that opens it.

The environment names it for any server. A server that `tashika annotate serve` started on this machine leaves an
account beside its data, which nobody else on the machine can read.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from tashika.core.addresses import checked_key, warn_if_readable
from tashika.core.errors import InputError
from tashika.core.files import read_json, replacing
from tashika.core.progress import say

ADMIN = "admin@example.com"
URL_VARIABLE = "TASHIKA_LABEL_STUDIO_URL"
TOKEN_VARIABLE = "TASHIKA_LABEL_STUDIO_TOKEN"
PUBLIC_URL_VARIABLE = "TASHIKA_LABEL_STUDIO_PUBLIC_URL"
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")


@dataclass(frozen=True)
class Account:
    """The administrator of a local server.

    Attributes:
        email: What to log in with.
        password: Likewise.
        token: Opens the API.
        url: Where programs on this machine reach the server that was started last; empty before the first start.
        public_url: Where people reach it; empty where that is `url`.
    """

    email: str
    password: str
    token: str
    url: str = ""
    public_url: str = ""


@dataclass(frozen=True)
class Address:
    """A server and the token for it.

    Attributes:
        url: Where this program reaches the server.
        token: Opens its API.
        public_url: Where people reach it; empty where that is `url`.
    """

    url: str
    token: str
    public_url: str = ""

    @property
    def shown(self) -> str:
        """The address that goes into links for people."""
        return self.public_url or self.url

    def __repr__(self) -> str:
        return f"Address({self.url!r})"


def account_file(data: Path) -> Path:
    """Where the account of a data directory lies."""
    return data / "account.json"


def local_data(work: Path) -> Path:
    """The default data directory of the local server."""
    return work / "label-studio"


def read_account(data: Path) -> Account | None:
    """The account of a data directory, None before the first start.

    Raises:
        InputError: The file is broken.
    """
    path = account_file(data)
    if not path.exists():
        return None
    try:
        account = Account(**read_json(path))
    except TypeError:
        account = None
    if account is None or not _is_whole(account):
        hint = "Put back what `tashika annotate serve` wrote there; the server's data are beside it, and are kept."
        raise InputError("this is no account of a local Label Studio", where=str(path), hint=hint)
    return account


def _is_whole(account: Account) -> bool:
    """Whether all of an account that was read from a file is text, and its addresses are some."""
    fields = asdict(account).values()
    return all(isinstance(field, str) for field in fields) and all(
        not url or is_url(url) for url in (account.url, account.public_url)
    )


def keep_account(data: Path, url: str, public_url: str = "") -> Account:
    """Makes the account on the first start, notes the server's addresses, and keeps all from other users."""
    close_folder(data)
    account = read_account(data) or Account(ADMIN, secrets.token_urlsafe(16), secrets.token_hex(20))
    account = replace(account, url=url, public_url=public_url)
    write_private_json(account_file(data), asdict(account))
    return account


def close_folder(directory: Path) -> None:
    """Makes a folder that nobody but this user can open, or closes one that others can open, and says so.

    Raises:
        InputError: It belongs to another user.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    mode = stat.S_IMODE(directory.stat().st_mode)
    if not mode & 0o077:
        return
    try:
        directory.chmod(mode & 0o700)
    except PermissionError as error:
        hint = "It would have passwords and tokens. Name a folder of your own, or a new one."
        raise InputError("other users can open this folder", where=str(directory), hint=hint) from error
    say(f"other users could open {directory}; now only you can")


def write_private_json(path: Path, value: object) -> None:
    """Writes JSON that only this user may read, from its first byte on."""
    write_private_text(path, json.dumps(value, indent=2))


def write_private_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Writes text that only this user may read, from its first byte on."""
    with replacing(path) as temporary, open_private(temporary) as file:
        file.write(text.encode(encoding))


def open_private(path: Path) -> BinaryIO:
    """Opens a new file for writing that only this user may read, from its first byte on."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def is_url(text: str) -> bool:
    """Whether the text is the address of a server, without a user, a query or a fragment."""
    try:
        return bool(_URL.fullmatch(text)) and bool(urlsplit(text).hostname) and urlsplit(text).port != 0
    except ValueError:  # a port that is no number or too high, or half of an IPv6 address
        return False


def find_address(work: Path, url: str | None, token: str | None) -> Address:
    """The server to speak to: options or environment first, then the local server's account.

    The local token is never sent anywhere but to the local server.

    Raises:
        InputError: No address of a server is given, or no token for it.
    """
    local = read_account(local_data(work))
    url = (url or (local.url if local else "")).rstrip("/")
    if not url:
        raise InputError(
            "no Label Studio server is known",
            hint=f"Start one with `tashika annotate serve`, or set {URL_VARIABLE} and {TOKEN_VARIABLE}.",
        )
    if not is_url(url):
        raise InputError(f"{url!r} is no address of a server; expected something like http://127.0.0.1:8080")
    own = local if local and url in (local.url, local.public_url) else None
    token = checked_key(token or (own.token if own else ""), TOKEN_VARIABLE)
    if not token:
        raise InputError(
            "there is no token for this server",
            where=url,
            hint=f"Set {TOKEN_VARIABLE}; Label Studio shows it under Account & Settings.",
        )
    warn_if_readable(url, "the token")
    return Address(url, token, own.public_url if own else "")
