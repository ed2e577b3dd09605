"""`eval.yaml` of a suite file: what our own evaluator sends to an endpoint, and what it holds for right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tashika.core.custom.suite import CustomSuite
from tashika.core.prompting import LETTERS
from tashika.core.suites.discovery import open_suite
from tashika.evaluate.custom.prompts import Prompter
from tashika.evaluate.custom.questions import read_release
from tashika.exports.custom.replies import reply_columns
from tests.exports.tasks.test_custom import CHOICE, HEAD, LABELS, release_of
from tests.exports.tasks.test_inspect import asked

WORDS = '[evaluate]\ntask = "generate"\ninput = "text"\ntarget = "answer"\n'
SHOTS = 'few_shot = 2\nfew_shot_split = "dev"\n'
ASKED: dict[str, tuple[str, tuple[str, ...]]] = {
    "an option's words": (CHOICE, ()),
    "places": (CHOICE.replace('"answer"', '"place"'), ()),
    "columns": (CHOICE.replace('"options"', '["first", "second"]'), ()),
    "a template": (CHOICE.replace('input = "text"', 'prompt = "Question {{ place }}: {{ text }}\\n"'), ()),
    "an instruction": (CHOICE + 'system = "Think {hard}."\ncue = "Which?"\n', ()),
    "examples": (CHOICE + SHOTS, ()),
    "labels": (LABELS, ("good", "bad", "odd")),
    "labels with words": (
        LABELS + 'labels = { odd = "strange", good = "fine", bad = "awful" }\n' + SHOTS,
        ("good", "bad", "odd"),
    ),
    "answers in words": (WORDS + SHOTS, ()),
}


def entry_of(release: Path) -> dict[str, Any]:
    [entry] = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    return dict(entry)


def rows_of(release: Path) -> dict[str, dict[str, Any]]:
    return {row["item_id"]: row for row in pq.read_table(release / "toy" / "test.parquet").to_pylist()}


def target_of(entry: dict[str, Any], row: dict[str, Any]) -> str:
    """As inspect makes a sample's target: a number is a letter where there are choices."""
    value = row[entry["field_spec"]["target"]]
    return LETTERS[value] if isinstance(value, int) and "choices" in entry["field_spec"] else str(value)


@pytest.mark.parametrize(("rest", "labels"), ASKED.values(), ids=ASKED)
def test_a_model_reads_what_our_own_evaluator_sends(tmp_path: Path, rest: str, labels: tuple[str, ...]) -> None:
    suite, release = release_of(tmp_path, rest, labels)
    assert isinstance(suite, CustomSuite)
    form = suite.file.evaluate
    assert form is not None
    questions = read_release(suite, release)
    prompter = Prompter(form, questions.examples(form.few_shot, form.seed) if form.few_shot else (), in_words=True)
    entry, rows = entry_of(release), rows_of(release)
    for item in questions.items:
        row = rows[item.item_id]
        told = [prompter.system] if prompter.system else []
        assert asked(entry, row) == [*told, prompter.asked(item).text]
        target = item.target
        place = LETTERS[target.place or 0] if prompter.letters else None
        expected = place or (target.options[target.place] if target.place is not None else target.answers[0])
        assert target_of(entry, row) == expected


@pytest.mark.parametrize(
    ("rest", "labels", "column"),
    [
        (CHOICE, (), ["A", "B"]),
        (LABELS, ("good", "bad", "odd"), ["bad", "good", "odd"]),
        (CHOICE.replace('"answer"', '"place"'), (), None),
        (WORDS, (), None),
        ("", (), None),
    ],
)
def test_a_column_says_what_a_right_reply_is_where_that_is_needed(
    tmp_path: Path, rest: str, labels: tuple[str, ...], column: list[str] | None
) -> None:
    _, release = release_of(tmp_path, rest, labels)
    replies = {row.get("right_reply") for row in rows_of(release).values()}
    assert replies == ({None} if column is None else set(column))


def test_a_column_of_that_name_is_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "toys.toml"
    path.write_text(
        HEAD.replace('part = "string"', 'part = "string"\nright_reply = "string"') + CHOICE, encoding="utf-8"
    )
    (tmp_path / "toys.csv").write_text("text\n", encoding="utf-8")
    suite = open_suite(str(path))
    assert isinstance(suite, CustomSuite)
    assert reply_columns(suite, "toy") == {}


@pytest.mark.parametrize(
    "rest",
    [
        CHOICE.replace('input = "text"', 'prompt = "{{ text|upper }}"'),
        WORDS.replace('"answer"', '"several"'),
        '[evaluate]\ntask = "cloze"\nprompt = "{{ text }} It is [BLANK]."\ntarget = "answer"\n',
        '[evaluate]\ntask = "judge"\ninput = "text"\nrubric = "{{ reply }}?"\n',
    ],
)
def test_what_inspect_cannot_ask_has_no_file(tmp_path: Path, rest: str) -> None:
    _, release = release_of(tmp_path, rest)
    assert not (release / "eval.yaml").exists()
