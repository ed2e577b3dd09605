from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tashika.core import threads as module
from tashika.core.threads import (
    LIMIT,
    core_count,
    default_limit_removed,
    set_thread_defaults,
    thread_defaults,
    variables,
    with_thread_defaults,
)

Machine = Callable[[int, int], None]


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Imitates a machine: the cores that this process is bound to, and how many of them a quota lets it use."""

    def imitate(bound: int, quota: int) -> None:
        monkeypatch.setattr(module, "_bound_to", lambda: bound)
        monkeypatch.setattr(module, "core_count", lambda: quota)

    return imitate


def test_threads_wait_asleep() -> None:
    defaults = thread_defaults({"PATH": "/bin"})
    assert (defaults["OMP_WAIT_POLICY"], defaults["GOMP_SPINCOUNT"]) == ("PASSIVE", "1000")


@pytest.mark.parametrize("name", ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"])
def test_how_the_user_lets_threads_wait_stays(name: str) -> None:
    assert {key: value for key, value in with_thread_defaults({name: "7"}).items() if key != LIMIT} == {name: "7"}


@pytest.mark.usefixtures("threads_unset")
def test_an_environment_of_ones_own_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLOUR", "red")
    assert with_thread_defaults()["COLOUR"] == "red"
    assert "COLOUR" not in with_thread_defaults({"SHAPE": "round"})


def test_a_quota_limits_the_threads(on: Machine) -> None:
    on(64, 4)
    assert thread_defaults({})[LIMIT] == "4"
    assert LIMIT not in thread_defaults({LIMIT: "12"})


def test_without_a_quota_the_runtimes_count_the_cores(on: Machine) -> None:
    on(64, 64)
    assert LIMIT not in thread_defaults({})


@pytest.mark.slow
@pytest.mark.usefixtures("threads_unset")
def test_torch_really_waits_so() -> None:
    """The runtime that torch brings shows what it has read where OMP_DISPLAY_ENV says so."""
    code = "from tashika.core.threads import set_thread_defaults; set_thread_defaults(); import torch"
    environment = {**os.environ, "OMP_DISPLAY_ENV": "VERBOSE"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loops = re.findall(r"GOMP_SPINCOUNT\s*=\s*'(\d+)'", done.stderr)
    if not loops:
        pytest.skip("this torch brings another runtime than GNU's")
    assert loops == ["1000"]  # 300000 if nothing is said


@pytest.mark.usefixtures("threads_unset")
def test_the_defaults_of_this_process_are_inherited() -> None:
    with variables({"OMP_WAIT_POLICY": None, "GOMP_SPINCOUNT": None}):
        set_thread_defaults()
        assert with_thread_defaults()["OMP_WAIT_POLICY"] == os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


@pytest.mark.usefixtures("threads_unset")
def test_variables_are_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with variables({"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}):
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "1")
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ


@pytest.mark.usefixtures("threads_unset")
@pytest.mark.parametrize(("said", "left"), [(None, None), ("4", None), ("12", "12")])
def test_only_our_own_limit_is_removed(
    monkeypatch: pytest.MonkeyPatch, on: Machine, said: str | None, left: str | None
) -> None:
    on(64, 4)
    if said is not None:
        monkeypatch.setenv(LIMIT, said)
    with variables(default_limit_removed()):
        assert os.environ.get(LIMIT) == left
    assert os.environ.get(LIMIT) == said


def groups(root: Path, listed: str, files: dict[str, str]) -> int:
    """The cores on a machine of 64 where the control groups are those of the files."""
    for name, content in files.items():
        path = root / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (root / "list").write_text(listed)
    return core_count(root / "list", root / "cgroup")


QUOTAS = {
    "none": ("0::/\n", {}, 64),
    "no limit": ("0::/user\n", {"user/cpu.max": "max 100000\n"}, 64),
    "its own": ("0::/user\n", {"user/cpu.max": "400000 100000\n"}, 4),
    "half a core is lost, not shared": ("0::/user\n", {"user/cpu.max": "250000 100000\n"}, 2),
    "less than one": ("0::/user\n", {"user/cpu.max": "50000 100000\n"}, 1),
    "of a group around it": ("0::/a/b/c\n", {"a/cpu.max": "300000 100000\n", "a/b/c/cpu.max": "800000 100000\n"}, 3),
    "a container sees its group as the root": ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
    "of another group": ("0::/a\n", {"b/cpu.max": "200000 100000\n"}, 64),
    "more than the cores": ("0::/a\n", {"a/cpu.max": "12800000 100000\n"}, 64),
    "version 1": (
        "4:memory:/x\n3:cpu,cpuacct:/docker/x\n1:name=systemd:/y\n",
        {"cpu,cpuacct/docker/x/cpu.cfs_quota_us": "500000\n", "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000\n"},
        5,
    ),
    "version 1 without a limit": (
        "3:cpu:/x\n",
        {"cpu/x/cpu.cfs_quota_us": "-1\n", "cpu/x/cpu.cfs_period_us": "100000\n"},
        64,
    ),
}


@pytest.mark.parametrize("case", QUOTAS)
def test_quotas_of_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.setattr(module, "_bound_to", lambda: 64)
    listed, files, expected = QUOTAS[case]
    assert groups(tmp_path, listed, files) == expected


def test_a_system_without_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_bound_to", lambda: 8)
    assert core_count(tmp_path / "missing", tmp_path) == 8


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to cores")
def test_cores_are_those_that_the_process_is_bound_to() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert core_count() == 1
    finally:
        os.sched_setaffinity(0, before)
