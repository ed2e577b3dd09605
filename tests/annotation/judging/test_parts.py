"""Items dealt over several projects, on the real server: who opens which decides who judges what."""

from __future__ import annotations

import gzip
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.questionnaires import (
    by_project,
    of_part,
    part_of,
    refuse_other_parts,
    to_judge,
    who_may_answer,
)
from tashika.annotation.judging.roster import read_roster
from tashika.annotation.labelling import LONGEST_TITLE, Page, WordsPage, pages_of
from tashika.annotation.labelstudio.client import Server, Task
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.semrel.pages import PAGES
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import ConfigError, InputError
from tashika.core.services import free_port
from tashika.core.workspace import Workspace
from tests.conftest import Ran
from tests.studio import Studio

ANNA, BEN = "anna@example.org", "ben@annotate.invalid"


def dealt(parts: int, **values: Any) -> AnnotateSettings:
    return AnnotateSettings(
        annotators=2, minimum_votes=1, kinds={"template": KindSettings(parts=parts, **values)}, quota=5
    )


@given(items=st.lists(st.text(max_size=8), unique=True, max_size=40), parts=st.integers(1, 7))
def test_each_item_is_in_one_part_and_stays_there_when_others_come(items: list[str], parts: int) -> None:
    before = {item: part_of(item, parts) for item in items[: len(items) // 2]}
    after = {item: part_of(item, parts) for item in items}
    assert before.items() <= after.items()
    assert set(after.values()) <= set(range(1, parts + 1))


def test_a_thousand_items_are_dealt_about_evenly() -> None:
    counts = Counter(part_of(f"item {number}", 4) for number in range(1_000))
    assert sorted(counts) == [1, 2, 3, 4]
    assert min(counts.values()) > 200  # 250 expected, standard deviation 13.7


def test_parts_are_projects_with_names_and_titles_of_their_own(workspace: Workspace) -> None:
    settings = dealt(3, mode="audit", sample=7)
    pages = pages_of("myriadlama", settings)
    parts = by_project(workspace, pages)
    assert [page.name for page in parts] == ["template-1", "template-2", "template-3"]
    assert parts[0].title == "Tashika myriadlama template, part 1/3"
    table = workspace.read_items("template")
    ids = [item for page in parts for item in strings(of_part(page, table), "item_id")]
    assert sorted(ids) == sorted(strings(table, "item_id"))
    assert sum(len(to_judge(page, table, settings)) for page in parts) == 7
    assert by_project(workspace, parts) == parts
    (line,) = who_may_answer(workspace, parts)
    assert "`tashika annotate invite NAME --suite myriadlama --parts 1`" in line  # --parts needs --suite


@pytest.mark.parametrize("title", ["Tashika short", "T" * LONGEST_TITLE])
def test_the_page_of_a_part_is_known_by_its_title_whatever_the_settings_say(title: str, pages: list[Page]) -> None:
    page = replace(pages[0], title=title)
    part = replace(page, dealt_over=12).of_part(11)
    assert len(part.title) <= LONGEST_TITLE
    again = page.for_project(part.title)
    assert again is not None
    assert (again.part, again.dealt_over, again.title) == (11, 12, part.title)
    assert page.for_project(title) == page
    assert page.for_project("another, part 1/2") is None


def test_parts_of_kinds_with_long_names_share_no_project(pages: list[Page]) -> None:
    kinds = [replace(pages[0], title=f"Tashika riddles-of-the-old-world explanation-{end}") for end in "ab"]
    titles = {replace(page, dealt_over=2).of_part(number).title for page in kinds for number in (1, 2)}
    assert len(titles) == 4
    assert max(map(len, titles)) <= LONGEST_TITLE


def test_questionnaires_are_not_dealt_again(probes: Workspace) -> None:
    with pytest.raises(ConfigError, match="come in questionnaires"):
        pages_of("semrel", AnnotateSettings(kinds={"probe": KindSettings(parts=2)}))
    page = PAGES[0]
    assert isinstance(page, WordsPage)
    assert page.for_project(f"{page.title}, part 1/2") is None


def answer(studio: Studio, email: str, tasks: list[Task]) -> None:
    """Somebody makes an account and takes each of these tasks for valid."""
    exists = email in studio.server.users().values()
    token = open_account(studio.address, studio.server.invitation(), email, exists=exists)
    value = {"choices": ["valid"]}
    result = {"from_name": "verdict", "to_name": "template", "type": "choices", "value": value}
    with studio.api(token) as api:
        for task in tasks:
            reply = api.post(f"/api/tasks/{task.task_id}/annotations/", json={"result": [result]})
            assert reply.status_code == 201


def tasks_of(server: Server, page: Page) -> list[Task]:
    project = server.project(page.title)
    assert project is not None
    return sorted(server.tasks(project.project_id), key=lambda task: task.task_id)


@pytest.fixture
def judged(fresh_studio: Studio, workspace: Workspace) -> Iterator[list[list[Task]]]:
    """Anna has judged part 1 and Ben part 2 and one item of part 1; the tasks by part."""
    settings = dealt(2)
    pages = pages_of("myriadlama", settings)
    for _ in range(2):
        push(fresh_studio.server, workspace, pages, settings, dry=False)
    tasks = [tasks_of(fresh_studio.server, page) for page in by_project(workspace, pages)]
    answer(fresh_studio, ANNA, tasks[0])
    answer(fresh_studio, BEN, [*tasks[1], tasks[0][0]])
    pull(fresh_studio.server, workspace, pages)
    yield tasks
    for number, email in fresh_studio.server.users().items():
        if email in {ANNA, BEN}:
            fresh_studio.server.delete_account(number)


def test_two_parts_are_pushed_judged_pulled_and_voted_item_by_item(
    fresh_studio: Studio, workspace: Workspace, judged: list[list[Task]]
) -> None:
    first, second = judged
    items: list[Any] = workspace.read_items("template")["item_id"].to_pylist()
    assert sorted(task.item_id for task in (*first, *second)) == sorted(items)
    settings = dealt(2)
    pages = pages_of("myriadlama", settings)
    count_votes(workspace, pages, settings)
    verdicts = {row["item_id"]: row["votes_for"] for row in workspace.read_verdicts().to_pylist()}
    assert verdicts == {**dict.fromkeys(items, 1), first[0].item_id: 2}
    for parts in (1, 3):
        others = pages_of("myriadlama", dealt(parts))
        with pytest.raises(InputError, match=f"pushed in 2 parts, and the settings say {parts}"):
            push(fresh_studio.server, workspace, others, dealt(parts), dry=False)
        count_votes(workspace, others, dealt(parts))
        assert workspace.read_verdicts().num_rows == len(items)
    refuse_other_parts(fresh_studio.server, pages)


def test_who_is_who_is_shown_and_goes_nowhere_else(
    fresh_studio: Studio, workspace: Workspace, judged: list[list[Task]], tashika: Any, tmp_path: Path
) -> None:
    first, second = judged
    config = tmp_path / "settings.toml"
    config.write_text(
        "[annotate]\nquota = 5\nannotators = 2\nminimum_votes = 1\n"
        'kinds.template.parts = 2\nkinds.alias = { mode = "none" }\n'
    )
    address, work = fresh_studio.address, workspace.root
    place: list[Any] = ["--work", work, "--url", address.url, "--token", address.token]

    def run(*words: str | Path) -> Ran:
        ran: Ran = tashika("annotate", *words, *place)
        assert ran[0] == 0, ran
        return ran

    suite: list[str | Path] = ["myriadlama", "--config", config]
    named: list[str | Path] = ["--suite", *suite]
    anna = run("invite", "Anna Kern <anna@example.org>", *named, "--parts", "1")[1]
    assert "Tashika myriadlama template, part 1/2: " in anna
    assert "part 2/2" not in anna
    assert "Your account is anna@example.org" in anna
    ben = run("invite", "Ben", "花子", *named, "--parts", "2", "--language", "ja")
    assert "person@annotate.invalid" in ben[1]
    assert "ssh -N -L" in ben[2]
    table = run("people", *suite, "--csv", tmp_path / "pay.csv")[1]
    assert "Ben answered 1 item of template-1, which is not theirs; all count" in table
    assert all(name in table for name in ("Anna Kern", ANNA, BEN, "花子", "no account yet"))
    assert "the quota of 5 items is reached by" in table
    assert stat.S_IMODE((tmp_path / "pay.csv").stat().st_mode) == 0o600
    csv = (tmp_path / "pay.csv").read_text().splitlines()
    counts = {line.split(",")[1]: int(line.split(",")[4]) for line in csv[1:]}
    assert counts == {"Anna Kern": len(first), "Ben": len(second) + 1, "花子": 0}
    assert {person.name for person in read_roster(work).invited} == {"Anna Kern", "Ben", "花子"}
    status = run("status", *suite)[1]
    assert "the quota of 5 items is reached by annotator-" in status
    assert "template accepted" in tashika("annotate", "vote", *suite, "--work", work)[2]
    for text in (status, *texts_below(work)):
        assert not [secret for secret in (ANNA, BEN, "Anna Kern") if secret in text]
    offline = tashika("annotate", "people", "--work", work, "--url", f"http://127.0.0.1:{free_port()}", "--token", "t")
    assert "accounts of today are missing" in offline[2]
    assert BEN in offline[1]


def texts_below(work: Path) -> list[str]:
    """Everything in a working directory but the file of names, and the addresses that a restore needs: both private."""
    private = [work / "people.json", *work.rglob("*.origin.json")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    paths = [path for path in work.rglob("*") if path.is_file() and path not in private]
    assert {".gz", ".parquet", ".json"} <= {path.suffix for path in paths}
    return [_text(path) for path in paths]


def _text(path: Path) -> str:
    if path.suffix == ".parquet":
        return str(pq.read_table(path).to_pylist())
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return content.decode("utf-8", "replace")
