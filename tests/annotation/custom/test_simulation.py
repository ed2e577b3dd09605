"""Simulated people on the pages of a suite file, and the whole way through a real server."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tashika.annotation.judging.forget import forget_simulated
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import Actor, bodies, plan_answers, simulate
from tashika.annotation.judging.validation import read_answer
from tashika.annotation.labelling import pages_of
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tests.annotation.custom.samples import KINDS, page_of, settings_of


@pytest.mark.parametrize(
    ("form", "truth", "wrong"),
    [
        ('form = "label"\nlabels = ["a", "b", "c"]', "b", {"a", "c"}),
        ('form = "labels"\nlabels = ["a", "b", "c"]', "a|b", {"a", "b", "a\nb\nc"}),
        ('form = "labels"\nlabels = ["a", "b"]', "a", {"a\nb"}),
        ('form = "rating"\nscale = 4', "4", {"3"}),
        ('form = "rating"\nscale = 4', "2", {"1", "3"}),
        ('form = "text"', "right", None),
        ("", "reject", {"accept"}),
    ],
)
def test_simulated_people_know_what_is_expected_and_err_by_their_form(
    tmp_path: Path, custom: ModuleType, form: str, truth: str, wrong: set[str] | None
) -> None:
    suite = custom.one_kind(tmp_path, f'{form}\nexpected = "truth"')
    work = Workspace(tmp_path / "work", "riddles")
    rows = [custom.item("riddle", str(number), truth=truth) for number in range(30)]
    custom.write(work, "riddle", rows)
    (page,) = suite.load("annotation")
    settings = settings_of(suite)
    actors = [Actor(f"simulated-{number}", rate, number, "t") for number, rate in enumerate((0.0, 0.0, 1.0), 1)]
    tasks = [Task(number, row["item_id"], frozenset()) for number, row in enumerate(rows)]
    todo = plan_answers(work, page, tasks, actors, settings)
    assert todo == plan_answers(work, page, tasks, actors, settings)

    def answers(actor: Actor) -> set[str | None]:
        found = set()
        for _, body in bodies(page, todo[actor]):
            annotation = {"id": 1, "completed_by": 2, "was_cancelled": False, "result": body["result"]}
            read = read_answer(annotation, page, {2: "x"})
            assert read.problem is None
            found.add(read.label if read.label is not None else read.text)
        return found

    assert answers(actors[0]) == {truth.replace("|", "\n")}
    if wrong is None:
        assert all(str(text).startswith("simulated error") for text in answers(actors[2]))
    else:
        assert answers(actors[2]) == wrong


def test_what_is_not_known_is_drawn_for_the_item(six: CustomSuite, work: Workspace, custom: ModuleType) -> None:
    custom.write(work, "pair", [custom.item("pair", str(number)) for number in range(60)])
    actors = [Actor(f"simulated-{number}", 0.0, number, "t") for number in (1, 2, 3)]
    ids = work.read_items("pair")["item_id"].to_pylist()
    tasks = [Task(number, str(item), frozenset()) for number, item in enumerate(ids)]
    todo = plan_answers(work, page_of(six, "pair"), tasks, actors, settings_of(six))
    assert todo[actors[0]] == todo[actors[1]]
    assert {said for _, said in todo[actors[0]]} == {"It follows", "Neither", "It contradicts"}


def test_a_suite_file_goes_from_items_to_answers_through_the_server(
    fresh_studio: Any, six: CustomSuite, work: Workspace, custom: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    from tashika.annotation.judging.pull import pull

    server, address = fresh_studio.server, fresh_studio.address
    settings = settings_of(six)
    pages = pages_of("riddles", settings)
    push(server, work, pages, settings, dry=False)
    capsys.readouterr()
    push(server, work, pages, settings, dry=False)
    assert "up to date" not in capsys.readouterr().err  # the server keeps pages and guidelines as they were sent
    simulate(address, work, pages, settings)
    assert set(pull(server, work, pages)) == {""}
    count_votes(work, pages, settings)
    summary = read_json(work.annotation / "validation.json")
    # Two know and one errs: whatever is voted is decided as it was drawn.
    assert {kind: summary[kind]["accepted"] for kind in KINDS} == dict.fromkeys(KINDS, 3)
    assert all(summary[kind]["simulated"] for kind in KINDS)
    judgments = {(row["kind"], row["item_id"], row["annotator"]): row for row in read_judgments(work).to_pylist()}
    assert len(judgments) == 6 * 3 * 3
    for row in work.read_answers().to_pylist():
        mine = [judgments[row["kind"], row["item_id"], f"simulated-{number}"] for number in (1, 2)]
        if row["kind"] in {"pair", "duel"}:
            assert {each["label"] for each in mine} == {row["label"]}
        if row["kind"] == "saying":
            assert {each["text"] for each in mine} <= set(row["texts"])
    assert server.project("Tashika riddles duel").annotators == 3
    assert forget_simulated(server, work, yes=True)
    assert not work.answer_file.exists()
    assert not shards(work)


def test_a_known_answer_that_is_none_is_refused_before_anything_is_pushed(tmp_path: Path, custom: ModuleType) -> None:
    suite = custom.one_kind(tmp_path, 'gold = "gold"')
    work = Workspace(tmp_path / "work", "riddles")
    custom.write(work, "riddle", [custom.item("riddle", "t", gold="perhaps")])
    with pytest.raises(InputError, match="has 'perhaps', which is no answer"):
        push(None, work, suite.load("annotation"), settings_of(suite), dry=True)  # type: ignore[arg-type]
