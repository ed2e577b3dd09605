from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tashika.core.custom.new import PATTERNS, pattern_files
from tashika.core.custom.reading import check_suite_file
from tashika.core.custom.schema import suite_schema
from tests.core.test_cli import Run


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_is_sound(tashika: Run, tmp_path: Path, pattern: str) -> None:
    code, out, err = tashika("new", tmp_path / "riddles", "--pattern", pattern)
    assert code == 0, err
    assert [line.split()[1] for line in out.splitlines()] == ["check", "demo", "build", "annotate"]
    path = tmp_path / "riddles" / "suite.toml"
    file, problems = check_suite_file(path)
    assert problems == []
    assert file is not None
    assert file.suite.name == "riddles"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#:schema suite.schema.json\n")
    assert list(Draft202012Validator(suite_schema()).iter_errors(tomllib.loads(text))) == []
    assert (path.parent / "suite.schema.json").is_file()
    for name in ("guide.md", "guide.ja.md", "README.md"):
        assert "@NAME@" not in (path.parent / name).read_text(encoding="utf-8")
    assert "tashika check riddles" in (path.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_has_ten_rows_or_draws_ten(pattern: str) -> None:
    content = pattern_files(pattern)
    rows = [text.splitlines() for name, text in content.items() if name.endswith(".csv")]
    assert [len(lines) - 1 for lines in rows] == [10] if rows else "sample = 10" in content["suite.toml"]


def test_the_patterns_are_listed_with_the_default_first(tashika: Run) -> None:
    code, out, _ = tashika("new", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["verdict", "llm", "labels", "preference", "cloze"]


def test_nothing_is_written_over(tashika: Run, tmp_path: Path) -> None:
    (tmp_path / "riddles").mkdir()
    code, _, err = tashika("new", tmp_path / "riddles")
    assert code == 2
    assert "there is a file or folder of this name already" in err
    assert list((tmp_path / "riddles").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Riddles"], "found the name 'Riddles', expected 2 to 40 small letters"),
        (["kuci"], "there is a suite 'kuci' already"),
        (["riddles", "--pattern", "riddle"], "Patterns: verdict, llm, labels, preference, cloze."),
        ([], "no name is given"),
    ],
)
def test_what_cannot_be_written(
    tashika: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = tashika("new", *arguments)
    assert code == 2
    assert message in err
    assert list(tmp_path.iterdir()) == []
