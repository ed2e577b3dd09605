"""A person who has withdrawn consent leaves no trace: on the server, in the copies of the pulls, in any file."""

from __future__ import annotations

import gzip
import shutil
import stat
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.annotation.adjudicating.decisions import append_adjudications, read_recorded
from tashika.annotation.judging.backups import annotations_of, copies, folder
from tashika.annotation.judging.forget_person import forget_person
from tashika.annotation.judging.judgments import append_judgments, read_judgments
from tashika.annotation.judging.people import read_salt
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.roster import Roster, invite, read_roster, see_accounts, write_roster
from tashika.annotation.judging.who import who_did_what
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.audit import read_audit, record
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio

SETTINGS = AnnotateSettings(annotators=2, minimum_votes=1, kinds={"template": KindSettings()})
ADA, BEN = "ada@example.org", "ben@example.org"


@pytest.fixture
def pages() -> list[Page]:
    return pages_of("myriadlama", SETTINGS)


def everything(work: Path) -> str:
    """All that the files of a working directory say, compressed ones and tables too."""
    return "\n".join(f"{path.name}\n{said_in(path)}" for path in work.rglob("*") if path.is_file())


def said_in(path: Path) -> str:
    if path.suffix == ".parquet":
        return str(pq.read_table(path).to_pylist())
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    return path.read_bytes().decode(errors="replace")


@pytest.mark.slow
@pytest.mark.usefixtures("no_accounts_left")
def test_nothing_of_a_person_is_left_on_the_server_or_in_the_files(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    server, page = fresh_studio.server, pages[0]
    push(server, workspace, pages, SETTINGS, dry=False)
    tokens = {email: open_account(fresh_studio.address, server.invitation(), email, exists=False)
              for email in (ADA, BEN)}  # fmt: skip
    tasks = sorted(items_of(fresh_studio, page).items())
    for email, token in tokens.items():
        for _, (task,) in tasks[:4]:
            answer(fresh_studio, token, task, choose("valid" if email == BEN else "invalid"))
    with fresh_studio.api(tokens[ADA]) as api:
        draft = {"result": choose("valid"), "lead_time": 1.0}
        assert api.post(f"/api/tasks/{tasks[5][1][0]}/drafts", json=draft).status_code == 201
    pull(server, workspace, pages)
    answer(fresh_studio, tokens[BEN], tasks[4][1][0], choose("valid"))
    assert pull(server, workspace, pages).total() == 1
    write_roster(
        workspace.root, see_accounts(invite(Roster(), [f"Adelheid <{ADA}>"]), server.identity(), server.users())
    )
    (name,) = {
        work.annotator for work in who_did_what(workspace, read_roster(workspace.root)) if work.name == "Adelheid"
    }
    record(workspace.base, "annotate-people-same", people=[name])
    append_adjudications(workspace, [decision(tasks[0][0], name), decision(tasks[1][0], "Grace")])
    count_votes(workspace, pages, SETTINGS)
    before = everything(workspace.root)
    assert all(word in before for word in (ADA, name, "Adelheid"))

    paths = [path for path in workspace.root.rglob("*") if path.is_file() and ADA in said_in(path)]
    assert {path.name.split("-")[0] for path in paths} == {"people.json", "template"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}

    with pytest.raises(InputError, match="nothing has been taken out yet"):
        forget_person(server, workspace, "Adelheid")
    forget_person(server, workspace, ADA.upper(), dry=True)
    assert everything(workspace.root) == before
    forget_person(server, workspace, "adelheid", yes=True)
    printed = " ".join(capsys.readouterr().err.split())
    assert "takes out workspace: 4 judgments" in printed
    assert "`tashika annotate vote myriadlama" in printed
    after = everything(workspace.root)
    assert [word for word in (ADA, name, "Adelheid") if word in after] == []
    assert BEN in after
    assert ADA not in server.users().values()
    assert {len(task.users) for task in server.tasks(project_of(fresh_studio, page))} == {0, 1}
    assert read_audit(workspace.base)[-1]["what"] == "annotate-forget"

    assert pull(server, workspace, pages).total() == 0
    assert ADA not in everything(workspace.root)
    assert [row["adjudicator"] for row in read_recorded(workspace)] == ["Grace"]
    with pytest.raises(MissingStageError):
        workspace.read_verdicts()
    count_votes(workspace, pages, SETTINGS)
    counts = [(row["votes_for"], row["votes_against"]) for row in workspace.read_verdicts().to_pylist()]
    assert sorted(counts) == [(0, 0)] * 7 + [(1, 0)] * 5
    with pytest.raises(InputError, match="'adelheid' is nobody here"):
        forget_person(server, workspace, "adelheid", yes=True)


def project_of(studio: Studio, page: Page) -> int:
    project = studio.server.project(page.title)
    assert project is not None
    return project.project_id


def decision(item: str, name: str) -> dict[str, Any]:
    return {"item_id": item, "kind": "template", "decision": "accepted", "text": None, "adjudicator": name}


@pytest.fixture
def judged(workspace: Workspace, samples: ModuleType) -> Workspace:
    """Two people, of whom one comes from a server that is gone."""
    read_salt(workspace.annotation)
    items = workspace.read_items("template")["item_id"].to_pylist()
    rows = [samples.judgment(items[0], who, annotation_id=number) for number, who in enumerate(("ada", "ben"))]
    append_judgments(workspace, rows)
    append_judgments(workspace, [samples.judgment(items[1], "ada", annotation_id=7)])
    return workspace


def test_without_a_server_the_files_alone(judged: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    forget_person(None, judged, "ada", yes=True)
    assert set(read_judgments(judged)["annotator"].to_pylist()) == {"ben"}
    assert "a pull from one that has it brings answers back" in " ".join(capsys.readouterr().err.split())


def test_releases_that_still_have_the_judgments_are_named(
    judged: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(judged.release / "release.json", {"version": "1.2.0"})
    record(judged.base, "publish", facts={"repo": "us/riddles", "tag": "v1.1.0", "commit": "0" * 40})
    forget_person(None, judged, "ada", dry=True)
    printed = " ".join(capsys.readouterr().err.split())
    assert "the release 1.2.0" in printed
    assert f"tashika publish myriadlama --work {judged.root} --repo us/riddles --withdraw v1.1.0" in printed


def test_an_adjudicator_of_a_file(judged: Workspace) -> None:
    append_adjudications(judged, [decision("t1", "Grace"), decision("t2", "Ada")])
    forget_person(None, judged, "Grace", yes=True)
    assert [row["adjudicator"] for row in read_recorded(judged)] == ["Ada"]


def test_a_copy_of_another_person_stays_as_it_is(judged: Workspace) -> None:
    folder(judged).mkdir(parents=True)
    path = folder(judged) / "template-20260101T000000Z-0123456789abcdef.json.gz"
    with gzip.open(path, "wt") as file:
        file.write('[{"id": 1, "data": {}, "annotations": [{"id": 1, "completed_by": 5, "result": []}]}]')
    content = path.read_bytes()
    forget_person(None, judged, "ada", yes=True)
    assert path.read_bytes() == content
    forget_person(None, judged, "ben", yes=True)  # whose judgment it is, though no manifest says whose account
    ((anew, _),) = copies(judged, "template")
    assert list(annotations_of(anew)) == []


def test_who_is_unknown_is_refused(judged: Workspace) -> None:
    with pytest.raises(InputError, match="'Nemo' is nobody here"):
        forget_person(None, judged, "Nemo", yes=True)
    shutil.rmtree(judged.judgments)
    with pytest.raises(InputError, match="'ada' is nobody here"):
        forget_person(None, judged, "ada", yes=True)
