"""What tests of the server's start share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tashika.annotation.labelstudio import server


class Started(NamedTuple):
    """A server that would have been started: its command line and its environment."""

    command: list[str]
    environment: dict[str, str]


class Interrupted:
    """A server's process, beside which somebody presses Ctrl-C at once."""

    def wait(self) -> int:
        raise KeyboardInterrupt


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    """The servers that `serve` starts, none of which runs."""
    program = tmp_path / "label-studio-program"
    program.touch(mode=0o755)
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_BIN", str(program))
    noted: list[Started] = []

    @contextmanager
    def running(command: Sequence[str], *, environment: Mapping[str, str], **_: object) -> Iterator[Interrupted]:
        noted.append(Started(list(command), dict(environment)))
        yield Interrupted()

    monkeypatch.setattr(server, "running", running)
    return noted
