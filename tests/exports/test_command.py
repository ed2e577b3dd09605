"""`tashika export` and `tashika publish`, as a shell sees them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.files import read_json
from tashika.core.workspace import Workspace

Shell = Callable[..., Any]


@pytest.fixture
def export(tashika: Shell, workspace: Workspace, config: Path) -> Shell:
    return lambda *more: tashika("export", "myriadlama", "--work", workspace.root, "--config", config, *more)


@pytest.fixture
def publish(tashika: Shell, workspace: Workspace) -> Shell:
    return lambda *more: tashika("publish", "myriadlama", "--work", workspace.root, "--repo", "lab/set", *more)


def test_export_prints_the_counts_beside_the_papers(export: Shell, workspace: Workspace) -> None:
    ran = export()
    assert ran.code == 0
    lines = {" ".join(line.replace("│", " ").split()) for line in ran.out.splitlines()}
    assert "prompts 134 24,643 6,492,800" in lines
    assert "derived triples 201 27,106 21,140,500" in lines
    assert "simulated" in ran.err
    assert "not released: 1 rejected templates, 1 undecided templates, 1 rejected aliases" in ran.err
    assert (workspace.release / "release.json").exists()


def test_a_second_export_says_that_there_is_nothing_to_do(export: Shell) -> None:
    export()
    ran = export()
    assert ran.code == 0
    assert "release: nothing to do" in ran.err


def test_a_dry_run_writes_nothing(export: Shell, workspace: Workspace) -> None:
    before = sorted(workspace.base.rglob("*"))
    ran = export("--dry-run")
    assert ran.code == 0
    assert "prompts/prompts-00003-of-00004.parquet\t14 rows" in ran.out
    assert sorted(workspace.base.rglob("*")) == before


def test_without_verdicts_it_leaves_with_2_and_a_hint(export: Shell, workspace: Workspace) -> None:
    workspace.verdict_file.unlink()
    ran = export()
    assert ran.code == 2
    assert "there are no verdicts yet" in ran.err
    assert f"Run `tashika annotate vote myriadlama --work {workspace.root} --config " in ran.err
    assert "Traceback" not in ran.err


def test_a_full_disk_leaves_with_1_and_says_that_finished_work_is_kept(
    export: Shell, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any, **_named: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "shard")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    ran = export()
    assert ran.code == 1
    assert "No space left on device" in ran.err
    assert "What was finished before is kept" in ran.err
    assert not workspace.release.exists()
    assert not list(workspace.base.rglob("*.part/**/*.parquet"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("prompts_per_shard = 0", "prompts_per_shard"),
        ('version = "one"', "version"),
        ("colour = 1", "colour"),
    ],
)
def test_a_wrong_setting_names_file_and_key(export: Shell, config: Path, line: str, said: str) -> None:
    key = line.split(" ", maxsplit=1)[0]
    kept = [old for old in config.read_text(encoding="utf-8").splitlines() if not old.startswith(key)]
    config.write_text("\n".join([*kept, line]), encoding="utf-8")
    ran = export()
    assert ran.code == 2
    assert f"{config} [export]: {said}" in ran.err


def test_an_unknown_suite_leaves_with_2(tashika: Shell) -> None:
    ran = tashika("export", "nobody")
    assert ran.code == 2
    assert "there is no suite 'nobody'" in ran.err


def test_publish_in_a_dry_run_asks_nothing_of_the_network(
    export: Shell, publish: Shell, hub: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    export()
    monkeypatch.delenv("HF_TOKEN")
    record = read_json(workspace.release / "release.json")
    ran = publish("--dry-run")
    assert ran.code == 0
    listed = dict(line.split("\t") for line in ran.out.splitlines())
    assert list(listed) == sorted(listed)
    assert set(listed) == {*record["files"], *record["documents"], "README.md", "release.json"}
    assert {"CITATION.cff", "LICENSE", "croissant.json", "statistics.json"} < set(listed)
    assert all(size.endswith(" bytes") for size in listed.values())
    assert f"would upload {len(listed)} files" in ran.err
    assert "to the private dataset lab/set in one commit, and tag it v0.1.0" in ran.err
    assert "SIMULATED" in ran.err
    assert hub.requests == []


def test_publish_uploads_and_says_where(export: Shell, publish: Shell, hub: Any) -> None:
    export()
    ran = publish()
    assert ran.code == 0
    assert f"published v0.1.0 at {hub.url}/datasets/lab/set" in ran.err
    assert hub.repos["lab/set"].visibility == "private"


def test_publish_refuses_simulated_annotations_in_public_with_2(export: Shell, publish: Shell, hub: Any) -> None:
    export()
    ran = publish("--public")
    assert ran.code == 2
    assert "--allow-simulated" in ran.err
    assert publish("--public", "--allow-simulated").code == 0
    assert hub.repos["lab/set"].visibility == "public"


def test_publish_to_a_hub_that_is_down_leaves_with_1(
    export: Shell, publish: Shell, hub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tashika.core.services import free_port

    export()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    ran = publish()
    assert ran.code == 1
    assert "no answer" in ran.err
    assert "Traceback" not in ran.err


def test_publish_without_a_release_leaves_with_2(publish: Shell) -> None:
    ran = publish()
    assert ran.code == 2
    assert "Run `tashika export myriadlama --work " in ran.err
