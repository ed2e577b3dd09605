"""The version before: what is kept of it beside the release, so that the next one can say what changed.

`work/SUITE/versions/VERSION/` holds its `release.json`, its `CHANGES.md` and the tables of its items, and not the rows
that are products of others. It is written when an export is about to put another version in its place.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json, read_table
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.exports.checks import RECORD_FILE, ReleaseFiles
from tashika.exports.record import sound_record
from tashika.exports.schema import configs_of
from tashika.exports.versions.comparison import files_of

CHANGES_FILE: Final = "CHANGES.md"
_LOST: Final = "not built any more"
_FATES: Final[Mapping[str | None, str]] = {
    "rejected": "rejected",
    "undecided": "undecided",
    "accepted": "accepted, and left out for another reason",
    None: "not judged any more",
}
"""What the decision on an item that was dropped says."""


@dataclass(frozen=True)
class Former:
    """The version before.

    Attributes:
        workspace: Of the suite.
        folder: Where it lies, or what is kept of it.
    """

    workspace: Workspace
    folder: Path

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """Its `release.json`."""
        record: Mapping[str, Any] = read_json(self.folder / RECORD_FILE)
        return record

    @property
    def identity(self) -> list[str]:
        """What the next version's `CHANGES.md` depends on."""
        changes = self.folder / CHANGES_FILE
        return [
            str(self.record["version"]),
            str(self.record["digest"]),
            *([hash_file(changes)] if changes.is_file() else []),
        ]

    @property
    def release(self) -> ReleaseFiles:
        """Its files."""
        return ReleaseFiles(self.folder, self.record)

    @property
    def changes(self) -> str:
        """Its `CHANGES.md`; empty where it has none."""
        path = self.folder / CHANGES_FILE
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def fates(self, items: Sequence[str]) -> dict[str, str]:
        """Why items of it are not released any more, by what the items and verdicts of today say of them."""
        wanted = set(items)
        result = dict.fromkeys(wanted, _LOST)
        result |= dict.fromkeys(wanted & _built(self.workspace), _FATES[None])
        if self.workspace.verdict_file.exists():
            verdicts = self.workspace.read_verdicts().select(["item_id", "decision"]).to_pylist()
            known = {row["item_id"]: row["decision"] for row in verdicts}
            result |= {item: _FATES[known[item]] for item, fate in result.items() if item in known and fate != _LOST}
        return result


def _built(workspace: Workspace) -> set[str]:
    """The ids of all items that there are."""
    ids: set[str] = set()
    for path in sorted(workspace.items.glob("*.parquet")):
        ids.update(map(str, read_table(path, columns=["item_id"]).column("item_id").to_pylist()))
    return ids


def former_version(workspace: Workspace, version: str) -> Former | None:
    """The version that another one takes the place of.

    Args:
        workspace: Of the suite.
        version: The new one. A release with the same version in its place is a draft of it, and nothing before it.
    """
    for folder in [workspace.release, *kept_versions(workspace)]:
        record = _whole_record(folder)
        if record is not None and record["version"] != version:
            return Former(workspace, folder)
    return None


def kept_versions(workspace: Workspace) -> list[Path]:
    """Folders of what is kept of versions before; there is one at most, unless somebody put more there."""
    return sorted(path for path in _folder(workspace).glob("*") if path.suffix != ".part")


def keep_former(workspace: Workspace, version: str) -> Former | None:
    """Keeps what the new version's `CHANGES.md` needs of the release that lies in the place.

    Args:
        workspace: Of the suite.
        version: The new one.

    Returns:
        What is kept; None where there is nothing before, or its files were changed since they were written.
    """
    former = former_version(workspace, version)
    if former is None or former.folder != workspace.release:
        return former
    target = _folder(workspace) / str(former.record["version"])
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    changed = _copy(former, part)
    if changed:
        shutil.rmtree(part)
        say(f"{changed} is not as version {former.record['version']} had it: what changed since is not written down")
        return None
    shutil.rmtree(target, ignore_errors=True)
    part.replace(target)
    for other in kept_versions(workspace):
        if other != target:
            shutil.rmtree(other)
    return Former(workspace, target)


def _copy(former: Former, target: Path) -> str | None:
    """Copies what is to be kept; returns a file that is not as it was written, if there is one."""
    record = former.record
    documents = {CHANGES_FILE} & set(record.get("documents", {}))
    described = {**record["files"], **record.get("documents", {})}
    for path in [*item_files(record), *documents]:
        source, copy = former.folder / path, target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not source.is_file():
            return path
        shutil.copyfile(source, copy)
        if hash_file(copy) != described[path]["sha256"]:
            return path
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(former.folder / RECORD_FILE, target / RECORD_FILE)
    return None


def item_files(record: Mapping[str, Any]) -> list[str]:
    """The Parquet files of a release that are compared: all but those of products."""
    configs = configs_of(str(record["suite"])).values()
    return [path for config in configs if not config.product for path in files_of(record, config)]


def _folder(workspace: Workspace) -> Path:
    return workspace.base / "versions"


def _whole_record(folder: Path) -> Mapping[str, Any] | None:
    try:
        return sound_record(read_json(folder / RECORD_FILE), str(folder))
    except (InputError, OSError):
        return None
