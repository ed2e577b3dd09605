"""A Ray cluster: the one that `RAY_ADDRESS` names, or one of this machine alone, which ends with its work."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, Final

from tashika.core.errors import InputError, OutsideError
from tashika.core.threads import default_limit_removed, variables

_LOCAL: Final = "local"
"""Ray's name for a new cluster of this machine."""


class Attempts:
    """Counts what was begun and has not come to an end: Ray starts an actor again without end if it dies each time."""

    def __init__(self) -> None:
        self._begun: Counter[str] = Counter()

    def begin(self, what: str) -> int:
        """How often this has been begun since it last came to an end."""
        self._begun[what] += 1
        return self._begun[what]

    def end(self, what: str) -> None:
        """It came to an end."""
        del self._begun[what]


def set_up(context: Any) -> None:
    """Lets Ray Data be silent, and wait for a result as long as it takes (it gives up after half an hour)."""
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_no_progress_timeout_s = -1


def ray_module() -> Any:
    """Ray with Ray Data, made ready for a cluster of this machine alone where no other is named, and silent.

    Raises:
        OutsideError: It is not installed.
    """
    if "ray" not in sys.modules:  # it reads these when it is imported
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
        if _address() == _LOCAL:
            # Ray keeps to 127.0.0.1 only where it thinks that it cannot make clusters. Even there other users of the
            # machine could give it work: hence the token, for which it would otherwise leave a file.
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray.data
    except ImportError as error:
        raise OutsideError("Ray is not installed", hint="pip install 'tashika[ray]'") from error
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setLevel(logging.CRITICAL)
    return ray


def _address() -> str:
    return os.environ.get("RAY_ADDRESS") or _LOCAL


@contextmanager
def cluster(ray: Any) -> Iterator[None]:
    """Connects to the cluster, or starts one; a connection that was there before is used and left.

    Raises:
        InputError: `RAY_ADDRESS` names what cannot be used.
        OutsideError: The cluster does not answer, or gives up.
    """
    begun = not ray.is_initialized()
    if begun:
        _connect(ray)
    try:
        with redirect_stdout(sys.stderr):  # Ray prints there when a worker has died
            yield
    except ray.exceptions.RayError as error:
        raise OutsideError(
            f"Ray gave up: {str(error).strip().splitlines()[-1]}",
            hint="Every machine of the cluster needs this version of tashika[ray]; what was done is kept.",
        ) from error
    finally:
        if begun:
            ray.shutdown()


def _connect(ray: Any) -> None:
    address = _address()
    where = None if address == _LOCAL else f"RAY_ADDRESS={address}"
    if address.startswith("ray://"):
        raise InputError(
            "Ray Client cannot run this",
            where=where,
            hint="Give HOST:PORT of the cluster's head and run this on one of its machines, or use `ray job submit`.",
        )
    handler = signal.getsignal(signal.SIGTERM)
    try:
        host, _, port = address.rpartition(":")
        if host:  # Ray itself would try for a quarter of an hour
            socket.create_connection((host, int(port)), timeout=10).close()
        with variables(default_limit_removed()):  # Ray lets a worker have as many threads as cores it claims
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
    except (RuntimeError, ValueError, OSError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise OutsideError(
            f"Ray cannot be used: {first}", where=where, hint="Its own logs and `ray status` have details."
        ) from error
    if signal.getsignal(signal.SIGTERM) is not handler:
        signal.signal(signal.SIGTERM, handler)  # Ray has set one of its own
