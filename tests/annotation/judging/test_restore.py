"""A server that was lost comes back from the copies of the pulls, with everybody's names."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from tashika.annotation.judging.forget import forget_simulated
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.restore import restore
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio, running_studio

pytestmark = pytest.mark.usefixtures("no_accounts_left")

SETTINGS = AnnotateSettings(
    annotators=2, kinds={"template": KindSettings(), "alias": KindSettings(mode="audit", sample=5)}
)
PEOPLE = ("ada@example.org", "emmy@example.org")


def answered(studio: Studio, workspace: Workspace, pages: list[Page]) -> None:
    """Two people answer all templates, and one of them skips an alias."""
    push(studio.server, workspace, pages, SETTINGS, dry=False)
    tokens = [_token(studio, email) for email in PEOPLE]
    for place, token in enumerate(tokens):
        for number, task in enumerate(sorted(items_of(studio, pages[0]).items())):
            answer(studio, token, task[1][0], choose("invalid" if (number + place) % 5 == 0 else "valid"))
    answer(studio, tokens[0], min(items_of(studio, pages[1]).values())[0], [], was_cancelled=True)


def _token(studio: Studio, email: str) -> str:
    exists = email in studio.server.users().values()
    return open_account(studio.address, studio.server.invitation(), email, exists=exists)


def verdicts(workspace: Workspace, pages: list[Page]) -> list[dict[str, Any]]:
    count_votes(workspace, pages, SETTINGS)
    return workspace.read_verdicts().to_pylist()


@pytest.fixture
def pages() -> list[Page]:
    from tashika.annotation.labelling import pages_of

    return pages_of("myriadlama", SETTINGS)


@pytest.mark.slow
def test_a_server_whose_data_are_deleted(tmp_path: Path, workspace: Workspace, pages: list[Page]) -> None:
    data = tmp_path / "server"
    with running_studio(data) as studio:
        answered(studio, workspace, pages)
        assert pull(studio.server, workspace, pages).total() == 25
        lost = studio.server.identity()
    before, judgments = verdicts(workspace, pages), read_judgments(workspace).to_pylist()
    shutil.rmtree(data)
    with running_studio(data) as studio:
        assert studio.server.identity() != lost
        push(studio.server, workspace, pages, SETTINGS, dry=False)  # before anybody thinks of a restore
        assert restore(studio.address, workspace, pages, SETTINGS) == 25
        push(studio.server, workspace, pages, SETTINGS, dry=False)
        assert {len(tasks) for page in pages for tasks in items_of(studio, page).values()} == {1}
        assert pull(studio.server, workspace, pages).total() == 0
        assert read_judgments(workspace).to_pylist() == judgments
        assert verdicts(workspace, pages) == before
        assert restore(studio.address, workspace, pages, SETTINGS) == 0
        passwords = workspace.annotation / "restored-passwords.json"
        assert stat.S_IMODE(passwords.stat().st_mode) == 0o600

        # People go on under their old names: an answer that is changed is a new version of the same person's.
        token = _token(studio, PEOPLE[0])
        task = min(items_of(studio, pages[0]).items())
        with studio.api(token) as api:
            mine = studio.server.users()
            (old,) = [
                entry
                for entry in api.get(f"/api/tasks/{task[1][0]}/annotations/").json()
                if mine[entry["completed_by"]] == PEOPLE[0]
            ]
            assert api.patch(f"/api/annotations/{old['id']}/", json={"result": choose("valid")}).status_code == 200
        assert pull(studio.server, workspace, pages).total() == 1
        changed = read_judgments(workspace).to_pylist()[-1]
        assert changed["annotator"] in {row["annotator"] for row in judgments}
        assert {row["annotator"] for row in read_judgments(workspace).to_pylist()} == {
            row["annotator"] for row in judgments
        }


def test_a_project_that_somebody_deleted(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    before, judgments = verdicts(workspace, pages), read_judgments(workspace).to_pylist()
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    fresh_studio.server.delete_project(project.project_id)
    with pytest.raises(InputError, match=r"is gone from the server; 24 judgments.*\n.*annotate restore myriadlama"):
        push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    capsys.readouterr()
    pull(fresh_studio.server, workspace, pages)
    assert "24 judgments of it are kept here" in " ".join(capsys.readouterr().err.split())

    assert restore(fresh_studio.address, workspace, pages, SETTINGS) == 24
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    assert pull(fresh_studio.server, workspace, pages).total() == 0
    assert read_judgments(workspace).to_pylist() == judgments
    assert verdicts(workspace, pages) == before


def test_tasks_that_somebody_deleted_are_taken_from_the_copy_that_has_them(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page]
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    judgments = read_judgments(workspace).to_pylist()
    gone = [tasks[0] for tasks in list(items_of(fresh_studio, pages[0]).values())[:3]]
    for task_id in gone:
        fresh_studio.server.delete_task(task_id)
    assert pull(fresh_studio.server, workspace, pages).total() == 0  # the last copy has not the tasks
    assert restore(fresh_studio.address, workspace, pages, SETTINGS) == 6
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    assert {len(tasks) for tasks in items_of(fresh_studio, pages[0]).values()} == {1}
    assert pull(fresh_studio.server, workspace, pages).total() == 0
    assert read_judgments(workspace).to_pylist() == judgments


def test_what_people_have_answered_since_is_not_mixed_in(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page]
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    fresh_studio.server.delete_project(project.project_id)
    (workspace.pushed / "template.parquet").unlink()
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    answer(fresh_studio, _token(fresh_studio, PEOPLE[0]), min(items_of(fresh_studio, pages[0]).values())[0],
           choose("valid"))  # fmt: skip
    with pytest.raises(InputError, match=r"expected no answers in project .*, found 1"):
        restore(fresh_studio.address, workspace, pages, SETTINGS)


def test_nothing_was_pulled(fresh_studio: Studio, workspace: Workspace, pages: list[Page]) -> None:
    with pytest.raises(InputError, match=r"there is no copy of a project"):
        restore(fresh_studio.address, workspace, pages, SETTINGS)


def test_simulated_answers_that_were_taken_out_do_not_come_back(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page]
) -> None:
    settings = SETTINGS.model_copy(update={"annotators": 2})
    push(fresh_studio.server, workspace, pages, settings, dry=False)
    simulate(fresh_studio.address, workspace, pages[:1], settings, despite_accounts=True)
    pull(fresh_studio.server, workspace, pages, settings)
    forget_simulated(fresh_studio.server, workspace, yes=True)
    for page in pages:
        project = fresh_studio.server.project(page.title)
        assert project is not None
        fresh_studio.server.delete_project(project.project_id)
    assert restore(fresh_studio.address, workspace, pages, settings) == 0
    push(fresh_studio.server, workspace, pages, settings, dry=False)
    assert pull(fresh_studio.server, workspace, pages).total() == 0


def test_a_copy_of_an_earlier_version_without_a_manifest(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page]
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    manifests = list((workspace.annotation / "backups").glob("*.origin.json"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in manifests} == {0o600}
    for path in manifests:
        path.unlink()
    judgments = read_judgments(workspace).to_pylist()
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    fresh_studio.server.delete_project(project.project_id)
    assert restore(fresh_studio.address, workspace, pages, SETTINGS) == 24
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    assert pull(fresh_studio.server, workspace, pages).total() == 0
    assert read_judgments(workspace).to_pylist() == judgments
