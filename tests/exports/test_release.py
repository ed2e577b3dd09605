"""Writing a release: once, the same every time, and whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace
from tashika.exports.release import Export, read_record

Make = Callable[..., Export]


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in folder.rglob("*") if path.is_file()}


def test_counts_are_those_of_the_sample(release: Path) -> None:
    assert read_json(release / "release.json")["counts"] == {
        "templates": 10,
        "lite_prompts": 6,
        "manual_templates": 6,
        "unique_triples": 20,
        "derived_triples": 201,
        "pairs": 17,
        "prompts": 134,
        "relations": 3,
        "subjects": 10,
        "aliases": 36,
    }


def test_prompts_lead_to_their_parents(release: Path) -> None:
    files = sorted((release / "prompts").glob("*.parquet"))
    assert [file.name for file in files] == [f"prompts-{number:05d}-of-00004.parquet" for number in range(4)]
    prompts = pa.concat_tables([pq.read_table(file) for file in files]).to_pylist()
    aliases = {r["item_id"]: r for r in pq.read_table(release / "aliases" / "aliases.parquet").to_pylist()}
    templates = {r["item_id"]: r for r in pq.read_table(release / "templates" / "templates.parquet").to_pylist()}
    assert len(prompts) == 134
    for row in prompts:
        alias, template = aliases[row["subject_alias_id"]], templates[row["template_id"]]
        assert row["item_id"] == row["template_id"][:16] + row["subject_alias_id"][:16]
        assert row["prompt"] == template["text"].replace("[X]", alias["text"])
        assert (row["subject"], row["relation"]) == (alias["entity"], template["relation"])
    born = next(row for row in prompts if row["prompt"] == "John Lennon was born in [Y].")
    assert born["answers"] == ["United Kingdom", "Britain", "UK", "Liverpool"]


def test_a_second_run_does_nothing_and_says_so(
    workspace: Workspace, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    make_export().run()
    before = {path: path.stat().st_mtime_ns for path in workspace.release.rglob("*")}
    capsys.readouterr()
    make_export().run()
    assert "release: nothing to do" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in workspace.release.rglob("*")} == before


def test_two_exports_give_equal_bytes(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    first = contents(workspace.release)
    for path in workspace.items.glob("*.parquet"):  # the same items in another order, as another machine has them
        table = pq.read_table(path)
        pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    make_export().run()
    assert contents(workspace.release) == first


def test_a_changed_setting_makes_it_again_and_removes_what_is_stale(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    own = workspace.release / "figure.svg"
    own.write_text("<svg/>", encoding="utf-8")
    make_export(prompts_per_shard=100).run()
    names = [path.name for path in sorted((workspace.release / "prompts").iterdir())]
    assert names == ["prompts-00000-of-00002.parquet", "prompts-00001-of-00002.parquet"]
    assert own.exists()
    assert not (workspace.base / "release.part").exists()


def test_the_rows_do_not_depend_on_the_size_of_a_shard(workspace: Workspace, make_export: Make) -> None:
    def rows() -> list[dict[str, Any]]:
        files = sorted((workspace.release / "prompts").glob("*.parquet"))
        return pa.concat_tables([pq.read_table(file) for file in files]).to_pylist()

    make_export(prompts_per_shard=7).run()
    small, digest = rows(), read_record(workspace)["digest"]
    make_export(prompts_per_shard=1_000).run()
    assert rows() == small
    assert read_record(workspace)["digest"] == digest


def test_verdicts_of_an_earlier_version_are_released_the_same(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    first = contents(workspace.release)
    verdicts = pq.read_table(workspace.verdict_file)
    pq.write_table(verdicts.drop_columns(["posterior"]), workspace.verdict_file)
    make_export().run()
    assert contents(workspace.release) == first


def test_no_name_address_or_note_is_released(workspace: Workspace, make_export: Make) -> None:
    """What lies in the folder of the annotation stays there: copies with addresses, decisions and notes by name."""
    secret = "Ada Lovelace <ada@example.org>"
    verdicts = pq.read_table(workspace.verdict_file)
    named = pa.array([secret] * verdicts.num_rows, pa.string())
    place = verdicts.schema.get_field_index("adjudicator")
    pq.write_table(verdicts.set_column(place, verdicts.schema.field(place), named), workspace.verdict_file)
    backups = workspace.annotation / "backups"
    backups.mkdir(parents=True)
    for name in ("template-20260101T000000Z-0123456789abcdef.origin.json", "template.json"):
        (backups / name).write_text(json.dumps({"users": {"1": secret}, "note": secret}))
    make_export().run()
    names = {path.name for path in workspace.release.rglob("*")}
    assert not names & {path.name for path in backups.iterdir()}
    for path in (path for path in workspace.release.rglob("*") if path.is_file()):
        rows = str(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else path.read_text(encoding="utf-8")
        assert "Lovelace" not in rows, path
        assert "ada@example.org" not in rows, path


KILLED = """
import os, signal, sys
from pathlib import Path
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.myriadlama import cloze_plan
from tashika.exports import parquet, release
from tashika.exports.plan import suite_export

