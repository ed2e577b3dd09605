"""What every test stands on: no network but loopback, no model hub, no settings of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from tashika.core.threads import set_thread_defaults

os.environ.update(
    HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false"
)
set_thread_defaults()  # as the command line does; the tests of models would crawl beside other work


# No test is timed. Elsewhere hypothesis looks for new examples in every run; a check of a submission gives the same
# answer twice.
settings.register_profile("ours", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "ours")


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TASHIKA_") and name != "TASHIKA_LABEL_STUDIO_BIN"]:
        monkeypatch.delenv(name)


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
