"""Task files of lm-eval: by what lm-eval 0.4.13 makes of them, our own evaluator asks the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.questions import read_release as read_kuci
from tashika.evaluate.kuci.settings import PromptFormat as KuciFormat
from tashika.evaluate.tempripple.questions import Asked, in_order
from tashika.evaluate.tempripple.questions import read_release as read_ripples
from tashika.evaluate.tempripple.settings import PromptFormat as RippleFormat
from tashika.exports.publish import Publication
from tashika.exports.release import Export
from tashika.exports.tasks.lm_eval import LETTER_REPLY
from tests.exports.tasks.rendering import options_of, place_of, target_of, text_of

FIELDS = {
    *("task", "dataset_path", "dataset_name", "dataset_kwargs", "test_split", "fewshot_split", "description"),
    *("doc_to_text", "doc_to_target", "doc_to_choice", "target_delimiter", "fewshot_config", "num_fewshot"),
    *("metric_list", "output_type", "generation_kwargs", "filter_list", "metadata"),
}
"""Those of lm-eval's `TaskConfig` that are used here."""


def said_by(release: Path, name: str) -> dict[str, Any]:
    text = (release / "tasks" / "lm_eval" / f"{name}.yaml").read_text(encoding="utf-8")
    said: dict[str, Any] = yaml.safe_load(text)
    return said


def names_of(release: Path) -> list[str]:
    return sorted(path.stem for path in (release / "tasks" / "lm_eval").glob("*.yaml"))


def rows_of(release: Path, said: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows that a file asks, by their ids."""
    data = said["dataset_kwargs"]
    filters = [tuple(condition) for condition in data["filters"]] if "filters" in data else None
    files = sorted(release.glob(data["data_files"][said["test_split"]]))
    return {row["item_id"]: row for file in files for row in pq.read_table(file, filters=filters).to_pylist()}


def test_every_file_says_what_lm_eval_knows(kuci_release: Path, ripple_release: Path, release: Path) -> None:
    assert names_of(kuci_release) == [
        "kuci", "kuci_letters", "kuci_without_length", "kuci_without_length_letters",
        "kuci_without_similarity", "kuci_without_similarity_letters",
    ]  # fmt: skip
    assert names_of(ripple_release) == [
        "tempripple", "tempripple_context", "tempripple_context_letters", "tempripple_letters",
    ]  # fmt: skip
    assert names_of(release) == ["myriadlama"]
    for folder in (kuci_release, ripple_release, release):
        record = read_json(folder / "release.json")
        for name in names_of(folder):
            said = said_by(folder, name)
            assert set(said) <= FIELDS
            assert said["task"] == name
            assert said["metadata"] == {"version": 1, "release": record["version"], "digest": record["digest"]}
            assert rows_of(folder, said)


def test_proverbs_say_why_nothing_else_scores_models(proverb_release: Path) -> None:
    assert names_of(proverb_release) == []
    card = (proverb_release / "README.md").read_text(encoding="utf-8")
    assert "There are no task files for other programs. A model explains and scores both sides" in card


def test_kuci_is_asked_in_the_words_of_our_own_evaluator(kuci_release: Path) -> None:
    by_words, by_letter = said_by(kuci_release, "kuci"), said_by(kuci_release, "kuci_letters")
    rows, format = rows_of(kuci_release, by_words), KuciFormat()
    questions = read_kuci(kuci_release).part("both", "test")
    assert {question.item_id for question in questions} == set(rows)
    for question in questions:
        row = rows[question.item_id]
        assert text_of(by_words, row) == format.choice(question).prompt()
        assert options_of(by_words, row) == list(question.options)
        assert place_of(by_words, row) == question.answer
        assert text_of(by_letter, row) == format.lettered(question)
        assert target_of(by_letter, row) == "ABCD"[question.answer]
    assert by_words["target_delimiter"] == ""
    assert by_words["fewshot_split"] == "train"
    assert by_letter["description"].startswith("文脈に続く文として")


@pytest.mark.parametrize(("name", "with_context"), [("tempripple", False), ("tempripple_context", True)])
def test_tempripple_is_asked_in_the_words_of_our_own_evaluator(
    ripple_release: Path, name: str, with_context: bool
) -> None:
    by_words, by_letter = said_by(ripple_release, name), said_by(ripple_release, f"{name}_letters")
    rows, format = rows_of(ripple_release, by_words), RippleFormat()
    asked: list[Asked] = in_order(read_ripples(ripple_release).questions, (with_context,))
    assert len(asked) == len(rows)
    for one in asked:
        row = rows[one.question.item_id]
        assert text_of(by_words, row) == format.choice(one, cue=True).prompt(format.between)
        assert place_of(by_words, row) == one.question.answer
        assert text_of(by_letter, row) == format.lettered(one)
    assert by_words["target_delimiter"] == " "


def test_myriadlama_asks_the_prompts_that_end_with_their_blank(release: Path) -> None:
    said = said_by(release, "myriadlama")
    every = pq.read_table(release / "lite" / "lite.parquet").to_pylist()
    asked = rows_of(release, said)
    assert {row["item_id"] for row in every if re.search(r"\[Y\]\W*$", row["prompt"])} == set(asked)
    for row in asked.values():
        text = text_of(said, row)
        assert row["prompt"].startswith(text)
        assert row["prompt"].removeprefix(text).lstrip(" ").startswith("[Y]")
        assert not text.endswith(" ")
        assert target_of(said, row) == row["answers"]
    assert said["generation_kwargs"]["max_gen_toks"] == 1


def test_a_named_repository_is_opened_at_the_tag(kuci_workspace: Workspace, export_kuci: Callable[..., Export]) -> None:
    export_kuci(repo="group/causes").run()
    said = said_by(kuci_workspace.release, "kuci")
    assert (said["dataset_path"], said["dataset_name"]) == ("group/causes", "questions")
    assert said["dataset_kwargs"] == {"revision": "v0.1.0"}
    Publication(kuci_workspace, "group/causes").require_sound()
    for repo, tag in (("group/other", None), ("group/causes", "final")):
        with pytest.raises(InputError, match=r"the release was made for group/causes with the tag v0\.1\.0"):
            Publication(kuci_workspace, repo, tag).require_sound()


def test_a_part_without_rows_is_not_asked(kuci_workspace: Workspace, export_kuci: Callable[..., Export]) -> None:
    from tests.exports.kuci import samples

    samples.write_questions(kuci_workspace, [])
    export_kuci().run()
    assert names_of(kuci_workspace.release) == []


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"), (" b.\n", "b"), ("(C)", "C"), ("**A**", "A"), ("Answer: D", "D"), ("B. Paris", "B"),
        ("答え: A", "A"), ("答えはBです。", "B"), ("C) 傘をさす", "C"),
        ("Because it rains", None), ("A or B", None), ("Paris", None), ("", None), ("B\nand then C", None),
    ],
)  # fmt: skip
def test_a_letter_is_read_from_a_reply(reply: str, letter: str | None) -> None:
    found = re.findall(LETTER_REPLY, reply)
    assert found == ([letter] if letter else [])
