"""Who has done what in a suite's folder: `audit.jsonl`, which only grows, each line with the digest of the one before.

A line has counts, digests, names of files and of stages, and pseudonyms: no text, no address. Pseudonyms are not part
of what is chained, but a digest of them is: so those of somebody who wants to be forgotten can be taken out, and the
chain still holds. It shows what was changed or lost by mistake; whoever means to deceive can write all of it anew.
"""

from __future__ import annotations

import fcntl
import getpass
import hashlib
import json
import os
import secrets
import socket
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Final

from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, parse_json, sync_folder
from tashika.core.workspace import base_of

WHO_VARIABLE: Final = "TASHIKA_WHO"
"""Names who works here, for the log; without it a pseudonym of the account on this machine does."""

_OPEN: Final = ("people", "nonce")
"""What is not chained, and may be taken out."""


def audit_file(base: Path) -> Path:
    """Where the log of a suite lies."""
    return base / "audit.jsonl"


def own_name() -> str:
    """Who works here: what `TASHIKA_WHO` says, or a pseudonym made of account and machine."""
    named = os.environ.get(WHO_VARIABLE, "").strip()
    if named:
        return named
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # no such account, as in some containers
        account = str(os.getuid())
    return "user-" + hashlib.sha256(f"{account}@{socket.gethostname()}".encode()).hexdigest()[:10]


def record(
    directory: Path,
    what: str,
    counts: Mapping[str, Any] | None = None,
    *,
    digests: Mapping[str, str] | None = None,
    people: Collection[str] = (),
    facts: Mapping[str, str] | None = None,
) -> None:
    """Adds a line on what was done; outside of a suite's folder there is no log, and nothing is added.

    Args:
        directory: A folder of the suite, or its own.
        what: Such as `annotate-vote`.
        counts: What it came to; of others than numbers nothing is kept.
        digests: What was made: SHA-256 by path in the suite's folder, see `file_digests`.
        people: Pseudonyms of those whom it concerns.
        facts: Short words that are nobody's, such as a tag.
    """
    base = base_of(directory)
    if base is None:
        return
    entry: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "who": own_name(),
        "what": what,
        "version": version("tashika"),
        "counts": {name: value for name, value in (counts or {}).items() if isinstance(value, int)},
        "files": dict(digests or {}),
        **({"facts": dict(facts)} if facts else {}),
    }
    if people:
        nonce = secrets.token_hex(16)
        entry |= {"people": sorted(people), "nonce": nonce, "people_digest": _people_digest(people, nonce)}
    base.mkdir(parents=True, exist_ok=True)
    with _held(audit_file(base)) as file:
        lines = _whole_lines(file)
        number = len(lines) + 1
        entry |= {"line": number, "before": _link(lines[-1]) if lines else ""}
        file.write(_written(entry))
        file.flush()
        os.fsync(file.fileno())
    if number == 1:
        sync_folder(base)


def file_digests(base: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of files in a suite's folder, by their paths in it; what is not there is left out."""
    return {path.relative_to(base).as_posix(): hash_file(path) for path in sorted(paths) if path.is_file()}


def _people_digest(people: Collection[str], nonce: str) -> str:
    return hash_value([sorted(people), nonce])


def chained(entry: Mapping[str, Any]) -> str:
    """The digest of a line, by which the next one knows it; pseudonyms are not part of it."""
    return hash_value({name: value for name, value in entry.items() if name not in _OPEN})


def _link(line: bytes) -> str:
    """What the next line has of a line; of a damaged one, a digest that `read_audit` refuses."""
    try:
        entry = parse_json(line)
    except ValueError:
        entry = None
    return chained(entry) if isinstance(entry, dict) else hashlib.sha256(line).hexdigest()


def _written(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, sort_keys=True).encode() + b"\n"


@contextmanager
def _held(path: Path) -> Iterator[BinaryIO]:
    """The log, opened for this process alone; only this user can read a new one."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _whole_lines(file: BinaryIO) -> list[bytes]:
    """The lines of a log, and the place of the next; what a killed process has left of a line is cut off."""
    content = file.read()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        file.truncate(end)
    file.seek(end)
    return content[:end].split(b"\n")[:-1]


def read_audit(base: Path) -> list[dict[str, Any]]:
    """The lines of a suite's log, oldest first, with their pseudonyms; none is no error.

    Raises:
        InputError: A line was changed, is lost, or is none; the message says which.
    """
    path = audit_file(base)
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []  # half a line at the end is none yet
    entries: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        entry = _entry(line, path, number)
        before = chained(entries[-1]) if entries else ""
        if entry.get("line") != number or entry.get("before") != before:
            raise _broken(path, number, f"it does not follow line {number - 1}" if entries else "lines before are gone")
        if "people" in entry and _people_digest(entry["people"], str(entry.get("nonce"))) != entry.get("people_digest"):
            raise _broken(path, number, "its pseudonyms were changed")
        entries.append(entry)
    return entries


def _entry(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        entry = parse_json(line)
    except ValueError as error:
        raise _broken(path, number, f"no JSON: {error}") from error
    shaped = isinstance(entry, dict) and isinstance(entry.get("people", []), list)
    if not shaped or not {"at", "who", "what", "counts", "files"} <= entry.keys():
        raise _broken(path, number, "no line of a log")
    checked: dict[str, Any] = entry
    return checked


def _broken(path: Path, number: int, why: str) -> InputError:
    hint = "The lines before it hold. Restore the file from a backup; or keep it elsewhere, and a new one begins."
    return InputError(f"the chain breaks at line {number}: {why}", where=str(path), hint=hint)


def redact(base: Path, names: Collection[str]) -> int:
    """Takes pseudonyms out of a suite's log; the chain still holds.

    Lines keep their length: the log is changed in place, under the lock that whoever adds a line waits for.

    Returns:
        How many lines had one of them.
    """
    path, redacted = audit_file(base), 0
    if not path.exists():
        return 0
    with _held(path) as file:
        place = 0
        for line in _whole_lines(file):
            if any(name.encode() in line for name in names):
                file.seek(place)
                file.write(_redacted(line, names).ljust(len(line)))
                redacted += 1
            place += len(line) + 1
        file.flush()
        os.fsync(file.fileno())
    return redacted


def _redacted(line: bytes, names: Collection[str]) -> bytes:
    """A line without its pseudonyms where it has one of these; of a damaged one nothing."""
    try:
        entry = parse_json(line)
    except ValueError:
        return b""
    if not isinstance(entry, dict):
        return b""
    if not set(names) & set(entry.get("people", ())):
        return line
    return _written({name: value for name, value in entry.items() if name not in _OPEN})[:-1]
