"""Which items go into a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json, write_json
from tashika.core.records import item_id
from tashika.core.workspace import Workspace
from tashika.exports.plan import suite_export
from tashika.exports.release import Export

Make = Callable[..., Export]


def texts(release: Path, config: str) -> list[str]:
    return [row["text"] for row in pq.read_table(release / config / f"{config}.parquet").to_pylist()]


def test_only_accepted_templates_go_in(samples: ModuleType, release: Path) -> None:
    found = texts(release, "templates")
    assert len(found) == 10
    assert samples.REJECTED not in found
    assert samples.UNDECIDED not in found


def test_a_corrected_text_is_released_under_the_items_id(samples: ModuleType, release: Path) -> None:
    old, new = next(iter(samples.CORRECTED.items()))
    rows = pq.read_table(release / "templates" / "templates.parquet").to_pylist()
    row = next(row for row in rows if row["text"] == new)
    assert row["item_id"] == item_id("myriadlama", "template", "P36", old)
    assert row["parent"] == item_id("myriadlama", "template", "P36", samples.MANUAL["P36"][0])
    assert (row["votes_for"], row["votes_cast"]) == (3, 3)


def test_audited_aliases_stay_unless_rejected(samples: ModuleType, release: Path) -> None:
    rows = pq.read_table(release / "aliases" / "aliases.parquet").to_pylist()
    names = {(row["entity"], row["text"]) for row in rows}
    everything = {(entity, text) for entity, texts in samples.NAMES.items() for text in texts}
    assert names == everything - {samples.REJECTED_ALIAS}


def test_facts_show_the_label_first_among_the_names(release: Path) -> None:
    rows = pq.read_table(release / "facts" / "facts.parquet").to_pylist()
    japan = next(row for row in rows if row["subject"] == "Q17" and row["relation"] == "P36")
    assert japan["subject_aliases"] == ["Japan", "Nihon", "Nippon"]
    assert japan["object_aliases"] == ["Tokyo", "Tōkyō"]


def test_a_correction_to_a_text_that_is_there_adds_no_second_one(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    taken = samples.MANUAL["P36"][0]
    repaired = item_id("myriadlama", "template", "P36", samples.PARAPHRASES["P36"][1])
    rows = [{**row, "text": taken} if row["item_id"] == repaired else row for row in samples.verdict_rows()]
    samples.write_verdicts(workspace, rows)
    make_export().run()
    found = pq.read_table(workspace.release / "templates" / "templates.parquet").to_pylist()
    kept = [row["item_id"] for row in found if row["text"] == taken]
    assert kept == [item_id("myriadlama", "template", "P36", taken)]


def test_facts_whose_names_were_all_rejected_are_left_out_and_counted(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    alone = item_id("myriadlama", "alias", "Q3012", "Ulm")
    samples.write_verdicts(workspace, [*samples.verdict_rows(), samples.verdict_row(alone, "alias", "rejected")])
    plan = make_export().plan
    assert plan.left_out["facts_whose_names_were_rejected"] == 1
    assert plan.counts["unique_triples"] == len(samples.FACTS) - 1


def test_facts_without_an_accepted_template_are_left_out_and_counted(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    continents = {row["item_id"] for row in samples.template_rows() if row["relation"] == "P30"}
    rows = [{**row, "decision": "rejected"} if row["item_id"] in continents else row for row in samples.verdict_rows()]
    samples.write_verdicts(workspace, rows)
    plan = make_export().plan
    assert plan.left_out["facts_without_template"] == 7
    assert plan.counts["relations"] == 2


def test_an_audited_kind_of_templates_keeps_the_undecided(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    summary = samples.validation()
    summary["template"]["mode"] = "audit"
    write_json(workspace.annotation / "validation.json", summary)
    assert make_export().plan.counts["templates"] == 11


@pytest.mark.parametrize("file", ["verdicts.parquet", "validation.json"])
def test_without_verdicts_it_says_which_command_comes_first(workspace: Workspace, make_export: Make, file: str) -> None:
    (workspace.annotation / file).unlink()
    with pytest.raises(MissingStageError, match="tashika annotate vote myriadlama") as caught:
        make_export()
    assert file in str(caught.value)


@pytest.mark.parametrize("kind", ["fact", "alias", "template"])
def test_without_items_it_says_which_command_comes_first(workspace: Workspace, make_export: Make, kind: str) -> None:
    workspace.item_file(kind).unlink()
    with pytest.raises(MissingStageError, match="tashika build myriadlama"):
        make_export()


def test_verdicts_on_other_kinds_alone_are_no_verdicts_on_templates(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    samples.write_verdicts(workspace, [row for row in samples.verdict_rows() if row["kind"] == "alias"])
    with pytest.raises(MissingStageError, match="none of the 12 templates has a verdict"):
        make_export()


def test_no_accepted_template_is_an_error(samples: ModuleType, workspace: Workspace, make_export: Make) -> None:
    samples.write_verdicts(workspace, [{**row, "decision": "rejected"} for row in samples.verdict_rows()])
    with pytest.raises(InputError, match="no template was accepted"):
        make_export()


def test_a_template_without_y_names_file_and_item(samples: ModuleType, workspace: Workspace, make_export: Make) -> None:
    broken = samples.template_row("P36", "The capital of [X] is a city.")
    samples.write_items(workspace, "template", [*samples.template_rows(), broken])
    verdict = samples.verdict_row(broken["item_id"], "template", "accepted")
    samples.write_verdicts(workspace, [*samples.verdict_rows(), verdict])
    with pytest.raises(InputError) as caught:
        make_export()
    assert caught.value.where == f"{workspace.item_file('template')}, item {broken['item_id']}"
    assert "'The capital of [X] is a city.'; expected [X] and [Y] exactly once each" in caught.value.message


def test_a_correction_without_y_names_the_verdicts(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    item = item_id("myriadlama", "template", "P36", samples.MANUAL["P36"][0])
    rows = [{**row, "text": "No slot."} if row["item_id"] == item else row for row in samples.verdict_rows()]
    samples.write_verdicts(workspace, rows)
    with pytest.raises(InputError) as caught:
        make_export()
    assert caught.value.where == f"{workspace.verdict_file}, item {item}"


def test_an_entity_that_was_built_without_a_name_is_an_error(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    rows = [row for row in samples.alias_rows() if row["entity"] != "Q3012"]
    samples.write_items(workspace, "alias", rows)
    with pytest.raises(InputError, match=r"Q3012 of the fact .* has no name"):
        make_export()


def test_a_summary_with_an_unknown_mode_names_file_and_kind(
    samples: ModuleType, workspace: Workspace, make_export: Make
) -> None:
    summary = samples.validation()
    summary["template"]["mode"] = "some"
    write_json(workspace.annotation / "validation.json", summary)
    with pytest.raises(InputError, match=r"validation\.json, template.*mode"):
        make_export()


def test_a_summary_that_is_not_json_names_the_file(workspace: Workspace, make_export: Make) -> None:
    (workspace.annotation / "validation.json").write_text('{"template": {', encoding="utf-8")
    with pytest.raises(InputError, match=r"validation\.json: not valid JSON"):
        make_export()


def test_people_are_not_called_simulated(samples: ModuleType, workspace: Workspace, make_export: Make) -> None:
    write_json(workspace.annotation / "validation.json", samples.validation(simulated=False))
    make_export().run()
    assert read_json(workspace.release / "release.json")["simulated"] is False
    assert "simulated" not in (workspace.release / "README.md").read_text(encoding="utf-8").casefold()


def test_an_unknown_suite_is_an_error() -> None:
    with pytest.raises(InputError, match="there is no suite 'nobody'"):
        suite_export("nobody")
