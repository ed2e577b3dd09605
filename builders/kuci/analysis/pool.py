"""Shards in several processes of this machine, one a core; a process that dies loses its shard only.

The standard library's pools either hang or give everything up when a process is killed. Here each process has a pipe
of its own: when it dies the pipe ends, a new process is started and the shard is done again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from types import FrameType
from typing import Any, Final

from tashika.builders.kuci.analysis.devices import VISIBLE
from tashika.builders.kuci.analysis.work import MOST_ATTEMPTS, Result, Shard, Worker, with_place
from tashika.core.errors import OutsideError
from tashika.core.threads import ONE_THREAD, variables

_PATIENCE: Final = 5.0
"""Seconds that a process has to end when it is asked to."""


def pool_results(
    shards: Iterator[Shard], packed: bytes, processes: int, devices: Sequence[str] = ()
) -> Generator[tuple[Shard, Result]]:
    """Gives the result of each shard, in whatever order they come.

    No more shards are in memory than there are processes. When the generator is closed, the processes end.

    Args:
        shards: To do.
        packed: See `work.pack`.
        processes: How many.
        devices: CUDA devices, one for each process at least, as `CUDA_VISIBLE_DEVICES` names them; none: no process
            is given one.

    Raises:
        OutsideError: A shard ended its process `MOST_ATTEMPTS` times.
    """
    pool = _Pool(packed, devices)
    attempts: Counter[int] = Counter()
    again: deque[Shard] = deque()
    try:
        while True:
            while len(pool.busy) < processes and (shard := again.popleft() if again else next(shards, None)):
                attempts[shard.number] += 1
                pool.give(shard)
            if not pool.busy:
                return
            for shard, reply in pool.replies():
                if isinstance(reply, int):
                    _check_attempts(shard, attempts[shard.number], reply)
                    again.append(shard)
                    continue
                if isinstance(reply, Exception):
                    raise reply
                del attempts[shard.number]
                yield shard, reply
    finally:
        pool.close()


def _check_attempts(shard: Shard, attempts: int, code: int) -> None:
    if attempts >= MOST_ATTEMPTS:
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise OutsideError(
            f"its process died {attempts} times, at last with {how}",
            where=shard.where,
            hint="The machine may lack memory for so many processes, or a sentence kills the analyser: "
            "with smaller shards the message shows where. What was done is kept.",
        )


@dataclass(eq=False)
class _Member:
    """A process, this side's end of its pipe, its CUDA device if any, and the shard that it works on."""

    process: Any
    pipe: connection.Connection
    device: str | None = None
    shard: Shard | None = None

    def end(self) -> int:
        """Ends the process; its exit code, negative for a signal."""
        self.pipe.close()
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        code: int = self.process.exitcode
        self.process.close()
        return code


class _Pool:
    """Processes with what they work on."""

    def __init__(self, packed: bytes, devices: Sequence[str]) -> None:
        self._packed, self._devices = packed, devices
        self._members: list[_Member] = []

    @property
    def busy(self) -> list[_Member]:
        """Those that have a shard."""
        return [one for one in self._members if one.shard is not None]

    def give(self, shard: Shard) -> None:
        """Gives a shard to a process that has none, or to a new one."""
        member = next((one for one in self._members if one.shard is None), None) or self._start()
        member.shard = shard
        with suppress(OSError):  # it is dead; `replies` finds the end of the pipe and reports it
            member.pipe.send(shard.inputs)

    def replies(self) -> list[tuple[Shard, Result | Exception | int]]:
        """Waits; gives the results that came, and the exit code of those processes that died."""
        ready = connection.wait([one.pipe for one in self.busy])
        return [self._reply(one) for one in self.busy if one.pipe in ready]

    def _reply(self, member: _Member) -> tuple[Shard, Result | Exception | int]:
        shard = member.shard
        assert shard is not None  # it is busy
        member.shard = None
        try:
            return shard, member.pipe.recv()
        except (EOFError, OSError):
            self._members.remove(member)
            return shard, member.end()

    def _start(self) -> _Member:
        here, there = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_work, args=(there, self._packed), daemon=True)
        # numpy reads these when it is imported. Each process has one core, whatever the user lets one process have, and
        # on more threads sums come out in another order.
        taken = {member.device for member in self._members}
        device = next((name for name in self._devices if name not in taken), None)
        with variables(ONE_THREAD if device is None else {**ONE_THREAD, VISIBLE: device}):
            process.start()
        there.close()  # or its end would not be seen
        member = _Member(process, here, device)
        self._members.append(member)
        return member

    def close(self) -> None:
        """Ends all processes, in the middle of their shards."""
        for member in self._members:
            member.process.terminate()
        for member in self._members:
            member.end()
        self._members = []


_CONTEXT: Final = multiprocessing.get_context("spawn")
"""Forked processes inherit threads' locks, and what this process holds in memory."""


def _work(pipe: connection.Connection, packed: bytes) -> None:
    """The process: reduces what comes through the pipe until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    broken: Exception | None = None
    try:
        worker = Worker.unpacked(packed)
    except Exception as error:
        broken = with_place(error)
    while True:
        try:
            inputs = pipe.recv()
        except EOFError:
            return
        reply: Result | Exception
        try:
            reply = broken or worker.reduce(inputs)
        except Exception as error:
            reply = with_place(error)
        pipe.send(reply)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Ends the process as if it had come to its end, so that an analyser can end a program of its own."""
    sys.exit(0)


def _end_with_parent() -> None:
    """Ends this process if the first one is killed; it would notice only when its shard is done."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
