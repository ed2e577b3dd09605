"""A server that was lost comes back from the copies of the pulls, with everybody's names."""

from __future__ import annotations

import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tashika.annotation.adjudicating.decisions import read_adjudications, read_recorded
from tashika.annotation.adjudicating.pages import adjudication_page
from tashika.annotation.adjudicating.push import push_adjudication
from tashika.annotation.gold.everybody import EVERYBODY
from tashika.annotation.gold.file import with_gold
from tashika.annotation.gold.trained import read_trained
from tashika.annotation.gold.training import training_pages
from tashika.annotation.judging import restore as restoring
from tashika.annotation.judging.afresh import Again
from tashika.annotation.judging.forget import forget_simulated
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.pull_all import pull_all
from tashika.annotation.judging.push import push
from tashika.annotation.judging.restore import restore
from tashika.annotation.judging.roster import Roster, invite, read_roster, see_accounts, write_roster
from tashika.annotation.judging.simulate import bodies, simulate
from tashika.annotation.judging.validation import IMPORTED
from tashika.annotation.judging.who import who_did_what
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.options import Accepted
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tests.annotation.custom import samples
from tests.annotation.gold.samples import gold_lines_of, item_ids, write_gold
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio, running_studio

pytestmark = pytest.mark.usefixtures("no_accounts_left")

SETTINGS = AnnotateSettings(
    annotators=2, kinds={"template": KindSettings(), "alias": KindSettings(mode="audit", sample=5)}
)
GOLDEN = """
[annotate]
annotators = 2
seed = 3

[annotate.gold]
file = "gold.csv"
training = 1
"""
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


@pytest.fixture
def golden(tmp_path: Path) -> Golden:
    return Golden.of(tmp_path)


@pytest.mark.slow
def test_a_server_whose_data_are_deleted(
    fresh_studio: Studio, tmp_path: Path, workspace: Workspace, pages: list[Page], golden: Golden
) -> None:
    data = tmp_path / "server"
    with running_studio(data) as studio:
        answered(studio, workspace, pages)
        assert pull(studio.server, workspace, pages).total() == 25
        golden.answer(studio)
        lost = studio.server.identity()
    before, judgments = verdicts(workspace, pages), read_judgments(workspace).to_pylist()
    shutil.rmtree(data)

    studio = fresh_studio  # another server, which has nothing of it
    assert studio.server.identity() != lost
    with pytest.raises(InputError, match=rf"judgments of 2 people .*: 25 from the server {lost}\n") as refused:
        push(studio.server, workspace, pages, SETTINGS, dry=False)
    place = f"myriadlama --work {workspace.root}"
    assert f"`tashika annotate restore {place}`" in str(refused.value)
    assert f"`tashika annotate push {place} --ask-again`" in str(refused.value)
    assert studio.server.projects() == []
    push(
        studio.server, workspace, pages, SETTINGS, dry=False, again=Again(everything=True)
    )  # before anybody thinks of a restore
    assert restore(studio.address, workspace, pages, SETTINGS) == 25
    push(studio.server, workspace, pages, SETTINGS, dry=False)
    assert {len(tasks) for page in pages for tasks in items_of(studio, page).values()} == {1}
    assert pull(studio.server, workspace, pages).total() == 0
    assert read_judgments(workspace).to_pylist() == judgments
    assert verdicts(workspace, pages) == before
    assert restore(studio.address, workspace, pages, SETTINGS) == 0
    passwords = workspace.annotation / "restored-passwords.json"
    assert stat.S_IMODE(passwords.stat().st_mode) == 0o600
    golden.check_restored(studio)

    # People go on under their old names: an answer that is changed is a new version of the same person's.
    task = min(items_of(studio, pages[0]).items())
    _change(studio, task[1][0], choose("valid"))
    assert pull(studio.server, workspace, pages).total() == 1
    changed = read_judgments(workspace).to_pylist()[-1]
    assert changed["annotator"] in {row["annotator"] for row in judgments}
    assert {row["annotator"] for row in read_judgments(workspace).to_pylist()} == {
        row["annotator"] for row in judgments
    }


