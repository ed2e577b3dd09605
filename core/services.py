"""Servers on loopback: a free port, a start, a wait until it answers, and an end that leaves nothing behind.

What ends a process of ours, and what then ends the servers and commands that it has started:

| it is ended by | they end because |
|---|---|
| its own work, an error | it stops them on the way out |
| Ctrl-C, SIGTERM, SIGHUP (the terminal was closed) | these become exceptions: `ended_politely` |
| a second one of these meanwhile | `stop` then kills at once, and leaves nothing out |
| SIGKILL, out of memory | on Linux the kernel ends them: `core.binding` |
"""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain, repeat
from pathlib import Path
from typing import Final

from tashika.core.binding import start_bound
from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say
from tashika.core.threads import with_thread_defaults

LOOPBACK = "127.0.0.1"
_POLL_SECONDS = 0.2
CALLED: Final = "_TASHIKA_CALLED"
"""Stands in the environment of commands that `call` runs."""

_GRACE_SECONDS = 15.0
_PATIENCE_SECONDS: Final = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""After so long a wait for a server a line says that it still starts."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end."""


def free_port() -> int:
    """A port on loopback that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def require_free(port: int) -> None:
    """Makes sure that a server can listen there.

    Raises:
        InputError: Somebody listens on the port already.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            hint = "Give another one with --port, or leave it out: then a free one is taken."
            raise InputError(f"port {port} cannot be used: {error.strerror}", hint=hint) from error


def wait_until_up(url: str, process: subprocess.Popen[bytes] | None, *, name: str, seconds: float, log: Path) -> None:
    """Waits until `url` answers with status 200.

    Raises:
        OutsideError: The process ended, or the time is over; the message ends with the last lines of the log.
    """
    import httpx

    begin = time.monotonic()
    pauses = chain(_PATIENCE_SECONDS, repeat(math.inf))
    patience = next(pauses)
    while (waited := time.monotonic() - begin) < seconds:
        if waited >= patience:
            say(f"{name}: still starting after {timedelta(seconds=int(waited))}; its messages are in {log}")
            patience = next(pauses)
        if process is not None and process.poll() is not None:
            raise OutsideError(f"{name} ended with code {process.returncode} while starting", hint=tail(log))
        try:
            if httpx.get(url, timeout=5.0, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(_POLL_SECONDS)
    raise OutsideError(f"{name} did not answer at {url} within {seconds:.0f} s", hint=tail(log))


def knows(url: str, headers: Mapping[str, str]) -> bool:
    """Whether a server answers at `url` with status 200 to whoever sends these headers."""
    import httpx

    try:
        return httpx.get(url, headers=dict(headers), timeout=10.0, trust_env=False).status_code == 200
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


@contextmanager
def running(
    command: Sequence[str],
    *,
    name: str,
    health: str,
    log: Path,
    seconds: float = 180.0,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server while the block runs; ends it, and whatever it started, also after an error or Ctrl-C.

    Args:
        command: The program and its arguments. Never a secret: those go into `environment`.
        name: The server in plain words.
        health: An address that answers with status 200 once it is up.
        log: Where its output goes.
        seconds: How long to wait for it.
        environment: Its variables, those of this process if None; `core.threads` adds its defaults.
        folder: The directory that it runs in.

    Raises:
        OutsideError: It did not start.
    """
    with start(command, log=log, environment=environment, folder=folder) as process:
        try:
            wait_until_up(health, process, name=name, seconds=seconds, log=log)
            yield process
        finally:
            stop(process)


def start(
    command: Sequence[str],
    *,
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a server in a process group of its own, its output in `log`; it is killed where this process is."""
    log.parent.mkdir(parents=True, exist_ok=True)
    private = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)  # a server may log addresses
    with os.fdopen(private, "ab") as output:
        return start_bound(
            command,
            signal.SIGKILL,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=with_thread_defaults(environment),
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a server and its process group: politely first, then at once; at once too if somebody cannot wait."""
    with _hurried(process):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            _end_group(process, sign)
            if _ended_within(process, _GRACE_SECONDS):
                break
        process.wait()


def _end_group(process: subprocess.Popen[bytes], sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, sign)


@contextmanager
def _hurried(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While the block runs, a signal to end kills the process, and is raised again when the block is over.

    Otherwise a second Ctrl-C would leave the wait for the server, and the server would stay.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal comes here
        return
    came: list[int] = []

    def hurry(number: int, _frame: object) -> None:
        came.append(number)
        _end_group(process, signal.SIGKILL)

    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):
            signal.signal(number, hurry)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def ended_politely() -> Iterator[None]:
    """Turns SIGTERM and SIGHUP into exceptions while the block runs, so that servers are stopped on the way out.

    A command that was started with `nohup` still ignores SIGHUP.
    """

    def leave(number: int, _frame: object) -> None:
        if number == signal.SIGHUP:
            _forget_terminal()
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _forget_terminal() -> None:
    """Lets output go nowhere where it went to a terminal: that one is gone, and each line would be an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        if os.isatty(output):
            os.dup2(nowhere, output)
    os.close(nowhere)


def call(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Runs a command to its end and returns its exit code; leaves it the time to clean up when this process must go.

    Ctrl-C in a terminal reaches the command as well, so it is only waited for; a termination signal is passed on.

    Args:
        command: The program and its arguments.
        environment: Its variables, those of this process if None; `core.threads` adds its defaults.
    """
    variables = {**with_thread_defaults(environment), CALLED: "1"}
    process = start_bound(command, signal.SIGTERM, env=variables)
    try:
        return process.wait()
    except KeyboardInterrupt:
        _ended_within(process, _GRACE_SECONDS)
        raise
    finally:
        if process.poll() is None:
            process.terminate()
            if not _ended_within(process, _GRACE_SECONDS):
                process.kill()
                process.wait()


def _ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a server's log, for an error."""
    if not log.exists():
        return f"Its log, {log}, was not written."
    last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
    return "\n  ".join([f"The end of {log}:", *last])
