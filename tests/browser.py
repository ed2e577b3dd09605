"""A real browser without a window, started once a file of tests that use it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, sync_playwright

PROGRAM_VARIABLE: Final = "TASHIKA_CHROMIUM"
REQUIRED_VARIABLE: Final = "TASHIKA_BROWSER"
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What Chromium is called on the PATH."""

# Read before any test begins: tests run without the variables of the user.
_NAMED: Final = os.environ.get(PROGRAM_VARIABLE)
_REQUIRED: Final = bool(os.environ.get("CI") or os.environ.get(REQUIRED_VARIABLE))

_QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--metrics-recording-only",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
"""It asks nothing of the world outside, and needs neither a screen nor rights of its own."""


def find_chromium() -> str | None:
    """The program named by the variable, or the first on the PATH that has a known name."""
    return _NAMED or next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; the tests that use it are skipped where it is missing, unless the environment asks for them.

    It ends with the file, since an event loop runs in this process as long as it is open.
    """
    program = find_chromium()
    if program is None:
        missing = f"no Chromium on the PATH: run `make browser`, or name the program in {PROGRAM_VARIABLE}"
        if _REQUIRED:
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=_QUIET)
        yield chromium
        chromium.close()
