"""People's answers from the server: backed up as they are, checked one by one, and added to the judgments."""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, cast

from tashika.annotation.judging.judgments import append_judgments, stored_keys
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.people import Person, name_people, read_salt
from tashika.annotation.judging.questionnaires import by_project
from tashika.annotation.judging.validation import read_answer, read_seconds, read_time
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import replacing, stream_json_list
from tashika.core.progress import bar, say
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_AGAIN = "Nothing was taken over. Pull again; if it stays so, look at the server's log."
_STRANGER = Person("unknown", False)


@dataclass(frozen=True)
class Origin:
    """Where the judgments of one export come from."""

    server: str
    project: Project
    page: Page
    people: Mapping[int, Person]


def pull(server: Server, workspace: Workspace, pages: Sequence[Page]) -> Counter[str]:
    """Fetches all answers and adds the new ones.

    Returns:
        How many new judgments have which problem; sound ones under the empty string.

    Raises:
        InputError: Nothing was pushed to this server.
        OutsideError: The server failed, or what it sent is no export; then nothing is added.
    """
    pages = by_project(workspace, pages)
    with alone(workspace.annotation):
        identity = server.identity()
        people = name_people(server.users(), identity, read_salt(workspace.annotation))
        seen: Counter[str] = Counter()
        simulated = 0
        exports = [_fetch(server, workspace, page) for page in pages]
        origins = [Origin(identity, project, page, people) for page, (project, _) in zip(pages, exports, strict=True)]
        known = stored_keys(workspace)
        before = len(known)

        def fresh() -> Iterator[dict[str, Any]]:
            nonlocal simulated
            for origin, (_, backup) in zip(origins, exports, strict=True):
                for row in _readable(backup, origin):
                    key = (identity, row["annotation_id"], (row["created_at"] - _EPOCH) // _MICROSECOND)
                    if key not in known:
                        known.add(key)
                        seen[row["problem"] or ""] += 1
                        simulated += row["simulated"]
                        yield row

        added = append_judgments(workspace, fresh())
    _report(added, before, seen, simulated)
    return seen


def _fetch(server: Server, workspace: Workspace, page: Page) -> tuple[Project, Path]:
    project = server.project(page.title)
    if project is None:
        hint = f"Run `tashika annotate push {suite_argument(page.suite)}` first."
        raise InputError(f"the server has no project {page.title!r}", where=server.url, hint=hint)
    return project, back_up(server.export(project.project_id), workspace.annotation / "backups", page.name)


def back_up(chunks: Iterator[bytes], directory: Path, name: str) -> Path:
    """Keeps a raw export, compressed, unless the very same one is there already.

    Whoever has an account may delete a project in Label Studio, so the only safe copy is one's own.
    """
    digest = hashlib.sha256()
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    incoming = directory / f"{name}-incoming.json.gz"
    with (
        replacing(incoming) as temporary,
        gzip.open(temporary, "wb", compresslevel=6) as file,
        bar(f"pulling {name} answers (bytes)", None) as advance,
    ):
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
            advance(len(chunk))
    digits = digest.hexdigest()[:16]
    same = sorted(directory.glob(f"{name}-*-{digits}.json.gz"))
    if same:
        incoming.unlink()
        return same[0]
    return incoming.rename(directory / f"{name}-{now}-{digits}.json.gz")


def _readable(backup: Path, origin: Origin) -> Iterator[dict[str, Any]]:
    try:
        yield from judgments(backup, origin)
    except OutsideError:
        backup.unlink()  # what cannot be read would be no copy to fall back on
        raise


def judgments(backup: Path, origin: Origin) -> Iterator[dict[str, Any]]:
    """Yields a row of `records.JUDGMENT` for every annotation of an export; see `annotations_of`."""
    for task, annotation in annotations_of(backup):
        yield judgment(task, annotation, origin)


def annotations_of(backup: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields every annotation of an export as Label Studio has it, each with its task.

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
                for annotation in _annotations(task, backup):
                    yield task, annotation
        except ijson.JSONError as error:
            raise OutsideError(
                f"the export is broken off or no JSON: {error}", where=str(backup), hint=_AGAIN
            ) from error


def _annotations(task: Any, backup: Path) -> list[dict[str, Any]]:
    """The annotations of an exported task, in the format that is relied on."""
    if (
        not isinstance(task, dict)
        or not isinstance(task.get("annotations"), list)
        or not isinstance(task.get("id"), int)
    ):
        raise OutsideError(f"this is no task of an export: {str(task)[:60]!r}", where=str(backup), hint=_AGAIN)
    annotations: list[dict[str, Any]] = task["annotations"]
    if not all(isinstance(annotation, dict) and isinstance(annotation.get("id"), int) for annotation in annotations):
        raise OutsideError(f"task {task['id']} has an annotation without an id", where=str(backup), hint=_AGAIN)
    return annotations


def judgment(task: Mapping[str, Any], annotation: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    """One annotation as a row of `records.JUDGMENT`."""
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    answer = read_answer(annotation, origin.page, origin.people, data)
    item_id = data.get("item_id")
    author = annotation.get("completed_by")
    person = origin.people.get(author, _STRANGER) if isinstance(author, int) else _STRANGER
    return {
        "item_id": str(item_id or ""),
        "kind": origin.page.kind,
        "annotator": person.name,
        "label": answer.label,
        "text": answer.text,
        "seconds": read_seconds(annotation),
        "skipped": answer.skipped,
        "prefilled": answer.prefilled,
        "created_at": read_time(annotation),
        "problem": answer.problem if item_id else "task without an item",
        "simulated": person.simulated,
        "server": origin.server,
        "project_id": origin.project.project_id,
        "task_id": int(task["id"]),
        "annotation_id": int(annotation["id"]),
        "note": answer.note,
    }


def _report(added: int, before: int, seen: Counter[str], simulated: int) -> None:
    note = f" ({simulated:,} of them simulated)" if simulated else ""
    say(f"pulled {added:,} new judgments{note}, {before:,} were here before")
    for problem, count in sorted(seen.items()):
        if problem:
            say(f"  {count:,} kept but not voted: {problem}")
