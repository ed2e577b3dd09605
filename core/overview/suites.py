"""Which suites lie in a working directory: those of this package, of others, and of the user's own suite files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tashika.core.errors import InputError, TashikaError
from tashika.core.input_records import from_record
from tashika.core.inputs import read_memory
from tashika.core.suites.discovery import known_suites, open_suite
from tashika.core.suites.suite import Suite
from tashika.core.workspace import Workspace

_PARTS = ("items", "annotation", "release", "evaluate", "inputs.json")
"""What a suite's folder has, one of them at least."""


@dataclass(frozen=True)
class Placed:
    """A suite's folder in a working directory.

    Attributes:
        workspace: The folder.
        suite: What it is; None where that is not known.
        problem: Why it is not known.
    """

    workspace: Workspace
    suite: Suite | None
    problem: str = ""


def suites_in(root: Path) -> list[Placed]:
    """The suites of a working directory, in the order of the command line's lists, those of the user's own last."""
    names = [path.name for path in sorted(root.iterdir()) if _is_suite_folder(path)] if root.is_dir() else []
    order = list(known_suites())
    names.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    return [_placed(Workspace(root, name)) for name in names]


def _is_suite_folder(path: Path) -> bool:
    return path.is_dir() and any((path / part).exists() for part in _PARTS)


def _placed(workspace: Workspace) -> Placed:
    known = known_suites().get(workspace.suite)
    if known is not None:
        return Placed(workspace, known)
    try:
        files = list(_suite_files(workspace))
    except InputError as error:
        return Placed(workspace, None, error.message)
    for path in files:
        if not path.is_file():
            return Placed(workspace, None, f"its suite file is gone: {path}")
        try:
            suite = open_suite(str(path))
        except TashikaError as error:
            return Placed(workspace, None, f"its suite file cannot be read: {error.message} ({path})")
        if suite.name == workspace.suite:
            return Placed(workspace, suite)
    return Placed(workspace, None, "no suite of this name is installed, and no build here names its suite file")


def _suite_files(workspace: Workspace) -> Iterator[Path]:
    """The suite file that the builds were given, the latest first."""
    memory = read_memory(workspace)
    for records in (memory.begun, memory.built):
        record = (records or {}).get("suite_file")
        if record is not None:
            yield Path(from_record(record, workspace.root))
