"""Releases of a suite file: each form of answer, the parts, what is left out, and the checks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tashika.core.custom.release_form import ExportForm
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json, write_json, write_rows
from tashika.core.records import ANSWER, VERDICT, item_row, item_schema
from tashika.core.settings import load_section
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace
from tashika.exports.custom.export import split_of
from tashika.exports.plan import ExportSettings, suite_export
from tashika.exports.release import Export
from tests.exports.drafts import Draft, failing
from tests.exports.judged import entry, verdict_row

SUITE = """
[suite]
name = "toys"
title = "Toys & <b>games</b>"
summary = "Pairs of sentences."

[build.kinds.pair]
file = "pairs.csv"
key = ["text"]
[build.kinds.pair.columns]
text = { type = "string", meaning = "a sentence" }
group = "string"
known = { type = "string", optional = true }
other = "string"

[annotate.kinds.pair]
show = ["text"]
gold = "known"
"""
FORMS: Mapping[str, str] = {
    "verdict": 'correct = "text"',
    "label": 'form = "label"\nlabels = ["yes", "no"]',
    "labels": 'form = "labels"\nlabels = ["yes", "no"]',
    "rating": 'form = "rating"\nscale = 3',
    "preference": 'form = "preference"\nbetween = ["text", "other"]\nsame = true',
    "text": 'form = "text"',
}
ITEMS = 8


def write_suite(folder: Path, form: str = "verdict", export: str = "") -> str:
    path = folder / "toys.toml"
    path.write_text(f"{SUITE}{FORMS[form]}\n\n[export]\n{export}\n", encoding="utf-8")
    (folder / "pairs.csv").write_text("text,group,known,other\n")
    return open_suite(str(path)).name


def fill(workspace: Workspace, decisions: Mapping[int, str] | None = None, **verdict: Any) -> list[str]:
    """Writes eight items, of which the last is a gold question, and what people said; returns their ids."""
    rows = [
        item_row(
            "toys",
            "pair",
            [str(number)],
            {
                "text": f"Sentence {number}.",
                "group": f"g{number // 2}",
                "known": "yes" if number == ITEMS - 1 else None,
                "other": f"Other {number}.",
            },
            builder="custom",
            version="1",
            sources=[("pairs.csv", "abc")],
        )
        for number in range(ITEMS)
    ]
    write_rows(workspace.item_file("pair"), rows, item_schema("toys", "pair"))
    ids = [row["item_id"] for row in rows]
    chosen = dict.fromkeys(range(ITEMS), "accepted") | dict(decisions or {})
    verdicts = [verdict_row(ids[number], "pair", decision, **verdict) for number, decision in chosen.items()]
    write_rows(workspace.verdict_file, sorted(verdicts, key=lambda row: row["item_id"]), VERDICT)
    write_json(workspace.annotation / "validation.json", {"pair": entry(ITEMS, 3)})
    return ids


def answer(workspace: Workspace, ids: list[str], **values: Any) -> None:
    empty: dict[str, Any] = {
        "votes": [],
        "label": None,
        "labels": [],
        "median": None,
        "mean": None,
        "spread": None,
        "texts": [],
    }
    rows = [{**empty, "item_id": item, "kind": "pair", **values} for item in sorted(ids)]
    write_rows(workspace.answer_file, rows, ANSWER)


def export(workspace: Workspace) -> Mapping[str, Any]:
    suite = suite_export("toys")
    settings = load_section("toys", "export", ExportSettings)
    Export(workspace, settings, suite, suite.plan(workspace, settings)).run()
    record: dict[str, Any] = read_json(workspace.release / "release.json")
    return record


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work", "toys")


def opened(workspace: Workspace, split: str = "test") -> Any:
    from datasets import load_dataset

    cache = str(workspace.root / "opened")
    return load_dataset(str(workspace.release), "pair", split=split, cache_dir=cache)


def test_accepted_items_go_in_corrected_and_the_rest_is_counted(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path)
    fill(workspace, {0: "rejected", 1: "undecided"}, text=None)
    record = export(workspace)
    assert record["counts"] == {"pair": 5}
    assert record["left_out"] == {
        "gold_pairs": 1,
        "rejected_pairs": 1,
        "undecided_pairs": 1,
        "unjudged_pairs": 0,
    }
    rows = opened(workspace)
    assert set(rows["text"]) == {f"Sentence {number}." for number in range(2, 7)}
    assert "known" not in rows.column_names  # the answers of gold questions stay here
    card = (workspace.release / "README.md").read_text()
    assert "| `text` | string | a sentence |" in card
    assert "Candidates came from the table pairs.csv (`pair`)." in card


def test_a_correction_takes_the_place_of_the_column_that_the_file_names(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path)
    fill(workspace, text="Better.")
    export(workspace)
    assert set(opened(workspace)["text"]) == {"Better."}


@pytest.mark.parametrize(
    ("form", "values", "expected"),
    [
        ("label", {"votes": [1, 2], "label": "no"}, {"label": 1, "votes": [1, 2]}),
        ("labels", {"votes": [3, 2], "labels": ["yes", "no"]}, {"labels": [0, 1], "votes": [3, 2]}),
        ("labels", {"votes": [0, 1], "labels": []}, {"labels": [], "votes": [0, 1]}),
        (
            "rating",
            {"votes": [1, 0, 2], "median": 3.0, "mean": 2.5, "spread": 0.5},
            {"rating": 3.0, "mean": 2.5, "spread": 0.5, "votes": [1, 0, 2]},
        ),
        ("preference", {"votes": [0, 2, 1], "label": "other"}, {"preferred": 1, "votes": [0, 2, 1]}),
        ("text", {"texts": ["So.", "Thus."]}, {"answers": ["So.", "Thus."]}),
    ],
)
def test_what_people_said_is_a_column(
    tmp_path: Path, workspace: Workspace, form: str, values: dict[str, Any], expected: dict[str, Any]
) -> None:
    write_suite(tmp_path, form)
    answer(workspace, fill(workspace), **values)
    export(workspace)
    first = opened(workspace)[0]
    assert {name: first[name] for name in expected} == expected
    assert (first["votes_for"], first["votes_cast"]) == (3, 3)


def test_labels_have_their_names(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path, "label")
    answer(workspace, fill(workspace), votes=[3, 0], label="yes")
    export(workspace)
    feature = opened(workspace).features["label"]
    assert feature.names == ["yes", "no"]
    assert "| `label` | label: `yes`, `no` |" in (workspace.release / "README.md").read_text()


def test_an_accepted_item_without_an_answer_is_an_error(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path, "label")
    ids = fill(workspace)
    with pytest.raises(MissingStageError, match=r"there are no answers yet\n.*annotate vote .*toys\.toml"):
        export(workspace)
    answer(workspace, ids[:3], votes=[3, 0], label="yes")
    with pytest.raises(InputError, match="4 accepted pairs have no answer"):
        export(workspace)


def test_an_audit_keeps_what_nobody_rejected(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "toys.toml"
    write_suite(tmp_path)
    path.write_text(path.read_text().replace('gold = "known"', 'mode = "audit"\nsample = 2'))
    open_suite(str(path))
    fill(workspace, {0: "rejected", 1: "undecided"})
    record = export(workspace)
    assert record["counts"] == {"pair": ITEMS - 1}
    assert record["left_out"]["rejected_pairs"] == 1


def test_kinds_that_nobody_judges_are_released_as_they_were_built(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path)
    path = tmp_path / "toys.toml"
    text = path.read_text()
    path.write_text(text[: text.index("[annotate.kinds.pair]")])
    open_suite(str(path))
    fill(workspace)
    assert export(workspace)["counts"] == {"pair": ITEMS}
    assert "Nobody." in (workspace.release / "README.md").read_text()


def test_an_authors_comment_cannot_end_the_generated_block(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path, export='limits = ["Few.<!-- tashika:end -->", "<script>alert(1)</script>"]')
    fill(workspace)
    export(workspace)
    card = (workspace.release / "README.md").read_text()
    assert card.count("<!-- tashika:end") == 1
    assert "<script" not in card
    export(workspace)  # reads the card that is there
    assert (workspace.release / "README.md").read_text() == card


# --- parts


def form_of(**values: Any) -> ExportForm:
    return ExportForm.model_validate(values)


def table(count: int) -> pa.Table:
    rows = [{"item_id": f"{number:032x}", "group": f"g{number // 4}"} for number in range(count)]
    return pa.Table.from_pylist(rows)


def test_parts_have_about_their_shares_and_more_items_move_none() -> None:
    form = form_of(splits={"train": 0.8, "validation": 0.1, "test": 0.1})
    fewer, more = (split_of(form, table(count), "").to_pylist() for count in (1000, 2000))
    assert more[:1000] == fewer
    shares = {split: more.count(split) / 2000 for split in form.splits}
    assert shares["train"] == pytest.approx(0.8, abs=0.04)  # four standard errors
    assert shares["validation"] == pytest.approx(0.1, abs=0.03)


def test_what_must_stay_together_does() -> None:
    items = table(400)
    parts = split_of(form_of(splits={"train": 0.5, "test": 0.5}, split_by="group"), items, "").to_pylist()
    groups = {
        group: {parts[place] for place, other in enumerate(items["group"].to_pylist()) if other == group}
        for group in set(items["group"].to_pylist())
    }
    assert all(len(found) == 1 for found in groups.values())
    assert set(parts) == {"train", "test"}


def test_a_column_may_name_the_parts() -> None:
    items = table(8)
    form = form_of(splits=["g0", "g1"], split_column="group")
    assert split_of(form, items, "").to_pylist() == ["g0"] * 4 + ["g1"] * 4
    with pytest.raises(InputError, match=f"the item {4:032x} has group 'g1', expected one of g0"):
        split_of(form_of(splits=["g0"], split_column="group"), items, "")


def test_the_parts_of_a_release(tmp_path: Path, workspace: Workspace) -> None:
    write_suite(tmp_path, export='splits = { train = 0.5, test = 0.5 }\nsplit_by = "group"')
    fill(workspace)
    record = export(workspace)
    parts = {split: opened(workspace, split) for split in ("train", "test")}
    assert sum(part.num_rows for part in parts.values()) == record["counts"]["pair"] == ITEMS - 1
    assert not set(parts["train"]["group"]) & set(parts["test"]["group"])


# --- checks


def another_part(draft: Draft) -> None:
    draft.files["pair/dev.parquet"] = draft.files.pop("pair/train.parquet")


def no_such_label(draft: Draft) -> None:
    draft.files["pair/test.parquet"][0]["label"] = 2


def a_vote_too_few(draft: Draft) -> None:
    draft.files["pair/test.parquet"][0]["votes"].pop()


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (another_part, "files_are_parts"),
        (no_such_label, "labels_are_declared"),
        (a_vote_too_few, "votes_fit_the_answer"),
    ],
)
def test_a_break_fails_its_own_check_alone(
    tmp_path: Path, workspace: Workspace, damage: Callable[[Draft], None], check: str
) -> None:
    write_suite(tmp_path, "label", 'splits = { train = 0.5, test = 0.5 }\nsplit_by = "group"')
    answer(workspace, fill(workspace), votes=[3, 0], label="yes")
    export(workspace)
    draft = Draft(shutil.copytree(workspace.release, tmp_path / "draft"))
    assert failing(draft.written()) == {}
    damage(draft)
    assert list(failing(draft.written())) == [check]