def _change(studio: Studio, task: int, result: list[dict[str, Any]]) -> int:
    """Has the first of the people change an answer; returns its number."""
    mine = studio.server.users()
    with studio.api(_token(studio, PEOPLE[0])) as api:
        (old,) = [
            entry
            for entry in api.get(f"/api/tasks/{task}/annotations/").json()
            if mine[entry["completed_by"]] == PEOPLE[0]
        ]
        assert api.patch(f"/api/annotations/{old['id']}/", json={"result": result}).status_code == 200
    return int(old["id"])


@dataclass
class Golden:
    """A suite with gold questions and a training, of which two items go to an adjudicator."""

    work: Workspace
    settings: AnnotateSettings
    pages: list[Page]
    before: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> Golden:
        """Six items: one for the training, two gold questions, three others."""
        write_gold(folder / "gold.csv", gold_lines_of(["pair"]))
        suite = samples.open_text(folder, samples.suite_text({"pair": samples.SIX["pair"]}, rest=GOLDEN))
        work = Workspace(folder / "golden", suite.name)
        samples.write(work, "pair", [samples.item("pair", f"pair {number}") for number in range(6)])
        settings = samples.settings_of(suite)
        pages = with_gold(work, suite.load("annotation"), settings, None)
        return cls(work, settings, [*pages, *training_pages(pages)])

    def answer(self, studio: Studio) -> None:
        """Both people judge, one does the training and decides one of the two items on which they differ."""
        page, training = self.pages
        push(studio.server, self.work, self.pages, self.settings, dry=False)
        tokens = [_token(studio, email) for email in PEOPLE]
        ids = item_ids("pair")
        says = [("It follows",) * 2, ("It follows",) * 2, ("Neither",) * 2, ("Neither", "It follows"),
                ("Neither", "It contradicts")]  # fmt: skip
        tasks = items_of(studio, page)
        for item_id, said in zip(ids[1:], says, strict=True):
            for token, choice in zip(tokens, said, strict=True):
                answer(studio, token, tasks[item_id][0], chosen(page, choice))
        answer(studio, tokens[0], items_of(studio, training)[ids[0]][0], chosen(training, "choice-1"))
        self._pull(studio)
        count_votes(self.work, self.pages[:1], self.settings)
        assert push_adjudication(studio.server, self.work, self.pages[:1], self.settings) == 2
        deciding = items_of(studio, adjudication_page(page))
        answer(studio, tokens[0], deciding[ids[4]][0], chosen(page, "It contradicts"))
        self._pull(studio)
        invited = invite(Roster(), [f"Ada <{PEOPLE[0]}>"])
        write_roster(self.work.root, see_accounts(invited, studio.server.identity(), studio.server.users()))
        self.before = self._state()
        assert [row["decision"] for row in self.before["adjudications"]] == ["accepted"]
        assert self.before["names"] == {"Ada": 5, PEOPLE[1]: 5}

    def _pull(self, studio: Studio) -> None:
        pull_all(studio.server, self.work, self.pages[:1], self.settings)

    def _state(self) -> dict[str, Any]:
        """All that a restore may not change."""
        count_votes(self.work, self.pages[:1], self.settings)
        trained = [(row["item_id"], row["annotator"], row["first"], row["last"]) for row in read_trained(self.work)]
        people = who_did_what(self.work, read_roster(self.work.root))
        return {
            "judgments": read_judgments(self.work).to_pylist(),
            "verdicts": self.work.read_verdicts().to_pylist(),
            "adjudications": read_recorded(self.work),
            "trained": trained,
            "names": {each.shown: len(each.items) for each in people if each.items},
        }

    def check_restored(self, studio: Studio) -> None:
        """Restores, and looks at what people are asked, what is pulled, and what becomes of a decision."""
        page, training = self.pages
        assert restore(studio.address, self.work, self.pages, self.settings) == 10 + 1 + 1
        push(studio.server, self.work, self.pages, self.settings, dry=False)
        assert push_adjudication(studio.server, self.work, self.pages[:1], self.settings) == 1
        projects = [studio.server.project(each.title) for each in (page, training, adjudication_page(page))]
        numbers = [project.project_id for project in projects if project]
        wanted = {task.item_id: task.wanted for task in studio.server.tasks(numbers[0])}
        assert wanted == dict(zip(item_ids("pair")[1:], [EVERYBODY] * 2 + [2] * 3, strict=True))
        with studio.api(_token(studio, PEOPLE[0])) as api:
            assert [api.get(f"/api/projects/{number}/next").status_code for number in numbers] == [404, 404, 200]
        for _ in range(2):
            self._pull(studio)
            roster = read_roster(self.work.root)
            write_roster(
                self.work.root, see_accounts(roster, studio.server.identity(), studio.server.users())
            )  # as `people` does
            assert self._state() == self.before
            assert restore(studio.address, self.work, self.pages, self.settings) == 0

        task = items_of(studio, adjudication_page(page))[item_ids("pair")[4]][0]
        number = _change(studio, task, chosen(page, "Neither"))
        self._pull(studio)
        texts = [(row["text"], row["adjudicator"]) for row in read_adjudications(self.work)]
        (name,) = {row["adjudicator"] for row in self.before["adjudications"]}
        assert texts == [("contradicts", name), ("neutral", name)]
        studio.server.delete_annotation(number)
        self._pull(studio)
        assert read_adjudications(self.work) == []


