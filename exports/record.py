"""`release.json` as others than its writer find it: read and checked in one place, wherever it lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tashika.core.errors import InputError
from tashika.exports.paths import is_inside

KEYS: Final[Mapping[str, type]] = {
    "suite": str,
    "version": str,
    "digest": str,
    "counts": dict,
    "simulated": bool,
    "files": dict,
}
"""What every `release.json` has, and of which type."""

_OPTIONAL: Final[Mapping[str, type]] = {
    "documents": dict,
    "left_out": dict,
    "built_with": dict,
    "breakdown": list,
    "warnings": list,
    "notes": list,
    "repo": str,
}


def sound_record(record: Any, where: str, hint: str | None = None) -> dict[str, Any]:
    """The content of a `release.json`.

    Args:
        record: What was read.
        where: It was read.
        hint: What to do where it is damaged.

    Raises:
        InputError: A key is missing or of another type, a file is not described, or lies outside of the release.
    """
    if not isinstance(record, dict):
        raise InputError(f"found a JSON {type(record).__name__}, expected an object", where=where, hint=hint)
    problem = next(_problems(record), None)
    if problem is not None:
        raise InputError(problem, where=where, hint=hint)
    return record


def _problems(record: Mapping[str, Any]) -> Iterator[str]:
    """Yields what is wrong, the first of which is said; what follows may rest on what came before."""
    yield from (f"the key {key!r} is missing" for key in KEYS if key not in record)
    for key, kind in {**KEYS, **_OPTIONAL}.items():
        if key in record and not isinstance(record[key], kind):
            yield f"{key!r} is a {type(record[key]).__name__}, expected a {kind.__name__}"
    for path, described in {**record["files"], **record.get("documents", {})}.items():
        if not is_inside(path):
            yield f"found the path {path!r}; expected one in the release"
        if not _is_described(described, rows=path in record["files"]):
            yield f"{path!r} is listed without its hash or its rows"
    for counts in (record["counts"], record.get("left_out", {})):
        yield from (f"the count {key!r} is no number" for key, count in counts.items() if not isinstance(count, int))


def _is_described(described: Any, *, rows: bool) -> bool:
    if not isinstance(described, dict) or not isinstance(described.get("sha256"), str):
        return False
    return not rows or isinstance(described.get("rows"), int)
