"""What a workspace is built from, remembered in `work/SUITE/inputs.json`.

A build writes its options down before it replaces anything. The next build takes those that are left out from there,
and says so. Once items were pushed or judged, other inputs need --change-inputs: people's work would refer to items
that no longer exist. Later commands read the settings file of the build.

The file has `built`, the options of the last build that finished, and `begun`, those of a later one that has not.
A workspace of an older version has no such file: nothing is remembered, and the next build writes it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from tashika.core.errors import ConfigError, InputError
from tashika.core.files import read_json, read_table, write_json
from tashika.core.input_records import (
    CONFIG,
    Record,
    build_digest,
    build_settings_digest,
    config_record,
    essence,
    file_digest,
    from_record,
    option,
    require_whole,
    shown,
    to_record,
)
from tashika.core.progress import say
from tashika.core.settings import Section, SectionT, load_section, validated
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

Records = Mapping[str, Record]
"""By the option's field."""


class BuildInputs(Section):
    """The options of a suite's build that change what is built; each field is an option, with `_` for `-`.

    A suite adds its own. Options that only say how far or how fast a build runs do not belong here, nor does a secret.

    Attributes:
        config: The settings file.
    """

    ALTERNATIVES: ClassVar[Sequence[tuple[str, str]]] = ()
    """Fields that exclude each other: one that is given takes the place of the other that is remembered."""
    BESIDE: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Field -> fields that mean something only beside it: they are forgotten together."""

    FORMER: ClassVar[Mapping[str, str]] = {}
    """Former name of a field, as earlier versions wrote it down -> its name."""

    config: Path | None = None

    @classmethod
    def digest(cls, path: Path) -> str:
        """A digest of what a build reads of a file or folder.

        Raises:
            InputError: There is no such file or folder.
        """
        return file_digest(path)

    def named(self) -> dict[str, Any]:
        """The options that have a value."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in values.items() if value not in (None, ())}

    def records(self, workspace: Workspace) -> dict[str, Record]:
        """What is kept of the options that have a value.

        Raises:
            InputError: A file is missing.
            ConfigError: The settings are another suite's.
        """
        found = {
            name: config_record(workspace.suite, value, workspace.root)
            if name == CONFIG
            else to_record(value, workspace.root, self.digest)
            for name, value in self.named().items()
        }
        return {name: record for name, record in found.items() if record is not None}


InputsT = TypeVar("InputsT", bound=BuildInputs)


@dataclass(frozen=True)
class Memory:
    """The content of `inputs.json`; None for what is not there."""

    built: Records | None = None
    begun: Records | None = None

    @property
    def latest(self) -> Records | None:
        """The options of the last build, whether or not it finished."""
        return self.built if self.begun is None else self.begun

    def renamed(self, names: Mapping[str, str]) -> Memory:
        """The same with names of today for options that were called otherwise."""

        def rename(part: Records | None) -> Records | None:
            return part and {names.get(name, name): record for name, record in part.items()}

        return Memory(rename(self.built), rename(self.begun))


def read_memory(workspace: Workspace) -> Memory:
    """What the builds before were given.

    Raises:
        InputError: The file is broken.
    """
    path = workspace.inputs_file
    if not path.exists():
        return Memory()
    content = read_json(path)
    parts = [content.get(name) if isinstance(content, dict) else content for name in ("built", "begun")]
    if not all(part is None or isinstance(part, dict) for part in parts):
        hint = "Delete it: then the next build remembers nothing of those before."
        raise InputError("expected an object with the options under `built` or `begun`", where=str(path), hint=hint)
    return Memory(*parts)


@dataclass(frozen=True)
class Taken(Generic[InputsT]):
    """The options of a build that is about to start.

    Attributes:
        workspace: What is built.
        options: Given or remembered.
        memory: Of the builds before.
        records: What is kept of the options.
    """

    workspace: Workspace
    options: InputsT
    memory: Memory
    records: Records

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Writes the options down: as begun before the block runs, as built when it ends well."""
        memory = self.memory
        if memory.built != self.records or memory.begun is not None:
            begun = {"begun": self.records, "built": memory.built}
            write_json(self.workspace.inputs_file, {name: one for name, one in begun.items() if one is not None})
        yield
        if memory.built != self.records or memory.begun is not None:
            write_json(self.workspace.inputs_file, {"built": self.records})


def take_inputs(workspace: Workspace, given: InputsT, *, change: bool = False, forget: bool = False) -> Taken[InputsT]:
    """Fills options up from the build before; says what is remembered, and what changes.

    Args:
        workspace: What is built.
        given: The options of the command line.
        change: Whether inputs may change though items were pushed or judged.
        forget: Whether nothing is taken from the build before.

    Raises:
        InputError: Options exclude each other, a file is missing or gone, or inputs change without `change`.
        ConfigError: The settings file is broken, or another suite's.
    """
    _refuse_alternatives(given)
    memory = read_memory(workspace).renamed(given.FORMER)
    if memory.latest is None and workspace.items.exists():
        say(f"{workspace.inputs_file} is not there, so nothing is known of the build before; this one writes it")
    kept = {} if forget else _kept(memory.latest or {}, given)
    for name, record in kept.items():
        require_whole(name, record, workspace.root)
        before = "the build before" if memory.begun is None else "the unfinished build before"
        say(f"{name.replace('_', ' ')}: {shown(record, workspace.root)}, as in {before} ({option(name)})")
    options = _filled(workspace, given, kept)
    records = options.records(workspace)
    _check_changes(workspace, memory, records, change=change)
    return Taken(workspace, options, memory, records)


def _refuse_alternatives(given: BuildInputs) -> None:
    for one, other in given.ALTERNATIVES:
        if one in given.named() and other in given.named():
            raise InputError(
                f"found both {option(one)} and {option(other)}, expected one of them",
                hint="Build each in a --work folder of its own.",
            )


def _kept(before: Records, given: BuildInputs) -> dict[str, Record]:
    """What is remembered and neither given anew nor displaced by what is given."""
    named, fields = set(given.named()), type(given).model_fields
    displaced = {other for pair in given.ALTERNATIVES for other in pair if named & (set(pair) - {other})}
    forgotten = {name for other in displaced & set(before) for name in given.BESIDE.get(other, ())}
    return {name: before[name] for name in fields if name in before and name not in named | displaced | forgotten}


def _filled(workspace: Workspace, given: InputsT, kept: Records) -> InputsT:
    values = {name: from_record(record, workspace.root) for name, record in kept.items()}
    return validated(type(given), {**given.named(), **values}, str(workspace.inputs_file))


def _check_changes(workspace: Workspace, memory: Memory, records: Records, *, change: bool) -> None:
    """Says what differs from the build before; refuses it where people's work depends on that, unless it is allowed."""
    since_last, since_built = (
        _differences(before, records, workspace.root) if before is not None else []
        for before in (memory.latest, memory.built)
    )
    work = _work_of_people(workspace) if since_last or since_built else []
    if work and not change:
        raise InputError(
            f"other inputs than those of the {', '.join(work)} here: {'; '.join(since_last or since_built)}",
            where=str(workspace.inputs_file),
            hint="Build in another folder (--work DIR). To replace the items here all the same: --change-inputs.",
        )
    for line in since_last:
        say(line)
    if work:
        say(f"stale where the new build has other items: {', '.join([*work, *_products(workspace)])}")
        say("then push, pull and vote, export and evaluate again")


