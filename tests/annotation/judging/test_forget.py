"""A simulation is taken back and what people said stays: in shards, in what was made of them, and on the server."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tashika.annotation.gold.trained import read_trained, write_trained
from tashika.annotation.judging.forget import forget_simulated
from tashika.annotation.judging.judgments import append_judgments, read_judgments, shards
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError
from tashika.core.files import read_json, write_json
from tashika.core.workspace import Workspace

GRACE = "grace@example.org"
DERIVED = ("annotate-vote.manifest.json", "verdicts.parquet", "validation.json")


@pytest.fixture
def mixed(workspace: Workspace, samples: ModuleType) -> Workspace:
    """Three shards: ada and simulated-1, ada alone, simulated-1 alone."""
    items = workspace.read_items("template")["item_id"].to_pylist()

    def said(item: int, *people: str) -> None:
        rows = [
            samples.judgment(items[item], person, simulated=person.startswith("simulated"), annotation_id=item)
            for person in people
        ]
        append_judgments(workspace, rows)

    said(0, "ada", "simulated-1")
    said(1, "ada")
    said(2, "simulated-1")
    for name in DERIVED:
        write_json(workspace.annotation / name, {"template": {"simulated": True}})
    return workspace


def contents(workspace: Workspace) -> dict[str, bytes]:
    """What lies in the room, but for the lock and for what a killed process was writing."""
    files = (path for path in workspace.annotation.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.name: path.read_bytes() for path in files}


def test_people_keep_their_judgments_and_what_was_made_of_both_goes(mixed: Workspace) -> None:
    before = read_judgments(mixed)
    untouched = shards(mixed)[1].read_bytes()
    assert forget_simulated(None, mixed, yes=True)
    assert read_judgments(mixed).to_pylist() == [row for row in before.to_pylist() if row["annotator"] == "ada"]
    assert [path.name for path in shards(mixed)] == ["part-000001.parquet", "part-000002.parquet"]
    assert shards(mixed)[1].read_bytes() == untouched
    assert not any((mixed.annotation / name).exists() for name in DERIVED)
    after = contents(mixed)
    assert not forget_simulated(None, mixed, yes=True)
    assert contents(mixed) == after


def test_nothing_is_taken_out_unless_it_is_meant(mixed: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(mixed)
    assert forget_simulated(None, mixed, dry=True)
    assert "would take out workspace: 2 judgments of simulated annotators; 2 of people stay" in capsys.readouterr().err
    with pytest.raises(InputError, match="nothing has been taken out yet") as refused:
        forget_simulated(None, mixed)
    assert "--yes" in str(refused.value)
    assert contents(mixed) == before


def test_what_programs_answered_in_trainings_goes(
    workspace: Workspace, samples: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ("item_id", "kind", "annotator", "simulated", "first", "last", "seconds", "created_at", "server")
    time = samples.judgment("a", "ada")["created_at"]

    def tried(item: str, person: str) -> dict[str, Any]:
        values = (item, "template", person, person.startswith("simulated"), True, True, None, time, "ls-test")
        return dict(zip(columns, values, strict=True))

    write_trained(workspace, [tried("a", "ada"), tried("a", "simulated-1"), tried("b", "simulated-1")])
    before = contents(workspace)
    assert forget_simulated(None, workspace, dry=True)
    line = "out workspace: 2 answers of simulated annotators in trainings"
    assert f"would take {line}" in capsys.readouterr().err
    assert contents(workspace) == before
    assert forget_simulated(None, workspace, yes=True)
    assert f"takes {line}" in capsys.readouterr().err
    assert read_trained(workspace) == [tried("a", "ada")]
    assert not forget_simulated(None, workspace, yes=True)


class Killed(BaseException):
    """As if the process ended here."""


@pytest.mark.parametrize("steps", range(6))
def test_a_run_that_was_killed_is_completed_by_the_next(
    mixed: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    whole = Workspace(tmp_path / "whole", mixed.suite)
    shutil.copytree(mixed.root, whole.root)
    forget_simulated(None, whole, yes=True)

    left = iter(range(steps))  # three files are removed, a shard replaced and its temporary looked for, a shard removed

    def dying(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any, **named: Any) -> Any:
            if next(left, None) is None:
                raise Killed
            return change(*arguments, **named)

        return changed

    with monkeypatch.context() as dies:
        for name in ("unlink", "replace"):
            dies.setattr(Path, name, dying(getattr(Path, name)))
        with pytest.raises(Killed):
            forget_simulated(None, mixed, yes=True)
    assert contents(mixed) != contents(whole)
    assert forget_simulated(None, mixed, yes=True)
    assert contents(mixed) == contents(whole)


def test_verdicts_of_people_alone_stay(workspace: Workspace, samples: ModuleType) -> None:
    item = workspace.read_items("template")["item_id"].to_pylist()[0]
    append_judgments(workspace, [samples.judgment(item, "ada")])
    write_json(workspace.annotation / "validation.json", {"template": {"simulated": False}})
    before = contents(workspace)
    assert not forget_simulated(None, workspace, yes=True)
    assert contents(workspace) == before


def test_a_summary_with_programs_is_stale_though_their_judgments_are_gone(workspace: Workspace) -> None:
    for name in DERIVED:
        write_json(workspace.annotation / name, {"template": {"simulated": True}})
    assert forget_simulated(None, workspace, yes=True)
    assert contents(workspace) == {}


@pytest.fixture
def grace(fresh_studio: Any) -> Iterator[httpx.Client]:
    """A person with an account, who answers as Label Studio's page would; the account goes with the test."""
    server = fresh_studio.server
    token = open_account(fresh_studio.address, server.invitation(), GRACE, exists=GRACE in server.users().values())
    with fresh_studio.api(token) as api:
        yield api
    server.delete_account(next(number for number, email in server.users().items() if email == GRACE))


