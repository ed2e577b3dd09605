"""A watch pulls what people answer on the real server, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import httpx
import pytest

from tashika.annotation.adjudicating.decisions import append_adjudications
from tashika.annotation.judging import watch as watching
from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.judgments import append_judgments, read_judgments
from tashika.annotation.judging.lock import BusyError, alone
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import bodies
from tashika.annotation.judging.watch import watch
from tashika.annotation.judging.watch_backups import Thinner, dispensable
from tashika.annotation.judging.watch_bell import PATH, Bell, Never
from tashika.annotation.judging.watch_line import Standing, standing
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.hooks import Hooks
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.errors import InputError, OutsideError
from tashika.core.workspace import Workspace
from tests.studio import Studio

ALONE = AnnotateSettings(
    annotators=3, stop_early=True, minimum_votes=1, kinds={"alias": KindSettings(mode="audit", sample=1, annotators=1)}
)
"""One item, and one person for it."""


@pytest.fixture
def only(pages: list[Page]) -> list[Page]:
    return pages[1:]


@pytest.fixture
def pushed(fresh_studio: Studio, workspace: Workspace, only: list[Page]) -> Studio:
    push(fresh_studio.server, workspace, only, ALONE, dry=False)
    return fresh_studio


def answer(studio: Studio, page: Page, said: bool = True) -> None:
    """The administrator answers the only task."""
    project = studio.server.project(page.title)
    assert project is not None
    (task,) = studio.server.tasks(project.project_id)
    ((_, body),) = bodies(page, [(task.task_id, said)])
    with studio.api() as api:
        assert api.post(f"/api/tasks/{task.task_id}/annotations/", json=body).status_code == 201


def hooks_of(studio: Studio) -> list[str]:
    return [hook.url for hook in Hooks(studio.address).all() if PATH in hook.url]


def test_an_answer_arrives_without_a_pull(
    pushed: Studio, workspace: Workspace, only: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()
    real = watching.Watch.look

    def look(self: watching.Watch) -> Standing:
        now = real(self)
        looked.set()
        return now

    monkeypatch.setattr(watching.Watch, "look", look)
    monkeypatch.setattr(watching, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(watching, "UNCALLED_SECONDS", 3_600.0)  # only a call of the server's can end this
    ended: list[Standing] = []
    thread = threading.Thread(
        target=lambda: ended.append(watch(pushed.address, workspace, only, ALONE, until_complete=True))
    )
    thread.start()
    assert looked.wait(60)
    assert len(hooks_of(pushed)) == 1
    with alone(workspace.annotation):
        pass  # between two pulls nothing is held
    answer(pushed, only[0])
    thread.join(60)
    assert not thread.is_alive()
    assert (ended[0].answers, ended[0].complete, ended[0].open) == (1, 1, 0)
    assert read_judgments(workspace)["label"].to_pylist() == ["valid"]
    assert hooks_of(pushed) == []


def test_a_server_elsewhere_is_asked(workspace: Workspace, only: list[Page]) -> None:
    with pytest.raises(InputError, match="cannot call this machine"):
        watch(Address("https://labels.example.org", "t"), workspace, only, ALONE)


def test_asking_ends_as_well_when_all_is_answered(pushed: Studio, workspace: Workspace, only: list[Page]) -> None:
    answer(pushed, only[0])
    now = watch(pushed.address, workspace, only, ALONE, every=1.0, until_complete=True)
    assert (now.answers, now.open) == (1, 0)
    assert hooks_of(pushed) == []


def test_what_an_adjudicator_decides_is_taken_from_people(
    fresh_studio: Studio, workspace: Workspace, only: list[Page]
) -> None:
    """No judgment is new, and the item needs no more of them all the same."""
    settings = ALONE.model_copy(update={"annotators": 3, "kinds": {"alias": KindSettings(mode="audit", sample=1)}})
    server = fresh_studio.server
    push(server, workspace, only, settings, dry=False)
    project = server.project(only[0].title)
    assert project is not None
    answer(fresh_studio, only[0])
    at_work = watching.Watch(server, workspace, only, settings, Thinner(workspace.annotation / "backups"))
    assert at_work.look().open == 1
    (task,) = server.tasks(project.project_id)
    row = {"item_id": task.item_id, "kind": "alias", "decision": "accepted", "text": None, "adjudicator": "Ada"}
    append_adjudications(workspace, [row])
    assert at_work.look().open == 0
    (task,) = server.tasks(project.project_id)
    assert task.wanted == 1


def test_two_watches_are_one_too_many(pushed: Studio, workspace: Workspace, only: list[Page]) -> None:
    with alone(workspace.annotation / "watch"), pytest.raises(InputError, match="another watch is at work"):
        watch(pushed.address, workspace, only, ALONE)


START = """
import signal
from tashika.core.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background hands down that Ctrl-C is ignored
main()
"""


@pytest.fixture
def started(pushed: Studio, workspace: Workspace, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts `annotate watch` as a process of its own and waits until it watches."""
    config = tmp_path / "settings.toml"
    config.write_text(
        '[annotate.kinds.template]\nmode = "none"\n[annotate]\nannotators = 3\nminimum_votes = 1\nstop_early = true\n'
        '[annotate.kinds.alias]\nmode = "audit"\nsample = 1\nannotators = 1\n'
    )
    processes: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", START, "annotate", "watch", "myriadlama"]
        command += ["--work", str(workspace.root), "--config", str(config), "--url", pushed.address.url]
        command += ["--token", pushed.address.token]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stderr is not None
        lines: list[str] = []
        while not any(" complete" in line for line in lines):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


