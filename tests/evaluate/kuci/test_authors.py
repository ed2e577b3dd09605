"""The authors' own files as questions: what is read, what is refused, and scores on them without a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tashika.evaluate.command import app
from tashika.evaluate.kuci.authors import import_questions
from tashika.evaluate.kuci.questions import KuciQuestion, read_release
from tashika.evaluate.kuci.report import write_report
from tests.evaluate.kuci.toys import a_workspace
from tests.evaluate.pages import words_of

README: dict[str, Any] = {
    "id": 0,
    "context": "電池 の 減り は やはり 早い ので 、",
    "choice_a": "実際 の 半導体 製造 装置 は 実現 し ませ ん",
    "choice_b": "今回 は 期間 限定 で の お 届け に なり ます",
    "choice_c": "原子 炉 を 手動 停止 する",
    "choice_d": "充電 用 に ＵＳＢ ケーブル 買い ます",
    "label": "d",
    "agreement": 2,
    "core_event_pair": "減り/へりv,ガ,早い/はやい|ケーブル/けーぶる,ヲ,買う/かう",
}
"""The line that the README of github.com/ku-nlp/KUCI shows."""


def line(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A line of our own; the answer's place goes round."""
    choices = {f"choice_{letter}": f"{letter} を {number} 回 する" for letter in "abcd"}
    return {
        "id": number, "context": f"{number} 時 に なった ので 、", **choices, "label": "abcd"[number % 4],
        "agreement": 2 + number % 3, "core_event_pair": f"pair {number % 2}", **changes,
    }  # fmt: skip


def write(folder: Path, **parts: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in parts.items():
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work", "kuci")


def read(workspace: Workspace, path: Path, **options: bool) -> tuple[KuciQuestion, ...]:
    import_questions(workspace, path, **options)
    return read_release(workspace.release).part("both", "test")


def test_the_readmes_line_is_a_question(tmp_path: Path, workspace: Workspace) -> None:
    (question,) = read(workspace, write(tmp_path / "kuci", test=[README]) / "test.jsonl")
    assert question.context == "電池の減りはやはり早いので"
    assert question.options[3] == "充電用にＵＳＢケーブル買います"
    assert (question.answer, question.agreement) == (3, 2)
    assert question.cluster == README["core_event_pair"]
    assert (question.relation, question.similarities, question.more_than_one) == ("", (), "not judged")


def test_the_spaces_of_jumanpp_may_stay(tmp_path: Path, workspace: Workspace) -> None:
    (question,) = read(workspace, write(tmp_path / "kuci", test=[README]), keep_words=True)
    assert question.context == "電池 の 減り は やはり 早い ので"
    assert question.options[2] == "原子 炉 を 手動 停止 する"


def test_an_older_file_has_numbers_as_texts_and_no_pair(tmp_path: Path, workspace: Workspace) -> None:
    old = {**README, "id": "0", "agreement": "2"}
    del old["core_event_pair"]
    (question,) = read(workspace, write(tmp_path / "kuci", test=[old]))
    assert (question.agreement, question.cluster) == (2, "電池の減りはやはり早いので")


@pytest.mark.parametrize("name", ["dev", "development", "validation"])
def test_a_folder_has_three_parts(
    tmp_path: Path, workspace: Workspace, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "kuci", train=[line(i) for i in range(4)], test=[line(6), line(7), line(8)])
    write(folder, **{name: [line(8), line(9)]})
    import_questions(workspace, folder)
    parts = read_release(workspace.release).sets["both"]  # a context in two parts is the authors' matter
    assert {split: len(questions) for split, questions in parts.items()} == {"train": 4, "validation": 2, "test": 3}
    said = " ".join(capsys.readouterr().err.split())
    assert "4 train, 2 validation, 3 test; their README has 83,127 train" in said
    assert "1 test question has a context that stands in training or validation as well" in said
    assert "3 test questions have a core event pair that stands in training or validation as well" in said
    import_questions(workspace, folder)
    assert "nothing to do" in capsys.readouterr().err


def test_a_question_with_the_same_option_twice_is_left_out(tmp_path: Path, workspace: Workspace) -> None:
    twice = line(1, choice_b="a を 1 回 する")
    assert len(read(workspace, write(tmp_path / "kuci", test=[line(0), twice]))) == 1
    notes = read_json(workspace.release / "release.json")["notes"]
    assert "1 question was left out: the same option twice." in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "not JSON"),
        ("[" * 100_000 + "]" * 100_000, "not JSON: nested too deeply"),
        (json.dumps(line(0, choice_a="\ud800")), "not JSON: half a character"),
        (json.dumps(line(0, agreement=10**100)), "expected a number"),
        ("[1]", "found a JSON list"),
        (json.dumps({"question": "?"}), "found the keys question, 'id' is missing"),
        (json.dumps(line(0, label=None)), "there is no label"),
        (json.dumps(line(0, label="e")), "found the label 'e', expected one of a, b, c, d"),
        (json.dumps(line(0, label=3)), "found the label 3"),
        (json.dumps(line(0, choice_c=" ")), "found the choice_c ' ', expected text"),
        (json.dumps(line(0, context=["a"])), "found the context"),
        (json.dumps(line(0, agreement="many")), "found the agreement 'many', expected a number"),
        (json.dumps(line(5)), "the id stands above already"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, workspace: Workspace, text: str, message: str) -> None:
    folder = write(tmp_path / "kuci", test=[line(5)])
    with (folder / "test.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")  # an empty line is no line
    with pytest.raises(InputError, match=message) as caught:
        import_questions(workspace, folder)
    assert caught.value.where == f"{folder / 'test.jsonl'}, line 3"
    assert "expected" in str(caught.value)
    assert not (workspace.release / "release.json").exists()


