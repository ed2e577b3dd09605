"""Exports and publications go by the checks: errors stop a release, warnings are listed in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, read_json, write_json
from tashika.core.release_checks import ChecksForm
from tashika.core.workspace import Workspace
from tashika.exports.checking.run import checks_file, form_checks, require_checked, run_checks
from tashika.exports.checks import ReleaseFiles
from tashika.exports.publish import Publication
from tashika.exports.release import Export

Make = Callable[..., Export]


def test_warnings_stand_in_the_record_and_on_the_card(workspace: Workspace, release: Path) -> None:
    [warning] = read_json(release / "release.json")["warnings"]
    assert warning["check"] == "licences_are_known"
    assert warning["count"] == 1
    assert warning["first"][0]["found"].startswith("'templates.toml' (")
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "- The licences of the release and of every source are known. Found 1: 'templates.toml' (" in card
    assert read_json(checks_file(workspace))["outcomes"]["licences_are_known"] == "warning"


def test_a_release_without_warnings_says_nothing_of_them(workspace: Workspace, make_export: Make) -> None:
    record = make_export(checks=ChecksForm(licences_are_known="off")).run()
    assert "warnings" not in record
    assert "warn" not in (workspace.release / "README.md").read_text(encoding="utf-8").partition("## Limits")[0]


def test_an_error_stops_the_release_and_leaves_the_one_before(make_export: Make, release: Path) -> None:
    before = {path: hash_file(path) for path in release.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="of every source are known") as caught:
        make_export(checks=ChecksForm(licences_are_known="error")).run()
    assert "'licences_are_known' failed; the release was not written" in str(caught.value.hint)
    assert {path: hash_file(path) for path in release.rglob("*") if path.is_file()} == before


def test_a_check_that_needs_rows_that_are_not_written_is_not_run(release: Path) -> None:
    files = ReleaseFiles(release, read_json(release / "release.json"), frozenset({"prompts"}))
    outcomes = {result.check: result.outcome for result in run_checks(form_checks(files, ()))}
    assert outcomes["ids_are_unique"] == "passed"
    assert outcomes["counts_equal_the_files"] == "not run"


def test_a_checked_release_may_be_published(workspace: Workspace, release: Path) -> None:
    require_checked(workspace)
    Publication(workspace, "lab/set").require_sound()


def _of_another_release(kept: dict[str, Any]) -> None:
    kept["release"] = "0" * 64


def _with_an_error(kept: dict[str, Any]) -> None:
    kept["outcomes"]["facts_differ"] = "error"


def _with_a_check_that_was_not_run(kept: dict[str, Any]) -> None:
    kept["outcomes"]["facts_differ"] = "not run"


def _without_outcomes(kept: dict[str, Any]) -> None:
    del kept["outcomes"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_of_another_release, "the release is not the one that was checked last"),
        (_with_an_error, "failed or were not run: facts_differ"),
        (_with_a_check_that_was_not_run, "failed or were not run: facts_differ"),
        (_without_outcomes, "the key 'outcomes' is missing"),
    ],
)
def test_a_release_that_did_not_pass_is_not_published(
    workspace: Workspace, release: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    kept = read_json(checks_file(workspace))
    change(kept)
    write_json(checks_file(workspace), kept)
    with pytest.raises(InputError, match=message) as caught:
        Publication(workspace, "lab/set").require_sound()
    assert "tashika check myriadlama" in str(caught.value.hint)


def test_a_release_that_nobody_checked_is_not_published(workspace: Workspace, release: Path) -> None:
    checks_file(workspace).unlink()
    with pytest.raises(MissingStageError, match="this release was not checked"):
        Publication(workspace, "lab/set").require_sound()
