"""Simulated people: what they say, who answers what, and how an error ends it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from tashika.annotation.judging.simulate import Actor, _answer_all, answer, assign, bodies, plan_answers, simulate
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.labelstudio.signup import open_account, password_for
from tashika.annotation.settings import AnnotateSettings, SimulationSettings
from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.workspace import Workspace

SIMULATION = SimulationSettings(seed=3, skip_rate=0.1)
ACTORS = [Actor(f"simulated-{number}", 0.2, number, "t") for number in range(1, 6)]


def test_errors_and_skips_come_at_the_stated_rates() -> None:
    said = [answer(f"{number}", True, "simulated-1", 0.2, SIMULATION) for number in range(5_000)]
    assert said.count(None) / 5_000 == pytest.approx(0.1, abs=0.015)
    assert said.count(False) / (5_000 - said.count(None)) == pytest.approx(0.2, abs=0.02)


@given(st.text(min_size=1), st.booleans())
def test_an_answer_depends_on_seed_name_and_item_alone(item: str, truth: bool) -> None:
    said = answer(item, truth, "simulated-1", 0.5, SIMULATION)
    assert said == answer(item, truth, "simulated-1", 0.5, SIMULATION)
    opposite = answer(item, not truth, "simulated-1", 0.5, SIMULATION)
    assert opposite is None if said is None else opposite is not said
    assert answer(item, truth, "x", 0.0, SimulationSettings(skip_rate=0.0)) is truth
    assert answer(item, truth, "x", 1.0, SimulationSettings(skip_rate=0.0)) is not truth


@given(st.text(), st.integers(1, 5), st.sets(st.integers(1, 9)))
def test_as_many_answer_as_are_missing_and_nobody_twice(item: str, annotators: int, users: set[int]) -> None:
    task = Task(1, item, frozenset(users))
    chosen = assign(task, ACTORS, annotators, 3)
    assert len(chosen) <= max(annotators - len(users), 0)
    assert not {actor.user for actor in chosen} & users
    if not users:
        assert len(chosen) == annotators
        first = chosen[0]
        rest = assign(Task(1, item, frozenset({first.user})), ACTORS, annotators, 3)
        assert rest == chosen[1:]  # the next run goes on where this one was cut off


def test_tasks_of_unknown_items_are_left_alone(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings
) -> None:
    item: Any = workspace.read_items("template")["item_id"].to_pylist()[0]
    tasks = [Task(1, item, frozenset()), Task(2, "strange", frozenset()), Task(3, "", frozenset())]
    todo = plan_answers(workspace, pages[0], tasks, ACTORS[:3], settings)
    assert [task_id for work in todo.values() for task_id, _ in work] == [1, 1, 1]


def test_what_is_sent_is_what_the_page_would_send(pages: list[Page]) -> None:
    (_, yes), (_, no), (_, skip) = bodies(pages[0], [(1, True), (2, False), (3, None)])
    assert [part["value"] for part in yes["result"] + no["result"]] == [
        {"choices": ["valid"]},
        {"choices": ["invalid"]},
    ]
    assert yes["result"][0]["to_name"] == "template"
    assert skip == {"result": [], "was_cancelled": True}


def test_an_error_of_the_server_ends_it_for_all(httpserver: HTTPServer, pages: list[Page]) -> None:
    httpserver.expect_request("/api/tasks/1/annotations/").respond_with_json({"id": 1}, status=201)
    httpserver.expect_request("/api/tasks/2/annotations/").respond_with_json({"detail": "full disk"}, status=500)
    counted: list[int] = []
    todo = {ACTORS[0]: [(1, True), (2, True), (1, True)], ACTORS[1]: [(2, False)]}
    with pytest.raises(OutsideError, match="status 500: full disk"):
        _answer_all(httpserver.url_for("").rstrip("/"), pages[0], todo, counted.append)
    assert sum(counted) <= 1


def test_an_account_that_cannot_be_opened_is_told(httpserver: HTTPServer) -> None:
    address = Address(httpserver.url_for("").rstrip("/"), "t")
    login = httpserver.expect_request("/user/login/")
    login.respond_with_data("<form>", headers={"Set-Cookie": "csrftoken=c"})
    with pytest.raises(InputError, match=r"simulated-1@example\.com could not be opened"):
        open_account(address, f"{address.url}/user/signup/?token=x", "simulated-1@example.com", exists=True)
    httpserver.expect_request("/user/signup/").respond_with_data("<html>busy", status=503)
    with pytest.raises(OutsideError, match="status 503"):
        open_account(address, f"{address.url}/user/signup/?token=x", "simulated-1@example.com", exists=False)


def test_passwords_follow_from_the_token_and_do_not_show_it() -> None:
    # printf 'tashika a@example.com' | openssl dgst -sha256 -hmac t
    expected = "d04a2f4e5831b0c73747e2b3143b83c410c809f3262548693accc7bb8446258c"
    assert password_for("a@example.com", "t") == expected
    assert password_for("a@example.com", "t") != password_for("b@example.com", "t")
    assert password_for("a@example.com", "t") != password_for("a@example.com", "u")


def test_too_few_simulated_people_are_refused(workspace: Workspace, pages: list[Page]) -> None:
    settings = AnnotateSettings(annotators=3, simulation=SimulationSettings(error_rates=(0.1,)))
    with pytest.raises(ConfigError, match="1 simulated annotator cannot give 3 answers"):
        simulate(Address("http://127.0.0.1:1", "t"), workspace, pages, settings)
