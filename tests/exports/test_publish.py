"""Publishing to a Hub on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tashika.core.errors import InputError, MissingStageError, OutsideError
from tashika.core.services import free_port
from tashika.core.workspace import Workspace
from tashika.exports.card import BEGIN, CARD_FILE
from tashika.exports.hub import DatasetRepo
from tashika.exports.publish import Publication, publish_to_hub
from tashika.exports.release import Export
from tests.exports import hub_server as hub_module

Make = Callable[..., Export]
NAME = "lab/myriadlama"


def fail_when(hub: Any, answer: Any, method: str, part: str, times: int = 10**6) -> None:
    """Makes the next requests of a method whose path has `part` get another answer."""
    left = [times]

    def fail(found: str, path: str) -> Any:
        if found == method and part in path and left[0]:
            left[0] -= 1
            return answer
        return None

    hub.fail = fail


@pytest.fixture
def answers() -> Any:
    return hub_module


@pytest.fixture
def publication(workspace: Workspace, release: Path) -> Publication:
    return Publication(workspace, NAME)


def test_it_is_private_whole_and_tagged(hub: Any, publication: Publication, release: Path) -> None:
    commit = publish_to_hub(publication)
    assert hub.payloads == [{"name": "myriadlama", "organization": "lab", "visibility": "private", "type": "dataset"}]
    repo = hub.repos[NAME]
    local = {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}
    assert {path: data for path, data in repo.files.items() if path != ".gitattributes"} == local
    assert repo.tags == {"v0.1.0": commit}
    assert repo.head == commit
    assert len(repo.commits) == 2  # the repository's first, and one for the whole release


def test_a_second_time_does_nothing_and_says_so(
    hub: Any, publication: Publication, capsys: pytest.CaptureFixture[str]
) -> None:
    first = publish_to_hub(publication)
    commits = list(hub.repos[NAME].commits)
    hub.requests.clear()
    capsys.readouterr()
    assert publish_to_hub(publication) == first
    assert "nothing to do: this release is published as v0.1.0" in capsys.readouterr().err
    assert hub.repos[NAME].commits == commits
    assert {method for method, _ in hub.requests} <= {"GET", "HEAD"}


def test_a_new_version_is_one_commit_and_drops_stale_shards(
    hub: Any, publication: Publication, make_export: Make
) -> None:
    first = publish_to_hub(publication)
    make_export(version="0.2.0", prompts_per_shard=100).run()
    second = publish_to_hub(Publication(publication.workspace, NAME))
    repo = hub.repos[NAME]
    assert repo.tags == {"v0.1.0": first, "v0.2.0": second}
    assert len(repo.commits) == 3
    shards = [path for path in sorted(repo.files) if path.startswith("prompts/")]
    assert shards == ["prompts/prompts-00000-of-00002.parquet", "prompts/prompts-00001-of-00002.parquet"]
    assert hub.count("PUT", "/lfs-upload/") == 10  # 8 files, then only the 2 new shards


def test_other_content_under_the_same_tag_is_refused(hub: Any, publication: Publication, make_export: Make) -> None:
    publish_to_hub(publication)
    before = list(hub.repos[NAME].commits)
    make_export(prompts_per_shard=100).run()
    with pytest.raises(InputError, match=r"the tag v0\.1\.0 is there with other content") as caught:
        publish_to_hub(Publication(publication.workspace, NAME))
    assert "Set a higher version" in str(caught.value)
    assert hub.repos[NAME].commits == before


def test_the_tag_can_be_chosen(hub: Any, workspace: Workspace, release: Path) -> None:
    publish_to_hub(Publication(workspace, NAME, tag="v0.1.0-rc1"))
    assert list(hub.repos[NAME].tags) == ["v0.1.0-rc1"]


def test_what_people_wrote_on_the_remote_card_stays(
    hub: Any, publication: Publication, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_to_hub(publication)
    repo = hub.repos[NAME]
    card = repo.files[CARD_FILE].decode().replace(BEGIN, f"Written on the Hub.\n\n{BEGIN}")
    card = card.replace("license: cc0-1.0", "license: cc0-1.0\nviewer: false")
    repo.add_commit({**repo.files, CARD_FILE: card.encode()})
    make_export(version="0.2.0").run()
    publish_to_hub(Publication(publication.workspace, NAME))
    found = repo.files[CARD_FILE].decode()
    assert "Written on the Hub.\n\n<!-- tashika:begin" in found
    assert "viewer: false" in found
    assert "Version 0.2.0" in found
    assert "text of its own outside of the generated block; it is kept" in capsys.readouterr().err


def test_a_card_that_was_there_before_is_not_replaced(hub: Any, publication: Publication, answers: Any) -> None:
    repo = hub.repos[NAME] = answers.Repo(NAME, "private")
    repo.add_commit({CARD_FILE: b"---\nauthor: us\n---\n# Ours\n"})
    publish_to_hub(publication)
    card = repo.files[CARD_FILE].decode()
    assert "author: us\n" in card
    assert card.index("# Ours") < card.index(BEGIN)


def test_a_changed_card_alone_is_brought_up_to_date_without_a_tag(hub: Any, publication: Publication) -> None:
    first = publish_to_hub(publication)
    repo = hub.repos[NAME]
    old = repo.files[CARD_FILE].replace(b"## Limits", b"## Limitations")
    repo.add_commit({**repo.files, CARD_FILE: old})
    assert publish_to_hub(publication) == first
    assert repo.files[CARD_FILE] == publication.card_file.read_bytes()
    assert repo.tags == {"v0.1.0": first}


def test_simulated_annotators_are_announced(
    hub: Any, publication: Publication, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_to_hub(publication)
    said = capsys.readouterr().err
    assert said.index("SIMULATED") < said.index("uploading")


def test_simulated_annotations_are_not_made_public_by_chance(hub: Any, workspace: Workspace, release: Path) -> None:
    with pytest.raises(InputError, match="SIMULATED") as caught:
        publish_to_hub(Publication(workspace, NAME, public=True))
    assert "--allow-simulated" in str(caught.value)
    assert hub.requests == []
    publish_to_hub(Publication(workspace, NAME, public=True, allow_simulated=True))
    assert hub.payloads[0]["visibility"] == "public"


def test_a_public_repository_is_not_written_to_by_chance(hub: Any, publication: Publication, answers: Any) -> None:
    repo = hub.repos[NAME] = answers.Repo(NAME, "public")
    repo.add_commit({})
    with pytest.raises(InputError, match="the repository is public already"):
        publish_to_hub(publication)
    assert len(repo.commits) == 1


def test_a_private_release_is_made_public_when_asked(
    hub: Any, samples: Any, workspace: Workspace, make_export: Make
) -> None:
    from tashika.core.files import write_json

    write_json(workspace.annotation / "validation.json", samples.validation(simulated=False))
    make_export().run()
    publish_to_hub(Publication(workspace, NAME))
    assert hub.repos[NAME].visibility == "private"
    publish_to_hub(Publication(workspace, NAME, public=True))
    assert hub.repos[NAME].visibility == "public"
    assert len(hub.repos[NAME].commits) == 2


LOAD = """
import json, sys
from datasets import load_dataset
found = {}
for config in ("templates", "facts", "aliases", "prompts"):
    dataset = load_dataset(sys.argv[1], config, split="test", revision=sys.argv[2])
    found[config] = [dataset.num_rows, dataset[0]["item_id"]]
