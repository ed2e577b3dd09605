"""Settings: one TOML file a suite, one section a room, every key checked.

A room declares its section as a pydantic model on `Section`; a key that nobody knows is an error that names the
file, the key and the keys that exist. The packaged files hold the packaged settings. A user's file has what differs
from them: it is laid over the published file key by key (tables merge; lists and single values replace). It says above
its sections whose it is (`suite = "kuci"`), and no other suite reads it. A preset is such a file that comes with a
suite and is given by a word: `paper`, what the suite's paper did, lies beside the published file as NAME-paper.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tashika.core.errors import ConfigError, shown
from tashika.core.suites.discovery import all_suites, known_suites, suite_named

SECTIONS = ("build", "annotate", "export", "evaluate")
"""The sections that a suite's file may have, one a room."""

PRESETS = ("paper",)
"""Words that --config takes in place of a file."""


class Section(BaseModel):
    """Base of all settings: unknown keys and infinite numbers are refused, values do not change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


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
        ConfigError: It is missing, not TOML, or has a zero character.
    """
    try:
        content = parse_toml(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigError("there is no such file", where=str(path)) from error
    except ValueError as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from error
    key = _key_of_zero(content)
    if key is not None:
        raise ConfigError(f"found the character \\u0000 in {key}, which no path and no address has", where=str(path))
    return content


def parse_toml(text: str) -> dict[str, Any]:
    """Parses TOML of others.

    Raises:
        ValueError: It is no TOML, is nested too deeply, or has a number of thousands of digits.
    """
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _key_of_zero(value: Any, key: str = "the file") -> str | None:
    """The key of the first text with a zero character; None if there is none."""
    if isinstance(value, dict):
        zero = next((repr(name) for name in value if "\0" in name), None)
        return zero or next((found for name, part in value.items() if (found := _key_of_zero(part, name))), None)
    if isinstance(value, list):
        return next((found for part in value if (found := _key_of_zero(part, key))), None)
    return key if isinstance(value, str) and "\0" in value else None


def load_section(suite: str, section: str, model: type[SectionT], config: Path | None = None) -> SectionT:
    """Loads a room's section of a suite's settings.

    Args:
        suite: The suite, whose packaged file is read where no other is given.
        section: One of `SECTIONS`.
        model: What the section must look like.
        config: The user's own file, or the name of a preset, over the published one.

    Raises:
        ConfigError: The file or the section does not fit.
    """
    found = known_suites().get(suite)
    own = found.own_settings(section) if found else None
    if own is not None:
        if config is not None:
            hint = f"Change {default_config(suite)}, and leave --config out."
            raise ConfigError(f"the suite {suite} holds its settings in its own file", where=str(config), hint=hint)
        return validated(model, own, f"{default_config(suite)} [{section}]")
    path = default_config(suite) if config is None else settings_file(suite, config)
    return validated(model, read_settings(suite, path).get(section, {}), f"{path} [{section}]")


def default_config(suite: str) -> Path:
    """The file of a suite's packaged settings.

    Raises:
        InputError: There is no such suite.
    """
    return suite_named(suite).config_file


def settings_file(suite: str, config: Path) -> Path:
    """The file that --config names: a preset of the suite by its word, else the file itself.

    Raises:
        ConfigError: The suite has no such preset.
        InputError: There is no such suite.
    """
    if str(config) not in PRESETS:
        return config
    published = default_config(suite)
    preset = published.with_name(f"{published.stem}-{config}.toml")
    if not preset.is_file():
        having = [name for name in all_suites() if _has_preset(name, str(config))]
        known = f"Suites with one: {', '.join(having)}." if having else "No suite here has one."
        hint = f"{known} A file of this name is given with its folder's whole path, or another name."
        raise ConfigError(f"the suite {suite} has no preset {str(config)!r}", where=f"--config {config}", hint=hint)
    return preset


def _has_preset(suite: str, preset: str) -> bool:
    published = default_config(suite)
    return published.with_name(f"{published.stem}-{preset}.toml").is_file()


def read_settings(suite: str, path: Path) -> dict[str, Any]:
    """The sections of a suite's settings file or preset, over the published ones; no section's content is checked.

    Raises:
        ConfigError: The file cannot be read, has an unknown section, or is another suite's.
    """
    written = _written_settings(suite, settings_file(suite, path))
    return _over_published(suite, written) if suite in all_suites() else written


def _written_settings(suite: str, path: Path) -> dict[str, Any]:
    """The sections as the file itself has them."""
    content = read_toml(path)
    owner = content.pop("suite", None)
    unknown = sorted(set(content) - set(SECTIONS))
    if unknown:
        raise ConfigError(f"unknown section [{unknown[0]}]; known are {', '.join(SECTIONS)}", where=str(path))
    if owner is None:
        owner = _likely_owner(suite, content)
        found = f"these look like settings of {owner}, not of {suite}"
        hint = f"If they are meant for {suite}, write suite = {suite!r} above the first section."
    else:
        found = f"found suite = {owner!r}, expected settings of {suite}"
        hint = f"Give a copy of {suite}'s own settings, or leave --config out."
    if owner != suite:
        raise ConfigError(found, where=str(path), hint=hint)
    return content


def _over_published(suite: str, written: Mapping[str, Any]) -> dict[str, Any]:
    """A file's sections over the published ones.

    A kind of item whose `mode` the file changes loses its published `sample`, which goes with `audit` alone.
    """
    published = read_toml(default_config(suite))
    published.pop("suite", None)
    kinds = _kinds(published)
    for name, kind in _kinds(written).items():
        before = _table(kinds.get(name))
        if _table(kind).get("mode", before.get("mode")) != before.get("mode"):
            published["annotate"]["kinds"][name] = {key: value for key, value in before.items() if key != "sample"}
    return _merged(published, written)


def _likely_owner(suite: str, content: Mapping[str, Any]) -> str:
    """Whose settings these are, where the file does not say: the suite itself unless another knows more of the keys."""
    keys = _keys(content)
    unknown = {suite: len(keys - _packaged_keys(suite))} if suite in all_suites() else {}
    if unknown.get(suite, 0):
        unknown |= {name: len(keys - _packaged_keys(name)) for name in all_suites() if name != suite}
    return min(unknown, key=lambda name: (unknown[name], name != suite), default=suite)


def _packaged_keys(suite: str) -> set[tuple[str, str]]:
    kinds = {("kind", kind.name) for kind in suite_named(suite).kinds}
    return kinds | _keys(read_toml(default_config(suite)))


def _keys(content: Mapping[str, Any]) -> set[tuple[str, str]]:
    """What tells suites apart: the keys of the section [build], and the kinds of items that people judge."""
    return {("build", key) for key in _table(content.get("build"))} | {("kind", kind) for kind in _kinds(content)}


def _kinds(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return _table(_table(content.get("annotate")).get("kinds"))


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def overridden(settings: SectionT, given: Mapping[str, Any]) -> SectionT:
    """The settings with what the command line gives in place of the file's, checked like the file.

    Args:
        settings: As the file has them.
        given: Values by key; None leaves the file's, and a mapping changes a section inside.

    Raises:
        ConfigError: A value does not fit.
    """
    return validated(
        type(settings), _merged(settings.model_dump(mode="json", exclude_unset=True), given), "command line"
    )


def _merged(content: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values with those that are given in their place, key by key in tables; None leaves what is there."""
    merged = dict(content)
    for name, value in given.items():
        if isinstance(value, Mapping):
            merged[name] = _merged(_table(merged.get(name)), value)
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
        message = (
            f"{key} is missing" if first["type"] == "missing" else f"{key}: {told}; found {shown(first.get('input'))}"
        )
        known = ", ".join(sorted(model.model_fields))
        hint = f"Known keys of this section: {known}." if first["type"] in {"missing", "extra_forbidden"} else None
        raise ConfigError(message if key else told, where=where, hint=hint) from error
