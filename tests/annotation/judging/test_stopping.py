"""How many people each item is asked of, by the votes that were pulled."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, cast

import pytest

from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import Actor, assign, bodies, simulate
from tashika.annotation.judging.stopping import (
    Asked,
    Changes,
    StoppingPage,
    adapt,
    ask,
    asked,
    bring_to_server,
    people_at_first,
    refuse_rule,
    saved_lines,
)
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Server, Task
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.votes.ties import Ties, find_ties
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import ConfigError
from tashika.core.workspace import Workspace
from tests.studio import Studio


def settings_of(**values: Any) -> AnnotateSettings:
    return AnnotateSettings(
        **{"annotators": 3, "kinds": {"template": KindSettings()}, **values},
        simulation=SimulationSettings(seed=7, error_rates=(0.0, 0.3, 0.3), skip_rate=0.0),
    )


def votes(samples: ModuleType, **said: str) -> Any:
    """Judgments: of each item what people said, a letter each: v(alid), i(nvalid), u(nsure), ? (broken), - (skip)."""
    labels = {"v": "valid", "i": "invalid", "u": "unsure"}
    rows = [
        samples.judgment(
            item,
            f"person-{number}",
            labels.get(letter),
            skipped=letter == "-",
            problem="empty result" if letter == "?" else None,
            annotation_id=10 * place + number,
        )
        for place, (item, letters) in enumerate(said.items())
        for number, letter in enumerate(letters)
    ]
    return samples.judgment_table(*rows)


def test_decided_items_need_no_more_votes(samples: ModuleType, pages: list[Page]) -> None:
    page = cast(StoppingPage, pages[0])
    said = votes(samples, a="vv", b="vi", c="i", d="ii", e="vvi", f="u?", g="v-v")
    plan = ask(page, list("abcdefgh"), said, settings_of(stop_early=True))
    # f: neither an unsure nor a broken answer is a vote, and the third alone does not suffice.
    assert plan.wanted == {"a": 2, "b": 3, "c": 3, "d": 2, "e": 3, "f": 2, "g": 2, "h": 3}
    assert plan.closed == frozenset("adfg")
    assert plan.saved == 4
    assert plan.line == "template: 4 of 24 votes not needed, 4 items decided early"
    assert ask(page, list("b"), said, settings_of(stop_early=True), ended="b").closed == frozenset("b")


def test_only_contested_items_are_asked_of_more_people(samples: ModuleType, pages: list[Page]) -> None:
    page = cast(StoppingPage, pages[0])
    settings = settings_of(adaptive=True, annotators=5)
    said = votes(samples, a="vv", b="vi", c="v", d="vu", e="viv", f="vivv", g="viviv")
    plan = ask(page, list("abcdefgh"), said, settings)
    assert people_at_first(page, settings) == 2
    # f: 3 of 5 are for it; g has all five votes.
    assert plan.wanted == {"a": 2, "b": 3, "c": 2, "d": 3, "e": 4, "f": 4, "g": 5, "h": 2}
    assert plan.closed == frozenset("af")
    assert plan.saved == 3 + 1


def test_a_tie_that_one_more_person_breaks_is_not_the_end(samples: ModuleType, pages: list[Page]) -> None:
    page, said = cast(StoppingPage, pages[0]), votes(samples, a="uu", b="vv")
    settings = settings_of(stop_early=True, kinds={"template": KindSettings(tie_breaker=True)})
    assert ask(page, ["a", "b"], said, settings_of(stop_early=True)).closed == frozenset("ab")
    assert ask(page, ["a", "b"], said, settings).closed == frozenset("b")


@pytest.mark.parametrize("rule", ["weighted", "dawid-skene"])
def test_rules_that_weigh_people_need_all_votes(pages: list[Page], rule: str) -> None:
    settings = settings_of(stop_early=True, rule=rule)
    with pytest.raises(ConfigError, match="no verdict is fixed before the last"):
        refuse_rule(pages[0], settings)
    refuse_rule(pages[0], settings.model_copy(update={"stop_early": False}))


def test_by_default_everybody_is_asked(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, samples: ModuleType
) -> None:
    append_judgments(workspace, votes(samples, a="vv").to_pylist())
    plan = asked(workspace, pages[0], settings)
    assert set(plan.wanted.values()) == {3}
    assert plan.line is None
    assert saved_lines(workspace, pages, settings) == []
    assert people_at_first(pages[0], settings) == 3


class Recorder:
    def __init__(self) -> None:
        self.calls: list[tuple[int, int, bool]] = []

    def ask_more(self, task_id: int, wanted: int, *, complete: bool = False) -> None:
        self.calls.append((task_id, wanted, complete))


def test_the_server_is_brought_to_the_plan_and_no_further(pages: list[Page]) -> None:
    wanted = {"stop": 2, "stopped": 2, "raise": 3, "reopen": 3, "tie": 2, "extra": 3, "full": 3}
    plan = Asked(pages[0], 3, wanted, {"stop": 2, "stopped": 2, "raise": 2, "reopen": 1, "extra": 4}, frozenset())
    there = {"stop": 3, "stopped": 2, "raise": 2, "reopen": 2, "tie": 3, "extra": 4, "full": 3, "unknown": 3}
    tasks = [Task(number, item, frozenset(), count) for number, (item, count) in enumerate(there.items())]
    recorder = Recorder()
    changes = bring_to_server(cast(Server, recorder), tasks, plan, Ties({"tie": 3}, frozenset("tie")))
    assert changes == Changes(stopped=1, raised=2)
    assert recorder.calls == [(0, 2, True), (2, 3, False), (3, 3, False)]


def test_simulated_people_answer_what_the_server_wants() -> None:
    actors = [Actor(f"simulated-{number}", 0.0, number, "t") for number in (1, 2, 3)]
    task = Task(1, "i", frozenset(), 2)
    first, second = assign(task, actors, 3, 0, 2)
    assert assign(Task(1, "i", frozenset({first.user, second.user}), 2), actors, 3, 0, 2) == []
    (third,) = assign(Task(1, "i", frozenset({first.user, second.user}), 3), actors, 3, 0, 3)
    assert {first.user, second.user, third.user} == {1, 2, 3}
    # Who skips is no answer: the server asks the next one.
    assert assign(task, actors, 3, 0, 2, {first.user}) == [first, second, third]
    assert assign(Task(1, "i", frozenset({first.user}), 2), actors, 3, 0, 2, {first.user}) == [second, third]


@pytest.fixture
def people(studio: Studio) -> Iterator[list[str]]:
    """The tokens of three accounts, which are gone afterwards: nothing is simulated beside people."""
    emails = [f"person-{number}@example.org" for number in range(3)]
    invitation = studio.server.invitation()
    yield [open_account(studio.address, invitation, email, exists=False) for email in emails]
    for number, email in studio.server.users().items():
        if email in emails:
            studio.server.delete_account(number)


def stream(studio: Studio, token: str, project_id: int) -> int | None:
    """The task that the server gives this person next."""
    with studio.api(token) as api:
        reply = api.get(f"/api/projects/{project_id}/next")
    return int(reply.json()["id"]) if reply.status_code == 200 else None


def say_valid(studio: Studio, page: Page, token: str, task_id: int) -> None:
    ((_, body),) = bodies(page, [(task_id, True)])
    with studio.api(token) as api:
        assert api.post(f"/api/tasks/{task_id}/annotations/", json=body).status_code == 201


def test_a_decided_task_leaves_the_stream_and_comes_back(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page], people: list[str]
) -> None:
    server, settings = fresh_studio.server, settings_of(stop_early=True)
    push(server, workspace, pages[:1], settings, dry=False)
    project = server.project(pages[0].title)
    assert project is not None
    first = stream(fresh_studio, people[0], project.project_id)
    assert first is not None
    for token in people[:2]:
        say_valid(fresh_studio, pages[0], token, first)
    assert stream(fresh_studio, people[2], project.project_id) == first  # the third was to answer it, and has it open

    pull(server, workspace, pages[:1])
    push(server, workspace, pages[:1], settings, dry=False)
    assert stream(fresh_studio, people[2], project.project_id) not in {first, None}
    assert saved_lines(workspace, pages[:1], settings) == ["template: 1 of 36 votes not needed, 1 item decided early"]

    # Without the setting it comes back, to those who have not answered it.
    push(server, workspace, pages[:1], settings_of(), dry=False)
    (task,) = [task for task in server.tasks(project.project_id) if task.task_id == first]
    assert task.wanted == 3
    served = {stream(fresh_studio, people[2], project.project_id) for _ in range(3)}
    assert None not in served


def test_two_people_and_a_third_where_they_differ_decide_as_three_do(
    fresh_studio: Studio, workspace: Workspace, pages: list[Page]
) -> None:
    server = fresh_studio.server
    pages = pages[:1]
    push(server, workspace, pages, settings_of(), dry=False)
    simulate(fresh_studio.address, workspace, pages, settings_of(), despite_accounts=True)
    pull(server, workspace, pages)
    whole = count_votes(workspace, pages, settings_of())["counts"]
    with fresh_studio.api() as api:
        assert api.delete(f"/api/projects/{_project_id(server, pages[0])}/").status_code == 204

    again = Workspace(workspace.root / "again", "myriadlama")
    again.item_file("template").parent.mkdir(parents=True)
    again.item_file("template").write_bytes(workspace.item_file("template").read_bytes())
    settings = settings_of(adaptive=True)
    given = 0
    for _ in range(2):
        push(server, again, pages, settings, dry=False)
        given += simulate(fresh_studio.address, again, pages, settings, despite_accounts=True)
        pull(server, again, pages)
    assert count_votes(again, pages, settings)["counts"] == whole
    assert given == 36 - asked(again, pages[0], settings).saved < 36
    tasks = list(server.tasks(_project_id(server, pages[0])))
    plan, ties = asked(again, pages[0], settings), find_ties(again, pages[0], settings)
    assert adapt(server, pages[0], tasks, plan, ties)[-1].endswith("0 more taken from people now")


def _project_id(server: Server, page: Page) -> int:
    project = server.project(page.title)
    assert project is not None
    return project.project_id