streamed = load_dataset(sys.argv[1], "prompts", split="test", revision=sys.argv[2], streaming=True)
found["streamed"] = sum(1 for _ in streamed)
print(json.dumps(found))
"""


@pytest.mark.slow
def test_datasets_loads_it_from_the_hub_by_name_and_tag(
    tmp_path: Path, hub: Any, publication: Publication, make_export: Make
) -> None:
    publish_to_hub(publication)
    make_export(version="0.2.0", prompts_per_shard=1_000).run()
    publish_to_hub(Publication(publication.workspace, NAME))
    environment = {**os.environ, "HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", LOAD, NAME, "v0.1.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {name: found[name][0] for name in ("templates", "facts", "aliases", "prompts")} == {
        "templates": 10,
        "facts": 20,
        "aliases": 36,
        "prompts": 134,
    }
    assert found["streamed"] == 134
    assert hub.count("GET", f"/datasets/{NAME}/resolve/") > 0


# What goes wrong


def test_without_a_token_nothing_is_asked(
    tmp_path: Path, hub: Any, publication: Publication, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.delenv("HUGGING_FACE_HUB_TOKEN", raising=False)
    with pytest.raises(InputError, match="there is no token") as caught:
        publish_to_hub(publication)
    assert "HF_TOKEN" in str(caught.value)
    assert hub.requests == []


def test_a_wrong_token_is_named_but_not_shown(
    hub: Any, publication: Publication, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong_token")
    with pytest.raises(InputError, match="does not accept the token \\(status 401") as caught:
        publish_to_hub(publication)
    assert "hf_wrong_token" not in str(caught.value) + "".join(capsys.readouterr())
    assert hub.repos == {}


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (403, InputError, "may not write there"),
        (404, InputError, "no such repository"),
        (413, OutsideError, "too large"),
        (429, OutsideError, "asks for fewer requests"),
        (500, OutsideError, "the Hub failed"),
    ],
)
def test_a_refused_creation_says_why(
    hub: Any, publication: Publication, answers: Any, status: int, kind: type[Exception], said: str
) -> None:
    fail_when(hub, answers.refused(status, "no reason"), "POST", "/api/repos/create")
    with pytest.raises(kind, match=said) as caught:
        publish_to_hub(publication)
    assert f"status {status}: no reason" in str(caught.value)
    assert f"{hub.url}, dataset {NAME}" in str(caught.value)


def test_a_hub_that_fails_once_is_asked_again(hub: Any, publication: Publication, answers: Any) -> None:
    fail_when(hub, answers.refused(503, "busy"), "POST", "/preupload/", times=1)
    publish_to_hub(publication)
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]


def test_nothing_listens_there(hub: Any, publication: Publication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(OutsideError, match=r"no answer: .*refused") as caught:
        publish_to_hub(publication)
    assert "HF_ENDPOINT" in str(caught.value)
    assert hub.requests == []


@pytest.mark.parametrize(
    "body", [b"<html><body>Welcome</body></html>", b'{"id": "lab/myr'], ids=["HTML", "half a JSON"]
)
def test_an_answer_that_is_no_json_with_status_200(
    hub: Any, publication: Publication, answers: Any, body: bytes
) -> None:
    fail_when(hub, answers.Answer(200, body, {"Content-Type": "text/html"}), "GET", "/api/datasets/")
    with pytest.raises(OutsideError, match="the answer is not what a Hub sends"):
        publish_to_hub(publication)


def test_a_card_that_comes_as_html_of_a_proxy_is_not_taken_for_the_card(
    hub: Any, publication: Publication, make_export: Make, answers: Any
) -> None:
    publish_to_hub(publication)
    before = hub.repos[NAME].files
    make_export(version="0.2.0").run()
    fail_when(hub, answers.Answer(200, b"<html></html>", {"Content-Type": "text/html"}), "HEAD", "/resolve/")
    with pytest.raises(OutsideError, match="the answer is not what a Hub sends"):
        publish_to_hub(Publication(publication.workspace, NAME))
    assert hub.repos[NAME].files == before


def test_an_interrupted_upload_goes_on(hub: Any, publication: Publication, answers: Any) -> None:
    uploads = [0]

    def fail(method: str, path: str) -> Any:
        if method == "PUT" and "/lfs-upload/" in path:
            uploads[0] += 1
            return answers.refused(400, "cut off") if uploads[0] > 3 else None
        return None

    hub.fail = fail
    with pytest.raises(OutsideError, match="status 400"):
        publish_to_hub(publication)
    assert len(hub.objects) == 3
    assert hub.repos[NAME].tags == {}
    hub.fail = lambda _method, _path: None
    hub.requests.clear()
    publish_to_hub(publication)
    assert hub.count("PUT", "/lfs-upload/") == 5
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]


def test_a_commit_whose_tag_is_missing_is_tagged_and_not_made_twice(
    hub: Any, publication: Publication, answers: Any
) -> None:
    fail_when(hub, answers.refused(500, "cut off"), "POST", "/tag/")
    with pytest.raises(OutsideError, match="status 500"):
        publish_to_hub(publication)
    commits = list(hub.repos[NAME].commits)
    hub.fail = lambda _method, _path: None
    assert publish_to_hub(publication) == commits[-1][0]
    assert hub.repos[NAME].commits == commits
    assert hub.repos[NAME].tags == {"v0.1.0": commits[-1][0]}


KILLED = """
import itertools, os, signal, sys, threading
from dataclasses import replace
from pathlib import Path
from huggingface_hub import lfs
from tashika.core.workspace import Workspace
from tashika.exports.publish import Publication, publish_to_hub

