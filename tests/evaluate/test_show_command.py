"""`tashika show`: what a scored system answered beside what it was asked, in every suite."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from tashika.core.errors import InputError
from tashika.core.files import read_json, write_json
from tashika.core.records import prompt_halves
from tashika.core.suites.discovery import all_suites
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.predictions import PREDICTIONS as KUCI
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.proverbs.records import ANSWERS as STATEMENTS
from tashika.evaluate.semrel.answers import ANSWERS as WORDS
from tashika.evaluate.show_command import app
from tashika.evaluate.showing_out import visible
from tashika.evaluate.tempripple.predictions import PREDICTIONS as RIPPLES
from tests.evaluate.custom.toy_scores import mood_scores, riddle_scores
from tests.evaluate.pages import rewrite
from tests.evaluate.semrel import toy_scores as semrel_scores
from tests.exports.drafts import ReleaseToys, export_toys
from tests.exports.kuci import breaks as kuci
from tests.exports.myriadlama import breaks as myriadlama
from tests.exports.proverbs import breaks as proverbs
from tests.exports.semrel import breaks as semrel
from tests.exports.tempripple import breaks as tempripple
from tests.plugin import toys as riddles

Row = dict[str, Any]
_RIDDLE: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string()),
    pa.field("chosen", pa.int32()),
    pa.field("answer", pa.int32()),
]
"""The plugin's predictions."""


def call(*arguments: str | Path, fails: str | None = None) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in arguments], env={"COLUMNS": "60"})
    if fails is None:
        assert result.exit_code == 0, (result.output, result.exception)
    else:
        assert isinstance(result.exception, InputError), result.exception
        assert re.search(fails, str(result.exception)), result.exception
    return result


class Answering(NamedTuple):
    """A system that is right about the first item of a release, and wrong about the second.

    Attributes:
        toys: They export the release.
        table: Where the items lie in it.
        file: What the predictions are called.
        schema: Of the predictions.
        rows: Makes the two predictions from the two items.
        reads: What a person must read of the first, from the item.
    """

    toys: ReleaseToys
    table: str
    file: str
    schema: pa.Schema
    rows: Callable[[Sequence[Row], Workspace], Sequence[Row]]
    reads: Callable[[Row], Row]


def _kuci(items: Sequence[Row], _: Workspace) -> Sequence[Row]:
    chosen = [items[0]["answer"], (items[1]["answer"] + 1) % 4]
    beside = {"split": "test", "set": "both", "scores": [0.5, 0.25, 0.125, -1.0], "problem": None, "seed": 0}
    return [
        {**item, **beside, "choice": place, "correct": place == item["answer"]}
        for item, place in zip(items, chosen, strict=True)
    ]


def _ripples(items: Sequence[Row], _: Workspace) -> Sequence[Row]:
    chosen = [items[0]["answer"], (items[1]["answer"] + 1) % len(items[1]["options"])]
    return [
        {
            **item,
            "with_context": place == item["answer"],
            "chosen": place,
            "correct": place == item["answer"],
            "scores": [-1.5] * len(item["options"]),
        }
        for item, place in zip(items, chosen, strict=True)
    ]


def _prompts(items: Sequence[Row], workspace: Workspace) -> Sequence[Row]:
    """Two prompts on a fact."""
    templates = pq.read_table(workspace.release / "templates/templates.parquet").to_pylist()
    aliases = pq.read_table(workspace.release / "aliases/aliases.parquet").to_pylist()
    fact = items[0]
    template = next(row for row in templates if row["relation"] == fact["relation"])
    alias = next(row for row in aliases if row["entity"] == fact["subject"])
    halves = prompt_halves(pa.array([template["item_id"], alias["item_id"]])).to_pylist()
    row = {
        "item_id": "".join(halves),
        "relation": fact["relation"],
        "pair": 0,
        "template_id": template["item_id"],
        "subject_alias_id": alias["item_id"],
        "rank": 1,
        "top_word": fact["object_aliases"][0],
        "top_token": 7,
        "top_probability": 0.5,
        "problem": None,
    }
    return [row, {**row, "rank": 3, "top_word": "elsewhere"}]


def _words(items: Sequence[Row], workspace: Workspace) -> Sequence[Row]:
    relata = pq.read_table(workspace.release / "relata/relata.parquet").to_pylist()
    rows = []
    for item, right in zip(items, (True, False), strict=True):
        known = [
            row["word"] for row in relata if (row["target"], row["relation"]) == (item["target"], item["relation"])
        ]
        rows.append({**item, "k": 2, "words": [known[0], "xyzzy"] if right else ["xyzzy"], "problem": None})
    return rows


