"""The files that paths, folders and patterns stand for, and names for them that no two have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tashika.core.errors import InputError

_PATTERN: Final = frozenset("*?[")
_ASIDE: Final = ("dataset_info.json", "state.json", "dataset_dict.json")
"""What `datasets` writes beside its Arrow files."""


def expand_patterns(paths: Iterable[Path]) -> list[Path]:
    """The files and folders of paths and patterns (`*`, `?`, `[`), those of a pattern by name.

    Raises:
        InputError: A pattern fits nothing.
    """
    return [match for path in paths for match in _matches(path)]


def expand(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files of paths, folders and patterns, each folder's by name.

    Of a folder all files count that are not hidden, those of its folders too; of one that `datasets` saved its tables.

    Raises:
        InputError: A folder is empty, or a pattern fits nothing.
    """
    return tuple(file for path in expand_patterns(paths) for file in (files_of(path) if path.is_dir() else [path]))


def _matches(path: Path) -> list[Path]:
    if path.exists() or not _PATTERN & set(str(path)):
        return [path]
    base = Path(path.anchor or ".")
    matches = sorted(base.glob(str(path.relative_to(base) if path.anchor else path)))
    if not matches:
        raise InputError("no file fits the pattern", where=str(path))
    return matches


def files_of(folder: Path) -> list[Path]:
    """The files of a folder and of its folders, by name; see `expand`.

    Raises:
        InputError: There is none.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(folder)))
    if any(path.name in _ASIDE for path in files):
        files = [path for path in files if path.suffix == ".arrow" and not path.name.startswith("cache-")]
    if not files:
        raise InputError("found an empty folder, expected files of text", where=str(folder))
    return files


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def names_of(paths: Sequence[Path]) -> dict[Path, str]:
    """A name for each file that no other has: its own, with as many folders before it as make all of them differ.

    Raises:
        InputError: A file is named twice.
    """
    parts = {path: path.resolve().parts for path in paths}
    if len(set(parts.values())) < len(paths):
        twice = next(path for path, count in Counter(path.resolve() for path in paths).items() if count > 1)
        raise InputError("the file is named twice", where=str(twice))
    depth, alike = 1, Counter(path.name for path in paths)
    while any(count > 1 for count in alike.values()):
        depth += 1
        alike = Counter("/".join(places[-depth:]) for places in parts.values())
    return {path: path.name if depth == 1 else "/".join(parts[path][-depth:]) for path in paths}
