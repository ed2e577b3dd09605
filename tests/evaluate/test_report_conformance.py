"""What must hold of the report of every suite: tested over all of them, the plugin's too."""

from __future__ import annotations

import csv
import html
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json
from tashika.core.suites.discovery import all_suites, suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.command import report
from tests.evaluate.kuci import toy_scores as kuci
from tests.evaluate.myriadlama import toy_scores as myriadlama
from tests.evaluate.pages import ReportToys, rewrite, words_of
from tests.evaluate.proverbs import toy_scores as proverbs
from tests.evaluate.semrel import toy_scores as semrel
from tests.evaluate.tempripple import toy_scores as tempripple
from tests.plugin import toys as riddles

TOYS = (kuci.REPORT, myriadlama.REPORT, proverbs.REPORT, semrel.REPORT, tempripple.REPORT, riddles.REPORT)
MARKUP = '<script>alert("x")</script>'


@pytest.fixture(scope="module", autouse=True)
def _plugin() -> Iterator[None]:
    with riddles.installed():
        yield


@pytest.fixture(scope="module", params=TOYS, ids=lambda toys: toys.suite)
def toys(request: pytest.FixtureRequest) -> ReportToys:
    found: ReportToys = request.param
    return found


@pytest.fixture(scope="module")
def made(toys: ReportToys, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A suite's scores; read only."""
    return toys.make(tmp_path_factory.mktemp(toys.suite))


@pytest.fixture
def workspace(made: Workspace, tmp_path: Path) -> Workspace:
    """A suite's scores, to be changed."""
    shutil.copytree(made.root, tmp_path, dirs_exist_ok=True)
    return Workspace(tmp_path, made.suite)


def scores_of(workspace: Workspace) -> list[Path]:
    return sorted(workspace.evaluate.glob("*/metrics.json"))


def write_report(workspace: Workspace) -> Path:
    page: Path = suite_named(workspace.suite).load("evaluate").write_report(workspace)
    return page


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


def _say(said: dict[str, str], metrics: Any) -> None:
    metrics["model"].update(said)


def test_every_suite_is_tested_here() -> None:
    assert {toys.suite for toys in TOYS} == set(all_suites())


def test_one_page_names_every_system_and_asks_nobody(workspace: Workspace, assert_whole: Callable[[str], None]) -> None:
    page = page_of(workspace)
    assert_whole(page)
    addresses = set(re.findall(r"https?://[^\"' )}<]+", page))
    papers = {paper.url for paper in suite_named(workspace.suite).papers if paper.url}
    assert addresses - papers <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert papers <= addresses
    assert len(scores_of(workspace)) > 1
    for path in scores_of(workspace):
        assert read_json(path)["model"]["name"] in words_of(page)


def test_what_a_system_says_of_itself_is_escaped(workspace: Workspace) -> None:
    for number, path in enumerate(scores_of(workspace)):
        said = {name: f"{name} {number} {MARKUP}" for name in ("name", "note", "revision")}
        rewrite(path, partial(_say, said))
    page = page_of(workspace)
    assert MARKUP not in page
    shown = html.unescape(page)
    for number, path in enumerate(scores_of(workspace)):
        if read_json(path)["model"]["kind"] != "people":  # who have no name
            assert f"name {number} {MARKUP}" in shown
        assert f"note {number} {MARKUP}" in shown


def test_simulation_is_said_where_there_is_one_and_only_there(workspace: Workspace) -> None:
    assert "imulated annotators" not in words_of(page_of(workspace))
    rewrite(workspace.release / "release.json", lambda record: record.update(simulated=True))
    page = words_of(page_of(workspace))
    assert "Simulated annotators. Programs judged items of this release in the place of people" in page
    assert "No person has validated" not in page  # the record does not say whether people were among them


def test_programs_that_judged_a_kind_are_said(workspace: Workspace) -> None:
    kind: dict[str, Any] = {"annotators": 3, "people": 0, "simulated": True}
    path = workspace.annotation / "validation.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("{}")
    rewrite(path, lambda content: content.update(toy=kind))
    page = words_of(page_of(workspace))
    assert "Simulated annotators. The toy items were judged by 3 simulated annotators (programs)" in page
    assert "No person has validated these items" in page


def test_scores_of_another_release_are_pointed_out(workspace: Workspace) -> None:
    assert "another release" not in words_of(page_of(workspace))
    rewrite(workspace.release / "release.json", lambda record: record.update(digest="ee" * 32))
    page = words_of(page_of(workspace))
    assert page.count("was scored on another release (d1") == len(scores_of(workspace))
    assert page.count("than the one that lies here (eeeeeeeeeeee): evaluate it again") == len(scores_of(workspace))


def test_scores_alone_make_a_page(workspace: Workspace, assert_whole: Callable[[str], None]) -> None:
    for path in workspace.root.rglob("*"):
        if path.is_file() and path.name != "metrics.json":
            path.unlink()
    page = page_of(workspace)
    assert_whole(page)
    assert "another release" not in words_of(page)


@pytest.mark.slow
def test_a_second_run_does_nothing_and_a_change_is_written(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_report(workspace).read_bytes()
    capsys.readouterr()
    write_report(workspace)
    assert "nothing to do" in capsys.readouterr().err
    (workspace.evaluate / "report.html").unlink()
    assert write_report(workspace).read_bytes() == first  # the bytes follow the scores
    rewrite(scores_of(workspace)[-1], partial(_say, {"note": "looked up what it did not know"}))
    assert "looked up what it did not know" in words_of(page_of(workspace))


def test_the_command_writes_the_page_of_its_suite(workspace: Workspace) -> None:
    result = CliRunner().invoke(report, [workspace.suite, "--work", str(workspace.root)])
    assert result.exit_code == 0
    page = workspace.evaluate / "report.html"
    assert result.stdout.strip() == str(page)
    assert suite_named(workspace.suite).title in words_of(page.read_text(encoding="utf-8"))


def test_without_scores_the_command_that_makes_them_is_named(toys: ReportToys, tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="no model has been scored yet") as error:
        write_report(Workspace(tmp_path, toys.suite))
    assert f"tashika evaluate {toys.suite} --model" in (error.value.hint or "")


def test_scores_that_lack_a_number_are_named(toys: ReportToys, workspace: Workspace) -> None:
    path = scores_of(workspace)[-1]
    rewrite(path, lambda metrics: metrics.pop(toys.lacks))
    with pytest.raises(InputError, match=f"{path.parent.name}/metrics.json: {toys.lacks}: Field required") as error:
        write_report(workspace)
    assert error.value.hint == "Delete the file and evaluate the model again."
    assert not (workspace.evaluate / "report.html").exists()


def test_scores_that_are_not_json_are_named(workspace: Workspace) -> None:
    path = scores_of(workspace)[0]
    path.write_text('{"acc@1": ')
    with pytest.raises(InputError, match="not valid JSON") as error:
        write_report(workspace)
    assert str(path) in str(error.value.where)


def test_every_table_and_figure_is_exported(made: Workspace, tmp_path: Path) -> None:
    arguments = [made.suite, "--work", str(made.root), "--export", str(tmp_path / "out")]
    done = CliRunner().invoke(report, arguments)
    assert done.exit_code == 0, done.output
    page = page_of(made)
    files = {suffix: sorted((tmp_path / "out").rglob(f"*.{suffix}")) for suffix in ("csv", "tex", "md", "svg", "pdf")}
    counts = {suffix: len(paths) for suffix, paths in files.items()}
    tables, figures = page.count("<table"), page.count("<svg")
    assert counts == {"csv": tables, "tex": tables, "md": tables, "svg": figures, "pdf": figures}
    for path in files["csv"]:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1
        assert path.with_suffix(".tex").read_text(encoding="utf-8").count(r"\begin{tabular}") == 1
    for path in files["svg"]:
        ElementTree.parse(path)
        assert "var(" not in path.read_text(encoding="utf-8")
    copy = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    linked = re.findall(r'<a href="((?:tables|figures)/[^"]+)">', copy)
    assert sorted(linked) == sorted(str(p.relative_to(tmp_path / "out")) for paths in files.values() for p in paths)
    assert re.sub(r'<p class="small">(?:<a href="(?:tables|figures)/[^"]+">\w+</a>(?: · )?)+</p>', "", copy) == page


def test_a_second_export_has_the_same_bytes(made: Workspace, tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = CliRunner().invoke(report, [made.suite, "--work", str(made.root), "--export", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
    one, two = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert one == two
