"""The suite that a suite file declares: like any other, but that its rooms' objects are made from the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tashika.core.custom.build_form import KindForm
from tashika.core.custom.form import SuiteFile
from tashika.core.custom.reading import inside, named_paths, read_suite_file
from tashika.core.files import hash_value
from tashika.core.suites.columns import Kind
from tashika.core.suites.suite import Rehearsal, Room, Suite, load_object

_KIND = ("mode", "sample", "annotators", "tie_breaker", "rule", "parts")
"""What `annotation.settings.KindSettings` has of a page's form."""


@dataclass(frozen=True)
class CustomSuite(Suite):
    """A suite of the user's own.

    Attributes:
        path: The suite file.
        file: Its content.
    """

    path: Path = Path()
    file: SuiteFile = field(default=None, repr=False)  # type: ignore[assignment]

    @cached_property
    def _loaded(self) -> dict[Room, Any]:
        return {}

    def load(self, room: Room) -> Any:
        """The object of a room, which the room's part for such suites makes of the file."""
        if room not in self._loaded:
            self._loaded[room] = load_object(getattr(self, room))(self)
        return self._loaded[room]

    @property
    def config_file(self) -> Path:
        """The suite file, which holds the settings."""
        return self.path

    @property
    def argument(self) -> str:
        """What the command line is given to mean this suite."""
        return str(self.path)

    @property
    def citation(self) -> str:
        """BibTeX, as the suite file has it."""
        return self.file.export.citation

    def own_settings(self, section: str) -> Mapping[str, Any] | None:
        """A room's section, in the form that the room's own settings have."""
        if section == "annotate":
            return self._annotate()
        if section == "export":
            names = ("version", "license", "language", "repo")
            values = {name: getattr(self.file.export, name) for name in names}
            words = {
                name: value for name, value in self.file.export.words() if name in self.file.export.model_fields_set
            }
            checks = self.file.export.checks.model_dump(mode="json", exclude_unset=True)
            own = {"pretty_name": self.file.export.pretty_name or self.title, "checks": checks}
            return {**values, **words, **own}
        form = getattr(self.file, section)
        return form.model_dump(mode="json", exclude_unset=True) if form is not None else {}

    def _annotate(self) -> Mapping[str, Any]:
        form = self.file.annotate
        values = form.model_dump(mode="json", exclude={"kinds"})
        values = {name: value for name, value in values.items() if value != {}}
        kinds = {name: {key: getattr(page, key) for key in _KIND} for name, page in form.kinds.items()}
        return {**values, "kinds": kinds}

    def place(self, name: str) -> Path:
        """The path of a file that the suite file names.

        Raises:
            ConfigError: It lies outside the suite file's folder.
        """
        return inside(self.path.parent, name)

    def form(self, kind: str) -> KindForm:
        """Where the candidates of a kind come from."""
        return self.file.build.kinds[kind]


def open_suite_file(path: Path) -> CustomSuite:
    """Reads a suite file.

    Raises:
        ConfigError: Something is wrong with it.
    """
    file = read_suite_file(path)
    kinds = tuple(
        Kind(name, form.meaning or f"a {name}", {column: each.column(column) for column, each in form.columns.items()})
        for name, form in file.build.kinds.items()
    )
    judged = ("push", "simulate", "pull", "vote", "status")
    return CustomSuite(
        name=file.suite.name,
        title=file.suite.title,
        kinds=kinds,
        builders="tashika.builders.custom.suite:build_of",
        annotation="tashika.annotation.custom.pages:pages_of_suite",
        exports="tashika.exports.custom.export:export_of",
        evaluate="tashika.evaluate.custom.suite:evaluation_of",
        config=str(path),
        rehearsal=Rehearsal(config=str(path), models=("smollm2",) if file.evaluate else (), judging=judged),
        path=path,
        file=file,
    )


def suite_file_digest(path: Path) -> str:
    """A digest of what a build reads: the suite file's section [build], and the tables that it names.

    Raises:
        ConfigError: Something is wrong with the suite file.
    """
    from tashika.core.input_records import file_digest  # which itself looks for suites

    file = read_suite_file(path)
    places = [inside(path.parent, name) for loc, name in named_paths(file) if loc[0] == "build"]
    tables = [file_digest(place) for place in places]
    return hash_value([file.suite.name, file.build.model_dump(mode="json"), tables])