def test_files_that_are_not_there(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        import_questions(workspace, tmp_path / "none")
    (tmp_path / "kuci" / "dataset").mkdir(parents=True)
    with pytest.raises(InputError, match=r"found dataset, expected test.jsonl") as caught:
        import_questions(workspace, tmp_path / "kuci")
    assert "`dataset`" in (caught.value.hint or "")
    (tmp_path / "latin.jsonl").write_bytes("é".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        import_questions(workspace, tmp_path / "latin.jsonl")


def test_a_working_directory_with_a_build_is_refused(tmp_path: Path) -> None:
    mine = a_workspace(tmp_path / "mine")
    before = pq.read_table(mine.release / "questions" / "test.parquet")
    with pytest.raises(InputError, match="scores of two data sets are kept apart") as caught:
        import_questions(mine, write(tmp_path / "kuci", test=[README]))
    assert "--work" in (caught.value.hint or "")
    assert pq.read_table(mine.release / "questions" / "test.parquet").equals(before)


def test_scores_and_a_page_without_a_build(tmp_path: Path, workspace: Workspace) -> None:
    folder = write(
        tmp_path / "kuci",
        train=[line(i) for i in range(12)],
        dev=[line(i) for i in range(12, 16)],
        test=[line(i) for i in range(16, 24)],
    )
    words = ["kuci", "--questions", str(folder), "--work", str(workspace.root)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    metrics = read_json(workspace.evaluate / "baseline-most-frequent-place" / "metrics.json")
    own = metrics["sets"]["both"]
    assert (own["questions"], own["accuracy"]) == (8, 0.25)  # each place is right twice
    assert {name: share["questions"] for name, share in own["by_agreement"].items()} == {"2": 2, "3": 3, "4": 3}
    assert (own["by_relation"], own["wrong"]) == ({}, {})
    page = words_of(write_report(workspace).read_text(encoding="utf-8"))
    assert "These are the authors' own questions, from their files: 12 train, 4 validation, 8 test" in page
    assert "As published, on these questions" in page
    assert "People 88.9%" in page
    assert "16時になったので、" in page


def test_a_file_alone_is_asked_of_what_needs_no_training(
    tmp_path: Path, workspace: Workspace, toy_encoder: Path
) -> None:
    file = write(tmp_path / "kuci", test=[line(i) for i in range(4)]) / "test.jsonl"
    words = ["kuci", "--questions", str(file), "--work", str(workspace.root)]
    assert CliRunner().invoke(app, words).exit_code == 0
    scored = {path.parent.name for path in workspace.evaluate.glob("*/metrics.json")}
    assert "baseline-longest-option" in scored
    assert not {"baseline-bag-of-words", "baseline-most-frequent-place"} & scored
    result = CliRunner().invoke(app, [*words, "--model", str(toy_encoder)])
    assert isinstance(result.exception, InputError)
    assert "there are no questions to train on" in str(result.exception)


def test_words_are_kept_of_the_authors_files_alone(workspace: Workspace) -> None:
    result = CliRunner().invoke(app, ["kuci", "--keep-words", "--work", str(workspace.root)])
    assert isinstance(result.exception, InputError)
    assert "found --keep-words without --questions" in str(result.exception)