def test_a_killed_watch_leaves_nothing_broken(
    started: Callable[[], subprocess.Popen[str]], pushed: Studio, workspace: Workspace, only: list[Page]
) -> None:
    process = started()
    (left,) = hooks_of(pushed)
    process.kill()
    process.wait()
    assert hooks_of(pushed) == [left]
    answer(pushed, only[0])  # the server calls in vain, and takes the answer all the same

    now = watch(pushed.address, workspace, only, ALONE, until_complete=True)
    assert (now.answers, now.open) == (1, 0)
    assert hooks_of(pushed) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_an_ended_watch_takes_its_calls_back(
    started: Callable[[], subprocess.Popen[str]], pushed: Studio, number: signal.Signals, code: int
) -> None:
    process = started()
    assert len(hooks_of(pushed)) == 1
    process.send_signal(number)
    assert process.wait(60) == code
    assert hooks_of(pushed) == []


def test_a_watch_waits_for_other_commands_and_for_a_server_that_is_down(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watching, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(watching, "FAILED_SECONDS", 0.0)
    busy, down = BusyError("another"), OutsideError("the server is down")
    open_, done = Standing(1, 2, 1, 1, {}), Standing(2, 2, 2, 0, {})
    turns: list[Any] = [busy, busy, open_, down, done]
    waited: list[float] = []

    class Stub:
        before: Standing | None = None

        def look(self) -> Standing:
            turn = turns.pop(0)
            if isinstance(turn, Exception):
                raise turn
            self.before = turn
            return cast(Standing, turn)

    class Silent(Never):
        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            return False

    assert watching._repeat(cast(watching.Watch, Stub()), Silent(), 60.0, until_complete=True) == done
    assert waited == [0.0, 0.0, 60.0, 0.0]  # only after a pull does it wait for a call
    assert capsys.readouterr().err.count("another annotate command is at work") == 1
    turns = [down]
    with pytest.raises(OutsideError):  # at the first pull
        watching._repeat(cast(watching.Watch, Stub()), Silent(), 60.0, until_complete=True)


def test_the_bell_rings_for_its_own_address_alone() -> None:
    bell = Bell("abc")
    with bell.listening(), httpx.Client(trust_env=False) as client:
        assert client.post(bell.url.replace("abc", "abd"), json={}).status_code == 404
        assert client.get(bell.url).status_code == 501
        assert not bell.wait(0.0)
        assert client.post(bell.url, content=b"x" * 100_000).status_code == 204
        assert bell.wait(10.0)
        bell.quiet()
        assert not bell.wait(0.0)


def test_of_many_copies_few_are_kept() -> None:
    def copy(page: str, time: str) -> str:
        return f"{page}-20260101T{time}Z-0123456789abcdef.json.gz"

    names = [copy("fact", time) for time in ("100000", "100300", "100959", "101000", "101500", "101600")]
    assert dispensable([*names, copy("probe-1", "100100")]) == [names[1], names[2], names[4]]
    assert dispensable(names[:1]) == []
    assert dispensable(["notes.txt"]) == []


def test_a_line_says_what_is_new() -> None:
    before = Standing(10, 20, 3, 17, {})
    now = Standing(12, 20, 4, 16, {"fact": 0.71234}, saved=2, votes=60)
    assert before.line(None) == "10 answers; 3 of 20 items complete"
    assert now.line(before) == "12 answers (+2); 4 of 20 items complete; alpha fact 0.712; 2 of 60 votes not needed"


def test_agreement_is_that_of_the_votes_that_were_asked_for_whatever_was_said(
    workspace: Workspace, pages: list[Page], samples: ModuleType
) -> None:
    settings = AnnotateSettings(kinds={"template": KindSettings()}, adaptive=True)
    assert standing(workspace, pages[:1], settings) == Standing(0, 12, 0, 12, {}, 0, 36)
    first, second, third = strings(workspace.read_items("template"), "item_id")[:3]
    said = {first: ("valid", "valid"), second: ("invalid", "invalid"), third: ("valid", "invalid", "invalid")}
    rows = [
        samples.judgment(item, f"person-{number}", label, annotation_id=10 * place + number)
        for place, (item, labels) in enumerate(said.items())
        for number, label in enumerate(labels)
    ]
    append_judgments(workspace, samples.judgment_table(*rows).to_pylist())
    now = standing(workspace, pages[:1], settings)
    # Of three pairs two agree, and of each answer there are three: 1 - (1/3) / (18/30) by Krippendorff's formula.
    assert now.alpha["template"] == pytest.approx(1 - (1 / 3) / (18 / 30))
    assert (now.answers, now.complete, now.saved) == (7, 3, 2)
