"""The file of gold questions: what an answer may be, and what is said of wrong lines; and the sheet to fill in."""

from __future__ import annotations

import codecs
import csv
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from tashika.annotation.command import app
from tashika.annotation.gold.file import read_gold, read_known
from tashika.annotation.judging.questionnaires import gold_questions, to_judge, voted
from tashika.annotation.kuci.pages import CAUSE
from tashika.annotation.kuci.pages import PAGES as KUCI
from tashika.annotation.labelling import Known
from tashika.annotation.markup import plain, said
from tashika.annotation.myriadlama.pages import PAGES as MYRIADLAMA
from tashika.annotation.semrel.pages import PAGES as SEMREL
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError, InputError
from tashika.core.workspace import Workspace
from tests.annotation.custom import samples as custom_samples
from tests.annotation.custom.samples import KINDS, page_of, settings_of
from tests.annotation.gold.samples import (
    ANSWERS,
    KNOWN,
    gold_lines_of,
    gold_suite,
    item_ids,
    write_gold,
    write_items,
)


@pytest.fixture
def suite(tmp_path: Path) -> CustomSuite:
    found = gold_suite(tmp_path / "suite")
    write_gold(tmp_path / "suite" / "gold.csv", gold_lines_of())
    return found


@pytest.fixture
def work(suite: CustomSuite, tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path / "work", suite.name)
    write_items(workspace)
    return workspace


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_read_as_the_page_has_it(suite: CustomSuite, kind: str) -> None:
    page, row = page_of(suite, kind), custom_samples.item(kind, "x")
    assert read_known(ANSWERS[kind], page, row) == (KNOWN[kind], None)
    assert read_known("", page, row) == (None, "the answer is empty")
    if kind != "saying":
        answer, problem = read_known("nonsense", page, row)
        assert answer is None
        assert problem is not None
        assert "found the answer 'nonsense'; expected" in problem


def test_the_answers_of_published_pages(kuci_samples: ModuleType, samples: ModuleType, semrel: ModuleType) -> None:
    template = samples.templates()[0]
    assert read_known("valid", MYRIADLAMA[0], template) == ("valid", None)
    assert read_known(CAUSE, KUCI[0], {"item_id": "i"}) == (CAUSE, None)
    question = {"item_id": "q", "answer": 2}
    assert read_known("", KUCI[1], question) == ("3", None)  # the question knows it
    assert read_known("1", KUCI[1], question) == (None, "found the answer '1', but the item itself says '3'")
    probe = semrel.probe("dog", 0)
    assert read_known("animal | pet", SEMREL[0], probe) == ("animal\npet", None)
    assert read_known("|", SEMREL[0], probe)[0] is None


def test_items_are_asked_to_train_or_to_check_and_are_not_voted(suite: CustomSuite, work: Workspace) -> None:
    settings = settings_of(suite)
    known = read_gold(suite.path.parent / "gold.csv", work, suite.load("annotation"), settings.gold.training)
    ids = item_ids("pair")
    assert known["pair"] == {
        ids[0]: Known("entails", "since <b>", trains=True),
        ids[1]: Known("entails", "because"),
        ids[2]: Known("entails"),
    }
    page = replace(page_of(suite, "pair"), gold=known["pair"])
    table = work.read_items("pair")
    assert set(gold_questions(page, table)["item_id"].to_pylist()) == set(ids[1:3])
    assert set(voted(page, table)["item_id"].to_pylist()) == set(ids[3:])
    assert to_judge(page, table, settings) == sorted(ids[1:])
    training = replace(page, training=True)
    assert to_judge(training, table, settings) == ids[:1]


def test_every_wrong_line_is_named(suite: CustomSuite, work: Workspace, tmp_path: Path) -> None:
    ids = item_ids("pair")
    path = write_gold(
        tmp_path / "wrong.csv",
        [
            [ids[0], "entails", ""],
            [ids[0], "neutral", ""],
            ["0" * 32, "neutral", ""],
            ["", "neutral", ""],
            [ids[1], "", "why"],
            [ids[2], "perhaps", "two\nlines"],
            [ids[3], "Neither", ""],
            [ids[4], "maybe", ""],
        ],
    )
    with pytest.raises(InputError) as caught:
        read_gold(path, work, suite.load("annotation"))
    expected = "expected 'entails' or 'neutral' or 'contradicts'"
    assert caught.value.message.splitlines() == [
        f"{path}:3: the item {ids[0]} stands in line 2 already",
        f"{path}:4: there is no item '{'0' * 32}' among those that people judge",
        f"{path}:5: the item_id is empty",
        f"{path}:6: the answer is empty",
        f"{path}:8: found the answer 'perhaps'; {expected}",
        f"{path}:10: found the answer 'maybe'; {expected}",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found the columns \\(none\\); expected item_id, answer, explanation"),
        (b"item_id;answer\n", "found the columns item_id;answer"),
        (b"item_id,answer,answer\n", "each once"),
        (b"item_id,answer\na,b,c\n", "expected 2 fields"),
        (b"item_id,answer\n\xff\n", "not a CSV file in UTF-8"),
        (b'item_id,answer\n"a,b\n', "not a CSV file in UTF-8"),
    ],
)
def test_what_is_no_such_file_is_refused(
    suite: CustomSuite, work: Workspace, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_gold(path, work, suite.load("annotation"))
    with pytest.raises(InputError, match="no such file of gold questions"):
        read_gold(tmp_path / "none.csv", work, suite.load("annotation"))


def test_the_sheet_is_filled_in_and_read_back(suite: CustomSuite, work: Workspace, tmp_path: Path) -> None:
    out, words = suite.path.parent / "sheet.csv", ["gold", str(suite.path), "--work", str(work.root)]
    run = CliRunner()
    result = run.invoke(app, [*words, "--out", str(out), "--sample", "2"])
    assert result.exit_code == 0, result.output
    assert out.read_bytes().startswith(codecs.BOM_UTF8)  # or spreadsheets misread what is not ASCII
    with out.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["kind"] for line in lines] == [kind for kind in KINDS for _ in range(2)]
    assert lines[0]["answers"] == "sound or unsound or odd"
    assert "1 a 2 b" in lines[0]["shown"]
    again = run.invoke(app, [*words, "--out", str(out)])  # somebody may have filled it in
    assert isinstance(again.exception, InputError)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows({**line, "answer": ANSWERS[line["kind"]], "explanation": "why"} for line in lines)
    out.replace(suite.path.parent / "gold.csv")
    result = run.invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "pair: 1 gold question, 1 item of training" in result.output


def test_a_suite_file_names_no_file_outside_its_folder(tmp_path: Path) -> None:
    suite = gold_suite(tmp_path / "suite", '[annotate.gold]\nfile = "../gold.csv"\n')
    work = Workspace(tmp_path / "work", suite.name)
    write_items(work)
    result = CliRunner().invoke(app, ["gold", str(suite.path), "--work", str(work.root)])
    assert isinstance(result.exception, ConfigError)
    assert "gold.csv" in str(result.exception)


def test_html_as_text() -> None:
    html = '<style>a{}</style><table><tr><td style="x">1</td><td>a &lt;b&gt;</td></tr></table>c<br/>d'
    assert plain(html) == "1 a <b> c d"
    both = f"<b>{said('from <x>', '開始')}</b> 1990"
    assert [plain(both, language) for language in ("en", "ja")] == ["from <x> 1990", "開始 1990"]
