"""`tashika build FILE`, from a suite file and a table to the items, and what a newcomer does wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer

SUITE = """
[suite]
name = "foods"
title = "Foods"

[build.kinds.question]
{source}
key = ["text"]
columns = {{ text = "string", options = "strings", answer = "{answer}" }}

[evaluate]
task = "multiple_choice"
{asked}
choices = "options"
target = "answer"
"""
ROWS = "text,options,answer\n豆腐は何から作る?,大豆|米|麦,0\nWhat is miso made of?,rice|soy beans,1\n"
Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


def write(
    folder: Path,
    rows: str = ROWS,
    *,
    source: str = 'file = "foods.csv"',
    answer: str = "int32",
    asked: str = 'input = "text"',
) -> None:
    (folder / "suite.toml").write_text(SUITE.format(source=source, answer=answer, asked=asked), encoding="utf-8")
    (folder / "foods.csv").write_text(rows, encoding="utf-8")


def items(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "work" / "foods" / "items" / "question.parquet").to_pylist()


def build(tashika: Run, folder: Path, *options: str | Path) -> Any:
    return tashika("build", folder, "--work", folder / "work", *options)


def test_a_table_becomes_items_once(tashika: Run, folder: Path) -> None:
    code, _, err = build(tashika, folder)
    assert code == 0, err
    assert [(row["text"], row["options"], row["answer"]) for row in items(folder)] == [
        ("豆腐は何から作る?", ["大豆", "米", "麦"], 0),
        ("What is miso made of?", ["rice", "soy beans"], 1),
    ]
    code, _, err = build(tashika, folder)
    assert code == 0
    assert "question items: nothing to do" in err


def test_a_dry_run_reads_the_table_and_writes_nothing(tashika: Run, folder: Path) -> None:
    code, _, err = build(tashika, folder, "--dry-run")
    assert code == 0
    assert "question: would write 2 items of foods.csv and leave out 0" in err
    assert not (folder / "work" / "foods" / "items").exists()


def test_a_table_and_a_function_give_the_same_ids(tashika: Run, folder: Path) -> None:
    build(tashika, folder)
    by_table = {row["text"]: row["item_id"] for row in items(folder)}
    (folder / "own_foods.py").write_text(
        "import csv\n"
        "from pathlib import Path\n\n"
        "def rows():\n"
        "    for row in csv.DictReader(Path(__file__).with_name('foods.csv').open(encoding='utf-8')):\n"
        "        yield {**row, 'options': row['options'].split('|'), 'answer': int(row['answer'])}\n"
    )
    write(folder, source='function = "own_foods:rows"')
    code, _, err = build(tashika, folder)
    assert code == 0, err
    assert {row["text"]: row["item_id"] for row in items(folder)} == by_table


def test_two_spellings_of_unicode_are_one_key(tashika: Run, folder: Path) -> None:
    write(folder, ROWS + "だし?,a|b,0\nた\u3099し?,a|b,0\n")
    code, _, err = build(tashika, folder)
    assert code == 2
    assert "foods.csv:5: an earlier row has the same key" in err


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        ("text,options,anser\na,b|c,0\n", {}, "foods.csv:1: there is no column 'answer' (did you mean 'anser'?)"),
        ("text;options;answer\na;b|c;0\n", {}, "the table has text;options;answer"),
        ("text,options,answer\n", {}, "foods.csv: there is no question in it"),
        ("text,options,answer\na,b;c,0\n", {}, "found 1 option, expected two or more; is `separator` right?"),
        ("text,options,answer\na,b|b,0\n", {}, "found the option 'b' twice"),
        ("text,options,answer\na,b|c,2\n", {}, "found 2, expected the place of one of 2 options, from 0"),
        ("text,options,answer\na,b|c,-1\n", {}, "foods.csv:2: column answer: found -1"),
        ("text,options,answer\na,b|c,d\n", {"answer": "string"}, "found 'd', expected one of the options: b, c"),
        ("text,options,answer\na\x00,b|c,0\n", {}, "found the control character"),
        (ROWS, {"asked": "prompt = \"{{ ''.__class__ }}\""}, "[evaluate] prompt: the template fails on a row"),
    ],
)
def test_what_models_could_not_be_asked_is_found_before_people_are(
    tashika: Run, folder: Path, rows: str, changes: dict[str, str], message: str
) -> None:
    write(folder, rows, **changes)
    for options in ((), ("--dry-run",)):
        code, _, err = build(tashika, folder, *options)
        assert code == 2
        assert message in " ".join(err.split())
    assert not (folder / "work" / "foods" / "items" / "question.parquet").exists()


def test_errors_of_several_rows_are_shown_together(tashika: Run, folder: Path) -> None:
    wrong = "".join(f"riddle {number},a|b,x\n" for number in range(12))
    write(folder, ROWS + wrong)
    code, _, err = build(tashika, folder)
    assert code == 2
    assert "foods.csv:4: column answer: found 'x', expected int32" in err
    assert "foods.csv:13: column answer: found 'x', expected int32" in err
    assert "and 2 rows more" in err


def test_a_template_that_takes_in_a_file_is_refused(tashika: Run, folder: Path) -> None:
    write(folder, asked="prompt = \"{% include '/etc/passwd' %}\"")
    code, _, err = build(tashika, folder)
    assert code == 2
    assert "takes in another one, which it cannot" in err


def test_another_table_under_pushed_items_needs_a_word(tashika: Run, folder: Path) -> None:
    build(tashika, folder)
    (folder / "work" / "foods" / "annotation" / "pushed").mkdir(parents=True)
    pushed = folder / "work" / "foods" / "annotation" / "pushed" / "question.parquet"
    pq.write_table(pq.read_table(folder / "work" / "foods" / "items" / "question.parquet"), pushed)
    write(folder, ROWS + "natto?,a|b,0\n")
    code, _, err = build(tashika, folder)
    assert code == 2
    assert "its section [build], or a file that this names, has changed since the build before" in " ".join(err.split())
    assert "--change-inputs" in err


def test_a_query_carries_the_user_agent_with_a_contact(
    tashika: Run, tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bindings = [{"text": {"type": "literal", "value": text}} for text in ("a", "b")]
    reply = {"head": {"vars": ["text"]}, "results": {"bindings": bindings}}
    httpserver.expect_request("/sparql").respond_with_json(reply, content_type="application/sparql-results+json")
    endpoint, query = httpserver.url_for("/sparql"), "SELECT ?text WHERE { ?s ?p ?text }"
    lines = [
        '[suite]\nname = "texts"\ntitle = "Texts"\n[build.kinds.text]\nkey = ["text"]\ncolumns.text = "string"',
        f'sparql = {{ endpoint = "{endpoint}", query = "{query}" }}',
    ]
    (tmp_path / "suite.toml").write_text("\n".join(lines))
    assert build(tashika, tmp_path, "--user-agent", "texts/1 (mia@example.org)").code == 0
    monkeypatch.setenv("TASHIKA_USER_AGENT", "texts/2 (mia@example.org)")
    code = tashika("build", tmp_path, "--work", tmp_path / "other").code
    sent = {request.headers["User-Agent"] for request, _ in httpserver.log}
    assert (code, sent) == (0, {"texts/1 (mia@example.org)", "texts/2 (mia@example.org)"})
