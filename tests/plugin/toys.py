"""The plugin's suite as if its package were installed, with small scores and a small release."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tashika.core.files import write_json, write_rows
from tashika.core.records import VERDICT, item_schema
from tashika.core.suites import discovery
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo, write_metrics
from tests.evaluate.pages import ReportToys
from tests.exports.drafts import Draft, ReleaseToys, broken
from tests.exports.judged import entry, verdict_row

sys.path.append(str(Path(__file__).parent / "package"))
import riddles
from riddles.build import rows
from riddles.evaluate import RiddleMetrics
from riddles.export import answers_are_options

SUITE = riddles.SUITE


@contextmanager
def installed() -> Iterator[None]:
    """Has the suite among all suites for a while, as after `pip install`."""
    point = EntryPoint(SUITE.name, "riddles:SUITE", discovery.GROUP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discovery, "entry_points", lambda group: [point])
        patch.setattr(discovery, "_opened", {})  # a suite file of the same name, read by another test, would win
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


def fill(workspace: Workspace) -> None:
    """Writes the riddles, all accepted, and the summary of the validation."""
    riddles = list(rows())
    write_rows(workspace.item_file("riddle"), riddles, item_schema(SUITE.name, "riddle"))
    ids = sorted(row["item_id"] for row in riddles)
    write_rows(workspace.verdict_file, [verdict_row(item, "riddle") for item in ids], VERDICT)
    write_json(workspace.annotation / "validation.json", {"riddle": entry(len(ids), 3)})


def write_config(path: Path) -> Path:
    path.write_text('[export]\npretty_name = "Riddles (test)"\nlicense = "cc0-1.0"\n', encoding="utf-8")
    return path


def an_option_too_few(draft: Draft) -> str:
    row = draft.rows("riddles")[0]
    row["options"].pop()
    return str(row["item_id"])


def no_such_answer(draft: Draft) -> str:
    row = draft.rows("riddles")[1]
    row["answer"] = 3
    return str(row["item_id"])


BREAKS = broken(answers_are_options, an_option_too_few, no_such_answer)
RELEASE = ReleaseToys(SUITE.name, fill, write_config, BREAKS)
