"""How a build's options are written down in `inputs.json`, read back, compared and shown.

A file is kept with a digest of its content, its path relative to the working directory where it lies beside or below
that, else absolute: a project folder may move as a whole. Of an address no user name, password or query is kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tashika.core.addresses import is_address, may_hold_secrets, shown_address
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value
from tashika.core.settings import default_config, read_settings

Record = Any
"""What is kept of an option's value, as plain JSON values."""

Digest = Callable[[Path], str]

CONFIG = "config"
"""The option that every build has: a settings file, of which the section [build] counts."""

_SHOWN_FILES = 3


def option(name: str) -> str:
    """The option of a field: `case_frames` is --case-frames; a suite file is no option but the suite itself."""
    if name == "suite_file":
        return "the suite file"
    return "--" + name.replace("_", "-")


def file_digest(path: Path) -> str:
    """A digest of a file's content, or of the files that lie directly in a folder.

    Raises:
        InputError: There is no such file or folder.
    """
    if path.is_dir():
        kept = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        return hash_value([[one.name, hash_file(one)] for one in kept])
    if not path.is_file():
        raise InputError("there is no such file", where=str(path))
    return hash_file(path)


def build_digest(suite: str, path: Path) -> str:
    """A digest of what a build takes from a settings file: its section [build], and the files that this names.

    Raises:
        ConfigError: The file cannot be read, or is another suite's.
    """
    return hash_value(_with_files(read_settings(suite, path).get("build", {})))


def _with_files(value: Any) -> Any:
    """Plain values, each name of a file with a digest beside it."""
    if isinstance(value, Mapping):
        return {key: _with_files(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_files(one) for one in value]
    if isinstance(value, str) and _names_file(value):
        return [value, hash_file(Path(value))]
    return json.loads(json.dumps(value, default=str))  # TOML has dates


def _names_file(text: str) -> bool:
    try:
        return bool(text) and Path(text).is_file()
    except OSError:  # longer than a path may be
        return False


def config_record(suite: str, path: Path, root: Path) -> Record:
    """What is kept of a settings file; None for the suite's packaged settings, which are the default.

    Raises:
        ConfigError: The file cannot be read, or is another suite's.
    """
    digest = build_digest(suite, path)
    published = default_config(suite)
    if path.resolve().parent == published.resolve().parent:
        return None if path.name == published.name else {"packaged": path.name, "suite": suite}
    return {"path": _kept_path(path, root), "sha256": digest}


def build_settings_digest(suite: str, record: Record, root: Path) -> str:
    """The digest of what a build took from its settings, by what is kept of these; see `config_record`.

    Raises:
        ConfigError: They are published ones, and cannot be read.
    """
    if isinstance(record, Mapping) and "sha256" in record:
        return str(record["sha256"])
    return build_digest(suite, default_config(suite) if record is None else from_record(record, root))


def to_record(value: Any, root: Path, digest: Digest) -> Record:
    """What is kept of an option's value.

    Raises:
        InputError: A file is missing, or an address is malformed.
    """
    if isinstance(value, Path):
        return {"path": _kept_path(value, root), "sha256": digest(value)}
    if isinstance(value, tuple):
        return [to_record(one, root, digest) for one in value]
    if isinstance(value, str) and is_address(value):
        return {"address": shown_address(value), "incomplete": may_hold_secrets(value)}
    return value


def _kept_path(path: Path, root: Path) -> str:
    place, base = Path(os.path.abspath(path)), Path(os.path.abspath(root))
    beside = base.parent != Path(base.anchor) and place.is_relative_to(base.parent)
    return Path(os.path.relpath(place, base)).as_posix() if beside else str(place)


def from_record(record: Record, root: Path) -> Any:
    """The value that a record was made of, but for what is not kept of an address."""
    if isinstance(record, list):
        return tuple(from_record(one, root) for one in record)
    if not isinstance(record, Mapping):
        return record
    if "packaged" in record:
        return default_config(str(record["suite"])).with_name(str(record["packaged"]))
    if "path" in record:
        return _near(Path(os.path.abspath(root / str(record["path"]))))
    return record.get("address")


def _near(path: Path) -> Path:
    """A path as one types it: relative to the current folder if it lies in there."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def require_whole(name: str, record: Record, root: Path) -> None:
    """Makes sure that a remembered value can be used again.

    Raises:
        InputError: A file is gone, or of an address a part was not kept.
    """
    for one in record if isinstance(record, list) else [record]:
        if not isinstance(one, Mapping):
            continue
        hint = f"Give {option(name)} again, or take nothing from the build before: --forget-inputs."
        if one.get("incomplete"):
            problem = f"{option(name)} had a user name, password or query in it, which are not written down"
            raise InputError(problem, where=str(one["address"]), hint=hint)
        path = from_record(one, root)
        if isinstance(path, Path) and not path.exists():
            raise InputError(f"{option(name)} of the build before is gone", where=str(path), hint=hint)


def essence(record: Record) -> Any:
    """What two records are compared by: of a file its content, wherever it lies."""
    if isinstance(record, list):
        return [essence(one) for one in record]
    if isinstance(record, Mapping):
        return record.get("sha256") or record.get("packaged") or record.get("address")
    return record


def shown(record: Record, root: Path) -> str:
    """A record in plain words."""
    if record is None:
        return "left out"
    if isinstance(record, list):
        named = ", ".join(shown(one, root) for one in record[:_SHOWN_FILES])
        more = len(record) - _SHOWN_FILES
        return f"{named} and {more:,} more" if more > 0 else named
    if isinstance(record, Mapping) and "packaged" in record:
        return f"the packaged {record['packaged']}"
    return str(from_record(record, root))