def say(api: httpx.Client, task: Any, choice: str | None) -> None:
    part = {"from_name": "verdict", "to_name": "template", "type": "choices", "value": {"choices": [choice]}}
    body = {"result": [part]} if choice else {"result": [], "was_cancelled": True}
    assert api.post(f"/api/tasks/{task.task_id}/annotations/", json=body).status_code == 201


def test_a_simulation_is_refused_beside_people_and_taken_back(
    fresh_studio: Any,
    grace: httpx.Client,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    tmp_path: Path,
) -> None:
    server, address, page = fresh_studio.server, fresh_studio.address, pages[0]
    push(server, workspace, pages, settings, dry=False)
    with pytest.raises(InputError, match=f"expected no accounts of people on the server, found 1: {GRACE}"):
        simulate(address, workspace, pages, settings)
    assert simulate(address, workspace, pages, settings, despite_accounts=True) == 17 * 3

    project = server.project(page.title)
    tasks = sorted(server.tasks(project.project_id), key=lambda task: task.task_id)
    server.ask_more(tasks[0].task_id, 4)  # as after a tie among the programs
    say(grace, tasks[0], "valid")
    say(grace, tasks[1], None)
    pull(server, workspace, pages)
    say(grace, tasks[2], "invalid")
    pull(server, workspace, pages)
    with pytest.raises(InputError, match=r"no judgments of people, found 3 of annotator-\w{10} \(3\)"):
        simulate(address, workspace, pages, settings, despite_accounts=True)
    other = Workspace(tmp_path / "other", workspace.suite)
    shutil.copytree(workspace.items, other.items)
    with pytest.raises(InputError, match=f"{page.title}.*found {GRACE} \\(3\\)"):
        simulate(address, other, pages, settings, despite_accounts=True)

    count_votes(workspace, pages, settings)
    summary = read_json(workspace.annotation / "validation.json")["template"]
    assert (summary["annotators"], summary["people"], summary["simulated"]) == (4, 1, True)
    people = [row for row in read_judgments(workspace).to_pylist() if not row["simulated"]]
    untouched = shards(workspace)[1].read_bytes()
    assert forget_simulated(server, workspace, dry=True)
    before = {task.task_id: task.users for task in server.tasks(project.project_id)}
    assert len(before[tasks[0].task_id]) == 4
    assert forget_simulated(server, workspace, yes=True)

    number = next(number for number, email in server.users().items() if email == GRACE)
    assert not any(email.startswith("simulated-") for email in server.users().values())
    now = {task.task_id: (task.users, task.wanted) for task in server.tasks(project.project_id)}
    hers = {task.task_id for task in tasks[:3]}
    assert now == {task.task_id: ({number} if task.task_id in hers else set(), 3) for task in tasks}
    assert grace.get(f"/api/projects/{project.project_id}/next").json()["id"] not in hers
    assert read_judgments(workspace).to_pylist() == people
    assert shards(workspace)[1].read_bytes() == untouched
    assert pull(server, workspace, pages).total() == 0
    assert not forget_simulated(server, workspace, yes=True)

    count_votes(workspace, pages, settings)
    summary = read_json(workspace.annotation / "validation.json")["template"]
    assert (summary["annotators"], summary["people"], summary["votes"], summary["simulated"]) == (1, 1, 2, False)
