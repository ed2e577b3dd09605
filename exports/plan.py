"""What a suite's module tells the rest of the room about its release, before any of it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import Field

from tashika.core.addresses import REPO_NAME
from tashika.core.release_checks import ChecksForm
from tashika.core.release_words import ReleaseWords
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace
from tashika.exports.checking.shape import Shape
from tashika.exports.checks import Check
from tashika.exports.parquet import Advance
from tashika.exports.schema import Config
from tashika.exports.tasks.task import Task
from tashika.exports.validation import KindValidation


class ExportSettings(ReleaseWords):
    """`[export]` of a suite's settings, with what only a person can say (`core.release_words`).

    Attributes:
        version: Of the release; its tag on the Hub is `v` and this.
        pretty_name: The dataset's name on its card.
        license: An identifier that the Hub knows, such as `cc0-1.0`.
        language: ISO 639-1 codes.
        prompts_per_shard: Rows in a file of the largest configuration.
        checks: How severe the checks before a release are, and their thresholds.
        repo: ORG/NAME, where it will be published: its task files then open it there, at the release's tag. Without
            it they open the folder where they are run, as a download of the repository is.
    """

    version: str = Field("0.1.0", pattern=r"^\d+\.\d+\.\d+([.+-][0-9A-Za-z.-]+)?$")
    pretty_name: str = Field(min_length=1)
    license: str = Field(min_length=1)
    language: tuple[str, ...] = ("en",)
    prompts_per_shard: int = Field(500_000, gt=0)
    checks: ChecksForm = ChecksForm()
    repo: str = Field("", pattern=rf"^({REPO_NAME})?$")


@dataclass(frozen=True)
class PlannedFile:
    """One Parquet file of a release.

    Attributes:
        path: Where it lies in the release, with forward slashes.
        config: The configuration it belongs to.
        rows: How many rows it will have.
        write: Writes it to a path; tells its second argument how many rows were added.
    """

    path: str
    config: str
    rows: int
    write: Callable[[Path, Advance], int]


@dataclass(frozen=True)
class Breakdown:
    """Released rows by what they have in a column: a heading for the card, and (value, rows) in their order."""

    by: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Plan:
    """A release that has been counted but not written.

    Attributes:
        files: Its Parquet files.
        counts: For `release.json` and the card.
        left_out: Items that were built but are not released, by reason.
        digest: SHA-256 of the released content, without its products.
        items: The released items by kind, with their provenance.
        validation: Who validated, by kind.
        notes: What this release alone must say of itself, a sentence each.
        breakdown: Its rows by values that no table of the card can foresee.
        built_with: Settings of the build that the checks need, as plain values.
        card: Its text for the card, where that of the suite does not fit.
    """

    files: tuple[PlannedFile, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    digest: str
    items: Mapping[str, pa.Table]
    validation: Mapping[str, KindValidation]
    notes: tuple[str, ...] = ()
    breakdown: tuple[Breakdown, ...] = ()
    built_with: Mapping[str, Any] = field(default_factory=dict)
    card: CardText | None = field(default=None, repr=False)

    @property
    def simulated(self) -> bool:
        """Whether any of the annotators was a program."""
        return any(entry.simulated for entry in self.validation.values())


@dataclass(frozen=True)
class CountRow:
    """A line of the card's table of counts: the name, its key in `counts`, and the paper's figures, if it has any."""

    name: str
    key: str
    published: tuple[int, ...]


@dataclass(frozen=True)
class CardText:
    """What only the suite can say on its card.

    Attributes:
        summary: What the dataset is, in Markdown.
        building: How it was built, one sentence a step.
        licences: A word in a source's name, and that source's licence.
        published: Headings of the paper's columns in the table of counts.
        counts: The lines of that table.
        counts_note: What to know when comparing.
        example: The configuration that the card shows how to load.
        limits: What a user should know before relying on it.
        citation: BibTeX of the publication; empty where there is none.
        citing: What stands above it.
        use_cases: What it is meant for, as `core.release_words` says; what the settings say goes before.
        biases: Likewise.
        personal_information: Likewise.
        social_impact: Likewise.
        tags: For the Hub's search.
        task_categories: Identifiers that the Hub knows.
        notice: A licence's notice that must go along with every copy; empty where none must.
    """

    summary: str
    building: tuple[str, ...]
    licences: Mapping[str, str]
    published: tuple[str, ...]
    counts: tuple[CountRow, ...]
    counts_note: str
    example: str
    limits: tuple[str, ...]
    citation: str
    tags: tuple[str, ...] = ()
    task_categories: tuple[str, ...] = ()
    notice: str = ""
    citing: str = "The design follows this paper; cite it beside this release."
    use_cases: tuple[str, ...] = ()
    biases: tuple[str, ...] = ()
    personal_information: tuple[str, ...] = ()
    social_impact: str = ""


@dataclass(frozen=True)
class SuiteExport:
    """A suite's side of this room; its module holds one as `EXPORT`.

    Attributes:
        suite: Its name.
        kinds: The kinds of items that the release is made from.
        configs: The configurations of the release, by name.
        plan: Selects and counts.
        checks: What must hold of the written files beside the checks that every release passes.
        card: Its text for the card.
        settings: Its section [export].
        inputs: Files beside items, verdicts and the summary of the validation that the release is made from.
        shapes: What the columns of its configurations are for, by name; the checks of every release go by it.
        tools: Words in the names of sources whose text is not in the release: programs and models that read it.
        tasks: What models are asked, for the task files of other programs; is given the folder with the Parquet files.
        asked: What these depend on beside the rows, as plain values.
        own_method: Why there are none of them, for the card; empty where there are.
    """

    suite: str
    kinds: tuple[str, ...]
    configs: Mapping[str, Config]
    plan: Callable[[Workspace, ExportSettings], Plan]
    checks: tuple[Check, ...]
    card: CardText = field(repr=False)
    settings: type[ExportSettings] = ExportSettings
    inputs: Callable[[Workspace], Sequence[Path]] = lambda _: ()
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    tasks: Callable[[Path], Sequence[Task]] = lambda _: ()
    asked: Mapping[str, Any] = field(default_factory=dict)
    own_method: str = ""


def suite_export(name: str) -> SuiteExport:
    """The suite's side of this room.

    Raises:
        InputError: There is no such suite.
    """
    found: SuiteExport = suite_named(name).load("exports")
    return found
