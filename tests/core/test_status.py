from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tashika.core.stages import Stage
from tests.core.overview.world import everything_done
from tests.core.test_cli import Run
from tests.plugin import toys


@pytest.fixture
def _plugin() -> Iterator[None]:
    with toys.installed():
        yield


def status(tashika: Run, work: Path) -> dict[str, Any]:
    code, out, err = tashika("status", "--json", "--work", work)
    assert code == 0, err
    content: dict[str, Any] = json.loads(out)
    return content


@pytest.mark.usefixtures("_plugin")
def test_all_suites_with_what_is_next(tashika: Run, tmp_path: Path) -> None:
    workspace = everything_done(tmp_path, simulated=True)
    (workspace.evaluate / "report.html").unlink()
    code, out, err = tashika("status", "--work", tmp_path)
    assert code == 0, err
    assert out.splitlines()[-1] == f"    tashika report riddles --work {tmp_path}"
    code, out, err = tashika("status", "riddles", "--work", tmp_path)
    assert code == 0, err
    assert "riddle: 6 of 6 judged, 6 accepted (simulated)" in out
    assert "annotation: annotate-vote" in out
    [suite] = status(tashika, tmp_path)["suites"]
    assert suite["next"] == f"tashika report riddles --work {tmp_path}"
    assert suite["kinds"] == [{"name": "riddle", "items": 6, "judged": 6, "accepted": 6, "simulated": True}]
    assert (suite["scored"], suite["page"], suite["release"]["simulated"]) == (["tiny"], None, True)


@pytest.mark.usefixtures("_plugin")
def test_stages_of_long_names_are_shown_to_their_end(
    tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = everything_done(tmp_path).evaluate
    for facts in ("2-facts", "6-facts"):
        folder = scored / f"{'a-model-of-a-long-name-' * 2}{facts}"
        shutil.copytree(scored / "tiny", folder)
        Stage("metrics", folder, [], {}, [folder / "metrics.json"]).run(dict, what="scores")
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = tashika("status", "riddles", "--work", tmp_path)
    assert code == 0, err
    assert "…" not in out
    assert "2-facts" in out
    assert "6-facts" in out


def test_a_suite_of_ones_own_is_found_by_its_build(tashika: Run, tmp_path: Path) -> None:
    folder, work = tmp_path / "pairs", tmp_path / "w"
    assert tashika("new", folder, "--pattern", "labels")[0] == 0
    code, _, err = tashika("build", folder, "--work", work)
    assert code == 0, err
    [suite] = status(tashika, work)["suites"]
    assert suite["suite"] == "pairs"
    assert suite["next"] == f"tashika annotate push {folder / 'suite.toml'} --work {work}"
    table = folder / "pairs.csv"
    table.write_text(table.read_text(encoding="utf-8").rstrip().rpartition("\n")[0] + "\n", encoding="utf-8")
    [suite] = status(tashika, work)["suites"]
    assert suite["next"] == f"tashika build {folder / 'suite.toml'} --work {work}"
    (folder / "suite.toml").rename(folder / "elsewhere.toml")
    from tashika.core.suites import discovery

    discovery._opened.pop("pairs")  # as in a new process
    [suite] = status(tashika, work)["suites"]
    assert suite == {"suite": "pairs", "problem": f"its suite file is gone: {folder / 'suite.toml'}"}


def test_what_is_no_suite_is_left_out(tashika: Run, tmp_path: Path) -> None:
    for name in ("models/smollm2", "label-studio", "logs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "other" / "items").mkdir(parents=True)
    [suite] = status(tashika, tmp_path)["suites"]
    assert suite["suite"] == "other"
    assert suite["problem"] == "no suite of this name is installed, and no build here names its suite file"


def test_it_loads_no_heavy_library(tmp_path: Path) -> None:
    (tmp_path / "kuci" / "items").mkdir(parents=True)
    script = (
        "import sys; from tashika.core.status import app; sys.argv = ['status', '--work', sys.argv[1]]\n"
        "try: app()\nexcept SystemExit: print(sorted({'torch', 'transformers', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
    assert "tashika build kuci" in result.stdout
