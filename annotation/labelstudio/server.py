"""A Label Studio of one's own: nobody signs up without the link, nothing is sent anywhere.

By default it listens to this machine alone and keeps its data in SQLite: see `reach` for people
elsewhere. Label Studio's own variables pass through, such as those that name a PostgreSQL server.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tashika.annotation.labelstudio.account import Account, account_file, keep_account, read_account
from tashika.annotation.labelstudio.insertion import insertion_environment
from tashika.annotation.labelstudio.reach import THIS_MACHINE, Reach
from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say
from tashika.core.services import free_port, knows, running, tail
from tashika.core.threads import ONE_THREAD, with_thread_defaults

BIN_VARIABLE = "TASHIKA_LABEL_STUDIO_BIN"
SETUP_PLACE = Path(".servers/labelstudio/bin/label-studio")
"""Where `make setup` puts the server, in an environment of its own."""

NAME: Final = "Label Studio"
_START_SECONDS: Final = 1_800.0
"""A new version changes a large database at its first start."""

_PREFIXES = ("LABEL_STUDIO_", "HEARTEX_", "")
"""What Label Studio's variables may begin with, in the order in which it looks."""


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
        hint = f"Run `make setup`, and this command in that folder; or name the program in {BIN_VARIABLE}."
        raise InputError("there is no Label Studio here", where=str(SETUP_PLACE.absolute()), hint=hint)
    return program


def server_environment(account: Account, data: Path, reach: Reach) -> dict[str, str]:
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
        **reach.variables(),
    }


def database(environment: Mapping[str, str]) -> str:
    """Where the server keeps projects and answers, in words; empty for SQLite beside its other data."""
    if _variable(environment, "DJANGO_DB", "sqlite") == "sqlite":
        return ""
    host, port = (_variable(environment, f"POSTGRE_{name}", default) for name, default in _POSTGRESQL_PLACE)
    return f"the PostgreSQL database {_variable(environment, 'POSTGRE_NAME', 'postgres')} on {host}:{port}"


_POSTGRESQL_PLACE = (("HOST", "localhost"), ("PORT", "5432"))


def _variable(environment: Mapping[str, str], name: str, default: str) -> str:
    """A setting of Label Studio's from the environment, as it reads it."""
    return next((environment[prefix + name] for prefix in _PREFIXES if prefix + name in environment), default)


def serve(data: Path, port: int | None, reach: Reach = THIS_MACHINE, next_step: str = "") -> None:
    """Runs the Label Studio server until Ctrl-C or a signal to end; what it prints goes to its log.

    Args:
        data: Its database, its files, its log and the account; made on the first start.
        port: Where it listens; None for the port of the last start if that is free, else any free one.
        reach: What it binds to, and where people find it.
        next_step: What to do once it is ready.

    Raises:
        InputError: Label Studio is not installed, the port is taken, or a server runs on this data already.
        OutsideError: It did not start, or ended by itself; the message has the last lines of its log.
    """
    program = find_program(os.environ)
    before = read_account(data)
    if before and before.url and _answers(before):
        hint = "Use it as it is, or end it before you start another."
        raise InputError(f"a server is running on this data already, at {before.url}", where=str(data), hint=hint)
    port = _port(port, before, reach.host)
    account = keep_account(data, f"http://{reach.local_host}:{port}", reach.public_url)
    command = [program, "start", "--no-browser", "--internal-host", reach.host, "--port", str(port)]
    # Beside a model that works, it shall not hold a thread for each core: it computes nothing.
    variables = {**ONE_THREAD, **with_thread_defaults(), **server_environment(account, data, reach)}
    variables |= insertion_environment(os.environ)
    os.umask(0o077)  # the database has everybody's tokens, also where the user has made the folder for it
    wait = "a start takes a few seconds" if before else "the first start takes up to a minute"
    say(f"starting Label Studio ({wait}; Ctrl-C ends it); its messages go to {_fresh_log(data)}")
    health, log = f"{account.url}/health", log_file(data)
    with (
        _ended_by_interrupt(data),
        running(command, name=NAME, health=health, log=log, seconds=_START_SECONDS, environment=variables) as process,
    ):
        _announce(account, data, reach, before)
        say(next_step) if next_step else None
        code = process.wait()
        raise OutsideError(f"{NAME} ended by itself with code {code}", hint=tail(log))


def log_file(data: Path) -> Path:
    """Where the server of a data directory writes its messages."""
    return data / "label-studio.log"


def _fresh_log(data: Path) -> Path:
    """Begins a log anew, and keeps that of the start before: Label Studio writes thousands of lines in a day's work."""
    log = log_file(data)
    if log.exists():
        log.replace(log.with_suffix(".before.log"))
    return log


@contextmanager
def _ended_by_interrupt(data: Path) -> Iterator[None]:
    """Takes Ctrl-C for the end of the server, as it is meant."""
    try:
        yield
    except KeyboardInterrupt:
        place = database(os.environ) or str(data)
        say(f"{NAME} has ended; what people answered is kept in {place}, and the same command starts it again")


def _port(wanted: int | None, before: Account | None, host: str) -> int:
    if wanted is None:
        last = int(before.url.rpartition(":")[2]) if before and before.url else 0
        return last if last and not _problem(last, host) else free_port()
    problem = _problem(wanted, host)
    if problem:
        raise InputError(
            f"port {wanted} {problem}", where=f"{host}:{wanted}", hint="Choose another one or leave it out."
        )
    return wanted


def _problem(port: int, host: str) -> str | None:
    """Why no server can listen there; None if one can."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
    return None


def _answers(account: Account) -> bool:
    """Whether the server of this account runs; another server on its old port would not know the token."""
    return knows(f"{account.url}/api/current-user/whoami", {"Authorization": f"Token {account.token}"})


def _announce(account: Account, data: Path, reach: Reach, before: Account | None) -> None:
    say(f"ready at {account.public_url or account.url}")
    say(f"  sign in as {account.email}; the password is in {account_file(data)}, which only you can read")
    place = database(os.environ)
    say(f"  data: {place}; its key and its files in {data}" if place else f"  data: {data}")
    for line in _who_reaches_it(account, reach):
        say(f"  {line}")
    if before and before.public_url and not account.public_url:
        say(f"  at the last start people reached it at {before.public_url}; without --public-url they cannot log in")


def _who_reaches_it(account: Account, reach: Reach) -> list[str]:
    lines = []
    if not reach.is_open:
        lines.append("it listens to this machine alone")
    elif reach.has_tls:
        lines.append(f"it listens on {reach.host} without TLS: let a firewall admit nobody but the proxy")
    if account.public_url:
        lines.append(f"people open {account.public_url}; a proxy there must pass on to {account.url}")
    if reach.leaves_the_machine:
        lines.append("WARNING: there is no TLS, so whoever is on the network can read passwords and answers")
    return lines
