"""How the threads of a process wait, and how many there are: defaults for this process and for those that it starts.

The threads of a model meet at a barrier after each operation. There an OpenMP runtime lets them loop for milliseconds
before they sleep, which takes the core from the very thread that they wait for as soon as another process is busy:
then a model runs ten to forty times more slowly. So they sleep after some microseconds, and there are no more of them
than cores. What the user has set stays as it is.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

LIMIT: Final = "OMP_NUM_THREADS"
"""OpenMP's limit, which MKL and OpenBLAS take as theirs where they have none of their own."""

ONE_THREAD: Final = MappingProxyType(dict.fromkeys((LIMIT, "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
"""For processes that compute little, or that there is one of for each core."""

_PASSIVE: Final = MappingProxyType({"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "1000"})
"""Threads wait asleep. GNU's runtime, which torch brings, loops 1,000 times first, some 10 to 50 microseconds: without
that an idle machine scores short texts with a quarter more time, with it a busy one hardly notices."""

_WAITING: Final = (*_PASSIVE, "KMP_BLOCKTIME", "KMP_LIBRARY")
"""Where a user may say how threads wait: OpenMP's own variable, GNU's, Intel's."""


def core_count(cgroups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """The cores that this process may use: those it is bound to, or fewer where a container's quota is lower.

    Args:
        cgroups: Where the system lists the control groups of this process.
        root: Where it shows their settings.
    """
    return min([_bound_to(), *(max(1, math.floor(quota)) for quota in _quotas(cgroups, root))])


def thread_defaults(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a process needs beside those of an environment.

    The number of threads is left to the runtimes where there is no quota: they count the cores that they are bound to,
    and MKL leaves out those that are a core's second thread. No runtime knows of quotas.
    """
    defaults = {} if any(name in environment for name in _WAITING) else dict(_PASSIVE)
    cores = core_count()
    if LIMIT not in environment and cores < _bound_to():
        defaults[LIMIT] = str(cores)
    return defaults


def with_thread_defaults(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment, this process's if None, with the defaults for what it does not say."""
    known = os.environ if environment is None else environment
    return {**known, **thread_defaults(known)}


def set_thread_defaults() -> None:
    """Sets the defaults for this process; the runtimes read them once, when torch is imported."""
    os.environ.update(thread_defaults(os.environ))


@contextmanager
def variables(values: Mapping[str, str | None]) -> Iterator[None]:
    """Sets variables, or removes those with None, for processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    _put(values)
    try:
        yield
    finally:
        _put(before)


def default_limit_removed() -> Mapping[str, str | None]:
    """For `variables`: no limit of ours for processes that somebody else, such as Ray, gives one each."""
    without = {name: value for name, value in os.environ.items() if name != LIMIT}
    ours = os.environ.get(LIMIT) == thread_defaults(without).get(LIMIT)
    return {LIMIT: None} if ours else {}


def _put(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _bound_to() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(cgroups: Path, root: Path) -> Iterator[float]:
    """How many cores each control group around this process may keep busy, for those that have a limit.

    A container often sees its own group as the root, whatever the list names; so the root counts as well.
    """
    for line in _text(cgroups).splitlines():
        _, controllers, place = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = root / controllers if controllers else root
        group = top / place.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(top):
                yield from _quota(folder)


def _quota(folder: Path) -> Iterator[float]:
    """The limit in a folder of either version of control groups, in cores."""
    now = _text(folder / "cpu.max").split()
    before = [_text(folder / name).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")]
    quota, period = now if len(now) == 2 else before
    if quota.isdigit() and period.isdigit() and int(period):  # "max" and -1 are no limit
        yield int(quota) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
