"""Every file of a finished workspace, damaged in turn: later commands name it with what to do, or do without it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tashika.core.workspace import Workspace
from tests.evaluate.custom.toy_scores import write_scores
from tests.exports.custom.test_export import SUITE as TOYS
from tests.exports.custom.test_export import answer, export, fill

LABELS: Final = """
form = "label"
labels = ["yes", "no"]

[export]
{export}

[evaluate]
task = "classification"
prompt = "{{{{ text }}}} That is"
target = "label"
resamples = 50
"""
BINARY: Final = b"\x80\x00\xff\xfe PK\x03\x04"
DAMAGES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "half": lambda content: content[: len(content) // 2],
    "list": lambda _: b"[]",
    "object": lambda _: b"{}",
    "number": lambda _: b"7",
    "wrong types": lambda content: re.sub(rb'": (?:"[^"]*"|[\d.]+|true|false)', b'": [3]', content),
    "binary": lambda _: BINARY,
    "empty": lambda _: b"",
}
COMMANDS: Final = {
    "status": ("status",),
    "check": ("check", "SUITE"),
    "export": ("export", "SUITE"),
    "publish": ("publish", "SUITE", "--repo", "lab/toys", "--dry-run"),
    "diff": ("diff", "SUITE"),
    "show": ("show", "SUITE", "--model", "good"),
    "compare": ("compare", "SUITE", "good", "poor"),
    "report": ("report", "SUITE"),
    "results": ("report", "SUITE", "--results", "OUT"),
    "evaluate": ("evaluate", "SUITE", "--model", "no-such-model", "--dry-run"),
}


def suite_file(folder: Path, export: str = "") -> Path:
    """Writes the suite file."""
    path = folder / "toys.toml"
    path.write_text(f"{TOYS}{LABELS.format(export=export)}", encoding="utf-8")
    (folder / "pairs.csv").write_text("text,group,known,other\n")
    return path


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace from items to scores, in its second version; read only."""
    from tashika.core.custom.suite import open_suite_file
    from tashika.core.suites.discovery import open_suite

    folder = tmp_path_factory.mktemp("finished")
    workspace = Workspace(folder / "work", "toys")
    open_suite(str(suite_file(folder)))
    ids = fill(workspace)
    answer(workspace, ids, votes=[3, 0], label="yes")
    export(workspace)
    path = suite_file(folder, 'version = "0.2.0"')
    open_suite(str(path))
    export(workspace)
    suite = open_suite_file(path)
    for name, places in (("good", [0] * 7), ("poor", [0, 1, 1, 0, 1, 1, 0])):
        write_scores(suite, workspace, name, places)
    return folder


def plain_files(folder: Path) -> list[str]:
    """All files but tables and drawn pages."""
    files = sorted(path for path in (folder / "work").rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files if path.suffix not in {".parquet", ".html"}]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_no_damaged_file_ends_in_a_traceback(
    damage: str, finished: Path, tmp_path: Path, tashika: Callable[..., Any]
) -> None:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    wrong = []
    for name in plain_files(finished):
        for command, words in COMMANDS.items():
            shutil.rmtree(tmp_path / "work")
            shutil.copytree(finished / "work", tmp_path / "work")
            file = tmp_path / name
            file.write_bytes(DAMAGES[damage](file.read_bytes()))
            places = {"SUITE": str(tmp_path / "toys.toml"), "OUT": str(tmp_path / "out")}
            given = [places.get(word, word) for word in words]
            try:
                ran = tashika(*given, "--work", tmp_path / "work")
            except Exception as error:  # what `main` lets through would be a traceback
                wrong.append(f"{command} after {name}: {type(error).__name__}: {error}")
                continue
            if ran.code and "  " not in ran.err:
                wrong.append(f"{command} after {name}: no word on what to do: {ran.err}")
    assert not wrong, "\n".join(wrong)
