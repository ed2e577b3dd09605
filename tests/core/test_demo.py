from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from tashika.core import demo as module
from tashika.core.errors import OutsideError
from tashika.core.files import write_text
from tashika.core.services import free_port
from tashika.core.settings import packaged
from tashika.core.suites import Rehearsal
from tashika.core.suites.discovery import suite_named
from tests.conftest import Ran

Run = Callable[..., Ran]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Writes down the commands that the demo calls, in place of running them; the servers' start as well."""
    called: list[list[str]] = []

    def call(command: list[str], environment: dict[str, str]) -> int:
        called.append(command[3:])
        assert not [name for name in environment if name.startswith("TASHIKA_") and name != "TASHIKA_LABEL_STUDIO_BIN"]
        if command[3] == "report":
            write_text(tmp_path / command[4] / "evaluate" / "report.html", "<html>")
        return int(command[3:5] == ["models", "broken"])

    def start(command: list[str], **options: object) -> object:
        assert "TASHIKA_LABEL_STUDIO_URL" not in json.dumps(options["environment"])
        called.append(command[3:])
        return object()

    monkeypatch.setattr(module, "call", call)
    monkeypatch.setattr(module, "start", start)
    monkeypatch.setattr(module, "wait_until_up", lambda *_, **__: None)
    monkeypatch.setattr(module, "stop", lambda _process: called.append(["stop"]))
    return called


def test_it_does_the_whole_job_in_order_and_never_twice(tashika: Run, calls: list[list[str]], tmp_path: Path) -> None:
    code, _, err = tashika("demo", "--work", tmp_path)
    assert code == 0, err
    names = [" ".join(command[:2]) if command[0] in {"annotate", "models"} else command[0] for command in calls]
    assert names == [
        "annotate serve", "build", "models tiny-bert", "models smollm2", "annotate push", "annotate simulate",
        "annotate pull", "annotate vote", "annotate status", "stop", "export", "evaluate", "evaluate", "report",
    ]  # fmt: skip
    link = next(line for line in err.splitlines() if line.startswith("open the report: file://")).split()[-1]
    assert Path(url2pathname(urlsplit(link).path)).read_text() == "<html>"
    assert f"`tashika annotate serve --work {tmp_path}`" in err
    before = len(calls)
    _, _, err = tashika("demo", "--work", tmp_path)
    assert len(calls) == before
    assert "nothing to do" in err


