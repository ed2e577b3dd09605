from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ConfigDict

from tashika.core.errors import ConfigError, InputError
from tashika.core.inputs import (
    BuildInputs,
    Taken,
    build_settings_file,
    keep_settings_file,
    load_settings,
    read_memory,
    refuse_other_inputs,
    take_inputs,
)
from tashika.core.settings import Section, load_section, packaged
from tashika.core.workspace import Workspace

SUITE = "kuci"


class Inputs(BuildInputs):
    ALTERNATIVES = (("text", "parsed"),)
    BESIDE: ClassVar[dict[str, Sequence[str]]] = {"parsed": ("frames",)}

    text: tuple[Path, ...] = ()
    parsed: Path | None = None
    frames: Path | None = None
    model: tuple[Path | str, ...] = ()
    limit: int | None = None
    endpoint: str | None = None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text and settings, in which one works."""
    place = tmp_path / "project"
    place.mkdir()
    (place / "text.txt").write_text("one")
    (place / "own.toml").write_text("[build]\nshard = 1\n[export]\nlicense = 'x'\n")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(Path("work"), SUITE)


def build(workspace: Workspace, given: Inputs, **more: bool) -> Inputs:
    """A build that comes to its end; gives the options that it ran with."""
    taken: Taken[Inputs] = take_inputs(workspace, given, **more)
    with taken.remembered():
        pass
    return taken.options


def push(workspace: Workspace, items: int = 2) -> None:
    workspace.pushed.mkdir(parents=True)
    pq.write_table(pa.table({"item_id": [str(number) for number in range(items)]}), workspace.pushed / "pair.parquet")


def kept(workspace: Workspace) -> Any:
    return json.loads(workspace.inputs_file.read_text())


def test_what_is_left_out_is_taken_from_the_build_before(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    given = Inputs(text=(Path("text.txt"),), limit=3)
    assert build(workspace, given) == given
    assert capsys.readouterr().err == ""
    assert build(workspace, Inputs()) == given
    assert capsys.readouterr().err.splitlines() == [
        "text: text.txt, as in the build before (--text)",
        "limit: 3, as in the build before (--limit)",
    ]
    assert build(workspace, Inputs(limit=4)) == Inputs(text=(Path("text.txt"),), limit=4)
    assert "--limit was 3 in the build before and is 4 now" in capsys.readouterr().err
    assert build(workspace, Inputs(), forget=True) == Inputs()
    assert "--text was text.txt in the build before and is left out now" in capsys.readouterr().err
    assert build(workspace, Inputs()) == Inputs()


def test_a_build_that_takes_nothing_from_outside_is_remembered_too(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs())
    push(workspace)
    with pytest.raises(InputError, match="--limit was left out in the build before and is 3 now"):
        build(workspace, Inputs(limit=3))


def test_the_file_has_digests_and_paths_that_move_with_the_folder(
    workspace: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = project.parent / "elsewhere.txt"
    elsewhere.write_text("two")
    build(workspace, Inputs(text=(project / "text.txt", elsewhere), model=(Path("text.txt"), "org/name")))
    one = {"path": "../text.txt", "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}
    assert kept(workspace)["built"] == {
        "text": [
            one,
            {"path": str(elsewhere), "sha256": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"},
        ],
        "model": [one, "org/name"],
    }
    moved = project.parent / "moved"
    monkeypatch.chdir(project.parent)
    shutil.move(project, moved)
    (moved / "deeper").mkdir()
    monkeypatch.chdir(moved / "deeper")
    again = build(Workspace(Path("../work"), SUITE), Inputs())
    assert again.text == (moved / "text.txt", elsewhere)
    assert again.model == (moved / "text.txt", "org/name")


def test_nothing_secret_is_written_down(workspace: Workspace) -> None:
    address = "https://user:word@host.example/v1?key=abc"
    assert build(workspace, Inputs(endpoint=address)).endpoint == address
    text = workspace.inputs_file.read_text()
    assert not [secret for secret in ("user", "word@", "abc") if secret in text]
    with pytest.raises(InputError, match=r"https://host.example/v1: --endpoint had a user name, password or query"):
        build(workspace, Inputs())
    push(workspace)
    assert build(workspace, Inputs(endpoint=address)).endpoint == address  # the same endpoint
    build(workspace, Inputs(endpoint="https://host.example/v1"))
    assert build(workspace, Inputs()).endpoint == "https://host.example/v1"


def test_other_inputs_are_refused_once_items_are_pushed(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(text=(Path("text.txt"),)))
    push(workspace)
    (project / "copy.txt").write_text("one")
    build(workspace, Inputs(text=(Path("copy.txt"),)))  # the same content at another place
    (project / "other.txt").write_text("other")
    before = kept(workspace)
    with pytest.raises(InputError) as caught:
        build(workspace, Inputs(text=(Path("other.txt"),)))
    assert caught.value.exit_code == 2
    assert str(caught.value) == (
        "work/kuci/inputs.json: other inputs than those of the 2 pushed tasks here: --text was copy.txt in the build "
        "before and is other.txt now\n  Build in another folder (--work DIR). To replace the items here all the same: "
        "--change-inputs."
    )
    with pytest.raises(InputError, match="and is left out now"):
        build(workspace, Inputs(), forget=True)
    assert kept(workspace) == before
    capsys.readouterr()
    workspace.release.mkdir()
    assert build(workspace, Inputs(text=(Path("other.txt"),)), change=True).text == (Path("other.txt"),)
    assert capsys.readouterr().err.splitlines() == [
        "--text was copy.txt in the build before and is other.txt now",
        "stale where the new build has other items: 2 pushed tasks, release",
        "then push, pull and vote, export and evaluate again",
    ]


def test_judgments_alone_hold_the_inputs_too(workspace: Workspace) -> None:
    build(workspace, Inputs(limit=1))
    workspace.judgments.mkdir(parents=True)
    pq.write_table(pa.table({"item_id": ["a", "a", "b"]}), workspace.judgments / "part-000001.parquet")
    with pytest.raises(InputError, match="those of the 3 judgments here"):
        build(workspace, Inputs(limit=2))


def test_a_remembered_file_that_is_gone_or_changed_is_told(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(text=(Path("text.txt"),)))
    (project / "text.txt").write_text("one and more")
    build(workspace, Inputs())
    assert "--text text.txt has changed since the build before" in capsys.readouterr().err
    push(workspace)
    (project / "text.txt").write_text("something else")
    for given in (Inputs(), Inputs(text=(Path("text.txt"),))):
        with pytest.raises(InputError, match=r"--text text.txt has changed since the build before"):
            build(workspace, given)
    (project / "text.txt").unlink()
    with pytest.raises(InputError, match=r"text.txt: --text of the build before is gone\n.*--forget-inputs"):
        build(workspace, Inputs())


def test_of_a_settings_file_its_section_build_counts(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = project / "own.toml"
    build(workspace, Inputs(config=Path("own.toml")))
    push(workspace)
    own.write_text(own.read_text().replace("license = 'x'", "license = 'y'"))
    assert build(workspace, Inputs()).config == Path("own.toml")
    own.write_text(own.read_text().replace("shard = 1", "shard = 2"))
    with pytest.raises(InputError, match=r"--config own.toml: its section \[build\], or a file that this names, has"):
        build(workspace, Inputs())


def test_a_file_that_the_settings_name_counts(workspace: Workspace, project: Path) -> None:
    (project / "own.toml").write_text("[build]\nencoding = 'text.txt'\n")
    build(workspace, Inputs(config=Path("own.toml")))
    push(workspace)
    build(workspace, Inputs())
    (project / "text.txt").write_text("changed")
    with pytest.raises(InputError, match="or a file that this names"):
        build(workspace, Inputs())


def test_the_published_settings_are_the_default_by_name_too(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(config=packaged("kuci.toml")))
    assert kept(workspace) == {"built": {}}
    push(workspace)
    build(workspace, Inputs())
    with pytest.raises(
        InputError, match=r"--config was left out in the build before and is the packaged kuci-demo.toml"
    ):
        build(workspace, Inputs(config=packaged("kuci-demo.toml")))


def test_what_excludes_another_takes_its_place(workspace: Workspace, project: Path) -> None:
    with pytest.raises(InputError, match="found both --text and --parsed, expected one of them"):
        build(workspace, Inputs(text=(Path("text.txt"),), parsed=Path("text.txt")))
    build(workspace, Inputs(parsed=Path("text.txt"), frames=Path("text.txt"), limit=2))
    assert build(workspace, Inputs(text=(Path("text.txt"),))) == Inputs(text=(Path("text.txt"),), limit=2)
    build(workspace, Inputs(frames=Path("text.txt")))
    changed = build(workspace, Inputs(parsed=Path("text.txt")))
    assert changed == Inputs(parsed=Path("text.txt"), frames=Path("text.txt"), limit=2)


def test_an_interrupted_build_goes_on_with_its_own_options(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(limit=1))
    taken = take_inputs(workspace, Inputs(limit=2))
    with pytest.raises(KeyboardInterrupt), taken.remembered():
        raise KeyboardInterrupt
    assert kept(workspace) == {"begun": {"limit": 2}, "built": {"limit": 1}}
    capsys.readouterr()
    assert take_inputs(workspace, Inputs()).options.limit == 2
    assert capsys.readouterr().err == "limit: 2, as in the unfinished build before (--limit)\n"
    push(workspace)  # the items of the build that ended
    with pytest.raises(InputError, match="--limit was 1 in the build before and is 2 now"):
        build(workspace, Inputs())
    assert build(workspace, Inputs(), change=True).limit == 2
    assert kept(workspace) == {"built": {"limit": 2}}


def test_a_build_that_is_refused_or_only_told_leaves_nothing(workspace: Workspace, project: Path) -> None:
    take_inputs(workspace, Inputs(limit=1))
    with pytest.raises(InputError, match=r"none.txt: there is no such file"):
        take_inputs(workspace, Inputs(text=(Path("none.txt"),)))
    assert not workspace.base.exists()


def test_a_workspace_of_an_older_version_goes_on(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    workspace.items.mkdir(parents=True)
    push(workspace)
    assert build(workspace, Inputs(limit=1)).limit == 1
    assert "inputs.json is not there, so nothing is known of the build before" in capsys.readouterr().err
    assert build_settings_file(workspace) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected an object with the options under `built` or `begun`"),
        ('{"built": 3}', "expected an object"),
        ('{"built": {"limit": "many"}}', "limit: .*found 'many'"),
        ("{", "not valid JSON"),
    ],
)
def test_a_broken_file_is_told(workspace: Workspace, text: str, message: str) -> None:
    workspace.base.mkdir(parents=True)
    workspace.inputs_file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        take_inputs(workspace, Inputs())
    assert "inputs.json" in str(caught.value)


class Export(Section):
    model_config = ConfigDict(extra="ignore")

    license: str


def test_later_commands_read_the_settings_of_the_build(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(config=Path("own.toml")))
    capsys.readouterr()
    assert load_settings(workspace, "export", Export, None).license == "x"
    assert capsys.readouterr().err == "settings: own.toml, as in the build (--config)\n"
    (project / "other.toml").write_text("[export]\nlicense = 'y'\n")
    assert load_settings(workspace, "export", Export, Path("other.toml")).license == "y"
    assert capsys.readouterr().err == ""
    (project / "own.toml").unlink()
    with pytest.raises(ConfigError, match=r"own.toml: the settings of the build are gone"):
        load_settings(workspace, "export", Export, None)
    build(workspace, Inputs(), forget=True)
    assert build_settings_file(workspace) is None


def test_what_the_settings_of_the_build_leave_out_is_published(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    build(workspace, Inputs(config=Path("own.toml")))
    capsys.readouterr()
    published = load_section(SUITE, "annotate", Kinds)
    assert load_settings(workspace, "annotate", Kinds, None) == published
    assert set(published.kinds) == {"pair", "question", "fit", "sense"}
    assert capsys.readouterr().err == "settings: own.toml, as in the build (--config)\n"


def test_a_file_with_what_differs_is_the_same_settings_as_a_whole_one(workspace: Workspace, project: Path) -> None:
    build(workspace, Inputs(config=Path("own.toml")))
    push(workspace)
    whole = packaged("kuci.toml").read_text().replace("shard = 2000", "shard = 1")
    (project / "own.toml").write_text(whole)
    build(workspace, Inputs())  # nothing has changed, though people's work is there
    (project / "own.toml").write_text(whole.replace("floor = 2", "floor = 3"))
    with pytest.raises(InputError, match=r"own.toml: its section \[build\], or a file that this names, has changed"):
        build(workspace, Inputs())


class Kinds(Section):
    model_config = ConfigDict(extra="ignore")

    kinds: dict[str, Any]


def test_another_suites_settings_are_refused_before_anything_else(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="found suite = 'semrel', expected settings of kuci"):
        take_inputs(workspace, Inputs(config=packaged("semrel.toml")))


def test_a_workspace_of_ones_own_is_told_from_a_demos(workspace: Workspace) -> None:
    demo = BuildInputs(config=packaged("kuci-demo.toml"))
    refuse_other_inputs(workspace, demo, hint="")
    build(workspace, Inputs(config=packaged("kuci-demo.toml")))
    refuse_other_inputs(workspace, demo, hint="")
    build(workspace, Inputs(text=(Path("text.txt"),)))
    with pytest.raises(InputError, match=r"--text was text.txt in the build before and is left out now\n  Elsewhere."):
        refuse_other_inputs(workspace, demo, hint="Elsewhere.")
    assert read_memory(workspace).built is not None


def test_a_preset_is_remembered_by_its_name(project: Path) -> None:
    workspace = Workspace(Path("work"), "tempripple")
    build(workspace, Inputs(config=Path("paper")))
    assert read_memory(workspace).built == {"config": {"packaged": "tempripple-paper.toml", "suite": "tempripple"}}
    assert build_settings_file(workspace) == packaged("tempripple-paper.toml")
    assert build(workspace, Inputs()).config == packaged("tempripple-paper.toml")


def test_settings_with_the_section_build_of_the_build_are_kept_for_later_commands(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Export(Section):
        model_config = ConfigDict(extra="ignore")
        license: str = "none"

    (project / "gold.toml").write_text("suite = 'kuci'\n[export]\nlicense = 'gold'\n")
    build(workspace, Inputs(limit=2))
    push(workspace)
    keep_settings_file(workspace, Path("gold.toml"))
    assert "for later commands too" in capsys.readouterr().err
    assert load_settings(workspace, "export", Export, None).license == "gold"
    assert build(workspace, Inputs()) == Inputs(config=Path("gold.toml"), limit=2)  # and is no other build

    keep_settings_file(workspace, packaged("kuci.toml"))
    assert build_settings_file(workspace) is None
    assert read_memory(workspace).built == {"limit": 2}


def test_settings_of_another_build_count_once(
    workspace: Workspace, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_settings_file(workspace, Path("own.toml"))  # nothing was built yet
    assert not workspace.inputs_file.exists()
    build(workspace, Inputs())
    before = workspace.inputs_file.read_bytes()
    capsys.readouterr()
    keep_settings_file(workspace, Path("own.toml"))  # has a [build] of its own
    line = "settings: own.toml, for this command alone; later ones read it after `tashika build kuci --config own.toml`"
    assert capsys.readouterr().err == f"{line}\n"
    assert workspace.inputs_file.read_bytes() == before
