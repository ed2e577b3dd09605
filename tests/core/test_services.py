from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tashika.core import services
from tashika.core.errors import OutsideError
from tashika.core.services import LOOPBACK, call, ended_politely, free_port, running, start

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
        alive = os.pidfd_open(int(child.read_text()))
    try:
        # The signal is sent when the block ends; a busy machine lets the child see it a moment later.
        assert select.select([alive], [], [], 60.0)[0], "the child of the server is still running"
    finally:
        os.close(alive)


def test_a_server_that_dies_shows_its_last_words(tmp_path: Path) -> None:
    dying = [sys.executable, "-c", "print('no such database'); raise SystemExit(3)"]
    with (
        pytest.raises(OutsideError, match=r"it ended with code 3 while starting(.|\n)*no such database"),
        running(dying, name="it", health=f"http://{LOOPBACK}:{free_port()}/", log=tmp_path / "log"),
    ):
        pass


def test_who_waits_for_a_server_learns_that_it_still_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(services, "_PATIENCE_SECONDS", (0.0,))
    port = free_port()
    log = tmp_path / "log"
    with running(command(port), name="it", health=f"http://{LOOPBACK}:{port}/", log=log, folder=tmp_path):
        pass
    assert capsys.readouterr().err == f"it: still starting after 0:00:00; its messages are in {log}\n"


def test_a_server_that_never_answers(tmp_path: Path) -> None:
    silent = [sys.executable, "-c", "import signal; signal.pause()"]
    with (
        pytest.raises(OutsideError, match="did not answer"),
        running(silent, name="it", health=f"http://{LOOPBACK}:{free_port()}/", log=tmp_path / "log", seconds=0.5),
    ):
        pass


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_who_is_told_to_end_stops_the_servers_of_the_commands_it_called(tmp_path: Path, sign: signal.Signals) -> None:
    """As in the demo: a process calls another one, which has started a server of its own."""
    port, told = free_port(), tmp_path / "told"
    # A shell's background job ignores Ctrl-C, and what it starts inherits that.
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    inner = f"""
{heeding}
import pathlib, sys
from tashika.core.services import ended_politely, running
with ended_politely(), running({command(port)!r}, name="it", health="http://127.0.0.1:{port}/",
                               log=pathlib.Path({str(tmp_path / "log")!r})) as it:
    pathlib.Path({str(told)!r}).write_text(str(it.pid))
    print("up", flush=True)
    signal.pause()
"""
    outer = f"""
{heeding}
import sys
from tashika.core.services import call, ended_politely
with ended_politely():
    call([sys.executable, "-c", {inner!r}])
"""
    with subprocess.Popen(
        [sys.executable, "-c", outer],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "up\n"
        if sign is signal.SIGINT:
            os.killpg(caller.pid, sign)  # as a terminal does with Ctrl-C
        else:
            caller.send_signal(sign)
        try:
            assert caller.wait(timeout=30) != 0
        finally:
            if caller.poll() is None:
                os.killpg(caller.pid, signal.SIGKILL)  # a failure shall not become a test that never ends
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


STARTED = """
import pathlib, signal, threading
from tashika.core.services import LOOPBACK, ended_politely, running

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
with ended_politely(), running({command!r}, name="it", health="http://127.0.0.1:{port}/",
                               log=pathlib.Path({log!r}), folder=pathlib.Path({folder!r})) as it:
    print(it.pid, flush=True)
    signal.pause()
"""


@contextmanager
def parent(code: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that runs this code, and the number of the process that it has started, which it prints."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def ends(process: int, seconds: float = 30.0) -> bool:
    """Whether a process that is not ours ends by then."""
    descriptor = os.pidfd_open(process)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process that its parent ended")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path, sign: signal.Signals) -> None:
    port = free_port()
    code = STARTED.format(command=command(port), port=port, log=str(tmp_path / "log"), folder=str(tmp_path))
    with parent(code) as (process, server):
        process.send_signal(sign)
        assert ends(server)
        assert process.wait(timeout=30) != 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process that its parent ended")
def test_a_server_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    """The kernel takes the end of the thread that started a process for the end of its parent."""
    port = free_port()
    code = f"""
import pathlib, signal, threading
from tashika.core.services import start, wait_until_up

log = pathlib.Path({str(tmp_path / "log")!r})
begun = []
worker = threading.Thread(target=lambda: begun.append(start({command(port)!r}, log=log, folder=log.parent)))
worker.start()
worker.join()
wait_until_up("http://127.0.0.1:{port}/", begun[0], name="it", seconds=60, log=log)  # an error if it has ended
print(begun[0].pid, flush=True)
signal.pause()
"""
    with parent(code) as (process, server):
        process.kill()
        assert ends(server)


def test_a_second_signal_leaves_no_server_behind(tmp_path: Path) -> None:
    """The server does not end when it is asked to; whoever waits for it presses Ctrl-C again."""
    port, asked = free_port(), tmp_path / "asked"
    os.mkfifo(asked)
    stubborn = (
        f"import pathlib, signal; asked = pathlib.Path({str(asked)!r}); "
        f"signal.signal(signal.SIGTERM, lambda *_: asked.write_text('yes')); {SERVER.format(port=port)}"
    )
    started = [sys.executable, "-c", stubborn]
    code = STARTED.format(command=started, port=port, log=str(tmp_path / "log"), folder=str(tmp_path))
    with parent(code) as (process, server):
        process.send_signal(signal.SIGINT)
        assert asked.read_text() == "yes"
        process.send_signal(signal.SIGINT)
        assert ends(server, seconds=10.0)  # it would be killed after fifteen
        assert process.wait(timeout=30) != 0


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """As with `nohup`: the work goes on when the terminal is closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_politely():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(OutsideError, match=r"no-such-program cannot be started: No such file or directory"),
        running(["no-such-program"], name="it", health=f"http://{LOOPBACK}:{free_port()}/", log=tmp_path / "log"),
    ):
        pass


WAITING = "import os, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(os.environ.get('OMP_WAIT_POLICY', ''))"


@pytest.mark.usefixtures("threads_unset")
@pytest.mark.parametrize("environment", [None, {}])
@pytest.mark.parametrize(("said", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_what_is_started_waits_as_the_user_says_or_asleep(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str] | None,
    said: str | None,
    expected: str,
) -> None:
    if said is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", said)
        environment = None if environment is None else {"OMP_WAIT_POLICY": said}
    command = [sys.executable, "-c", WAITING]
    assert start([*command, str(tmp_path / "server")], log=tmp_path / "log", environment=environment).wait() == 0
    assert call([*command, str(tmp_path / "command")], environment) == 0
    assert [(tmp_path / name).read_text() for name in ("server", "command")] == [expected, expected]
