"""Task files of a suite file: each way of asking, in the words of our own evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tashika.core.custom.suite import CustomSuite
from tashika.core.files import write_json, write_rows
from tashika.core.prompting import seam
from tashika.core.records import ANSWER, VERDICT, item_row, item_schema
from tashika.core.settings import load_section
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.prompts import Prompter
from tashika.evaluate.custom.questions import read_release
from tashika.exports.plan import ExportSettings, suite_export
from tashika.exports.release import Export
from tests.exports.judged import entry, verdict_row
from tests.exports.tasks.rendering import options_of, place_of, target_of, text_of
from tests.exports.tasks.test_lm_eval import names_of, rows_of, said_by

HEAD = """
[suite]
name = "toys"
title = "Toys"

[build.kinds.toy]
file = "toys.csv"
key = ["text"]
[build.kinds.toy.columns]
text = "string"
options = "strings"
first = "string"
second = "string"
answer = { type = "string", optional = true }
place = "int32"
several = "strings"
size = "float64"
part = "string"

[export]
splits = ["test", "dev"]
split_column = "part"
"""
ROWS = (
    ("Which gas do plants take?", ["oxygen", "carbon dioxide"], "carbon dioxide", 1, 4.0),
    ("1984", ["It's a book", 'a "year"'], "It's a book", 0, 0.25),
    ("[Is this a list?]", ["yes", "no"], "no", 1, 1234567.0),
)
CHOICE = '[evaluate]\ntask = "multiple_choice"\ninput = "text"\nchoices = "options"\ntarget = "answer"\n'


def release_of(folder: Path, rest: str, labels: tuple[str, ...] = ()) -> tuple[CustomSuite, Path]:
    """The release of six items, three a part; with labels, what people gave them in turn."""
    path = folder / "toys.toml"
    path.write_text(HEAD + rest, encoding="utf-8")
    (folder / "toys.csv").write_text("text,options,first,second,answer,place,several,size,part\n", encoding="utf-8")
    suite = open_suite(str(path))
    assert isinstance(suite, CustomSuite)
    workspace = Workspace(folder / "work", "toys")
    rows = [_item(number, "test" if number < 3 else "dev", *ROWS[number % 3]) for number in range(6)]
    write_rows(workspace.item_file("toy"), rows, item_schema("toys", "toy"))
    if labels:
        _judged(workspace, [row["item_id"] for row in rows], labels)
    module = suite_export("toys")
    settings = load_section("toys", "export", ExportSettings)
    Export(workspace, settings, module, module.plan(workspace, settings)).run()
    return suite, workspace.release


def _item(number: int, part: str, text: str, options: list[str], answer: str, *rest: float) -> dict[str, Any]:
    place, size = rest
    values = {
        "text": text if number < 3 else f"{text} Once more?",
        "options": options,
        "first": options[0],
        "second": options[1],
        "answer": answer,
        "place": place,
        "several": [answer, answer.upper()],
        "size": size,
        "part": part,
    }
    sources = [("toys.csv", "abc")]
    return item_row("toys", "toy", [str(number)], values, builder="custom", version="1", sources=sources)


def _judged(workspace: Workspace, ids: list[str], labels: tuple[str, ...]) -> None:
    write_rows(workspace.verdict_file, [verdict_row(item, "toy") for item in sorted(ids)], VERDICT)
    write_json(workspace.annotation / "validation.json", {"toy": entry(6, 3)})
    rest: dict[str, Any] = {"kind": "toy", "votes": [1] * len(set(labels)), "labels": [], "texts": []}
    rest |= {"median": None, "mean": None, "spread": None}
    rows = [{"item_id": item, "label": labels[place % len(labels)], **rest} for place, item in enumerate(ids)]
    write_rows(workspace.answer_file, sorted(rows, key=lambda row: row["item_id"]), ANSWER)


CASES = {
    "by the options' words": CHOICE,
    "by their places": CHOICE.replace('"answer"', '"place"'),
    "among columns": CHOICE.replace('"options"', '["first", "second"]'),
    "behind a template": CHOICE.replace('input = "text"', 'prompt = "Question: {{ text|upper }}\\nAnswer:  "'),
    "behind an instruction": CHOICE + 'system = "Think."\n',
    "without spaces": CHOICE.replace('input = "text"', 'prompt = "{{ text }}、"'),
}


@pytest.mark.parametrize("rest", CASES.values(), ids=CASES)
def test_options_are_asked_in_the_words_of_our_own_evaluator(tmp_path: Path, rest: str) -> None:
    suite, release = release_of(tmp_path, rest)
    assert names_of(release) == ["toys", "toys_letters"]
    said, lettered = said_by(release, "toys"), said_by(release, "toys_letters")
    rows, form = rows_of(release, said), suite.file.evaluate
    assert form is not None
    items = read_release(suite, release).items
    assert {item.item_id for item in items} == set(rows)
    for item in items:
        row = rows[item.item_id]
        text, joint = seam(f"{form.system}\n\n{item.prompt}" if form.system else item.prompt)
        assert (said.get("description", "") + text_of(said, row), said["target_delimiter"]) == (text, joint)
        assert options_of(said, row) == list(item.target.options)
        assert place_of(said, row) == item.target.place
        in_words = Prompter(form, in_words=True)
        assert text_of(lettered, row) == in_words.asked(item).text
        assert lettered["description"] == f"{in_words.system}\n\n"
        assert target_of(lettered, row) == "AB"[item.target.place or 0]


def test_options_by_letter_list_them(tmp_path: Path) -> None:
    suite, release = release_of(tmp_path, CHOICE + 'way = "letter"\ncue = "Which?"\n')
    said, form = said_by(release, "toys"), suite.file.evaluate
    assert form is not None
    rows = rows_of(release, said)
    for item in read_release(suite, release).items:
        assert text_of(said, rows[item.item_id]) == Prompter(form, in_words=True).asked(item).text
        assert options_of(said, rows[item.item_id]) == ["A", "B"]
        assert place_of(said, rows[item.item_id]) == item.target.place


def test_examples_are_those_of_our_own_evaluator(tmp_path: Path) -> None:
    suite, release = release_of(tmp_path, CHOICE + 'few_shot = 2\nfew_shot_split = "dev"\n')
    said = said_by(release, "toys")
    shown = read_release(suite, release).examples(2, 0)
    assert [row["item_id"] for row in said["fewshot_config"]["samples"]] == [item.item_id for item in shown]
    assert (said["num_fewshot"], said["fewshot_config"]["sampler"]) == (2, "first_n")
    assert "fewshot_split" not in said  # lm-eval would take the split and leave the samples


LABELS = """
[annotate.kinds.toy]
form = "label"
show = ["text"]
labels = ["good", "bad", "odd"]
[evaluate]
task = "classification"
input = "text"
target = "label"
"""


@pytest.mark.parametrize("words", ["", 'labels = { odd = "strange", good = "fine", bad = "awful" }\n'])
def test_labels_are_chosen_among_their_words(tmp_path: Path, words: str) -> None:
    suite, release = release_of(tmp_path, LABELS + words, ("good", "bad", "odd"))
    said = said_by(release, "toys")
    rows = rows_of(release, said)
    for item in read_release(suite, release).items:
        row = rows[item.item_id]  # lm-eval sees a label as its number
        assert isinstance(row["label"], int)
        assert options_of(said, row) == list(item.target.options)
        assert place_of(said, row) == item.target.place


def test_texts_are_told_from_their_words_by_their_names(tmp_path: Path) -> None:
    rest = '[evaluate]\ntask = "classification"\ninput = "first"\ntarget = "part"\nlabels = { dev = "D", test = "T" }\n'
    suite, release = release_of(tmp_path, rest)
    said = said_by(release, "toys")
    for item in read_release(suite, release).items:
        assert place_of(said, rows_of(release, said)[item.item_id]) == item.target.place == 1


def test_items_of_which_people_preferred_none_are_not_asked(tmp_path: Path) -> None:
    rest = """
