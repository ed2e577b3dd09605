"""Writing a release: beside its place first, checked there, and moved in when it is whole.

`release.json` is written last and removed first, so a folder that has one is whole. A killed export leaves the shards
that it finished in `release.part`, and the next one resumes from there; the release that was there before stays
until the new one has passed its checks.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, hash_value, read_json, read_object, write_json, write_text
from tashika.core.progress import bar, say
from tashika.core.records import VERDICT
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.exports.arrow import compute as pc
from tashika.exports.card import CARD_FILE, Card, make_card, merged, read_card
from tashika.exports.checking.examined import Examined
from tashika.exports.checking.run import (
    content_checks,
    form_checks,
    keep_results,
    require_passed,
    run_checks,
    say_results,
    warnings_of,
)
from tashika.exports.checks import RECORD_FILE, ReleaseFiles
from tashika.exports.documents import DOCUMENTS, Document, Draft, write_documents
from tashika.exports.judgments import JUDGMENT_CHECKS, judgment_table
from tashika.exports.metadata.about import About
from tashika.exports.parquet import count_rows, count_uncompressed
from tashika.exports.plan import CardText, ExportSettings, Plan, PlannedFile, SuiteExport
from tashika.exports.provenance import provenance
from tashika.exports.record import sound_record
from tashika.exports.schema import JUDGMENTS, configs_of
from tashika.exports.tables import content_digest
from tashika.exports.versions.former import former_version, keep_former

_PLAN_FILE = "plan.json"


@dataclass(frozen=True)
class Export:
    """One export of a suite's release.

    Attributes:
        workspace: Where its files lie.
        settings: Its `[export]` section.
        suite: The description of the suite.
        plan: What goes in.
        documents: What writes the files beside rows and card.
    """

    workspace: Workspace
    settings: ExportSettings
    suite: SuiteExport
    plan: Plan
    documents: Sequence[Document] = DOCUMENTS

    @property
    def stage(self) -> Stage:
        """The stage; its manifest lies beside the release folder, which holds only what is published."""
        inputs = [self.workspace.item_file(kind) for kind in self.suite.kinds]
        # A toolkit that writes other documents makes the release again, with the same rows.
        makers = [f"{make.__module__}.{make.__name__}" for make in self.documents]
        former = former_version(self.workspace, self.settings.version)
        return Stage(
            "export",
            self.workspace.base,
            inputs=[*inputs, *self.suite.inputs(self.workspace)],
            settings={
                **self.settings.model_dump(mode="json"),
                **({"documents": makers, "text": hash_value(asdict(self._text))} if makers else {}),
                **({"asked": dict(self.suite.asked)} if self.suite.asked else {}),
                **({"former": former.identity} if former else {}),
                "judgments": self._judgments,
                "columns": hash_value({name: list(config.columns) for name, config in self.suite.configs.items()}),
            },
            outputs=[self.workspace.release / path for path in [*(file.path for file in self.plan.files), RECORD_FILE]],
            beside=[self.workspace.verdict_file],
        )

    @cached_property
    def _judgments(self) -> str:
        """A digest of what people said of the kinds that go in: votes on another kind make no new release.

        Single judgments are in it where they are released.
        """
        known = self.workspace.verdict_file.exists()
        verdicts = self.workspace.read_verdicts() if known else VERDICT.empty_table()
        of_suite = pc.is_in(verdicts.column("kind"), value_set=pa.array(self.suite.kinds, pa.string()))
        validation = {kind: entry.model_dump(mode="json") for kind, entry in self.plan.validation.items()}
        tables = {"verdicts": verdicts.filter(of_suite)}
        if JUDGMENTS in self.plan.counts:
            tables[JUDGMENTS] = judgment_table(self.workspace, self.suite)
        return hash_value([content_digest(tables), validation])

    @property
    def staging(self) -> Path:
        """Where the files lie until all of them are there."""
        return self.workspace.base / "release.part"

    def run(self) -> dict[str, Any]:
        """Writes the release unless it is there already, and brings the card up to date.

        Returns:
            The content of `release.json`.

        Raises:
            InputError: A check failed, or the card's markers are broken.
            OSError: The disk is full; the release that was there before is still whole.
        """
        if not _documents_are_whole(self.workspace.release):
            self.stage.manifest_file.unlink(missing_ok=True)  # what was deleted or edited is written again
        self.stage.run(self._write, what="release")
        record = read_record(self.workspace)
        self._write_card(record, self.workspace.release)
        return record

    def _write(self) -> Mapping[str, int]:
        fingerprint = hash_value([self.stage.fingerprint(), [file.path for file in self.plan.files]])
        _keep_or_clear(self.staging, fingerprint)
        self._write_files()
        record = self._record(self.staging, self.plan.files)
        former = keep_former(self.workspace, self.settings.version)
        draft = Draft(self.staging, record, self.settings, self.suite, self.plan, former)
        results = run_checks(content_checks(self.examined(draft)), "checks of the content")
        require_passed(results)
        warnings = warnings_of(results)
        record.update({"warnings": warnings} if warnings else {})
        record["documents"] = write_documents(draft, self.documents)
        self._write_card(record, self.staging)
        forms = form_checks(ReleaseFiles(self.staging, record), [*JUDGMENT_CHECKS, *self.suite.checks])
        results += run_checks(forms, "checks of the form")
        require_passed(results)
        say_results(results, self.workspace)
        install(self.staging, self.workspace.release, record)
        keep_results(self.workspace, record, results)
        return dict(self.plan.counts)

    def examined(self, draft: Draft, unwritten: Collection[str] = ()) -> Examined:
        """A release under examination.

        Args:
            draft: The release.
            unwritten: Configurations that it goes without.
        """
        verdicts = self.workspace.read_verdicts() if self.workspace.verdict_file.exists() else None
        return Examined(draft, verdicts, frozenset(unwritten))

    def written(self) -> Draft | None:
        """The release in its place, where it is what an export would write now."""
        if self.stage.manifest() is None:
            return None
        return Draft(self.workspace.release, read_record(self.workspace), self.settings, self.suite, self.plan)

    def sketched(self, folder: Path, unwritten: Collection[str]) -> Draft:
        """Writes the rows into a folder, for a look alone.

        Args:
            folder: An empty one.
            unwritten: Configurations to leave out.
        """
        files = [file for file in self.plan.files if file.config not in unwritten]
        with bar("writing rows", sum(file.rows for file in files)) as advance:
            for file in files:
                file.write(folder / file.path, advance)
        return Draft(folder, self._record(folder, files), self.settings, self.suite, self.plan)

    def _write_files(self) -> None:
        missing = [file for file in self.plan.files if not self._is_written(file)]
        if len(missing) < len(self.plan.files):
            say(f"resuming: {len(self.plan.files) - len(missing)} of {len(self.plan.files)} files are written already")
        with bar("writing rows", sum(file.rows for file in missing)) as advance:
            for file in missing:
                file.write(self.staging / file.path, advance)

    def _is_written(self, file: PlannedFile) -> bool:
        path = self.staging / file.path
        return path.exists() and count_rows(path) == file.rows

    def _record(self, folder: Path, files: Sequence[PlannedFile]) -> dict[str, Any]:
        described = {}
        for file in files:
            path = folder / file.path
            described[file.path] = {
                "rows": file.rows,
                "bytes": path.stat().st_size,
                "uncompressed": count_uncompressed(path),
                "sha256": hash_file(path),
            }
        return {
            "suite": self.suite.suite,
            "version": self.settings.version,
            "digest": self.plan.digest,
            **({"repo": self.settings.repo} if self.settings.repo else {}),
            "counts": dict(self.plan.counts),
            "left_out": dict(self.plan.left_out),
            "simulated": self.plan.simulated,
            **({"notes": list(self.plan.notes)} if self.plan.notes else {}),
            **({"breakdown": [asdict(part) for part in self.plan.breakdown]} if self.plan.breakdown else {}),
            **({"built_with": dict(self.plan.built_with)} if self.plan.built_with else {}),
            "files": described,
        }

    def card(self, record: Mapping[str, Any]) -> Card:
        """Our part of the card."""
        return make_card(self.about(record))

    def about(self, record: Mapping[str, Any]) -> About:
        """What is known of the release beside its rows."""
        where_from = provenance(self.plan.items, self._text.licences)
        return About(self.settings, self._text, record, where_from, self.plan.validation)

    @property
    def _text(self) -> CardText:
        """What the suite says of this release; documents have it as well as the card."""
        return self.plan.card or self.suite.card

    def _write_card(self, record: Mapping[str, Any], folder: Path) -> None:
        """Renews our part of the released card, in what people wrote there; an unchanged card is not touched."""
        present = self.workspace.release / CARD_FILE
        text = merged(self.card(record), read_card(present), str(present))
        target = folder / CARD_FILE
        if read_card(target) != text:
            write_text(target, text)


def _keep_or_clear(staging: Path, fingerprint: str) -> None:
    """Keeps what an interrupted run with the same plan has finished; anything else is cleared away."""
    marker = staging / _PLAN_FILE
    if marker.exists() and marker.read_text(encoding="utf-8") == fingerprint:
        return
    shutil.rmtree(staging, ignore_errors=True)
    write_text(marker, fingerprint)


def install(staging: Path, release: Path, record: Mapping[str, Any]) -> None:
    """Moves a checked release into its place, `release.json` last, and removes files of an earlier one.

    Files that people put into the folder stay, except Parquet files in the folders of a configuration.
    """
    stale = set(documents_of(release)) - set(record["documents"])
    (release / RECORD_FILE).unlink(missing_ok=True)
    for path in stale:
        (release / path).unlink(missing_ok=True)
    write_json(staging / RECORD_FILE, record)
    for path in [*record["files"], *record["documents"], CARD_FILE]:
        (release / path).parent.mkdir(parents=True, exist_ok=True)
        (staging / path).replace(release / path)
    for config in configs_of(str(record["suite"])).values():
        for file in (release / config.folder).glob("*.parquet"):
            if f"{config.folder}/{file.name}" not in record["files"]:
                file.unlink()
    (staging / RECORD_FILE).replace(release / RECORD_FILE)
    shutil.rmtree(staging)


def documents_of(release: Path) -> dict[str, Any]:
    """The documents that a release in its place lists, by path; none where there is no whole release."""
    try:
        record = read_json(release / RECORD_FILE)
        documents = sound_record(record, str(release / RECORD_FILE)).get("documents", {})
    except (InputError, OSError):
        return {}
    inside = release.resolve()
    return {path: about for path, about in documents.items() if (release / path).resolve().is_relative_to(inside)}


def _documents_are_whole(release: Path) -> bool:
    """Whether all documents lie there as they were written."""
    files = {release / path: about for path, about in documents_of(release).items()}
    return all(file.is_file() and hash_file(file) == about["sha256"] for file, about in files.items())


def read_record(workspace: Workspace) -> dict[str, Any]:
    """The `release.json` of a whole release.

    Raises:
        MissingStageError: There is no release, or a run was interrupted while it wrote one.
        InputError: It is broken.
    """
    path = workspace.release / RECORD_FILE
    if not path.exists():
        raise MissingStageError(
            "there is no whole release yet", where=str(path), hint=f"Run `tashika export {workspace.argument}` first."
        )
    again = f"Run `tashika export {workspace.arguments}` again: it writes the file anew."
    return sound_record(read_object(path, hint=again), str(path), again)
