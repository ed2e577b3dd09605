"""Suites of one file, which are forgotten after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tashika.core.custom.suite import CustomSuite
from tashika.core.suites import discovery
from tashika.core.workspace import Workspace
from tests.annotation.custom import samples


@pytest.fixture(autouse=True)
def _forget_suites() -> Iterator[None]:
    yield
    discovery._opened.clear()


@pytest.fixture
def custom() -> ModuleType:
    return samples


@pytest.fixture
def six(tmp_path: Path) -> CustomSuite:
    """A suite with a page of each form."""
    return samples.open_text(tmp_path / "six", samples.suite_text(samples.SIX))


@pytest.fixture
def work(six: CustomSuite, tmp_path: Path, custom: ModuleType) -> Workspace:
    """Three items of each kind."""
    workspace = Workspace(tmp_path / "work", "riddles")
    for kind in custom.KINDS:
        custom.write(workspace, kind, [custom.item(kind, f"{kind} {number}") for number in range(3)])
    return workspace
