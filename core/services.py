"""Servers on loopback: a free port, a start, a wait until it answers, and an end that leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tashika.core.errors import InputError, OutsideError
from tashika.core.threads import with_thread_defaults

LOOPBACK = "127.0.0.1"
_POLL_SECONDS = 0.2
_GRACE_SECONDS = 15.0


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

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            raise OutsideError(f"{name} ended with code {process.returncode} while starting", hint=_tail(log))
        try:
            if httpx.get(url, timeout=5.0, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(_POLL_SECONDS)
    raise OutsideError(f"{name} did not answer at {url} within {seconds:.0f} s", hint=_tail(log))


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
    """Starts a server in a process group of its own, its output in `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    private = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)  # a server may log addresses
    with os.fdopen(private, "ab") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=with_thread_defaults(environment),
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a server and its process group: politely first, then at once."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        if _ended_within(process, _GRACE_SECONDS):
            break
    process.wait()


@contextmanager
def ended_politely() -> Iterator[None]:
    """Turns a termination signal into an exception while the block runs, so that servers are stopped on the way out."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def call(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Runs a command to its end and returns its exit code; leaves it the time to clean up when this process must go.

    Ctrl-C in a terminal reaches the command as well, so it is only waited for; a termination signal is passed on.

    Args:
        command: The program and its arguments.
        environment: Its variables, those of this process if None; `core.threads` adds its defaults.
    """
    process = subprocess.Popen(command, env=with_thread_defaults(environment))
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


def _tail(log: Path, lines: int = 12) -> str:
    if not log.exists():
        return f"Its log, {log}, was not written."
    last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
    return "\n  ".join([f"The end of {log}:", *last])
