"""Paths in a release, which `release.json` names and which must not lead out of it."""

from __future__ import annotations

from pathlib import PurePosixPath


def is_inside(path: str) -> bool:
    """Whether a path with forward slashes names a place in the release, in its plain form."""
    name = PurePosixPath(path)
    return bool(name.parts) and not name.is_absolute() and ".." not in name.parts and _is_plain(path, name)


def _is_plain(path: str, name: PurePosixPath) -> bool:
    return str(name) == path and path.isprintable() and "\\" not in path
