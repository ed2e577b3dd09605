"""Copies of exports, with their manifests."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict
from pathlib import Path

import pytest

from tashika.annotation.judging.backups import (
    KEPT_COPIES,
    Manifest,
    back_up,
    copies,
    folder,
    manifest_file,
    prune_copies,
    read_manifest,
    tasks_of,
)
from tashika.annotation.labelstudio.account import write_private_json
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace


def kept(workspace: Workspace, name: str, number: int, pulled: str | None) -> Path:
    body = json.dumps([{"id": number, "annotations": []}]).encode()
    path = back_up(iter([body]), folder(workspace), name)
    if pulled:
        manifest = Manifest("ls-1", 1, "T", "<View/>", "", 3, {2: "ada@example.org"}, pulled)
        write_private_json(manifest_file(path), asdict(manifest))
    return path


def test_the_last_copy_is_the_one_that_the_server_had_last(workspace: Workspace) -> None:
    first = kept(workspace, "probe", 1, "2026-01-01")
    second = kept(workspace, "probe", 2, "2026-01-02")
    assert kept(workspace, "probe", 1, "2026-01-03") == first  # as before, and kept once
    assert [path for path, _ in copies(workspace, "probe")] == [second, first]
    assert [task["id"] for task in tasks_of(first)] == [1]


def test_copies_of_parts_and_of_other_projects_are_told_apart(workspace: Workspace) -> None:
    names = ["probe", "probe-1", "probe+7"]
    paths = {name: kept(workspace, name, number, None) for number, name in enumerate(names)}
    assert {name: [path for path, _ in copies(workspace, name)] for name in names} == {
        name: [path] for name, path in paths.items()
    }


def test_what_two_projects_have_in_common_is_kept_of_each(workspace: Workspace) -> None:
    """A project and its training are alike while both are empty."""
    paths = [back_up(iter([b"[]"]), folder(workspace), name) for name in ("probe-training", "probe")]
    assert [path.name.partition("-2")[0] for path in paths] == ["probe-training", "probe"]
    assert [path for path, _ in copies(workspace, "probe")] == paths[1:]


def test_nobody_else_can_read_a_copy(workspace: Workspace) -> None:
    """An export has the e-mail address of whoever has a draft."""
    path = kept(workspace, "probe", 1, None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)  # as an earlier version left it, and all others
    path.parent.chmod(0o755)
    assert kept(workspace, "probe", 1, None) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_damaged_manifest_is_refused(workspace: Workspace) -> None:
    path = kept(workspace, "probe", 1, "2026-01-01")
    manifest = read_manifest(path)
    assert manifest is not None
    assert manifest.users == {2: "ada@example.org"}
    manifest_file(path).write_text('{"users": 3}')
    with pytest.raises(InputError, match="no manifest of a copy"):
        read_manifest(path)


def test_the_last_copies_stay_and_those_that_have_what_no_later_one_has(workspace: Workspace) -> None:
    def pulled(name: str, day: int, tasks: list[int]) -> Path:
        content = [{"id": task, "annotations": [], "data": {"item_id": f"i{task}", "day": day}} for task in tasks]
        path = back_up(iter([json.dumps(content).encode()]), folder(workspace), name)
        manifest = Manifest("ls-1", 1, "T", "<View/>", "", 3, {}, f"2026-01-01T00:{day:02}")
        write_private_json(manifest_file(path), asdict(manifest))
        return path

    paths = [pulled("probe", day, [1, 2, 3] if day == 1 else [1, 2]) for day in range(KEPT_COPIES + 4)]
    other = pulled("probe-training", 0, [1])
    assert prune_copies(workspace) == 3
    assert [path for path, _ in copies(workspace, "probe")] == [paths[1], *paths[4:]]  # of day 1, and the last
    assert [path for path, _ in copies(workspace, "probe-training")] == [other]
    assert not any(manifest_file(path).exists() for path in (paths[0], paths[2], paths[3]))
    assert prune_copies(workspace) == 0