def _statements(items: Sequence[Row], _: Workspace) -> Sequence[Row]:
    beside = {"side": "proverb", "place": 1, "answer": "It is so.", "answer_asked": 1, "score": 7, "score_asked": 1}
    return [{**item, **beside} for item in items]


def _riddles(items: Sequence[Row], _: Workspace) -> Sequence[Row]:
    chosen = [items[0]["answer"], (items[1]["answer"] + 1) % len(items[1]["options"])]
    return [
        {"item_id": item["item_id"], "chosen": place, "answer": item["answer"]}
        for item, place in zip(items, chosen, strict=True)
    ]


def _choice(prompt: str) -> Callable[[Row], Row]:
    def reads(item: Row) -> Row:
        right = item["options"][item["answer"]]
        return {"prompt": item[prompt], "options": item["options"], "gold": [right], "answer": right, "correct": True}

    return reads


def _of_riddle(item: Row) -> Row:
    right = item["options"][item["answer"]]
    return {"options": item["options"], "gold": [right], "answer": right, "correct": True}


SUITES = (
    Answering(kuci.RELEASE, "questions/test.parquet", "predictions.parquet", KUCI, _kuci, _choice("context")),
    Answering(
        tempripple.RELEASE,
        "questions/questions.parquet",
        "predictions.parquet",
        RIPPLES,
        _ripples,
        lambda item: {**_choice("text")(item), "prompt": f"{item['context']}\n{item['text']}", "score": -1.5},
    ),
    Answering(
        myriadlama.RELEASE,
        "facts/facts.parquet",
        "predictions.parquet",
        PREDICTION,
        _prompts,
        lambda item: {"answer": item["object_aliases"][0], "score": 0.5, "correct": True},
    ),
    Answering(
        semrel.RELEASE,
        "probes/probes.parquet",
        "answers.parquet",
        WORDS,
        _words,
        lambda item: {"prompt": f"{item['text']} ____", "score": 0.5, "correct": True},
    ),
    Answering(
        proverbs.RELEASE,
        "pairs/test.parquet",
        "answers.parquet",
        STATEMENTS,
        _statements,
        lambda item: {"prompt": item["question"], "answer": "It is so.", "score": 7.0, "correct": None},
    ),
    Answering(
        riddles.RELEASE,
        "riddles/test.parquet",
        "predictions.parquet",
        pa.schema(_RIDDLE),
        _riddles,
        _of_riddle,
    ),
)


@pytest.fixture(scope="module", autouse=True)
def _plugin() -> Iterator[None]:
    with riddles.installed():
        yield


class Shown(NamedTuple):
    """A suite whose system has answered.

    Attributes:
        given: How.
        workspace: Where; read only.
        item: The first item.
    """

    given: Answering
    workspace: Workspace
    item: Row


@pytest.fixture(scope="module", params=SUITES, ids=lambda given: given.toys.suite)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    given: Answering = request.param
    workspace = export_toys(given.toys, tmp_path_factory.mktemp(given.toys.suite))
    table = pq.read_table(workspace.release / given.table).to_pylist()
    items = [row for row in table if not row.get("known_answers")][:2]
    folder = workspace.evaluate / "tiny"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(list(given.rows(items, workspace)), schema=given.schema), folder / given.file)
    write_json(folder / "metrics.json", metrics_of(workspace))
    return Shown(given, workspace, items[0])


def metrics_of(workspace: Workspace) -> Mapping[str, Any]:
    """What is needed of the numbers of a system."""
    record = read_json(workspace.release / "release.json")
    if workspace.suite == "semrel":
        name = next(name for name, kind in semrel_scores.SYSTEMS.items() if kind != "people")
        source = {**semrel_scores.SOURCE, "revision": record["digest"]}
        return semrel_scores.metrics_of(name, source=source)
    release = {name: record[name] for name in ("version", "digest", "simulated")}
    return {"model": {"name": "tiny"}, "release": release}


def lines_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_suite_is_tested_here() -> None:
    assert {each.toys.suite for each in SUITES} == set(all_suites())


