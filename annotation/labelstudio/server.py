"""A Label Studio of one's own: SQLite, loopback, nobody signs up without the link, nothing is sent anywhere."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

from tashika.annotation.labelstudio.account import Account, account_file, keep_account, read_account
from tashika.annotation.labelstudio.insertion import insertion_environment
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.services import LOOPBACK, free_port, knows
from tashika.core.threads import ONE_THREAD, with_thread_defaults

BIN_VARIABLE = "TASHIKA_LABEL_STUDIO_BIN"
SETUP_PLACE = Path(".servers/labelstudio/bin/label-studio")
"""Where `make setup` puts the server, in an environment of its own."""


def find_program(environment: Mapping[str, str]) -> str:
    """The label-studio program: the variable's, the one of `make setup`, or the one on the PATH.

    Raises:
        InputError: No such program is installed.
    """
    named = environment.get(BIN_VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise InputError("there is no program that can be run", where=f"{BIN_VARIABLE}={named}")
        return named
    if os.access(SETUP_PLACE, os.X_OK):
        return str(SETUP_PLACE.absolute())
    program = shutil.which("label-studio", path=environment.get("PATH"))
    if not program:
        hint = f"Run `make setup`, which installs it in .servers/labelstudio, or set {BIN_VARIABLE}."
        raise InputError("Label Studio is not installed", hint=hint)
    return program


def server_environment(account: Account, data: Path) -> dict[str, str]:
    """The settings that the server needs; its defaults accept connections from anywhere and let anybody sign up.

    The token and the password go this way because a command line can be read by every user of the machine.
    """
    return {
        "LABEL_STUDIO_BASE_DATA_DIR": str(data.absolute()),
        "LABEL_STUDIO_HOST": account.url,
        "LABEL_STUDIO_USERNAME": account.email,
        "LABEL_STUDIO_PASSWORD": account.password,
        "LABEL_STUDIO_USER_TOKEN": account.token,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
        "LABEL_STUDIO_SENTRY_DSN": "",
        "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
        "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
        "LABEL_STUDIO_LOG_LEVEL": "WARNING",
    }


def serve(data: Path, port: int | None) -> None:
    """Becomes the Label Studio server: this process ends where that one begins, so Ctrl-C ends it and leaves nothing.

    Args:
        data: Its database, its files and the account; made on the first start.
        port: Where it listens; None for the port of the last start if that is free, else any free one.

    Raises:
        InputError: Label Studio is not installed, the port is taken, or a server runs on this data already.
    """
    program = find_program(os.environ)
    before = read_account(data)
    if before and before.url and _answers(before):
        hint = "Use it as it is, or end it before you start another."
        raise InputError(f"a server is running on this data already, at {before.url}", where=str(data), hint=hint)
    port = _port(port, before)
    account = keep_account(data, f"http://{LOOPBACK}:{port}")
    _announce(account, data, first=before is None)
    command = [program, "start", "--no-browser", "--internal-host", LOOPBACK, "--port", str(port)]
    # Beside a model that works, it shall not hold a thread for each core: it computes nothing.
    variables = {**ONE_THREAD, **with_thread_defaults(), **server_environment(account, data)}
    variables |= insertion_environment(os.environ)
    os.execve(program, command, variables)


def _port(wanted: int | None, before: Account | None) -> int:
    if wanted is None:
        last = int(before.url.rpartition(":")[2]) if before and before.url else 0
        return last if last and _is_free(last) else free_port()
    if not _is_free(wanted):
        hint = "Choose another with --port, or leave it out."
        raise InputError(f"port {wanted} is taken", where=f"{LOOPBACK}:{wanted}", hint=hint)
    return wanted


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _answers(account: Account) -> bool:
    """Whether the server of this account runs; another server on its old port would not know the token."""
    return knows(f"{account.url}/api/current-user/whoami", {"Authorization": f"Token {account.token}"})


def _announce(account: Account, data: Path, *, first: bool) -> None:
    wait = "the first start takes up to a minute" if first else "a start takes a few seconds"
    say(f"Label Studio on {account.url} ({wait}; Ctrl-C ends it)")
    say(f"  log in as {account.email}; the password lies in {account_file(data)}, which only you can read")
    say(f"  its data lies in {data}; it listens to this machine alone")
