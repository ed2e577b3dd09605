"""One command at a time in a directory; the next one waits, and a killed one leaves nothing that locks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tashika.annotation.judging import lock
from tashika.annotation.judging.lock import BusyError, alone

HOLD = """
import sys
from pathlib import Path
from tashika.annotation.judging.lock import alone

sys.argv = ["tashika", "annotate", "watch", "kuci"]
with alone(Path({!r})):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the directory, until its input ends."""
    command = [sys.executable, "-c", HOLD.format(str(tmp_path))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_command_waits_until_the_other_one_has_finished(
    holder: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def finish(line: str) -> None:
        said.append(line)
        holder.communicate()

    monkeypatch.setattr(lock, "say", finish)
    with alone(tmp_path):
        assert said == [f"waits for `tashika annotate watch` (process {holder.pid}) to finish, 120 s at most"]
    with alone(tmp_path):
        assert len(said) == 1


def test_it_waits_no_longer_than_its_patience(
    holder: subprocess.Popen[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = rf"`tashika annotate watch` \(process {holder.pid}\) is still at work here"
    with pytest.raises(BusyError, match=f"{name} after 0 s\n.*Run the command again"), alone(tmp_path, patience=0.01):
        pass
    assert "waits for" in capsys.readouterr().err
    with pytest.raises(BusyError, match=f"{name}\n"), alone(tmp_path, patience=0):
        pass
    assert "waits for" not in capsys.readouterr().err


def test_a_killed_command_locks_nothing(
    holder: subprocess.Popen[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holder.kill()
    holder.wait()
    assert "annotate watch" in (tmp_path / ".lock").read_text()
    with alone(tmp_path, patience=0), ExitStack() as stack, pytest.raises(BusyError, match="another annotate command"):
        stack.enter_context(alone(tmp_path, patience=0))
    assert capsys.readouterr().err == ""
