"""What a release holds beside its Parquet files and its card: descriptions and task files that other programs read.

A document is written from the release alone: the same release gives the same bytes, without a clock or the machine's
name. `release.json` lists each with its size and hash, and an export removes those of the release before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tashika.core.files import hash_file, write_text
from tashika.exports.metadata.citation import citation
from tashika.exports.metadata.croissant import croissant
from tashika.exports.metadata.licence_file import licence_file
from tashika.exports.metadata.statistics import statistics
from tashika.exports.paths import is_inside
from tashika.exports.plan import ExportSettings, Plan, SuiteExport
from tashika.exports.schema import configs_of
from tashika.exports.tasks.flexeval import flexeval_files
from tashika.exports.tasks.inspect import inspect_files
from tashika.exports.tasks.lm_eval import lm_eval_files
from tashika.exports.versions.former import Former
from tashika.exports.versions.markdown import changes_file


@dataclass(frozen=True)
class Draft:
    """A release whose rows are written, and that does not lie in its place yet.

    Attributes:
        folder: Where its Parquet files lie.
        record: The content of `release.json` so far: all but its documents.
        settings: Its `[export]` section.
        suite: The description of the suite.
        plan: What went in.
        former: The version that it takes the place of; None where it is the first.
    """

    folder: Path
    record: Mapping[str, Any]
    settings: ExportSettings
    suite: SuiteExport
    plan: Plan
    former: Former | None = None


Document = Callable[[Draft], Mapping[str, str]]
"""Gives the text of documents by their paths in the release; none where the suite has no use for it."""

DOCUMENTS: Final[tuple[Document, ...]] = (
    croissant,
    citation,
    licence_file,
    statistics,
    lm_eval_files,
    inspect_files,
    flexeval_files,
    changes_file,
)
"""What writes the documents of every release."""


def write_documents(draft: Draft, makers: Sequence[Document]) -> dict[str, dict[str, Any]]:
    """Writes all documents of a release into its folder.

    Args:
        draft: The release.
        makers: What writes them.

    Returns:
        Bytes and SHA-256 of each by its path, for `release.json`.

    Raises:
        ValueError: Two makers wrote the same path, or one that belongs to something else.
    """
    described: dict[str, dict[str, Any]] = {}
    for make in makers:
        for path, text in make(draft).items():
            if path in described or not _is_free(path, draft):
                raise ValueError(f"the document {path!r} has no place of its own in the release")
            file = draft.folder / path
            write_text(file, text)
            described[path] = {"bytes": file.stat().st_size, "sha256": hash_file(file)}
    return described


def _is_free(path: str, draft: Draft) -> bool:
    """Whether a document may lie there: in the release, and not where rows, card or record do."""
    parts = PurePosixPath(path).parts
    folders = {config.folder for config in configs_of(draft.suite.suite).values()}
    shown = is_inside(path) and not any(part.startswith(".") for part in parts)
    return shown and parts[0] not in {*folders, "README.md", "release.json", "plan.json"}
