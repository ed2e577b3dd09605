"""Whether what manifests and `inputs.json` say of files still holds.

A stage itself decides by its fingerprint, which takes its settings and the room's code. Here are only files: whoever
looks at a working directory runs no stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError, TashikaError
from tashika.core.files import hash_file, read_json
from tashika.core.input_records import CONFIG, Record, build_digest, from_record, option
from tashika.core.inputs import read_memory
from tashika.core.stages import is_manifest
from tashika.core.version import installed_version
from tashika.core.workspace import Workspace

_SUFFIX: Final = ".manifest.json"
_READ_ALWAYS: Final = 32 * 2**20
"""Bytes. A larger file that is older than what was made of it counts as unchanged without being read."""


def manifests_of(folder: Path) -> list[Path]:
    """The manifests that lie directly in a folder, by name."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def stage_of(manifest_file: Path) -> str:
    """The stage whose manifest it is."""
    return manifest_file.name.removesuffix(_SUFFIX)


def read_manifest(manifest_file: Path) -> dict[str, Any]:
    """A manifest.

    Raises:
        InputError: It is broken.
    """
    manifest = read_json(manifest_file)
    if not is_manifest(manifest):
        raise InputError("this is no manifest of a stage", where=str(manifest_file), hint="Run its command again.")
    kept: dict[str, Any] = manifest
    return kept


def changes_since(manifest_file: Path) -> list[str]:
    """What no longer fits a stage's manifest, a clause each; nothing where it is as the stage left it.

    Files outside the suite's folder are not looked for: a manifest holds no more of them than their names.
    """
    try:
        manifest = read_manifest(manifest_file)
    except InputError as error:
        return [f"{manifest_file.name} is broken: {error.message}"]
    base = manifest_file.parent.parent
    made_by = manifest.get("versions", {}).get("tashika")
    lines = []
    if made_by is not None and made_by != installed_version():
        lines.append(f"Tashika {made_by} made it, and this is {installed_version()}")
    for part in ("inputs", "beside", "outputs"):
        lines += _changed_files(base, manifest.get(part, {}), manifest_file)
    return lines


def unlisted(manifest_file: Path, paths: Iterable[Path]) -> list[Path]:
    """The files that exist and are no inputs of the stage: they came after it."""
    try:
        inputs = read_manifest(manifest_file)["inputs"]
    except InputError:
        return []
    base = manifest_file.parent.parent
    return [path for path in paths if path.is_file() and path.relative_to(base).as_posix() not in inputs]


def _changed_files(base: Path, digests: Mapping[str, str], manifest_file: Path) -> Iterator[str]:
    for name, digest in digests.items():
        path = base / name
        if "/" not in name and not path.exists():
            continue
        if not path.is_file():
            yield f"{name} is gone"
        elif not _is_as_before(path, digest, manifest_file):
            yield f"{name} has changed"


def _is_as_before(path: Path, digest: str, written: Path) -> bool:
    """Whether a file's content is what was written down; a large one is read only if it is younger than that."""
    stat = path.stat()
    if stat.st_size > _READ_ALWAYS and stat.st_mtime_ns < written.stat().st_mtime_ns:
        return True
    return hash_file(path) == digest


# What the build was given --------------------------------------------------------------------------------------------


def changed_inputs(workspace: Workspace) -> list[str]:
    """Which of the build's own inputs have changed since, a clause each: settings, the suite file, other files.

    Folders are not read, and of addresses nothing is known.
    """
    try:
        records = read_memory(workspace).built or {}
    except InputError as error:
        return [f"{workspace.inputs_file.name} is broken: {error.message}"]
    listed = [(name, one) for name, record in records.items() for one in _each(record) if isinstance(one, Mapping)]
    return [line for name, record in listed for line in _changed_record(workspace, name, record)]


def _each(record: Record) -> list[Record]:
    return record if isinstance(record, list) else [record]


def _changed_record(workspace: Workspace, name: str, record: Mapping[str, Any]) -> Iterator[str]:
    if "path" not in record or "sha256" not in record:
        return
    path = from_record(record, workspace.root)
    if not path.exists():
        yield f"{option(name)} is gone: {path}"
        return
    if path.is_dir():
        return
    try:
        same = _same_record(workspace, name, path, record)
    except TashikaError as error:
        yield f"{option(name)} cannot be read: {error.message}"
        return
    if not same:
        part = " has changed in its section [build], or in a file that this names" if name in _SETTINGS else " changed"
        yield f"{path}{part}"


_SETTINGS: Final = (CONFIG, "suite_file")


def _same_record(workspace: Workspace, name: str, path: Path, record: Mapping[str, Any]) -> bool:
    if name == CONFIG:
        return build_digest(workspace.suite, path) == str(record["sha256"])
    if name == "suite_file":
        from tashika.core.custom.suite import suite_file_digest

        return suite_file_digest(path) == str(record["sha256"])
    return _is_as_before(path, str(record["sha256"]), workspace.inputs_file)
