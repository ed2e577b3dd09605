"""Copies of what the server had, as of each pull: whole, compressed, and with what it takes to put them back.

Whoever has an account may delete a project in Label Studio, so the only safe copy is one's own. Beside each copy lies a
manifest. Only this user can read the two: the manifest has the e-mail addresses of the accounts, and an export has the
address of whoever has begun an answer and not submitted it.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from tashika.annotation.labelstudio.account import close_folder, open_private, write_private_json
from tashika.annotation.labelstudio.client import Project, Server
from tashika.annotation.labelstudio.exporting import Export
from tashika.core.counts import counted, listed
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import read_json, remove_leftovers, replacing, stream_json_list
from tashika.core.progress import say
from tashika.core.workspace import Workspace

_AGAIN = "Nothing was taken over. Pull again; if it stays so, look at the server's log."
_SUFFIX = ".json.gz"

OTHER_PROJECT = "+"
"""What stands in the name of a copy before the number of a second project of the same title."""


KEPT_COPIES = 20
"""Of each project; older ones are deleted after a pull, see `prune_copies`."""


@dataclass(frozen=True)
class Manifest:
    """What a copy of a project cannot say of itself.

    Attributes:
        server: The identity of the server.
        project_id: The project there.
        title: Its heading.
        page: Its page, in Label Studio's markup.
        instructions: Its guidelines as HTML.
        annotators: People a task.
        users: The e-mail address of every account, by its number.
        pulled: When the server had it so last; ISO 8601, UTC.
        unreadable: The tasks that the server has and could not export, so that the copy lacks them.
    """

    server: str
    project_id: int
    title: str
    page: str
    instructions: str
    annotators: int
    users: Mapping[int, str]
    pulled: str
    unreadable: Sequence[int] = ()


def folder(workspace: Workspace) -> Path:
    """Where the copies lie."""
    return workspace.annotation / "backups"


def copy_project(
    server: Server, workspace: Workspace, project: Project, name: str, identity: str, users: Mapping[int, str]
) -> Path:
    """Copies a project, with what it takes to restore it; says which tasks the server cannot export.

    Args:
        server: Where it is.
        workspace: Where the copy goes.
        project: The project.
        name: Its name in files.
        identity: The server's.
        users: The server's accounts.

    Returns:
        The copy.
    """
    export = Export(server, project.project_id, name)
    backup = back_up(export.chunks(), folder(workspace), name)
    if export.unreadable:
        tasks = counted(len(export.unreadable), "task")
        say(
            f"{name}: the server cannot export {tasks} ({listed(export.unreadable)}; project {project.project_id}): "
            "look there for an answer or a text that is no text, and delete it; all others were pulled"
        )
    manifest = Manifest(
        identity,
        project.project_id,
        project.title,
        project.xml,
        project.instructions,
        project.annotators,
        users,
        datetime.now(UTC).isoformat(),
        export.unreadable,
    )
    write_private_json(manifest_file(backup), asdict(manifest))
    return backup


def back_up(chunks: Iterator[bytes], directory: Path, name: str) -> Path:
    """Keeps a raw export, compressed, unless the very same one is there already.

    Args:
        chunks: The export.
        directory: Where to.
        name: The project's name in files.

    Returns:
        The copy.
    """
    digest = hashlib.sha256()
    close_folder(directory)  # earlier versions left copies in it readable for everybody
    incoming = directory / f"{name}-incoming{_SUFFIX}"
    remove_leftovers(incoming)
    with (
        replacing(incoming) as temporary,
        open_private(temporary) as raw,
        gzip.open(raw, "wb", compresslevel=6) as file,
    ):
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    digits = digest.hexdigest()[:16]
    same = [path for path in _copies_in(directory, name) if path.name.endswith(f"-{digits}{_SUFFIX}")]
    if same:
        incoming.unlink()
        same[0].chmod(0o600)
        return same[0]
    return incoming.rename(directory / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{digits}{_SUFFIX}")


def manifest_file(backup: Path) -> Path:
    """Where the manifest of a copy lies; by another name than those of stages, which `tashika status` lists."""
    return backup.with_name(backup.name.removesuffix(_SUFFIX) + ".origin.json")


def read_manifest(backup: Path) -> Manifest | None:
    """The manifest of a copy; None for a copy of an earlier version, or of a pull that was cut off before it.

    Raises:
        InputError: It is damaged.
    """
    path = manifest_file(backup)
    if not path.exists():
        return None
    try:
        content = read_json(path)
        return Manifest(**{**content, "users": {int(number): str(email) for number, email in content["users"].items()}})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "Delete it to restore from this copy without the e-mail addresses."
        raise InputError("this is no manifest of a copy", where=str(path), hint=hint) from error


def copies(workspace: Workspace, name: str) -> list[tuple[Path, Manifest | None]]:
    """The copies of a project, the one that the server had last at the end."""
    paths = _copies_in(folder(workspace), name)
    return sorted(((path, read_manifest(path)) for path in paths), key=_last_seen)


def copies_of_all(workspace: Workspace) -> list[Path]:
    """The copies of all projects."""
    return sorted(path for path in folder(workspace).glob(f"*{_SUFFIX}") if not path.name.startswith("."))


def prune_copies(workspace: Workspace) -> int:
    """Deletes copies before the last `KEPT_COPIES` of each project, but for those with tasks that the next one lacks.

    Such a copy is the last that has what somebody deleted on the server since, or what a server had that is gone.

    Returns:
        How many copies it was.
    """
    by_name: dict[str, list[tuple[Path, Manifest | None]]] = {}
    for path in copies_of_all(workspace):
        by_name.setdefault(path.name.rsplit("-", 2)[0], []).append((path, read_manifest(path)))
    deleted = 0
    for found in by_name.values():
        paths = [path for path, _ in sorted(found, key=_last_seen)]
        later = _tasks_in(paths[-KEPT_COPIES]) if len(paths) > KEPT_COPIES else frozenset()
        for path in reversed(paths[:-KEPT_COPIES]):
            tasks = _tasks_in(path)
            if tasks <= later:
                path.unlink()
                manifest_file(path).unlink(missing_ok=True)
                deleted += 1
            else:
                later = tasks
    return deleted


def _tasks_in(path: Path) -> frozenset[str]:
    """What the tasks of a copy are about."""
    return frozenset(item_of(task) or f"task {task['id']}" for task in tasks_of(path))


def _copies_in(directory: Path, name: str) -> list[Path]:
    """The copies of a project by the time in their names, without those of its parts, training or adjudication."""
    return [
        path
        for path in sorted(directory.glob(f"{name}-*{_SUFFIX}"))
        if path.name.removesuffix(_SUFFIX)[len(name) + 1 :].count("-") == 1
    ]


def _last_seen(copy: tuple[Path, Manifest | None]) -> tuple[str, str]:
    path, manifest = copy
    return (manifest.pulled if manifest else "", path.name)


def tasks_of(backup: Path) -> Iterator[dict[str, Any]]:
    """Yields every task of an export as Label Studio has it, with its annotations.

    Raises:
        OutsideError: The file is no export of Label Studio's.
    """
    import ijson

    with gzip.open(backup, "rb") as file:
        start = file.peek(1)[:60]
        if not start.startswith(b"["):
            raise OutsideError(f"expected a JSON array, found {start!r}", where=str(backup), hint=_AGAIN)
        try:
            for task in stream_json_list(cast(BinaryIO, file)):
                _refuse_other_form(task, backup)
                yield task
        except ijson.JSONError as error:
            raise OutsideError(
                f"the export is broken off or no JSON: {error}", where=str(backup), hint=_AGAIN
            ) from error


def annotations_of(backup: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields every annotation of an export as Label Studio has it, each with its task; see `tasks_of`."""
    for task in tasks_of(backup):
        for annotation in task["annotations"]:
            yield task, annotation


def _refuse_other_form(task: Any, backup: Path) -> None:
    """Refuses what does not have the fields that are relied on."""
    if (
        not isinstance(task, dict)
        or not isinstance(task.get("annotations"), list)
        or not isinstance(task.get("id"), int)
    ):
        raise OutsideError(f"this is no task of an export: {str(task)[:60]!r}", where=str(backup), hint=_AGAIN)
    if not all(isinstance(entry, dict) and isinstance(entry.get("id"), int) for entry in task["annotations"]):
        raise OutsideError(f"task {task['id']} has an annotation without an id", where=str(backup), hint=_AGAIN)


def item_of(task: Mapping[str, Any]) -> str:
    """The item that an exported task is about; empty for a task that somebody else put there."""
    data = task.get("data")
    return str(data.get("item_id") or "") if isinstance(data, dict) else ""
