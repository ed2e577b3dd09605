"""Completion by the protocol that the shells' scripts speak: variables in, words out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tashika.core.custom.new import write_suite
from tashika.core.files import write_text
from tashika.core.suites.discovery import all_suites

Run = Callable[..., tuple[int, str, str]]
Complete = Callable[..., list[str]]


@pytest.fixture
def complete(tashika: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Complete:
    """What bash is offered for a line of words, the last of which is not complete."""
    monkeypatch.chdir(tmp_path)

    def offers(*words: str | Path) -> list[str]:
        monkeypatch.setenv("_TASHIKA_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(["tashika", *map(str, words)]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        code, out, err = tashika()
        assert code == 0
        assert err == ""
        return out.split()

    return offers


def test_the_script_for_a_shell_is_shown(tashika: Run) -> None:
    """As `--show-completion bash` does, for the shell that is named and not the one that runs."""
    code, out, _ = tashika("--show-completion", "bash")
    assert code == 0
    assert "_TASHIKA_COMPLETE=complete_bash" in out


@pytest.mark.parametrize("command", ["build", "annotate push", "export", "evaluate", "report", "demo", "check"])
def test_suites_are_offered_by_name_and_from_this_folder(complete: Complete, tmp_path: Path, command: str) -> None:
    write_suite(tmp_path / "riddles", "verdict")
    write_text(tmp_path / "kuci-own.toml", 'suite = "kuci"\n')  # settings
    (tmp_path / "notes.toml").write_bytes(b"\xff")
    assert complete(*command.split(), "") == [*all_suites(), "riddles"]
    assert complete(*command.split(), "k") == ["kuci"]
    assert complete(*command.split(), "riddles/") == ["riddles/suite.toml"]
    assert complete(*command.split(), f"{tmp_path}/rid") == [f"{tmp_path}/riddles"]
    assert complete(*command.split(), "no/such") == []


@pytest.mark.parametrize("suite", all_suites())
def test_models_are_those_that_can_be_made_and_those_made(complete: Complete, tmp_path: Path, suite: str) -> None:
    for name in ("smollm2", "mine"):
        write_text(tmp_path / "w" / "models" / name / "config.json", "{}")
    models = complete("evaluate", suite, "--work", "w", "--model", "")
    assert {"smollm2", "tiny-bert", "w/models/mine"} <= set(models)
    assert "w/models/smollm2" not in models
    assert complete("evaluate", suite, "--model", "smo") == ["smollm2"]


def test_models_of_a_suite_of_ones_own(complete: Complete, tmp_path: Path) -> None:
    write_suite(tmp_path / "riddles", "verdict")
    assert complete("evaluate", "riddles", "--model", "smo") == ["smollm2"]


def test_releases_and_scored_systems(complete: Complete, tmp_path: Path) -> None:
    write_text(tmp_path / "work" / "kuci" / "release" / "release.json", "{}")
    write_text(tmp_path / "work" / "kuci" / "evaluate" / "model-a" / "metrics.json", "{}")
    assert complete("diff", "") == ["kuci", "work/kuci/release"]
    assert complete("compare", "kuci", "") == ["model-a"]
    assert complete("compare", "semrel", "") == []


def test_a_line_that_cannot_be_understood_is_left_alone(complete: Complete) -> None:
    assert complete("build", "no-such-suite", "--") == []


def test_no_heavy_library_is_loaded_for_it(tmp_path: Path) -> None:
    code = (
        "import os, sys; sys.argv = ['tashika']; os.environ.update(_TASHIKA_COMPLETE='complete_bash', "
        "COMP_WORDS='tashika evaluate kuci --model ', COMP_CWORD='4'); from tashika.core.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n"
        "    print(*sorted({'torch', 'numpy', 'pyarrow', 'rich.panel'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "smollm2" in done.stdout
    assert done.stderr == "\n"
