"""`eval.yaml`: what inspect is given of a suite's tasks, and what it is not.

What inspect does with the file is tried with the package itself (bench/inspect_facts.py), and so is that both ask
the same things (bench/interop_inspect.py); here `str.format` stands for its `prompt_template`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tashika.core.prompting import LETTERS
from tashika.core.suites.columns import Column
from tashika.exports.documents import Draft
from tashika.exports.plan import ExportSettings
from tashika.exports.release import Export
from tashika.exports.schema import Config
from tashika.exports.tasks.inspect import inspect_files
from tashika.exports.tasks.task import Choices, Letters, Task

ROWS: Sequence[Mapping[str, Any]] = (
    {"item_id": "a", "text": "Red?", "options": ["no {x}", "yes"], "answer": 1, "words": "yes", "letter": "B"},
    {"item_id": "b", "text": "{Blue}?", "options": ["yes", "no"], "answer": 0, "words": "yes", "letter": "A"},
)
TYPES = {
    "item_id": "string",
    "text": "string",
    "options": "strings",
    "answer": "int32",
    "words": "string",
    "letter": "string",
    "number": "float64",
    "several": "strings",
    "prompt": "string",
}
CHOICE = Task(
    id="colours",
    meaning="whether a colour is named",
    config="questions",
    split="test",
    kind="multiple_choice",
    input="text",
    prompt="Asked: {{ text }}",
    target="answer",
    choices=Choices(column="options"),
    letters=Letters("Asked: {{ text }}", "Answer:", "One {letter} alone."),
)
WORDS = Task(
    id="colours",
    meaning="a word",
    config="questions",
    split="test",
    kind="generate",
    input="text",
    prompt="{{ text }}",
    target="words",
)


def draft(folder: Path, *tasks: Task, rows: Sequence[Mapping[str, Any]] = ROWS) -> Draft:
    """A release of one configuration with these tasks, as the makers of documents are given it."""
    columns = {name: Column(TYPES[name], name) for name in rows[0]}
    config = Config("questions", "questions", "a question", columns, splits=("test",))
    file = folder / "questions" / "test.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), file)
    suite: Any = SimpleNamespace(
        configs={"questions": config}, tasks=lambda _: tasks, card=SimpleNamespace(summary="Two\nlines.\n\nMore.")
    )
    record = {"files": {"questions/test.parquet": {"rows": len(rows)}}, "version": "0.1.0", "digest": "d"}
    plan: Any = SimpleNamespace(card=None)
    return Draft(folder, record, ExportSettings(pretty_name="Colours", license="cc0-1.0"), suite, plan)


def tasks_in(files: Mapping[str, str]) -> list[dict[str, Any]]:
    return list(yaml.safe_load(files["eval.yaml"])["tasks"])


def entry_of(folder: Path, task: Task, rows: Sequence[Mapping[str, Any]] = ROWS) -> dict[str, Any]:
    [entry] = tasks_in(inspect_files(draft(folder, task, rows=rows)))
    return entry


def asked(entry: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """What a model reads of a row: the metadata fill the templates."""
    given = {name: row[name] for name in entry["field_spec"]["metadata"]}
    given["prompt"] = row[entry["field_spec"]["input"]]
    return [
        solver["args"]["template"].format(**given)
        for solver in entry["solvers"]
        if "template" in solver.get("args", {})
    ]


def test_the_head_says_what_the_card_says(tmp_path: Path) -> None:
    text = inspect_files(draft(tmp_path, CHOICE))["eval.yaml"]
    head = yaml.safe_load(text)
    assert (head["name"], head["description"]) == ("Colours", "Two lines.")
    assert head["evaluation_framework"] == "inspect-ai"
    assert list(head) == ["name", "description", "evaluation_framework", "tasks"]


def test_a_choice_is_asked_by_letter_in_the_words_of_the_task(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, CHOICE)
    assert asked(entry, ROWS[0]) == ["One {letter} alone.", "Asked: Red?\nA. no {x}\nB. yes\nAnswer:"]
    assert asked(entry, ROWS[1])[1] == "Asked: {Blue}?\nA. yes\nB. no\nAnswer:"
    assert entry["field_spec"]["target"] == "answer"
    assert entry["field_spec"]["choices"] == "options"
    assert set(entry) == {"id", "config", "split", "field_spec", "solvers", "scorers"}


def test_the_item_s_id_is_metadata_and_no_id(tmp_path: Path) -> None:
    for task in (CHOICE, WORDS):
        spec = entry_of(tmp_path, task)["field_spec"]
        assert spec["metadata"][0] == "item_id"
        assert "id" not in spec


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        ("(b)", "b"),
        ("**B**", "B"),
        ("Answer: B.", "B"),
        ("答えはBです。", "B"),
        ("B. yes", "B"),
        ("I say B", None),
    ],
)
def test_replies_are_read_by_one_expression(reply: str, letter: str | None, tmp_path: Path) -> None:
    [scorer] = entry_of(tmp_path, CHOICE)["scorers"]
    match = re.search(scorer["args"]["pattern"], reply, re.IGNORECASE)
    assert (match and match[1]) == letter


def test_a_right_answer_in_words_needs_a_column_with_its_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = replace(CHOICE, target="words")
    assert inspect_files(draft(tmp_path, task)) == {}
    assert "given in words" in capsys.readouterr().err
    assert entry_of(tmp_path, replace(task, reply="letter"))["field_spec"]["target"] == "letter"


def test_rows_with_different_numbers_of_options_are_asked_in_inspects_way(tmp_path: Path) -> None:
    rows = [*ROWS, {**ROWS[0], "item_id": "c", "options": ["yes", "no", "both"]}]
    entry = entry_of(tmp_path, CHOICE, rows)
    assert [solver["name"] for solver in entry["solvers"]] == ["prompt_template", "multiple_choice"]
    assert entry["scorers"] == [{"name": "choice"}]
    assert asked(entry, rows[2]) == ["Asked: Red?"]


def test_options_in_columns_of_their_own(tmp_path: Path) -> None:
    rows = [{"item_id": "a", "text": "Which?", "words": "this", "letter": "that", "answer": 0}]
    choices = Choices(columns=("words", "letter"), places=(0, 1, None))
    entry = entry_of(tmp_path, replace(CHOICE, choices=choices), rows)
    assert asked(entry, rows[0])[1] == "Asked: Which?\nA. this\nB. that\nAnswer:"
    assert entry["field_spec"]["choices"] == ["words", "letter"]


def test_labels_are_asked_for_in_words(tmp_path: Path) -> None:
    labels = Choices(words=("yes", "no"), places=(0, 1), names=("y", "n"))
    task = replace(CHOICE, choices=labels, prompt="{{ text }} Yes? ", reply="words", system="")
    entry = entry_of(tmp_path, task)
    assert asked(entry, ROWS[0]) == ["Red? Yes?\n\nAnswer with one of these alone: yes, no."]
    assert entry["field_spec"]["target"] == "words"
    assert "choices" not in entry["field_spec"]
    assert entry["scorers"] == [{"name": "match", "args": {"location": "exact"}}]


def test_examples_stand_before_the_question_with_their_answers(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, replace(CHOICE, examples=(ROWS[1],)))
    assert asked(entry, ROWS[0])[1] == (
        "Asked: {Blue}?\nA. yes\nB. no\nAnswer: A\n\nAsked: Red?\nA. no {x}\nB. yes\nAnswer:"
    )
    words = entry_of(tmp_path, replace(WORDS, examples=(ROWS[1],)))
    assert asked(words, ROWS[0]) == ["{Blue}? yes\n\nRed?"]


@pytest.mark.parametrize(
    ("match", "scorer"),
    [
        ("exact", {"name": "match", "args": {"location": "exact", "ignore_case": False}}),
        ("normalised", {"name": "match", "args": {"location": "exact"}}),
        ("contains", {"name": "includes"}),
        ("pattern", {"name": "pattern", "args": {"pattern": "(x)", "ignore_case": False}}),
    ],
)
def test_answers_in_words_have_the_scorer_of_their_match(match: Any, scorer: Any, tmp_path: Path) -> None:
    task = replace(WORDS, match=match, pattern="(x)" if match == "pattern" else None)
    assert entry_of(tmp_path, task)["scorers"] == [scorer]


def test_a_column_called_prompt_is_the_input(tmp_path: Path) -> None:
    rows = [{"item_id": "a", "prompt": "Say {it}.", "text": "other", "words": "it"}]
    entry = entry_of(tmp_path, replace(WORDS, prompt="{{ prompt }} Now:"), rows)
    assert entry["field_spec"]["input"] == "prompt"
    assert "prompt" not in entry["field_spec"]["metadata"]
    assert asked(entry, rows[0]) == ["Say {it}. Now:"]


def rows_with(**values: Any) -> list[Mapping[str, Any]]:
    return [{**row, **values} for row in ROWS]


@pytest.mark.parametrize(
    ("task", "rows", "why"),
    [
        (replace(WORDS, target="several"), rows_with(several=["a", "b"]), "several right answers"),
        (replace(WORDS, target="number"), rows_with(number=4.0), "a number, which inspect writes in its own way"),
        (replace(WORDS, prompt="{% if text %}x{% endif %}"), ROWS, "conditions, loops or filters"),
        (replace(WORDS, where=(("text", "!=", "Red?"),)), ROWS, "some of the rows"),
        (WORDS, [ROWS[0], {**ROWS[1], "words": None}], "the column words has empty fields"),
        (replace(WORDS, kind="cloze", blank="[Y]"), ROWS, "a token at a blank"),
        (
            replace(CHOICE, choices=Choices(columns=("words", "letter"), places=(1, 0))),
            ROWS,
            "in another order than its options",
        ),
        (CHOICE, rows_with(options=["x"] * (len(LETTERS) + 1)), "27 options"),
    ],
)
def test_what_inspect_cannot_be_given_has_a_reason(
    task: Task, rows: Sequence[Mapping[str, Any]], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspect_files(draft(tmp_path, task, rows=rows)) == {}
    said = capsys.readouterr().err
    assert "eval.yaml has no task colours: " in said
    assert why in said


def test_conditions_that_hold_of_all_rows_change_nothing(tmp_path: Path) -> None:
    assert entry_of(tmp_path, replace(WORDS, where=(("answer", "in", [0, 1]), ("text", "!=", ""))))


def test_a_number_may_be_right_where_numbers_are_compared(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, replace(WORDS, target="number", match="number"), rows_with(number=4.0))
    assert entry["scorers"] == [{"name": "match", "args": {"location": "end", "numeric": True}}]


@pytest.mark.parametrize(
    ("suite", "ids"),
    [
        ("kuci", ["kuci", "kuci_without_similarity", "kuci_without_length"]),
        ("ripple", ["tempripple", "tempripple_context"]),
    ],
)
def test_releases_of_the_package_have_the_file(suite: str, ids: list[str], request: pytest.FixtureRequest) -> None:
    release: Path = request.getfixturevalue(f"{suite}_release")
    entries = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert [entry["id"] for entry in entries] == ids
    for entry in entries:
        [row, *_] = pq.read_table(next((release / entry["config"]).glob("*.parquet"))).to_pylist()
        system, prompt = asked(entry, row)
        assert system
        assert f"\nA. {row['options'][0]}\n" in prompt
        assert "{" not in prompt
    assert "inspect eval hf/ORG/NAME@v0.1.0" in (release / "README.md").read_text(encoding="utf-8")


def test_myriadlama_keeps_its_own_way(make_export: Callable[..., Export]) -> None:
    export = make_export()
    export.run()
    assert not (export.workspace.release / "eval.yaml").exists()
