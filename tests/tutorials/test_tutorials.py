"""Each tutorial, from its first to its last command in an empty folder, with a real Label Studio and a local Hub."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt

from tashika.core.files import read_json
from tashika.core.suites import discovery
from tests.exports.conftest import NETWORK
from tests.studio import Studio
from tests.tutorials.reading import Step, commands_of, steps_of, write_file

ROOT = Path(__file__).parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
Run = Callable[..., tuple[int, str, str]]
StandIns = Mapping[str, Callable[[], object]]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the packaged model is once it was made ready, so that not every tutorial converts it."""
    return tmp_path_factory.mktemp("tutorials") / "models"


@pytest.fixture
def folder(tmp_path: Path, studio: Studio, hub: Any, models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder, empty but for a model that is ready, with a Label Studio and a Hub in reach."""
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_URL", studio.address.url)
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_TOKEN", studio.address.token)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    reader = tmp_path / "reader"
    reader.mkdir()
    if models.exists():
        shutil.copytree(models, reader / "work" / "models", copy_function=os.link)
    monkeypatch.chdir(reader)
    return reader


def follow(page: Path, tashika: Run, stand_ins: StandIns | None = None) -> str:
    """Does what a page says, in the folder that this process is in; returns all that the commands print."""
    printed = []
    known: StandIns = {"serve": lambda: None, **(stand_ins or {})}  # the server of the tests runs already
    for step in steps_of(page):
        where = f"{page.name}:{step.line}"
        if step.instead in known:
            known[step.instead]()
        elif step.file is not None:
            write_file(step, Path.cwd())
        elif step.language == "python":
            printed.append(_run_python(step.text, where))
        else:
            printed += _run_commands(step, tashika, where)
    return "".join(printed)


def _run_python(text: str, where: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, **NETWORK}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{where}: {done.stderr}"
    return done.stdout


def _run_commands(step: Step, tashika: Run, where: str) -> list[str]:
    commands = [step.instead.split()] if step.instead else step.commands
    printed = []
    for i, (program, *arguments) in enumerate(commands):
        assert program == "tashika", f"{where}: {program}: the test runs no other program; name what stands for it"
        vars(discovery)["_opened"].clear()  # the reader's next command is another process, which reads suite files anew
        code, out, err = tashika(*arguments)
        expected = step.code if i == len(commands) - 1 else 0
        assert code == expected, f"{where}: tashika {' '.join(arguments)}: {out}{err}"
        printed.append(out + err)
    return printed


def keep_model(folder: Path, models: Path) -> None:
    """Keeps the model that a tutorial has made ready for the next one."""
    if not models.exists():
        shutil.copytree(folder / "work" / "models", models, copy_function=os.link)


@pytest.mark.slow
def test_a_csv_of_ones_own_to_the_hub(folder: Path, models: Path, hub: Any, tashika: Run) -> None:
    printed = follow(TUTORIALS / "csv-to-hub.md", tashika)
    keep_model(folder, models)
    page = (TUTORIALS / "csv-to-hub.md").read_text(encoding="utf-8")
    shown = [line.strip() for line in page.splitlines() if line.startswith("    ")]
    assert len(shown) == 2
    assert [line for line in shown if line not in printed] == []  # the error that the page shows is the one that comes
    assert list(hub.repos) == ["ORG/quiz"]
    published = hub.repos["ORG/quiz"]
    assert published.visibility == "private"
    assert list(published.tags) == ["v0.1.0"]
    release = read_json(folder / "work" / "quiz" / "release" / "release.json")
    assert release["simulated"] is True
    files = (folder / "work" / "quiz" / "release").glob("question/*.parquet")
    rows = sum(pq.read_table(file).num_rows for file in files)
    assert 0 < rows <= 12
    assert f"{rows} questions" in printed  # what the page's lines of Python print
    assert "A small quiz on nature" in (folder / "work" / "quiz" / "evaluate" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_a_team_annotates(folder: Path, tashika: Run) -> None:
    def decide() -> None:
        """Fills in the table of undecided items as a person does who takes the same label for all of them."""
        with Path("open.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows, "the votes leave nothing open: take another seed on the page"
        with Path("open.csv").open("w", encoding="utf-8", newline="") as file:
            lines = csv.DictWriter(file, list(rows[0]))
            lines.writeheader()
            lines.writerows({**row, "decision": "accepted", "text": "neutral"} for row in rows)

    printed = follow(TUTORIALS / "team.md", tashika, {"decide": decide})
    assert [name for name in ("Anna", "Ben", "Chie") if name not in printed] == []
    work = folder / "work" / "pairs" / "annotation"
    validation = json.dumps(read_json(work / "validation.json"))
    assert "agreement" in validation
    verdicts = pq.read_table(work / "verdicts.parquet").to_pylist()
    assert {row["decision"] for row in verdicts} == {"accepted"}
    assert {"adjudicated", "gold"} < {row["rule"] for row in verdicts}
    assert (work / "report.html").is_file()
    assert "pairs" in printed


@pytest.mark.slow
def test_a_release_is_scored(folder: Path, models: Path, tashika: Run) -> None:
    def run_lm_eval() -> None:
        """Writes what lm-eval logs: the release's rows, and whether each was right."""
        log = folder / "out" / "org__smollm2" / "samples_capitals_2026-11-23T00-00-00.000000.jsonl"
        log.parent.mkdir(parents=True)
        [rows] = [pq.read_table(file).to_pylist() for file in folder.glob("work/capitals/release/*/test*.parquet")]
        numbers = {"filter": "none", "metrics": ["acc", "acc_norm"], "acc": 1.0, "acc_norm": 1.0}
        lines = [json.dumps({"doc_id": i, "doc": row, **numbers}, default=str) for i, row in enumerate(rows)]
        log.write_text("\n".join(lines) + "\n", encoding="utf-8")

    page = TUTORIALS / "score.md"
    asked: list[Step] = [step for step in steps_of(page) if step.instead in {"lm-eval", "inspect"}]
    printed = follow(page, tashika, {"lm-eval": run_lm_eval, "inspect": lambda: None})
    keep_model(folder, models)
    card = (folder / "work" / "capitals" / "release" / "README.md").read_text(encoding="utf-8")
    known = [*_lines_of(card), *_lines_of((ROOT / "docs" / "task-files.md").read_text(encoding="utf-8"))]
    own = {"../../../out": "out", "hf/ORG/capitals@v0.1.0": "hf/ORG/NAME@v0.1.0"}  # the page's own places
    for command in (command for step in asked for command in step.commands if command[0] in {"lm-eval", "inspect"}):
        assert [own.get(word, word) for word in command] in known, command
    assert "lm-eval" in printed
    systems = [path.name for path in (folder / "work" / "capitals" / "evaluate").iterdir() if path.is_dir()]
    assert len([name for name in systems if name.startswith("smollm2")]) == 2


def _lines_of(card: str) -> list[list[str]]:
    """The commands on the card of a release."""
    blocks = [token.content for token in MarkdownIt("commonmark").parse(card) if token.type in {"fence", "code_block"}]
    return [words for block in blocks for words in commands_of(block)]


def test_every_tutorial_is_followed_here() -> None:
    tested = {"csv-to-hub.md", "team.md", "score.md"}
    assert {path.name for path in TUTORIALS.glob("*.md")} - {"README.md"} == tested