def test_the_users_own_servers_are_left_alone(
    tashika: Run, calls: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TASHIKA_LABEL_STUDIO_URL", "TASHIKA_LABEL_STUDIO_TOKEN", "TASHIKA_LLM_URL", "TASHIKA_ENDPOINT"):
        monkeypatch.setenv(name, "http://real.example")
    assert tashika("demo", "--work", tmp_path)[0] == 0  # the fixture looks at every command's environment
    assert len(calls) == 14


def test_after_a_step_that_failed_the_server_is_stopped(
    calls: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_named("myriadlama")
    broken = replace(suite, rehearsal=Rehearsal("tashika.configs:myriadlama-demo.toml", (), ("broken",)))
    monkeypatch.setattr(module, "suite_named", lambda _name: broken)
    with pytest.raises(OutsideError, match=r"`tashika models` ended with code 1"):
        module.Demo(tmp_path, "myriadlama").run()
    assert calls[-1] == ["stop"]


def test_each_suite_has_its_own(tashika: Run, calls: list[list[str]], tmp_path: Path) -> None:
    assert tashika("demo", "tempripple", "--work", tmp_path)[0] == 0
    assert [command[1] for command in calls if command[0] in {"build", "export", "report"}] == ["tempripple"] * 3
    evaluated = next(command for command in calls if command[0] == "evaluate")
    assert evaluated[evaluated.index("--model") + 1].endswith("smollm2")
    assert evaluated[evaluated.index("--limit") + 1] == "15"


def test_what_models_said_is_judged_in_a_second_round(tashika: Run, calls: list[list[str]], tmp_path: Path) -> None:
    code, _, err = tashika("demo", "proverbs", "--work", tmp_path)
    assert code == 0, err
    names = [" ".join(command[:2]) if command[0] == "annotate" else command[0] for command in calls]
    judging = [
        f"annotate {step}" for step in ("push", "simulate", "pull", "push", "simulate", "pull", "vote", "status")
    ]
    assert names == [
        "annotate serve", "build", "models", *judging, "stop", "export", "evaluate",
        "annotate serve", "evaluate", *judging, "stop", "report",
    ]  # fmt: skip
    scored, checked = (command for command in calls if command[0] == "evaluate")
    assert "--model" in scored
    assert "--checks" not in scored
    assert "--checks" in checked
    assert "--model" not in checked


def test_what_people_accepted_is_built_on_and_judged_again(
    tashika: Run, calls: list[list[str]], tmp_path: Path
) -> None:
    code, _, err = tashika("demo", "kuci", "--work", tmp_path)
    assert code == 0, err
    names = [" ".join(command[:2]) if command[0] == "annotate" else command[0] for command in calls]
    judging = [f"annotate {step}" for step in ("push", "simulate", "pull", "vote", "status")]
    assert names == [
        "annotate serve", "build", "models", "models", *judging, "build", *judging, "stop",
        "export", "evaluate", "evaluate", "report",
    ]  # fmt: skip


def test_after_a_failure_in_the_second_round_the_server_is_stopped(
    calls: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = vars(module)["call"]  # the stand-in that `calls` has put there

    def failing(command: list[str], environment: dict[str, str]) -> int:
        return real(command, environment=environment) or int("--checks" in command)

    monkeypatch.setattr(module, "call", failing)
    with pytest.raises(OutsideError, match=r"`tashika evaluate` ended with code 1"):
        module.Demo(tmp_path, "proverbs").run()
    assert [command[0] for command in calls if command[0] in {"stop", "report"}] == ["stop", "stop"]
    assert calls[-1] == ["stop"]


def test_a_suite_without_a_demo_is_an_error(tashika: Run) -> None:
    code, _, err = tashika("demo", "nothing")
    assert code == 2
    assert "myriadlama, proverbs" in err


class _Answering(BaseHTTPRequestHandler):
    """A Label Studio that knows one token."""

    def do_GET(self) -> None:
        known = self.path == "/api/current-user/whoami" and self.headers["Authorization"] == "Token ours"
        self.send_response(200 if known else 401)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.mark.parametrize(("token", "expected"), [("ours", 2), ("of another folder", 0)])
def test_a_server_that_runs_on_the_same_folder_is_named_before_anything_starts(
    tashika: Run, calls: list[list[str]], tmp_path: Path, token: str, expected: int
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        write_text(tmp_path / "label-studio" / "account.json", json.dumps({"url": url, "token": token}))
        code, _, err = tashika("demo", "--work", tmp_path)
        server.shutdown()
        thread.join()
    assert code == expected
    if expected:
        assert f"a server is running on this data already, at {url}" in err
        assert "or take another folder: --work DIR" in err
        assert calls == []


def test_an_old_account_without_a_server_is_no_hindrance(tashika: Run, calls: list[list[str]], tmp_path: Path) -> None:
    gone = {"url": f"http://127.0.0.1:{free_port()}", "token": "ours"}
    write_text(tmp_path / "label-studio" / "account.json", json.dumps(gone))
    assert tashika("demo", "--work", tmp_path)[0] == 0
    assert calls


def test_a_folder_with_a_build_of_ones_own_is_left_alone(tashika: Run, calls: list[list[str]], tmp_path: Path) -> None:
    own, config = tmp_path / "own.csv", tmp_path / "own.toml"
    own.write_text("text,topics\nHaste makes waste.,society\n")
    published = packaged("proverbs-demo.toml").read_text()
    assert 'use = ["written", "model"]' in published
    config.write_text(published.replace('use = ["written", "model"]', 'use = ["written"]'))  # no model is asked
    code, _, err = tashika("build", "proverbs", "--work", tmp_path, "--proverbs", own, "--config", config)
    assert code == 0, err
    code, _, err = tashika("demo", "proverbs", "--work", tmp_path)
    assert code == 2
    assert f"--proverbs was {own} in the build before and is left out now" in err
    assert "Run the demo in a folder of its own: --work DIR" in err
    assert calls == []


def test_a_build_after_a_demo_goes_on_with_the_demos_settings_and_says_so(tashika: Run, tmp_path: Path) -> None:
    config = packaged("proverbs-demo.toml")
    assert tashika("build", "proverbs", "--work", tmp_path, "--config", config)[0] == 0  # as the demo does
    code, _, err = tashika("build", "proverbs", "--work", tmp_path)
    assert code == 0
    assert "config: the packaged proverbs-demo.toml, as in the build before (--config)" in err
    assert err.count("nothing to do") == 3
