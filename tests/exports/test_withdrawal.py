"""Withdrawing a published version on a Hub on loopback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.audit import read_audit
from tashika.core.errors import InputError, OutsideError
from tashika.core.workspace import Workspace
from tashika.exports.card import BEGIN, CARD_FILE, outside_text
from tashika.exports.hub import DatasetRepo
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tashika.exports.withdrawal import with_notice, withdraw_release, withdrawn_tags

Make = Callable[..., Export]
NAME = "lab/myriadlama"
WHY = "A person has withdrawn consent."


@pytest.fixture
def published(hub: Any, workspace: Workspace, release: Path) -> Any:
    publish_to_hub(Publication(workspace, NAME))
    return hub.repos[NAME]


def card_of(repo: Any) -> str:
    text: str = repo.files[CARD_FILE].decode()
    return text


def test_the_tag_goes_and_the_card_says_why(
    published: Any, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    files, commit = dict(published.files), published.head
    assert withdraw_release(workspace, NAME, "v0.1.0", WHY)
    assert published.tags == {}
    assert withdrawn_tags(card_of(published)) == ["v0.1.0"]
    assert WHY in card_of(published)
    assert card_of(published).index(WHY) < card_of(published).index(BEGIN)
    assert {**published.files, CARD_FILE: b""} == {**files, CARD_FILE: b""}  # main keeps all files, and is said to
    printed = " ".join(capsys.readouterr().err.split())
    assert "the main branch still has the files of v0.1.0" in printed
    assert f"the commit {commit[:12]} stays in the history" in printed
    entries = [entry for entry in read_audit(workspace.base) if entry["what"].startswith("publish")]
    assert [(entry["what"], entry["facts"]["tag"]) for entry in entries] == [
        ("publish", "v0.1.0"),
        ("publish-withdraw", "v0.1.0"),
    ]


def test_a_dry_run_changes_nothing(published: Any, workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    before = list(published.commits)
    assert withdraw_release(workspace, NAME, "v0.1.0", WHY, dry=True)
    assert "would delete the tag v0.1.0" in capsys.readouterr().err
    assert (published.commits, list(published.tags)) == (before, ["v0.1.0"])


def test_what_is_withdrawn_is_not_published_again_and_the_next_version_keeps_the_notice(
    published: Any, workspace: Workspace, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    withdraw_release(workspace, NAME, "v0.1.0", WHY)
    with pytest.raises(InputError, match=r"the tag v0\.1\.0 was withdrawn"):
        publish_to_hub(Publication(workspace, NAME))
    assert published.tags == {}
    make_export(version="0.2.0").run()
    publish_to_hub(Publication(workspace, NAME))
    assert withdrawn_tags(card_of(published)) == ["v0.1.0"]
    assert "Version 0.2.0" in card_of(published)
    capsys.readouterr()
    withdraw_release(workspace, NAME, "v0.2.0", "Another reason.")
    assert withdrawn_tags(card_of(published)) == ["v0.1.0", "v0.2.0"]
    assert not withdraw_release(workspace, NAME, "v0.1.0", WHY)
    assert "nothing to do: v0.1.0 was withdrawn before" in capsys.readouterr().err


def test_one_that_was_cut_off_is_completed(hub: Any, published: Any, workspace: Workspace) -> None:
    hub.fail = lambda method, _path: hub_answer(503) if method == "DELETE" else None
    with pytest.raises(OutsideError):
        withdraw_release(workspace, NAME, "v0.1.0", WHY)
    assert withdrawn_tags(card_of(published)) == ["v0.1.0"]
    assert list(published.tags) == ["v0.1.0"]
    hub.fail = lambda _method, _path: None
    commits = list(published.commits)
    assert withdraw_release(workspace, NAME, "v0.1.0", WHY)
    assert (published.tags, published.commits) == ({}, commits)


def hub_answer(status: int) -> Any:
    from tests.exports.hub_server import refused

    return refused(status, "busy")


def test_what_is_not_there_is_refused(published: Any, workspace: Workspace) -> None:
    with pytest.raises(InputError, match=r"there is no tag v9") as refused:
        withdraw_release(workspace, NAME, "v9", WHY)
    assert "Tags: v0.1.0." in str(refused.value)
    with pytest.raises(InputError, match="no such repository"):
        withdraw_release(workspace, "lab/other", "v0.1.0", WHY)
    with pytest.raises(InputError, match="needs a reason"):
        withdraw_release(workspace, NAME, "v0.1.0", "  ")
    DatasetRepo(NAME).untag("v9")  # gone already


def test_a_reason_is_no_markup() -> None:
    card = with_notice(f"---\nlicense: mit\n---\n\nMine.\n\n{BEGIN}\nOurs.\n", "v1", "<b>*x*</b>\n# `y`", "2026-01-31")
    assert card.startswith("---\nlicense: mit\n---\n\n<!-- tashika:withdrawn")
    assert "> - `v1`, withdrawn on 2026-01-31: &lt;b&gt;\\*x\\*&lt;/b&gt; # \\`y\\`\n" in card
    assert "Mine." in card
    again = with_notice(card, "v2", "more", "2026-02-01")
    assert withdrawn_tags(again) == ["v1", "v2"]
    assert again.count("Withdrawn.") == 1
    plain = with_notice("Mine alone.\n", "v1", "gone", "2026-01-31")
    assert withdrawn_tags(plain) == ["v1"]
    assert outside_text(plain, "here").endswith("Mine alone.")
    assert withdrawn_tags(None) == []


def test_the_command(published: Any, workspace: Workspace, tashika: Any) -> None:
    place = ("publish", "myriadlama", "--work", workspace.root, "--repo", NAME)
    mixed = tashika(*place, "--withdraw", "v0.1.0", "--reason", WHY, "--public")
    assert mixed.code == 2
    assert tashika(*place, "--reason", WHY).code == 2
    assert list(published.tags) == ["v0.1.0"]
    assert tashika(*place, "--withdraw", "v0.1.0", "--reason", WHY).code == 0
    assert published.tags == {}
