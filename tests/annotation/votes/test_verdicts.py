"""The stage that counts: files, summary, and what makes it run again."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from tashika.annotation.adjudicating.decision_file import adjudicate
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json, write_rows
from tashika.core.records import VERDICT
from tashika.core.workspace import Workspace


@pytest.fixture
def judged(workspace: Workspace, samples: ModuleType) -> list[str]:
    """Four templates on the server: 3:0, 2:1, 1:1 with a skip, 0:3; and one alias with a simulated vote for it."""
    ids: list[Any] = workspace.read_items("template")["item_id"].to_pylist()[:4]
    alias: Any = workspace.read_items("alias")["item_id"].to_pylist()[0]
    gone = Task(9, "an item that is no longer there", frozenset())
    tasks = [Task(number, item, frozenset()) for number, item in enumerate(ids)]
    write_pushed(workspace, "template", "ls", 1, [*tasks, gone])
    write_pushed(workspace, "alias", "ls", 2, [Task(5, alias, frozenset())])
    votes = ["vvv", "vvi", "vi-", "iii"]
    words = {"v": "valid", "i": "invalid", "-": None}
    rows = [
        samples.judgment(item, person, words[said], skipped=said == "-")
        for item, said_of_it in zip(ids, votes, strict=True)
        for person, said in zip("abc", said_of_it, strict=True)
    ]
    rows.append(samples.judgment(ids[0], "d", None, problem="empty result"))
    rows.append(samples.judgment(alias, "simulated-1", "valid", kind="alias", simulated=True))
    append_judgments(workspace, rows)
    return ids


def test_the_verdicts_and_the_summary(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    count_votes(workspace, pages, settings)
    verdicts = workspace.read_verdicts()
    assert verdicts.num_rows == 5
    decisions = {row["item_id"]: row["decision"] for row in verdicts.to_pylist()}
    assert [decisions[item] for item in judged] == ["accepted", "accepted", "undecided", "rejected"]
    keys = list(zip(verdicts["kind"].to_pylist(), verdicts["item_id"].to_pylist(), strict=True))
    assert keys == sorted(keys)
    summary = read_json(workspace.annotation / "validation.json")
    template = summary["template"]
    expected = {"mode": "all", "items": 12, "judged": 4, "accepted": 2, "rejected": 1, "undecided": 1, "ties": 1}
    expected |= {"annotators": 3, "votes": 11, "skips": 1, "minimum_votes": 2, "simulated": False, "simulation": None}
    assert {key: template[key] for key in expected} == expected
    assert template["acceptance_rate"] == pytest.approx(2 / 3, abs=1e-6)
    assert template["problems"] == {"empty result": 1}
    # Pairs that agree: 3 of 3, 1 of 3, 0 of 1, 3 of 3.
    assert template["agreement"]["percent"] == pytest.approx((1 + 1 / 3 + 0 + 1) / 4, abs=1e-6)
    # Fleiss on 3:0, 2:1, 0:3: P = 7/9, Pe = (5/9)² + (4/9)² = 41/81.
    assert template["agreement"]["fleiss_kappa"] == pytest.approx((7 / 9 - 41 / 81) / (40 / 81), abs=1e-6)
    assert summary["alias"]["simulated"] is True
    assert summary["alias"]["simulation"]["annotators"][2] == {"name": "simulated-3", "error_rate": 0.2}
    assert summary["alias"]["agreement"]["krippendorff_alpha"] is None
    assert summary["alias"]["undecided"] == 1  # one vote is below the minimum


def test_counting_twice_is_a_no_op_and_gives_the_same_bytes(
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    judged: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    count_votes(workspace, pages, settings)
    before = workspace.verdict_file.read_bytes()
    count_votes(workspace, pages, settings)
    assert "nothing to do" in capsys.readouterr().err
    workspace.verdict_file.unlink()
    count_votes(workspace, pages, settings)
    assert workspace.verdict_file.read_bytes() == before


def test_pages_in_code_add_nothing_to_what_the_count_depends_on(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    """Else every working directory of an earlier version would be counted again."""
    manifest = count_votes(workspace, pages, settings)
    assert manifest["settings"] == {**settings.model_dump(mode="json"), "layout": 4}


def test_new_judgments_and_adjudications_are_counted(
    workspace: Workspace,
    pages: list[Page],
    settings: AnnotateSettings,
    judged: list[str],
    samples: ModuleType,
    tmp_path: Path,
) -> None:
    count_votes(workspace, pages, settings)
    append_judgments(workspace, [samples.judgment(judged[2], "d", "valid")])
    count_votes(workspace, pages, settings)
    decisions = {row["item_id"]: row for row in workspace.read_verdicts().to_pylist()}
    assert decisions[judged[2]]["decision"] == "accepted"
    path = tmp_path / "decisions.csv"
    path.write_text(f"item_id,decision,text,name\n{judged[2]},rejected,,Ada\n")
    adjudicate(workspace, path, {judged[2]: pages[0]})
    count_votes(workspace, pages, settings)
    (verdict,) = [row for row in workspace.read_verdicts().to_pylist() if row["item_id"] == judged[2]]
    assert (verdict["decision"], verdict["adjudicator"], verdict["votes_for"]) == ("rejected", "Ada", 2)
    assert read_json(workspace.annotation / "validation.json")["template"]["adjudicated"] == 1


def test_a_tie_that_is_adjudicated_is_no_tie_of_the_summary(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str], tmp_path: Path
) -> None:
    def summary() -> list[int]:
        count_votes(workspace, pages, settings)
        found = read_json(workspace.annotation / "validation.json")["template"]
        return [found[name] for name in ("undecided", "ties", "adjudicated")]

    assert summary() == [1, 1, 0]
    path = tmp_path / "decisions.csv"
    path.write_text(f"item_id,decision,text,name\n{judged[2]},accepted,,Ada\n")
    adjudicate(workspace, path, {judged[2]: pages[0]})
    assert summary() == [0, 0, 1]
    (verdict,) = [row for row in workspace.read_verdicts().to_pylist() if row["item_id"] == judged[2]]
    assert verdict["tie"] is True  # the votes stay as they were


def test_another_rule_and_people_left_out_say_what_they_change(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    unanimous = settings.model_copy(update={"rule": "unanimous"})
    count_votes(workspace, pages, unanimous)
    verdicts = {row["item_id"]: row for row in workspace.read_verdicts().to_pylist()}
    assert [verdicts[item]["decision"] for item in judged] == ["accepted", "undecided", "undecided", "rejected"]
    template = read_json(workspace.annotation / "validation.json")["template"]
    assert (template["rule"], template["rule_name"]) == ("unanimous votes", "unanimous")
    assert template["differs_from_majority"] == {"items": 4, "changed": 1, "by": {"accepted to undecided": 1}}
    assert "without" not in template
    count_votes(workspace, pages, settings, leave_out=["c", "simulated-1"])
    verdicts = {row["item_id"]: row for row in workspace.read_verdicts().to_pylist()}
    assert verdicts[judged[1]]["votes_cast"] == 2
    summary = read_json(workspace.annotation / "validation.json")
    assert "differs_from_majority" not in summary["template"]
    without = summary["template"]["without"]
    assert without["annotators"] == ["c"]  # the other has not judged templates
    assert without["changes"] == {"items": 4, "changed": 0, "by": {}}
    # Without c: pairs vv, vv, vi, ii, so 2 disagreements against (64 - 25 - 9) / 7 by chance.
    assert without["alpha_without"] == pytest.approx(1 - 2 / (30 / 7), abs=1e-6)
    assert summary["template"]["by_annotator"]["c"]["left_out"] is True
    assert summary["template"]["by_annotator"]["a"]["left_out"] is False
    assert summary["alias"]["by_annotator"]["simulated-1"]["simulated"] is True
    assert summary["alias"]["votes"] == 0


def test_a_kind_may_have_a_rule_of_its_own(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    kinds = {**settings.kinds, "template": settings.kinds["template"].model_copy(update={"rule": "dawid-skene"})}
    count_votes(workspace, pages, settings.model_copy(update={"kinds": kinds}))
    summary = read_json(workspace.annotation / "validation.json")
    assert (summary["template"]["rule_name"], summary["alias"]["rule_name"]) == ("dawid-skene", "majority")
    posteriors = {row["item_id"]: row["posterior"] for row in workspace.read_verdicts().to_pylist()}
    assert all(0.5 <= posteriors[item] <= 1 for item in judged)


def test_weights_need_gold_questions_and_say_so(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    with pytest.raises(InputError, match="nobody has answered one"):
        count_votes(workspace, pages, settings.model_copy(update={"rule": "weighted"}))
    assert not workspace.verdict_file.exists()


def test_agreement_is_taken_over_the_first_votes_where_items_stop_early(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str], samples: ModuleType
) -> None:
    count_votes(workspace, pages, settings.model_copy(update={"adaptive": True}))
    agreement = read_json(workspace.annotation / "validation.json")["template"]["agreement"]
    # The first two of vvv, vvi, vi and iii: vv, vv, vi, ii.
    assert agreement["first_votes"] == 2
    assert agreement["percent"] == 0.75
    assert agreement["fleiss_kappa"] == pytest.approx((3 / 4 - 34 / 64) / (30 / 64), abs=1e-6)
    assert sum(pair["items"] for pair in agreement["pairs"]) == 4


def test_verdicts_of_earlier_versions_are_still_read(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, judged: list[str]
) -> None:
    count_votes(workspace, pages, settings)
    table = workspace.read_verdicts()
    rows = table.drop_columns(["posterior"]).to_pylist()
    write_rows(workspace.verdict_file, rows, pa.schema(list(VERDICT)[:-1]))
    assert workspace.read_verdicts().equals(table)
    write_rows(workspace.verdict_file, rows, pa.schema(list(VERDICT)[:-2]))
    with pytest.raises(InputError, match="expected item_id"):
        workspace.read_verdicts()


def test_without_judgments_or_a_push_it_says_what_to_do(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings, samples: ModuleType
) -> None:
    with pytest.raises(MissingStageError, match="annotate pull myriadlama"):
        count_votes(workspace, pages, settings)
    append_judgments(workspace, [samples.judgment("i", "a")])
    with pytest.raises(MissingStageError, match="annotate push myriadlama"):
        count_votes(workspace, pages, settings)
