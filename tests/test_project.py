"""The project itself: what the wheel holds, and the rules that no tool of others checks."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("core", "builders", "annotation", "exports", "evaluate")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not name.startswith("typings/"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as built:
        return built.namelist()


def test_the_wheel_has_one_import_namespace(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel if ".dist-info" not in name}
    assert tops == {"tashika"}
    assert "tashika/__init__.py" not in wheel


def test_the_wheel_has_every_module_and_data_file(wheel: list[str]) -> None:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            assert f"tashika/{path.relative_to(ROOT)}" in wheel
    for name in ("configs/myriadlama.toml", "configs/myriadlama_templates.toml"):
        assert f"tashika/{name}" in wheel
    for suite in ("wikidata", "tempripple"):
        for name in ("snapshot.ttl", "entities.tsv", "facts/P17.tsv"):
            assert f"tashika/data/{suite}/{name}" in wheel
    for name in ("norms.csv", "noun.exc", "mass_nouns.txt", "controls.tsv"):
        assert f"tashika/data/semrel/{name}" in wheel
    for pattern in (
        "annotation/*/*.xml",
        "annotation/*/*.toml",
        "annotation/*/*.css",
        "annotation/labelstudio/inserted/*",
        "evaluate/*/*.j2",
        "evaluate/*/*.css",
        "exports/*/*.jinja",
        "exports/metadata/texts/*",
        "core/custom/patterns/*/*",
    ):
        found = [path.relative_to(ROOT) for path in ROOT.glob(pattern)]
        assert found, pattern
        assert [path for path in found if f"tashika/{path}" not in wheel] == []


def test_every_dependency_is_justified_in_one_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(name for group in project["optional-dependencies"].values() for name in group),
    ]
    text = (ROOT / "CONTRIBUTING.md").read_text()
    names = {requirement.split(">")[0].split("<")[0].split("[")[0] for requirement in listed}
    assert [name for name in sorted(names) if f"| {name} |" not in text] == []


def test_the_rooms_know_only_core() -> None:
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


SAFELY = {
    ".from_pretrained": "trust_remote_code=False",
    ".pipeline": "trust_remote_code=False",
    ".torch.load": "weights_only=True",
}
"""Calls of transformers and torch that can run code of a checkpoint, and the argument that forbids it."""


def test_no_call_lets_a_checkpoint_run_code() -> None:
    """transformers asks on the terminal where nothing is said, and torch has changed its default before."""
    files = [file for folder in (*ROOMS, "bench") for file in (ROOT / folder).rglob("*.py")]
    unsafe = []
    for path in files:
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            name, given = f".{ast.unparse(call.func)}", [ast.unparse(one) for one in call.keywords]
            needed = [argument for ending, argument in SAFELY.items() if name.endswith(ending)]
            unsafe += [f"{path}:{call.lineno}: {argument}" for argument in needed if argument not in given]
    assert unsafe == []
