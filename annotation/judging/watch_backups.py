"""Of the many copies of the answers that a watch makes, one in ten minutes is kept, and the last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

APART = timedelta(minutes=10)
_NAME = re.compile(r"(?P<page>.+)-(?P<time>\d{8}T\d{6}Z)-[0-9a-f]+\.json\.gz")


class Thinner:
    """Removes copies that were made since it was, but for the last of each project and some before it.

    Args:
        directory: Where the copies lie. Those that lie there now are not touched.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._before = set(self._names())

    def _names(self) -> Iterator[str]:
        return (path.name for path in self._directory.glob("*.json.gz") if _NAME.fullmatch(path.name))

    def thin(self) -> None:
        """Removes what is not kept, with the files beside a copy that bear its name."""
        for name in dispensable(set(self._names()) - self._before):
            for path in self._directory.glob(f"{name.removesuffix('.json.gz')}.*"):
                path.unlink(missing_ok=True)


def dispensable(names: Iterable[str]) -> list[str]:
    """Which of some copies are not kept: those that lie less than `APART` after one that is, and are not the last."""
    parts = [match for match in map(_NAME.fullmatch, sorted(names)) if match]
    removed = []
    for _, copies in groupby(parts, key=lambda match: match["page"]):
        *earlier, _last = copies
        kept: datetime | None = None
        for match in earlier:
            made = datetime.strptime(match["time"], "%Y%m%dT%H%M%SZ")
            if kept is not None and made - kept < APART:
                removed.append(match.string)
            else:
                kept = made
    return removed
