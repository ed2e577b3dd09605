"""Gold questions and trainings on a real server: who is asked, what counts, and who is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.annotation.command import app
from tashika.annotation.gold.check import gold_lines
from tashika.annotation.gold.everybody import EVERYBODY
from tashika.annotation.gold.file import with_gold
from tashika.annotation.gold.trained import pull_training, training_lines
from tashika.annotation.gold.training import RETRY, training_pages
from tashika.annotation.judging.judgments import read_judgments
from tashika.annotation.judging.people import simulated_email
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import bodies, simulate
from tashika.annotation.labelling import Page, all_pages
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.exports.validation import read_validation
from tests.annotation.custom.samples import KINDS, settings_of
from tests.annotation.gold.samples import KNOWN, gold_lines_of, gold_suite, item_ids, write_gold, write_items


@pytest.fixture
def suite(tmp_path: Path) -> CustomSuite:
    write_gold((tmp_path / "gold.csv"), gold_lines_of())
    return gold_suite(tmp_path)


@pytest.fixture
def work(suite: CustomSuite, tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path / "work", suite.name)
    write_items(workspace)
    return workspace


@pytest.fixture
def golden(suite: CustomSuite, work: Workspace) -> tuple[AnnotateSettings, list[Page]]:
    settings = settings_of(suite)
    return settings, with_gold(work, suite.load("annotation"), settings, None)


def test_everybody_is_asked_and_whoever_misses_too_many_is_named_and_left_out(
    fresh_studio: Any, suite: CustomSuite, work: Workspace, golden: tuple[AnnotateSettings, list[Page]]
) -> None:
    settings, pages = golden
    server = fresh_studio.server
    for _ in range(2):
        push(server, work, [*pages, *training_pages(pages)], settings, dry=False)
    for page in pages:
        project = server.project(page.title)
        tasks = {task.item_id: task.wanted for task in server.tasks(project.project_id)}
        gold = set(item_ids(page.kind)[1:3])
        assert tasks == {item: EVERYBODY if item in gold else 2 for item in item_ids(page.kind)[1:]}
    simulate(fresh_studio.address, work, pages, settings, despite_accounts=True)
    pull(server, work, pages)
    judged = Counter(str(item) for item in read_judgments(work)["item_id"].to_pylist())
    for kind in KINDS:
        first, *gold_and_rest = item_ids(kind)
        assert [judged[item] for item in gold_and_rest] == [3, 3, 2, 2, 2]  # all three know the gold questions
        assert first not in judged
    assert gold_lines(work, pages, settings) == [
        f"{kind}: simulated-3 missed 2 of 2 control questions, more than 40%" for kind in KINDS
    ]

    words = [str(suite.path), "--work", str(work.root)]
    result = CliRunner().invoke(app, ["vote", *words, "--leave-out-careless"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "pair: simulated-3 missed 2 of 2" in result.output
    for kind, entry in read_validation(work).items():
        assert (kind, entry.controls, entry.careless_left_out, entry.judged) == (kind, 2, True, 3)
        assert set(entry.careless) == {"simulated-3"}
    assert set(work.read_verdicts()["votes_cast"].to_pylist()) <= {0, 1, 2}


def test_the_answer_that_is_known_is_the_verdict(
    work: Workspace, golden: tuple[AnnotateSettings, list[Page]], samples: Any
) -> None:
    from tashika.annotation.judging.judgments import append_judgments
    from tashika.annotation.judging.pushed import write_pushed
    from tashika.annotation.labelstudio.client import Task

    settings, pages = golden
    for page in pages:
        ids = item_ids(page.kind)[1:]
        write_pushed(work, page.kind, "ls", 1, [Task(number, item, frozenset()) for number, item in enumerate(ids)])
    # Both say something else of a gold question, and agree on an item that is none.
    pair = item_ids("pair")
    rows = [
        samples.judgment(item, name, label, kind="pair", annotation_id=number)
        for number, (item, name, label) in enumerate(
            (item, name, label) for item, label in ((pair[1], "neutral"), (pair[3], "neutral")) for name in ("a", "b")
        )
    ]
    append_judgments(work, rows)
    count_votes(work, pages, settings)
    verdicts = {row["item_id"]: row for row in work.read_verdicts().to_pylist()}
    answers = {row["item_id"]: row for row in work.read_answers().to_pylist()}
    for kind in KINDS:
        for item in item_ids(kind)[:3]:
            row = verdicts[item]
            assert (row["decision"], row["rule"], row["votes_cast"]) == ("accepted", "gold", 0)
    assert verdicts[item_ids("riddle")[0]]["text"] is None
    assert verdicts[pair[1]]["text"] == KNOWN["pair"]
    assert (verdicts[pair[3]]["text"], verdicts[pair[3]]["votes_cast"]) == ("neutral", 2)
    assert answers[pair[1]]["label"] == "entails"
    assert answers[item_ids("topic")[0]]["labels"] == ["sport", "art"]
    assert answers[item_ids("quality")[0]]["median"] == 4.0
    assert answers[item_ids("duel")[0]]["label"] == "other"
    assert answers[item_ids("saying")[0]]["texts"] == ["a stitch in time"]
    summary = read_validation(work)["pair"]
    assert (summary.items, summary.judged, summary.accepted, summary.controls, summary.known) == (3, 3, 1, 2, 3)
    assert summary.decided == {"contradicts": 0, "entails": 0, "neutral": 1}


def test_a_training_is_answered_reported_and_never_counted(
    fresh_studio: Any, work: Workspace, golden: tuple[AnnotateSettings, list[Page]]
) -> None:
    settings, pages = golden
    server, address = fresh_studio.server, fresh_studio.address
    trainings = training_pages(pages)
    pull_training(server, work, trainings)  # before the push there is nothing to fetch, and that is no error
    push(server, work, [*pages, *trainings], settings, dry=False)
    email = simulated_email("simulated-7")
    token = open_account(address, server.invitation(), email, exists=email in server.users().values())
    with fresh_studio.api(token) as api:
        for page in trainings:
            project = server.project(page.title)
            (task,) = server.tasks(project.project_id)
            assert (task.item_id, task.wanted) == (item_ids(page.kind)[0], EVERYBODY)
            ((_, body),) = bodies(page, [(task.task_id, wrong_then_right(page)[0])])
            again = wrong_then_right(page)[1]
            if again:
                retry = {"from_name": RETRY, "type": "choices", "to_name": page.target, "value": {"choices": [again]}}
                body["result"].append(retry)
            assert api.post(f"/api/tasks/{task.task_id}/annotations/", json=body).status_code == 201
    for _ in range(2):
        pull_training(server, work, trainings)
        pull(server, work, pages)
    lines = training_lines(work, trainings)
    assert "training of pair: simulated-7: 1 of 1 answered, 0 right at first, 1 in the end" in lines
    assert "training of topic: simulated-7: 1 of 1 answered, 0 right at first" in lines
    assert len(lines) == len(KINDS)
    assert not (work.judgments).exists()


def wrong_then_right(page: Page) -> tuple[Any, str | None]:
    """What is said first of an item, and then, where the page asks again."""
    if page.kind == "saying":
        return ["something else"], None
    if page.kind == "topic":
        return ["science"], None
    choices = list(page.choices)  # type: ignore[attr-defined]
    item = item_ids(page.kind)[0]
    right = page.choice_of(KNOWN[page.kind], item) if page.kind != "riddle" else "sound"  # type: ignore[attr-defined]
    wrong = next(choice for choice in choices if choice != right)
    return f"choice-{choices.index(wrong) + 1}", f"choice-{choices.index(right) + 1}"


def test_settings_that_a_push_was_given_are_those_of_later_commands(
    fresh_studio: Any, workspace: Workspace, tmp_path: Path
) -> None:
    first, second, *_ = (str(item) for item in workspace.read_items("template")["item_id"].to_pylist())
    write_gold(tmp_path / "gold.csv", [[first, "valid", "why"], [second, "invalid", ""]])
    (tmp_path / "mine.toml").write_text('suite = "myriadlama"\n[annotate.gold]\nfile = "gold.csv"\n')
    write_json(workspace.inputs_file, {"built": {}})  # a build by the published settings
    place = ("myriadlama", "--work", str(workspace.root))
    server = ("--url", fresh_studio.address.url, "--token", fresh_studio.address.token)

    def run(*words: str) -> str:
        result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.exception
        return result.output

    run("push", *place, *server, "--config", str(tmp_path / "mine.toml"), "--dry-run")
    assert CliRunner().invoke(app, ["gold", *place]).exit_code != 0
    run("push", *place, *server, "--config", str(tmp_path / "mine.toml"))
    assert "template: 2 gold questions" in run("gold", *place)
    run("push", *place, *server)
    page = all_pages("myriadlama")[0]
    number = fresh_studio.server.project(page.title).project_id
    wanted = {task.item_id: task.wanted for task in fresh_studio.server.tasks(number)}
    assert {item for item, people in wanted.items() if people == EVERYBODY} == {first, second}
