"""Single judgments in a release: what is shown of them, what is not, and that they make the released votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tashika.core.errors import InputError
from tashika.core.files import read_json, write_rows
from tashika.core.records import STATEMENT
from tashika.core.workspace import Workspace
from tashika.exports.judgments import judgments_make_the_votes, judgments_name_nobody, with_judgments
from tashika.exports.release import Export

Make = Callable[..., Export]
FILE = "judgments/judgments.parquet"


def statement(item: str, kind: str, number: int, counts_as: str, **more: Any) -> dict[str, Any]:
    return {
        "item_id": item, "kind": kind, "annotator": f"annotator-{number}", "released_as": f"person-{number}",
        "choice": {"for": "valid", "against": "invalid"}[counts_as], "counts_as": counts_as, "seconds": 4.4,
        "skipped": False, "counted": True, "simulated": True, **more,
    }  # fmt: skip


def statements_for(workspace: Workspace) -> list[dict[str, Any]]:
    """What made the sample's verdicts."""
    rows = []
    for verdict in workspace.read_verdicts().to_pylist():
        sides = ["for"] * verdict["votes_for"] + ["against"] * verdict["votes_against"]
        rows += [statement(verdict["item_id"], verdict["kind"], n, side) for n, side in enumerate(sides)]
    return rows


def write(workspace: Workspace, rows: Iterable[dict[str, Any]]) -> None:
    write_rows(workspace.statement_file, rows, STATEMENT)


def judged_export(export: Export) -> Export:
    return replace(export, plan=with_judgments(export.plan, export.suite, export.workspace, export.settings))


@pytest.fixture
def judged(workspace: Workspace, make_export: Make) -> Callable[..., Export]:
    write(workspace, statements_for(workspace))
    return lambda **changes: judged_export(make_export(**changes))


def test_counting_the_released_table_again_gives_the_verdicts(workspace: Workspace, judged: Make) -> None:
    judged().run()
    votes: dict[str, list[str]] = {}
    for row in pq.read_table(workspace.release / FILE).to_pylist():
        if row["counted"]:
            votes.setdefault(row["item_id"], []).append(row["counts_as"])
    decided = {
        item: "accepted" if 2 * sides.count("for") > len(sides) else
        "rejected" if 2 * sides.count("against") > len(sides) else "undecided"
        for item, sides in votes.items()
    }  # fmt: skip
    assert decided == {row["item_id"]: row["decision"] for row in workspace.read_verdicts().to_pylist()}
    assert set(decided.values()) == {"accepted", "rejected", "undecided"}


def test_the_table_has_the_names_of_a_release_and_whole_seconds(workspace: Workspace, judged: Make) -> None:
    judged().run()
    table = pq.read_table(workspace.release / FILE)
    assert table.column_names == [
        "item_id", "kind", "annotator", "choice", "counts_as", "seconds", "skipped", "counted", "simulated",
    ]  # fmt: skip
    assert {str(name).split("-")[0] for name in table.column("annotator").to_pylist()} == {"person"}
    assert set(table.column("seconds").to_pylist()) == {4.0}


def test_datasets_opens_it_beside_the_rest(workspace: Workspace, judged: Make, tmp_path: Path) -> None:
    from datasets import load_dataset

    judged().run()
    rows = load_dataset(str(workspace.release), "judgments", split="train", cache_dir=str(tmp_path / "cache"))
    assert rows.num_rows == read_json(workspace.release / "release.json")["counts"]["judgments"]


def test_the_digest_leaves_judgments_out_and_the_cards_block_does_not(workspace: Workspace, judged: Make) -> None:
    judged().run()
    before, card_before = read_json(workspace.release / "release.json"), _described(workspace)
    rows = statements_for(workspace)
    rows[0]["seconds"] = 60.0
    write(workspace, rows)
    judged().run()
    after = read_json(workspace.release / "release.json")
    assert before["digest"] == after["digest"]
    assert before["files"][FILE]["sha256"] != after["files"][FILE]["sha256"]
    card_after = _described(workspace)
    assert card_after["judgments"] != card_before["judgments"]
    assert card_after["facts"] == card_before["facts"]


def _described(workspace: Workspace) -> dict[str, str]:
    """What the card says of the content of each configuration."""
    front = yaml.safe_load((workspace.release / "README.md").read_text().split("---\n")[1])
    return {entry["config_name"]: entry["description"] for entry in front["configs"]}


def test_they_can_be_kept_back(workspace: Workspace, judged: Make) -> None:
    judged().run()
    judged(judgments=False).run()
    assert not (workspace.release / FILE).exists()
    assert "judgments" not in read_json(workspace.release / "release.json")["counts"]


def test_votes_of_an_earlier_version_are_released_without_them(
    make_export: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    export = judged_export(make_export())
    assert "judgments" not in export.plan.counts
    said = capsys.readouterr().err
    assert "single judgments are not released: " in said
    assert "there is no table of single judgments yet" in said
    assert "tashika annotate vote myriadlama" in said


def test_an_address_stops_the_release(workspace: Workspace, make_export: Make) -> None:
    rows = statements_for(workspace)
    rows[3]["released_as"] = "ada@example.org"
    write(workspace, rows)
    with pytest.raises(InputError, match=judgments_name_nobody.__doc__ or ""):
        judged_export(make_export()).run()


def test_votes_that_no_judgment_explains_stop_the_release(workspace: Workspace, make_export: Make) -> None:
    templates = {row["item_id"] for row in workspace.read_verdicts().to_pylist() if row["decision"] == "accepted"}
    rows = statements_for(workspace)
    place = next(n for n, row in enumerate(rows) if row["item_id"] in templates and row["kind"] == "template")
    write(workspace, rows[:place] + rows[place + 1 :])
    with pytest.raises(InputError, match=judgments_make_the_votes.__doc__ or ""):
        judged_export(make_export()).run()