work, config, where = sys.argv[1:]
whole, calls = cloze_plan.write_config, []

def write_config(path, batches, *rest):
    calls.append(path)
    if where == "shard" and len(calls) == 2:  # between the row groups of the second shard
        def dying(sound=batches):
            yield from sound
            os.kill(os.getpid(), signal.SIGKILL)
        batches = dying()
    return whole(path, batches, *rest)

if where == "install":
    moved, replace = [], Path.replace
    def dying_replace(self, target):
        if self.parent.parent.name == "release.part":
            moved.append(target)
            if len(moved) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
        return replace(self, target)
    install = release.install
    def dying_install(*arguments):
        Path.replace = dying_replace
        install(*arguments)
    release.install = dying_install

cloze_plan.write_config = write_config
workspace = Workspace(Path(work), "myriadlama")
suite = suite_export("myriadlama")
settings = load_section("myriadlama", "export", suite.settings, Path(config))
release.Export(workspace, settings, suite, suite.plan(workspace, settings)).run()
"""


def run_killed(workspace: Workspace, config: Path, where: str) -> None:
    command = [sys.executable, "-c", KILLED, str(workspace.root), str(config), where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_killed_export_goes_on_where_it_was(
    workspace: Workspace, config: Path, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    run_killed(workspace, config, "shard")
    assert not workspace.release.exists()
    with pytest.raises(MissingStageError, match="no whole release"):
        read_record(workspace)
    make_export().run()
    # three factors and the first shard of prompts
    assert "resuming: 4 of 8 files are written already" in capsys.readouterr().err
    continued = contents(workspace.release)
    (workspace.base / "export.manifest.json").unlink()
    make_export().run()
    assert contents(workspace.release) == continued


def test_a_release_that_was_half_moved_in_does_not_look_whole(
    workspace: Workspace, config: Path, make_export: Make
) -> None:
    make_export(version="0.0.9", prompts_per_shard=5).run()
    run_killed(workspace, config, "install")
    with pytest.raises(MissingStageError, match="no whole release"):
        read_record(workspace)
    record = make_export().run()
    assert record["version"] == "0.1.0"
    parquet = {name for name in contents(workspace.release) if name.endswith(".parquet")}
    assert parquet == set(record["files"])
    assert all(contents(workspace.release)[name] == record["files"][name]["sha256"] for name in parquet)


def test_shards_of_another_plan_are_not_taken_over(workspace: Workspace, config: Path, make_export: Make) -> None:
    run_killed(workspace, config, "shard")
    make_export(prompts_per_shard=90).run()
    expected = contents(workspace.release)
    (workspace.base / "export.manifest.json").unlink()
    make_export(prompts_per_shard=90).run()
    assert contents(workspace.release) == expected


def test_a_full_disk_leaves_the_earlier_release_and_nothing_half_written(
    workspace: Workspace, make_export: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_export().run()
    before = contents(workspace.release)
    write_table, calls = pq.ParquetWriter.write_table, []

    def full(self: Any, table: Any, *rest: Any, **named: Any) -> None:
        calls.append(table.num_rows)
        if len(calls) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the shard")
        write_table(self, table, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(OSError, match="No space left on device"):
            make_export(prompts_per_shard=50).run()
    assert contents(workspace.release) == before
    assert not list(workspace.base.rglob("*.part*/**/.*")) + list(workspace.base.rglob(".*.part"))
    finished = {name: file for name, file in contents(workspace.base / "release.part").items() if "/" in name}
    assert len(finished) == 4
    make_export(prompts_per_shard=50).run()
    after = contents(workspace.release)
    assert {name: after[name] for name in finished} == finished


def test_a_full_disk_at_the_card_or_record_leaves_the_earlier_release(
    workspace: Workspace, make_export: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_export().run()
    before = contents(workspace.release)

    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tashika.exports.release.write_text", full)
    with pytest.raises(OSError, match="No space left on device"):
        make_export(version="0.2.0").run()
    assert contents(workspace.release) == before


def test_a_failing_check_leaves_the_earlier_release(samples: Any, workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    before = contents(workspace.release)
    doubled = samples.template_row("P36", "the CAPITAL of [X] is [Y]")
    samples.write_items(workspace, "template", [*samples.template_rows(), doubled])
    verdict = samples.verdict_row(doubled["item_id"], "template", "accepted")
    samples.write_verdicts(workspace, [*samples.verdict_rows(), verdict])
    with pytest.raises(InputError, match="No template stands twice in a relation") as caught:
        make_export().run()
    assert caught.value.where == f"templates/templates.parquet, item {doubled['item_id']}"
    assert contents(workspace.release) == before


def test_a_file_that_was_changed_is_made_again(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    before = contents(workspace.release)
    (workspace.release / "facts" / "facts.parquet").write_bytes(b"not Parquet")
    make_export().run()
    assert contents(workspace.release) == before


def test_a_broken_record_is_an_error(workspace: Workspace, release: Path) -> None:
    (release / "release.json").write_text('{"suite": "myriadlama"}', encoding="utf-8")
    with pytest.raises(InputError, match="the key 'version' is missing"):
        read_record(workspace)


LOAD = """
import json, sys
from datasets import load_dataset
found = {}
for config in ("templates", "facts", "aliases", "prompts"):
    dataset = load_dataset(sys.argv[1], config, split="test", cache_dir=sys.argv[2])
    found[config] = [dataset.num_rows, {name: str(kind) for name, kind in dataset.features.items()}, dataset[0]]
