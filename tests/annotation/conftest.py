"""A real Label Studio, started once a run, and workspaces with small items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser

from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.core.workspace import Workspace
from tests.annotation.kuci import samples as kuci_module
from tests.annotation.myriadlama import samples as samples_module
from tests.annotation.semrel import samples as semrel_module
from tests.curator import Curator
from tests.studio import Studio

SETTINGS = AnnotateSettings(
    kinds={"template": KindSettings(), "alias": KindSettings(mode="audit", sample=5)},
    simulation=SimulationSettings(seed=7, error_rates=(0.0, 0.1, 0.2), skip_rate=0.05),
)


@pytest.fixture
def fresh_studio(studio: Studio) -> Studio:
    """The same server without projects."""
    with studio.api() as api:
        for project in api.get("/api/projects/", params={"page_size": 100}).json()["results"]:
            assert api.delete(f"/api/projects/{project['id']}/").status_code == 204
    return studio


@pytest.fixture(scope="module")
def curator(browser: Browser, studio: Studio, request: pytest.FixtureRequest) -> Iterator[Curator]:
    """A person who was invited, and has an account now."""
    person = Curator(browser, studio.address.url)
    email = f"{request.module.__name__.replace('_', '-').replace('.', '-')}@example.org"
    person.sign_up(studio.server.invitation(), email)
    person.log_in(email)
    yield person
    person.close()
    # Nobody simulates on a server where people have accounts.
    (number,) = (number for number, address in studio.server.users().items() if address == email)
    studio.server.delete_account(number)


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
