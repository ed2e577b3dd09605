"""Push, simulate, pull and vote against the real server."""

from __future__ import annotations

import stat
from collections import Counter
from types import ModuleType
from typing import Any

import httpx
import pytest

from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.people import simulated_email
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import families, push, task_of
from tashika.annotation.judging.pushed import read_pushed
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.judging.status import on_server
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address, account_file, read_account
from tashika.annotation.labelstudio.client import NewTask, Server
from tashika.annotation.labelstudio.server import serve
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.myriadlama.pages import plausible_template
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tests.studio import Studio


def items_on(server: Server, page: Page) -> Counter[str]:
    project = server.project(page.title)
    assert project is not None
    return Counter(task.item_id for task in server.tasks(project.project_id))


def test_the_server_starts_safe(studio: Any) -> None:
    account = read_account(studio.data)
    assert account is not None
    private = [account_file(studio.data), studio.data / "label_studio.sqlite3"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert account.token not in (studio.data / "server.log").read_text()
    with httpx.Client(base_url=studio.address.url, trust_env=False) as anybody:
        anybody.get("/user/signup/")
        form = {"email": "x@example.org", "password": "a-long-password"}
        form["csrfmiddlewaretoken"] = anybody.cookies["csrftoken"]
        anybody.post("/user/signup/", data=form)
    assert "x@example.org" not in studio.server.users().values()
    assert studio.server.invitation().startswith(f"{account.url}/user/signup/?token=")
    with pytest.raises(InputError, match="running on this data already"):
        serve(studio.data, None)


def test_a_wrong_token_is_refused(studio: Any) -> None:
    with pytest.raises(InputError, match="refused the token"):
        Server(Address(studio.address.url, "0" * 40)).users()


def test_the_whole_way(
    fresh_studio: Any,
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = fresh_studio.server
    push(server, workspace, pages, settings, dry=True)
    assert server.project(pages[0].title) is None
    for said in ("12 template items: 12 new, 0 already there", "12 template items: 0 new, 12 already there"):
        push(server, workspace, pages, settings, dry=False)
        assert said in capsys.readouterr().err
        assert set(items_on(server, pages[0]).values()) == {1}
        assert items_on(server, pages[1]).total() == 5

    assert simulate(fresh_studio.address, workspace, pages, settings) == 17 * 3
    assert simulate(fresh_studio.address, workspace, pages, settings) == 0
    assert pull(server, workspace, pages).total() == 17 * 3
    assert pull(server, workspace, pages).total() == 0
    assert len(shards(workspace)) == 1
    judgments = read_judgments(workspace)
    assert set(judgments["annotator"].to_pylist()) == {"simulated-1", "simulated-2", "simulated-3"}
    assert judgments["simulated"].to_pylist() == [True] * 51

    truths = {
        row["item_id"]: plausible_template(row, parents)
        for row, parents in families(workspace.read_items("template"), list(items_on(server, pages[0])))
    }
    assert Counter(truths.values()) == {True: 9, False: 3}
    # The first simulated person makes no errors.
    for row in judgments.to_pylist():
        if row["annotator"] == "simulated-1" and row["kind"] == "template" and not row["skipped"]:
            assert (row["label"] == "valid") == truths[row["item_id"]]

    count_votes(workspace, pages, settings)
    summary = read_json(workspace.annotation / "validation.json")["template"]
    assert summary["simulated"] is True
    assert summary["judged"] == 12
    assert summary["votes"] == 36 - summary["skips"]
    assert workspace.read_verdicts().num_rows == 17
    progress = on_server(server, server.project(pages[0].title), 3, {})
    assert (progress.tasks, progress.answered, progress.answers, progress.complete) == (12, 12, 36, 12)


def test_a_push_that_was_cut_off_is_completed(
    fresh_studio: Any, workspace: Workspace, pages: list[Page], settings: AnnotateSettings
) -> None:
    page = pages[0]
    table = workspace.read_items("template")
    project = fresh_studio.server.create_project(page.title, page.headline, page.xml, page.instructions, 3)
    ids: list[Any] = table["item_id"].to_pylist()
    half = [NewTask(task_of(page, *family)) for family in families(table, ids[:5])]
    fresh_studio.server.import_tasks(project.project_id, half)
    push(fresh_studio.server, workspace, [page], settings, dry=False)
    assert items_on(fresh_studio.server, page) == Counter(ids)
    pushed: list[Any] = read_pushed(workspace, "template")["item_id"].to_pylist()
    assert sorted(pushed) == sorted(ids)


def test_bad_answers_through_the_raw_interface_are_kept_and_not_voted(
    fresh_studio: Any, workspace: Workspace, pages: list[Page], settings: AnnotateSettings, samples: ModuleType
) -> None:
    server, page = fresh_studio.server, pages[0]
    push(server, workspace, pages, settings, dry=False)
    project = server.project(page.title)
    tasks = sorted(server.tasks(project.project_id), key=lambda task: task.task_id)
    email = simulated_email("simulated-1")
    exists = email in server.users().values()
    token = open_account(fresh_studio.address, server.invitation(), email, exists=exists)
    admin = next(number for number, address in server.users().items() if address == "admin@example.com")

    def part(choice: str, control: str = "verdict", **fields: Any) -> dict[str, Any]:
        value = {"from_name": control, "to_name": "template", "type": "choices", "value": {"choices": [choice]}}
        return {**value, **fields}

    posts: list[tuple[Any, dict[str, Any]]] = [
        (tasks[0], {"result": []}),
        (tasks[1], {"result": [part("perhaps")]}),
        (tasks[2], {"result": [part("valid", "other")]}),
        (tasks[3], {"result": [part("valid")], "completed_by": admin}),
        (tasks[4], {"result": [part("valid", origin="prediction")]}),
        (tasks[5], {"result": [part("valid")]}),
        (tasks[5], {"result": [part("invalid")]}),
        (tasks[6], {"result": [], "was_cancelled": True}),
    ]
    with fresh_studio.api(token) as api:
        for task, body in posts:
            assert api.post(f"/api/tasks/{task.task_id}/annotations/", json=body).status_code == 201
    seen = pull(server, workspace, pages)
    assert dict(seen) == {
        "": 3,
        "empty result": 1,
        "unknown choice": 1,
        "unknown control": 1,
        "saved by another account": 1,
        "untouched prediction": 1,
    }
    count_votes(workspace, pages, settings)
    verdicts = {row["item_id"]: row for row in workspace.read_verdicts().to_pylist()}
    assert [verdicts[task.item_id]["votes_cast"] for task in tasks[:8]] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert verdicts[tasks[5].item_id]["votes_against"] == 1
    summary = read_json(workspace.annotation / "validation.json")["template"]
    assert sum(summary["problems"].values()) == 5
    assert (summary["skips"], summary["votes"]) == (1, 1)


def test_a_task_that_is_answered_is_offered_again_once_more_people_are_asked(
    fresh_studio: Any, workspace: Workspace, pages: list[Page]
) -> None:
    server, page = fresh_studio.server, pages[0]
    one = AnnotateSettings(annotators=1, minimum_votes=1, kinds={"template": KindSettings()})
    push(server, workspace, [page], one, dry=False)
    project = server.project(page.title)
    emails = [simulated_email(f"simulated-{number}") for number in (1, 2)]
    tokens = [
        open_account(fresh_studio.address, server.invitation(), email, exists=email in server.users().values())
        for email in emails
    ]
    tasks = list(server.tasks(project.project_id))
    with fresh_studio.api(tokens[0]) as first, fresh_studio.api(tokens[1]) as second:
        for task in tasks:
            empty: dict[str, Any] = {"result": []}
            assert first.post(f"/api/tasks/{task.task_id}/annotations/", json=empty).status_code == 201
        following = f"/api/projects/{project.project_id}/next"
        assert second.get(following).status_code == 404
        server.ask_more(tasks[0].task_id, 2)
        assert second.get(following).json()["id"] == tasks[0].task_id
        assert first.get(following).status_code == 404
    assert {task.task_id: task.wanted for task in server.tasks(project.project_id)}[tasks[0].task_id] == 2


def test_a_browser_keeps_the_scripts_and_gets_no_cookie_with_them(studio: Studio) -> None:
    with studio.api() as api:
        script = api.get("/react-app/main.js")
        again = api.get("/react-app/main.js", headers={"If-Modified-Since": script.headers["Last-Modified"]})
        plain = api.get("/react-app/main.js", headers={"Accept-Encoding": "identity"})
    assert (script.status_code, again.status_code) == (200, 304)
    assert (script.headers["Content-Encoding"], script.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert script.content == plain.content
    assert all("Set-Cookie" not in reply.headers for reply in (script, again, plain))
    assert "no-cache" in script.headers["Cache-Control"]
