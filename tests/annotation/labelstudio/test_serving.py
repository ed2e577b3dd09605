"""What `annotate serve` prints, and what ends with it; the server is a stand-in that is up at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tashika.annotation.labelstudio.account import read_account
from tashika.annotation.labelstudio.server import BIN_VARIABLE, log_file
from tashika.core.files import write_text

NOISE = "Traceback (most recent call last): as Label Studio prints in normal use"
STAND_IN = f"""#!{sys.executable}
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print({NOISE!r}, flush=True)
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
DYING = f"#!{sys.executable}\nraise SystemExit('django.db.utils.OperationalError: no such table')\n"


@contextmanager
def serving(work: Path, program: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`annotate serve` with this program in the place of Label Studio."""
    stand_in = work / "label-studio-stand-in"
    write_text(stand_in, program)
    stand_in.chmod(0o700)
    # A shell's background job ignores Ctrl-C, and what it starts inherits that.
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heeding}; from tashika.core.cli import main; main()"
    command = [sys.executable, "-c", code, "annotate", "serve", "--work", str(work), *options]
    environment = {**os.environ, BIN_VARIABLE: str(stand_in)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process: subprocess.Popen[str], beginning: str) -> list[str]:
    """What a process prints until a line begins so."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line.rstrip("\n"))
        if line.startswith(beginning):
            return lines
    raise AssertionError(f"it ended and printed {lines}")


def test_the_terminal_says_where_it_is_and_what_is_next_and_the_log_has_the_rest(tmp_path: Path) -> None:
    write_text(tmp_path / "kuci" / "items" / "pair.parquet", "")
    with serving(tmp_path, STAND_IN) as process:
        printed = lines_until(process, "next")
        account = read_account(tmp_path / "label-studio")
        assert account is not None
        assert printed[0].endswith(str(log_file(tmp_path / "label-studio")))
        assert printed[1:3] == [
            f"ready at {account.url}",
            f"  sign in as {account.email}; the password is in {tmp_path}/label-studio/account.json, which only you "
            "can read",
        ]
        assert printed[-1].endswith(f"`tashika annotate push kuci --work {tmp_path}`")
        httpx.get(f"{account.url}/any", trust_env=False)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        printed.append(process.stderr.read())
        assert process.wait(timeout=30) == 0
    assert "Label Studio has ended" in printed[-1]
    assert NOISE not in "\n".join(printed)
    assert log_file(tmp_path / "label-studio").read_text().count(NOISE) >= 2
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{account.url}/health", trust_env=False)


def test_with_data_elsewhere_the_next_step_is_to_name_it(tmp_path: Path) -> None:
    with serving(tmp_path, STAND_IN, "--data", str(tmp_path / "elsewhere")) as process:
        last = lines_until(process, "next")[-1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 128 + signal.SIGTERM
    assert f"TASHIKA_LABEL_STUDIO_TOKEN to the token in {tmp_path}/elsewhere/account.json" in last


def test_a_server_that_dies_shows_the_end_of_its_log(tmp_path: Path) -> None:
    with serving(tmp_path, DYING) as process:
        assert process.stderr is not None
        printed = process.stderr.read()
        assert process.wait(timeout=30) == 1
    assert "Label Studio ended with code 1 while starting" in printed
    assert "no such table" in printed
    assert "Traceback" not in printed


def test_the_log_of_the_start_before_is_kept(tmp_path: Path) -> None:
    for _ in range(2):
        with serving(tmp_path, DYING) as process:
            process.communicate()
    log = log_file(tmp_path / "label-studio")
    assert log.read_text() == log.with_suffix(".before.log").read_text()
