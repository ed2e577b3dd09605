"""Which release is scored, whether its files are what it lists, and its tables as plain rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, hash_value, read_object, read_table
from tashika.core.progress import say

RECORD_FILE: Final = "release.json"
AGAIN: Final = "Export the release again."
_KEYS: Final[Mapping[str, type]] = {"version": str, "digest": str}
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class Identity:
    """A release that models are scored on.

    Attributes:
        folder: Where it lies.
        version: Of the release; `unknown` where no `release.json` lies there.
        digest: Of its content; of its Parquet files where no `release.json` lies there.
        simulated: Whether programs played the people who validated it.
        record: The content of `release.json`; empty where there is none.
    """

    folder: Path
    version: str
    digest: str
    simulated: bool
    record: Mapping[str, Any]

    def file(self, path: str) -> Path:
        """Where a table of the release lies.

        Args:
            path: In the release, such as `questions/test.parquet`.

        Raises:
            InputError: It is not the file that `release.json` lists, which is of another content, or lists none there.
        """
        place = self.folder / path
        listed = self.record.get("files")
        if listed is not None and place.is_file():
            _require_listed(place, listed.get(path))
        return place

    def require_unchanged(self) -> None:
        """Compares all tables that lie here with what `release.json` lists.

        Raises:
            InputError: One of them has another content.
        """
        for path in self.record.get("files") or {}:
            self.file(path)


def has_release(folder: Path, table: str) -> bool:
    """Whether a release lies in a folder: with its `release.json`, or without it but with a table of it.

    Args:
        folder: Of the release.
        table: The path of one in the release.
    """
    return (folder / RECORD_FILE).is_file() or ((folder / table).is_file() and not _is_half_written(folder))


def read_identity(folder: Path, table: str, first: str) -> Identity:
    """Which release lies in a folder.

    A release that was downloaded or put together without its `release.json` is scored as well; a line says that nothing
    vouches for its files then. One that an export was killed in is not.

    Args:
        folder: Of the release.
        table: The path of a table that every release of the suite has.
        first: What to run where there is none.

    Raises:
        MissingStageError: There is no release.
        InputError: `release.json` is damaged.
    """
    file = folder / RECORD_FILE
    if not has_release(folder, table):
        raise MissingStageError("there is no release yet", where=str(file), hint=first)
    if not file.is_file():
        return _without_record(folder)
    record = read_object(file, _KEYS, AGAIN)
    if not isinstance(record.get("files", {}), dict):
        raise InputError("'files' lists no files by their paths", where=str(file), hint=AGAIN)
    return Identity(folder, record["version"], record["digest"], bool(record.get("simulated")), record)


def _is_half_written(folder: Path) -> bool:
    """Whether an export was killed that had removed `release.json` and not put the new one in its place."""
    return folder.with_name(f"{folder.name}.part").is_dir()


def _without_record(folder: Path) -> Identity:
    paths = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("*/*.parquet"))]
    digest = hash_value({path: hash_file(folder / path) for path in paths})
    say(
        f"{folder} has no {RECORD_FILE}: nothing says of which version its files are, whether they were changed, and "
        f"whether programs judged in the place of people; they are scored as they are (digest {digest[:12]})"
    )
    return Identity(folder, _UNKNOWN, digest, False, {})


def _require_listed(place: Path, described: Any) -> None:
    if not isinstance(described, dict) or "sha256" not in described:
        raise InputError(f"found a file that {RECORD_FILE} does not list", where=str(place), hint=AGAIN)
    found, expected = hash_file(place), described["sha256"]
    if found != expected:
        raise InputError(
            f"the file was changed after the export: found the SHA-256 {found[:12]}, and {RECORD_FILE} lists "
            f"{str(expected)[:12]}",
            where=str(place),
            hint="Export or download it again: scores on this file would bear the digest of another content.",
        )


def read_columns(file: Path, wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of these columns, none of them null.

    Raises:
        InputError: The file is missing or broken, lacks a column, or has a null.
    """
    table = read_table(file)
    missing = [name for name in wanted if name not in table.column_names]
    if missing:
        names = ", ".join(table.column_names)
        raise InputError(f"the column {missing[0]!r} is missing; found {names}", where=str(file), hint=AGAIN)
    table = table.select(list(wanted))
    for name in wanted:
        if table[name].null_count:
            raise InputError(f"the column {name!r} has {table[name].null_count:,} nulls", where=str(file), hint=AGAIN)
    return table.to_pylist()