whole, numbers, done = lfs._upload_single_part, itertools.count(), threading.Semaphore(0)

def dying(*arguments, **named):  # files go up at once: the third waits for two, and none begins after it
    number = next(numbers)
    if number < 2:
        whole(*arguments, **named)
        done.release()
        return
    if number > 2:
        threading.Event().wait()
    done.acquire()
    done.acquire()
    os.kill(os.getpid(), signal.SIGKILL)

lfs._upload_single_part = dying
publish_to_hub(Publication(Workspace(Path(sys.argv[1]), "myriadlama"), sys.argv[2]))
"""


def test_killed_in_the_middle_and_run_again(hub: Any, publication: Publication) -> None:
    command = [sys.executable, "-c", KILLED, str(publication.workspace.root), NAME]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -9, done.stderr
    assert len(hub.objects) == 2
    assert hub.repos[NAME].tags == {}
    publish_to_hub(publication)
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]
    assert hub.repos[NAME].files["release.json"] == (publication.workspace.release / "release.json").read_bytes()


def test_a_card_that_was_edited_meanwhile_is_not_overwritten(hub: Any, publication: Publication) -> None:
    publish_to_hub(publication)
    repo = DatasetRepo(NAME)
    remote = repo.look()
    assert remote is not None
    hub.repos[NAME].add_commit({**hub.repos[NAME].files, CARD_FILE: b"edited meanwhile"})
    with pytest.raises(OutsideError, match="was changed while we published"):
        repo.commit({CARD_FILE: b"ours"}, [], message="Card", parent=remote.head)
    assert hub.repos[NAME].files[CARD_FILE] == b"edited meanwhile"


@pytest.mark.parametrize(
    "name", ["myriadlama", "a/b/c", "../x", "lab/", "lab/my riad", "lab/x\n", "../../x", "lab/..", "l" * 99 + "/x"]
)
def test_a_name_that_is_not_org_and_name(workspace: Workspace, release: Path, name: str) -> None:
    with pytest.raises(InputError, match="expected ORG/NAME"):
        Publication(workspace, name).require_sound()


def test_without_a_release_it_says_which_command_comes_first(workspace: Workspace) -> None:
    with pytest.raises(MissingStageError, match="tashika export myriadlama"):
        publish_to_hub(Publication(workspace, NAME))


def test_files_that_were_changed_after_the_export_are_not_published(publication: Publication, release: Path) -> None:
    path = release / "facts" / "facts.parquet"
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(InputError, match="not the file that the export wrote") as caught:
        publish_to_hub(publication)
    assert caught.value.where == str(path)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        publish_to_hub(publication)


def test_a_release_without_its_card_is_not_published(publication: Publication) -> None:
    publication.card_file.unlink()
    with pytest.raises(InputError, match="the release has no card"):
        publish_to_hub(publication)


# What is sent, and what is not


def test_only_what_changed_is_uploaded_and_that_is_said(
    hub: Any, publication: Publication, make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_to_hub(publication)
    before = dict(hub.repos[NAME].files)
    make_export(version="0.2.0", prompts_per_shard=100).run()
    hub.requests.clear()
    capsys.readouterr()
    publish_to_hub(Publication(publication.workspace, NAME))
    release = publication.workspace.release
    local = {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}
    changed = {name: content for name, content in local.items() if before.get(name) != content}
    assert {"prompts/prompts-00000-of-00002.parquet", CARD_FILE, "CHANGES.md"} <= set(changed)
    assert {"facts/facts.parquet", "aliases/aliases.parquet"} & set(changed) == set()
    said = capsys.readouterr().err
    assert f"uploading {len(changed)} of {len(local)} files, {sum(map(len, changed.values())):,} of " in said
    assert "the others are there already; 4 paths of the release before are removed" in said
    assert hub.count("PUT", "/lfs-upload/") == 2


def test_files_that_the_export_did_not_write_stay_here(
    hub: Any, publication: Publication, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("mine", encoding="utf-8")
    (release / "notes.txt").write_text("mine", encoding="utf-8")
    (release / "link.txt").symlink_to(secret)
    (release / "facts" / "more.csv").write_text("mine", encoding="utf-8")
    publish_to_hub(publication)
    assert "not uploaded, since the export did not write them: facts/more.csv, link.txt, notes.txt" in (
        capsys.readouterr().err
    )
    assert b"mine" not in hub.repos[NAME].files.values()


@pytest.mark.parametrize("path", [CARD_FILE, "release.json", "facts/facts.parquet", "facts"])
def test_a_link_in_the_place_of_a_file_is_refused(
    hub: Any, publication: Publication, release: Path, tmp_path: Path, path: str
) -> None:
    target = tmp_path / "elsewhere"
    (release / path).rename(target)
    (release / path).symlink_to(target)
    with pytest.raises(InputError, match="a link; expected the file that the export wrote"):
        publish_to_hub(publication)
    assert hub.requests == []


def test_a_release_on_another_disk_behind_a_link_is_published(
    hub: Any, publication: Publication, release: Path, tmp_path: Path
) -> None:
    release.rename(tmp_path / "large-disk")
    release.symlink_to(tmp_path / "large-disk")
    publish_to_hub(publication)
    assert list(hub.repos[NAME].tags) == ["v0.1.0"]


def test_documents_come_and_go_and_files_of_others_stay(hub: Any, workspace: Workspace, make_export: Make) -> None:
    def citation(_draft: Any) -> dict[str, str]:
        return {"CITATION.txt": "us\n", "tasks/a.yaml": "a: 1\n"}

    replace(make_export(), documents=(citation,)).run()
    publish_to_hub(Publication(workspace, NAME))
    repo = hub.repos[NAME]
    assert {"CITATION.txt", "tasks/a.yaml"} <= set(repo.files)
    repo.add_commit({**repo.files, "LICENSE": b"theirs", "tasks/own.yaml": b"theirs"})
    replace(make_export(version="0.2.0"), documents=()).run()
    publish_to_hub(Publication(workspace, NAME))
    assert {"CITATION.txt", "tasks/a.yaml"} & set(repo.files) == set()
    assert (repo.files["LICENSE"], repo.files["tasks/own.yaml"]) == (b"theirs", b"theirs")


@pytest.mark.parametrize(
    "tag", ["v1\n", "../../x", "a..b", "-v1", ".v1", "v1.lock", "v1.", "v 1", "v1/x", "v1@{", "ü", "v" * 200]
)
def test_a_tag_that_git_or_an_address_would_misread(hub: Any, workspace: Workspace, release: Path, tag: str) -> None:
    with pytest.raises(InputError, match="found the tag"):
        publish_to_hub(Publication(workspace, NAME, tag=tag))
    assert hub.requests == []