def test_an_answer_is_read_beside_its_prompt_in_every_suite(shown: Shown, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    call(shown.workspace.suite, "--work", shown.workspace.root, "--jsonl", file)
    first, second = lines_of(file)
    assert {name: first[name] for name in shown.given.reads(shown.item)} == shown.given.reads(shown.item)
    assert second["correct"] is (None if shown.workspace.suite == "proverbs" else False)
    printed = call(shown.workspace.suite, "--work", shown.workspace.root).stdout
    assert first["item_id"] in printed
    assert second["item_id"] in printed
    assert all(len(line) <= 60 for line in printed.splitlines())
    assert ("right" in printed) == (first["correct"] is not None)


def test_wrong_answers_and_single_items_are_chosen(shown: Shown, tmp_path: Path) -> None:
    file, place = tmp_path / "x.jsonl", ("--work", str(shown.workspace.root))
    if shown.workspace.suite == "proverbs":
        call(shown.workspace.suite, *place, "--wrong", fails="no answer of the suite proverbs is right or wrong")
    else:
        call(shown.workspace.suite, *place, "--wrong", "--jsonl", file)
        assert [row["correct"] for row in lines_of(file)] == [False]
    call(shown.workspace.suite, *place, "--jsonl", file, "--limit", "1")
    [row] = lines_of(file)
    call(shown.workspace.suite, *place, "--item", row["item_id"], "--jsonl", file)
    assert {each["item_id"] for each in lines_of(file)} == {row["item_id"]}
    call(shown.workspace.suite, *place, "--item", "zzz", fails="tiny was not asked about an item 'zzz'")


def test_another_release_is_not_taken_for_the_scored_one(shown: Shown, tmp_path: Path) -> None:
    if shown.workspace.suite == "proverbs":  # whose table of answers has the questions
        return
    record = shown.workspace.release / "release.json"
    before = record.read_bytes()
    try:
        rewrite(record, lambda content: content.update(digest="ee" * 32))
        call(shown.workspace.suite, "--work", shown.workspace.root, fails=r"lies? here \(eeeeeeeeeeee\)")
    finally:
        record.write_bytes(before)


def test_a_suite_file_is_shown_and_several_systems_must_be_told_apart(tmp_path: Path) -> None:
    suite, workspace = riddle_scores(tmp_path)
    place = (str(suite.path), "--work", str(workspace.root))
    call(*place, fails=r"2 systems have been scored: good, poor\n  Name one: `tashika show .* --model good`")
    call(*place, "--model", "best", fails="no system 'best' was scored; scored are: good, poor")
    output = call(*place, "--model", "poor", "--wrong").stdout
    assert "What has keys?" in output
    assert re.search(r"0  a piano +<- right", output)
    assert re.search(r"1  a locksmith +<- answered", output)
    assert "answered: Who knows?" in output
    assert "unparsable after 1 attempt" in output
    assert "No legs?\n    0  a dog   <- answered\n    1  a river   <- right\n    2  a hare" in output


def test_labels_are_words(tmp_path: Path) -> None:
    suite, workspace = mood_scores(tmp_path)
    file = tmp_path / "x.csv"
    call(suite.path, "--work", workspace.root, "--model", "good", "--csv", file)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert [json.loads(row["gold"]) for row in rows[:2]] == [["good"], ["bad"]]
    assert rows[0]["answer"] == "good"
    assert rows[0]["prompt"] == "The sun shines. That is"


def test_files_have_the_same_bytes_each_time(tmp_path: Path) -> None:
    suite, workspace = riddle_scores(tmp_path)
    names = [tmp_path / f"{number}.{kind}" for kind in ("csv", "jsonl") for number in (1, 2)]
    for file in names:
        call(suite.path, "--work", workspace.root, "--model", "good", f"--{file.suffix[1:]}", file)
    assert names[0].read_bytes() == names[1].read_bytes()
    assert names[2].read_bytes() == names[3].read_bytes()


def test_what_was_never_scored_or_is_gone_is_said(tmp_path: Path) -> None:
    call("kuci", "--work", tmp_path, fails=r"no model has been scored yet\n  Run `tashika evaluate kuci --work")
    suite, workspace = riddle_scores(tmp_path)
    place = (str(suite.path), "--work", str(workspace.root), "--model", "good")
    file = workspace.evaluate / "good" / "predictions.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    call(*place, fails="not a whole Parquet file")
    file.unlink()
    call(*place, fails=r"its predictions\.parquet does not lie here")


def test_a_reply_cannot_command_the_terminal() -> None:
    assert visible("a\x1b[2Jb\u202ec\nd\te\x07") == "a<U+001B>[2Jb<U+202E>c\nd\te<U+0007>"
    assert visible("[bold]富士山 é") == "[bold]富士山 é"
