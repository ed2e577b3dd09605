"""Where two versions of a release are taken from: a folder, a tag on the Hub, or a suite of the working directory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tashika.core.addresses import REPO_NAME
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, parse_json, read_json
from tashika.core.progress import say
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace
from tashika.exports.checks import RECORD_FILE, ReleaseFiles
from tashika.exports.hub import DatasetRepo
from tashika.exports.record import sound_record
from tashika.exports.release import read_record
from tashika.exports.versions.former import Former, former_version, item_files

_ON_THE_HUB: Final = re.compile(rf"(?P<repo>{REPO_NAME})@(?P<tag>[A-Za-z0-9][\w.+-]*)", re.ASCII)
_EXPECTED: Final = "Give a release's folder, ORG/NAME@TAG, or a suite such as myriadlama."


@contextmanager
def version_of(reference: str, work: Path) -> Iterator[ReleaseFiles]:
    """The version that a word of the command line means.

    Args:
        reference: A folder with a release, `ORG/NAME@TAG`, or a suite, whose release in its place is meant.
        work: The working directory.

    Raises:
        InputError: It means none of these, or the release is broken.
        OutsideError: The Hub failed.
    """
    on_the_hub = _ON_THE_HUB.fullmatch(reference)
    if Path(reference, RECORD_FILE).is_file():
        file = Path(reference, RECORD_FILE)
        yield ReleaseFiles(Path(reference), sound_record(read_json(file), str(file), _EXPECTED))
    elif on_the_hub:
        with TemporaryDirectory() as folder:
            yield _fetched(on_the_hub["repo"], on_the_hub["tag"], Path(folder))
    else:
        workspace = Workspace(work, _suite(reference))
        yield ReleaseFiles(workspace.release, read_record(workspace))


def former_of(reference: str, work: Path) -> Former:
    """The version before that of a suite's release in its place.

    Raises:
        MissingStageError: There is no release, or it is the first.
    """
    workspace = Workspace(work, _suite(reference))
    version = str(read_record(workspace)["version"])
    former = former_version(workspace, version)
    if former is None:
        raise MissingStageError(
            f"there is no version before {version}",
            where=str(workspace.base / "versions"),
            hint=f"`tashika diff ORG/NAME@TAG {workspace.argument}` compares with what is published.",
        )
    return former


def _suite(reference: str) -> str:
    try:
        return open_suite(reference).name
    except InputError as error:
        if "/" in reference or Path(reference).exists():
            raise InputError(f"found {reference!r}, and no release there", hint=_EXPECTED) from error
        raise


def _fetched(name: str, tag: str, folder: Path) -> ReleaseFiles:
    """A published version: its record, and the files that are compared."""
    repo = DatasetRepo(name, reading=True)
    where = f"{repo.url} at {tag}"
    text = repo.read_text(RECORD_FILE, tag)
    if text is None:
        raise InputError(f"there is no {RECORD_FILE}", where=where, hint="Was it published by `tashika publish`?")
    try:
        record = sound_record(parse_json(text), where, _EXPECTED)
    except json.JSONDecodeError as error:
        raise InputError(f"{RECORD_FILE} is not valid JSON: {error}", where=where) from error
    paths = item_files(record)
    say(f"fetching {len(paths)} files of {where}")
    for path in paths:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        repo.fetch(path, tag, target)
        if hash_file(target) != record["files"][path]["sha256"]:
            raise InputError(f"{path} is not the file that {RECORD_FILE} describes", where=where)
    return ReleaseFiles(folder, record)