def chosen(page: Page, choice: str) -> list[dict[str, Any]]:
    """The result of taking a choice."""
    ((_, body),) = bodies(page, [(1, choice)])
    result: list[dict[str, Any]] = body["result"]
    return result


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
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False, again=Again(everything=True))
    answer(fresh_studio, _token(fresh_studio, PEOPLE[0]), min(items_of(fresh_studio, pages[0]).values())[0],
           choose("valid"))  # fmt: skip
    with pytest.raises(InputError, match=r"expected no answers in project .*, found 1"):
        restore(fresh_studio.address, workspace, pages, SETTINGS)


def test_a_restore_that_is_cut_off_names_the_password_of_every_account_that_it_made(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    for page in pages:
        project = fresh_studio.server.project(page.title)
        assert project is not None
        fresh_studio.server.delete_project(project.project_id)
    for number, email in fresh_studio.server.users().items():
        if email in PEOPLE:
            fresh_studio.server.delete_account(number)

    def cut_off(*words: Any, exists: bool) -> str:
        open_account(*words, exists=exists)
        raise OutsideError("the connection broke")

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "open_account", cut_off)
        with pytest.raises(OutsideError):
            restore(fresh_studio.address, workspace, pages, SETTINGS)
    assert restore(fresh_studio.address, workspace, pages, SETTINGS) == 25
    assert set(read_json(workspace.annotation / "restored-passwords.json")) == set(PEOPLE)


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


def test_answers_of_a_pull_that_was_cut_off_before_the_judgments_are_named_and_count_once_accepted(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    answered(fresh_studio, workspace, pages)
    pull(fresh_studio.server, workspace, pages)
    judgments = read_judgments(workspace)
    tasks = sorted(items_of(fresh_studio, pages[0]).values())
    tokens = [_token(fresh_studio, email) for email in PEOPLE]
    answer(fresh_studio, tokens[1], min(items_of(fresh_studio, pages[1]).values())[0], [], was_cancelled=True)
    for task in tasks[:2]:
        answer(fresh_studio, _token(fresh_studio, "cy@example.org"), task[0], choose("valid"))
    pull(fresh_studio.server, workspace, pages)
    shards(workspace)[-1].unlink()
    for page in pages:
        project = fresh_studio.server.project(page.title)
        assert project is not None
        fresh_studio.server.delete_project(project.project_id)
    capsys.readouterr()
    assert restore(fresh_studio.address, workspace, pages, SETTINGS) == 28
    said = " ".join(capsys.readouterr().err.split())
    assert "template: 2 answers are of a pull that was cut off" in said
    assert "alias: 1 answer is of a pull that was cut off" in said
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    assert dict(pull(fresh_studio.server, workspace, pages)) == {IMPORTED: 3}
    pull(fresh_studio.server, workspace, pages, accept=frozenset({Accepted.IMPORTED}))
    assert read_judgments(workspace)["problem"].null_count == judgments.num_rows + 3