[annotate.kinds.toy]
form = "preference"
show = ["text"]
between = ["first", "second"]
same = true
[evaluate]
task = "multiple_choice"
input = "text"
choices = ["first", "second"]
target = "preferred"
"""
    suite, release = release_of(tmp_path, rest, ("second", "same", "first"))
    said = said_by(release, "toys")
    items, rows = read_release(suite, release).items, rows_of(release, said)
    assert {item.item_id for item in items} == set(rows)
    assert [place_of(said, rows[item.item_id]) for item in items] == [item.target.place for item in items]
    assert len(items) == 2


@pytest.mark.parametrize(
    ("match", "target", "expected"),
    [
        ("exact", "answer", ["carbon dioxide", "It's a book", "no"]),
        ("normalised", "several", [["carbon dioxide", "CARBON DIOXIDE"], ["It's a book", "IT'S A BOOK"], ["no", "NO"]]),
        ("number", "size", ["4", "0.25", "1234567"]),
    ],
)
def test_answers_in_words_are_compared_with_what_is_right(
    tmp_path: Path, match: str, target: str, expected: list[Any]
) -> None:
    rest = f'[evaluate]\ntask = "generate"\ninput = "text"\ntarget = "{target}"\nmatch = "{match}"\nmax_tokens = 7\n'
    _, release = release_of(tmp_path, rest)
    said = said_by(release, "toys")
    found = [target_of(said, row) for row in rows_of(release, said).values()]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert said["generation_kwargs"] == {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 7}


@pytest.mark.parametrize(
    "rest",
    [
        "",
        '[evaluate]\ntask = "generate"\ninput = "text"\ntarget = "answer"\nmatch = "contains"\n',
        '[evaluate]\ntask = "cloze"\nprompt = "[BLANK] answers {{ text }}"\ntarget = "answer"\n',
        '[evaluate]\ntask = "judge"\ninput = "text"\nrubric = "{{ reply }}?"\n',
    ],
)
def test_what_nothing_there_can_ask_has_no_file(tmp_path: Path, rest: str) -> None:
    _, release = release_of(tmp_path, rest)
    assert names_of(release) == []


def test_a_blank_is_the_end_of_what_is_read(tmp_path: Path) -> None:
    rest = '[evaluate]\ntask = "cloze"\nprompt = "{{ text }} It is [BLANK]."\ntarget = "answer"\n'
    _, release = release_of(tmp_path, rest + 'few_shot = 1\nfew_shot_split = "dev"\n')
    said = said_by(release, "toys")
    row = next(row for row in rows_of(release, said).values() if row["text"] == "1984")
    assert text_of(said, row) == "1984 It is"
    assert target_of(said, row) == " It's a book"
    assert said["output_type"] == "loglikelihood"
    example = text_of(said["fewshot_config"], row)
    assert example == "1984 It is It's a book.\n\n"


def test_another_way_of_asking_writes_the_files_anew(tmp_path: Path) -> None:
    release_of(tmp_path, CHOICE)
    _, release = release_of(tmp_path, CHOICE.replace('input = "text"', 'prompt = "Q: {{ text }}"'))
    assert said_by(release, "toys")["doc_to_text"] == "Q: {{ text }}"
