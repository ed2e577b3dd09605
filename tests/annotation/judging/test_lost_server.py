"""A server that is lost, and no restore: the same people on a new one are the same annotators, and finish the rest."""

from __future__ import annotations

import re
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tashika.annotation.judging.afresh import Again
from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.returning import join, part
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import answer, choose, items_of
from tests.studio import Studio, running_studio

pytestmark = [pytest.mark.usefixtures("no_accounts_left"), pytest.mark.slow]

SETTINGS = AnnotateSettings(kinds={"template": KindSettings()})
PEOPLE = ("ada@example.org", "ben@example.org", "cy@example.org")
OPEN = 4
"""Items that the third person had not come to when the server was lost."""


@pytest.fixture
def pages() -> list[Page]:
    return pages_of("myriadlama", SETTINGS)


def verdicts(workspace: Workspace, pages: Sequence[Page]) -> dict[str, tuple[str, int, int]]:
    count_votes(workspace, pages, SETTINGS)
    rows: list[dict[str, Any]] = workspace.read_verdicts().to_pylist()
    return {row["item_id"]: (row["decision"], row["votes_for"], row["votes_against"]) for row in rows}


def test_the_same_people_finish_what_is_open_on_a_new_server(
    fresh_studio: Studio, tmp_path: Path, workspace: Workspace, pages: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    page, ids = pages[0], sorted(strings(workspace.read_items("template"), "item_id"))
    with running_studio(tmp_path / "server") as lost:
        push(lost.server, workspace, pages, SETTINGS, dry=False)
        for person, items in enumerate((ids, ids, ids[:-OPEN])):
            judge(lost, page, ids, items, person)
        assert pull(lost.server, workspace, pages).total() == 3 * 12 - OPEN
    before = verdicts(workspace, pages)
    shutil.rmtree(tmp_path / "server")

    server = fresh_studio.server
    with pytest.raises(InputError, match=r"32 from the server") as refused:
        push(server, workspace, pages, SETTINGS, dry=False)
    assert f"`tashika annotate push myriadlama --work {workspace.root} --unfinished`" in str(refused.value)
    push(server, workspace, pages, SETTINGS, dry=True, again=Again(unfinished=True))
    assert server.projects() == []
    for again in (Again(unfinished=True), Again()):  # the second time the project is there
        push(server, workspace, pages, SETTINGS, dry=False, again=again)
        assert "8 left out, since they have enough votes from elsewhere" in one_line(capsys)
        assert wanted(fresh_studio, page) == dict.fromkeys(ids[-OPEN:], 1)
        assert verdicts(workspace, pages) == before

    # Whoever is first gets an item: it is somebody who has judged it before, so one person more is asked.
    judge(fresh_studio, page, ids, ids[-OPEN:-2], 0)
    judge(fresh_studio, page, ids, ids[-2:], 2)
    assert pull(server, workspace, pages).total() == OPEN
    assert "2 accounts have the address of somebody who is known from another server" in one_line(capsys)
    assert len(set(read_judgments(workspace)["annotator"].to_pylist())) == len(PEOPLE)
    votes = {item: sum(counts) for item, (_, *counts) in verdicts(workspace, pages).items()}
    assert votes == {**dict.fromkeys(ids, 3), **dict.fromkeys(ids[-OPEN:-2], 2)}
    push(server, workspace, pages, SETTINGS, dry=False)
    assert wanted(fresh_studio, page) == {**dict.fromkeys(ids[-OPEN:-2], 2), **dict.fromkeys(ids[-2:], 1)}
    judge(fresh_studio, page, ids, ids[-OPEN:-2], 2)
    pull(server, workspace, pages)
    assert verdicts(workspace, pages) == {item: expected(place) for place, item in enumerate(ids)}


def test_people_who_were_asked_everything_again_count_once(
    fresh_studio: Studio, tmp_path: Path, workspace: Workspace, pages: list[Page]
) -> None:
    page, ids = pages[0], sorted(strings(workspace.read_items("template"), "item_id"))
    data = tmp_path / "server"
    data.mkdir(mode=0o755)  # which others can open, until the server runs
    with running_studio(data) as lost:
        push(lost.server, workspace, pages, SETTINGS, dry=False)
        for person in range(3):
            judge(lost, page, ids, ids, person)
        pull(lost.server, workspace, pages)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.rglob("*"))}
        assert {name for name, mode in modes.items() if mode & 0o077} == set()
    before = verdicts(workspace, pages)
    assert before == {item: expected(place) for place, item in enumerate(ids)}
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False, again=Again(everything=True))
    assert wanted(fresh_studio, page) == dict.fromkeys(ids, 3)
    for person in range(3):
        judge(fresh_studio, page, ids, ids, person)
    assert pull(fresh_studio.server, workspace, pages).total() == 36
    assert verdicts(workspace, pages) == before
    push(fresh_studio.server, workspace, pages, SETTINGS, dry=False)
    assert wanted(fresh_studio, page) == dict.fromkeys(ids, 3)

    first, second = (names_on(workspace, server) for server in servers_of(workspace))
    assert first == second
    (name, *_) = sorted(first)
    part(workspace, name)
    for _ in range(2):  # the addresses do not join them again
        assert {sum(counts) for _, *counts in verdicts(workspace, pages).values()} == {4}
        pull(fresh_studio.server, workspace, pages)
    first, second = (names_on(workspace, server) for server in servers_of(workspace))
    join(workspace, name, (second - first).pop())
    assert verdicts(workspace, pages) == before


def servers_of(workspace: Workspace) -> list[str]:
    """The servers that judgments came from, the lost one first."""
    return list(dict.fromkeys(strings(read_judgments(workspace), "server")))


def names_on(workspace: Workspace, server: str) -> set[str]:
    rows = read_judgments(workspace).to_pylist()
    return {row["annotator"] for row in rows if row["server"] == server}


def judge(studio: Studio, page: Page, ids: Sequence[str], items: Sequence[str], person: int) -> None:
    """Has one of the people judge items, as `expected` has it."""
    exists = PEOPLE[person] in studio.server.users().values()
    token = open_account(studio.address, studio.server.invitation(), PEOPLE[person], exists=exists)
    tasks = items_of(studio, page)
    for item in items:
        answer(studio, token, tasks[item][0], choose("invalid" if is_against(ids.index(item), person) else "valid"))


def is_against(place: int, person: int) -> bool:
    """One of three people is against each third item, and the other two against each fourth."""
    return place % 3 == 0 if person == 0 else place % 4 == 0


def expected(place: int) -> tuple[str, int, int]:
    against = sum(is_against(place, person) for person in range(3))
    return "rejected" if against > 1 else "accepted", 3 - against, against


def wanted(studio: Studio, page: Page) -> Mapping[str, int]:
    """How many people each item on the server is asked of."""
    project = studio.server.project(page.title)
    assert project is not None
    return {task.item_id: task.wanted for task in studio.server.tasks(project.project_id)}


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    return re.sub(r"\s+", " ", capsys.readouterr().err)
