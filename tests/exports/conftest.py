"""A filled workspace, a release, and a Hub on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.plan import suite_export
from tashika.exports.release import Export
from tests.exports import hub_server as hub_module
from tests.exports.kuci import samples as kuci_module
from tests.exports.myriadlama import samples as samples_module
from tests.exports.proverbs import samples as proverbs_module
from tests.exports.tempripple import samples as ripples_module

NETWORK = {"HF_HUB_OFFLINE": "0", "HF_DATASETS_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "NO_PROXY": "127.0.0.1"}
"""What a process needs to speak with the Hub on loopback, whatever the environment of the tests says."""


def _filled(folder: Path, suite: str, module: ModuleType) -> Workspace:
    """A workspace with what a suite's helper module fills it with."""
    workspace = Workspace(folder / "work", suite)
    module.fill(workspace)
    return workspace


def _exporter(workspace: Workspace, config: Path) -> Callable[..., Export]:
    """Plans an export of a workspace; keyword arguments replace settings."""

    def make(**changes: Any) -> Export:
        suite = suite_export(workspace.suite)
        settings = load_section(workspace.suite, "export", suite.settings, config).model_copy(update=changes)
        return Export(workspace, settings, suite, suite.plan(workspace, settings))

    return make


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return samples_module


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Items, verdicts and validation; nothing exported yet."""
    return _filled(tmp_path, "myriadlama", samples_module)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return samples_module.write_config(tmp_path / "config.toml")


@pytest.fixture
def make_export(workspace: Workspace, config: Path) -> Callable[..., Export]:
    """Plans an export of the workspace; keyword arguments replace settings."""
    return _exporter(workspace, config)


@pytest.fixture
def release(workspace: Workspace, make_export: Callable[..., Export]) -> Path:
    """The folder of a finished release."""
    make_export().run()
    return workspace.release


@pytest.fixture
def ripple_workspace(tmp_path: Path) -> Workspace:
    """TempRIPPLE's items, verdicts and validation; nothing exported yet."""
    return _filled(tmp_path, "tempripple", ripples_module)


@pytest.fixture
def export_ripples(ripple_workspace: Workspace, tmp_path: Path) -> Callable[[], Export]:
    """Plans an export of TempRIPPLE's workspace."""
    return _exporter(ripple_workspace, ripples_module.write_config(tmp_path / "ripples.toml"))


@pytest.fixture
def ripple_release(ripple_workspace: Workspace, export_ripples: Callable[[], Export]) -> Path:
    """The folder of a finished release of TempRIPPLE."""
    export_ripples().run()
    return ripple_workspace.release


@pytest.fixture
def proverb_workspace(tmp_path: Path) -> Workspace:
    """Pairs of proverbs, verdicts and validation; nothing exported yet."""
    return _filled(tmp_path, "proverbs", proverbs_module)


@pytest.fixture
def export_proverbs(proverb_workspace: Workspace, tmp_path: Path) -> Callable[[], Export]:
    """Plans an export of the workspace of proverbs."""
    return _exporter(proverb_workspace, proverbs_module.write_config(tmp_path / "proverbs.toml"))


@pytest.fixture
def proverb_release(proverb_workspace: Workspace, export_proverbs: Callable[[], Export]) -> Path:
    """The folder of a finished release of proverbs."""
    export_proverbs().run()
    return proverb_workspace.release


@pytest.fixture
def kuci_workspace(tmp_path: Path) -> Workspace:
    """KUCI's pairs, questions, verdicts and validation; nothing exported yet."""
    return _filled(tmp_path, "kuci", kuci_module)


@pytest.fixture
def export_kuci(kuci_workspace: Workspace, tmp_path: Path) -> Callable[[], Export]:
    """Plans an export of KUCI's workspace."""
    return _exporter(kuci_workspace, kuci_module.write_config(tmp_path / "kuci.toml"))


@pytest.fixture
def kuci_release(kuci_workspace: Workspace, export_kuci: Callable[[], Export]) -> Path:
    """The folder of a finished release of KUCI."""
    export_kuci().run()
    return kuci_workspace.release


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A Hub on loopback that the client of this process is pointed at."""
    from huggingface_hub import constants

    # The variables are read when the client is imported, which another test may have done already.
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    # Without this the client asks for a xet token and does not fall back.
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", hub_module.TOKEN)
    for name, value in NETWORK.items():
        monkeypatch.setenv(name, value)
    with hub_module.HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def xet_hub(hub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The Hub on loopback, with a client that uploads over Xet, as it does where nothing is set."""
    from huggingface_hub import constants
    from huggingface_hub.utils._xet import abort_xet_session

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    monkeypatch.delenv("HF_HUB_DISABLE_XET")
    monkeypatch.setenv("HF_XET_CACHE", str(tmp_path / "xet"))
    monkeypatch.setenv("HF_XET_CLIENT_RETRY_BASE_DELAY", "1ms")
    abort_xet_session()  # the next one reads these variables
    yield hub
    abort_xet_session()