streamed = load_dataset(sys.argv[1], "prompts", split="test", streaming=True, cache_dir=sys.argv[2])
found["streamed"] = sum(1 for _ in streamed)
found["default"] = load_dataset(sys.argv[1], split="test", cache_dir=sys.argv[2]).num_rows
print(json.dumps(found))
"""


@pytest.mark.slow
def test_datasets_opens_every_configuration_offline(tmp_path: Path, release: Path) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home"), "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(release), str(tmp_path / "cache")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {name: found[name][0] for name in ("templates", "facts", "aliases", "prompts")} == {
        "templates": 10,
        "facts": 20,
        "aliases": 36,
        "prompts": 134,
    }
    assert found["prompts"][1]["answers"] == "List(Value('string'))"
    assert found["prompts"][1]["pair"] == "Value('int32')"
    assert found["aliases"][1]["is_label"] == "Value('bool')"
    assert found["prompts"][2]["prompt"].count("[Y]") == 1
    assert (found["streamed"], found["default"]) == (134, 134)


def test_datasets_tells_two_releases_of_one_folder_name_apart(tmp_path: Path, release: Path) -> None:
    """Its cache knows a local folder by its name and the card's block of configurations alone."""
    other = tmp_path / "other" / release.name
    shutil.copytree(release, other)
    card = (other / "README.md").read_text()
    (other / "README.md").write_text(re.sub("description: content [0-9a-f]{16}", "description: content 0123", card))
    facts = other / "facts" / "facts.parquet"
    pq.write_table(pq.read_table(facts).slice(0, 3), facts)
    code = (
        "import sys; from datasets import load_dataset; cache = sys.argv.pop(); "
        "less = {'split': 'test', 'cache_dir': cache, 'verification_mode': 'no_checks'}; "
        "print(*(len(load_dataset(path, 'facts', **less)) for path in sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, str(release), str(other), str(release), str(tmp_path / "cache")]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home"), "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.stdout.split() == ["20", "3", "20"], done.stderr
