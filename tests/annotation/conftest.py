"""A real Label Studio, started once a run, and workspaces with small items."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.account import Address, read_account
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.server import BIN_VARIABLE, SETUP_PLACE
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.core.services import free_port, running
from tashika.core.workspace import Workspace
from tests.annotation.kuci import samples as kuci_module
from tests.annotation.myriadlama import samples as samples_module
from tests.annotation.semrel import samples as semrel_module

ROOT = Path(__file__).parents[2]
SETTINGS = AnnotateSettings(
    kinds={"template": KindSettings(), "alias": KindSettings(mode="audit", sample=5)},
    simulation=SimulationSettings(seed=7, error_rates=(0.0, 0.1, 0.2), skip_rate=0.05),
)


@dataclass(frozen=True)
class Studio:
    """The server of this test run."""

    address: Address
    server: Server
    data: Path

    def api(self, token: str | None = None) -> httpx.Client:
        """A connection that sends what it likes, as any client of the server may."""
        headers = {"Authorization": f"Token {token or self.address.token}"}
        return httpx.Client(base_url=self.address.url, headers=headers, timeout=60.0, trust_env=False)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    program = Path(os.environ.get(BIN_VARIABLE, ROOT / SETUP_PLACE))
    if not program.exists():
        pytest.fail(f"Label Studio is not installed at {program}; run `make setup`", pytrace=False)
    data, port = tmp_path_factory.mktemp("label-studio"), free_port()
    command = [sys.executable, "-m", "tashika.core.cli", "annotate", "serve", "--port", str(port), "--data", str(data)]
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, BIN_VARIABLE: str(program), "PYTHONUNBUFFERED": "1"}
    with running(
        command, name="Label Studio", health=f"{url}/health", log=data / "server.log", environment=environment
    ):
        account = read_account(data)
        assert account is not None
        address = Address(account.url, account.token)
        yield Studio(address, Server(address), data)


@pytest.fixture
def fresh_studio(studio: Studio) -> Studio:
    """The same server without projects."""
    with studio.api() as api:
        for project in api.get("/api/projects/", params={"page_size": 100}).json()["results"]:
            assert api.delete(f"/api/projects/{project['id']}/").status_code == 204
    return studio


@pytest.fixture
def settings() -> AnnotateSettings:
    return SETTINGS


@pytest.fixture
def pages(settings: AnnotateSettings) -> list[Page]:
    return pages_of("myriadlama", settings)


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return samples_module


@pytest.fixture(scope="session")
def semrel() -> ModuleType:
    return semrel_module


@pytest.fixture(scope="session")
def kuci_samples() -> ModuleType:
    return kuci_module


@pytest.fixture
def probes(tmp_path: Path, semrel: ModuleType) -> Workspace:
    """Two questionnaires: dog and cat in each, and a control question in the first."""
    workspace = Workspace(tmp_path / "work", "semrel")
    rows = [semrel.probe(target, place) for target in ("dog", "cat") for place in (0, 1)]
    rows.append(semrel.probe("", relation="control", known=["Saturdays", "Sunday"], text="one day of a weekend is"))
    relata = [("dog", "animal"), ("dog", "canine"), ("cat", "feline"), ("cat", "animal"), ("rose", "flower")]
    semrel.write(workspace, rows, [semrel.relatum(*pair) for pair in relata])
    return workspace


@pytest.fixture
def workspace(tmp_path: Path, samples: ModuleType) -> Workspace:
    workspace = Workspace(tmp_path / "work", "myriadlama")
    samples.write_items(workspace, "template", samples.templates())
    samples.write_items(workspace, "alias", samples.aliases())
    return workspace
