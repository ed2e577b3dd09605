from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tashika.core.errors import OutsideError
from tashika.core.services import LOOPBACK, free_port, running

SERVER = (
    "import http.server, sys; http.server.test(http.server.SimpleHTTPRequestHandler, bind='127.0.0.1', port={port})"
)


def command(port: int) -> list[str]:
    return [sys.executable, "-c", SERVER.format(port=port)]


def test_a_server_runs_while_the_block_does(tmp_path: Path) -> None:
    port = free_port()
    with running(
        command(port), name="it", health=f"http://{LOOPBACK}:{port}/", log=tmp_path / "log", folder=tmp_path
    ) as it:
        assert it.poll() is None
    assert it.poll() is not None


def test_it_ends_also_after_an_error(tmp_path: Path) -> None:
    port = free_port()
    with (
        pytest.raises(KeyboardInterrupt),
        running(
            command(port), name="it", health=f"http://{LOOPBACK}:{port}/", log=tmp_path / "log", folder=tmp_path
        ) as it,
    ):
        raise KeyboardInterrupt
    assert it.poll() is not None


def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    port = free_port()
    child = tmp_path / "child"
    code = (
        "import subprocess, sys, pathlib; child = subprocess.Popen(['sleep', '600']); "
        f"pathlib.Path({str(child)!r}).write_text(str(child.pid)); {SERVER.format(port=port)}"
    )
    with running(
        [sys.executable, "-c", code],
        name="it",
        health=f"http://{LOOPBACK}:{port}/",
        log=tmp_path / "log",
        folder=tmp_path,
    ):
        pid = int(child.read_text())
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    assert state.strip() in {"", "Z"}


def test_a_server_that_dies_shows_its_last_words(tmp_path: Path) -> None:
    dying = [sys.executable, "-c", "print('no such database'); raise SystemExit(3)"]
    with (
        pytest.raises(OutsideError, match=r"it ended with code 3 while starting(.|\n)*no such database"),
        running(dying, name="it", health=f"http://{LOOPBACK}:{free_port()}/", log=tmp_path / "log"),
    ):
        pass


def test_a_server_that_never_answers(tmp_path: Path) -> None:
    silent = [sys.executable, "-c", "import signal; signal.pause()"]
    with (
        pytest.raises(OutsideError, match="did not answer"),
        running(silent, name="it", health=f"http://{LOOPBACK}:{free_port()}/", log=tmp_path / "log", seconds=0.5),
    ):
        pass


def test_a_demo_that_is_told_to_end_stops_its_servers(tmp_path: Path) -> None:
    """The demo's own way out: a termination signal becomes an exception, so `finally` runs."""
    port, told = free_port(), tmp_path / "told"
    code = f"""
import pathlib, signal, sys
from tashika.core.demo import _ended_politely
from tashika.core.services import running
with _ended_politely(), running({command(port)!r}, name="it", health="http://127.0.0.1:{port}/",
                                log=pathlib.Path({str(tmp_path / "log")!r})) as it:
    pathlib.Path({str(told)!r}).write_text(str(it.pid))
    print("up", flush=True)
    signal.pause()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline() == "up\n"
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(timeout=30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)
