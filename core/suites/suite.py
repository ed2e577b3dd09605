"""What a suite is: one object that declares it, and names the object that each room takes from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

from tashika.core.suites.columns import Kind
from tashika.core.suites.papers import Paper, bibtex_of

Room = Literal["builders", "annotation", "exports", "evaluate"]


SUITE_FILE: Final = "suite.toml"
"""A folder with such a file is a suite of the user's own."""


@dataclass(frozen=True)
class PreparedModel:
    """A small model that `tashika models NAME` makes, so that a first run needs no download.

    Attributes:
        name: Its name on the command line, and its folder under `work/models/`.
        help: One sentence for `tashika models --help`.
        prepare: MODULE:FUNCTION; the function takes the working directory and the model's folder, leaves a finished
            model as it is, and returns the folder.
    """

    name: str
    help: str
    prepare: str


@dataclass(frozen=True)
class Rehearsal:
    """What the demo of a suite runs on.

    Attributes:
        config: The settings, PACKAGE:FILE.
        inputs: What else it depends on, each PACKAGE:FILE, so that a new one makes the demo run again.
        models: The models that are scored, of those that `tashika models` makes.
        limits: The option --limit for a slow model, by model.
        judging: The steps of `tashika annotate` that a round of judging takes.
        second_build: Whether what people accepted is built on, and what comes of it judged too.
        second_round: Whether the evaluation leaves items that people judge: with the option --checks, after all models.
    """

    config: str
    inputs: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    judging: tuple[str, ...] = ("push", "simulate", "pull", "vote", "status")
    second_build: bool = False
    second_round: bool = False


@dataclass(frozen=True)
class Suite:
    """A dataset family, from source to score.

    A declaration is imported whenever suites are listed, so its module imports nothing heavy. Each room's object is
    named as MODULE:ATTRIBUTE and imported when a command needs it; see `docs/suites.md`.

    Attributes:
        name: On the command line, and the name of its folder in a workspace.
        title: One line for lists and pages.
        kinds: Its kinds of items in the order in which they are made.
        builders: A `tashika.builders.suite.Build`.
        annotation: A tuple of `tashika.annotation.labelling.Page`.
        exports: A `tashika.exports.plan.SuiteExport`.
        evaluate: A `tashika.evaluate.suite.Evaluation`.
        config: The settings that hold where the user gives none, PACKAGE:FILE.
        rehearsal: What `tashika demo` runs on; None for a suite without a demo.
        models: Small models of its own that `tashika models` makes.
        papers: What it follows, the first first, and what else its cards and pages name.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...]
    builders: str
    annotation: str
    exports: str
    evaluate: str
    config: str
    rehearsal: Rehearsal | None = None
    models: tuple[PreparedModel, ...] = ()
    papers: tuple[Paper, ...] = ()

    @property
    def citation(self) -> str:
        """The papers in BibTeX; empty where there are none."""
        return bibtex_of(self.papers)

    def kind(self, name: str) -> Kind:
        """A kind of item.

        Raises:
            KeyError: The suite has no such kind.
        """
        return {kind.name: kind for kind in self.kinds}[name]

    @property
    def config_file(self) -> Path:
        """The settings that hold where the user gives none."""
        return packaged_file(self.config)

    @property
    def argument(self) -> str:
        """What the command line is given to mean this suite."""
        return self.name

    def own_settings(self, section: str) -> Mapping[str, Any] | None:
        """The section of a suite that holds its settings itself; None where a settings file does."""
        return None

    def load(self, room: Room) -> Any:
        """The object that a room takes from the suite; importing it may take a while."""
        return load_object(getattr(self, room))


def load_object(place: str) -> Any:
    """Imports what MODULE:ATTRIBUTE names."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def packaged_file(place: str) -> Path:
    """The path of what PACKAGE:FILE names."""
    package, _, name = place.partition(":")
    return Path(str(files(package).joinpath(name)))
