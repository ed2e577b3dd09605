"""`CHANGES.md`: written by the export that raises the version, and kept by those after it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.core.cli import app
from tashika.core.errors import InputError, MissingStageError, TashikaError
from tashika.core.workspace import Workspace
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tashika.exports.versions.sources import former_of, version_of
from tests.exports.myriadlama import samples

Make = Callable[..., Export]
NAME = "lab/myriadlama"
BORN = "[X] was born in [Y]."


def changes_of(workspace: Workspace) -> str:
    return (workspace.release / "CHANGES.md").read_text(encoding="utf-8")


def judge(workspace: Workspace, **decisions: str) -> None:
    """Changes what people say of templates, by their texts."""
    ids = {row["text"]: row["item_id"] for row in samples.template_rows()}
    wanted = {ids[text]: decision for text, decision in decisions.items()}
    rows = [{**row, "decision": wanted.get(row["item_id"], row["decision"])} for row in samples.verdict_rows()]
    samples.write_verdicts(workspace, rows)


@pytest.fixture
def second(workspace: Workspace, make_export: Make, reexport: Callable[..., None]) -> Workspace:
    """Version 0.1.0 with ten templates, and 0.2.0 with one of them dropped and another one accepted."""
    make_export().run()
    judge(workspace, **{BORN: "rejected", samples.REJECTED: "accepted"})
    reexport(version="0.2.0")
    return workspace


@pytest.fixture
def reexport(workspace: Workspace, make_export: Make) -> Callable[..., None]:
    def run(**changes: Any) -> None:
        make_export(**changes).run()

    return run


def test_the_first_version_has_no_changes(workspace: Workspace, make_export: Make) -> None:
    record = make_export().run()
    assert "CHANGES.md" not in record["documents"]
    assert not (workspace.base / "versions").exists()


def test_the_next_version_says_what_changed(second: Workspace) -> None:
    text = changes_of(second)
    assert text.startswith("# Changes\n\n## Version 0.2.0, after 0.1.0\n")
    assert "| `templates` | 10 | 10 | 1 | 1 | 0 |" in text
    assert "- dropped, rejected: 1\n" in text
    assert r"\[X\] was born in \[Y\]." in text
    assert "You find \\[X\\] in \\[Y\\]." in text
    assert "| `prompts` | 134 | " in text
    assert "Simulated annotators" in text


def test_what_is_kept_of_the_version_before_are_its_items(second: Workspace) -> None:
    kept = second.base / "versions" / "0.1.0"
    names = sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file())
    assert names == [
        "aliases/aliases.parquet",
        "facts/facts.parquet",
        "release.json",
        "templates/templates.parquet",
    ]


def test_a_second_export_does_nothing(
    second: Workspace, reexport: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    before = changes_of(second)
    capsys.readouterr()
    reexport(version="0.2.0")
    assert "release: nothing to do" in capsys.readouterr().err
    assert changes_of(second) == before


def test_a_draft_of_the_same_version_is_compared_with_the_one_before(
    second: Workspace, reexport: Callable[..., None]
) -> None:
    judge(second, **{BORN: "undecided", samples.REJECTED: "rejected"})
    reexport(version="0.2.0")
    text = changes_of(second)
    assert "| `templates` | 10 | 9 | 0 | 1 | 0 |" in text
    assert "- dropped, undecided: 1\n" in text
    assert text.count("## Version") == 1


def test_a_third_version_keeps_what_the_second_said(second: Workspace, reexport: Callable[..., None]) -> None:
    earlier = changes_of(second).removeprefix("# Changes\n\n")
    reexport(version="0.3.0")
    text = changes_of(second)
    assert text.startswith("# Changes\n\n## Version 0.3.0, after 0.2.0\n")
    assert "The rows are the same." in text
    assert text.endswith(earlier)
    assert [path.name for path in (second.base / "versions").iterdir()] == ["0.2.0"]


def test_it_is_the_same_on_another_machine(second: Workspace, tmp_path: Path) -> None:
    from tashika.core.settings import load_section
    from tashika.exports.plan import suite_export

    other = Workspace(tmp_path / "other", "myriadlama")
    samples.fill(other)
    suite = suite_export("myriadlama")
    for version in ("0.1.0", "0.2.0"):
        if version == "0.2.0":
            judge(other, **{BORN: "rejected", samples.REJECTED: "accepted"})
        settings = load_section("myriadlama", "export", suite.settings, tmp_path / "config.toml")
        settings = settings.model_copy(update={"version": version})
        Export(other, settings, suite, suite.plan(other, settings)).run()
    assert changes_of(other) == changes_of(second)


def test_a_version_whose_files_were_changed_by_hand_is_not_compared(
    workspace: Workspace, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    make_export().run()
    file = workspace.release / "facts" / "facts.parquet"
    file.write_bytes(file.read_bytes() + b"more")
    record = make_export(version="0.2.0").run()
    assert "facts/facts.parquet is not as version 0.1.0 had it" in capsys.readouterr().err
    assert "CHANGES.md" not in record["documents"]


def test_an_item_that_is_not_built_any_more_is_dropped_for_that(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    facts = [row for row in samples.fact_rows() if row["subject"] != "Q7186"]
    samples.write_items(workspace, "fact", facts)
    make_export(version="0.2.0").run()
    assert "- dropped, not built any more: 2\n" in changes_of(workspace)


# The command


def test_the_command_compares_a_suite_with_its_version_before(second: Workspace) -> None:
    done = CliRunner().invoke(app, ["diff", "myriadlama", "--work", str(second.root), "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    templates = next(config for config in result["configs"] if config["name"] == "templates")
    assert result["versions"] == ["0.1.0", "0.2.0"]
    assert list(templates["dropped"]) == ["rejected"]
    assert len(templates["added"]["ids"]) == 1


def test_the_command_compares_two_folders_in_a_table(second: Workspace) -> None:
    kept = second.base / "versions" / "0.1.0"
    done = CliRunner().invoke(app, ["diff", str(kept), str(second.release), "--examples", "1"])
    assert done.exit_code == 0, done.output
    assert "templates: added: 1" in done.stdout
    assert "templates: dropped: 1" in done.stdout  # folders do not say why


def test_tags_on_the_hub_are_compared(hub: Any, workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    publish_to_hub(Publication(workspace, NAME))
    judge(workspace, **{BORN: "rejected"})
    make_export(version="0.2.0").run()
    publish_to_hub(Publication(workspace, NAME))
    hub.requests.clear()
    done = CliRunner().invoke(app, ["diff", f"{NAME}@v0.1.0", f"{NAME}@v0.2.0", "--json"])
    assert done.exit_code == 0, done.output
    templates = next(c for c in json.loads(done.stdout)["configs"] if c["name"] == "templates")
    assert [len(group["ids"]) for group in templates["dropped"].values()] == [1]
    assert hub.count("GET", "/prompts/") == 0
    assert "CHANGES.md" in hub.repos[NAME].files


def test_without_a_version_before_the_command_says_what_to_do(workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    with pytest.raises(MissingStageError, match=r"no version before 0\.1\.0") as caught:
        former_of("myriadlama", workspace.root)
    assert "tashika diff ORG/NAME@TAG myriadlama" in str(caught.value)


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("lab/nothing/here", "no release there"),
        ("no-such-suite", "there is no suite"),
        ("lab/x@a b", "no release there"),
    ],
)
def test_a_word_that_means_no_release(tmp_path: Path, reference: str, said: str) -> None:
    with pytest.raises(InputError, match=said), version_of(reference, tmp_path):
        pass


@pytest.mark.parametrize("path", ["../../x.parquet", "/etc/passwd", "facts\\x", "facts/\n", "facts//x", ""])
def test_a_record_that_names_files_outside_is_refused(second: Workspace, path: str) -> None:
    record = json.loads((second.release / "release.json").read_text(encoding="utf-8"))
    record["files"][path] = {"rows": 1, "sha256": ""}
    (second.release / "release.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match="expected one in the release"), version_of(str(second.release), Path("work")):
        pass
    with pytest.raises(InputError, match="expected one in the release"):
        Publication(second, NAME).require_sound()


def test_a_hub_that_has_no_such_tag(hub: Any, workspace: Workspace, make_export: Make) -> None:
    make_export().run()
    publish_to_hub(Publication(workspace, NAME))
    with pytest.raises(TashikaError, match="no such"), version_of(f"{NAME}@v9", Path("work")):
        pass
