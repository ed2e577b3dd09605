"""A scorer in a process of its own, for work that cannot be done twice beside each other in one process.

Training is such work: dropout draws from random numbers that all threads of a process share.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa

from tashika.core.errors import OutsideError, TashikaError
from tashika.core.progress import console, say
from tashika.evaluate.engine.recipe import Advance, Recipe, Scorer

_POLL_SECONDS: Final = 0.5
"""How often a scorer that waits for its process checks whether the run is to stop."""

_PATIENCE: Final = 5.0
"""Seconds that a process has to end when it is asked to."""

_CONTEXT: Final = multiprocessing.get_context("spawn")
"""Forked processes inherit threads' locks, and cannot use CUDA."""


class ProcessScorer:
    """A scorer whose model lives in another process of this machine; what it prints is printed here.

    It is a context manager: the process ends with it, in the middle of its work if need be. If this process is killed,
    the other one ends as well.

    Args:
        recipe: What the scorer is made from; it is sent to the process with this process's number of threads.
        device: Where the model runs.
    """

    def __init__(self, recipe: Recipe, device: str) -> None:
        self._pipe, there = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(there, recipe.pinned(), device), daemon=True)
        self._process.start()
        there.close()  # or its end would not be seen

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.close()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()

    def prepare(self, start: int, stop: int) -> tuple[int, int]:
        """The bounds of a stretch; its texts are made in the process."""
        return start, stop

    def run(self, prepared: tuple[int, int], advance: Advance = lambda _: None) -> pa.Table:
        """The predictions of a stretch.

        Raises:
            OutsideError: The process died.
            Exception: What the scorer raised in its process.
        """
        with suppress(OSError):  # it is dead, which `_received` finds and reports
            self._pipe.send(prepared)
        while True:
            while not self._pipe.poll(_POLL_SECONDS):
                advance(0)  # raises if the run is to stop
            message = self._received()
            if isinstance(message, str):
                say(message)
            elif isinstance(message, Exception):
                raise message
            else:
                advance(prepared[1] - prepared[0])
                return message

    def table(self, _prepared: tuple[int, int], result: pa.Table) -> pa.Table:
        """The predictions as they are."""
        return result

    def _received(self) -> str | Exception | pa.Table:
        try:
            message: str | Exception | pa.Table = self._pipe.recv()
            return message
        except (EOFError, OSError) as error:
            self._process.join(_PATIENCE)
            code = self._process.exitcode
            raise OutsideError(
                f"a scoring process died with exit code {code}",
                hint="The machine may lack memory for so many beside each other: name fewer with --device. "
                "Finished shards are kept.",
            ) from error


class _Lines:
    """Stands for the terminal in the process: sends each whole line to the process that shows it."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._rest, self._lock = pipe, "", threading.Lock()

    def write(self, text: str) -> int:
        """Sends the lines that are whole now."""
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
            for line in lines:
                if line.strip():
                    self._pipe.send(line.rstrip())
        return len(text)

    def flush(self) -> None:
        """Does nothing: half a line waits for its other half."""


def _work(pipe: Connection, recipe: Recipe, device: str) -> None:
    """The process: scores the stretches whose bounds come through the pipe until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    lines: Any = _Lines(pipe)
    console.file = lines
    scorer: Scorer | None = None
    while True:
        try:
            start, stop = pipe.recv()
        except EOFError:
            return
        try:
            scorer = scorer or recipe.scorer(device)
            prepared = scorer.prepare(start, stop)
            reply: Any = scorer.table(prepared, scorer.run(prepared))
        except Exception as error:
            reply = _portable(error)
        pipe.send(reply)


def _portable(error: Exception) -> Exception:
    """The error as it can be sent, with its traceback, which would be lost on the way."""
    if isinstance(error, TashikaError):
        return error
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    except Exception:  # some exceptions of libraries cannot be sent
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(traceback.format_exc())
    return error


def _end_with_parent() -> None:
    """Ends this process if the first one is killed; it would notice only when its stretch is done."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
