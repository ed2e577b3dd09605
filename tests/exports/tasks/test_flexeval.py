"""Task files of FlexEval: by what flexeval 0.18.3 makes of them, our own evaluator asks the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tashika.core.prompting import seam
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.prompts import Prompter
from tashika.evaluate.custom.questions import read_release
from tashika.evaluate.kuci.questions import read_release as read_kuci
from tashika.evaluate.kuci.settings import PromptFormat as KuciFormat
from tashika.evaluate.tempripple.questions import in_order
from tashika.evaluate.tempripple.questions import read_release as read_ripples
from tashika.evaluate.tempripple.settings import PromptFormat as RippleFormat
from tashika.exports.release import Export
from tests.exports.tasks.flexeval_reading import flexeval_names, flexeval_setup, instances_of
from tests.exports.tasks.test_custom import CASES, CHOICE, LABELS, ROWS, release_of

WRITTEN = '[evaluate]\ntask = "generate"\ninput = "text"\ntarget = "answer"\n'


def test_kuci_is_asked_in_the_words_of_our_own_evaluator(kuci_release: Path) -> None:
    assert flexeval_names(kuci_release) == ["kuci", "kuci_without_length", "kuci_without_similarity"]
    asked = instances_of(kuci_release, "kuci")
    questions = read_kuci(kuci_release).part("both", "test")
    assert {question.item_id for question in questions} == set(asked)
    for question in questions:
        instance = asked[question.item_id]
        assert instance.prompt == KuciFormat().choice(question).prompt()
        assert instance.choices == list(question.options)
        assert instance.answer_index == question.answer


def test_examples_are_drawn_from_the_part_for_training(kuci_release: Path) -> None:
    shown = flexeval_setup(kuci_release, "kuci")["init_args"]["few_shot_generator"]
    assert (shown["class_path"], shown["init_args"]["num_shots"]) == ("RandomFewShotGenerator", 0)
    pool = shown["init_args"]["dataset"]["init_args"]
    assert (pool["split"], pool["dataset_kwargs"]) == ("train", {"data_files": {"train": "questions/train.parquet"}})


@pytest.mark.parametrize(("name", "with_context"), [("tempripple", False), ("tempripple_context", True)])
def test_tempripple_is_asked_in_the_words_of_our_own_evaluator(
    ripple_release: Path, name: str, with_context: bool
) -> None:
    instances, format = instances_of(ripple_release, name), RippleFormat()
    asked = in_order(read_ripples(ripple_release).questions, (with_context,))
    assert len(asked) == len(instances)
    for one in asked:
        instance = instances[one.question.item_id]
        assert instance.prompt == format.choice(one, cue=True).prompt(format.between)
        assert instance.choices == [f" {option}" for option in one.question.options]
        assert instance.answer_index == one.question.answer


def test_myriadlama_asks_the_prompts_that_end_with_their_blank(release: Path) -> None:
    rows = {row["item_id"]: row for row in pq.read_table(release / "lite" / "lite.parquet").to_pylist()}
    asked = instances_of(release, "myriadlama")
    assert {item for item, row in rows.items() if re.search(r"\[Y\]\W*$", row["prompt"])} == set(asked)
    for item, instance in asked.items():
        assert instance.prompt == rows[item]["prompt"].split("[Y]")[0].rstrip(" ")
        assert instance.references == rows[item]["answers"]
    assert flexeval_setup(release, "myriadlama")["init_args"]["gen_kwargs"]["max_new_tokens"] == 1


def test_proverbs_have_none(proverb_release: Path) -> None:
    assert flexeval_names(proverb_release) == []


def test_the_card_names_the_command(kuci_release: Path, proverb_release: Path) -> None:
    command = "--eval_setup tasks/flexeval/kuci.jsonnet"
    assert command in (kuci_release / "README.md").read_text(encoding="utf-8")
    assert "flexeval" not in (proverb_release / "README.md").read_text(encoding="utf-8")


def test_a_named_repository_is_opened_at_the_tag(kuci_workspace: Workspace, export_kuci: Callable[..., Export]) -> None:
    export_kuci(repo="group/causes").run()
    data = flexeval_setup(kuci_workspace.release, "kuci")["init_args"]["eval_dataset"]["init_args"]
    assert (data["path"], data["subset"], data["split"]) == ("group/causes", "questions", "test")
    assert data["dataset_kwargs"] == {"revision": "v0.1.0"}


@pytest.mark.parametrize("rest", CASES.values(), ids=CASES)
def test_options_are_asked_in_the_words_of_our_own_evaluator(tmp_path: Path, rest: str) -> None:
    suite, release = release_of(tmp_path, rest)
    asked, form = instances_of(release, "toys"), suite.file.evaluate
    assert form is not None
    items = read_release(suite, release).items
    assert {item.item_id for item in items} == set(asked)
    for item in items:
        text, joint = seam(f"{form.system}\n\n{item.prompt}" if form.system else item.prompt)
        instance = asked[item.item_id]
        assert instance.prompt == text
        assert instance.choices == [f"{joint}{option}" for option in item.target.options]
        assert instance.answer_index == item.target.place


def test_rows_may_have_different_numbers_of_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = ("Which is a fruit?", ["rock", "pear", "sea"], "pear", 1, 1.0)
    monkeypatch.setattr("tests.exports.tasks.test_custom.ROWS", (more, *ROWS[1:]))
    suite, release = release_of(tmp_path, CHOICE)
    asked = instances_of(release, "toys")
    for item in read_release(suite, release).items:
        assert asked[item.item_id].choices == [f" {option}" for option in item.target.options]
    assert sorted(len(instance.choices) for instance in asked.values()) == [2, 2, 3]


def test_options_by_letter_list_them(tmp_path: Path) -> None:
    suite, release = release_of(tmp_path, CHOICE + 'way = "letter"\ncue = "Which?"\n')
    asked, form = instances_of(release, "toys"), suite.file.evaluate
    assert form is not None
    for item in read_release(suite, release).items:
        instance = asked[item.item_id]
        assert instance.prompt == Prompter(form, in_words=True).asked(item).text
        assert (instance.choices, instance.answer_index) == ([" A", " B"], item.target.place)


def test_examples_stand_before_the_question_with_their_answers(tmp_path: Path) -> None:
    rest = CHOICE.replace('input = "text"', 'prompt = "Q: {{ text }} A:"') + 'few_shot = 2\nfew_shot_split = "dev"\n'
    suite, release = release_of(tmp_path, rest)
    shown = read_release(suite, release).examples(2, 0)
    before = "".join(f"{item.prompt} {item.target.options[item.target.place or 0]}\n\n" for item in shown)
    for item in read_release(suite, release).items:
        assert instances_of(release, "toys")[item.item_id].prompt == before + item.prompt


def test_texts_are_told_from_their_words_by_their_names(tmp_path: Path) -> None:
    rest = '[evaluate]\ntask = "classification"\ninput = "first"\ntarget = "part"\nlabels = { dev = "D", test = "T" }\n'
    _, release = release_of(tmp_path, rest)
    for instance in instances_of(release, "toys").values():
        assert (instance.choices, instance.answer_index) == ([" D", " T"], 1)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("answer", [["It's a book"], ["carbon dioxide"], ["no"]]),
        ("several", [["It's a book", "IT'S A BOOK"], ["carbon dioxide", "CARBON DIOXIDE"], ["no", "NO"]]),
    ],
)
def test_answers_in_words_are_compared_with_what_is_right(
    tmp_path: Path, target: str, expected: list[list[str]]
) -> None:
    _, release = release_of(tmp_path, WRITTEN.replace('"answer"', f'"{target}"') + 'match = "exact"\nmax_tokens = 7\n')
    assert sorted(instance.references for instance in instances_of(release, "toys").values()) == expected
    said = flexeval_setup(release, "toys")["init_args"]
    assert said["gen_kwargs"] == {"max_new_tokens": 7, "do_sample": False}


@pytest.mark.parametrize(
    ("reply", "answer"), [("It is 4.\nIt is 5.", "4"), ("Well\nIt is six\nor so", "six"), ("None", None)]
)
def test_a_pattern_finds_the_first_answer_as_our_own_evaluator(tmp_path: Path, reply: str, answer: str | None) -> None:
    _, release = release_of(tmp_path, WRITTEN + "match = \"pattern\"\npattern = 'It is ([^.]+?)(?:\\.|$|\\n)'\n")
    [metric] = flexeval_setup(release, "toys")["init_args"]["metrics"]
    pattern = metric["init_args"]["lm_output_processor"][0]["init_args"]["pattern"]
    found = re.compile(pattern, flags=re.DOTALL).findall(reply)  # as `RegexExtractor`, which takes the last
    assert found[-1:] == ([answer] if answer else [])


def test_a_blank_is_the_end_of_what_is_read(tmp_path: Path) -> None:
    rest = '[evaluate]\ntask = "cloze"\nprompt = "{{ text }} It is [BLANK]."\ntarget = "answer"\n'
    _, release = release_of(tmp_path, rest)
    [instance] = [one for one in instances_of(release, "toys").values() if one.prompt.startswith("1984")]
    assert (instance.prompt, instance.references) == ("1984 It is", ["It's a book"])


@pytest.mark.parametrize(
    ("rest", "labels"),
    [
        ("", ()),
        (WRITTEN + 'match = "contains"\n', ()),
        (WRITTEN + 'match = "normalised"\n', ()),
        (WRITTEN.replace('"answer"', '"size"') + 'match = "number"\n', ()),
        (WRITTEN + "match = \"pattern\"\npattern = '(?i)it is (.*)'\n", ()),
        (LABELS, ("good", "bad", "odd")),
    ],
)
def test_what_nothing_there_can_ask_has_no_file(tmp_path: Path, rest: str, labels: tuple[str, ...]) -> None:
    _, release = release_of(tmp_path, rest, labels)
    assert flexeval_names(release) == []
