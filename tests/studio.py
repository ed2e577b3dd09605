"""A real Label Studio, started once in a test run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tashika.annotation.labelstudio.account import Address, read_account
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.server import BIN_VARIABLE, SETUP_PLACE
from tashika.core.services import free_port, running

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Studio:
    """The server of this test run."""

    address: Address
    server: Server
    data: Path
    process: int = 0

    def api(self, token: str | None = None) -> httpx.Client:
        """A connection that sends what it likes, as any client of the server may."""
        headers = {"Authorization": f"Token {token or self.address.token}"}
        return httpx.Client(base_url=self.address.url, headers=headers, timeout=60.0, trust_env=False)


@contextmanager
def running_studio(data: Path) -> Iterator[Studio]:
    """A server on this data, made on its first start, while the block runs."""
    program = Path(os.environ.get(BIN_VARIABLE, ROOT / SETUP_PLACE))
    if not program.exists():
        pytest.fail(f"Label Studio is not installed at {program}; run `make setup`", pytrace=False)
    port = free_port()
    command = [sys.executable, "-m", "tashika.core.cli", "annotate", "serve", "--port", str(port), "--data", str(data)]
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, BIN_VARIABLE: str(program), "PYTHONUNBUFFERED": "1"}
    with running(
        command,
        name="Label Studio",
        health=f"{url}/health",
        log=data / "server.log",
        environment=environment,
        # A server that dies is noticed at once; one that starts on a busy machine is given its time.
        seconds=600.0,
    ) as process:
        account = read_account(data)
        assert account is not None
        address = Address(account.url, account.token)
        yield Studio(address, Server(address), data, process.pid)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running_studio(tmp_path_factory.mktemp("label-studio")) as started:
        yield started
