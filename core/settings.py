"""Settings: one TOML file a suite, one section a room, every key checked.

A room declares its section as a pydantic model on `Section`; a key that nobody knows is an error that names the
file, the key and the keys that exist. The packaged files hold the published settings as defaults.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tashika.core.errors import ConfigError
from tashika.core.suites.discovery import suite_named

SECTIONS = ("build", "annotate", "export", "evaluate")
"""The sections that a suite's file may have, one a room."""


class Section(BaseModel):
    """Base of all settings: unknown keys are refused, values do not change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


SectionT = TypeVar("SectionT", bound=Section)


def packaged(name: str) -> Path:
    """The path of a file under `configs/`."""
    return Path(str(files("tashika.configs").joinpath(name)))


def packaged_data(name: str) -> Path:
    """The path of a file or folder under `data/`."""
    return Path(str(files("tashika.data").joinpath(name)))


def read_toml(path: Path) -> dict[str, Any]:
    """Reads a TOML file.

    Raises:
        ConfigError: It is missing or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError("there is no such file", where=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from error


def load_section(suite: str, section: str, model: type[SectionT], config: Path | None = None) -> SectionT:
    """Loads a room's section of a suite's settings.

    Args:
        suite: The suite, whose packaged file is read where no other is given.
        section: One of `SECTIONS`.
        model: What the section must look like.
        config: The user's own file.

    Raises:
        ConfigError: The file or the section does not fit.
    """
    path = config or suite_named(suite).config_file
    content = read_toml(path)
    unknown = sorted(set(content) - set(SECTIONS))
    if unknown:
        raise ConfigError(f"unknown section [{unknown[0]}]; known are {', '.join(SECTIONS)}", where=str(path))
    return validated(model, content.get(section, {}), f"{path} [{section}]")


def overridden(settings: SectionT, given: Mapping[str, Any]) -> SectionT:
    """The settings with what the command line gives in place of the file's, checked like the file.

    Args:
        settings: As the file has them.
        given: Values by key; None leaves the file's, and a mapping changes a section inside.

    Raises:
        ConfigError: A value does not fit.
    """
    return validated(type(settings), _merged(settings.model_dump(mode="json"), given), "command line")


def _merged(content: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(content)
    for name, value in given.items():
        if isinstance(value, Mapping):
            merged[name] = _merged(merged[name], value)
        elif value is not None:
            merged[name] = value
    return merged


def validated(model: type[SectionT], content: Any, where: str) -> SectionT:
    """Checks plain values against a model and turns what pydantic finds into one clear error."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        told = first["msg"].removeprefix("Value error, ")
        message = f"{key} is missing" if first["type"] == "missing" else f"{key}: {told}; found {first.get('input')!r}"
        known = ", ".join(sorted(model.model_fields))
        hint = f"Known keys of this section: {known}." if first["type"] in {"missing", "extra_forbidden"} else None
        raise ConfigError(message if key else told, where=where, hint=hint) from error
