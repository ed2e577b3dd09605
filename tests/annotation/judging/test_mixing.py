"""A simulation does not start where people have judged, or are about to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.mixing import mixed_line, projects_of, refuse_beside_people
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.labelling import all_pages
from tashika.annotation.labelstudio.client import Project, Server, Task
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.annotation.custom.samples import SIX, open_text, suite_text

ADMIN, OWNER, ADA, PROGRAM = 1, 2, 3, 4
USERS = {ADMIN: "admin@example.com", OWNER: "owner@example.org", PROGRAM: "simulated-1@example.com"}
TEMPLATES = all_pages("myriadlama")[0].title


@dataclass
class Studio:
    """What is asked of a server: accounts, and who answered the tasks of which project."""

    people: Mapping[int, str] = field(default_factory=lambda: USERS)
    answered: Mapping[str, Sequence[set[int]]] = field(default_factory=dict)
    url: str = "http://127.0.0.1:1"
    shown: str = "http://127.0.0.1:1"

    def users(self) -> dict[int, str]:
        return dict(self.people)

    def identity(self) -> str:
        return "ls-test"

    def own_account(self) -> int:
        return OWNER

    def projects(self) -> list[Project]:
        return [Project(number, title, "", 3, "") for number, title in enumerate(self.answered)]

    def tasks(self, project_id: int) -> list[Task]:
        users = list(self.answered.values())[project_id]
        return [Task(number, str(number), frozenset(who)) for number, who in enumerate(users)]


def check(workspace: Workspace, studio: Studio | None = None, *, despite_accounts: bool = False) -> None:
    refuse_beside_people(cast(Server, studio or Studio()), workspace, despite_accounts=despite_accounts)


def test_programs_the_administrator_and_the_token_s_owner_are_no_people(
    workspace: Workspace, samples: ModuleType
) -> None:
    append_judgments(workspace, [samples.judgment("a", "simulated-1", simulated=True)])
    check(workspace, Studio(answered={TEMPLATES: [{PROGRAM}, set()], "a project of others": [{ADMIN}]}))


def test_judgments_of_people_in_the_workspace_are_refused(workspace: Workspace, samples: ModuleType) -> None:
    append_judgments(workspace, [samples.judgment("a", "simulated-1", simulated=True)])
    assert mixed_line(workspace) is None
    names = ["ada", "ada", "ben", "cy", "dee"]
    append_judgments(workspace, [samples.judgment("a", name, annotation_id=n) for n, name in enumerate(names)])
    with pytest.raises(InputError, match=r"found 5 of ada \(2\), ben \(1\), cy \(1\) and 1 more") as refused:
        check(workspace, despite_accounts=True)
    assert refused.value.where == str(workspace.annotation / "judgments")
    assert "--work OTHER" in str(refused.value)
    line = mixed_line(workspace)
    assert line is not None
    assert line.startswith("5 judgments of 4 people lie beside 1 of 1 simulated annotator (program)")


def test_the_command_that_takes_programs_out_names_a_suite_file_by_its_place(
    tmp_path: Path, samples: ModuleType
) -> None:
    suite = open_text(tmp_path, suite_text({"pair": SIX["pair"]}))
    workspace = Workspace(tmp_path / "work", suite.name)
    rows = [samples.judgment("a", "ada"), samples.judgment("a", "simulated-1", simulated=True)]
    append_judgments(workspace, rows)
    assert f"`tashika annotate forget-simulated {suite.path}`" in str(mixed_line(workspace))


@pytest.mark.parametrize(
    ("who", "name"), [(ADMIN, "admin@example.com"), (OWNER, "owner@example.org"), (99, "account 99")]
)
def test_whoever_has_answered_and_is_no_program_is_a_person(workspace: Workspace, who: int, name: str) -> None:
    studio = Studio(answered={TEMPLATES: [{PROGRAM}, {PROGRAM, who}, {who}]})
    with pytest.raises(InputError, match=rf"found {name} \(2\)") as refused:
        check(workspace, studio, despite_accounts=True)
    assert refused.value.where == "http://127.0.0.1:1/projects/0/data"


def test_accounts_of_people_are_refused_unless_they_are_said_to_stay_away(workspace: Workspace) -> None:
    studio = Studio(people={**USERS, ADA: "ada@example.org"}, answered={TEMPLATES: [set()]})
    with pytest.raises(InputError, match=r"found 1: ada@example\.org") as refused:
        check(workspace, studio)
    assert "--despite-accounts" in str(refused.value)
    check(workspace, studio, despite_accounts=True)


def test_parts_are_the_suite_s_projects_whatever_was_built(tmp_path: Path) -> None:
    (page,) = all_pages("semrel")
    titles = [f"{page.title}, questionnaire 12", page.title, f"{page.title}, questionnaire x", f"{page.title} 1", "1"]
    studio = cast(Server, Studio(answered={title: [] for title in titles}))
    projects = projects_of(studio, Workspace(tmp_path, "semrel"))
    assert [(page.name, project.title) for page, project in projects] == [
        ("probe-12", titles[0]),
        ("probe", titles[1]),
    ]


def test_renamed_projects_are_the_suite_s_by_their_numbers_on_this_server(workspace: Workspace) -> None:
    for project_id, (kind, server) in enumerate(
        [("template", "ls-test"), ("alias-2", "ls-test"), ("template-training", "ls-test"), ("alias-1", "ls-lost")]
    ):
        write_pushed(workspace, kind, server, project_id, [Task(project_id, "an item", frozenset())])
    studio = Studio(answered={title: [{ADA}] for title in ("a", "b", "c", "d")})
    projects = projects_of(cast(Server, studio), workspace)
    assert [(page.name, project.title) for page, project in projects] == [
        ("template", "a"),
        ("alias-2", "b"),
        ("template-training", "c"),
    ]
    with pytest.raises(InputError, match="expected no answers of people in the project 'a'"):
        check(workspace, studio, despite_accounts=True)
