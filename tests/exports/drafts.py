"""A finished release to break, and what the test over all checks needs of a suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import hash_file, read_json
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.checks import GENERIC, Check, Problem, ReleaseFiles
from tashika.exports.parquet import write_table
from tashika.exports.plan import suite_export
from tashika.exports.release import Export
from tashika.exports.schema import configs_of, features

Rows = list[dict[str, Any]]


class Draft:
    """The rows of a release by file, which are written back with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record: dict[str, Any] = read_json(folder / "release.json")
        self.suite = str(self.record["suite"])
        self.files: dict[str, Rows] = {path: pq.read_table(folder / path).to_pylist() for path in self.record["files"]}

    def rows(self, config: str) -> Rows:
        """The rows of a configuration that is one file, to be changed in place."""
        [found] = [rows for path, rows in self.files.items() if path.startswith(f"{config}/")]
        return found

    def row(self, config: str, **values: Any) -> dict[str, Any]:
        """The first row of a configuration with these values."""
        rows = (row for path, rows in self.files.items() if path.startswith(f"{config}/") for row in rows)
        return next(row for row in rows if all(row[name] == value for name, value in values.items()))

    def keep(self, config: str, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Leaves out rows."""
        self.rows(config)[:] = filter(wanted, self.rows(config))

    def written(self) -> ReleaseFiles:
        """Writes the rows back; a file without rows is none."""
        for old in self.folder.rglob("*.parquet"):
            old.unlink()
        self.record["files"] = {}
        for name, config in configs_of(self.suite).items():
            files = {path: rows for path, rows in self.files.items() if path.startswith(f"{config.folder}/") and rows}
            self.record["counts"][config.count] = sum(map(len, files.values()))
            schema = features(self.suite, name).arrow_schema
            for path, rows in files.items():
                write_table(self.folder / path, pa.Table.from_pylist(rows, schema=schema), self.suite, name)
                self.record["files"][path] = {"rows": len(rows), "sha256": hash_file(self.folder / path)}
        return ReleaseFiles(self.folder, self.record)


def failing(release: ReleaseFiles) -> dict[str, list[Problem]]:
    """What the checks that find anything find, by their names."""
    checks = (*GENERIC, *suite_export(str(release.record["suite"])).checks)
    problems = {check.__name__: list(check(release)) for check in checks}
    return {name: those for name, those in problems.items() if those}


class Break(NamedTuple):
    """One way to break a release.

    Attributes:
        check: The check that must find it, and no other one.
        name: Of the way.
        damage: Breaks it, and returns the id of the broken item where there is one.
    """

    check: Check
    name: str
    damage: Callable[[Draft], str | None]


def broken(check: Check, *damages: Callable[[Draft], str | None]) -> list[Break]:
    """Ways to break a release that are named like their functions."""
    return [Break(check, damage.__name__, damage) for damage in damages]


class ReleaseToys(NamedTuple):
    """What `test_check_conformance.py` tests a suite's checks with.

    Attributes:
        suite: Its name.
        fill: Writes items, verdicts and the summary of the validation.
        write_config: Writes settings to a path, and returns it.
        breaks: One for each of the suite's checks at the least.
    """

    suite: str
    fill: Callable[[Workspace], None]
    write_config: Callable[[Path], Path]
    breaks: Sequence[Break]


def export_toys(toys: ReleaseToys, folder: Path) -> Workspace:
    """Exports a suite's toy release.

    Args:
        toys: Of the suite.
        folder: An empty one.
    """
    workspace = Workspace(folder / "work", toys.suite)
    toys.fill(workspace)
    export = suite_export(toys.suite)
    settings = load_section(toys.suite, "export", export.settings, toys.write_config(folder / "config.toml"))
    Export(workspace, settings, export, export.plan(workspace, settings)).run()
    return workspace
