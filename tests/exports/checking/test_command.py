"""`tashika check SUITE`, as a shell sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.workspace import Workspace
from tashika.exports.checking import examining
from tashika.exports.checking.run import CONTENT, checks_file, name_of
from tashika.exports.checks import GENERIC

Shell = Callable[..., Any]


@pytest.fixture
def check(tashika: Shell, workspace: Workspace, config: Path) -> Shell:
    return lambda *more: tashika("check", "myriadlama", "--work", workspace.root, "--config", config, *more)


def test_a_release_is_checked_before_it_is_written(check: Shell, workspace: Workspace) -> None:
    before = {path for path in workspace.base.rglob("*") if path.is_file()}
    ran = check()
    assert ran.code == 0, ran.err
    assert "checks of what an export would write now" in ran.err
    assert "warning: 1" in ran.err
    shown = " ".join(ran.out.replace("│", " ").split())
    assert "licences_are_known warning The licences of the release and of every source are known." in shown
    assert "no licence is stated" in shown
    assert {path for path in workspace.base.rglob("*") if path.is_file()} == {*before, checks_file(workspace)}


def test_a_release_in_its_place_is_checked_there(
    check: Shell, tashika: Shell, workspace: Workspace, config: Path
) -> None:
    tashika("export", "myriadlama", "--work", workspace.root, "--config", config)
    checks_file(workspace).unlink()
    ran = check()
    assert (ran.code, f"checks of the release 0.1.0: {workspace.release}" in ran.err) == (0, True)
    published = tashika("publish", "myriadlama", "--work", workspace.root, "--repo", "lab/set", "--dry-run")
    assert published.code == 0, published.err


def test_json_has_every_check(check: Shell) -> None:
    ran = check("--json")
    content = json.loads(ran.out)
    assert content["suite"] == "myriadlama"
    by_name = {entry["check"]: entry for entry in content["checks"]}
    assert {*map(name_of, GENERIC), *map(name_of, CONTENT)} <= set(by_name)
    assert by_name["licences_are_known"]["outcome"] == "warning"
    assert by_name["facts_differ"]["outcome"] == "passed"


def test_one_check_alone(check: Shell, workspace: Workspace) -> None:
    content = json.loads(check("--only", "no_personal_data", "--only", "facts_differ", "--json").out)
    assert [entry["check"] for entry in content["checks"]] == ["no_personal_data", "facts_differ"]
    assert not checks_file(workspace).exists()  # which says that all were run


def test_a_check_that_there_is_not(check: Shell) -> None:
    ran = check("--only", "no_personal_dat")
    assert ran.code == 2
    assert "there is no check 'no_personal_dat'" in ran.err
    assert "Did you mean no_personal_data?" in ran.err


def test_the_list_names_each_check_with_its_severity(tashika: Shell, tmp_path: Path) -> None:
    ran = tashika("check", "myriadlama", "--work", tmp_path / "nothing", "--list")
    assert ran.code == 0
    lines = {" ".join(line.replace("│", " ").split()) for line in ran.out.splitlines()}
    assert "facts_differ error No fact stands twice." in lines
    assert "items_have_a_verdict error Every released item of a kind that people judge whole has a verdict." in lines
    assert "texts_are_not_empty warn No text is empty, unless its column may be." in lines


def test_errors_leave_with_2_and_name_the_checks(
    check: Shell, tashika: Shell, workspace: Workspace, config: Path
) -> None:
    tashika("export", "myriadlama", "--work", workspace.root, "--config", config)
    strict = config.with_name("strict.toml")
    strict.write_text(f'{config.read_text()}\n[export.checks]\nlicences_are_known = "error"\n', encoding="utf-8")
    ran = tashika("check", "myriadlama", "--work", workspace.root, "--config", strict)
    assert ran.code == 2
    assert "checks failed: licences_are_known" in ran.err
    published = tashika("publish", "myriadlama", "--work", workspace.root, "--repo", "lab/set", "--dry-run")
    assert published.code == 2
    assert "checks failed or were not run: licences_are_known" in published.err


def test_a_large_product_is_left_to_the_export(
    check: Shell, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "_MOST_ROWS", 100)
    ran = check("--json")
    assert "without prompts, lite: too large for a look" in ran.err
    outcomes = {entry["check"]: entry["outcome"] for entry in json.loads(ran.out)["checks"]}
    assert outcomes["prompts_have_parents"] == "not run"
    assert outcomes["facts_differ"] == "passed"
    assert not checks_file(workspace).exists()


def test_without_verdicts_it_leaves_with_2_and_a_hint(check: Shell, workspace: Workspace) -> None:
    workspace.verdict_file.unlink()
    ran = check()
    assert ran.code == 2
    assert f"Run `tashika annotate vote myriadlama --work {workspace.root} --config " in ran.err
