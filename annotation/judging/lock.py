"""One writer at a time: two pushes side by side would each find the items missing and import them twice.

The lock is the kernel's (`flock`) and ends with the process that holds it, however that ends: a file that was left
behind locks nothing. In the file stands who holds the lock.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from tashika.core.errors import InputError
from tashika.core.progress import say

PATIENCE_SECONDS: Final = 120.0
"""Longer than a pull of 30,000 answers takes on a busy machine, which a watch makes again and again."""

_LOOK_SECONDS: Final = 0.1


class BusyError(InputError):
    """Another command has the directory."""


@contextmanager
def alone(directory: Path, *, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Holds a directory for this process while the block runs; waits for another command to finish, and says so.

    Args:
        directory: What is held; it is made where it is missing.
        patience: Seconds to wait at most; 0 not to wait.

    Raises:
        BusyError: Another process still holds it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    # Opened without emptying it: what is in there was written by whoever holds the lock.
    with (directory / ".lock").open("a+", encoding="utf-8") as file:
        _take(file, directory, patience)
        file.truncate(0)
        file.write(_own_name())
        file.flush()
        yield


def _take(file: TextIO, directory: Path, patience: float) -> None:
    if _is_taken(file):
        return
    holder, end = _holder(file), time.monotonic() + patience
    if patience > 0:
        say(f"waits for {holder} to finish, {patience:.0f} s at most")
    while time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)
        if _is_taken(file):
            return
    after = f" after {patience:.0f} s" if patience > 0 else ""
    hint = "Run the command again when it is done."
    raise BusyError(f"{_holder(file)} is still at work here{after}", where=str(directory), hint=hint)


def _is_taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(file: TextIO) -> str:
    """Who holds the lock, as it has written itself; it may not have come to that yet."""
    file.seek(0)
    return file.read(200).strip() or "another annotate command"


def _own_name() -> str:
    command = f"`tashika {' '.join(sys.argv[1:3])}`" if sys.argv[1:2] == ["annotate"] else "another annotate command"
    return f"{command} (process {os.getpid()})"
