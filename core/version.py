"""Which Tashika this is, and which day: what manifests and pages say of how numbers came about."""

from __future__ import annotations

import os
import subprocess
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tashika.core.errors import InputError

_ROOT: Final = Path(__file__).resolve().parents[1]
_CHANGED: Final = "-dirty"
_SECONDS: Final = 10


@cache
def installed_version() -> str:
    """The version of the toolkit."""
    return version("tashika")


@cache
def source_commit() -> str | None:
    """The commit of a checkout, with `-dirty` behind it where files differ from it; None for an installed package."""
    if not (_ROOT / ".git").exists():
        return None
    words = ["git", "-C", str(_ROOT), "describe", "--always", "--abbrev=12", "--exclude=*", f"--dirty={_CHANGED}"]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):  # no git here, or a checkout of somebody else
        return None
    return result.stdout.strip() or None


def now() -> int:
    """Seconds since 1970; SOURCE_DATE_EPOCH in their place, by which the same work gives the same bytes.

    Raises:
        InputError: SOURCE_DATE_EPOCH is no number.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if stated is None:
        return int(time.time())
    if not stated.isdigit():
        raise InputError(f"found SOURCE_DATE_EPOCH={stated!r}, expected seconds since 1970")
    return int(stated)


def today() -> str:
    """The day in UTC, such as `2026-11-23`."""
    return time.strftime("%Y-%m-%d", time.gmtime(now()))
