"""The plugin's suite as if its package were installed, with small scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tashika.core.files import write_json
from tashika.core.suites import discovery
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo, write_metrics
from tests.evaluate.pages import ReportToys

sys.path.append(str(Path(__file__).parent / "package"))
from riddles import SUITE
from riddles.evaluate import RiddleMetrics


@contextmanager
def installed() -> Iterator[None]:
    """Has the suite among all suites for a while, as after `pip install`."""
    point = EntryPoint(SUITE.name, "riddles:SUITE", discovery.GROUP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discovery, "entry_points", lambda group: [point])
        discovery.all_suites.cache_clear()
        yield
    discovery.all_suites.cache_clear()


def toy_pages(folder: Path) -> Workspace:
    """A working directory with the scores of two models and their release."""
    workspace = Workspace(folder, SUITE.name)
    release = ReleaseInfo(version="0.1.0", digest="d1" * 32, simulated=False)
    for name, accuracy in (("tiny", 0.25), ("other", 0.75)):
        model = SystemInfo(name=name, kind="causal", revision="rev-7", dtype="fp32", device="cpu", note=None)
        metrics = RiddleMetrics(
            riddles=8, accuracy=accuracy, model=model, release=release, versions={"tashika": "0.1.0"}
        )
        write_metrics(workspace.evaluate / name / "metrics.json", metrics)
    write_json(workspace.release / "release.json", release.model_dump())
    return workspace


REPORT = ReportToys(SUITE.name, toy_pages, lacks="accuracy")
