"""What is done with one shard of a text, in whatever process: its sentences are analysed and reduced to a table."""

from __future__ import annotations

import os
import pickle
import socket
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

import pyarrow as pa

from tashika.builders.kuci.analysis.records import Analyzer, Failure, Sentence
from tashika.core.errors import InputError, TashikaError

Input = tuple[str, str] | Failure
"""(sid, text), or (sid, KNP block), or what could not even be read."""

Factory = Callable[[], Analyzer]
"""Opens an analyser; picklable, such as `functools.partial(open_analyzer, "ginza", settings)`."""

MOST_ATTEMPTS = 3
"""How often a shard is begun, where the processes that work on it die."""


class Job(Protocol):
    """What becomes of analysed sentences; picklable, and the same rows in the same order whenever it is asked."""

    name: str
    """Names the shards' files."""

    schema: pa.Schema

    relations_only: bool
    """Whether sentences without a relation give no rows, so that they need not be analysed."""

    def open(self) -> None:
        """Loads what is needed, once in each process."""

    def rows(self, results: Iterable[Sentence | Failure]) -> pa.Table:
        """The rows of one shard, in the schema. Failures are in their places and kept elsewhere: skip them."""


class Shard(NamedTuple):
    """A stretch of the input.

    Attributes:
        number: From 0.
        inputs: In their order.
        key: Digest of the inputs, the job and the settings.
    """

    number: int
    inputs: list[Input]
    key: str

    @property
    def where(self) -> str:
        """From which sentence to which it goes."""
        first, last = ((one.sid if isinstance(one, Failure) else one[0]) for one in (self.inputs[0], self.inputs[-1]))
        return f"shard {self.number:05d} ({first} to {last})"


class Result(NamedTuple):
    """What was made of a shard.

    Attributes:
        table: The job's rows.
        failures: Sentences that could not be read or analysed.
        seconds: How long it took.
        worker: Who did it: a machine and a process.
    """

    table: pa.Table
    failures: list[Failure]
    seconds: float
    worker: str


class Worker:
    """Opens an analyser and a job once, and reduces one shard after the other.

    Raises:
        OutsideError: The analyser cannot be started.
    """

    def __init__(self, factory: Factory, job: Job) -> None:
        self._analyzer, self._job = factory(), job
        job.open()

    @classmethod
    def unpacked(cls, packed: bytes) -> Worker:
        """A worker in another process than the one that packed it."""
        factory, job = pickle.loads(packed)  # noqa: S301 - from the process that started this one
        return cls(factory, job)

    def reduce(self, inputs: list[Input]) -> Result:
        """Analyses sentences and reduces them."""
        started = time.monotonic()
        failures: list[Failure] = []
        results = _noting(_analyzed(self._analyzer, inputs, relations_only=self._job.relations_only), failures)
        table = self._job.rows(results)
        for _ in results:  # a job may leave some out at the end; the failures among them count
            pass
        table = table.select(self._job.schema.names).cast(self._job.schema).combine_chunks()
        return Result(table, failures, time.monotonic() - started, f"{socket.gethostname()}:{os.getpid()}")


def pack(factory: Factory, job: Job) -> bytes:
    """A worker's parts for another process.

    Raises:
        InputError: They cannot be sent to another process.
    """
    try:
        return pickle.dumps((factory, job))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(f"{job.name}: cannot be sent to another process: {error}") from error


def with_place(error: Exception) -> Exception:
    """The error with the machine and process that it was met in; its traceback would be lost on the way."""
    here = f"in process {os.getpid()} on {socket.gethostname()}"
    if isinstance(error, TashikaError):
        return type(error)(error.message, where=f"{error.where} ({here})" if error.where else here, hint=error.hint)
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    except Exception:  # some exceptions of libraries cannot travel
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"{here}:\n{traceback.format_exc()}")
    return error


def _analyzed(analyzer: Analyzer, inputs: list[Input], *, relations_only: bool) -> Iterator[Sentence | Failure]:
    """The results in the order of the input; what could not be read stays in its place."""
    readable = (one for one in inputs if not isinstance(one, Failure))
    results = iter(analyzer.analyze(readable, relations_only=relations_only))
    for one in inputs:
        if isinstance(one, Failure):
            yield one
            continue
        result = next(results, None)
        if result is None or result.sid != one[0]:
            given = "nothing" if result is None else result.sid
            raise RuntimeError(f"the analyser gave {given} where {one[0]} was due")
        yield result


def _noting(results: Iterable[Sentence | Failure], failures: list[Failure]) -> Iterator[Sentence | Failure]:
    for one in results:
        if isinstance(one, Failure):
            failures.append(one)
        yield one
