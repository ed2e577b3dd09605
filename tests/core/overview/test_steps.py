from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tashika.core.files import write_json, write_text
from tashika.core.overview.steps import Kind, Progress
from tashika.core.stages import Stage
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace
from tests.core.overview.world import digests, everything_done, score, states
from tests.plugin import toys

Change = Callable[[Workspace], object]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with toys.installed():
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return everything_done(tmp_path / "w")


def progress_of(workspace: Workspace) -> Progress:
    return Progress(workspace, toys.SUITE)


def test_all_is_done_and_looking_writes_nothing(workspace: Workspace) -> None:
    before = digests(workspace.root)
    progress = progress_of(workspace)
    assert set(states(progress.steps).values()) == {"done"}
    assert [step.name for step in progress.steps] == ["build", "push", "pull", "vote", "export", "evaluate", "report"]
    assert progress.next is None
    assert progress.kinds == [Kind("riddle", 6, judged=6, accepted=6)]
    assert progress.released == {"riddles": 6}
    assert digests(workspace.root) == before


def test_nothing_is_done(tmp_path: Path) -> None:
    progress = progress_of(Workspace(tmp_path / "w", "riddles"))
    assert set(states(progress.steps).values()) == {"open"}
    assert progress.next is not None
    assert progress.next.command == f"tashika build riddles --work {tmp_path / 'w'}"


def test_commands_name_a_folder_with_a_space_so_that_they_can_be_copied(tmp_path: Path) -> None:
    progress = progress_of(Workspace(tmp_path / "my work", "riddles"))
    assert progress.next is not None
    assert progress.next.command.endswith(f"--work '{tmp_path / 'my work'}'")


def _new_judgments(workspace: Workspace) -> None:
    shutil.copy(workspace.judgments / "part-000001.parquet", workspace.judgments / "part-000002.parquet")


def _other_items(workspace: Workspace) -> None:
    shutil.copy(workspace.verdict_file, workspace.item_file("riddle"))


def _other_verdicts(workspace: Workspace) -> None:
    """As a later count of the votes leaves them."""
    verdicts = workspace.verdict_file
    verdicts.write_bytes(verdicts.read_bytes() + b" ")
    shard, items = workspace.judgments / "part-000001.parquet", workspace.item_file("riddle")
    outputs = [verdicts, workspace.annotation / "validation.json"]
    Stage("annotate-vote", workspace.annotation, [shard, items], {"again": 1}, outputs).run(dict, what="votes")


def _another_release(workspace: Workspace) -> None:
    score(workspace, "tiny", digest="another")


STALE: dict[str, tuple[Change, str, str, str]] = {
    "judgments came": (_new_judgments, "vote", "annotate vote riddles", "part-000002.parquet came after it"),
    "items changed": (_other_items, "build", "build riddles", "items/riddle.parquet has changed"),
    "votes were counted": (_other_verdicts, "export", "export riddles", "annotation/verdicts.parquet has changed"),
    "scored elsewhere": (_another_release, "evaluate", "evaluate riddles", "scored on another release: tiny"),
    "scored since": (lambda w: score(w, "other"), "report", "report riddles", "1 system was scored since"),
    "page gone": (lambda w: (w.evaluate / "report.html").unlink(), "report", "report riddles", ""),
    "release gone": (lambda w: shutil.rmtree(w.release), "export", "export riddles", ""),
    "manifest broken": (
        lambda w: write_text(w.base / "export.manifest.json", '{"inp'), "export", "export riddles",
        "export.manifest.json is broken",
    ),
    "no list of items": (lambda w: w.item_file("riddle").unlink(), "build", "build riddles", "there are no items yet"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "step", "command", "why"), STALE.values(), ids=STALE)
def test_what_is_next_after_a_change(workspace: Workspace, change: Change, step: str, command: str, why: str) -> None:
    change(workspace)
    following = progress_of(workspace).next
    assert following is not None
    assert following.name == step
    assert following.command.startswith(f"tashika {command} --work {workspace.root}")
    assert why in following.note


def test_an_export_that_has_looked_at_the_new_votes_is_done(workspace: Workspace) -> None:
    """Votes on what is not released make no other release, which only an export can know."""
    _other_verdicts(workspace)
    export = Stage(
        "export",
        workspace.base,
        [workspace.item_file("riddle")],
        {},
        [workspace.release / "release.json"],
        [workspace.verdict_file],
    )
    export.run(lambda: pytest.fail("the release was written again"), what="export")
    assert progress_of(workspace).next is None


def test_another_version_has_made_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tashika.core.overview.manifests.installed_version", lambda: "9.9.9")
    following = progress_of(workspace).next
    assert following is not None
    assert following.name == "build"
    assert "and this is 9.9.9" in following.note


def test_a_build_that_was_begun_is_next(workspace: Workspace) -> None:
    write_json(workspace.inputs_file, {"begun": {}, "built": {}})
    following = progress_of(workspace).next
    assert following is not None
    assert (following.name, following.note) == ("build", "a build was begun and has not ended")


def test_settings_that_changed_after_the_build(workspace: Workspace) -> None:
    config = workspace.root.parent / "own.toml"
    config.write_text('suite = "riddles"\n[build]\n')
    record = {"path": "../own.toml", "sha256": "0" * 64}
    write_json(workspace.inputs_file, {"built": {"config": record}})
    following = progress_of(workspace).next
    assert following is not None
    assert following.name == "build"
    assert "own.toml has changed in its section [build]" in following.note
    config.unlink()
    following = progress_of(workspace).next
    assert following is not None
    assert f"--config is gone: {config}" in following.note


def test_a_kind_that_nobody_judges_needs_no_votes(workspace: Workspace) -> None:
    shutil.rmtree(workspace.annotation)
    config = workspace.root.parent / "own.toml"
    config.write_text('suite = "riddles"\n[annotate.kinds.riddle]\nmode = "none"\n')
    from tashika.core.input_records import build_digest

    record = {"path": "../own.toml", "sha256": build_digest("riddles", config)}
    write_json(workspace.inputs_file, {"built": {"config": record}})
    shown = states(progress_of(workspace).steps)
    assert [shown[name] for name in ("build", "push", "pull", "vote")] == ["done", "left out", "left out", "left out"]


def test_a_damaged_table_is_no_error(workspace: Workspace) -> None:
    workspace.item_file("riddle").write_bytes(b"no table")
    assert progress_of(workspace).kinds[0].items is None
    for path in (workspace.annotation / "validation.json", workspace.release / "release.json"):
        path.write_text("[]")
    assert progress_of(workspace).released == {}
    assert progress_of(workspace).next is not None


def test_a_first_model_is_a_small_one_that_is_made_first(workspace: Workspace) -> None:
    """As in the demo of myriadlama: of a slow model a sample."""
    own = Workspace(workspace.root, "myriadlama")
    progress = Progress(own, suite_named("myriadlama"))
    [step] = [step for step in progress.steps if step.name == "evaluate"]
    assert step.command == f"tashika models smollm2 --work {own.root}"
    write_json(own.root / "models" / "smollm2" / "config.json", {})
    [step] = [step for step in Progress(own, suite_named("myriadlama")).steps if step.name == "evaluate"]
    assert step.command == f"tashika evaluate myriadlama --work {own.root} --model smollm2 --limit 200"
