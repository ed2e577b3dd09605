from __future__ import annotations

import json
from pathlib import Path

from tashika.core.custom.schema import suite_schema
from tests.conftest import Ran
from tests.core.custom.test_reading import SOUND, changed
from tests.core.test_cli import Run


def written(folder: Path, text: str) -> Path:
    for name in ("riddles.csv", "guide.md"):
        (folder / name).write_text("text\n")
    path = folder / "suite.toml"
    path.write_text(text)
    return path


def test_a_sound_file_is_described_section_by_section(tashika: Run, tmp_path: Path) -> None:
    written(tmp_path, SOUND)
    code, out, err = tashika("check", tmp_path, "--work", tmp_path / "work")
    assert code == 0, err
    assert out.splitlines() == [
        "[suite] riddles: Riddles",
        "[build] question, from riddles.csv: text (string), options (strings), answer (int32), topic (string);"
        " one item for each text",
        "[annotate] question: verdict by 3 people an item",
        "[export] version 0.1.0, cc-by-4.0: validation 25%, test 75%",
        "[evaluate] multiple_choice on the test part of question",
    ]
    assert "the release is not checked yet" in err


def test_problems_are_listed_for_an_editor_to_jump_to(tashika: Run, tmp_path: Path) -> None:
    path = written(tmp_path, changed("annotators = 3", "annotators = 0").replace('title = "Riddles"\n', ""))
    ran = Ran(*tashika("check", path))
    assert ran.code == 2
    assert ran.out.splitlines() == [
        f"{path}:1: suite.title: is missing",
        f"{path}:10: annotate.annotators: expected greater than or equal to 1; found 0",
    ]
    assert f"{path}: 2 problems" in ran.err


def test_what_is_no_suite_file(tashika: Run, tmp_path: Path) -> None:
    code, out, _ = tashika("check", tmp_path / "none.toml")
    assert (code, out) == (2, f"{tmp_path / 'none.toml'}: there is no such file\n")
    code, _, err = tashika("check", "none")
    assert code == 2
    assert "there is no suite 'none'" in err
    code, _, err = tashika("check")
    assert code == 2
    assert "no suite is given" in err


def test_a_markup_of_the_terminal_is_a_text_like_any_other(tashika: Run, tmp_path: Path) -> None:
    written(tmp_path, changed('title = "Riddles"', 'title = "[red]Riddles[/bold]"'))
    assert "[red]Riddles[/bold]" in tashika("check", tmp_path, "--work", tmp_path / "work")[1]


def test_the_schema_is_printed_and_kept(tashika: Run) -> None:
    code, out, _ = tashika("check", "--schema")
    assert code == 0
    assert json.loads(out) == suite_schema()


def test_a_command_of_a_broken_suite_file_shows_its_first_problem(tashika: Run, tmp_path: Path) -> None:
    path = written(tmp_path, changed("annotators = 3", "annotators = 0") + 'by = "age"\n')
    code, _, err = tashika("export", path, "--work", tmp_path / "work")
    assert code == 2
    assert f"error: {path}:11: annotate.annotators" in err
    assert f"1 more: `tashika check {path} --work {tmp_path / 'work'}` shows all of them." in err
