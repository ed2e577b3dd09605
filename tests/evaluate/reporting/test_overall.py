from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tashika.core.files import read_json, write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.reporting.main_scores import main_scores
from tests.core.overview.world import everything_done
from tests.core.test_cli import Run
from tests.evaluate.kuci import toy_scores as kuci
from tests.evaluate.pages import words_of
from tests.plugin import toys


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with toys.installed():
        yield


def index(tashika: Run, work: Path) -> str:
    code, out, err = tashika("report", "--work", work)
    assert code == 0, err
    assert out.strip() == str(work / "report.html")
    return (work / "report.html").read_text(encoding="utf-8")


def test_the_page_has_every_suite_with_its_numbers_and_what_is_next(tashika: Run, tmp_path: Path) -> None:
    workspace = everything_done(tmp_path, simulated=True)
    (workspace.evaluate / "report.html").unlink()
    kuci.REPORT.make(tmp_path)
    (tmp_path / "lost" / "items").mkdir(parents=True)
    page = index(tashika, tmp_path)
    words = words_of(page)
    assert "riddle simulated 6 6 6" in words
    assert "Release 0.1.0: 6 rows in riddles" in words
    assert f"<code>tashika report riddles --work {tmp_path}</code>" in page
    assert "Simulated annotators." in words
    assert "lost is left out: no suite of this name is installed" in words
    assert [link for link in re.findall(r'href="([^#"]+)"', page) if not (tmp_path / link).is_file()] == []
    assert "http" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL).replace("http://www.w3.org", "")


def test_the_main_score_of_each_model_is_computed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = kuci.REPORT.make(tmp_path)
    first = main_scores(workspace)
    assert "main scores" in capsys.readouterr().err
    assert main_scores(workspace) == first
    assert "main scores" not in capsys.readouterr().err
    for score in first["models"]:
        metrics = read_json(workspace.evaluate / score["folder"] / "metrics.json")
        assert score["value"] == pytest.approx(metrics["sets"]["both"]["accuracy"])
        assert score["low"] <= score["value"] <= score["high"]


def test_a_broken_scores_file_does_not_take_the_page_down(tashika: Run, tmp_path: Path) -> None:
    workspace: Workspace = kuci.REPORT.make(tmp_path)
    path = next(iter(sorted(workspace.evaluate.glob("*/metrics.json"))))
    write_json(path, {"model": {"name": "x"}})
    assert "The scores cannot be read" in words_of(index(tashika, tmp_path))


def test_a_label_of_others_is_text(tashika: Run, tmp_path: Path) -> None:
    everything_done(tmp_path)
    write_json(tmp_path / "riddles" / "release" / "release.json", {"version": "<script>alert(1)</script>", "files": {}})
    assert "<script>alert" not in index(tashika, tmp_path)


def test_what_takes_a_suite_is_refused_without_one(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("report", "--work", tmp_path)
    assert code == 2
    assert "nothing has been done here yet" in err
    code, _, err = tashika("report", "--work", tmp_path, "--export", tmp_path / "out")
    assert code == 2
    assert "found --export without a suite" in err
