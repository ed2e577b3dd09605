"""What every test stands on: no network but loopback, no model hub, no settings of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from hypothesis import settings

from tashika.core import hints
from tashika.core.threads import set_thread_defaults
from tests.hostile import Trap

# Tests run beside each other, a process a core; threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.update(
    HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false"
)
set_thread_defaults()  # as the command line does; the tests of models would crawl beside other work


pytest_plugins = ["tests.browser", "tests.cluster", "tests.studio"]

SHARED: Final = frozenset({"browser", "ray", "studio"})
"""Fixtures that start what takes long, once a process: the tests that use one are slow, and run in one process."""

# No test is timed. Elsewhere hypothesis looks for new examples in every run; a check of a submission gives the same
# answer twice.
settings.register_profile("ours", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "ours")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Spreads the tests over processes by file, those that share a server or a cluster together, the slow ones first.

    It wraps the others, since the groups are read in a hook of pytest-xdist.
    """
    for item in items:
        if SHARED.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    groups = {item: _group(item) for item in items}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (groups[item] not in SHARED, item.path not in slow))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item]))
    yield
    if getattr(config.option, "loadgroup", False) and items and "@" not in items[0].nodeid:
        raise pytest.UsageError("these versions of pytest and pytest-xdist do not keep groups of tests together")


def _group(item: pytest.Item) -> str:
    """What is run by one process: the tests of a server (in a browser or not), of a cluster, or of a file."""
    shared = SHARED.intersection(getattr(item, "fixturenames", ()))
    return max(shared) if shared else str(item.path)


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TASHIKA_") and name != "TASHIKA_LABEL_STUDIO_BIN"]:
        monkeypatch.delenv(name)
    hints.remember([])  # a command that another test has run in this process


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    """Tells whether code out of a file has run; nor may the user be asked whether it should."""
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("the user was asked whether code may run"))
    return Trap(tmp_path)


@pytest.fixture
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is too long from 1 MiB on, since what is longer than the real limit takes long to make."""
    monkeypatch.setattr("tashika.core.bounded.LONGEST_LINE", 1 << 20)


@pytest.fixture
def threads_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment in which nobody has said anything of threads."""
    for name in [name for name in os.environ if name.startswith(("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_"))]:
        monkeypatch.delenv(name)


class Ran(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def tashika(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process, as a shell would see it."""
    from tashika.core.cli import main

    def run(*arguments: str | Path) -> Ran:
        monkeypatch.setattr("sys.argv", ["tashika", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(left.code is not None)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run
