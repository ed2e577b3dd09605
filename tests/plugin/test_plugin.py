"""A suite of another package, in an environment of its own with a wheel of ours: from build to report."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tashika.core.files import read_json
from tests.evaluate.conftest import make_model
from tests.studio import Studio

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "package"
BROKEN = """[project]
name = "tashika-broken"
version = "0.1.0"
[project.entry-points."tashika.suites"]
broken = "broken_suite:SUITE"
[tool.setuptools]
py-modules = ["broken_suite"]
"""


def _tracked_copy(target: Path) -> Path:
    """What git knows of this repository: what a wheel is built from."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not name.startswith(("typings/", "tests/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    return target


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with our wheel, the plugin's, and one that is broken.

    What they depend on comes from this environment, without our own package in it: a path in a .pth file is searched
    for packages, while the .pth files there, by which an editable install is found, are not read.
    """
    folder = tmp_path_factory.mktemp("plugin")
    broken = folder / "broken"
    broken.mkdir()
    (broken / "pyproject.toml").write_text(BROKEN)
    (broken / "broken_suite.py").write_text("raise RuntimeError('half installed')\n")
    plugin = Path(shutil.copytree(PACKAGE, folder / "riddles"))
    sources = [_tracked_copy(folder / "tashika"), plugin, broken]
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder / "wheels"),
    ]
    subprocess.run([*build, *sources], check=True, capture_output=True)
    venv.create(folder / "venv", with_pip=False)
    made = folder / "venv" / "bin" / "python"
    here = sysconfig.get_paths()["purelib"]
    there = Path(
        subprocess.check_output(
            [made, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], text=True
        ).strip()
    )
    (there / "dependencies.pth").write_text(f"{here}\n")
    install = [sys.executable, "-m", "pip", f"--python={made}", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, *(folder / "wheels").glob("*.whl")], check=True, capture_output=True)
    return made


@pytest.fixture
def run(python: Path, tmp_path: Path, studio: Studio) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command line in an empty folder."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment |= {"TASHIKA_LABEL_STUDIO_URL": studio.address.url, "TASHIKA_LABEL_STUDIO_TOKEN": studio.address.token}

    def tashika(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [str(python), "-m", "tashika.core.cli", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return tashika


def test_a_suite_of_another_package_runs_from_build_to_report(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    steps: list[tuple[str | Path, ...]] = [
        ("build", "riddles"),
        *(("annotate", step, "riddles") for step in ("push", "simulate", "pull", "vote", "status")),
        ("export", "riddles"),
        ("evaluate", "riddles", "--model", make_model("gpt2", tmp_path / "gpt2"), "--device", "cpu,cpu"),
        ("report", "riddles"),
        ("status",),
    ]
    for step in steps:
        done = run(*step)
        assert done.returncode == 0, f"{step}: {done.stderr}"
        assert "warning: the suite 'broken' (broken_suite:SUITE of the package tashika-broken) cannot be imported" in (
            done.stderr
        )
    released = pq.read_table(tmp_path / "work" / "riddles" / "release" / "riddles" / "test.parquet").to_pylist()
    assert {row["options"][row["answer"]] for row in released} >= {"a piano", "a towel"}
    (metrics,) = (tmp_path / "work" / "riddles" / "evaluate").glob("*/metrics.json")
    assert read_json(metrics)["riddles"] == len(released)
    page = (tmp_path / "work" / "riddles" / "evaluate" / "report.html").read_text()
    assert ">Riddles</" in page
    assert "Simulated annotators" in page


def test_the_suite_stands_in_every_list(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    for command in ("build", "evaluate"):
        assert "Riddles: does a model find the answer?" in run(command, "--help").stdout
    assert "Build riddles from the packaged table." in run("build", "riddles", "--help").stdout
