"""One writer at a time: two pushes side by side would each find the items missing and import them twice."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tashika.core.errors import InputError


class BusyError(InputError):
    """Another command has the directory."""


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Holds a directory for this process while the block runs; the lock ends with the process, however it ends.

    Raises:
        BusyError: Another process holds it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "Wait until it is done, then run the command again."
            raise BusyError("another annotate command is at work here", where=str(directory), hint=hint) from error
        yield
