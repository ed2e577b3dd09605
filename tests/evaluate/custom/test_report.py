"""The page of a suite file's scores."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import InputError, MissingStageError
from tashika.core.workspace import Workspace
from tashika.evaluate.command import report
from tests.evaluate.custom.toy_scores import mood_scores, riddle_scores, write_scores
from tests.evaluate.custom.toys import RIDDLE_ROWS, RIDDLES, release_of, suite_of
from tests.evaluate.pages import rewrite, texts_of, words_of

MARKUP = '<script>alert("x")</script>'
Toys = tuple[CustomSuite, Workspace]


@pytest.fixture
def toys(tmp_path: Path) -> Toys:
    return riddle_scores(tmp_path)


def page_of(toys: Toys) -> str:
    suite, workspace = toys
    path: Path = suite.load("evaluate").write_report(workspace)
    return path.read_text(encoding="utf-8")


def scores_of(toys: Toys) -> list[Path]:
    return sorted(toys[1].evaluate.glob("*/metrics.json"))


def _say(said: dict[str, str], metrics: Any) -> None:
    metrics["model"].update(said)


def test_the_page_tells_who_answers_best_and_what_a_guess_comes_to(
    toys: Toys, assert_whole: Callable[[str], None]
) -> None:
    page = page_of(toys)
    assert_whole(page)
    assert set(re.findall(r"https?://[^\"' )<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    words = html.unescape(words_of(page))
    assert "2 models were asked to choose among options: 4 items of the kind “question”." in words
    # 3 of 4; Wilson's interval of it
    assert "The best, good: its accuracy is 75.0% (95 % interval 30.1% to 95.4%); guessing comes to 45.8%." in words
    assert "poor: 1 unparsable after 1 attempt: prose" in words
    # only good is right twice, only poor never: p = 2 * 1/4
    told = r"good against poor Accuracy not told apart \+50\.0 points .*? 75\.0% 25\.0% 2 0 \.500 \.500"
    assert re.search(told, words)
    assert "By place" in words
    assert "Riddles of the <north>" in words


def test_questions_stand_there_with_what_was_answered(toys: Toys) -> None:
    words = words_of(page_of(toys))
    assert "3 right: good" in words
    assert "1 wrong: good" in words
    assert re.search(r"Never hurt\? a child the rain ✓ good ✗ wrong a child poor ✗ wrong Who knows\?", words)


def test_labels_are_shown_as_a_picture_and_beside_people(tmp_path: Path, assert_whole: Callable[[str], None]) -> None:
    page = page_of(mood_scores(tmp_path))
    assert_whole(page)
    figures = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    [picture] = [figure for figure in figures if "system 2" in figure]
    texts = texts_of(picture)
    assert texts.count("unreadable") == 1  # of poor, one reply could not be read
    assert sorted(text for text in texts if text.isdigit()) == sorted("200010000001")
    words = words_of(page)
    assert "One person, left out of the others" in words
    # F1 of good: 2/3 (1 of 2 given back, none wrong), of bad: 2/3, of neither: 1
    assert re.search(r"macro F1 is 0\.78", words)


def test_what_a_system_says_of_itself_is_escaped(toys: Toys) -> None:
    for number, path in enumerate(scores_of(toys)):
        said = {name: f"{name} {number} {MARKUP}" for name in ("name", "note", "revision")}
        rewrite(path, partial(_say, said))
    page = page_of(toys)
    assert MARKUP not in page
    for number in range(2):
        assert f"name {number} {MARKUP}" in html.unescape(page)
        assert f"note {number} {MARKUP}" in html.unescape(page)


def test_what_items_and_the_suite_say_is_escaped(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES.replace("Riddles & answers.", MARKUP.replace('"', "'")))
    texts = [{**row, "text": f"{number} {MARKUP}", "place": MARKUP} for number, row in enumerate(RIDDLE_ROWS)]
    options = [{**row, "options": [f"{option} {MARKUP}" for option in row["options"]]} for row in texts]
    workspace = release_of(suite, tmp_path / "work", options)
    write_scores(suite, workspace, "only", [0, 1, 0, 0])
    page = page_of((suite, workspace))
    assert "<script>alert" not in page
    assert f"0 {MARKUP}" in html.unescape(page)


def test_simulation_is_said_where_there_is_one_and_only_there(toys: Toys) -> None:
    assert "imulated annotators" not in words_of(page_of(toys))
    rewrite(toys[1].release / "release.json", lambda record: record.update(simulated=True))
    assert "Simulated annotators. Programs judged items of this release" in words_of(page_of(toys))


def test_scores_of_another_release_are_pointed_out_and_not_compared(toys: Toys) -> None:
    assert "another release" not in words_of(page_of(toys))
    rewrite(toys[1].release / "release.json", lambda record: record.update(digest="ee" * 32))
    words = words_of(page_of(toys))
    assert words.count("was scored on another release (d1") == 2
    assert "good against poor Accuracy" in words  # both were scored on that other one


def test_another_task_is_pointed_out_and_left_out(toys: Toys) -> None:
    rewrite(scores_of(toys)[1], lambda metrics: metrics["asking"].update(task="generate"))
    words = words_of(page_of(toys))
    assert "poor was asked to answer in words, which is another task: its scores are left out." in words
    assert "One model was asked" in words


def test_systems_that_were_asked_otherwise_are_pointed_out(toys: Toys) -> None:
    rewrite(scores_of(toys)[1], lambda metrics: metrics["asking"]["settings"].update(prompt="{{ text }}!"))
    assert "The systems below were not asked in the same way" in words_of(page_of(toys))


def test_scores_alone_make_a_page(toys: Toys, assert_whole: Callable[[str], None]) -> None:
    for path in toys[1].root.rglob("*"):
        if path.is_file() and path.name != "metrics.json":
            path.unlink()
    page = page_of(toys)
    assert_whole(page)
    assert "another release" not in words_of(page)


def test_a_page_is_written_once(toys: Toys, capsys: pytest.CaptureFixture[str]) -> None:
    first = page_of(toys)
    capsys.readouterr()
    assert page_of(toys) == first
    assert "nothing to do" in capsys.readouterr().err


def test_the_command_takes_the_file(toys: Toys) -> None:
    suite, workspace = toys
    result = CliRunner().invoke(report, [str(suite.path), "--work", str(workspace.root)])
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(workspace.evaluate / "report.html")


def test_without_scores_the_command_that_makes_them_is_named(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES)
    with pytest.raises(MissingStageError, match="no model has been scored yet") as error:
        suite.load("evaluate").write_report(Workspace(tmp_path, suite.name))
    assert f"tashika evaluate {suite.path} --model" in (error.value.hint or "")


def test_scores_that_lack_a_number_are_named(toys: Toys) -> None:
    path = scores_of(toys)[-1]
    rewrite(path, lambda metrics: metrics.pop("score"))
    with pytest.raises(InputError, match=r"poor/metrics\.json: score: Field required"):
        page_of(toys)
    assert not (toys[1].evaluate / "report.html").exists()