def _differences(before: Records, after: Records, root: Path) -> list[str]:
    """What differs between the options of two builds, in words."""
    lines = []
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if essence(old) == essence(new):
            continue
        was, now = shown(old, root), shown(new, root)
        if was != now:
            lines.append(f"{option(name)} was {was} in the build before and is {now} now")
            continue
        part = ": its section [build], or a file that this names," if name in {CONFIG, "suite_file"} else ""
        lines.append(f"{option(name)} {was}{part} has changed since the build before")
    return lines


def _work_of_people(workspace: Workspace) -> list[str]:
    """What people were asked and said about the items, in words; nothing if there is none."""
    tasks, judgments = (
        sum(read_table(path, columns=["item_id"]).num_rows for path in sorted(folder.glob("*.parquet")))
        for folder in (workspace.pushed, workspace.judgments)
    )
    counts = {"pushed tasks": tasks, "judgments": judgments}
    verdicts = ["verdicts"] if workspace.verdict_file.exists() else []
    return [f"{count:,} {name}" for name, count in counts.items() if count] + verdicts


def _products(workspace: Workspace) -> list[str]:
    """What was made of the verdicts, in words."""
    scored = sum(1 for _ in workspace.evaluate.glob("*/metrics.json"))
    release = ["release"] if workspace.release.exists() else []
    return release + ([f"scores of {scored:,} models"] if scored else [])


def refuse_other_inputs(workspace: Workspace, expected: BuildInputs, hint: str) -> None:
    """Makes sure that a workspace was built from these options, or has not been built.

    Raises:
        InputError: It was built from others.
    """
    before = read_memory(workspace).latest
    differing = [] if before is None else _differences(before, expected.records(workspace), workspace.root)
    if differing:
        raise InputError("; ".join(differing), where=str(workspace.inputs_file), hint=hint)


def build_settings_file(workspace: Workspace) -> Path | None:
    """The settings file that the workspace was built with; None for the packaged settings.

    Raises:
        ConfigError: It is gone.
    """
    memory = read_memory(workspace)
    record = ((memory.built if memory.built is not None else memory.begun) or {}).get(CONFIG)
    if record is None:
        return None
    path = Path(from_record(record, workspace.root))
    if not path.is_file():
        hint = "Give their place now: --config FILE."
        raise ConfigError("the settings of the build are gone", where=str(path), hint=hint)
    return path


def keep_settings_file(workspace: Workspace, config: Path) -> None:
    """Has later commands read a settings file that was given after the build, without building again.

    It takes the place of the build's if both have the same section [build]: then the items are what a build by it would
    make. Otherwise, or if the build has not finished or wrote nothing down, the file counts once, and a line says so.

    Raises:
        ConfigError: The file cannot be read, or is another suite's.
    """
    memory = read_memory(workspace)
    record = config_record(workspace.suite, config, workspace.root)
    if memory.built is not None and memory.begun is None:
        if record == memory.built.get(CONFIG):
            return
        built = build_settings_digest(workspace.suite, memory.built.get(CONFIG), workspace.root)
        if built == build_digest(workspace.suite, config):
            others = {name: value for name, value in memory.built.items() if name != CONFIG}
            write_json(workspace.inputs_file, {"built": others if record is None else {**others, CONFIG: record}})
            say(f"settings: {config}, for later commands too; its section [build] is that of the build")
            return
    say(
        f"settings: {config}, for this command alone; later ones read it after `tashika build {workspace.arguments} "
        f"--config {shlex.quote(str(config))}`"
    )


def load_settings(workspace: Workspace, section: str, model: type[SectionT], config: Path | None) -> SectionT:
    """Loads a room's section for a command after the build: of the file that is given, else of the build's.

    Says which file is read, unless it was given. What a file leaves out is published.

    Raises:
        ConfigError: The file is gone, or it or the section does not fit.
    """
    if config is None and suite_named(workspace.suite).own_settings(section) is None:
        config = build_settings_file(workspace)
        if config is not None:
            say(f"settings: {config}, as in the build ({option(CONFIG)})")
    return load_section(workspace.suite, section, model, config)
